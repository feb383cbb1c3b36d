"""Subtract the mean and divide by the deviation, over some axes: what both normalisations share."""

from __future__ import annotations

import math

import numpy as np

from engine.layers.checks import Array

Axes = tuple[int, ...]


def normalised(x: Array, axes: Axes, epsilon: float) -> tuple[Array, Array, Array]:
    """Return (x − mean)/√(variance + epsilon), the mean, and 1/√(variance + epsilon)."""
    mean = x.mean(axis=axes, keepdims=True)
    # Deviations first: the mean of squares less the square of the mean cancels.
    off = x - mean
    scale = 1 / np.sqrt((off * off).mean(axis=axes, keepdims=True) + epsilon)
    return off * scale, mean, scale.astype(x.dtype, copy=False)


def normalised_backward(delta: Array, normal: Array, scale: Array, axes: Axes) -> Array:
    """Return dL/dx, given delta = dL/dnormal.

    With n = (x − m) r, m the mean, r = (v + ε)^(−1/2) and N entries that share them:
    dm/dx[j] = 1/N, dr/dx[j] = −r² n[j]/N, so dn[i]/dx[j] = r ([i = j] − 1/N − n[i] n[j]/N) and

        dL/dx[j] = r (delta[j] − mean of delta − n[j] · mean of delta·n)
    """
    mean = delta.mean(axis=axes, keepdims=True)
    along = (delta * normal).mean(axis=axes, keepdims=True)
    dx: Array = scale * (delta - mean - normal * along)
    return dx


def count(shape: tuple[int, ...], axes: Axes) -> int:
    return math.prod(shape[axis] for axis in axes)
