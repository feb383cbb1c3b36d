"""Layer normalisation: each input by its own mean and variance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from engine.layers.checks import Array, between, real, recalled, shaped, summed_to, wide
from engine.layers.derived import Derived
from engine.layers.normalise import normalised, normalised_backward


class LayerNorm(Derived):
    """f = w · n + b with n = (x − m)/√(v + ε), m and v over the last axes of x (Ba et al. 2016).

    `weight` w has the shape of the axes that are normalised, and so has `bias` b (0 if absent).
    m and v depend on every entry, see `normalised_backward`; with r = 1/√(v + ε) and g = delta·w

        dL/dx = r (g − mean of g − n · mean of g·n)       means over the axes normalised
        dL/dw = sum of delta · n,   dL/db = sum of delta   over the batch

    No batch is involved, so training and inference are the same.
    """

    def __init__(
        self, weight: ArrayLike, bias: ArrayLike | None = None, epsilon: float = 1e-5
    ) -> None:
        self.weight = real("weight", weight, least_axes=1).copy()
        self.bias: Array | None = None
        if bias is not None:
            given = real("bias", bias)
            self.bias = shaped("bias", given, self.weight.shape, given.dtype).copy()
        self.epsilon = between("epsilon", epsilon, 0, np.inf, "[)")
        self.messages: dict[str, Array] = {}
        self._last: tuple[Array, Array, Array, np.dtype] | None = None

    def __repr__(self) -> str:
        return f"LayerNorm(over {self.weight.shape})"

    @property
    def parameters(self) -> dict[str, Array]:
        named = {"weight": self.weight}
        return named if self.bias is None else {**named, "bias": self.bias}

    @property
    def mean(self) -> Array:
        """m of the last forward, with the axes normalised kept as 1."""
        return recalled(self._last)[1]

    @property
    def inverse_deviation(self) -> Array:
        """1/√(v + ε) of the last forward, with the axes normalised kept as 1."""
        return recalled(self._last)[2]

    def forward(self, x: ArrayLike) -> Array:
        """Return f, of x's shape (..., *weight.shape)."""
        x = real("x", x, least_axes=self.weight.ndim)
        if x.shape[-self.weight.ndim :] != self.weight.shape:
            raise ValueError(
                f"x has the shape {x.shape}: one that ends in {self.weight.shape} is allowed"
            )
        now = normalised(wide(x), self._axes, self.epsilon)
        normal = now.normal
        self._last = (normal, now.mean, now.scale, x.dtype)
        f = normal * self.weight.astype(normal.dtype, copy=False)
        if self.bias is not None:
            f = f + self.bias.astype(normal.dtype, copy=False)
        return np.asarray(f, dtype=x.dtype)

    def backward(self, delta: ArrayLike) -> Array:
        """Return dL/dx at the last x, and leave the parameters' `messages`."""
        normal, _, scale, dtype = recalled(self._last)
        upstream = shaped("delta", delta, normal.shape, normal.dtype)
        weight = summed_to(upstream * normal, self.weight.shape)
        self.messages = {"weight": weight.astype(self.weight.dtype)}
        if self.bias is not None:
            bias = summed_to(upstream, self.weight.shape)
            self.messages["bias"] = bias.astype(self.bias.dtype)
        sent = upstream * self.weight.astype(normal.dtype, copy=False)
        dx = normalised_backward(sent, normal, scale, self._axes)
        return dx.astype(dtype, copy=False)

    @property
    def _axes(self) -> tuple[int, ...]:
        return tuple(range(-self.weight.ndim, 0))
