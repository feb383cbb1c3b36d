"""Between a window's winning cell and the flat index, in the input plane, that PyTorch gives."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.windows import Laid, Numbers


def indices(cells: Numbers, laid: Laid) -> NDArray[np.int64]:
    """Return the flat index into the plane (H, W) of each window's winner, (N, Ho, Wo)."""
    flat = np.take(laid.steps(), cells)
    flat += laid.corners()
    return flat.astype(np.int64, copy=False)


def cells_at(flat: NDArray[np.intp], laid: Laid) -> Numbers:
    """Return which cell of its window each flat index (N, Ho, Wo) is.

    Raises ValueError where an index does not lie in its window.
    """
    cells = np.zeros(flat.shape, np.intp)
    inside = np.ones(flat.shape, np.bool_)
    for axis, at in enumerate(np.unravel_index(flat, laid.size)):
        k, s, d = laid.kernel[axis], laid.stride[axis], laid.dilation[axis]
        starts = np.arange(laid.counts[axis]) * s + laid.origin[axis]
        ahead = at - starts.reshape(-1, *[1] * (len(laid.counts) - axis - 1))
        a, between = np.divmod(ahead, d)
        inside &= (between == 0) & (a >= 0) & (a < k)
        cells = cells * k + a
    if not inside.all():
        raise ValueError(
            f"indices holds {flat[~inside][0]} for a window without it: "
            "what max_pool returned for the same arguments is allowed"
        )
    return cells
