"""Small questions about the cards: which one is called so, which tags there are, a deck's first.

They are asked while a card is shown, so that no card is parsed for them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from cards.text import fold
from deck.index.codec import key_parts, plain_text
from deck.index.select import decks, inside

_NAMES = """
SELECT c.id, f.key, c.titles FROM card c JOIN file f ON f.file = c.card
WHERE c.clash IS NULL ORDER BY f.key
"""


class Named(NamedTuple):
    """What a card may be called."""

    card_id: str
    stem: str
    """Its file's name, without the suffix."""
    titles: tuple[str, ...]
    """Its `title:` and `aliases:`."""


def names(db: sqlite3.Connection) -> Iterator[Named]:
    """Of every card, in the order of their files."""
    for card_id, key, titles in db.execute(_NAMES):
        stem = key_parts(key)[-1].rpartition(".")[0]
        yield Named(card_id, stem, () if titles == "[]" else tuple(json.loads(titles)))


def folded_names(db: sqlite3.Connection) -> dict[str, str]:
    """Folded name to card id; an id comes before a file's name, and that before a title."""
    found: dict[str, str] = {}
    known = list(names(db))
    for each in known:
        found.setdefault(fold(each.card_id), each.card_id)
    for each in known:
        found.setdefault(fold(each.stem), each.card_id)
    for each in known:
        for title in each.titles:
            found.setdefault(fold(title), each.card_id)
    return found


def tags(db: sqlite3.Connection) -> list[str]:
    """Every tag that a card has, each once, sorted."""
    sql = "SELECT DISTINCT tag FROM tag JOIN card USING (card) WHERE clash IS NULL"
    return sorted(plain_text(row[0]) for row in db.execute(sql))


def first_card(db: sqlite3.Connection, deck: str) -> str | None:
    """The id of the first card of a deck (a `DeckCount.key`); None where it holds none."""
    numbers = json.dumps([each.number for each in inside(decks(db), deck)])
    sql = (
        "SELECT c.id FROM item i JOIN card c ON c.card = i.card WHERE i.deck IN"
        " (SELECT value FROM json_each(?)) ORDER BY i.key, i.place LIMIT 1"
    )
    row = db.execute(sql, (numbers,)).fetchone()
    return row[0] if row else None
