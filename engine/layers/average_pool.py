"""Average pooling over windows, of one to any number of axes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from engine.layers.checks import Array, each, flag, real, recalled, shaped, wide
from engine.layers.derived import Derived
from engine.layers.normalise import lowered_for_sum
from engine.layers.sliding import Sizes, Sliding


class AveragePool(Derived):
    """f[k,l] = mean of x[i,j] over (i,j) in Omega(k,l).

    The mean is linear: df[k,l]/dx[i,j] = 1/n[k,l] for the n[k,l] inputs of the window, so

        dL/dx[i,j] = sum of delta[k,l] / n[k,l] over the windows (k,l) that hold (i,j)

    n counts the padding as well, which holds zeros (`count_padding=False`: the inputs alone).
    """

    def __init__(
        self,
        kernel: int | Sizes,
        stride: int | Sizes | None = None,
        padding: int | Sizes | tuple[Sizes, ...] = 0,
        dilation: int | Sizes = 1,
        ceil_mode: bool = False,
        count_padding: bool = True,
    ) -> None:
        """Take a number for the last two axes, or a tuple with one for each axis that is pooled.

        The stride defaults to the kernel; a padding may be a (before, after) pair an axis.
        Raises ValueError for what cannot be, and for a padding as large as the window.
        """
        axes = np.size(kernel) if isinstance(kernel, (tuple, list, np.ndarray)) else 2
        sides = each("kernel", kernel, axes, least=1)
        self.sliding = Sliding.of(sides, stride, padding, dilation, ceil_mode)
        self.count_padding = flag("count_padding", count_padding)
        margins = zip(self.sliding.before, self.sliding.after, self.sliding.span, strict=True)
        if any(max(b, a) >= span for b, a, span in margins):
            raise ValueError(f"padding is {padding!r}: less than the window is allowed")
        self._last: tuple[Sizes, np.dtype] | None = None

    def __repr__(self) -> str:
        s = self.sliding
        return f"AveragePool({s.kernel}, {s.stride}, padding={s.before}, dilation={s.dilation})"

    def forward(self, x: ArrayLike) -> Array:
        """Return f, one value a window along each of the last axes."""
        x = real("x", x, least_axes=len(self.sliding.kernel))
        sizes = x.shape[-len(self.sliding.kernel) :]
        lowered, exponent = lowered_for_sum(wide(x), math.prod(self.sliding.kernel))
        padded = self.sliding.padded(lowered, 0.0)
        f = _total(padded, self.sliding, sizes) / self._counts(sizes, padded.dtype)
        self._last = (x.shape, x.dtype)
        return np.ldexp(f, exponent).astype(x.dtype, copy=False)

    def backward(self, delta: ArrayLike) -> Array:
        """Return dL/dx at the last x, which matters by its shape alone."""
        shape, dtype = recalled(self._last)
        axes = len(self.sliding.kernel)
        lead, sizes = shape[:-axes], shape[-axes:]
        kind = wide(np.empty(0, dtype)).dtype
        upstream = shaped("delta", delta, (*lead, *self.sliding.windows(sizes)), kind)
        shares = upstream / self._counts(sizes, kind)
        padded = self.sliding.empty(lead, sizes, kind)
        for _, part in self.sliding.parts(sizes):
            padded[part] += shares
        return self.sliding.cropped(padded, sizes).astype(dtype)

    def _counts(self, sizes: Sizes, dtype: np.dtype) -> Array:
        """By how many inputs each window is divided."""
        sides = zip(sizes, self.sliding.before, self.sliding.after, strict=True)
        counted = np.zeros(self.sliding.ends(sizes), dtype)
        if self.count_padding:
            counted[tuple(slice(0, b + n + a) for n, b, a in sides)] = 1
        else:
            counted[tuple(slice(b, b + n) for n, b, _ in sides)] = 1
        # A dilated window may meet nothing but padding: its mean is 0, not 0/0.
        return np.maximum(_total(counted, self.sliding, sizes), 1)


def _total(padded: Array, sliding: Sliding, sizes: Sizes) -> Array:
    """The sum of each window."""
    parts = [padded[part] for _, part in sliding.parts(sizes)]
    total = parts[0].copy()
    for part in parts[1:]:
        total += part
    return total
