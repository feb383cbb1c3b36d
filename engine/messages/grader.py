"""Grades answers about a forward message."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import product
from typing import Any, Final

import numpy as np

from engine.formula import tree as t
from engine.formula.axes import BATCH, Axed, Axes, TooLargeError, TooMuchError, constant
from engine.formula.names import NUMBERS
from engine.formula.rewrite import inside, rebuilt, sums_from_one, sums_over_all
from engine.formula.tree import FormulaError, MisfitError, OffsetError, located
from engine.grading import Array, Grader, Handed, Mask, Reading
from engine.messages.answer import NonsenseError, Read, UnlabelledError, answered, read_answer
from engine.messages.autodiff import Duals, OmittedTerms
from engine.messages.borders import Borders, numbers, wholes
from engine.messages.dual import Dual, DualArray
from engine.messages.forward import Forward, answer_from_zero
from engine.messages.inputs import about, about_numbers, draw, drawn, fresh, listed
from engine.messages.judge import JudgedMessage, Rule, shared_by
from engine.messages.mistakes import derived_rules, named_mistake
from engine.messages.model import Batch
from engine.messages.products import UNFIT
from engine.messages.shapes import extent
from engine.messages.spec import Task, links
from engine.messages.targets import Target
from engine.verdict import Case, Mistake, Numbers

# -- An answer's numbers on a batch of inputs.


def _is_term(node: t.Node) -> bool:
    """Whether an entry of a Jacobian is one product, as W[j-i] that is 0 beyond W's range."""
    if isinstance(node, t.Arithmetic):
        return node.op in ("*", "/") and _is_term(node.left) and _is_term(node.right)
    return isinstance(node, t.Cell | t.Number | t.Name)


def evaluate(
    read: Read,
    batch: Batch,
    borders: Borders | None = None,
    ties: list[tuple[Axed, Axed]] | None = None,
) -> Array:
    """The answer's numbers: (B, a dimension for each of its indices); NaN where undefined."""
    target, shapes = read.target, {**batch.shapes}
    axes = Axes(len(batch))
    own = (*(() if target.upstream else shapes[target.above]), *shapes[target.below])
    letters = target.indices
    if target.diagonal and not read.full:
        sizes = dict(zip(letters, own, strict=True))
        letters = tuple(dict.fromkeys(letters))
        own = tuple(sizes[letter] for letter in letters)
    at = [axes.new(size) for size in own]
    definitions = {name: d for d in read.definitions for name in d.names}

    def extent_of(name: str, node: t.Reduce) -> int:
        return extent(name, node, shapes, batch.letters, definitions)

    tables = {name: DualArray(np.asarray(value)) for name, value in NUMBERS.items()}
    tables.update({name: DualArray(value) for name, value in batch.values.items()})
    for step in read.steps:
        tables[step] = DualArray(batch.step(step))
        shapes[step] = tables[step].value.shape[1:]
    functions = tuple(f for f in batch.model.forward.functions if f.names[0] not in definitions)
    reach = OmittedTerms()
    duals = Duals(axes, tables, extent_of, (*functions, *read.definitions), reach=reach)
    duals.borders, duals.rounding, duals.ties = borders, batch.rounding, ties
    if batch.unmoved is not None:
        found: list[tuple[Axed, Axed]] = []
        evaluate(read, batch.unmoved, ties=found)
        duals.told = iter(found)
    scope = {name: Dual(index) for name, index in zip(read.indices, at, strict=True)}
    if target.jacobian and _is_term(read.body):
        value = reach.term(duals, read.body, scope, constant(True)).value
    else:
        value = duals.dual(read.body, scope).value
    read.beyond.update(reach.names)
    order = (BATCH, *(axis for index in at for axis in index.axes))
    return np.ascontiguousarray(axes.full(value, order).data, dtype=np.float64)


# -- A letter that is a mean here, and how many there are in a paper: 1/(m sqrt(v)) of m entries.


#: What the number of entries may be called, where nothing else is.
COUNTS: Final = ("N", "n")


def means(forward: Forward) -> Iterator[tuple[str, str]]:
    """The names of one letter that are a mean, each with the index that it runs over."""
    for definition in forward.arrays:
        name, body = definition.names[0], definition.body
        plain = isinstance(body, t.Reduce) and body.kind == "mean" and len(body.names) == 1
        if plain and isinstance(body, t.Reduce) and len(name) == 1 and not definition.parameters:
            yield name, body.names[0]


def as_number(read: Read, name: str, letter: str) -> Read | None:
    """The answer with the number of entries wherever it says `name`; None where it does not."""
    number = t.Reduce("sum", t.Number(1.0), (t.Binder((letter,), None),), None)

    def put(node: t.Node) -> t.Node:
        # What was typed by another name, as a Greek mu, is the mean.
        own = node == t.Name(name) and read.source[node.at : node.at + 2].rstrip(" _") != "mu"
        return number if own else rebuilt(node, put)

    def spoken(definition: t.Definition) -> bool:
        return any(part == t.Name(name) for part in inside(definition.body))

    if not any(part == t.Name(name) for part in inside(read.body)) and not any(
        map(spoken, read.definitions)
    ):
        return None
    definitions = tuple(replace(one, body=put(one.body)) for one in read.definitions)
    return replace(read, body=sums_over_all(put(read.body), ()), definitions=definitions)


# -- Small inputs, sizes from small to large, then plain values; and one as it is shown.


#: So many inputs of one set of sizes.
_LISTED = 96


def _sizes(task: Task) -> list[tuple[tuple[str, int], ...]]:
    """Changes of the sizes: all 1, one of them 2, all 2, none."""
    model = task.model
    names = model.sized
    if model.rigid or not names:
        return [()]
    own = own_sizes(task)
    ones = dict.fromkeys(names, 1)
    wanted = [ones, *({**ones, name: 2} for name in names), dict.fromkeys(names, 2), own]
    changes = [tuple((n, size - own[n]) for n, size in one.items()) for one in wanted]
    return list(dict.fromkeys(changes))


def own_sizes(task: Task) -> dict[str, int]:
    """The card's own value of every size that may vary."""
    model = task.model
    length = model.lengths()
    now = {**model.letters(length), **{n: int(v) for n, v in length.numbers.items()}}
    return {name: now.get(name, 1) for name in model.sized}


@lru_cache(maxsize=128)
def _listed(task: Task, changes: tuple[tuple[str, int], ...]) -> Batch | None:
    """Inputs of one set of sizes from plain to odd; None where the message has no such sizes."""
    model = task.model
    try:
        length = model.lengths(dict(changes))
        values = {}
        for name in model.forward.inputs:
            kind = model.kinds[name]
            most = model.most(name, length) if kind == "index" else 0
            axis = model.axes.get(name, -1) % max(1, model.forward.inputs[name])
            values[name] = listed(kind, model.shape(name, length), most, axis)
        output = task.words.output
        shape = model.shape(output, length) if output else ()
        rows = _combined(model.within(values))
        deltas = None
        if output:
            cells = int(np.prod(shape))
            plain = 10.0 ** np.arange(cells) if cells <= 4 else np.arange(1.0, cells + 1)
            signed = np.where(np.arange(cells) % 2, -1.0, 1.0) * np.arange(2, cells + 2)
            pair = np.stack([plain, signed]).reshape(2, *shape)
            count = len(next(iter(rows.values())))
            deltas = np.repeat(pair, count, axis=0)
            rows = {name: np.concatenate([value, value]) for name, value in rows.items()}
        batch = Batch(model, length, dict(changes), rows, deltas)
        batch.shapes  # noqa: B018 (evaluates the message: sizes that cannot be show here)
    except (OffsetError, IndexError, ValueError):
        return None
    return batch


def _combined(values: dict[str, Array]) -> dict[str, Array]:
    """Every combination of the listed values, as far as there are not too many."""
    counts = [len(value) for value in values.values()]
    combinations: list[tuple[int, ...]] = []
    for total in range(sum(counts) - len(counts) + 1):
        if len(combinations) < _LISTED:
            level = _summing(counts, total)
            combinations += sorted(level, key=lambda picks: max(picks, default=0))
    picks = np.array(combinations[:_LISTED]).reshape(-1, len(values))
    return {name: value[picks[:, n]] for n, (name, value) in enumerate(values.items())}


def _summing(counts: Sequence[int], total: int) -> Iterator[tuple[int, ...]]:
    """Picks below each of `counts` that add up to `total`."""
    if not counts:
        yield ()
        return
    most = sum(counts[1:]) - len(counts) + 1
    for first in range(max(0, total - most), min(counts[0], total + 1)):
        for rest in _summing(counts[1:], total - first):
            yield (first, *rest)


def _numbers(values: Array) -> Numbers:
    plain: Any = (np.asarray(values) + 0.0).tolist()  # + 0.0 makes a plain zero of -0.0
    numbers: Numbers = plain
    return numbers


# -- A card's own exercise as the check sees it.


#: Inputs of each size that an answer's own numbers ask for.
_SIZED: Final = 6


@dataclass(frozen=True, slots=True)
class Asked:
    """A target, and whether a diagonal one is given with all of its indices."""

    target: Target
    full: bool


@dataclass(frozen=True, eq=False)
class GivenGrader(Grader[Batch, Asked, JudgedMessage]):
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
            given = (part,) if part else answered(answer, words, targets)
            firsts = {self.labels[key]: key for key in reversed(given)}
            own, *others = [key for key in given if key in firsts.values()] or [""]
            targets = tuple(
                one for one in targets if not own or self.labels[one.key] == self.labels[own]
            )
        apart = {key for key, label in self.labels.items() if own and label != self.labels[own]}
        try:
            read = read_answer(answer, words, targets, self.example, step, apart)
        except NonsenseError as trouble:
            raise self._named(trouble) from None
        except UnlabelledError as trouble:
            read = self._labelled(trouble)
        begins = (
            {}
            if self.task.first
            else sums_from_one(read.body, *(one.body for one in read.definitions))
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

    def _labelled(self, trouble: UnlabelledError) -> Read:
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
            lines, body = answer_from_zero(
                read.definitions, read.body, read.indices, self.task.words
            )
            said = (
                f"The sum over {letter} begins at 1, and indices count from 0 here: this could "
                "be all entries, or all but the first."
            )
            hint = f"begin at 0, with {letter} + 1 where {letter} is a number"
            yield replace(read, definitions=lines, body=body), OffsetError(said, hint, at)

    def _named(self, trouble: NonsenseError) -> MisfitError:
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
                    JudgedMessage(batch, read.target, read.full, rule(batch), rule).valid.all()
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
        model, own = self.task.model, own_sizes(self.task)
        asked = reading.target.target
        names = () if model.rigid else model.sized[:4]
        for name, number, more in product(names, wholes(reading.numbers), (0, 1, 2)):
            rng, grown = np.random.default_rng(number), {name: number + more - own[name]}
            try:
                batch = draw(model, self.task.words.output, rng, _SIZED, grown)
                batch.reference(asked.above, asked.below)
                if reading.formula is not None:
                    self.evaluate(reading, batch)
            except (OffsetError, FormulaError, IndexError, TooLargeError):
                continue  # the message has no such size, or it would take too long
            yield batch

    def judged(
        self, batch: Batch, target: Asked, got: Array, rule: Rule | None = None
    ) -> JudgedMessage:
        return JudgedMessage(batch, target.target, target.full, got, rule)

    def small(self) -> Iterator[Batch]:
        """Batches of small inputs, from the smallest sizes to the card's own."""
        batches = (_listed(self.task, sizes) for sizes in _sizes(self.task))
        return (batch for batch in batches if batch is not None)

    def shown(self, one: JudgedMessage, n: int) -> Case:
        batch, target = one.batch, one.target
        off = one.off[n] if one.off[n].any() else one.differs[n]
        got, expected = one.got[n], one.expected[n]
        far = np.abs(got - expected)
        far = np.where(np.isnan(far), np.inf, far)
        cells = [tuple(int(i) for i in cell) for cell in np.argwhere(off)]
        inputs = {name: _numbers(value[n]) for name, value in batch.inputs.items()}
        if target.upstream:
            inputs["delta"] = _numbers(batch.values["delta"][n])
        constants = batch.length.numbers
        values = {
            d.names[0]: _numbers(batch.values[d.names[0]][n])
            for d in batch.model.forward.arrays
            if d.names[0] not in constants
        }
        letters = target.indices if one.full else tuple(dict.fromkeys(target.indices))
        return Case(
            target=target.written(loss=self.task.words.loss or "L"),
            indices=letters,
            inputs=inputs,
            values=values,
            yours=_numbers(got),
            expected=_numbers(expected),
            cells=sorted(cells, key=lambda cell: (-far[cell], cell)),
            note=one.note(n),
        )

    def named(
        self, judged: Sequence[JudgedMessage], fresh: Sequence[JudgedMessage]
    ) -> Mistake | None:
        # An answer need not hold for other sizes than those that the card states.
        own, ours = ([j for j in some if not self.beyond(j.batch)] for some in (judged, fresh))
        found = named_mistake(judged, fresh, derived_rules)
        if found is None and 0 < len(own) < len(judged):
            found = named_mistake(own, ours, derived_rules)
        return found

    def wrong_when(
        self,
        seen: Sequence[JudgedMessage],
        fresh: Sequence[JudgedMessage],
        judge: Callable[[Batch], JudgedMessage],
        fails: Callable[[JudgedMessage], Mask],
    ) -> tuple[str, ...]:
        every = [(one, fails(one)) for one in (*seen, *fresh)]
        return shared_by(
            self.task.model,
            every,
            lambda name: _single(self.task, name),
            lambda batch: not fails(judge(batch)).any(),
        )


@lru_cache(maxsize=16)
def _drawn(task: Task, seed: int, trials: int) -> tuple[Batch, ...]:
    """The random inputs, kept: while an answer is typed they stay the same."""
    return tuple(drawn(task.model, task.words.output, seed, trials))


@lru_cache(maxsize=64)
def _single(task: Task, name: str) -> Batch | None:
    """Inputs like those drawn, with one size 1; None where the message has no such size."""
    now = own_sizes(task)
    if name not in now:
        return None
    try:
        rng = np.random.default_rng(now[name])
        return draw(task.model, task.words.output, rng, 84, {name: 1 - now[name]}, "each")
    except (OffsetError, IndexError):
        return None
