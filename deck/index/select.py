"""What a queue needs to look at, out of everything: the rest could not change its outcome.

All steps; all reviews that are due, and the next one that will be; of new items, as many of each
deck as the limits could ask for.  Law: the queue of these is the queue of all.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from deck.config import Config
from deck.decks import is_inside
from deck.event import Raised
from deck.index.codec import plain_text, read_state, sql_text
from deck.limits import Done
from deck.queue import Candidate
from deck.state import New

_CANDIDATE = """
SELECT i.key, i.place, i.deck, i.card, i.several, i.difficulty, t.id, c.id, c.difficulty, c.points,
       s.learning, s.due, s.stability, s.difficulty, s.interval, s.reviewed, s.day,
       s.repetitions, s.lapses, s.relearning
"""
_STUDIED = f"""
{_CANDIDATE} FROM state s JOIN item i ON i.item = s.item JOIN thing t ON t.item = i.item
JOIN card c ON c.card = i.card LEFT JOIN held h ON h.item = i.item
WHERE NOT i.aside AND (h.buried IS NULL OR h.buried <= :day)
"""
_STEPS = f"{_STUDIED} AND s.learning = 1"
_DUE = f"{_STUDIED} AND s.learning = 0 AND s.due <= :day"
_COMING = f"{_STUDIED} AND s.learning = 0 AND s.due > :day ORDER BY s.due"
_FRESH = f"""
{_CANDIDATE} FROM item i JOIN thing t ON t.item = i.item
JOIN card c ON c.card = i.card LEFT JOIN held h ON h.item = i.item
LEFT JOIN state s ON s.item = i.item
WHERE i.fresh AND i.deck = :deck AND (h.buried IS NULL OR h.buried <= :day)
"""
_EASY_FIRST = f"{_FRESH} ORDER BY i.difficulty, i.key, i.place"
_BY_PATH = f"{_FRESH} ORDER BY i.key, i.place"


@dataclass(frozen=True, slots=True)
class Deck:
    """A folder of cards of one course, and how many items it holds, suspended ones included."""

    number: int
    course: str
    path: tuple[str, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Selected:
    """A candidate, and the number of its deck."""

    deck: int
    candidate: Candidate


def decks(db: sqlite3.Connection) -> list[Deck]:
    """Every deck that holds an item."""
    rows = db.execute(
        "SELECT d.deck, d.course, d.path, n.total FROM deck d JOIN"
        " (SELECT deck, count(*) AS total FROM item GROUP BY deck) n ON n.deck = d.deck"
    )
    return [Deck(row[0], json.loads(row[1])[0], tuple(json.loads(row[2])), row[3]) for row in rows]


def inside(found: Iterable[Deck], key: str | None) -> list[Deck]:
    """The decks that lie in the deck `key` (None: all)."""
    return [deck for deck in found if key is None or is_inside(deck.path, key)]


def select(
    db: sqlite3.Connection,
    found: list[Deck],
    day: date,
    config: Config,
    today: Iterable[Done] = (),
    raised: Iterable[Raised] = (),
) -> list[Selected]:
    """Of the decks `found`, what a queue of the study day needs, in the order of the files."""
    courses = {deck.number: deck.course for deck in found}
    at = {"day": day.toordinal()}
    rows = [*db.execute(_STEPS, at), *db.execute(_DUE, at)]
    rows = [row for row in rows if row[2] in courses]
    rows += _first(row for row in db.execute(_COMING, at) if row[2] in courses)
    busy = {row[3] for row in rows if row[4]}
    most = _most_new(config, raised) + 1 + len(busy) + len({each.card_id for each in today})
    for deck in found:
        rows += _fresh(db, at | {"deck": deck.number}, config, most)
    unique = {(row[0], row[1]): row for row in rows}
    return [_selected(unique[place], courses) for place in sorted(unique)]


def everything(db: sqlite3.Connection, found: list[Deck], day: date) -> list[Selected]:
    """Every item of these decks that is neither suspended nor buried, in the order of the files."""
    courses = {deck.number: deck.course for deck in found}
    sql = (
        f"{_CANDIDATE} FROM item i JOIN thing t ON t.item = i.item JOIN card c ON c.card = i.card"
        " LEFT JOIN held h ON h.item = i.item LEFT JOIN state s ON s.item = i.item"
        " WHERE NOT i.aside AND (h.buried IS NULL OR h.buried <= ?) ORDER BY i.key, i.place"
    )
    rows = db.execute(sql, (day.toordinal(),))
    return [_selected(row, courses) for row in rows if row[2] in courses]


def whereabouts(db: sqlite3.Connection, item_id: str) -> tuple[str, str] | None:
    """The id and the course of an item's card; None where there is no such item."""
    row = db.execute(
        "SELECT c.id, d.course FROM thing t JOIN item i ON i.item = t.item"
        " JOIN card c ON c.card = i.card JOIN deck d ON d.deck = c.deck WHERE t.id = ?",
        (sql_text(item_id),),
    ).fetchone()
    return (row[0], json.loads(row[1])[0]) if row else None


def _fresh(
    db: sqlite3.Connection, given: dict[str, int], config: Config, most: int
) -> list[tuple[Any, ...]]:
    """Of a deck's new items, the first cards by the order in which they are begun."""
    by_path = db.execute(_BY_PATH, given)
    if config.new_order == "random":
        return by_path.fetchall()
    if config.new_order == "path":
        return _of_cards(by_path, most)
    # The first in the order of the files tells in which order the courses take turns.
    return _first(by_path) + _of_cards(db.execute(_EASY_FIRST, given), most)


def _most_new(config: Config, raised: Iterable[Raised]) -> int:
    """No queue of the day begins more new items."""
    more = sum(max(each.new, 0) for each in raised)
    return max(config.new_per_day, 0) + more


def _first(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [row for row, _ in zip(rows, range(1), strict=False)]


def _of_cards(rows: Iterable[tuple[Any, ...]], most: int) -> list[tuple[Any, ...]]:
    """The rows of the first `most` cards."""
    found, cards = [], set()
    for row in rows:
        cards.add(row[3])
        if len(cards) > most:
            break
        found.append(row)
    return found


def _selected(row: tuple[Any, ...], courses: dict[int, str]) -> Selected:
    _, _, deck, _, _, _, item, card, difficulty, points, *state = row
    stands = New() if state[0] is None else read_state(tuple(state))
    found = Candidate(plain_text(item), card, courses[deck], difficulty, points, stands)
    return Selected(deck, found)
