"""Small cards for the tests of this folder."""

from __future__ import annotations

from cards import Card, Problem
from cards.parse import analyse


def card_text(
    header: str = "", question: str = "Why?", solution: str = "Because.", options: str = ""
) -> str:
    """A card whose id is `x`; `header` adds lines to its frontmatter."""
    fields = "id: x\n" + (header.rstrip("\n") + "\n" if header else "")
    below = f"\n## Options\n{options}\n" if options else ""
    return f"---\n{fields}---\n\n# Question\n{question}\n{below}\n---\n# Solution\n{solution}\n"


def warnings_of(card: Card) -> tuple[Problem, ...]:
    """What is odd about a card that reads."""
    return analyse(card.source, card.path)[1]
