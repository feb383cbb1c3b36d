"""Exercises about a forward message, a card's own or a layer's, and how they are graded."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import product
from typing import Final

import numpy as np

from engine.exercise import (
    EXAMPLES,
    POOLING,
    Condition,
    Conditions,
    Exercise,
    ExerciseError,
    Handed,
    Judgement,
    Reading,
    first_index,
    names_of,
    refuse_others,
    request,
    word,
)
from engine.formula import tree as t
from engine.formula.axes import (
    Array,
    Axes,
    Mask,
    TooLargeError,
    TooMuchError,
)
from engine.formula.binders import OPEN_CASES, UNSAID
from engine.formula.rewrite import exchanged, inside, rebuilt, sums_over_all
from engine.formula.tree import FormulaError, MisfitError, OffsetError, located
from engine.formula.unparse import unparse
from engine.latex.transcribe import POOLING as NAMES
from engine.messages.answer import (
    NonsenseError,
    Read,
    UnlabelledError,
    answered,
    as_reading,
    read_answer,
)
from engine.messages.autodiff import Duals
from engine.messages.borders import wholes
from engine.messages.derivation import steps
from engine.messages.dual import KINKED, Dual, DualArray
from engine.messages.evaluation import MessageGrader, evaluate
from engine.messages.forward import Forward, answer_from_zero
from engine.messages.inputs import KINDS, about, about_numbers, drawn, fresh, of_size, single, small
from engine.messages.judge import JudgedMessage, Rule
from engine.messages.layers import LAYERS, layer_of, merged
from engine.messages.mistakes import derived_rules, named_mistake
from engine.messages.model import Batch, Model
from engine.messages.problem import OptimumProblem, in_names, unmarked
from engine.messages.products import UNFIT
from engine.messages.repairs import repaired
from engine.messages.spec import links, task_of
from engine.messages.spelling import spoken_so
from engine.messages.targets import Target, shown, usual
from engine.verdict import Mistake

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


# -- What failing inputs may share, and the same inputs without it.


@lru_cache(maxsize=16)
def conditions(model: Model, output: str) -> Conditions[Batch]:
    """Sizes, the sides of the comparisons of the message, the signs of its inputs."""
    ways: list[tuple[Condition[Batch], ...]] = [(_longer(model, output, n),) for n in model.sized]
    ways += [_sides(*found) for found in _tests(model)]
    ways += [(_negative(name),) for name, kind in model.kinds.items() if kind == "real"]
    ways += [(Condition("the upstream message is 0 somewhere", _silent),)] * bool(model.kinds)
    return Conditions(ways)


def _longer(model: Model, output: str, name: str) -> Condition[Batch]:
    def met(batch: Batch) -> Mask:
        size = batch.letters.get(name, batch.length.numbers.get(name, 1))
        return np.full(len(batch), size > 1)

    return Condition(f"{name} runs over more than one", met, lambda _: single(model, output, name))


def _negative(name: str) -> Condition[Batch]:
    def met(batch: Batch) -> Mask:
        return np.asarray((batch.inputs[name].reshape(len(batch), -1) < 0).any(axis=1))

    def apart(batch: Batch) -> Iterator[Batch]:
        inputs = {**batch.inputs, name: np.abs(batch.inputs[name])}
        yield Batch(batch.model, batch.length, batch.grown, inputs, batch.delta)

    return Condition(f"an entry of {name} is negative", met, apart)


def _silent(batch: Batch) -> Mask:
    if batch.delta is None:
        return np.zeros(len(batch), dtype=np.bool_)
    return np.asarray((batch.delta.reshape(len(batch), -1) == 0).any(axis=1))


def _sides(test: t.Comparison, parameters: tuple[str, ...]) -> tuple[Condition[Batch], ...]:
    """A comparison of the message, sharpest first: a tie, one of its sides."""
    some = f" for some {', '.join(parameters)}" if parameters else ""
    ways = [
        (f"{unparse(test)} does not hold{some}", test, False),
        (f"{unparse(test)}{some}", test, True),
    ]
    if len(test.ops) == 1:
        tie = t.Comparison(("==",), test.operands)
        ways.insert(0, (f"{unparse(tie)}{some}", tie, True))
    return tuple(Condition(said, _where(one, parameters, holds)) for said, one, holds in ways)


def _tests(model: Model) -> Iterator[tuple[t.Comparison, tuple[str, ...]]]:
    """The comparisons on which the forward message branches."""
    done = set()
    for definition in model.forward.arrays:
        for test in _branching(definition.body):
            if test not in done:
                done.add(test)
                yield test, definition.parameters


def _branching(body: t.Node) -> Iterator[t.Comparison]:
    for node in inside(body):
        match node:
            case t.Choice(t.Comparison() as test, _, _) | t.Indicator(t.Comparison() as test):
                if not any(op in ("in", "not in") for op in test.ops):
                    yield test
            case t.Apply(function, (argument,)) if function in KINKED:
                yield t.Comparison((">",), (argument, t.Number(0.0)))
            case t.Apply("max" | "min", (one, other)):
                ends = (other, one) if isinstance(one, t.Number) else (one, other)
                yield t.Comparison((">",), ends)


def _where(test: t.Node, parameters: tuple[str, ...], holds: bool) -> Callable[[Batch], Mask]:
    def met(batch: Batch) -> Mask:
        axes = Axes(len(batch))
        letters = batch.letters
        tables = {name: DualArray(value) for name, value in batch.values.items()}
        extent = letters.__getitem__
        duals = Duals(axes, tables, lambda name, _: extent(name), batch.model.forward.functions)
        scope = {name: Dual(axes.new(letters[name])) for name in parameters}
        try:
            truth = duals.places.condition(test, scope).holds
        except KeyError:
            # The comparison hangs on an index that only its sum knows.
            return np.zeros(len(batch), dtype=np.bool_)
        data = axes.full(truth, (0,)).data.reshape(len(batch), -1)
        return np.asarray(data.any(axis=1) if holds else ~data.all(axis=1))

    return met


# -- A forward message as an exercise: how it is told, and how its answers are read and judged.


#: So many inputs are tried where each is solved for an optimum.
_SOLVED: Final = 60


@dataclass(frozen=True, eq=False)
class GivenExercise(Exercise, MessageGrader):
    """Which derivative of which forward message; two made of the same keys are the same object."""

    layer: str = ""
    title: str = ""
    """What a layer is called in a sentence; "" for a card's own message."""
    answer: str = ""
    """A right answer, where the exercise is one of ours."""
    stated: frozenset[str] = frozenset()
    """The sizes that the card gives: an answer need not hold for others."""
    any_of: bool = False
    """Whether an answer to one of its targets is an answer to the exercise."""

    @property
    def about(self) -> str:
        return self.title or "the card's forward message"

    @property
    def description(self) -> str:
        asked = [target.written() for target in self.task.targets]
        asked = list(dict.fromkeys(self.labels.values())) or asked
        given = next(filter(None, (one.given(self._cell) for one in self.task.targets)), "")
        assumed, aim = self.task.model.assumed, self.task.model.aim
        if aim:
            return f"Write {' and '.join(asked)} {aim}{assumed and f', for {assumed}'}."
        notes = (given and f"given {given}", assumed and f"for {assumed}")
        return request(asked, self.about, *notes, every=bool(self.labels))

    @cached_property
    def labels(self) -> dict[str, str]:
        """Of each target its part, by its key.  A message and the Jacobian in it are one part."""
        first: dict[tuple[str, str], str] = {}
        for one in self.task.targets:
            first.setdefault(one.pair, one.written())
        if self.any_of or len(first) == 1:
            return {}
        return {one.key: first[one.pair] for one in self.task.targets}

    def _cell(self, name: str, array: str) -> str:
        letters = self._letters(array)
        return f"{name}[{','.join(letters)}]" if letters else name

    def _letters(self, array: str) -> tuple[str, ...]:
        survey = self.task.model.survey
        if array in survey.parameters:
            return tuple(variable.letter for variable in survey.parameters[array])
        return usual(array, survey, ())

    @property
    def symbols(self) -> tuple[tuple[str, str], ...]:
        model = self.task.model
        found = [
            (self._cell(name, name), f"given, {KINDS[model.kinds[name]]}") for name in model.drawn
        ]
        found += [
            (target.written(), "to be found") for target in self.task.targets * bool(model.aim)
        ]
        found += [(name, f"{value:g}") for name, value in model.forward.constants.items()]
        found += [(name, "a size") for name in sorted(model.forward.scalars)]
        for one in (*model.forward.functions, *model.forward.arrays):
            if one.names[0].startswith("~"):
                continue
            left = one.names[0]
            if one.parameters:
                brackets = "()" if one in model.forward.functions else "[]"
                left += f"{brackets[0]}{','.join(one.parameters)}{brackets[1]}"
            body = shown(self.task.written.get(one.names[0], one.body), self.task.words)
            found.append((left, unparse(body)))
        output = self.task.words.output
        if output:
            cell = self._cell(output, output)
            found.append((self._cell("delta", output), f"the upstream message dL/d{cell}"))
        return tuple(found)

    @property
    def indices(self) -> tuple[tuple[str, str], ...]:
        """Each index letter with what it runs over, as in ("j", "0 to 2")."""
        model = self.task.model
        letters = model.letters(model.lengths())
        first = self.task.first
        varied = "" if model.fixed else "; other lengths are tried too"
        return tuple(
            (letter, f"{first} to {first + size - 1}{'' if letter in self.stated else varied}")
            for letter, size in letters.items()
        )

    @property
    def example(self) -> str:
        return EXAMPLES[not self.task.words.output]  # a squared error is a loss itself

    def grader(self) -> GivenExercise:
        return self

    # What the check asks of it.

    @property
    def assumed(self) -> str:
        return self.task.model.assumed

    def unmarked(self, answer: str) -> str:
        names = [target.above for target in self.task.targets if self.task.model.aim]
        return unmarked(answer, names) if names else answer

    def read(self, answer: str, part: str = "", step: int | None = None) -> Reading[Target]:
        words, targets = spoken_so(answer, self.task.words), self.task.targets
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
        self._refuse_open_cases(read)
        found = as_reading(read, self.task.first, read.target.key, tuple(others))
        for other, meant in self._as_printed(read, found.begun):
            if not self._right(read) and self._right(other):
                raise located(meant, read.source)
        return found

    def steps(self, answer: str, thorough: bool = True) -> Sequence[Judgement]:
        names = NAMES | names_of(self)
        if not isinstance(self.task.model, OptimumProblem):
            return steps(answer, self, names, thorough)
        plain = self.unmarked(answer)
        found = steps(in_names(plain, self.task.model), self, names, thorough)
        told = unmarked(answer, self.task.model.over, is_derivation=True)
        if told == plain:
            return found
        # Only where it says what the optimum is, ŵ is what is asked for.
        over = self.task.model.over
        best = {one.at: one for one in found if one.reading and one.reading.target.key in over}
        apart = steps(in_names(told, self.task.model), _with_hats(self), names, thorough)
        return [best.get(side.at, side) for side in apart]

    def _refuse_open_cases(self, read: Read) -> None:
        """Refuse cases of which none holds on some inputs: what is meant there, they do not say."""
        bodies = (read.body, *(one.body for one in read.definitions))
        at = next((part.at for body in bodies for part in inside(body) if part == UNSAID), None)
        if at is None or self._right(read):
            return
        body = exchanged(read.body, UNSAID, t.Number(0.0))
        lines = (
            replace(one, body=exchanged(one.body, UNSAID, t.Number(0.0)))
            for one in read.definitions
        )
        other = replace(read, body=body, definitions=tuple(lines))
        for batch in self.drawn(0, 300):
            with np.errstate(all="ignore"):
                if (np.isnan(evaluate(read, batch)) & ~np.isnan(evaluate(other, batch))).any():
                    raise located(OffsetError(*OPEN_CASES, at), read.source)

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
                    JudgedMessage(batch, read.target, rule(batch), rule).valid.all()
                    for batch in self.drawn(0, 300)
                )
        except (OffsetError, TooLargeError, TooMuchError):
            return False

    def evaluate(self, reading: Reading[Target], batch: Batch) -> Array:
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

    def asks_for(self, target: Target) -> bool:
        return target.key in {one.key for one in self.task.targets}

    def parts(self, target: Target) -> tuple[tuple[str, ...], tuple[str, ...]]:
        own = self.labels.get(target.key)
        every = dict.fromkeys(self.labels.values())
        return (own,) if own else (), tuple(label for label in every if label != own)

    def beyond(self, batch: Batch) -> str:
        stated = self.stated if batch.inputs else ()  # where sizes are all, each counts
        names = [name for name, by in batch.grown.items() if by and name in stated]
        return f"{' or '.join(names)} of another length than the card says" if names else ""

    def handed(self, batch: Batch) -> Handed:
        message = {} if batch.delta is None else {"delta": batch.delta}
        arrays = {**batch.inputs, **message}
        numbers: dict[str, object] = {**batch.letters, **batch.length.numbers}
        words = self.task.words
        every = {**arrays, **batch.computed, **arrays}
        return Handed(
            every,
            numbers,
            {
                one: one.shape(batch.shapes)
                for target in self.task.targets
                for one in (target, target.whole)
            },
            len(arrays),
            words.output,
            tuple(name for name, kind in batch.model.kinds.items() if kind == "index"),
            {said: name for said, name in words.names.items() if name in every},
        )

    def drawn(self, seed: int, trials: int) -> Sequence[Batch]:
        trials = min(trials, _SOLVED) if self.task.model.aim else trials
        return drawn(self.task.model, self.task.words.output, seed, trials)

    def fresh(self, seed: int) -> Sequence[Batch]:
        return fresh(self.task.model, self.task.words.output, seed)

    def aimed(self, reading: Reading[Target], drawn: Sequence[Batch]) -> Sequence[Batch]:
        model, output = self.task.model, self.task.words.output
        if reading.formula is not None:
            near = about(partial(evaluate, reading.formula), drawn[0])
        else:
            near = about_numbers(reading.numbers, drawn[0])
        names = () if model.rigid else model.sized[:4]
        sizes = product(names, wholes(reading.numbers), (0, 1, 2))
        sized = (of_size(model, output, reading.target, *size) for size in sizes)
        return [batch for batch in (near, *sized) if batch]

    def judged(
        self, batch: Batch, target: Target, got: Array, rule: Rule | None = None
    ) -> JudgedMessage:
        return JudgedMessage(batch, target, got, rule)

    def small(self) -> Iterator[Batch]:
        return small(self.task.model, self.task.words.output)

    def named(
        self, judged: Sequence[JudgedMessage], fresh: Sequence[JudgedMessage], thorough: bool
    ) -> Mistake | None:
        # An answer need not hold for other sizes than those that the card states.
        own, ours = ([j for j in some if not self.beyond(j.batch)] for some in (judged, fresh))
        found = named_mistake(judged, fresh, derived_rules)
        if found is None and 0 < len(own) < len(judged):
            found = named_mistake(own, ours, derived_rules)
        if found is None and thorough:
            found = repaired(own or judged, ours or fresh, self.task.words)
        return found

    @property
    def conditions(self) -> Conditions[Batch]:
        return conditions(self.task.model, self.task.words.output)


@lru_cache(maxsize=64)
def _with_hats(exercise: GivenExercise) -> GivenExercise:
    """The exercise for a derivation in which ŵ is a name of its own, beside w."""
    task = exercise.task
    assert isinstance(task.model, OptimumProblem)
    hats = {f"{name}hat": f"{name}hat" for name in (*task.model.over, task.model.objective)}
    words = replace(task.words, names={**task.words.names, **hats})
    return replace(exercise, task=replace(task, words=words))


def from_mapping(card: Mapping[str, object]) -> GivenExercise:
    """Read {given: ..., find: ..., sizes: ...}.  Raises ExerciseError."""
    return cached(json.dumps(card, sort_keys=True, default=str))


@lru_cache(maxsize=64)
def cached(
    keys: str,
    layer: str = "",
    title: str = "",
    answer: str = "",
    own: tuple[str, ...] = (),
    any_of: bool = False,
) -> GivenExercise:
    """The exercise of some keys, as JSON: made once, so that its inputs are drawn once.

    Of a layer `own` are the sizes that the card itself says.
    """
    card = json.loads(keys)
    if not isinstance(card.get("given"), str):
        raise ExerciseError("exercise: given is a text, a line for each definition.")
    sizes = card.get("sizes")
    task = task_of(card)
    said = own if layer else tuple(sizes) if isinstance(sizes, dict) else ()
    stated = frozenset((*said, *(task.model.sized_as(name) for name in said)))
    if layer:
        task = replace(task, words=replace(task.words, names=layer_of(layer).names))
    find = card.get("find")
    listed = "over" in card or (
        isinstance(find, list) and not {*map(str, find)} & {"any", "either"}
    )
    return GivenExercise(task, layer, title, answer, stated, any_of or not listed)


# -- Exercises on built-in layers: each is a forward message as a card could give it.


def layer_exercise(
    name: str,
    find: Sequence[str] = (),
    sizes: Mapping[str, object] | None = None,
    indices: object = None,
) -> GivenExercise:
    """The exercise on a layer by its name in LAYERS, or on several, with AND between them.

    `indices` is the first value of each index.  Raises ExerciseError.
    """
    layer = layer_of(name, first_index(indices))
    keys = {
        "given": layer.given,
        "find": list(find or layer.find),
        "sizes": {**layer.sizes, **(sizes or {})},
        "constants": dict(layer.constants),
        "inputs": dict(layer.inputs),
        "indices": first_index(indices),
    }
    # The example answers what is asked first.
    answer = layer.answer if list(find[:1]) in ([], [layer.find[0]]) else ""
    return cached(json.dumps(keys), name, layer.title, answer, tuple(sizes or ()), not find)


def from_layer(given: Mapping[str, object]) -> GivenExercise:
    """Read {layer: elu, find: dx, sizes: {k: 4}}, or {layers: [linear, elu]}.

    Raises ExerciseError.
    """
    key = "layers" if "layers" in given else "layer"
    row = given[key]
    if (key == "layers" and not isinstance(row, list | tuple)) or not row:
        raise ExerciseError(f"exercise: layers is {row!r}: a list like [linear, relu] is allowed.")
    names = row if isinstance(row, list | tuple) else [row]
    name = merged([_name(one, key == "layers") for one in names])
    refuse_others(given, (key, "find", "sizes", "indices"), name)
    find = given.get("find") or ()
    texts = [str(one) for one in (find if isinstance(find, list | tuple) else [find])]
    if [text.strip().lower() for text in texts] in (["any"], ["either"]):
        texts = []
    sizes = given.get("sizes")
    if sizes is not None and not isinstance(sizes, Mapping):
        raise ExerciseError(f"exercise: sizes is {sizes!r}: a mapping like {{k: 3}} is allowed.")
    return layer_exercise(name, texts, sizes, given.get("indices"))


def _name(value: object, joined: bool) -> str:
    wanted = word(str(value))
    for name, layer in LAYERS.items():
        if wanted in (word(name), *layer.tags):
            return name
    known = ", ".join(LAYERS if joined else (POOLING, *LAYERS))
    said = "cannot be joined" if joined else "is unknown"
    raise ExerciseError(f"exercise: layer {value!r} {said}: {known} are allowed.")
