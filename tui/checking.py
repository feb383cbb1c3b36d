"""Everything wrong or odd about a card: its text, its formulas, its exercise, its links."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cards.diagnostics import Report, quoted
from cards.model import CardError, Problem
from cards.text import fold
from tui.exercises import exercise_problem
from tui.page.pictures import finder

if TYPE_CHECKING:
    from cards import Card
    from deck.collection import Collection


class Checker:
    """Checks cards of a collection; or of none, when nothing is said about their links."""

    def __init__(self, collection: Collection | None) -> None:
        self._root = collection.root if collection else None
        self._called = collection.called if collection else None
        self._tags = frozenset(map(fold, collection.tags() if collection else ()))
        self._macros: Mapping[str, str] = collection.config.macros if collection else {}

    def problems(self, card: Card, path: Path | None) -> list[Problem]:
        """From top to bottom; `path` is how the card's file is called in them."""
        from cards import lint_card

        exercise = exercise_problem(card)
        found = [
            *lint_card(card.source, path, self._macros),
            *([exercise] if exercise else []),
            *self._links(card, path),
        ]
        return sorted(found, key=lambda problem: (problem.line, problem.column))

    def _is_card(self, name: str) -> bool:
        return self._called is not None and self._called(name) is not None

    def _links(self, card: Card, path: Path | None) -> list[Problem]:
        """Pictures that are missing, and links to cards that nobody wrote yet."""
        from cards.frontmatter import read_header
        from cards.links import find as links_in

        report = Report(card.source, path)
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
