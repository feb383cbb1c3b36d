"""Everything worth saying about a card: why it does not read, or what is odd though it does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cards.formulas import formula_problems
from cards.model import Problem
from cards.parse import analyse
from cards.report import Report
from cards.text import first_invisible


def lint_card(
    text: str, path: Path | None = None, macros: Mapping[str, str] | None = None
) -> tuple[Problem, ...]:
    """All problems of the card in `text`, from top to bottom; never raises for bad text.

    `macros` are the collection's; the card's own come first.
    """
    card, problems = analyse(text, path)
    if card is None:
        return problems
    formulas = formula_problems(text, path, {**(macros or {}), **card.macros})
    found = (*problems, *formulas, *_invisible(text, path))
    return tuple(sorted(found, key=lambda problem: (problem.line, problem.column)))


def _invisible(text: str, path: Path | None) -> list[Problem]:
    report = Report(text, path)
    at = first_invisible(text)
    if at is not None:
        message = f"The card holds an invisible character (U+{ord(text[at]):04X})."
        report.hint(at, message, "It is not shown, and a search does not match across it.")
    return report.problems
