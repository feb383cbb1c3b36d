"""The options of a choice card as a page: picked with their letters, marked after the reveal."""

from __future__ import annotations

from collections.abc import Iterable

from cards.model import Option
from tui.page.blocks import Document, Item, Listing
from tui.page.read import read
from tui.page.units import Context


def options_page(
    options: Iterable[Option],
    picked: frozenset[str] = frozenset(),
    correct: tuple[str, ...] | None = None,
    context: Context | None = None,
) -> Document:
    """An item an option, placeholders left out; `correct` is None before the reveal."""
    items: list[Item] = []
    for option in options:
        if not option.placeholder:
            sign, style = _mark(option.letter in picked, correct, option.letter)
            text = read(option.text, context or Context())
            mark, copy = f" {sign} {option.letter})", f"{option.letter}) "
            items.append(Item(mark, copy, tuple(text.blocks), style))
    return Document((Listing(tuple(items), tight=True),), 0)


def _mark(picked: bool, correct: tuple[str, ...] | None, letter: str) -> tuple[str, str]:
    if correct is None:
        return ("▸", "chosen") if picked else (" ", "mark")
    if letter in correct:
        return "✓", "right"
    return ("✗", "wrong") if picked else (" ", "rule")
