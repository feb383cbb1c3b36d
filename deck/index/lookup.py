"""Small questions about the cards: which one is called so, which tags there are, a deck's first.

They are asked while a card is shown, so that no card is parsed for them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from cards.text import fold
from deck.files import key_parts
from deck.index.codec import plain_text
from deck.index.decks import all_decks, inside

_CALLED = """
SELECT c.id FROM called n JOIN card c ON c.card = n.card JOIN file f ON f.file = c.card
WHERE n.fold = ? AND c.clash IS NULL ORDER BY n.rank, f.key LIMIT 1
"""


def calls(card_id: str, key: bytes, titles: Iterable[str], card: int) -> list[tuple[str, int, int]]:
    """The rows of what a card may be called: by its id, its file's name, its titles and aliases.

    An id comes before a file's name, and that before a title.
    """
    stem = key_parts(key)[-1].rpartition(".")[0]
    named = [(card_id, 0), (stem, 1), *((title, 2) for title in titles)]
    return [(_folded(name), rank, card) for name, rank in named]


def called(db: sqlite3.Connection, name: str) -> str | None:
    """The id of the card that is called `name`; None where none is."""
    row = db.execute(_CALLED, (_folded(name),)).fetchone()
    return str(row[0]) if row else None


def _folded(name: str) -> str:
    """What SQLite can hold: a file's name need not be text."""
    return fold(name).encode("utf-8", "replace").decode()


def tags(db: sqlite3.Connection) -> list[str]:
    """Every tag that a card has, each once, sorted."""
    sql = "SELECT DISTINCT tag FROM tag JOIN card USING (card) WHERE clash IS NULL"
    return sorted(plain_text(row[0]) for row in db.execute(sql))


def first_card(db: sqlite3.Connection, deck: str) -> str | None:
    """The id of the first card of a deck (a `DeckCount.key`); None where it holds none."""
    numbers = json.dumps([each.number for each in inside(all_decks(db), deck)])
    sql = (
        "SELECT c.id FROM item i JOIN card c ON c.card = i.card WHERE i.deck IN"
        " (SELECT value FROM json_each(?)) ORDER BY i.key, i.place LIMIT 1"
    )
    row = db.execute(sql, (numbers,)).fetchone()
    return row[0] if row else None
