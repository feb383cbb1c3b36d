"""From the keys of a card's exercise to an exercise: given, find, sizes, constants, inputs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from engine.exercise import ExerciseError, first_index
from engine.formula.problem import OffsetError
from engine.formula.tree import Node
from engine.given import based, reading
from engine.given.diagonals import with_diagonals
from engine.given.finding import targets_of
from engine.given.keys import (
    as_letters,
    constants_of,
    indexes_of,
    refuse_idle,
    refuse_unknown,
    sizes_of,
    yes,
)
from engine.given.kinding import assuming, kinds_of, with_kinds
from engine.given.model import Model
from engine.given.source import source
from engine.given.target import Target
from engine.given.vocabulary import Words

KEYS = ("given", "find", "sizes", "constants", "inputs", "assume", "fixed", "indices")


@dataclass(frozen=True, eq=False)
class Task:
    """What is asked, ready to be tried."""

    text: str
    model: Model
    words: Words
    targets: tuple[Target, ...]
    first: int = 0
    """The first value of every index."""
    written: Mapping[str, Node] = field(default_factory=dict)
    """The definitions as the card has them."""


def task(card: Mapping[str, object]) -> Task:
    """Read the keys of an exercise.  Raises ExerciseError, at a formula's fault GivenError."""
    for key in card:
        if key not in KEYS:
            raise ExerciseError(f"exercise: {key!r} is unknown: {', '.join(KEYS)} are allowed.")
    names = names_of(card)
    given = source("given", str(card["given"]).rstrip(), names)
    sizes, links, shapes = sizes_of(card.get("sizes"))
    constants = constants_of(card.get("constants"))
    try:
        indexes = indexes_of(card.get("inputs"))
        numbers, first = {*links.values()}, first_index(card.get("indices"))
        letters = [*sizes, *links]
        forward = reading.read(given.text, letters, constants, numbers, indexes, first, names)
        written = {d.names[0]: d.body for d in forward.arrays}
        if first:
            forward = based.forward(forward)
        fixed = yes(card.get("fixed"))
        model = Model(forward, *as_letters(forward, sizes, links, shapes), {}, {}, fixed=fixed)
        model.lengths()
    except OffsetError as trouble:
        raise given.trouble(trouble) from None
    refuse_idle(constants, forward)
    refuse_unknown(forward, model, sizes, links, shapes)
    words, targets = targets_of(card.get("find"), forward, model.survey)
    words = replace(words, first=first)
    declared = kinds_of(card.get("inputs"), forward)
    model, declared = assuming(model, card.get("assume"), declared)
    try:
        model = with_kinds(model, declared, targets)
    except OffsetError as trouble:
        raise given.trouble(trouble) from None
    return Task(given.text, model, words, with_diagonals(model, targets), first, written)


def names_of(card: Mapping[str, object]) -> frozenset[str]:
    """The names that the keys of a card declare."""
    keys = [card.get(key) for key in ("sizes", "constants", "inputs")]
    told = (str(name) for key in keys if isinstance(key, Mapping) for name in key)
    return frozenset((*told, *re.findall(r"[A-Za-z]\w*", str(card.get("assume", "")))))
