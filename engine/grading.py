"""Grade an answer on random inputs: is it right, and if not, where, why, and how small a case?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, combinations
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.exercise import Condition, Conditions, Entries, Grader, Judge, Judged, Reading
from engine.formula.axes import Array, Mask
from engine.formula.tree import FormulaError
from engine.verdict import Outcome, Verdict

B = TypeVar("B")
T = TypeVar("T")
J = TypeVar("J", bound=Judged)

# -- How near a wrong answer is: which entries are off, and on how many of the inputs.


#: From this share on, entries and inputs count as all of them.
_NEARLY_ALL: Final = 0.9
#: By chance a region, or a condition, may hold all that fails so often: then it is not named.
_CHANCE: Final = 1e-4
#: So many entries outside of a place must be right before the place is named.
_EVIDENCE: Final = 20


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
    seen: Sequence[Judged],
    fresh: Sequence[Judged],
    judged: Callable[[Iterable[B]], Iterable[Judged]],
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
    every: Sequence[Judged],
    failed: Mask,
    judged: Callable[[Iterable[B]], Iterable[Judged]],
) -> tuple[str, ...]:
    """The fewest conditions of which each failing input meets one, named as one."""
    met = {one.name: _met(one, every) for one in joined}
    for some in (s for size in (2, 3) for s in combinations(joined, size)):
        any_of_them = np.any([met[one.name] for one in some], axis=0)
        if not _separates(any_of_them, failed) or (~any_of_them).sum() < _WITHOUT_ANY:
            continue
        # Each must be the reason of failures of its own: where it alone is taken away, all is well.
        for one in some:
            others = [each for each in some if each is not one]
            alone = [each.batch for each in every if _fails_outside(others, each)]
            if not _mends(one, some, alone[:_TRIED], judged):
                break
        else:
            return (", or ".join(one.name for one in some),)
    return ()


def _mends(
    one: Condition[B],
    some: Sequence[Condition[B]],
    failing: Iterable[B],
    judged: Callable[[Iterable[B]], Iterable[Judged]],
) -> bool:
    """Whether batches that fail are right without a condition, where none of `some` holds."""
    apart = dict.fromkeys(chain.from_iterable(_without(one, batch) for batch in failing))
    return bool(apart) and not any(_fails_outside(some, each) for each in judged(apart))


def _fails_outside(some: Sequence[Condition[B]], tried: Judged) -> bool:
    """Whether an answer fails on an input on which none of the conditions holds."""
    outside = ~np.any([_holds(one, tried.batch) for one in some], axis=0)
    return bool((~tried.valid & outside).any())


def _met(condition: Condition[B], every: Sequence[Judged]) -> Mask:
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


# -- The smallest input on which an answer fails: small ones in their order, then those seen.
#
# One number beside another says that an answer is off, and not where: the same -1 for 1 may be a
# sign, a maximum that is not looked for, or one of two windows that is lost.  So a case of nearly
# the same size is taken in its place whose arrays have more entries than one.


#: So many more entries are still seen at a glance; so many more batches are looked through.
_GLANCE: Final = 12
_FURTHER: Final = 12


def smallest(
    grader: Grader[B, T, J],
    judge: Judge[B, J],
    fails: Callable[[J], Mask],
    seen: Iterable[J] = (),
) -> tuple[tuple[J, int] | None, list[J]]:
    """The smallest input that fails and tells most, and the small ones tried on the way to it.

    `fails` says which inputs of a batch (B,) count.  Where no small input fails, the smallest of
    those `seen` that fails is taken.
    """
    tried: list[J] = []
    best: J | None = None
    room = until = 0
    for one in judge.each(grader.small()):
        tried.append(one)
        if best is None and fails(one).any():
            best, room, until = one, _cells(one.batch) + _GLANCE, len(tried) + _FURTHER
        elif best is not None and _cells(one.batch) <= room and fails(one).any():
            best = min(best, one, key=lambda each: grader.lone(each.batch))
        if best is not None and (not grader.lone(best.batch) or len(tried) == until):
            break
    if best is not None:
        rows = np.flatnonzero(fails(best))
        # A note that there is no derivative elsewhere would be about another thing.
        plain = rows[best.entries.known[rows].reshape(len(rows), -1).all(axis=1)]
        return (best, _clearest(best.batch, plain if plain.size else rows)), tried
    failing = [one for one in seen if fails(one).any()]
    if not failing:
        return None, tried
    one = min(failing, key=lambda each: _cells(each.batch))
    plainest = min(np.flatnonzero(fails(one)), key=lambda n: _size(one.batch, int(n)))
    return (one, int(plainest)), tried


def _clearest(batch: Any, rows: NDArray[np.intp]) -> int:
    """The first of some inputs with the most arrays in which no number stands twice: where all
    are 0, nobody sees which of them it was."""
    found = np.zeros(len(rows), dtype=int)
    for value in batch.inputs.values():
        ordered = np.sort(value[rows].reshape(len(rows), -1), axis=1)
        found += (np.diff(ordered, axis=1) != 0).all(axis=1)
    return int(rows[found.argmax()])


def _cells(batch: Any) -> int:
    return sum(int(np.prod(value.shape[1:])) for value in batch.inputs.values())


def _size(batch: Any, n: int) -> float:
    sizes = (float(np.abs(value[n]).max(initial=0.0)) for value in batch.inputs.values())
    return max(sizes, default=0.0)


# -- From an answer's numbers to its verdict, however the numbers came about.


#: An answer as a function of a batch of its exercise.
Rule: TypeAlias = Callable[[Any], Array]

Fails: TypeAlias = Callable[[Judged], Mask]

#: So many times the inputs are drawn once more, where only those of other sizes fail.
_MORE: Final = 4
#: So many tell whether what was found of other sizes was chance.
_AGAIN: Final = 300
#: Of the inputs drawn, this share at least must be judged: right on less is not yet right.
_ENOUGH: Final = 0.2
_UNDECIDED: Final = (
    "This cannot be judged: on {} of {} inputs there is no derivative, or rounding leaves no "
    "digits to compare."
)


def grade(
    rule: Rule,
    target: object,
    grader: Grader[Any, Any, Any],
    seed: int = 0,
    trials: int = 300,
    thorough: bool = True,
    expect: Callable[[Iterator[Any], bool], None] | None = None,
    reading: Reading[Any] | None = None,
    told: Callable[[Any, int], dict[str, Any]] | None = None,
) -> Verdict:
    """Judge what `rule` gives on `trials` random inputs drawn from `seed`.

    - correct: right on every input that the card states; at ties and kinks any valid subgradient
      counts.  Where inputs beyond that fail, of other sizes, a remark says so.
    - incomplete: the same, of an exercise that asks for other messages as well.
    - correct-except-ties: right wherever the derivative exists, on those inputs.
    - only-without-overlap: right, ties aside, while each input lies in one window only.  This is
      said of an answer that fails at ties as well, since the overlap is the larger gap.
    - wrong: anything else, and whatever agrees with a known misconception on every input.
    - unreadable: there is nothing against it, but hardly an input on which that could be said.

    What a verdict says of the cause of a failure holds on all of these inputs, and on fresh ones.
    Where it need not be `thorough`, no slip is looked for but the known ones.

    `rule` is the answer as a function of one of the grader's batches, `target` what it answers.
    `reading` is the answer as it was understood: inputs about the borders of its own comparisons
    are tried as well.  `expect` is told which batches `rule` will probably
    be asked for next.  `told` is what a verdict has besides of the input that it shows, by its
    batch and number.  Whatever these raise passes through.
    """

    def one(batch: Any) -> Judged:
        judged: Judged = grader.judged(batch, target, rule(batch), rule)
        return judged

    # NumPy would warn of the division by 0 that an answer asks for; its NaN is judged instead.
    with np.errstate(all="ignore"):
        trial = _Trial(grader, Judge(one, expect), seed, trials, reading, thorough)
        own_valid = all(one.valid.all() for one in trial.own)
        found = trial.passed(target) if own_valid else trial.failed(told)
        return replace(found, read=reading.echo if reading is not None else "")


class _Trial:
    """An answer on the inputs drawn, and on those that its own comparisons and numbers ask for."""

    def __init__(
        self,
        grader: Grader[Any, Any, Any],
        judge: Judge[Any, Judged],
        seed: int,
        trials: int,
        reading: Reading[Any] | None,
        thorough: bool,
    ) -> None:
        self.grader, self.judge, self.seed, self.thorough = grader, judge, seed, thorough
        self.drawn = grader.drawn(seed, trials)
        self.judged = judge.every(self.drawn)
        # What fails in all sizes and layouts is wrong on any inputs.
        everywhere = all(one.astray.any() for one in self.judged)
        self.aimed = () if reading is None or everywhere else grader.aimed(reading, self.drawn)
        for batch in self.aimed:
            # Of the sizes that a formula speaks of, some may take too long.
            with suppress(FormulaError):
                self.judged.append(judge(batch))
        self.about = [one.batch for one in self.judged[len(self.drawn) :]]
        self.own = [one for one in self.judged if not grader.beyond(one.batch)]
        self.strays = self._beyond(_astray)
        if self.strays and not any(one.astray.any() for one in self.own):
            # Of other sizes, or only of luck?  Many more of the card's own tell.
            more = [b for b in grader.drawn(seed + 1, _MORE * trials) if not grader.beyond(b)]
            again = [one for one in judge.every(more) if one.astray.any()]
            self.own, self.judged = [*self.own, *again], [*self.judged, *again]
        self.tried = sum(one.tried for one in self.judged)
        self.left_out = sum(one.left_out for one in self.judged)

    def _beyond(self, fails: Fails) -> list[str]:
        """Of the batches that fail, what of them lies beyond what the card states."""
        return [self.grader.beyond(one.batch) for one in self.judged if fails(one).any()]

    def passed(self, target: object) -> Verdict:
        """The verdict on an answer that is right on every input that the card states."""
        if self.tried < _ENOUGH * (self.tried + self.left_out):
            said = _UNDECIDED.format(self.left_out, self.tried + self.left_out)
            return self._verdict("unreadable", message=said)
        assumed = self.grader.assumed
        unmet = next((side for batch in (*self.drawn, *self.aimed) for side in batch.unmet), None)
        notes = [
            f"It is right for {assumed}, as the card assumes." if assumed else "",
            self._elsewhere(self._beyond(_invalid), _invalid),
            f"No input was found with {unmet}." if unmet else "",
        ]
        remark = " ".join(filter(None, notes)) or None
        done, rest = self.grader.parts(target)
        return self._verdict(
            "incomplete" if rest else "correct", remark=remark, parts=done, open=rest
        )

    def failed(self, told: Callable[[Any, int], dict[str, Any]] | None = None) -> Verdict:
        """The verdict on any other answer, with the reason and the smallest input that fails."""
        grader, judge, judged = self.grader, self.judge, self.judged
        # A reason must also hold on inputs that it was not found by.
        fresh = judge.every(grader.fresh(self.seed))
        every = (*judged, *fresh)
        # What counts is a failure where the derivative exists, if there is any, and of these one
        # that the card states: of sizes beyond them there is a remark.
        goes_astray = any(one.astray.any() for one in every if not grader.beyond(one.batch))
        fails = (
            _astray if goes_astray else lambda one: _invalid(one) & (not grader.beyond(one.batch))
        )
        reasoned = goes_astray and not told
        known = grader.named(judged, fresh, self.thorough) if reasoned else None
        found = any(fails(one).any() for one in judged)
        at, small = smallest(grader, judge, fails, judged if found else fresh)
        # Of what fails only about its own borders, no size or layout is the reason.
        seen = [one for one in judged if one.batch not in self.aimed]
        if not goes_astray:
            seen, fresh = (
                [one for one in some if not grader.beyond(one.batch)] for some in (seen, fresh)
            )
        # A failure at a tie refutes "only with padding", too.
        plain = any(_invalid(one).any() for one in (*seen, *fresh))
        why = shared_by(grader.conditions, (*seen, *small), fresh, judge.each) if plain else ()
        remark = self._elsewhere([] if goes_astray else self.strays, _astray) or None
        said = self._verdict(
            "correct-except-ties",
            wrong_when=why,
            counterexample=at and at[0].shown(at[1]),
            **(told(at[0].batch, at[1]) if told and at else {}),
            failed=sum(int((~one.valid).sum()) for one in judged),
            remark=remark,
        )
        if not goes_astray:
            return said
        return replace(
            said,
            verdict="wrong" if known else grader.outcome(every, judge, self.seed),
            misconception=known.name if known else None,
            teaching=known.teaching if known else None,
            near=nearness(*([one.entries for one in some] for some in (judged, fresh))),
        )

    def _verdict(self, outcome: Outcome, **more: Any) -> Verdict:
        return Verdict(outcome, "", self.seed, self.tried, left_out=self.left_out, **more)

    def _elsewhere(self, strays: Sequence[str], fails: Fails) -> str:
        """Say for which other sizes an answer fails, where it does so on more inputs, too."""
        more = (*self.grader.drawn(self.seed + 1, _AGAIN), *self.about) if strays else ()
        again = self.judge.each(batch for batch in more if self.grader.beyond(batch) in strays)
        found = next((one.batch for one in again if fails(one).any()), None)
        return "" if found is None else f"It would not hold with {self.grader.beyond(found)}."


def agrees(
    rule: Rule, grader: Grader[Any, Any, Any], seed: int, trials: int, reading: Reading[Any]
) -> bool:
    """Whether a step comes to what is right wherever the derivative exists."""

    def strays(batch: Any) -> bool:
        if grader.beyond(batch):
            return False
        judged: Judged = grader.judged(batch, reading.target, rule(batch), rule)
        return bool(judged.astray.any())

    with np.errstate(all="ignore"):
        drawn = grader.drawn(seed, trials)
        if any(map(strays, drawn)):
            return False
        for batch in grader.aimed(reading, drawn):
            with suppress(FormulaError):
                if strays(batch):
                    return False
        return True


def _astray(one: Judged) -> Mask:
    return one.astray


def _invalid(one: Judged) -> Mask:
    return ~one.valid
