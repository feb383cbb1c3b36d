"""Which card has an id to itself: of several files with one id, the first in the order of paths."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from cards.model import Problem
from deck.errors import broken
from deck.files import key_parts
from deck.index.store import Store
from deck.replay import SUSPENDED

#: A card that names no difficulty stands in the middle of 1..5.
_MIDDLE = 3

_CARDS = """
SELECT c.card, f.key, c.id, c.items, c.deck, c.status, c.difficulty, c.words
FROM card c JOIN file f ON f.file = c.card
"""
_NAMED = f"""
{_CARDS} WHERE c.card IN
    (SELECT card FROM name WHERE name IN (SELECT value FROM json_each(?)))
"""
_PUT_ITEM = """
INSERT INTO item
SELECT t.item, :card, :place, :key, :deck, :difficulty, :several,
       :aside, :aside OR coalesce(h.suspended, 0),
       NOT (:aside OR coalesce(h.suspended, 0)) AND s.item IS NULL, :words
FROM thing t LEFT JOIN held h ON h.item = t.item LEFT JOIN state s ON s.item = t.item
WHERE t.id = :id
"""


class _Card(NamedTuple):
    card: int
    key: bytes
    id: str
    items: tuple[str, ...]
    deck: int
    status: str
    difficulty: int | None
    words: int

    @property
    def names(self) -> set[str]:
        return {self.id, *self.items}


def settle(store: Store, names: set[str]) -> None:
    """Gives each of these names to the first card that has it, with its items."""
    db = store.db
    rivals = _sharing(db, names)
    numbers = [(rival.card,) for rival in rivals]
    db.executemany("DELETE FROM item WHERE card = ?", numbers)
    db.executemany("UPDATE card SET clash = NULL WHERE card = ? AND clash IS NOT NULL", numbers)
    _put_items(db, _first_come(db, rivals))


def clash_problem(root: Path, key: bytes, line: int, clash: str) -> Problem:
    """What is said of a card whose id is another's."""
    name, first = json.loads(clash)
    message = f"The id {name!a} is already used by {root.joinpath(*first)}."
    hint = (
        "Give one of the two cards another id; until then only the first is studied. "
        "Of a copy that a sync tool made, `deltadeck sync` lets you choose."
    )
    return broken(root.joinpath(*key_parts(key)), message, hint, line)


def _sharing(db: sqlite3.Connection, names: set[str]) -> list[_Card]:
    """The cards with one of these names, and those that share any other name with such a card."""
    waiting, seen = names, set(names)
    cards: dict[int, _Card] = {}
    while waiting:
        found = map(_card, db.execute(_NAMED, (json.dumps(list(waiting)),)))
        new = {card.card: card for card in found if card.card not in cards}
        cards |= new
        waiting = {name for card in new.values() for name in card.names} - seen
        seen |= waiting
    return sorted(cards.values(), key=lambda card: card.key)


def _first_come(db: sqlite3.Connection, rivals: list[_Card]) -> list[_Card]:
    """Those of `rivals` that get their names; on the others it is noted who has them."""
    owners: dict[str, _Card] = {}
    winners = []
    for card in rivals:
        taken = next((item for item in card.items if item in owners), None)
        first = owners.get(card.id) or (owners[taken] if taken else None)
        if first is None:
            owners |= dict.fromkeys(card.names, card)
            winners.append(card)
        else:
            clash = json.dumps([taken or card.id, key_parts(first.key)])
            db.execute("UPDATE card SET clash = ? WHERE card = ?", (clash, card.card))
    return winners


def _put_items(db: sqlite3.Connection, cards: Iterable[_Card]) -> None:
    rows = (
        {
            "id": item,
            "card": card.card,
            "place": place,
            "key": card.key,
            "deck": card.deck,
            "difficulty": card.difficulty or _MIDDLE,
            "several": len(card.items) > 1,
            "aside": card.status == SUSPENDED,
            "words": card.words,
        }
        for card in cards
        for place, item in enumerate(card.items)
    )
    while part := list(islice(rows, 1000)):
        ids = [(row["id"],) for row in part]
        db.executemany("INSERT OR IGNORE INTO thing (id) VALUES (?)", ids)
        db.executemany(_PUT_ITEM, part)


def _card(row: tuple[Any, ...]) -> _Card:
    card, key, card_id, items, *rest = row
    return _Card(card, key, card_id, tuple(json.loads(items)), *rest)
