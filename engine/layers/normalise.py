"""Subtract the mean and divide by the deviation, over some axes: what both normalisations share."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.layers.checks import Array

Axes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Normalised:
    """x with the mean 0 and the variance 1; the rest keep the axes normalised as 1."""

    normal: Array
    """(x − mean)/√(variance + ε), of x's shape"""
    mean: Array
    variance: Array
    """The mean square of x − mean; infinite where it lies beyond the range of the type."""
    scale: Array
    """1/√(variance + ε)"""


def normalised(x: Array, axes: Axes, epsilon: float) -> Normalised:
    """Normalise x over some axes.

    Sums and squares are taken of x in units of a power of two that is about the largest entry, and
    then of the largest deviation, so that neither overflows and nothing else is rounded anew.
    """
    # An infinite x leaves NaN, as it must, and so does one value alone with ε = 0.
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        unit = _exponent(np.abs(x).max(axis=axes, keepdims=True))
        lowered = np.ldexp(x, -unit)
        mean = lowered.mean(axis=axes, keepdims=True)
        # Deviations first: the mean of squares less the square of the mean cancels.
        off = lowered - mean
        small = np.ldexp(x.dtype.type(math.sqrt(epsilon)), -unit)
        finer = _exponent(np.maximum(np.abs(off).max(axis=axes, keepdims=True), small))
        off = np.ldexp(off, -finer)
        square = (off * off).mean(axis=axes, keepdims=True)
        root = np.sqrt(square + np.ldexp(small, -finer) ** 2)
        return Normalised(
            off / root,
            np.ldexp(mean, unit),
            np.ldexp(square, 2 * (unit + finer)),
            np.ldexp(1 / root, -unit - finer),
        )


def _exponent(largest: Array) -> Array:
    """The e with largest = m · 2^e for an m from 1/2 to 1; 0 of what is not finite."""
    return np.where(np.isfinite(largest), np.frexp(largest)[1], 0)


def lowered_for_sum(x: Array, count: int) -> tuple[Array, int]:
    """Return x over 2^e, and e: 0, unless a sum of so many entries of x could overflow."""
    most = float(np.finfo(x.dtype).max) / count
    if not (np.abs(x) > most).any():
        return x, 0
    exponent = math.ceil(math.log2(count))
    return np.ldexp(x, -exponent), exponent


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
