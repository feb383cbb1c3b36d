"""Axed arrays of any number of dimensions: reading cells, laying out, folding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.formula.axes import Array, Axed, Axes

#: The axis of the trials, and that of the inputs' entries by which is differentiated.
BATCH = 0
DIRECTION = 1


def cells(axes: Axes, array: Array, lead: tuple[int, ...], at: Sequence[Axed], hole: float) -> Axed:
    """Return array[lead..., at...], and `hole` where the place does not exist.

    `lead` are the axes of the first dimensions of `array`; each of `at` indexes one more.
    """
    sizes = array.shape[len(lead) :]
    counted = [axes.counts(index, size) for index, size in zip(at, sizes, strict=True)]
    known = [axis for axis in counted if axis is not None]
    if len(known) == len(counted) == len(set(known)):
        order = (*lead, *known)
        ranks = sorted(range(len(order)), key=order.__getitem__)
        return Axed(array.transpose(ranks), tuple(order[rank] for rank in ranks))
    leads = [Axed(np.arange(axes.sizes[axis]), (axis,)) for axis in lead]
    places, union = axes.aligned(*leads, *at)
    exists = np.asarray(True)
    picks = list(places[: len(lead)])
    for place, size in zip(places[len(lead) :], sizes, strict=True):
        fits = (place >= 0) & (place < size) & (place == np.floor(place))
        exists = exists & fits
        picks.append(np.where(fits, place, 0).astype(np.intp))
    return Axed(np.where(exists, array[tuple(picks)], hole), union)


def flattened(axes: Axes, value: Axed, running: tuple[int, ...]) -> tuple[Array, tuple[int, ...]]:
    """`value` with the `running` axes as one, last: its data, and the axes before that one."""
    full = axes.full(value, running)
    axes.spent += full.data.size
    kept = tuple(axis for axis in full.axes if axis not in running)
    order = [full.axes.index(axis) for axis in (*kept, *running)]
    shape = tuple(axes.sizes[axis] for axis in kept)
    return full.data.transpose(order).reshape(*shape, -1), kept


def picked(axes: Axes, data: Array, kept: tuple[int, ...], choice: Axed) -> Axed:
    """data[..., choice] for data over `kept` and one last axis; the union of both's axes."""
    union = tuple(sorted({*kept, *choice.axes}))
    wide = axes.full(Axed(np.zeros([axes.sizes[a] for a in kept]), kept), union)
    shape = [axes.sizes[a] if a in kept else 1 for a in union]
    laid = np.broadcast_to(data.reshape(*shape, data.shape[-1]), (*wide.data.shape, data.shape[-1]))
    index = axes.full(choice, union).data.astype(np.intp)
    return Axed(np.take_along_axis(laid, index[..., None], -1)[..., 0], union)


def widened(partial: Axed, union: tuple[int, ...], shape: tuple[int, ...]) -> Axed:
    """A partial over some broadcast of the union's axes, over all of them."""
    return Axed(np.broadcast_to(partial.data, shape), union) if partial.axes else partial


def either(alike: Axed, usual: Axed) -> Axed:
    """Alternatives 0 and 1: the usual one, and where `alike` both."""
    options = np.stack([usual.data == 0, usual.data == 1], axis=-1)
    return Axed(options | alike.data[..., None], usual.axes)
