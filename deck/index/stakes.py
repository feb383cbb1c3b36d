"""What an exam of a course is about, out of the index: no card is parsed for it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from statistics import median

from deck.exam.belief import Stake
from deck.index.codec import STATE, plain_text, read_state
from deck.queue import ENOUGH, PACE
from deck.replay import ItemState, New
from deck.stats.tally import KINDS

_STAKES = f"""
SELECT t.id, c.points, (SELECT count(*) FROM item o WHERE o.card = i.card), {STATE} FROM item i
JOIN thing t ON t.item = i.item JOIN card c ON c.card = i.card LEFT JOIN state s ON s.item = i.item
WHERE NOT i.aside AND i.deck IN (SELECT value FROM json_each(?)) ORDER BY i.key, i.place
"""
_TOOK = """
SELECT kind, took FROM sight WHERE took > 0 AND item IN (SELECT item FROM item WHERE deck IN
(SELECT value FROM json_each(?))) ORDER BY day DESC LIMIT ?
"""
#: By `KINDS`: what a session calls them.
_ENTRY = {"new": "new", "learning": "learning", "relearning": "learning"}


def stakes(db: sqlite3.Connection, course: str) -> Iterator[Stake]:
    """The items of a course that are not put aside, in the order of their files."""
    for item, points, several, *state in db.execute(_STAKES, (_decks(db, course),)):
        stands: ItemState = New() if state[0] is None else read_state(tuple(state))
        worth = 1.0 if points is None else points
        yield Stake(plain_text(item), worth / max(several, 1), stands)


def pace(db: sqlite3.Connection, course: str, answers: int) -> dict[str, float]:
    """Median seconds of the course's last answers, by kind; `PACE` of a kind with few."""
    took: dict[str, list[float]] = {kind: [] for kind in PACE}
    for kind, milliseconds in db.execute(_TOOK, (_decks(db, course), answers)):
        took[_ENTRY.get(KINDS[kind], "review")].append(milliseconds / 1000)
    return {kind: median(t) if len(t) >= ENOUGH else PACE[kind] for kind, t in took.items()}


def _decks(db: sqlite3.Connection, course: str) -> str:
    """The course's decks, as the JSON that the questions above take."""
    rows = db.execute("SELECT deck, course FROM deck")
    return json.dumps([deck for deck, name in rows if json.loads(name)[0] == course])
