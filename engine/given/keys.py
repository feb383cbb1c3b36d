"""The plain keys of an exercise: sizes, constants."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from engine.exercise import ExerciseError
from engine.formula.characters import plain
from engine.given.forward import Forward
from engine.given.lengths import LARGEST
from engine.given.model import Model
from engine.given.paper import names_in
from engine.given.shapes import Survey


def yes(value: object) -> bool:
    return str(value).strip().lower() in ("yes", "true", "on", "1")


# Sizes and constants.


def sizes_of(
    value: object,
) -> tuple[dict[str, int], dict[str, str], dict[str, tuple[int, ...]]]:
    """The sizes of letters and names, letters that have another's, and shapes of arrays."""
    sizes: dict[str, int] = {}
    links: dict[str, str] = {}
    shapes: dict[str, tuple[int, ...]] = {}
    for name, size in pairs("sizes", value, "{j: 3, k: 2}").items():
        texts = list(size) if isinstance(size, list | tuple) else re.split(r"[x×,]", str(size))
        words = [str(text).strip() for text in texts]
        if all(re.fullmatch(r"[0-9]{1,3}", word) for word in words):
            numbers = tuple(int(word) for word in words)
            if not all(1 <= number <= LARGEST for number in numbers):
                raise ExerciseError(
                    f"exercise: sizes: {name} is {size!r}: 1 to {LARGEST} is allowed."
                )
            if len(numbers) > 1 or isinstance(size, list | tuple):
                shapes[name] = numbers
            else:
                sizes[name] = numbers[0]
        elif len(words) == 1 and words[0].isidentifier():
            links[name] = words[0]
        else:
            raise ExerciseError(
                f"exercise: sizes: {name} is {size!r}: a whole number from 1 to {LARGEST}, "
                "or the name of another size, is allowed."
            )
    for name, other in links.items():
        if other not in sizes:
            raise ExerciseError(f"exercise: sizes: {name} is {other!r}, which has no size.")
        sizes[name] = sizes[other]
    return sizes, links, shapes


def pairs(key: str, value: object, example: str) -> Mapping[str, object]:
    if value is None or value == "":
        return {}
    if isinstance(value, Mapping):
        # Greek letters by their names, as the formulas have them.
        return {plain(str(name))[0].strip(): part for name, part in value.items()}
    raise ExerciseError(f"exercise: {key} is {value!r}: a mapping like {example} is allowed.")


def constants_of(value: object) -> dict[str, float]:
    found = {}
    for name, number in pairs("constants", value, "{eps: 1e-5}").items():
        try:
            found[name] = float(str(number))
        except ValueError:
            found[name] = np.nan
        if not np.isfinite(found[name]):
            raise ExerciseError(f"exercise: constants: {name} is {number!r}: a number is allowed.")
    return found


def refuse_idle(constants: Mapping[str, float], forward: Forward) -> None:
    """Refuses a constant that the forward message does not speak of: a misspelt name."""
    bodies = [definition.body for definition in (*forward.arrays, *forward.functions)]
    used = {name for body in bodies for name in names_in(body)}
    for name in constants:
        if name not in used:
            raise ExerciseError(f"exercise: constants: {name} is not in the forward message.")


def refuse_unknown(
    forward: Forward,
    model: Model,
    sizes: Mapping[str, int],
    links: Mapping[str, str],
    shapes: Mapping[str, tuple[int, ...]],
) -> None:
    """Refuses a size that nothing has; a size given for an array of one index is its length."""
    letters = {variable.letter for variable in model.survey.variables}
    for name in sizes:
        if name not in letters and name not in forward.scalars and name not in links.values():
            known = ", ".join(sorted(letters | forward.scalars)) or "none"
            raise ExerciseError(
                f"exercise: sizes: {name} is no index of the forward message: {known} are."
            )
    for name, shape in shapes.items():
        if forward.inputs.get(name) != len(shape):
            raise ExerciseError(f"exercise: sizes: {name} is no input with {len(shape)} indices.")


def indexes_of(value: object) -> frozenset[str]:
    """The inputs that the card says are the number of an entry."""
    said = pairs("inputs", value, "{t: one-hot}")
    return frozenset(n for n, kind in said.items() if str(kind).strip().lower() == "index")


# What is to be found.


def as_letters(
    forward: Forward,
    sizes: Mapping[str, int],
    links: Mapping[str, str],
    shapes: Mapping[str, tuple[int, ...]],
) -> tuple[Mapping[str, int], Mapping[str, str], Mapping[str, tuple[int, ...]]]:
    """The shape of an input as the sizes of its letters, where each of its places has one."""
    places = Survey(forward).places
    found, rest = dict(sizes), dict(shapes)
    for name, shape in shapes.items():
        letters = [places.get((name, place)) for place in range(len(shape))]
        if all(letter is not None for letter in letters):
            rest.pop(name)
        for letter, size in zip(letters, shape, strict=False):
            if letter is not None:
                found.setdefault(letter.letter, size)
    return found, links, rest
