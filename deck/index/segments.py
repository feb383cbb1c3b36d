"""Brings the events of the index up to date with the journal's files: only new lines are read.

A file that grew keeps what was read of it, where that part is as it was (its digest says so); of
any other that changed, all events are taken out and read again.  So a file that git took back
takes its events along, and one that a sync tool replaced by a longer one costs its new lines.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from cards.model import Problem
from deck.devices import journal_files
from deck.index.codec import EventRow, plain_text, problem_text, read_problem, sql_text
from deck.index.files import Progress
from deck.index.lines import LISTED, Lines, Plan, plan, shortened, unreadable
from deck.index.schema import EVENT_INDEXES
from deck.index.store import Store
from deck.index.workers import answers
from deck.walk import NO_STAMP, Stamp, stamp_of

#: From so many bytes on, other processes are worth their start.
_SPREAD = 4_000_000


class Segment(NamedTuple):
    """A journal file as the index has it."""

    segment: int
    stamp: Stamp
    read: int
    """Bytes from its beginning that are in the index."""
    lines: int
    digest: bytes


class _Wanted(NamedTuple):
    name: str
    path: Path
    stamp: Stamp
    known: Segment | None
    start: int
    plan: Plan | Problem


class News(NamedTuple):
    """What changed."""

    items: set[int]
    """The items whose events are others now."""
    new: dict[int, set[bytes]]
    """By item, the ids of events that were read."""
    any: bool
    unreadable: bool
    """Whether a file is there whose lines cannot be read."""


def known_segments(store: Store) -> dict[str, Segment]:
    rows = store.db.execute(
        "SELECT path, segment, size, mtime, inode, read, lines, digest FROM segment"
    )
    return {plain_text(row[0]): Segment(row[1], row[2:5], *row[5:]) for row in rows}


def known_stamps(store: Store) -> dict[str, Stamp]:
    """The journal's files as the index has them."""
    rows = store.db.execute("SELECT path, size, mtime, inode FROM segment")
    return {plain_text(path): (size, mtime, inode) for path, size, mtime, inode in rows}


def stamps_on_disk(private: Path) -> dict[str, Stamp]:
    """The journal's files as they are: `journal_files`, in the time that an answer has for it."""
    journal, found = f"{private}/journal", {}
    for device in _names(journal):
        for name in _names(f"{journal}/{device}"):
            if name.endswith(".jsonl"):
                try:
                    stat = os.stat(f"{journal}/{device}/{name}")  # noqa: PTH116
                except OSError:
                    found[f"journal/{device}/{name}"] = NO_STAMP
                    continue
                stamp = (stat.st_size, stat.st_mtime_ns, stat.st_ino)
                found[f"journal/{device}/{name}"] = stamp
    return found


def _names(folder: str) -> list[str]:
    try:
        return [entry.name for entry in os.scandir(folder) if entry.name[0] != "."]
    except OSError:
        return []


def problems_of(store: Store, private: Path) -> tuple[Problem, ...]:
    """What is wrong with the journal's folders, then with its lines, file by file."""
    said = json.loads(store.noted("misplaced") or "[]")
    problems = [read_problem(Path(path), text) for path, text in said]
    rows = store.db.execute("SELECT path, problems FROM segment WHERE problems != '[]'")
    for name, texts in sorted((plain_text(name), texts) for name, texts in rows):
        path = private.joinpath(*name.split("/"))
        problems += [read_problem(path, text) for text in json.loads(texts)]
    return tuple(problems)


class _OvertakenError(Exception):
    """Another program or thread has taken up the same lines meanwhile."""


def take_up(store: Store, private: Path, progress: Progress) -> News:
    """Takes up every change of the journal below `private` (`.deltadeck/`)."""
    while True:
        try:
            return _take_up(store, private, progress)
        except _OvertakenError:
            continue


def _take_up(store: Store, private: Path, progress: Progress) -> News:
    paths, misplaced = journal_files(private)
    known = known_segments(store)
    wanted = []
    for path in paths:
        name = "/".join(path.relative_to(private).parts)
        stamp, before = stamp_of(path), known.pop(name, None)
        if before is None or before.stamp != stamp or stamp == NO_STAMP:
            wanted.append(_look_into(name, path, stamp, before))
    said = json.dumps([(str(p.path), problem_text(p)) for p in misplaced])
    changed = store.note("misplaced", said) or bool(known or wanted)
    intake = Intake(store)
    if known:
        with store.writing() as db:
            for gone in known.values():
                intake.items |= _forget(db, gone.segment)
                db.execute("DELETE FROM segment WHERE segment = ?", (gone.segment,))
            intake.mark()
    if wanted:
        _read(store, wanted, intake, progress)
    return News(intake.items, intake.new, changed, intake.unreadable)


def _look_into(name: str, path: Path, stamp: Stamp, before: Segment | None) -> _Wanted:
    try:
        if before is not None and stamp[0] >= before.read and before.digest != b"":
            made = plan(path, before.read, before.lines)
            if made.before == before.digest:
                return _Wanted(name, path, stamp, before, before.read, made)
        return _Wanted(name, path, stamp, before, 0, plan(path, 0, 0))
    except OSError as error:
        return _Wanted(name, path, NO_STAMP, before, 0, unreadable(path, error))


def _read(store: Store, wanted: list[_Wanted], intake: Intake, progress: Progress) -> None:
    """Few lines are one change of the index; many come in pieces, and count from the last on."""
    pieces = [(w, p) for w in wanted if isinstance(w.plan, Plan) for p in w.plan.pieces]
    total = sum(piece.end - piece.start for _, piece in pieces)
    bulk = total >= _SPREAD
    found = answers([piece for _, piece in pieces], bulk)
    if not bulk:
        found = iter(list(found))  # before the lock
        with store.writing():
            _refuse_overtaken(store, wanted)
            for each in wanted:
                intake.begin(each)
            for number, lines in found:
                intake.put(pieces[number][0], lines)
            for each in wanted:
                intake.end(each)
            intake.mark()
        return
    with store.bulk():
        done = 0
        with store.writing() as db:
            _refuse_overtaken(store, wanted)
            store.note("fold", "")  # whatever comes, everything must be folded again
            if not db.execute("SELECT 1 FROM event LIMIT 1").fetchone():
                for index in EVENT_INDEXES:
                    db.execute(f"DROP INDEX {index}")
            for each in wanted:
                intake.begin(each)
        for number, lines in found:
            with store.writing():
                intake.put(pieces[number][0], lines)
            done += pieces[number][1].end - pieces[number][1].start
            progress("reviews", done, total)
        with store.writing() as db:
            for sql in EVENT_INDEXES.values():
                db.execute(sql)
            for each in wanted:
                intake.end(each)


def _refuse_overtaken(store: Store, wanted: list[_Wanted]) -> None:
    """Before the first change of the index: the files must still be in it as they were."""
    known = known_segments(store)
    if any(known.get(each.name) != each.known for each in wanted):
        raise _OvertakenError


class Intake:
    """Events on their way into the index."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.db = store.db
        self.items: set[int] = set()
        """Those whose events are others now."""
        self.new: dict[int, set[bytes]] = {}
        """By item, the events that came."""
        self.unreadable = False
        self._things: dict[str, int] = {}
        self._models: dict[tuple[str, str, str], int] = {}
        self._segments: dict[str, int] = {}
        self._problems: dict[str, list[Problem]] = {}

    def begin(self, each: _Wanted) -> None:
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
            self.items |= _forget(self.db, before.segment)
        else:
            row = self.db.execute(
                "SELECT problems FROM segment WHERE segment = ?", (before.segment,)
            ).fetchone()
            listed = [read_problem(each.path, text) for text in json.loads(row[0])]
            self._problems[each.name] = [p for p in listed if p.line <= before.lines]
        sql = "UPDATE segment SET size = -1, digest = x'' WHERE segment = ?"
        self.db.execute(sql, (before.segment,))

    def put(self, each: _Wanted, lines: Lines) -> None:
        self._problems.setdefault(each.name, []).extend(lines.problems)
        segment = self._segments[each.name]
        first = self.add(segment, lines.rows)
        for place, items in lines.also:
            self.also(first + place, items)

    def end(self, each: _Wanted) -> None:
        made, problems = each.plan, self._problems.get(each.name, [])
        if isinstance(made, Problem):
            self.unreadable = True
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
        last = self.db.execute("SELECT coalesce(max(event), 0) FROM event").fetchone()[0]
        ready = [
            (number, row[0], segment, self.thing(row[1]), *row[2:7], self._model(row[7]), *row[8:])
            for number, row in enumerate(rows, last + 1)
        ]
        self.db.executemany(_PUT, ready)
        for row in ready:
            self.items.add(row[3])
            self.new.setdefault(row[3], set()).add(row[1])
        self.items |= _undone(self.db, [row[-2] for row in ready if row[-2] is not None])
        return int(last) + 1

    def also(self, event: int, items: Iterable[str]) -> None:
        """Notes that an event concerns these items too."""
        things = [self.thing(item) for item in items]
        sql = "INSERT OR IGNORE INTO also VALUES (?, ?)"
        self.db.executemany(sql, [(thing, event) for thing in things])
        self.items.update(things)

    def mark(self) -> None:
        """Notes what must be folded again, in the change that makes it so."""
        rows = [(item,) for item in self.items]
        self.db.executemany("INSERT OR IGNORE INTO unfolded VALUES (?)", rows)

    def thing(self, item_id: str) -> int:
        known = self._things.get(item_id)
        if known is None:
            text = sql_text(item_id)
            self.db.execute("INSERT OR IGNORE INTO thing (id) VALUES (?)", (text,))
            row = self.db.execute("SELECT item FROM thing WHERE id = ?", (text,)).fetchone()
            known = self._things[item_id] = int(row[0])
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


_PUT = f"INSERT INTO event VALUES ({', '.join('?' * 14)})"


def _forget(db: sqlite3.Connection, segment: int) -> set[int]:
    """Takes a file's events out; the items that they concern."""
    mine = "(SELECT event FROM event WHERE segment = ?)"
    sql = "SELECT target FROM event WHERE segment = ? AND target IS NOT NULL"
    undone = _undone(db, [row[0] for row in db.execute(sql, (segment,))])
    items = {
        *(row[0] for row in db.execute("SELECT item FROM event WHERE segment = ?", (segment,))),
        *(row[0] for row in db.execute(f"SELECT item FROM also WHERE event IN {mine}", (segment,))),
    }
    db.execute(f"DELETE FROM also WHERE event IN {mine}", (segment,))
    db.execute("DELETE FROM event WHERE segment = ?", (segment,))
    return items | undone


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
