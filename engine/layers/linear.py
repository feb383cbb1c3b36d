"""A linear map with a bias: every output sums all inputs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from engine.layers.checks import Array, real, recalled, shaped, wide
from engine.layers.derived import Derived


class Linear(Derived):
    """f[k] = sum of W[k,j] x[j] over j, plus b[k].

    `weight` W is (outputs, inputs), `bias` b is (outputs,) or absent.  Each f[k] is linear in x, in
    W and in b, so the slopes are df[k]/dx[j] = W[k,j], df[k]/dW[k,j] = x[j], df[k]/db[k] = 1:

        dL/dx[j]   = sum of delta[k] W[k,j] over k           (delta W)
        dL/dW[k,j] = delta[k] x[j], summed over the batch    (deltaᵀ x)
        dL/db[k]   = delta[k], summed over the batch
    """

    def __init__(self, weight: ArrayLike, bias: ArrayLike | None = None) -> None:
        """Take the parameters; raises ValueError where their shapes do not fit."""
        self.weight = real("weight", weight).copy()
        if self.weight.ndim != 2:
            raise ValueError(
                f"weight has the shape {self.weight.shape}: (outputs, inputs) is allowed"
            )
        self.bias: Array | None = None
        if bias is not None:
            given = real("bias", bias)
            self.bias = shaped("bias", given, self.weight.shape[:1], given.dtype).copy()
        self.messages: dict[str, Array] = {}
        self._last: Array | None = None

    def __repr__(self) -> str:
        return f"Linear({self.weight.shape[1]} -> {self.weight.shape[0]})"

    @property
    def parameters(self) -> dict[str, Array]:
        named = {"weight": self.weight}
        return named if self.bias is None else {**named, "bias": self.bias}

    def forward(self, x: ArrayLike) -> Array:
        """Return f (..., outputs) for x (..., inputs)."""
        x = real("x", x, least_axes=1)
        if x.shape[-1] != self.weight.shape[1]:
            raise ValueError(
                f"x has the shape {x.shape}: {self.weight.shape[1]} along the last axis is allowed"
            )
        self._last = x.copy()
        f = wide(x) @ self.weight.T.astype(wide(x).dtype)
        if self.bias is not None:
            f = f + self.bias.astype(f.dtype)
        return np.asarray(f, dtype=x.dtype)

    def backward(self, delta: ArrayLike) -> Array:
        """Return dL/dx (..., inputs) at the last x, and leave the parameters' `messages`."""
        x = recalled(self._last)
        kind = wide(x).dtype
        upstream = shaped("delta", delta, x.shape[:-1] + self.weight.shape[:1], kind)
        sent = upstream.reshape(-1, self.weight.shape[0])
        seen = x.reshape(-1, self.weight.shape[1]).astype(kind, copy=False)
        self.messages = {"weight": (sent.T @ seen).astype(self.weight.dtype)}
        if self.bias is not None:
            self.messages["bias"] = sent.sum(axis=0).astype(self.bias.dtype)
        dx: Array = upstream @ self.weight.astype(kind)
        return dx.astype(x.dtype, copy=False)
