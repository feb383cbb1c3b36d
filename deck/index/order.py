"""The items in the order of their files, remembered for whoever searches again."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Hashable, Sequence
from itertools import compress

from deck.index.codec import plain_text

_ALL = """
SELECT i.item, t.id FROM item i JOIN thing t ON t.item = i.item ORDER BY i.key, i.place
"""
_SOME = """
SELECT t.id FROM item i JOIN thing t ON t.item = i.item
WHERE i.item IN (SELECT value FROM json_each(?)) ORDER BY i.key, i.place
"""
#: For more items than these, all are read at once.
_MANY = 20_000
#: From such a share of all on, marking is quicker than sorting.
_SHARE = 8


class Order:
    """Item numbers to ids, sorted.  What a second search would ask again is kept: ids of a hundred
    thousand items take eight megabytes."""

    def __init__(self) -> None:
        self._state: Hashable = None
        self._asked = 0
        self._ids: list[str] = []
        self._ranks: array[int] = array("l")

    def ids(self, db: sqlite3.Connection, numbers: Sequence[int], state: Hashable) -> list[str]:
        """The ids of some items, in the order of their files; `state` is another value whenever
        there may be other items."""
        if state != self._state:
            self._state, self._asked, self._ids = state, 0, []
        self._asked += 1
        if not self._ids and (self._asked > 1 or len(numbers) > _MANY):
            self._read(db)
        if not self._ids:
            rows = db.execute(_SOME, (json.dumps(numbers),))
            return [plain_text(row[0]) for row in rows]
        ids, ranks = self._ids, map(self._ranks.__getitem__, numbers)
        if len(numbers) * _SHARE < len(ids):
            return [ids[rank] for rank in sorted(ranks)]
        flags = bytearray(len(ids))
        for rank in ranks:
            flags[rank] = 1
        return list(compress(ids, flags))

    def _read(self, db: sqlite3.Connection) -> None:
        rows = db.execute(_ALL).fetchall()
        self._ids = [plain_text(row[1]) for row in rows]
        self._ranks = array("l", [0]) * (1 + max((row[0] for row in rows), default=0))
        for rank, row in enumerate(rows):
            self._ranks[row[0]] = rank
