"""Which exercise a card has: told by the keys of its `exercise`, or else by its tags."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Protocol, TypeAlias

from engine.exercise import POOLING, POOLING_TAGS, Exercise, ExerciseError, word

# What reads keys or tags stands above NumPy, as what is read is tried on numbers.  So each such
# module is imported by the function that needs it, here and nowhere else: a start loads none.


class CardLike(Protocol):
    """What of a card matters here: its `exercise` value as written, tags, type and text."""

    @property
    def exercise(self) -> object: ...
    @property
    def tags(self) -> Iterable[str]: ...
    @property
    def type(self) -> str: ...
    @property
    def question(self) -> str: ...
    @property
    def solution(self) -> str: ...


def exercise_of(card: CardLike) -> Exercise | None:
    """Return the exercise of a card; None where it has none.  Raises ExerciseError."""
    return exercise_for(card.exercise, card.tags, card.type, card.question, card.solution)


Exercise.from_card = exercise_of


def exercise_for(
    exercise: object, tags: Iterable[str], type: str, question: str = "", solution: str = ""
) -> Exercise | None:
    """Return a card's exercise, from its `exercise` value or else from its tags; None without one.

    The value is a mapping ({layer: max-pool, kernel: 2, find: dx}, {layers: [linear, relu]}, or one
    with the card's own forward message under `given`), the name of a layer, or "none".  With no
    value, a derivation whose tags name layers together with backpropagation or gradients asks for
    these layers in a row, as its question and its solution tell.  Raises ExerciseError.
    """
    if exercise is None or exercise == "":
        return _by_tags(tags, type, question, solution)[0]
    if isinstance(exercise, str):
        if exercise.strip().lower() in ("none", "no", "off", "false"):
            return None
        exercise = {"layer": exercise}
    if not isinstance(exercise, Mapping):
        raise ExerciseError(
            f"exercise is {exercise!r}: a layer ({', '.join(layers())}), `none`, "
            "or a mapping like {layer: max-pool, kernel: 2} is allowed."
        )
    read = next((read for key, read in READERS.items() if key in exercise), None)
    if read is None:
        raise ExerciseError(f"exercise: layer is missing: {', '.join(layers())} are allowed.")
    return read(exercise)


def why_none(card: CardLike) -> str:
    """Why a card whose tags name layers has no exercise, in a sentence; "" where nothing is odd."""
    written = card.exercise is not None and card.exercise != ""
    return "" if written else _by_tags(card.tags, card.type, card.question, card.solution)[1]


def may_ask(exercise: object, tags: Iterable[str], type: str) -> bool:
    """Whether a card looks as if it had an exercise, told without making one (no NumPy)."""
    if exercise is None or exercise == "":
        return type == "derivation" and bool(_MESSAGE_TAGS & set(map(word, tags)))
    return True


def layers() -> tuple[str, ...]:
    """The names of all layers that there are exercises for."""
    from engine.messages.layers import LAYERS

    return (POOLING, *LAYERS)


# -- The readers.


#: Tags that ask for a derivative, beside those that name a layer.
_MESSAGE_TAGS: Final = {
    "backpropagation",
    "backprop",
    "backwardpass",
    "gradients",
    "gradient",
    "zpetnesireni",
}


def _by_tags(
    tags: Iterable[str], type: str, question: str, solution: str
) -> tuple[Exercise | None, str]:
    if not may_ask(None, tags := tuple(tags), type):
        return None, ""
    from engine.tags import by_tags

    return by_tags(tags, question, solution)


def _from_given(keys: Mapping[str, Any]) -> Exercise:
    from engine.messages.exercise import from_mapping

    return from_mapping(keys)


def _from_layer(keys: Mapping[str, Any]) -> Exercise:
    if word(str(keys.get("layer", ""))) in POOLING_TAGS:
        from engine.pooling.exercise import from_mapping

        return from_mapping(keys)
    from engine.messages.exercise import from_layer

    return from_layer(keys)


def _from_function(keys: Mapping[str, Any]) -> Exercise:
    from engine.algorithm.exercise import from_mapping

    return from_mapping(keys)


#: Makes an exercise of its keys.  Raises ExerciseError.
Reader: TypeAlias = Callable[[Mapping[str, Any]], Exercise]

#: By the key that tells an exercise of theirs; the first of them counts.
READERS: Final[dict[str, Reader]] = {
    "given": _from_given,
    "layer": _from_layer,
    "layers": _from_layer,
    "function": _from_function,
}
