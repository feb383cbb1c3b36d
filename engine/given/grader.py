"""A card's own exercise as the check sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import product
from typing import Final

import numpy as np

from engine.formula.axes import TooLargeError, TooMuchError
from engine.formula.problem import FormulaError, OffsetError, located
from engine.given import answer as answers
from engine.given import based, conditions, mistakes, smallest
from engine.given.batch import Batch
from engine.given.bordering import about, about_numbers
from engine.given.borders import numbers, wholes
from engine.given.build import Task
from engine.given.drawing import draw, drawn, fresh
from engine.given.evaluation import evaluate
from engine.given.finding import links
from engine.given.judge import Judged, Rule
from engine.given.misfits import UNFIT
from engine.given.numbers import COUNTS, as_number, means
from engine.given.paper import begun
from engine.given.settle import Read
from engine.given.target import Target
from engine.grader import Array, Handed, Mask, Reading, Search
from engine.misfit import MisfitError
from engine.verdict import Mistake, Outcome

#: Inputs of each size that an answer's own numbers ask for.
_SIZED: Final = 6


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
    labels: Mapping[str, str] = field(default_factory=dict)
    """The part of the exercise that each target is, by its key; {} of an exercise of one part."""

    @property
    def assumed(self) -> str:
        return self.task.model.assumed

    def read(self, answer: str, part: str = "", step: int | None = None) -> Reading[Asked]:
        words, targets = self.task.words, self.task.targets
        own, others = part, list[str]()
        if step is not None:
            words = links(words, self.task.model.forward)
            targets = tuple(target for target in targets if target.key == part)
        elif self.labels:
            given = (part,) if part else answers.answered(answer, words, targets)
            firsts = {self.labels[key]: key for key in reversed(given)}
            own, *others = [key for key in given if key in firsts.values()] or [""]
            targets = tuple(t for t in targets if not own or self.labels[t.key] == self.labels[own])
        apart = {key for key, label in self.labels.items() if own and label != self.labels[own]}
        try:
            read = answers.read(answer, words, targets, self.example, step, apart)
        except answers.NonsenseError as trouble:
            raise self._named(trouble) from None
        except answers.UnlabelledError as trouble:
            read = self._labelled(trouble)
        begins = (
            {} if self.task.first else begun(read.body, *(one.body for one in read.definitions))
        )
        for other, meant in self._as_printed(read, begins):
            if not self._right(read) and self._right(other):
                raise located(meant, read.source)
        asked = Asked(read.target, read.full)
        return Reading(
            asked,
            read.echo,
            read,
            numbers(read.echo),
            read.beyond,
            begins,
            read.chains,
            read.target.key,
            tuple(others),
        )

    def _labelled(self, trouble: answers.UnlabelledError) -> Read:
        """Of several targets that an answer fits, the first where it is right: that was asked.

        Where it speaks of fewer indices than all of them, it is right for any, or wrong for all.
        """
        likely = trouble.found[:1] if trouble.exact else trouble.found
        right = next((read for read in likely if self._right(read)), None)
        if right is None and trouble.exact:
            raise trouble
        return right or trouble.found[0]

    def _as_printed(
        self, read: Read, from_one: Mapping[str, int]
    ) -> Iterator[tuple[Read, OffsetError]]:
        """Other readings of what papers write, each with what to say where it is the right one."""
        for name, letter in means(self.task.model.forward):
            if (other := as_number(read, name, letter)) is not None:
                number = next((n for n in COUNTS if n not in self.task.words.known), "N")
                said = f"{name} is the mean here, not the number of entries."
                at = max(0, read.source.find(name))
                yield other, OffsetError(said, f"write {number} for the number", at)
        for letter, at in [*from_one.items()][:1]:
            lines, body = based.answer(read.definitions, read.body, read.indices, self.task.words)
            said = (
                f"The sum over {letter} begins at 1, and indices count from 0 here: this could "
                "be all entries, or all but the first."
            )
            hint = f"begin at 0, with {letter} + 1 where {letter} is a number"
            yield replace(read, definitions=lines, body=body), OffsetError(said, hint, at)

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

    def parts(self, target: Asked) -> tuple[tuple[str, ...], tuple[str, ...]]:
        own = self.labels.get(target.target.key)
        every = dict.fromkeys(self.labels.values())
        return (own,) if own else (), tuple(label for label in every if label != own)

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

    def fresh(self, seed: int) -> Sequence[Batch]:
        return fresh(self.task.model, self.task.words.output, seed)

    def aimed(self, reading: Reading[Asked], drawn: Sequence[Batch]) -> Sequence[Batch]:
        read: Read | None = reading.formula
        if read is not None:
            batch = about(lambda one, met: evaluate(read, one, met), drawn[0])
        else:
            batch = about_numbers(reading.numbers, drawn[0])
        return [*([batch] if batch else []), *self._sized(reading)]

    def _sized(self, reading: Reading[Asked]) -> Iterator[Batch]:
        """Inputs as long as the numbers of an answer say."""
        model, own = self.task.model, smallest.own_sizes(self.task)
        asked = reading.target.target
        names = () if model.rigid else model.sized[:4]
        for name, whole, more in product(names, wholes(reading.numbers), (0, 1, 2)):
            rng, grown = np.random.default_rng(whole), {name: whole + more - own[name]}
            try:
                batch = draw(model, self.task.words.output, rng, _SIZED, grown)
                batch.reference(asked.above, asked.below)
                if reading.formula is not None:
                    self.evaluate(reading, batch)
            except (OffsetError, FormulaError, IndexError, TooLargeError):
                continue  # the message has no such size, or it would take too long
            yield batch

    def judged(self, batch: Batch, target: Asked, got: Array, rule: Rule | None = None) -> Judged:
        return Judged(batch, target.target, target.full, got, rule)

    def smallest(
        self,
        judge: Callable[[Batch], Judged],
        fails: Callable[[Judged], Mask],
        seen: Sequence[Judged],
    ) -> Search[Judged]:
        return smallest.search(self.task, judge, fails, seen)

    def named(self, judged: Sequence[Judged], fresh: Sequence[Judged]) -> Mistake | None:
        # An answer need not hold for other sizes than those that the card states.
        own, ours = ([j for j in some if not self.beyond(j.batch)] for some in (judged, fresh))
        found = mistakes.named(judged, fresh)
        return found or (mistakes.named(own, ours) if 0 < len(own) < len(judged) else None)

    def wrong_when(
        self,
        seen: Sequence[Judged],
        fresh: Sequence[Judged],
        judge: Callable[[Batch], Judged],
        fails: Callable[[Judged], Mask],
    ) -> tuple[str, ...]:
        every = [(one, fails(one)) for one in (*seen, *fresh)]
        return conditions.shared_by(
            self.task.model,
            every,
            lambda name: _single(self.task, name),
            lambda batch: not fails(judge(batch)).any(),
        )

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
        return draw(task.model, task.words.output, rng, 84, {name: 1 - now[name]}, "each")
    except (OffsetError, IndexError):
        return None
