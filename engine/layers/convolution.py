"""Two-dimensional convolution, as deep learning has it: the kernel is not mirrored."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from engine.layers.checks import Array, real, recalled, shaped, whole, wide
from engine.layers.derived import Derived
from engine.layers.sliding import Sizes, Sliding


class Conv2d(Derived):
    """f[o,k,l] = b[o] + sum of W[o,c,a,b] x[c, k·sh + a·dh − ph, l·sw + b·dw − pw] over c, a, b.

    `weight` W is (outputs, inputs / groups, kh, kw), x (..., inputs, H, W), zero in the padding.
    With groups, the outputs of a group see the inputs of their own group only.  f is linear in x,
    in W and in b; each product sends delta to one factor in proportion to the other:

        dL/dx[c,i,j]     = sum of delta[o,k,l] W[o,c,a,b] over all o and all (k,l), (a,b) with
                           k·sh + a·dh − ph = i and l·sw + b·dw − pw = j
        dL/dW[o,c,a,b]   = sum of delta[o,k,l] x[c, k·sh + a·dh − ph, l·sw + b·dw − pw]
                           over k, l and the batch
        dL/db[o]         = sum of delta[o,k,l] over k, l and the batch

    The sums run as one matrix product over the columns that the windows make of x.
    """

    def __init__(
        self,
        weight: ArrayLike,
        bias: ArrayLike | None = None,
        stride: int | Sizes = 1,
        padding: int | Sizes | tuple[Sizes, ...] = 0,
        dilation: int | Sizes = 1,
        groups: int = 1,
    ) -> None:
        """Take the parameters, and one number for both axes or a (rows, columns) pair.

        Padding may also be two (before, after) pairs.  Raises ValueError for what cannot be.
        """
        self.weight = real("weight", weight).copy()
        if self.weight.ndim != 4:
            raise ValueError(
                f"weight has the shape {self.weight.shape}: "
                "(outputs, inputs / groups, kh, kw) is allowed"
            )
        self.groups = whole("groups", groups, least=1)
        if self.weight.shape[0] % self.groups:
            raise ValueError(
                f"groups is {groups}: a divisor of the {self.weight.shape[0]} outputs is allowed"
            )
        self.bias: Array | None = None
        if bias is not None:
            given = real("bias", bias)
            self.bias = shaped("bias", given, self.weight.shape[:1], given.dtype).copy()
        kernel = (self.weight.shape[2], self.weight.shape[3])
        self.sliding = Sliding.of(kernel, stride, padding, dilation)
        self.messages: dict[str, Array] = {}
        self._last: Array | None = None

    def __repr__(self) -> str:
        outputs, inputs, kh, kw = self.weight.shape
        return f"Conv2d({inputs * self.groups} -> {outputs}, {kh}x{kw}, groups={self.groups})"

    @property
    def parameters(self) -> dict[str, Array]:
        named = {"weight": self.weight}
        return named if self.bias is None else {**named, "bias": self.bias}

    def forward(self, x: ArrayLike) -> Array:
        """Return f (..., outputs, Ho, Wo) for x (..., inputs, H, W)."""
        x = real("x", x, least_axes=3)
        inputs = self.weight.shape[1] * self.groups
        if x.shape[-3] != inputs:
            raise ValueError(f"x has the shape {x.shape}: {inputs} channels are allowed")
        windows = self.sliding.windows(x.shape[-2:])
        self._last = x.copy()
        f = self._kernels(wide(x).dtype) @ self._columns(x)
        f = f.reshape(*x.shape[:-3], self.weight.shape[0], *windows)
        if self.bias is not None:
            f = f + self.bias.astype(f.dtype)[:, None, None]
        return np.asarray(f, dtype=x.dtype)

    def backward(self, delta: ArrayLike) -> Array:
        """Return dL/dx (..., inputs, H, W) at the last x, and leave the parameters' `messages`."""
        x = recalled(self._last)
        kind = wide(x).dtype
        outputs = self.weight.shape[0]
        shape = (*x.shape[:-3], outputs, *self.sliding.windows(x.shape[-2:]))
        upstream = shaped("delta", delta, shape, kind)
        sent = upstream.reshape(-1, self.groups, outputs // self.groups, shape[-1] * shape[-2])
        weight = (sent @ self._columns(x).swapaxes(-1, -2)).sum(axis=0)
        self.messages = {"weight": weight.reshape(self.weight.shape).astype(self.weight.dtype)}
        if self.bias is not None:
            total = sent.sum(axis=(0, 3)).reshape(-1)
            self.messages["bias"] = total.astype(self.bias.dtype)
        columns = self._kernels(kind).swapaxes(-1, -2) @ sent
        return self._returned(columns, x.shape).astype(x.dtype, copy=False)

    def _kernels(self, kind: np.dtype) -> Array:
        """W as (groups, outputs of a group, columns)."""
        rows = self.weight.shape[0] // self.groups
        return self.weight.reshape(self.groups, rows, -1).astype(kind, copy=False)

    def _columns(self, x: Array) -> Array:
        """What the windows see of x: (N, groups, inputs of a group · kh · kw, Ho · Wo)."""
        padded = self.sliding.padded(wide(x), 0.0)
        padded = padded.reshape(-1, *padded.shape[-3:])
        cells = [padded[part] for _, part in self.sliding.parts(x.shape[-2:])]
        seen = np.stack(cells, axis=2)  # (N, inputs, kh·kw, Ho, Wo)
        return seen.reshape(len(seen), self.groups, -1, seen.shape[-2] * seen.shape[-1])

    def _returned(self, columns: Array, shape: tuple[int, ...]) -> Array:
        """Add up what the columns send back to each input: of x's shape."""
        sizes = shape[-2:]
        windows = self.sliding.windows(sizes)
        kernel = self.sliding.kernel
        cells = columns.reshape(len(columns), shape[-3], *kernel, *windows)
        padded = self.sliding.empty((len(columns), shape[-3]), sizes, columns.dtype)
        for (a, b), part in self.sliding.parts(sizes):
            padded[part] += cells[:, :, a, b]
        return self.sliding.cropped(padded, sizes).reshape(shape)
