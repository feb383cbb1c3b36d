"""Between a window's winning cell and the flat index, in the input plane, that PyTorch gives."""

from __future__ import annotations

from math import ceil, prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.windows import Laid, Mask, Numbers

#: Windows that are turned into indices at once.
CHUNK: Final = 2**12


def indices(cells: Numbers, laid: Laid) -> NDArray[np.int64]:
    """Return the flat index into the plane (H, W) of each window's winner, (N, Ho, Wo).

    A window that steps over the whole input has no winner: PyTorch names the first cell that is
    not before the input, whether or not there is an input by that number.
    """
    flat = np.empty(cells.shape, np.int64)
    rows, row = laid.counts[0], laid.stride[0] * laid.weights()[0]
    together = ceil(CHUNK / prod(laid.counts))
    band = min(rows, ceil(CHUNK / prod(laid.counts[1:])))
    steps, corners = laid.steps(), laid.corners(band)
    for first in range(0, len(cells), together):
        for top in range(0, rows, band):
            part = (slice(first, first + together), slice(top, top + band))
            here = flat[part]
            np.add(np.take(steps, cells[part]), corners[: here.shape[1]], out=here)
            here += top * row
    if (hollow := laid.hollow) is not None:
        flat[:, hollow] = laid.entrances()[hollow]
    return flat


def cells_at(flat: Numbers, laid: Laid) -> Numbers:
    """Return which cell of its window each flat index (N, Ho, Wo) is; 0 in hollow windows.

    Raises ValueError where an index does not lie in its window.
    """
    hollow = laid.hollow
    places = [start.reshape(-1) for start in np.ix_(*map(laid.starts, range(len(laid.size))))]
    grids = [grid.reshape(-1) for grid in np.meshgrid(*places, indexing="ij")]
    known = flat.reshape(len(flat), -1)
    cells, inside = cells_in(known, grids, laid)
    if hollow is not None:
        inside |= hollow.reshape(-1)
    if not inside.all():
        raise refusal(known, inside, laid)
    return np.where(inside, cells, 0).reshape(flat.shape)


def cells_in(
    flat: Numbers, starts: list[NDArray[np.intp]], laid: Laid
) -> tuple[NDArray[np.intp], Mask]:
    """Return of flat indices (N, M) which cell each is of its window, and whether it is one.

    Along each axis the M windows start at `starts` (M,).
    """
    inputs = laid.size[0] * laid.weights()[0]
    inside: Mask = (flat >= 0) & (flat < inputs)
    rest, cells = np.where(inside, flat, 0).astype(np.intp), np.zeros(flat.shape, np.intp)
    for axis, weight in enumerate(laid.weights()):
        at, rest = np.divmod(rest, weight)
        a, between = np.divmod(at - starts[axis], laid.dilation[axis])
        inside &= (between == 0) & (a >= 0) & (a < laid.kernel[axis])
        cells = cells * laid.kernel[axis] + a
    return cells, inside


def refusal(flat: Numbers, inside: Mask, laid: Laid) -> ValueError:
    """What is wrong with the first index that is not inside its window."""
    wrong, inputs = flat[~inside], laid.size[0] * laid.weights()[0]
    outside = wrong[(wrong < 0) | (wrong >= inputs)]
    if outside.size:
        return ValueError(f"indices holds {outside[0]}: 0 to {inputs - 1} is allowed")
    return ValueError(
        f"indices holds {wrong[0]} for a window without it: "
        "what max_pool returned for the same arguments is allowed"
    )
