"""Indices that a caller brings along: whether each lies in its window, told in a few passes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.pooling.places import cells_in, refusal
from engine.pooling.workspace import Workspace
from engine.windows import Laid, Mask, Numbers


class Known:
    """The check of indices for windows that lie in one way.

    A window that lies inside the input altogether has its cells at fixed steps behind its corner,
    so that one look-up tells.  Of a window that is padded some of those are other rows' inputs, or
    other planes': it is looked at axis by axis.
    """

    def __init__(self, laid: Laid, band: int) -> None:
        """Prepare for windows of at most so many rows at once."""
        self._laid = laid
        steps = laid.steps()
        # One place more at either end, where whatever lies outside is clipped to.
        self._cells = np.zeros(int(steps.max()) + 3, np.bool_)
        self._cells[steps + 1] = True
        self._row = laid.stride[0] * laid.weights()[0]
        self._before = laid.corners(band) - 1
        self._padded = [_padded(laid, axis) for axis in range(len(laid.size))]

    def check(self, flat: NDArray[np.intp], given: Numbers, rows: slice, work: Workspace) -> None:
        """Raise ValueError where one of flat (N, rows, Wo), from `given`, is not in its window."""
        ahead = work.array("ahead", flat.shape, np.intp)
        inside = work.array("inside", flat.shape, np.bool_)
        np.subtract(flat, self._before[: flat.shape[1]], out=ahead)
        if rows.start:
            np.subtract(ahead, rows.start * self._row, out=ahead)
        np.take(self._cells, ahead, out=inside, mode="clip")
        if not inside.all() or not self._padded_inside(flat, rows):
            everywhere = [np.ones(n, np.bool_) for n in flat.shape[1:]]
            known = given.reshape(len(given), -1)
            grids = self._grids(_either(everywhere), rows.start)
            raise refusal(known, cells_in(known, grids, self._laid)[1], self._laid)

    def _padded_inside(self, flat: NDArray[np.intp], rows: slice) -> bool:
        each = [self._padded[0][rows], *self._padded[1:]]
        if not any(padded.any() for padded in each):
            return True
        padded = _either(each)
        some = np.flatnonzero(padded)
        at = np.take(flat.reshape(len(flat), -1), some, axis=1)
        return bool(cells_in(at, self._grids(padded, rows.start), self._laid)[1].all())

    def _grids(self, chosen: Mask, top: int) -> list[NDArray[np.intp]]:
        """Where along each axis the chosen windows start; their first row is row `top`."""
        places = list(np.nonzero(chosen))
        places[0] = places[0] + top
        return [self._laid.starts(axis)[place] for axis, place in enumerate(places)]


def _padded(laid: Laid, axis: int) -> Mask:
    """Which windows reach outside the input along an axis."""
    starts = laid.starts(axis)
    ends = starts + (laid.kernel[axis] - 1) * laid.dilation[axis]
    padded: Mask = (starts < 0) | (ends >= laid.size[axis])
    return padded


def _either(each: list[Mask]) -> Mask:
    """Which combinations of places along the axes are chosen by any of them."""
    chosen = np.zeros([len(places) for places in each], np.bool_)
    for axis, places in enumerate(each):
        chosen |= places.reshape(-1, *[1] * (len(each) - axis - 1))
    return chosen
