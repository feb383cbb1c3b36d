"""Texts for new cards of each type: what `deltadeck add` opens in the editor."""

from __future__ import annotations

from collections.abc import Iterable

from cards.model import TYPES, CardError, Problem
from cards.schema import unsafe_id
from cards.yamltext import write_value

_RELATED = "\n## Related Concepts\n"
_PLAIN_SOLUTION = "Write the answer here.\n"
_BODIES: dict[str, tuple[str, str]] = {
    "basic": ("Write the question here.\n", _PLAIN_SOLUTION),
    "open": ("Write the question here.\n", _PLAIN_SOLUTION),
    "derivation": (
        "(5p) Derive the backward message of the layer, $\\frac{\\partial L}{\\partial x_{ij}}$.\n",
        "Write the derivation here.\n\n## Steps / Derivation\n1. State the forward message.\n",
    ),
    "multiple_choice": (
        "Write the question here.\n\n## Options\nA) first\nB) second\nC) third\nD) fourth\n",
        "**Correct Answer:** A\n\n## Explanation\nSay why, and why the others are wrong.\n",
    ),
    "cloze": (
        "The gradient flows to the {{c1::largest}} input of a {{c2::window::which group?}}.\n",
        "",
    ),
    "reversed": ("Write the one side here.\n", "Write the other side here.\n"),
    "numeric": ("Write a question whose answer is a number.\n", _PLAIN_SOLUTION),
}


def file_name(card_id: str) -> str:
    """The name of a new card's file."""
    return f"{card_id}.md"


def new_card(card_type: str, card_id: str, course: str = "", tags: Iterable[str] = ()) -> str:
    """The text of a new card, which parses as it stands.

    Raises CardError for an unknown type, and for an id that cannot name a file.
    """
    if card_type not in _BODIES:
        hint = f"Use one of: {', '.join(TYPES)}."
        raise CardError(Problem(None, 1, 1, f"I do not know the type `{card_type}`.", hint))
    if reason := unsafe_id(card_id) or ("" if card_id else "is empty"):
        hint = "Use letters, digits, `_` or `-`."
        raise CardError(Problem(None, 1, 1, f"The id {reason}.", hint))
    question, solution = _BODIES[card_type]
    lines = [
        "---",
        f"id: {write_value(card_id)}",
        f"course: {write_value(course)}" if course else "",
        f"tags: {write_value(list(tags))}",
        "difficulty: 2",
        f"type: {card_type}",
        "status: to_learn",
        "answer: 0\ntolerance: 1%" if card_type == "numeric" else "",
        "---",
    ]
    header = "\n".join(line for line in lines if line)
    # What stands below the solution is part of a reversed card's other prompt.
    related = _RELATED if solution and card_type != "reversed" else ""
    answer = f"\n---\n# Solution\n{solution}" if solution else ""
    return f"{header}\n\n# Question\n{question}{answer}{related}"
