"""Cards as running text: formulas on one line, nothing drawn; for ears, and for pipes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tui.text import visible

if TYPE_CHECKING:
    from cards.model import Card


def spoken(markdown: str, macros: Mapping[str, str] | None = None) -> str:
    """`markdown` with each formula as a line of text in its place."""
    from cards.math import typeset
    from cards.spans import math_spans

    parts, at = [], 0
    for start, end in math_spans(markdown):
        tex = _inside(markdown[start:end])
        parts += [markdown[at:start], typeset(tex, display=False, macros=macros, mode="line")]
        at = end
    return visible("".join([*parts, markdown[at:]]).strip())


def _inside(formula: str) -> str:
    """A formula without its delimiters."""
    for opening, closing in (("$$", "$$"), ("$", "$"), (r"\[", r"\]"), (r"\(", r"\)")):
        if formula.startswith(opening) and formula.endswith(closing):
            return formula[len(opening) : len(formula) - len(closing)]
    return formula


def options_text(card: Card, macros: Mapping[str, str] | None = None) -> str:
    """The options of a card, a line each."""
    shown = (option for option in card.options if not option.placeholder)
    return "\n".join(f"{option.letter}) {spoken(option.text, macros)}" for option in shown)
