"""Questions about a stretch of items, answered from their events in this process or in another.

The fold is `replay_item`, without making the events of reviews, which would take most of the time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from deck.config import Config
from deck.events import Days, Step, read_line
from deck.index.codec import StateRow, moment, plain_text, state_row
from deck.index.events import events_of, undone_of
from deck.replay import Folded, New, Track, replay_item, take

if TYPE_CHECKING:
    from deck.index.seen import Counted

_COLUMNS = "e.id, e.at, e.day, e.rating, e.step, e.promise, e.line"
_EVENTS = f"""
SELECT e.item, {_COLUMNS} FROM event e WHERE e.item BETWEEN ? AND ?
UNION ALL
SELECT a.item, {_COLUMNS} FROM also a JOIN event e ON e.event = a.event
WHERE a.item BETWEEN ? AND ? AND e.item != a.item
ORDER BY 1, 2
"""
_NAMES = "SELECT item, id FROM thing WHERE item BETWEEN ? AND ?"
_UNDONE = "SELECT target FROM event WHERE target IS NOT NULL"


Standing = tuple[int, StateRow | None, bool, int | None]
"""An item, its state (None: new), whether it is suspended, until which study day it is buried."""


Question = Literal["fold", "seen"]
"""Where the items stand, or what their answers met."""


class Stretch(NamedTuple):
    """A question about the items from `low` to `high`, for this process or another."""

    what: Question
    path: str
    """The database."""
    low: int
    high: int
    config: Config
    """Its mappings are of the plain kind, which other processes understand."""


def standing(item: int, folded: Folded) -> Standing:
    state, suspended, buried = folded
    row = None if isinstance(state, New) else state_row(state)
    return item, row, suspended, buried.toordinal() if buried else None


def answer_elsewhere(stretch: Stretch) -> list[Standing] | Counted:
    """`answer_of` with a connection of its own.  Raises sqlite3.Error."""
    uri = f"{Path(stretch.path).absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as db:
        return answer_of(db, stretch)


def answer_of(db: sqlite3.Connection, stretch: Stretch) -> list[Standing] | Counted:
    """To "fold" where each item stands, to "seen" what its answers met."""
    _, _, low, high, config = stretch
    if stretch.what == "seen":
        from deck.index.seen import seen_between  # not at the start of every process

        return seen_between(db, low, high, config)
    return list(_fold(db, low, high, config))


def _fold(db: sqlite3.Connection, low: int, high: int, config: Config) -> Iterator[Standing]:
    """Every item from `low` to `high` that has a past, and where it stands."""
    names = dict(db.execute(_NAMES, (low, high)))
    undone = {row[0] for row in db.execute(_UNDONE)}
    for item, found in groupby(db.execute(_EVENTS, (low, high, low, high)), key=itemgetter(0)):
        rows = list(found)
        name = plain_text(names[item])
        if len({row[1] for row in rows}) < len(rows):  # an id that is there twice
            events, taken_back = events_of(db, item), undone_of(db, item)
            yield standing(item, replay_item(name, events, taken_back, config))
            continue
        track = Track(name, config)
        for row in rows:
            if row[1] not in undone:
                _follow(track, row)
        yield standing(item, Folded(track.state(), track.suspended, track.buried))


def _follow(track: Track, row: tuple[Any, ...]) -> None:
    _, _, at, day, rating, step, promise, line = row
    if rating is None:
        take(track, read_line(line))
        return
    led_to: Days | Step | None = None
    if step is not None:
        led_to = Step(step, timedelta(milliseconds=promise))
    elif promise is not None:
        led_to = Days(int(promise))
    track.answer(rating, moment(at), date.fromordinal(day), led_to)
