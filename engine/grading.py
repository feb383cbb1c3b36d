"""Grade an answer on random inputs, and what an exercise must offer for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import tee
from typing import Any, Final, Generic, Protocol, TypeAlias, TypeVar

import numpy as np

from engine.formula.tree import Chains, FormulaError
from engine.reasons import Array, Conditions, Entries, Mask, Tried, nearness, shared_by
from engine.verdict import Counterexample, Mistake, Outcome, Verdict

# -- What the check needs of an exercise: one face for max pooling and for every other message.
#
# An answer is read, evaluated on batches of random inputs, and judged; where it fails, the grader
# looks for the reason.  `engine.grading.grade` is the order in which that happens.


B = TypeVar("B")
T = TypeVar("T")


class Judged(Tried, Protocol):
    """A batch with what an answer gives on it."""

    @property
    def tried(self) -> int:
        """How many of its inputs can be judged."""

    @property
    def left_out(self) -> int:
        """How many cannot: nothing says what would be right there."""

    @property
    def astray(self) -> Mask:
        """(B,): whether it is wrong somewhere that the derivative exists."""

    @property
    def entries(self) -> Entries:
        """Which of its entries are off."""

    def shown(self, n: int) -> Counterexample:
        """One of its inputs, with the answer's numbers on it."""


J = TypeVar("J", bound=Judged)


@dataclass(frozen=True, slots=True)
class Judge(Generic[B, J]):
    """Judges an answer on a batch; it may be told ahead which batches come next."""

    one: Callable[[B], J]
    expect: Callable[[Iterator[B], bool], None] | None = None
    """Told the batches that come next, and whether all of them will."""

    def __call__(self, batch: B) -> J:
        return self.one(batch)

    def every(self, batches: Iterable[B]) -> list[J]:
        return list(self._told(batches, True))

    def each(self, batches: Iterable[B]) -> Iterator[J]:
        """Judge one batch after the other, each when it is asked for."""
        return self._told(batches, False)

    def _told(self, batches: Iterable[B], all_of_them: bool) -> Iterator[J]:
        if self.expect is None:
            return map(self.one, batches)
        asked, told = tee(batches)
        self.expect(told, all_of_them)
        return map(self.one, asked)


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """An answer that was read: what it is the answer to, and in our notation."""

    target: T
    echo: str
    formula: Any
    """None of a function, which is known by its numbers alone."""
    numbers: tuple[float, ...] = ()
    """The numbers that stand in it, but for 0, 1 and 2."""
    beyond: set[str] = field(default_factory=set, compare=False)
    """Arrays that terms of its sums were seen to read beyond their range, where they are 0."""
    begun: Mapping[str, int] = field(default_factory=dict, compare=False)
    """Indices whose sums begin at 1, though all indices count from 0, with their places."""
    chains: Chains = field(default=(), compare=False)
    part: str = field(default="", compare=False)
    """What `Grader.read` takes for the target."""
    others: tuple[str, ...] = field(default=(), compare=False)
    """The same of the parts of the exercise that the answer gives besides."""


@dataclass(frozen=True, slots=True)
class Handed:
    """What a function that is an answer is given, and which shapes its result may have."""

    arrays: dict[str, Array]
    """(B, ...) of each, by the names that the function's parameters may have."""
    scalars: dict[str, object]
    """Set as globals of the function."""
    targets: dict[Any, tuple[int, ...]]
    """The shape of one result for each target that the exercise takes, the likeliest first."""
    given: int
    """How many of the arrays, in their order, a function takes that names its parameters freely."""
    output: str = ""
    """The array that the message from above is about; "" where the loss itself is given."""
    whole: tuple[str, ...] = ()
    """Arrays of whole numbers: they may be indices."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other names that print has for the arrays."""


@dataclass(frozen=True, slots=True)
class Search(Generic[J]):
    """What looking for the smallest failing input came to."""

    found: Counterexample | None
    tried: tuple[J, ...]
    """The small inputs that were tried, the last of them those that it was found among."""


class Grader(ABC, Generic[B, T, J]):
    """Reads the answers to one exercise, draws its inputs, and judges numbers on them."""

    @property
    def assumed(self) -> str:
        """What the card assumes of the inputs, in words; "" where nothing."""
        return ""

    @abstractmethod
    def read(self, answer: str, part: str = "", step: int | None = None) -> Reading[T]:
        """Read an answer.  Raises FormulaError, also where it answers another question.

        Of several answers in one, that to `part` is read.  With `step`, the side of a chain that
        begins at this offset stands in the place of the last one.
        """

    @abstractmethod
    def evaluate(self, reading: Reading[T], batch: B) -> Array:
        """The answer's numbers on a batch.  Raises FormulaError."""

    def parts(self, target: T) -> tuple[tuple[str, ...], tuple[str, ...]]:  # noqa: ARG002
        """Which parts of the exercise a target is, and the others; () of an exercise of one."""
        return (), ()

    def beyond(self, batch: B) -> str:  # noqa: ARG002
        """What of a batch lies beyond what the card states, in words; "" where nothing does."""
        return ""

    @abstractmethod
    def handed(self, batch: B) -> Handed:
        """What a NumPy function is given of a batch."""

    @abstractmethod
    def drawn(self, seed: int, trials: int) -> Sequence[B]:
        """Random inputs; the same seed and number of trials give the same."""

    @abstractmethod
    def fresh(self, seed: int) -> Sequence[B]:
        """Some more inputs, of every kind alike, that may refute what those drawn suggest."""

    @abstractmethod
    def aimed(self, reading: Reading[T], drawn: Sequence[B]) -> Sequence[B]:
        """Inputs on both sides of what an answer compares, and as large as it speaks of.

        The `unmet` of a batch are sides on which no input was found, in words.
        """

    @abstractmethod
    def small(self) -> Iterable[B]:
        """Small inputs on which an answer may fail, the smallest first."""

    @abstractmethod
    def judged(
        self, batch: B, target: T, got: Array, rule: Callable[[B], Array] | None = None
    ) -> J:
        """The numbers of an answer beside the reference; `rule` gives them on other batches."""

    @abstractmethod
    def named(self, judged: Sequence[J], fresh: Sequence[J]) -> Mistake | None:
        """The known wrong rule that the numbers agree with, those on fresh inputs too."""

    @property
    @abstractmethod
    def conditions(self) -> Conditions[B]:
        """What all inputs may share on which an answer fails."""

    def outcome(
        self,
        judged: Sequence[J],  # noqa: ARG002
        judge: Judge[B, J],  # noqa: ARG002
        seed: int,  # noqa: ARG002
    ) -> Outcome:
        """The verdict of an answer that goes astray where the derivative exists, unexplained."""
        return "wrong"


# -- The smallest input on which an answer fails: small ones in their order, then those seen.


def smallest(
    grader: Grader[B, T, J],
    judge: Judge[B, J],
    fails: Callable[[J], Mask],
    seen: Iterable[J] = (),
) -> Search[J]:
    """Look for the smallest counterexample; `fails` says which inputs of a batch (B,) count.

    Where no small input fails, the smallest of those `seen` that fails is taken.
    """
    tried: list[J] = []
    for one in judge.each(grader.small()):
        tried.append(one)
        bad = np.flatnonzero(fails(one))
        if bad.size:
            return Search(one.shown(int(bad[0])), tuple(tried))
    failing = [one for one in seen if fails(one).any()]
    if not failing:
        return Search(None, tuple(tried))
    one = min(failing, key=lambda each: _cells(each.batch))
    plainest = min(np.flatnonzero(fails(one)), key=lambda n: _size(one.batch, int(n)))
    return Search(one.shown(int(plainest)), tuple(tried))


def _cells(batch: Any) -> int:
    return sum(int(np.prod(value.shape[1:])) for value in batch.inputs.values())


def _size(batch: Any, n: int) -> float:
    return max(float(np.abs(value[n]).max(initial=0.0)) for value in batch.inputs.values())


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
    expect: Callable[[Iterator[Any], bool], None] | None = None,
    reading: Reading[Any] | None = None,
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

    `rule` is the answer as a function of one of the grader's batches, `target` what it answers.
    `reading` is the answer as it was understood: inputs about the borders of its own comparisons
    are tried as well.  `expect` is told which batches `rule` will probably
    be asked for next.  Whatever `rule` raises passes through.
    """

    def one(batch: Any) -> Judged:
        judged: Judged = grader.judged(batch, target, rule(batch), rule)
        return judged

    # NumPy would warn of the division by 0 that an answer asks for; its NaN is judged instead.
    with np.errstate(all="ignore"):
        trial = _Trial(grader, Judge(one, expect), seed, trials, reading)
        own_valid = all(one.valid.all() for one in trial.own)
        found = trial.passed(target) if own_valid else trial.failed()
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
    ) -> None:
        self.grader, self.judge, self.seed = grader, judge, seed
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

    def failed(self) -> Verdict:
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
        known = grader.named(judged, fresh) if goes_astray else None
        found = any(fails(one).any() for one in judged)
        search = smallest(grader, judge, fails, judged if found else fresh)
        # Of what fails only about its own borders, no size or layout is the reason.
        seen = [one for one in judged if one.batch not in self.aimed]
        if not goes_astray:
            seen, fresh = (
                [one for one in some if not grader.beyond(one.batch)] for some in (seen, fresh)
            )
        # A failure at a tie refutes "only with padding", too.
        plain = any(_invalid(one).any() for one in (*seen, *fresh))
        why = (
            shared_by(grader.conditions, (*seen, *search.tried), fresh, judge.each) if plain else ()
        )
        remark = self._elsewhere([] if goes_astray else self.strays, _astray) or None
        said = self._verdict(
            "correct-except-ties",
            wrong_when=why,
            counterexample=search.found,
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
