"""Everything worth saying about a card: why it does not read, or what is odd though it does."""

from __future__ import annotations

from pathlib import Path

from cards.model import Problem
from cards.parse import analyse


def lint_card(text: str, path: Path | None = None) -> tuple[Problem, ...]:
    """All problems of the card in `text`, from top to bottom; never raises for bad text."""
    return analyse(text, path)[1]
