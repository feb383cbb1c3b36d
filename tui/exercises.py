"""A card's exercise as screens and command line need it: the bridge from cards to engine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cards.edit import with_field_lines, write_value
from cards.frontmatter import Field, read_header
from cards.model import Card, Diagnostics, Problem
from cards.text import place

if TYPE_CHECKING:
    from engine.exercise import GivenError


def problems_of(
    text: str, path: Path | None = None, macros: Mapping[str, str] | None = None
) -> tuple[Problem, ...]:
    """Everything that is wrong or odd with the text of a card, its exercise included.

    `macros` are the collection's.
    """
    from cards.lint import formula_problems
    from cards.parse import analyse

    card, problems = analyse(text, path)
    if card is None:
        return problems
    exercise = exercise_problem(card)
    formulas = formula_problems(text, path, {**(macros or {}), **card.macros})
    return (*problems, *formulas, *([exercise] if exercise else []))


def exercise_lines(keys: Mapping[str, Any]) -> str:
    """An exercise as lines of a card's frontmatter, its formulas a line each."""
    if "given" not in keys:
        return f"exercise: {write_value(dict(keys))}\n"
    rows = ["exercise:"]
    for key, value in keys.items():
        if key == "given" and isinstance(value, str):
            rows += [f"  {key}: |", *(f"    {row}" for row in value.split("\n"))]
        else:
            rows.append(f"  {key}: {write_value(value)}")
    return "\n".join(rows) + "\n"


def with_exercise(text: str, keys: Mapping[str, Any], path: Path | None = None) -> str:
    """The text of a card with an exercise in its frontmatter.  Raises CardError."""
    ending = "\r\n" if "\r\n" in text else "\n"
    return with_field_lines(text, "exercise", exercise_lines(keys).replace("\n", ending), path)


def exercise_problem(card: Card) -> Problem | None:
    """What is wrong with the card's `exercise:` key; None where there is none or it is good.

    NumPy is imported only for a card that has the key.
    """
    if card.exercise is None:
        return None
    from engine.exercise import ExerciseError, GivenError
    from engine.registry import exercise_for

    hint = "`deltadeck check --help` and docs/answers.md say what an exercise is."
    try:
        exercise_for(card.exercise, card.tags, card.type)
    except GivenError as error:
        line, column = _place(card, error)
        said = f"exercise: {error.key}: {error.message}"
        return Problem(card.path, line, column, said, error.hint or hint, "warning")
    except ExerciseError as error:
        line, column = place(card.source, _field(card).key_at)
        return Problem(card.path, line, column, str(error), hint, "warning")
    return None


def _field(card: Card) -> Field:
    """Where the card's text has its exercise."""
    return read_header(Diagnostics(card.source, card.path)).fields["exercise"]


def _place(card: Card, error: GivenError) -> tuple[int, int]:
    """Where in the card a formula goes wrong: its line is looked for below its key."""
    source, field = card.source, _field(card)
    key = re.compile(rf"(?<!\w){re.escape(error.key)}['\"]?\s*:")
    found = key.search(source, field.start, field.end)
    begin = found.start() if found else field.start
    wanted = error.row.strip()
    row = re.compile(re.escape(wanted))
    places = [each.start() for each in row.finditer(source, begin, field.end)] if wanted else []
    if not places:
        return place(source, begin)
    # A text of one line may stand behind its key; the same line may stand twice in a block.
    first = place(source, begin)[0] + error.line - 1
    at = next((at for at in places if place(source, at)[0] >= first), places[0])
    indented = len(error.row) - len(error.row.lstrip())
    return place(source, at + error.column - 1 - indented)
