"""Exercises about a forward message: a card's own, or that of a layer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from engine.exercise import (
    POOLING,
    Exercise,
    ExerciseError,
    first_index,
    refuse_others,
    request,
    word,
)
from engine.formula.unparse import unparse
from engine.grading import Grader
from engine.messages.grader import GivenGrader
from engine.messages.inputs import KINDS
from engine.messages.layers import LAYERS, layer_of, merged
from engine.messages.spec import Task, task_of
from engine.messages.targets import shown, usual

# -- A card's own forward message as an exercise.


@dataclass(frozen=True, eq=False)
class GivenExercise(Exercise):
    """Which derivative of which forward message; two made of the same keys are the same object."""

    task: Task
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
        assumed = self.task.model.assumed
        notes = (given and f"given {given}", assumed and f"for {assumed}")
        return request(asked, self.about, *notes, every=bool(self.labels))

    @cached_property
    def labels(self) -> dict[str, str]:
        """Of each target its part, by its key.  A message and the Jacobian in it are one part."""
        first: dict[tuple[str, str], str] = {}
        for one in self.task.targets:
            first.setdefault((one.above, one.below), one.written())
        if self.any_of or len(first) == 1:
            return {}
        return {one.key: first[one.above, one.below] for one in self.task.targets}

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
            (self._cell(name, name), f"given, {KINDS[model.kinds[name]]}")
            for name in model.forward.inputs
        ]
        found += [(name, f"{value:g}") for name, value in model.forward.constants.items()]
        found += [(name, "a size") for name in sorted(model.forward.scalars)]
        for one in (*model.forward.functions, *model.forward.arrays):
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
        if self.answer:
            return self.answer
        target = self.task.targets[0]
        return f"{target.written()} = {target.guess(self._cell)}"

    def grader(self) -> Grader[Any, Any, Any]:
        return self._grader

    @cached_property
    def _grader(self) -> GivenGrader:
        return GivenGrader(self.task, self.example, self.stated, self.labels)


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
    listed = isinstance(find, list) and not {*map(str, find)} & {"any", "either"}
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
