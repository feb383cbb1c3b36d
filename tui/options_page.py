"""The options of a choice card as a page: picked with their letters, marked after the reveal."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from cards.model import Option
from tui.page.blocks import Document, Item, Listing
from tui.page.limits import OPTION, cut
from tui.page.read import read
from tui.page.units import Context


def options_page(
    options: Iterable[Option],
    picked: frozenset[str] = frozenset(),
    correct: tuple[str, ...] | None = None,
    context: Context | None = None,
    most: int = sys.maxsize,
) -> Document:
    """An item an option, placeholders left out; `correct` is None before the reveal.

    Of options that cost more than `most` (tui/page/limits.py) only the beginning.
    """
    items: list[Item] = []
    whole = True
    for option in options:
        if not option.placeholder and whole:
            sign, style = _mark(option.letter in picked, correct, option.letter)
            begun, spent = cut(option.text, most - OPTION)
            most, whole = most - OPTION - spent, begun == option.text and most > OPTION
            text = read(begun, context or Context(), whole)
            mark, copy = f" {sign} {option.letter})", f"{option.letter}) "
            items.append(Item(mark, copy, tuple(text.blocks), style))
    return Document((Listing(tuple(items), tight=True),), 0)


def _mark(picked: bool, correct: tuple[str, ...] | None, letter: str) -> tuple[str, str]:
    if correct is None:
        return ("▸", "chosen") if picked else (" ", "mark")
    if letter in correct:
        return "✓", "right"
    return ("✗", "wrong") if picked else (" ", "rule")
