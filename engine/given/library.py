"""Exercises on built-in layers: each is a forward message as a card could give it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from engine.exercise import ExerciseError, first_index, word
from engine.given.exercise import GivenExercise, cached
from engine.given.joining import layer_of, merged
from engine.given.layers import LAYERS


def exercise(
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


def from_mapping(given: Mapping[str, object]) -> GivenExercise:
    """Read {layer: elu, find: dx, sizes: {k: 4}}, or {layers: [linear, elu]}.

    Raises ExerciseError.
    """
    key = "layers" if "layers" in given else "layer"
    row = given[key]
    if (key == "layers" and not isinstance(row, list | tuple)) or not row:
        raise ExerciseError(f"exercise: layers is {row!r}: a list like [linear, relu] is allowed.")
    names = row if isinstance(row, list | tuple) else [row]
    name = merged([_name(one, key == "layers") for one in names])
    for other in given:
        if other not in (key, "find", "sizes", "indices"):
            raise ExerciseError(
                f"exercise: {other!r} is unknown for {name}: {key}, find, sizes, indices"
                " are allowed."
            )
    find = given.get("find") or ()
    texts = [str(one) for one in (find if isinstance(find, list | tuple) else [find])]
    if [text.strip().lower() for text in texts] in (["any"], ["either"]):
        texts = []
    sizes = given.get("sizes")
    if sizes is not None and not isinstance(sizes, Mapping):
        raise ExerciseError(f"exercise: sizes is {sizes!r}: a mapping like {{k: 3}} is allowed.")
    return exercise(name, texts, sizes, given.get("indices"))


def _name(value: object, joined: bool) -> str:
    wanted = word(str(value))
    for name, layer in LAYERS.items():
        if wanted in (word(name), *layer.tags):
            return name
    known = ", ".join(LAYERS if joined else ("max-pool", *LAYERS))
    said = "cannot be joined" if joined else "is unknown"
    raise ExerciseError(f"exercise: layer {value!r} {said}: {known} are allowed.")
