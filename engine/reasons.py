"""Why an answer fails: which of its entries are off, and what its failing inputs share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import Any, Final, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

# -- How near a wrong answer is: which entries are off, and on how many of the inputs.


#: From this share on, entries and inputs count as all of them.
_NEARLY_ALL: Final = 0.9
#: By chance a region, or a condition, may hold all that fails so often: then it is not named.
_CHANCE: Final = 1e-4
#: So many entries outside of a place must be right before the place is named.
_EVIDENCE: Final = 20


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
    where = _region(every) or _count(every)
    often = f"{failing} of {inputs} inputs" if failing < _NEARLY_ALL * inputs else ""
    if where and often:
        return f"{where}, on {often}"
    return where or (f"on {often}" if often else None)


def _rows(mask: Mask) -> Mask:
    return np.asarray(mask.reshape(len(mask), -1).any(axis=1))


def _region(batches: Sequence[Entries]) -> str:
    """The smallest region that holds every entry that is off, and not every one that is right."""
    shares = dict(_shares(batches))
    if not shares:
        return ""
    smallest = min(shares, key=lambda name: shares[name])  # the first of several
    return smallest if smallest.startswith("all but") else f"only {smallest}"


def _shares(batches: Sequence[Entries]) -> Iterator[tuple[str, float]]:
    """Every region that holds all entries that are off, with its share of the entries."""
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
            share = inside / max(1, inside + outside)
            if outside >= _EVIDENCE and share**failing <= _CHANCE:
                yield name, share


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


# -- Wrong only when: the conditions that all failing inputs share, and that do matter.
#
# A condition that failing inputs happen to share is not yet their reason.  So it is also taken
# away, where that can be done: the same inputs with windows moved apart, with ties broken, with no
# number below 0.  Only where the answer is then right is the condition named.


B = TypeVar("B")


class Tried(Protocol):
    """A batch with how an answer does on it."""

    @property
    def batch(self) -> Any: ...
    @property
    def valid(self) -> Mask:
        """(B,): whether the answer is right, by any valid subgradient at ties and kinks."""

    @property
    def left_out_mask(self) -> Mask:
        """(B,): where nothing says what would be right; these count as valid."""


@dataclass(frozen=True, slots=True)
class Condition(Generic[B]):
    name: str
    met: Callable[[B], Mask]
    """(B,): on which inputs of a batch it holds."""
    apart: Callable[[B], Iterable[B]] | None = None
    """Inputs much like those of a batch on which it does not hold; None where none can be made."""


@dataclass(frozen=True, slots=True)
class Conditions(Generic[B]):
    """What may be said of all failing inputs of one forward message."""

    ways: Sequence[Sequence[Condition[B]]]
    """In the order in which they are named; of those in one row only the first that tells."""
    joined: Sequence[Condition[B]] = ()
    """Those that may be named together, where none tells alone."""


#: A condition is no reason where a smaller share of the inputs that meet it fails,
_FAIR: Final = 0.05
#: nor where fewer inputs do not meet it; of several that are named together, than these.
_WITHOUT: Final = 20
_WITHOUT_ANY: Final = 40
#: So many of the batches that fail by one of several alone are tried without it.
_TRIED: Final = 4
#: No more conditions are named than these.
_NAMED: Final = 3


def shared_by(
    conditions: Conditions[B],
    seen: Sequence[Tried],
    fresh: Sequence[Tried],
    judged: Callable[[Iterable[B]], Iterable[Tried]],
) -> tuple[str, ...]:
    """Return the conditions without which an answer is right, as far as it was tried.

    A condition is named if all failing inputs meet it, of the `fresh` ones too, enough others do
    not, and the failing batches of those `seen` pass without it.  Each must tell where those before
    it hold.  Where there is none, several are named as one, "windows overlap, or there is padding",
    if each failing input meets one of them.
    """
    failing = [one.batch for one in seen if not one.valid.all()]
    if not failing:
        return ()
    every = (*seen, *fresh)
    failed = ~np.concatenate([one.valid for one in every])
    known = ~np.concatenate([one.left_out_mask for one in every])
    found: list[str] = []
    for ways in conditions.ways:
        for one in ways:
            holds = _met(one, every)
            if (
                (known & ~holds).sum() >= _WITHOUT
                and _separates(holds[known], failed[known])
                and (one.apart is None or _mends(one, (one,), failing, judged))
            ):
                found.append(one.name)
                known &= holds
                break
    return tuple(found[:_NAMED]) or _together(conditions.joined, every, failed, judged)


def _separates(met: Mask, failed: Mask) -> bool:
    """Whether a condition on some inputs (N,) tells those that failed, and hardly by chance."""
    failures = int(failed.sum())
    return bool(
        met[failed].all() and failures >= _FAIR * met.sum() and met.mean() ** failures <= _CHANCE
    )


def _together(
    joined: Sequence[Condition[B]],
    every: Sequence[Tried],
    failed: Mask,
    judged: Callable[[Iterable[B]], Iterable[Tried]],
) -> tuple[str, ...]:
    """The fewest conditions of which each failing input meets one, named as one."""
    met = {one.name: _met(one, every) for one in joined}
    for some in (s for size in (2, 3) for s in combinations(joined, size)):
        any_of_them = np.any([met[one.name] for one in some], axis=0)
        if not _separates(any_of_them, failed) or (~any_of_them).sum() < _WITHOUT_ANY:
            continue
        # Each must be the reason of failures of its own: where it alone is taken away, all is well.
        if all(_mends(one, some, _failing_by(one, some, every), judged) for one in some):
            return (", or ".join(one.name for one in some),)
    return ()


def _failing_by(one: Condition[B], some: Sequence[Condition[B]], every: Sequence[Tried]) -> list[B]:
    """Batches with inputs that fail and on which, of some conditions, one alone holds."""
    others = [each for each in some if each is not one]
    return [each.batch for each in every if _fails_outside(others, each)][:_TRIED]


def _mends(
    one: Condition[B],
    some: Sequence[Condition[B]],
    failing: Iterable[B],
    judged: Callable[[Iterable[B]], Iterable[Tried]],
) -> bool:
    """Whether batches that fail are right without a condition, where none of `some` holds."""
    apart = dict.fromkeys(chain.from_iterable(_without(one, batch) for batch in failing))
    return bool(apart) and not any(_fails_outside(some, each) for each in judged(apart))


def _fails_outside(some: Sequence[Condition[B]], tried: Tried) -> bool:
    """Whether an answer fails on an input on which none of the conditions holds."""
    outside = ~np.any([_holds(one, tried.batch) for one in some], axis=0)
    return bool((~tried.valid & outside).any())


def _met(condition: Condition[B], every: Sequence[Tried]) -> Mask:
    return np.concatenate([_holds(condition, one.batch) for one in every])


# Kept with the random inputs: while an answer is typed they stay the same.


def _holds(condition: Condition[B], batch: Any) -> Mask:
    if condition not in batch.kept:
        batch.kept[condition] = condition.met(batch)
    found: Mask = batch.kept[condition]
    return found


def _without(condition: Condition[B], batch: Any) -> Sequence[B]:
    key = condition, "apart"
    if key not in batch.kept:
        batch.kept[key] = tuple(condition.apart(batch)) if condition.apart else ()
    found: Sequence[B] = batch.kept[key]
    return found
