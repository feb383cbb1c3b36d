"""Events on their way from the journal's files into the index."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from cards.model import Problem
from deck.files import Stamp
from deck.index.codec import EventRow, plain_text, problem_text, read_problem, sql_text
from deck.index.events import COLUMNS, models_of, read_row
from deck.index.folding import put_folded
from deck.index.lines import LISTED, Lines, Plan, shortened
from deck.index.store import Store
from deck.replay import Folded, unique

_PUT = f"INSERT INTO event VALUES ({', '.join('?' * 14)})"
_UNDER = f"""
SELECT e.event, {COLUMNS} FROM (SELECT * FROM event UNION ALL SELECT * FROM rival) e
JOIN thing t ON t.item = e.item WHERE e.id = ?
"""
_CONTESTED = """
SELECT DISTINCT id FROM event e WHERE event > ? AND (id IN (SELECT id FROM rival) OR
    EXISTS (SELECT 1 FROM event o WHERE o.id = e.id AND
    (o.item, o.at, o.offset, o.day, o.rating, o.took, o.model, o.step, o.promise, o.line) IS NOT
    (e.item, e.at, e.offset, e.day, e.rating, e.took, e.model, e.step, e.promise, e.line)))
"""
_LAST = """
SELECT max(coalesce((SELECT max(event) FROM event), 0), coalesce((SELECT max(event) FROM rival), 0))
"""
_THINGS = "SELECT id, item FROM thing"


class Segment(NamedTuple):
    """A journal file as the index has it."""

    segment: int
    stamp: Stamp
    read: int
    """Bytes from its beginning that are in the index."""
    lines: int
    digest: bytes


class Wanted(NamedTuple):
    """A journal file that must be looked into."""

    name: str
    path: Path
    stamp: Stamp
    known: Segment | None
    start: int
    plan: Plan | Problem


class Own(NamedTuple):
    """What this program wrote since the index read it."""

    alone: Mapping[str, Stamp]
    """Files that nobody else changed meanwhile, as this program left them."""
    folded: Mapping[str, tuple[set[bytes], Folded]]
    """By item id: the ids of the events, and where they led."""


class Intake:
    """Events on their way into the index."""

    def __init__(self, store: Store, own: Own) -> None:
        self.db = store.db
        self.unreadable: list[Problem] = []
        """The files that are there and whose lines cannot be read."""
        self._own = own
        self._marks = True
        self._last: int | None = None
        """The last event before those that come."""
        self._items: set[int] = set()
        self._new: dict[int, set[bytes]] = {}
        self._things: dict[str, int] = {}
        self._models: dict[tuple[str, str, str], int] = {}
        self._segments: dict[str, int] = {}
        self._problems: dict[str, list[Problem]] = {}
        self._cut: dict[str, Problem] = {}

    def prepare(self) -> None:
        """Much will come: everything is folded again behind it, and no item needs a mark."""
        self._marks = False
        self._things = {plain_text(name): item for name, item in self.db.execute(_THINGS)}

    def forget(self, segment: int) -> None:
        """Takes out a file that is gone."""
        self._forget(segment)
        self.db.execute("DELETE FROM segment WHERE segment = ?", (segment,))

    def begin(self, each: Wanted) -> None:
        """Until `end`, the file counts as not read at all: a crash between costs reading it."""
        before = each.known
        if before is None:
            sql = (
                "INSERT INTO segment (path, size, mtime, inode, read, lines, digest, problems)"
                " VALUES (?, -1, -1, -1, 0, 0, x'', '[]')"
            )
            self._segments[each.name] = self.db.execute(sql, (sql_text(each.name),)).lastrowid or 0
            return
        self._segments[each.name] = before.segment
        if isinstance(each.plan, Problem):
            return  # what was read of it stays
        if each.start == 0:
            self._forget(before.segment)
        else:
            row = self.db.execute(
                "SELECT problems FROM segment WHERE segment = ?", (before.segment,)
            ).fetchone()
            listed = [read_problem(each.path, text) for text in json.loads(row[0])]
            self._problems[each.name] = [p for p in listed if p.line <= before.lines]
        sql = "UPDATE segment SET size = -1, digest = x'' WHERE segment = ?"
        self.db.execute(sql, (before.segment,))

    def put(self, each: Wanted, lines: Lines) -> None:
        self._problems.setdefault(each.name, []).extend(lines.problems)
        if lines.unread:
            self._cut[each.name] = lines.unread
        segment = self._segments[each.name]
        first = self.add(segment, lines.rows)
        for place, items in lines.also:
            self.also(first + place, items)

    def end(self, each: Wanted) -> None:
        made = self._cut.get(each.name, each.plan)
        problems = self._problems.get(each.name, [])
        if isinstance(made, Problem):
            self.unreadable.append(made)
            text = json.dumps([problem_text(made)])
            sql = "UPDATE segment SET size = -1, mtime = -1, inode = -1, problems = ?"
            self.db.execute(f"{sql} WHERE segment = ?", (text, self._segments[each.name]))
            return
        # What a line without its end, or a list cut short, stands for is read again as a whole.
        again = len(problems) > LISTED or any(piece.last for piece in made.pieces)
        digest = b"" if again else made.digest
        texts = json.dumps([problem_text(p) for p in shortened(each.path, problems)])
        self.db.execute(
            "UPDATE segment SET size = ?, mtime = ?, inode = ?, read = ?, lines = ?, digest = ?,"
            " problems = ? WHERE segment = ?",
            (*each.stamp, made.read, made.lines, digest, texts, self._segments[each.name]),
        )

    def add(self, segment: int, rows: list[EventRow]) -> int:
        """Puts events in; the number of the first."""
        last = self.db.execute(_LAST).fetchone()[0]
        self._last = last if self._last is None else self._last
        ready = [
            (number, row[0], segment, self.thing(row[1]), *row[2:7], self._model(row[7]), *row[8:])
            for number, row in enumerate(rows, last + 1)
        ]
        self.db.executemany(_PUT, ready)
        if self._marks:
            for row in ready:
                self._new.setdefault(row[3], set()).add(row[1])
            self._items |= _undone(self.db, [row[-2] for row in ready if row[-2] is not None])
        return int(last) + 1

    def also(self, event: int, items: Iterable[str]) -> None:
        """Notes that an event concerns these items too."""
        things = [self.thing(item) for item in items]
        sql = "INSERT OR IGNORE INTO also VALUES (?, ?)"
        self.db.executemany(sql, [(thing, event) for thing in things])
        self._items.update(things)

    def choose(self) -> None:
        """Keeps one event of those that differ under one id; the others are rivals."""
        if self._last is not None:
            rows = self.db.execute(_CONTESTED, (self._last,)).fetchall()
            self._choose([row[0] for row in rows])

    def _choose(self, ids: Iterable[bytes]) -> None:
        models = models_of(self.db)
        for event_id in ids:
            rows = self.db.execute(_UNDER, (event_id,)).fetchall()
            events = {row[0]: read_row(row[1:], models) for row in rows}
            counts = list(unique(events.values()))  # one, or none where all are gone
            self.db.execute("INSERT INTO rival SELECT * FROM event WHERE id = ?", (event_id,))
            self.db.execute("DELETE FROM event WHERE id = ?", (event_id,))
            for number, event in events.items():
                self.db.execute("DELETE FROM also WHERE event = ?", (number,))
                if event in counts:
                    sql = "INSERT INTO event SELECT * FROM rival WHERE event = ?"
                    self.db.execute(sql, (number,))
                    self.db.execute("DELETE FROM rival WHERE event = ?", (number,))
                    if event.items != (event.item,):
                        self.also(number, event.items)
            self._items.update(self.thing(item) for e in events.values() for item in e.items)
            targets = [row[-2] for row in rows if row[-2] is not None]
            self._items |= _undone(self.db, targets)

    def _forget(self, segment: int) -> None:
        """Takes a file's events out; others under their ids may count now."""
        db, given = self.db, (segment,)
        sql = "SELECT DISTINCT id FROM event JOIN rival USING (id) WHERE event.segment = ?"
        ids = [row[0] for row in db.execute(sql, given)]
        sql = "SELECT target FROM event WHERE segment = ? AND target IS NOT NULL"
        self._items |= _undone(db, [row[0] for row in db.execute(sql, given)])
        mine = "(SELECT event FROM event WHERE segment = ?1)"
        sql = "SELECT item FROM event WHERE segment = ?1 UNION SELECT item FROM also"
        self._items.update(row[0] for row in db.execute(f"{sql} WHERE event IN {mine}", given))
        db.execute(f"DELETE FROM also WHERE event IN {mine}", given)
        db.execute("DELETE FROM event WHERE segment = ?", given)
        db.execute("DELETE FROM rival WHERE segment = ?", given)
        self._choose(ids)

    def mark(self) -> None:
        """Notes what must be folded again, in the change that makes it so; what this program has
        folded already is put in, where nothing else came between."""
        rows = [(item,) for item in self._items | self._new.keys()]
        self.db.executemany("INSERT OR IGNORE INTO unfolded VALUES (?)", rows)
        own = ((self.thing(name), ids, to) for name, (ids, to) in self._own.folded.items())
        known = {i: to for i, ids, to in own if self._new.get(i) == ids and i not in self._items}
        put_folded(self.db, known)

    def thing(self, item_id: str) -> int:
        known = self._things.get(item_id)
        if known is None:
            text = (sql_text(item_id),)
            row = self.db.execute("SELECT item FROM thing WHERE id = ?", text).fetchone()
            made = row or (self.db.execute("INSERT INTO thing (id) VALUES (?)", text).lastrowid,)
            known = self._things[item_id] = int(made[0] or 0)
        return known

    def _model(self, model: tuple[str, str, str] | None) -> int | None:
        if model is None:
            return None
        known = self._models.get(model)
        if known is None:
            row = tuple(map(sql_text, model))
            sql = "INSERT OR IGNORE INTO model (name, parameters, status) VALUES (?, ?, ?)"
            self.db.execute(sql, row)
            sql = "SELECT model FROM model WHERE name = ? AND parameters = ? AND status = ?"
            known = self._models[model] = int(self.db.execute(sql, row).fetchone()[0])
        return known


def _undone(db: sqlite3.Connection, targets: list[bytes]) -> set[int]:
    """The items of the events that an undo names: theirs is another past now."""
    items: set[int] = set()
    for target in targets:
        for event, item in db.execute("SELECT event, item FROM event WHERE id = ?", (target,)):
            items.add(item)
            items.update(
                row[0] for row in db.execute("SELECT item FROM also WHERE event = ?", (event,))
            )
    return items
