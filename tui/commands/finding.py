"""Searches on the command line: the option, and errors with a caret under their place."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

from tui.commands.common import UsageError

if TYPE_CHECKING:
    from deck.collection import Collection

_EXAMPLE = "a search, such as 'tag:cnn is:due -is:suspended' (quote it for the shell"
_QUERY_HELP = f"{_EXAMPLE}; put -- before one that begins with a minus)"
#: Of an option, whose value may begin with a minus.
SEARCH_HELP = f"{_EXAMPLE})"
#: So many of a card's items are named in a sentence.
_NAMED = 6


def add_query(parser: argparse.ArgumentParser, nargs: str = "*") -> None:
    parser.add_argument("query", nargs=nargs, metavar="QUERY", help=_QUERY_HELP)


def joined(words: Sequence[str]) -> str:
    """What the shell took apart."""
    return " ".join(words)


@contextmanager
def readable() -> Iterator[None]:
    """A search that cannot be read is bad input: its line, a caret, and the way out."""
    from deck.search.errors import SearchError

    try:
        yield
    except SearchError as error:
        from tui.report import under_caret

        row = " ".join(error.text.splitlines()) if error.text.strip() else ""
        shown = [error.message, *(under_caret(row, error.column) if row else ()), error.hint]
        raise UsageError("\n  ".join(shown)) from error


def found(collection: Collection, query: str, now: datetime) -> list[str]:
    """The items that a search means.  Raises UsageError."""
    with readable():
        return collection.search(query, now)


def items_of(collection: Collection, name: str) -> list[str]:
    """The items of a card, or the one item that is named.

    Raises:
        UsageError: it names neither, with near ids.  An item that its card does not have is never
            taken for the card: an answer would land on another item.
    """
    from tui.commands.common import find_card

    if collection.has_item(name):
        return [name]
    card = find_card(collection, name)
    items = [item.id for item in card.items]
    if card.id != name:
        raise UsageError(f"There is no item '{name}': {card.id} has {listed(items)}.")
    return items


def listed(items: Sequence[str]) -> str:
    """Some of them, and how many more there are."""
    more = len(items) - _NAMED
    return ", ".join(items[:_NAMED]) + (f", and {more} more" if more > 0 else "")
