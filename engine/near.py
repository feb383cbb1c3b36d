"""How near a wrong answer is: which entries are off, and on how many of the inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
#: From this share on, entries and inputs count as all of them.
_NEARLY_ALL: Final = 0.9
#: A condition is no reason where a smaller share of the inputs that meet it fails,
_FAIR: Final = 0.05
#: nor where all failures would meet it by chance so often.
_CHANCE: Final = 1e-4
#: So many entries outside of a place must be right before the place is named.
_EVIDENCE: Final = 20


def separates(met: Mask, failed: Mask) -> bool:
    """Whether a condition on some inputs (N,) tells those that failed, and hardly by chance."""
    failures = int(failed.sum())
    return bool(
        met[failed].all() and failures >= _FAIR * met.sum() and met.mean() ** failures <= _CHANCE
    )


@dataclass(frozen=True, slots=True)
class Entries:
    """The entries of one batch of inputs that can be judged."""

    off: Mask
    """(B, ...): where the answer differs."""
    known: Mask
    """(B, ...): where it can be said."""
    letters: tuple[str, ...]
    """The index of each dimension behind the first."""
    places: Mapping[str, Mask] = field(default_factory=dict)
    """Regions by their names, each of a shape that broadcasts to that of `off`."""


def nearness(batches: Sequence[Entries], fresh: Sequence[Entries] = ()) -> str | None:
    """Say which entries of which inputs are off; None where nearly all are.

    What is said of places must hold on the `fresh` inputs, too; how often, is said of the others.
    """
    inputs = sum(int(_rows(one.known).sum()) for one in batches)
    failing = sum(int(_rows(one.off & one.known).sum()) for one in batches)
    if not failing:
        return None
    every = (*batches, *fresh)
    where = next(_regions(every), "") or _count(every)
    often = f"{failing} of {inputs} inputs" if failing < _NEARLY_ALL * inputs else ""
    if where and often:
        return f"{where}, on {often}"
    return where or (f"on {often}" if often else None)


def _rows(mask: Mask) -> Mask:
    return np.asarray(mask.reshape(len(mask), -1).any(axis=1))


def _regions(batches: Sequence[Entries]) -> Iterator[str]:
    """The first region that holds every entry that is off, and not every one that is right."""
    regions = [dict(_named(one)) for one in batches]
    # What is right elsewhere tells only on inputs that fail.
    rows = [_rows(one.off & one.known) for one in batches]
    failing = sum(int(one.sum()) for one in rows)
    for name in dict.fromkeys(chain.from_iterable(regions)):
        inside = outside = 0
        for one, named, here in zip(batches, regions, rows, strict=True):
            region = named.get(name)
            wide = np.broadcast_to(False if region is None else region, one.off.shape)
            if (one.off & one.known & ~wide).any():
                break
            inside += int((one.known & wide)[here].sum())
            outside += int((one.known & ~wide)[here].sum())
        else:
            by_chance = (inside / max(1, inside + outside)) ** failing
            if outside >= _EVIDENCE and by_chance <= _CHANCE:
                yield f"only {name}"


def _named(one: Entries) -> Iterator[tuple[str, Mask]]:
    shape = one.off.shape[1:]
    grids = np.indices(shape)
    yield from _diagonals(one, grids)
    yield from one.places.items()
    sides = list(zip(one.letters, grids, shape, strict=True))
    for letter, grid, size in sides:
        yield f"the first {letter}", np.asarray(grid == 0)
        yield f"the last {letter}", np.asarray(grid == size - 1)
    for letter, grid, size in sides:
        ends = np.asarray((grid == 0) | (grid == size - 1))
        yield f"all but the first {letter}", np.asarray(grid > 0)
        yield f"all but the last {letter}", np.asarray(grid < size - 1)
        yield f"the border in {letter}", ends
    if len(shape) > 1:
        sizes = zip(grids, shape, strict=True)
        border = np.any([(g == 0) | (g == n - 1) for g, n in sizes], axis=0)
        yield "the border", border
        yield "the inside", np.asarray(~border)


def _diagonals(one: Entries, grids: NDArray[np.intp]) -> Iterator[tuple[str, Mask]]:
    for first in range(len(grids)):
        for second in range(first + 1, len(grids)):
            equal = np.asarray(grids[first] == grids[second])
            if len(grids) == 2:
                yield "the diagonal", equal
                yield "what is off the diagonal", np.asarray(~equal)
            else:
                letters = f"{one.letters[first]} = {one.letters[second]}"
                yield letters, equal


def _count(batches: Sequence[Entries]) -> str:
    """3 of 6 entries: the most that are off at once, where that is the same for all sizes."""
    wrong = [(one.off & one.known).reshape(len(one.off), -1) for one in batches]
    total = max(wrong, key=lambda each: int(_rows(each).sum())).shape[1]
    most, *others = {int(each.sum(axis=1).max(initial=0)) for each in wrong if each.any()}
    if others or total < 2 or most > _NEARLY_ALL * total:
        return ""
    return f"{'at most ' if most > 1 else ''}{most} of {total} entries"
