"""Rows made of items, and rows that lie too deep: their symbols, without their structure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cards.math.reading.tokens import END
from cards.math.tree import Node, Row, Symbol, Tag

if TYPE_CHECKING:
    from cards.math.reading.core import Parser

_OPENERS = frozenset({"{", "\\bgroup", "\\left", "\\begin"})
_CLOSERS = frozenset({"}", "\\egroup", "\\right", "\\end"})
_ENDS = frozenset({"&", "\\\\", "\\cr", "\\middle", "$"})


def row_of(items: list[Node], start: int) -> Row:
    """A row over `items`; an empty one stands at `start`."""
    if not items:
        return Row((), (start, start))
    last = items[-1]
    end = last.span[1]
    if type(last) is Tag:  # it may have come from within the item before
        end = max(item.span[1] for item in items)
    return Row(tuple(items), (items[0].span[0], end))


def flat(parser: Parser) -> Row:
    """Reads the symbols of a row up to where it ends, and nothing of what they are in."""
    parser.too_deep()
    items: list[Node] = []
    start = parser.starts[parser.i]
    level = 0
    while (token := parser.tokens[parser.i]) != END:
        entry = parser.entries.get(token)
        if token in _OPENERS:
            level += 1
        elif token in _CLOSERS or (level == 0 and token in _ENDS):
            if level == 0:
                break
            level -= 1
        elif isinstance(entry, tuple):
            items.append(Symbol(*entry, parser.here()))
        parser.i += 1
    return row_of(items, start)
