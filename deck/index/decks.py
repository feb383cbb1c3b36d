"""The decks of the index: folders of cards of one course."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from deck.decks import is_inside
from deck.index.codec import sql_text


@dataclass(frozen=True, slots=True)
class Deck:
    """A folder of cards of one course."""

    number: int
    course: str
    path: tuple[str, ...]


def all_decks(db: sqlite3.Connection) -> list[Deck]:
    """Every deck that holds, or held, a card."""
    rows = db.execute("SELECT deck, course, path FROM deck")
    return [Deck(row[0], json.loads(row[1])[0], tuple(json.loads(row[2]))) for row in rows]


def totals(db: sqlite3.Connection) -> dict[int, int]:
    """How many items a deck holds, suspended ones included; a deck without any is missing."""
    return dict(db.execute("SELECT deck, count(*) FROM item GROUP BY deck"))


def inside(found: Iterable[Deck], key: str | None) -> list[Deck]:
    """The decks that lie in the deck `key` (None: all)."""
    return [deck for deck in found if key is None or is_inside(deck.path, key)]


def whereabouts(db: sqlite3.Connection, item_id: str) -> tuple[str, str] | None:
    """The id and the course of an item's card; None where there is no such item."""
    row = db.execute(
        "SELECT c.id, d.course FROM thing t JOIN item i ON i.item = t.item"
        " JOIN card c ON c.card = i.card JOIN deck d ON d.deck = c.deck WHERE t.id = ?",
        (sql_text(item_id),),
    ).fetchone()
    return (row[0], json.loads(row[1])[0]) if row else None
