"""The two sides of a card as Markdown, as every format shows them."""

from __future__ import annotations

import re

from cards.cloze import Cloze, find, render
from cards.model import Card

#: A hint that can stand in a formula as words.
_WORDS = re.compile(r"[\w\s,.;:!?'()/+=-]+")


def points_of(card: Card) -> str:
    """ "(5 p)", or nothing."""
    return "" if card.points is None else f"({card.points:g} p)"


def asked(card: Card) -> str:
    """The question with its points."""
    points = points_of(card)
    if not points:
        return card.question
    # What begins a block must stay at the beginning of its line.
    joint = " " if card.question[:1].isalnum() else "\n\n"
    return f"{points}{joint}{card.question}"


def with_gaps(card: Card) -> str:
    """What is asked, as it stands on paper: of clozes all at once, each with its hint."""
    if card.type != "cloze":
        return asked(card)
    text, at, parts = asked(card), 0, []
    for cloze in find(text).found:
        parts += [text[at : cloze.start], _gap(cloze)]
        at = cloze.end
    return "".join([*parts, text[at:]])


def _gap(cloze: Cloze) -> str:
    if not cloze.math:
        return f"[{cloze.hint or '...'}]"
    return rf"\boxed{{\text{{{cloze.hint if _WORDS.fullmatch(cloze.hint) else '...'}}}}}"


def without_gaps(card: Card) -> str:
    """The answer of clozes: the text with everything shown; of other cards nothing."""
    return render(card.question, find(card.question), None) if card.type == "cloze" else ""


def options(card: Card) -> list[tuple[str, str]]:
    """The letters and texts of what can be chosen."""
    return [(each.letter, each.text) for each in card.options if not each.placeholder]


def answered(card: Card) -> str:
    """The answer that the card's own solution does not show: a number of the frontmatter."""
    correct = card.correct.strip()
    if card.type != "numeric" or not correct or correct in card.solution:
        return ""
    tolerance = f" (± {card.tolerance})" if card.tolerance else ""
    return f"**Answer:** {correct}{tolerance}"
