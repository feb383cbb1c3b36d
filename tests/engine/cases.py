"""Exercises by their keys, and the tables of answers in `answers/`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from engine.checking import check
from engine.exercise import Exercise
from engine.formula.tree import FormulaError
from engine.latex.transcribe import transcription
from engine.messages.answer import Read
from engine.messages.targets import told, typeset
from engine.pooling import reader
from engine.registry import exercise_for
from engine.verdict import Verdict

TABLES: Final = Path(__file__).with_name("answers")
#: The verdicts by which a table lists answers.
VERDICTS: Final = (
    *("correct", "correct-but-slow", "correct-except-ties", "only-without-overlap", "wrong-step"),
    *("wrong", "unreadable"),
)


def table(name: str, typed: bool = False) -> Any:
    """A table as a card's header is read, every value a text; `typed`: with numbers for numbers."""
    loader = "SafeLoader" if typed else "BaseLoader"
    with (TABLES / f"{name}.yaml").open(encoding="utf-8") as file:
        return yaml.load(file, getattr(yaml, f"C{loader}", getattr(yaml, loader)))


def listed(group: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """The answers of a group: text, verdict, and what else is asked of it ({} where nothing is)."""
    for verdict in VERDICTS:
        for row in group.get(verdict, ()):
            text, asked = (row, {}) if isinstance(row, str) else row
            yield text, verdict, {"named": asked} if isinstance(asked, str) else asked


def made(keys: object, **more: object) -> Exercise:
    """The exercise of a layer's name or of a card's keys, some of them given apart."""
    exercise = exercise_for(
        {**keys, **more} if isinstance(keys, Mapping) else keys, (), "derivation"
    )
    assert exercise is not None
    return exercise


def given(message: str, find: str | list[str] = "dL/dx[k]", **keys: object) -> Exercise:
    """The exercise of a card's own forward message."""
    return made({"given": message, "find": find, **keys})


def judged(keys: object, answer: str, **more: Any) -> Verdict:
    return check(answer, made(keys), **more)


def read_latex(tex: str) -> Read:
    """What LaTeX says of max pooling; an error is told at its place in the LaTeX."""
    found = transcription(tex)
    try:
        return reader.read(found.text)
    except FormulaError as error:
        raise found.located(error) from None


def written(read: Read) -> str:
    """An answer about max pooling in our notation."""
    return told(read.target, read.indices, read.definitions, read.body, reader.WORDS)


def typeset_answer(read: Read) -> str:
    """The same in LaTeX."""
    return typeset(read.target, read.indices, read.definitions, read.body)
