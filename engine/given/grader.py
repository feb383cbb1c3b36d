"""A card's own exercise as the check sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from engine.formula.axes import TooLargeError, TooMuchError
from engine.formula.problem import FormulaError, OffsetError, located
from engine.given import answer as answers
from engine.given import conditions, mistakes, smallest
from engine.given.batch import Batch
from engine.given.bordering import about
from engine.given.build import Task
from engine.given.drawing import draw, drawn
from engine.given.evaluation import evaluate
from engine.given.judge import Judged, Rule
from engine.given.known import Mistake
from engine.given.misfits import UNFIT
from engine.given.numbers import COUNTS, as_number, means
from engine.given.settle import Read
from engine.given.target import Target
from engine.grader import Array, Handed, Mask, Reading, Search
from engine.misfit import MisfitError
from engine.verdict import Outcome


@dataclass(frozen=True, slots=True)
class Asked:
    """A target, and whether a diagonal one is given with all of its indices."""

    target: Target
    full: bool


@dataclass(frozen=True, eq=False, slots=True)
class GivenGrader:
    task: Task
    example: str
    stated: frozenset[str] = frozenset()
    """The sizes that the card itself gives."""

    def read(self, answer: str) -> Reading[Asked]:
        try:
            read = answers.read(answer, self.task.words, self.task.targets, self.example)
        except answers.NonsenseError as trouble:
            raise self._named(trouble) from None
        except answers.UnlabelledError as trouble:
            read = self._labelled(trouble)
        self._refuse_mean_as_number(read)
        return Reading(Asked(read.target, read.full), read.echo, read, read.beyond)

    def _labelled(self, trouble: answers.UnlabelledError) -> Read:
        """Of several targets that an answer fits, the first where it is right: that was asked.

        Where it speaks of fewer indices than all of them, it is right for any, or wrong for all.
        """
        likely = trouble.found[:1] if trouble.exact else trouble.found
        right = next((read for read in likely if self._right(read)), None)
        if right is None and trouble.exact:
            raise trouble
        return right or trouble.found[0]

    def _refuse_mean_as_number(self, read: Read) -> None:
        """Of papers that call m the number of entries, where the message has a mean m."""
        for name, letter in means(self.task.model.forward):
            other = as_number(read, name, letter)
            if other is not None and not self._right(read) and self._right(other):
                number = next((n for n in COUNTS if n not in self.task.words.known), "N")
                at = read.source.find(name)
                trouble = OffsetError(
                    f"{name} is the mean here, not the number of entries.",
                    f"write {number} for the number",
                    max(0, at),
                )
                raise located(trouble, read.source)

    def _named(self, trouble: answers.NonsenseError) -> MisfitError:
        """What does not fit, by the mistake that it is: where something like it is right."""
        meant = next((way for way, read in trouble.found if self._right(read)), None)
        if meant is not None:
            return MisfitError(meant.mistake.name, meant.mistake.teaching, trouble, trouble.echo)
        return MisfitError(UNFIT, trouble.why, trouble, trouble.echo)

    def _right(self, read: Read) -> bool:
        """Whether an answer is right on the inputs that every check draws."""

        rule = partial(evaluate, read)
        try:
            with np.errstate(all="ignore"):
                return all(
                    Judged(batch, read.target, read.full, rule(batch), rule).valid.all()
                    for batch in self.drawn(0, 300)
                )
        except (OffsetError, TooLargeError, TooMuchError):
            return False

    def evaluate(self, reading: Reading[Asked], batch: Batch) -> Array:
        read: Read = reading.formula
        try:
            with np.errstate(all="ignore"):
                return evaluate(read, batch)
        except OffsetError as trouble:
            raise located(trouble, read.source) from None
        except (TooLargeError, TooMuchError):
            raise FormulaError(
                "This formula takes too many steps to be tried on random inputs.",
                "use fewer sums inside sums",
                1,
                1,
            ) from None

    def beyond(self, batch: Batch) -> str:
        names = [name for name, by in batch.grown.items() if by and name in self.stated]
        return f"{' or '.join(names)} of another length than the card says" if names else ""

    def handed(self, batch: Batch) -> Handed:
        message = {} if batch.delta is None else {"delta": batch.delta}
        arrays = {**batch.inputs, **message}
        known = {d.names[0]: batch.values[d.names[0]] for d in batch.model.forward.arrays}
        computed = {n: v for n, v in known.items() if n in batch.shapes and n not in arrays}
        numbers: dict[str, object] = {**batch.letters, **batch.length.numbers}
        words = self.task.words
        every = {**arrays, **computed}
        return Handed(
            every,
            numbers,
            self._shapes(batch),
            len(arrays),
            words.output,
            tuple(name for name, kind in batch.model.kinds.items() if kind == "index"),
            {said: name for said, name in words.names.items() if name in every},
        )

    def _shapes(self, batch: Batch) -> dict[Asked, tuple[int, ...]]:
        found: dict[Asked, tuple[int, ...]] = {}
        for target in self.task.targets:
            above = () if target.upstream else batch.shapes[target.above]
            whole = (*above, *batch.shapes[target.below])
            if target.diagonal:
                sizes = dict(zip(target.indices, whole, strict=True))
                found[Asked(target, False)] = tuple(sizes.values())
            found[Asked(target, True)] = whole
        return found

    def drawn(self, seed: int, trials: int) -> Sequence[Batch]:
        return _drawn(self.task, seed, trials)

    def aimed(self, reading: Reading[Asked], drawn: Sequence[Batch]) -> Sequence[Batch]:
        read: Read = reading.formula
        batch = about(lambda one, met: evaluate(read, one, met), drawn[0])
        return [] if batch is None else [batch]

    def unmet(self, batch: Batch) -> str:
        return batch.unmet[0] if batch.unmet else ""

    def judged(self, batch: Batch, target: Asked, got: Array, rule: Rule | None = None) -> Judged:
        return Judged(batch, target.target, target.full, got, rule)

    def smallest(
        self,
        judge: Callable[[Batch], Judged],
        fails: Callable[[Judged], Mask],
        seen: Sequence[Judged],
    ) -> Search[Judged]:
        return smallest.search(self.task, judge, fails, seen)

    def named(self, judged: Sequence[Judged]) -> Mistake | None:
        # An answer need not hold for other sizes than those that the card states.
        own = [one for one in judged if not self.beyond(one.batch)]
        found = mistakes.named(own) if own else None
        return found or (mistakes.named(judged) if len(own) < len(judged) else None)

    def wrong_when(
        self,
        seen: Sequence[Judged],
        judge: Callable[[Batch], Judged],
        fails: Callable[[Judged], Mask],
    ) -> tuple[str, ...]:
        def alone(name: str) -> bool:
            batch = _single(self.task, name)
            return batch is not None and not fails(judge(batch)).any()

        return conditions.shared_by(self.task.model, [(one, fails(one)) for one in seen], alone)

    def outcome(
        self,
        judged: Sequence[Judged],
        judge: Callable[[Batch], Judged],
        seed: int,
        known: bool,
    ) -> Outcome:
        del judged, judge, seed, known
        return "wrong"


@lru_cache(maxsize=16)
def _drawn(task: Task, seed: int, trials: int) -> tuple[Batch, ...]:
    """The random inputs, kept: while an answer is typed they stay the same."""
    return tuple(drawn(task.model, task.words.output, seed, trials))


@lru_cache(maxsize=64)
def _single(task: Task, name: str) -> Batch | None:
    """Inputs like those drawn, with one size 1; None where the message has no such size."""
    now = smallest.own_sizes(task)
    if name not in now:
        return None
    try:
        rng = np.random.default_rng(now[name])
        return draw(task.model, task.words.output, rng, 80, {name: 1 - now[name]})
    except (OffsetError, IndexError):
        return None
