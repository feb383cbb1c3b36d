"""When cards were written, as far as that can be told, out of the index."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection
from datetime import date, datetime
from pathlib import Path

from deck.files import key_parts, stamp_of
from deck.index.codec import plain_text

_CARDS = """
SELECT c.card, t.id, c.added, f.mtime, f.key, s.day FROM item i
JOIN thing t ON t.item = i.item JOIN card c ON c.card = i.card JOIN file f ON f.file = c.card
LEFT JOIN sight s ON s.item = i.item AND s.number = 0
"""


def added(db: sqlite3.Connection, root: Path, chosen: Collection[str] | None) -> Counter[date]:
    """Cards by the day they were added: those with an item in `chosen` (None: all).

    A card that names no day was there when its file last changed and when it was first answered:
    the earlier of the two stands for it.
    """
    names = None if chosen is None else set(chosen)
    days: dict[int, int] = {}
    for card, item, said, mtime, key, answered in db.execute(_CARDS):
        if names is not None and plain_text(item) not in names:
            continue
        day = said or min(_file_day(mtime, root, key), answered or date.max.toordinal())
        days[card] = min(day, days.get(card, day))
    return Counter(date.fromordinal(day) for day in days.values())


def _file_day(mtime: int, root: Path, key: bytes) -> int:
    """Of a file that had only just changed when it was read, the index keeps no time."""
    if mtime < 0:
        mtime = stamp_of(root.joinpath(*key_parts(key)))[1]
    return datetime.fromtimestamp(max(mtime, 0) / 10**9).date().toordinal()
