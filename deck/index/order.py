"""The items in the order of their files, remembered for whoever searches again."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Hashable, Iterable
from itertools import compress
from typing import Literal, NamedTuple

from deck.index.codec import plain_text

_ALL = """
SELECT i.item, i.words, t.id FROM item i JOIN thing t ON t.item = i.item ORDER BY i.key, i.place
"""
_SOME = """
SELECT t.id FROM item i JOIN thing t ON t.item = i.item
WHERE i.{} IN (SELECT value FROM json_each(?)) ORDER BY i.key, i.place
"""
#: For more items than these, all are read at once.
_MANY = 20_000
#: From such a share of all on, marking is quicker than sorting.
_SHARE = 8


class Chosen(NamedTuple):
    """Items, by their numbers, or by the rows of their cards' words."""

    by: Literal["item", "words"]
    numbers: list[int]

    def items(self, db: sqlite3.Connection) -> list[int]:
        """The numbers of the items, in no order."""
        if self.by == "item":
            return self.numbers
        sql = "SELECT item FROM item WHERE words IN (SELECT value FROM json_each(?))"
        return [row[0] for row in db.execute(sql, (json.dumps(self.numbers),))]


class Order:
    """Items to ids, sorted.  What a second search would ask again is kept: ids and places of a
    hundred thousand items take nine megabytes."""

    def __init__(self) -> None:
        self._state: Hashable = None
        self._asked = 0
        self._ids: list[str] = []
        self._items: array[int] = array("l")
        """Item to place."""
        self._words: array[int] = array("l")
        """Row of words to the place of the first item of its card; -1 of a row that is old."""
        self._several: dict[int, int] = {}
        """That place to how many items the card has, where it has several."""

    def ids(self, db: sqlite3.Connection, chosen: Chosen | None, state: Hashable) -> list[str]:
        """The ids (None: of all items) in the order of the files; `state` is another value whenever
        there may be other items."""
        if state != self._state:
            self._state, self._asked, self._ids = state, 0, []
        self._asked += 1
        much = chosen is None or self._asked > 1 or len(chosen.numbers) > _MANY
        if not self._ids and much:
            self._read(db)
        if chosen is None:
            return list(self._ids)
        if not self._ids:
            rows = db.execute(_SOME.format(chosen.by), (json.dumps(chosen.numbers),))
            return [plain_text(row[0]) for row in rows]
        ids, places = self._ids, self._places(chosen)
        if len(chosen.numbers) * _SHARE < len(ids):
            return [ids[place] for place in sorted(places)]
        flags = bytearray(len(ids))
        for place in places:
            flags[place] = 1
        return list(compress(ids, flags))

    def _places(self, chosen: Chosen) -> Iterable[int]:
        if chosen.by == "item":
            return map(self._items.__getitem__, chosen.numbers)
        found = [place for place in map(self._words.__getitem__, chosen.numbers) if place >= 0]
        if not self._several:
            return found
        return [p for first in found for p in range(first, first + self._several.get(first, 1))]

    def _read(self, db: sqlite3.Connection) -> None:
        rows = db.execute(_ALL).fetchall()
        last = db.execute("SELECT coalesce(max(rowid), 0) FROM words").fetchone()[0]
        self._ids = [plain_text(row[2]) for row in rows]
        self._items = array("l", [0]) * (1 + max((row[0] for row in rows), default=0))
        self._words = array("l", [-1]) * (1 + last)
        self._several = {}
        for place, (item, words, _) in enumerate(rows):
            self._items[item] = place
            first = self._words[words]
            if first < 0:
                self._words[words] = place
            else:
                self._several[first] = place - first + 1
