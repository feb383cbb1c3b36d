"""Batch normalisation: each channel over the batch, or by what it was in training."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from engine.layers.checks import (
    Array,
    axis_number,
    axis_of,
    between,
    flag,
    real,
    recalled,
    shaped,
    wide,
)
from engine.layers.derived import Derived
from engine.layers.normalise import count, normalised, normalised_backward


class BatchNorm(Derived):
    """f = w · n + b with n = (x − m)/√(v + ε), one w, b, m and v a channel (Ioffe, Szegedy 2015).

    In training m and v are the mean and the variance of x itself over all axes but the channel's;
    both depend on x, see `normalised_backward` for what that adds to the message:

        dL/dx = w r (delta − mean of delta − n · mean of delta·n),   r = 1/√(v + ε)

    In inference m and v are the running ones, which are fixed, so dL/dx = w r delta.  In both

        dL/dw = sum of delta · n,   dL/db = sum of delta,   over all but the channels
    """

    def __init__(
        self,
        weight: ArrayLike,
        bias: ArrayLike,
        running_mean: ArrayLike | None = None,
        running_variance: ArrayLike | None = None,
        *,
        training: bool = True,
        epsilon: float = 1e-5,
        momentum: float = 0.1,
        unbiased: bool = True,
        axis: int = 1,
    ) -> None:
        """Take one number a channel for each; the running ones start at 0 and 1.

        In training, running = (1 − momentum) · running + momentum · batch, where the variance of
        the batch is divided by N − 1 if `unbiased` (as PyTorch), else by N (as ONNX).
        """
        self.weight = real("weight", weight).copy()
        if self.weight.ndim != 1:
            raise ValueError(f"weight has the shape {self.weight.shape}: (channels,) is allowed")
        shape, kind = self.weight.shape, self.weight.dtype
        self.bias = shaped("bias", bias, shape, kind).copy()
        mean = np.zeros(shape) if running_mean is None else running_mean
        variance = np.ones(shape) if running_variance is None else running_variance
        self.running_mean = shaped("running_mean", mean, shape, kind).copy()
        self.running_variance = shaped("running_variance", variance, shape, kind).copy()
        if (self.running_variance < 0).any():
            raise ValueError(
                f"running_variance holds {self.running_variance.min()}: at least 0 is allowed"
            )
        self.training = flag("training", training)
        self.epsilon = between("epsilon", epsilon, 0, np.inf, "[)")
        self.momentum = between("momentum", momentum, 0, 1)
        self.unbiased = flag("unbiased", unbiased)
        self.axis = axis_number("axis", axis)
        self.messages: dict[str, Array] = {}
        self._last: tuple[Array, Array, bool, np.dtype] | None = None

    def __repr__(self) -> str:
        return f"BatchNorm({len(self.weight)} channels, training={self.training})"

    @property
    def parameters(self) -> dict[str, Array]:
        return {"weight": self.weight, "bias": self.bias}

    def forward(self, x: ArrayLike) -> Array:
        """Return f, of x's shape; in training also move the running mean and variance."""
        x = real("x", x, least_axes=2)
        axis = axis_of("axis", self.axis, x)
        if x.shape[axis] != len(self.weight):
            raise ValueError(
                f"x has the shape {x.shape}: {len(self.weight)} channels along the axis {axis} "
                "are allowed"
            )
        normal, scale = self._trained(wide(x)) if self.training else self._fixed(wide(x))
        self._last = (normal, scale, self.training, x.dtype)
        f = normal * self._along(self.weight, x) + self._along(self.bias, x)
        return np.asarray(f, dtype=x.dtype)

    def backward(self, delta: ArrayLike) -> Array:
        """Return dL/dx at the last x, and leave the parameters' `messages`."""
        normal, scale, training, dtype = recalled(self._last)
        upstream = shaped("delta", delta, normal.shape, normal.dtype)
        axes = self._others(normal)
        self.messages = {
            "weight": (upstream * normal).sum(axis=axes).astype(self.weight.dtype),
            "bias": upstream.sum(axis=axes).astype(self.bias.dtype),
        }
        sent = upstream * self._along(self.weight, normal)
        dx = normalised_backward(sent, normal, scale, axes) if training else sent * scale
        return dx.astype(dtype, copy=False)

    def _trained(self, x: Array) -> tuple[Array, Array]:
        axes = self._others(x)
        number = count(x.shape, axes)
        if number < 1 + self.unbiased:
            raise ValueError(
                f"x has the shape {x.shape}: at least {1 + self.unbiased} entries a channel are "
                "allowed in training"
            )
        now = normalised(x, axes, self.epsilon)
        variance = now.variance.reshape(-1) * (number / (number - self.unbiased))
        self._move(self.running_mean, now.mean.reshape(-1))
        self._move(self.running_variance, variance)
        return now.normal, now.scale

    def _move(self, running: Array, seen: Array) -> None:
        # Of entries beyond the root of the type's range the variance is infinite.
        with np.errstate(over="ignore", invalid="ignore"):
            running *= 1 - self.momentum
            if self.momentum:
                running += (self.momentum * seen).astype(running.dtype)

    def _fixed(self, x: Array) -> tuple[Array, Array]:
        scale = 1 / np.sqrt(self._along(self.running_variance, x) + self.epsilon)
        scale = scale.astype(x.dtype, copy=False)
        return (x - self._along(self.running_mean, x)) * scale, scale

    def _others(self, x: Array) -> tuple[int, ...]:
        """All axes but the channel's."""
        return tuple(n for n in range(x.ndim) if n != self.axis % x.ndim)

    def _along(self, channels: Array, x: Array) -> Array:
        """One number a channel, laid along the axis of the channels."""
        shape = [1] * x.ndim
        shape[self.axis] = -1
        return channels.reshape(shape).astype(wide(x).dtype, copy=False)
