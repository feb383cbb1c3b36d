"""What a queue needs to look at, out of everything: the rest could not change its outcome.

All steps; of the reviews that are due, as many as the limits could ask for, and the next one that
will be; of new items, as many as the limits could ask for.  Law: the queue of these is the queue
of all.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from deck.config import Config
from deck.events import Raised
from deck.index.codec import STATE, plain_text, read_state
from deck.index.decks import Deck
from deck.index.heads import Groups, due_items, new_items
from deck.queue import Candidate, Done
from deck.replay import New

_CANDIDATE = f"""
SELECT i.key, i.place, i.deck, i.card, i.several, t.id, c.id, c.difficulty, c.points, {STATE}
"""
_STUDIED = f"""
{_CANDIDATE} FROM state s JOIN item i ON i.item = s.item JOIN thing t ON t.item = i.item
JOIN card c ON c.card = i.card LEFT JOIN held h ON h.item = i.item
WHERE NOT i.aside AND (h.buried IS NULL OR h.buried <= :day)
"""
_STEPS = f"{_STUDIED} AND s.learning = 1"
_DUE = f"{_STUDIED} AND s.learning = 0 AND s.due <= :day"
_COMING = f"{_STUDIED} AND s.learning = 0 AND s.due > :day ORDER BY s.due"
_ITEMS = f"""
{_CANDIDATE} FROM item i JOIN thing t ON t.item = i.item JOIN card c ON c.card = i.card
LEFT JOIN state s ON s.item = i.item WHERE i.item IN (SELECT value FROM json_each(?))
"""
_ALL = f"""
{_CANDIDATE} FROM item i JOIN thing t ON t.item = i.item JOIN card c ON c.card = i.card
LEFT JOIN held h ON h.item = i.item LEFT JOIN state s ON s.item = i.item
WHERE NOT i.aside AND (h.buried IS NULL OR h.buried <= ?) {{}} ORDER BY i.key, i.place
"""
_CHOSEN = "AND i.item IN (SELECT value FROM json_each(?))"


@dataclass(frozen=True, slots=True)
class Selected:
    """A candidate, and the number of its deck."""

    deck: int
    candidate: Candidate


def select(
    db: sqlite3.Connection,
    found: list[Deck],
    day: date,
    config: Config,
    today: Iterable[Done] = (),
    raised: Iterable[Raised] = (),
    each_deck: bool = False,
) -> list[Selected]:
    """Of the decks `found`, what a queue of the study day needs, in the order of the files.

    With `each_deck`, what the queue of each of them, or of any of them together, needs.
    """
    courses = {deck.number: deck.course for deck in found}
    limited = {name for name, own in config.courses.items() if own.reviews_per_day is not None}
    shared: Groups = {d.number: d.course if d.course in limited else None for d in found}
    by_course: Groups = {d.number: d.number for d in found} if each_deck else courses
    at, more = {"day": day.toordinal()}, list(raised)
    most = max(config.reviews_per_day, 0) + sum(max(each.reviews, 0) for each in more)
    rows = [row for row in db.execute(_STEPS, at) if row[2] in courses]
    if each_deck:  # nearly all of them
        rows += [row for row in db.execute(_DUE, at) if row[2] in courses]
    else:
        rows += _rows(db, due_items(db, shared, day.toordinal(), config, most + 1))
    coming = (row for row in db.execute(_COMING, at) if row[2] in courses)
    rows += [row for row, _ in zip(coming, range(1), strict=False)]
    busy = {row[3] for row in rows if row[4]} | {each.card_id for each in today}
    most = max(config.new_per_day, 0) + sum(max(each.new, 0) for each in more) + len(busy)
    rows += _rows(db, new_items(db, by_course, day.toordinal(), config, most + 1))
    unique = {(row[0], row[1]): row for row in rows}
    return [_selected(unique[place], courses) for place in sorted(unique)]


def everything(
    db: sqlite3.Connection, found: list[Deck], day: date, items: list[int] | None = None
) -> list[Selected]:
    """Every item of these decks (and of `items`) that is neither suspended nor buried, in the order
    of the files."""
    courses = {deck.number: deck.course for deck in found}
    chosen = () if items is None else (json.dumps(items),)
    rows = db.execute(_ALL.format(_CHOSEN if chosen else ""), (day.toordinal(), *chosen))
    return [_selected(row, courses) for row in rows if row[2] in courses]


def _rows(db: sqlite3.Connection, items: list[int]) -> list[tuple[Any, ...]]:
    return db.execute(_ITEMS, (json.dumps(items),)).fetchall()


def _selected(row: tuple[Any, ...], courses: dict[int, str]) -> Selected:
    _, _, deck, _, _, item, card, difficulty, points, *state = row
    stands = New() if state[0] is None else read_state(tuple(state))
    found = Candidate(plain_text(item), card, courses[deck], difficulty, points, stands)
    return Selected(deck, found)
