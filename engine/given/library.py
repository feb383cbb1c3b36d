"""Exercises on built-in layers: each is a forward message as a card could give it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from engine.exercise import ExerciseError, first_index, word
from engine.given.exercise import GivenExercise, cached
from engine.given.layers import LAYERS


def exercise(
    name: str,
    find: Sequence[str] = (),
    sizes: Mapping[str, object] | None = None,
    indices: object = None,
) -> GivenExercise:
    """The exercise on a layer by its name in LAYERS; `indices` is the first value of each.

    Raises ExerciseError.
    """
    layer = LAYERS[name]
    given, right = layer.given, layer.answer
    if first_index(indices) and layer.from_one[0]:
        given, right = layer.from_one
    keys = {
        "given": given,
        "find": list(find or layer.find),
        "sizes": {**layer.sizes, **(sizes or {})},
        "constants": dict(layer.constants),
        "inputs": dict(layer.inputs),
        "indices": first_index(indices),
    }
    # The example answers what is asked first.
    answer = right if not find else ""
    return cached(json.dumps(keys), name, layer.title, answer, tuple(sizes or ()), not find)


def by_tags(words: Sequence[str]) -> GivenExercise | None:
    """The exercise of a derivation whose tags (see `exercise.word`) name a layer.

    The most specific layer counts: a join that exists before its parts, a kind before what it is a
    kind of.  Among several, it is the one that the card names first.
    """
    named = [name for tag in words for name, layer in LAYERS.items() if tag in layer.tags]
    joined = [n for n, layer in LAYERS.items() if layer.joins and {*layer.joins} <= {*named}]
    found = [*joined, *named]
    parts = {part for name in found for part in LAYERS[name].beyond}
    return next((exercise(name) for name in found if name not in parts), None)


def from_mapping(given: Mapping[str, object]) -> GivenExercise:
    """Read {layer: elu, find: dx, sizes: {k: 4}}.  Raises ExerciseError."""
    name = _name(given["layer"])
    for key in given:
        if key not in ("layer", "find", "sizes", "indices"):
            raise ExerciseError(
                f"exercise: {key!r} is unknown for {name}: layer, find, sizes, indices are allowed."
            )
    find = given.get("find")
    texts = (
        [str(t) for t in find] if isinstance(find, list | tuple) else [str(find)] if find else []
    )
    if [text.strip().lower() for text in texts] in (["any"], ["either"]):
        texts = []
    sizes = given.get("sizes")
    if sizes is not None and not isinstance(sizes, Mapping):
        raise ExerciseError(f"exercise: sizes is {sizes!r}: a mapping like {{k: 3}} is allowed.")
    return exercise(name, texts, sizes, given.get("indices"))


def _name(value: object) -> str:
    wanted = word(str(value))
    for name in LAYERS:
        if wanted == word(name):
            return name
    for name, layer in LAYERS.items():
        if wanted in layer.tags:
            return name
    known = ", ".join(("max-pool", *LAYERS))
    raise ExerciseError(f"exercise: layer {value!r} is unknown: {known} are allowed.")
