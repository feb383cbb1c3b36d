"""Cards out of the index: who is where, and what is known without reading a file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cards.model import Card, Item, Problem
from deck.files import key_parts
from deck.index.codec import read_problem, sql_text
from deck.index.names import clash_problem
from deck.index.store import Store

_SELECTED = (
    "SELECT f.key, c.id, d.course, c.type, c.status, c.difficulty, c.points, c.tags, c.items"
)
_FROM = "FROM card c JOIN file f ON f.file = c.card JOIN deck d ON d.deck = c.deck"
_OUTLINE = f"{_SELECTED} {_FROM}"
#: Items that one question asks for.
_TOGETHER = 500

_BRIEF = """
SELECT c.id, d.course, c.status FROM thing t JOIN item i ON i.item = t.item
JOIN card c ON c.card = i.card JOIN deck d ON d.deck = i.deck WHERE t.id = ?
"""
_CLASHES = """
SELECT f.key, c.line, c.clash FROM card c JOIN file f ON f.file = c.card
WHERE c.clash IS NOT NULL
"""
_OF_CARDS = "FROM card c JOIN file f ON f.file = c.card WHERE c.clash IS NULL"


class Brief(NamedTuple):
    """What an answer must know of its item's card."""

    card_id: str
    course: str
    status: str


def problems_of(store: Store, root: Path) -> tuple[Problem, ...]:
    """Of folders, then of files in the order of their paths."""
    said = json.loads(store.noted("folders") or "[]")
    problems = [read_problem(root.joinpath(*parts), text) for parts, text in said]
    rows = store.db.execute("SELECT key, problem FROM file WHERE problem IS NOT NULL")
    found = [(key, read_problem(root.joinpath(*key_parts(key)), text)) for key, text in rows]
    found += [(row[0], clash_problem(root, *row)) for row in store.db.execute(_CLASHES)]
    return (*problems, *(problem for _, problem in sorted(found, key=lambda each: each[0])))


def outline_of_item(db: sqlite3.Connection, root: Path, item_id: str) -> Card | None:
    """The item's card, all but its texts."""
    sql = f"{_OUTLINE} JOIN item i ON i.card = c.card JOIN thing t ON t.item = i.item"
    row = db.execute(f"{sql} WHERE t.id = ?", (sql_text(item_id),)).fetchone()
    return _outline(row, root) if row else None


def outline_of_card(db: sqlite3.Connection, root: Path, card_id: str) -> Card | None:
    row = db.execute(f"{_OUTLINE} WHERE c.id = ? AND c.clash IS NULL", (card_id,)).fetchone()
    return _outline(row, root) if row else None


def outlines(db: sqlite3.Connection, root: Path, items: Sequence[str]) -> Iterator[Card]:
    """The cards of these items, all but their texts: each once, where its first item stands."""
    seen: set[int] = set()
    sql = f"{_SELECTED}, c.card, t.id {_FROM} JOIN item i ON i.card = c.card"
    for at in range(0, len(items), _TOGETHER):
        names = [sql_text(item) for item in items[at : at + _TOGETHER]]
        chosen = f"JOIN thing t ON t.item = i.item WHERE t.id IN ({', '.join('?' * len(names))})"
        found = {row[-1]: row[:-1] for row in db.execute(f"{sql} {chosen}", names)}
        for name in names:
            row = found.get(name)
            if row is not None and row[-1] not in seen:
                seen.add(row[-1])
                yield _outline(row[:-1], root)


def _outline(row: tuple[Any, ...], root: Path) -> Card:
    key, card_id, course, kind, status, difficulty, points, tags, items = row
    return Card(
        id=card_id,
        question="",
        solution="",
        course=json.loads(course)[0],
        tags=tuple(json.loads(tags)),
        difficulty=difficulty,
        type=kind,
        status=status,
        points=points,
        items=tuple(Item(item, "", "") for item in json.loads(items)),
        path=root.joinpath(*key_parts(key)),
    )


def brief_of(db: sqlite3.Connection, item_id: str) -> Brief | None:
    row = db.execute(_BRIEF, (sql_text(item_id),)).fetchone()
    return Brief(row[0], json.loads(row[1])[0], row[2]) if row else None


def card_ids(db: sqlite3.Connection) -> list[str]:
    """In the order of their files."""
    return [row[0] for row in db.execute(f"SELECT c.id {_OF_CARDS} ORDER BY f.key")]


def item_ids(db: sqlite3.Connection) -> list[str]:
    """In the order of their files."""
    sql = "SELECT t.id FROM item i JOIN thing t ON t.item = i.item ORDER BY i.key, i.place"
    return [row[0] for row in db.execute(sql)]


def key_of_card(db: sqlite3.Connection, card_id: str) -> bytes | None:
    row = db.execute(f"SELECT f.key {_OF_CARDS} AND c.id = ?", (card_id,)).fetchone()
    return row[0] if row else None


def key_of_item(db: sqlite3.Connection, item_id: str) -> bytes | None:
    sql = "SELECT i.key FROM thing t JOIN item i ON i.item = t.item WHERE t.id = ?"
    row = db.execute(sql, (item_id,)).fetchone()
    return row[0] if row else None


def card_in(db: sqlite3.Connection, key: bytes) -> str | None:
    """The id of the card in a file."""
    row = db.execute(f"SELECT c.id {_OF_CARDS} AND f.key = ?", (key,)).fetchone()
    return row[0] if row else None
