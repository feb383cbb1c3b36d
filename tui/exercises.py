"""A card's exercise as screens and command line need it: the bridge from cards to engine; and all
that is wrong with a card, its exercise included, which they say alike."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cards.edit import with_field_lines, write_value
from cards.frontmatter import Field, read_header
from cards.links import find as links_in
from cards.lint import lint_card
from cards.model import Card, CardError, Diagnostics, Problem, quoted
from cards.parse import analyse
from cards.text import fold, place

if TYPE_CHECKING:
    from deck.collection import Collection
    from engine.exercise import GivenError


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


class CardChecker:
    """Checks a card's text, formulas, exercise and links, for a collection; or for none, when
    nothing is said about links."""

    def __init__(self, collection: Collection | None) -> None:
        self._root = collection.root if collection else None
        self._called = collection.called if collection else None
        self._tags = frozenset(map(fold, collection.tags() if collection else ()))
        self._macros: Mapping[str, str] = collection.config.macros if collection else {}

    def problems(self, text: str, path: Path | None) -> list[Problem]:
        """Of a card's text, from top to bottom; `path` is how its file is called in them."""
        card, wrong = analyse(text, path)
        if card is None:
            return [*wrong]
        exercise = exercise_problem(card)
        found = [
            *lint_card(text, path, self._macros),
            *([exercise] if exercise else []),
            *self._links(card),
        ]
        return sorted(found, key=lambda problem: (problem.line, problem.column))

    def _links(self, card: Card) -> list[Problem]:
        """Pictures that are missing, and links to cards that nobody wrote yet."""
        from tui.page.layout import finder  # an exercise alone needs no pages

        report = Diagnostics(card.source, card.path)
        try:
            body = read_header(report).body
        except CardError:
            return []
        report.problems.clear()
        find = finder(card.path, self._root)
        for link in links_in(card.source[body:]):
            at, name = body + link.start, link.name.split("#", 1)[0].strip()
            known = not name or fold(name) in self._tags or self._is_card(name)
            if link.kind == "unread":
                hint = "Write ![words](<its file's name>); blanks and brackets are safe there."
                report.warn(at, f"This shows no picture: {quoted(link.name)} is not read.", hint)
            elif link.embed and link.kind != "html" and not known:
                if find(link.name).why.startswith("missing"):
                    hint = "Put the file beside the card, or take the picture out."
                    report.warn(at, f"There is no picture {quoted(name)}.", hint)
            elif link.kind == "wiki" and self._called is not None and not known:
                message = f"No card is called {quoted(name)}."
                report.hint(at, message, "The link leads nowhere until one is.")
        return report.problems

    def _is_card(self, name: str) -> bool:
        return self._called is not None and self._called(name) is not None
