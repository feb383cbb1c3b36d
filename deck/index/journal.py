"""The journal's files in the index: only new lines are read.

A file that grew keeps what was read of it, where that part is as it was (its digest says so); of
any other that changed, all events are taken out and read again.  So a file that git took back
takes its events along, and one that a sync tool replaced by a longer one costs its new lines.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from cards.model import Problem
from deck.files import NO_STAMP, FileStamp, stamp_of
from deck.index.codec import (
    COLUMNS,
    models_of,
    plain_text,
    problem_text,
    read_event,
    read_problem,
    sql_text,
)
from deck.index.lines import (
    LISTED,
    Lines,
    ReadPlan,
    plan,
    plan_on,
    read_piece,
    shortened,
    unreadable,
)
from deck.index.schedule import OvertakenError, put_folded
from deck.index.store import EVENT_INDEXES, Progress, Store
from deck.journal import is_closed, journal_files
from deck.replay import ItemStatus, dedupe_events


def known_stamps(store: Store) -> dict[str, FileStamp]:
    """The journal's files as the index has them."""
    return {name: segment.stamp for name, segment in _known_segments(store).items()}


# Events on their way from the journal's files into the index.

_PUT = f"INSERT INTO event VALUES ({', '.join('?' * 14)})"
_UNDER = f"""
SELECT e.event, {COLUMNS} FROM (SELECT * FROM event UNION ALL SELECT * FROM rival) e
JOIN thing t ON t.item = e.item WHERE e.id = ?
"""
#: By number: SQLite would rather go through the whole index of ids, as it has to name each once.
_CONTESTED = """
SELECT DISTINCT id FROM event e NOT INDEXED WHERE event > ? AND (id IN (SELECT id FROM rival) OR
    EXISTS (SELECT 1 FROM event o WHERE o.id = e.id AND
    (o.item, o.at, o.offset, o.day, o.rating, o.took, o.model, o.step, o.promise, o.line) IS NOT
    (e.item, e.at, e.offset, e.day, e.rating, e.took, e.model, e.step, e.promise, e.line)))
"""
_LAST = """
SELECT max(coalesce((SELECT max(event) FROM event), 0), coalesce((SELECT max(event) FROM rival), 0))
"""
_CONCERNED = """
SELECT item FROM event WHERE id = ?1
UNION SELECT a.item FROM also a JOIN event e ON e.event = a.event WHERE e.id = ?1
"""
_OF_SEGMENT = """
SELECT item FROM event WHERE segment = ?1
UNION SELECT item FROM also WHERE event IN (SELECT event FROM event WHERE segment = ?1)
"""


class Segment(NamedTuple):
    """A journal file as the index has it."""

    segment: int
    stamp: FileStamp
    read: int
    """Bytes from its beginning that are in the index."""
    lines: int
    digest: bytes


class ChangedSegment(NamedTuple):
    """A journal file that must be looked into."""

    name: str
    path: Path
    stamp: FileStamp
    known: Segment | None
    start: int
    plan: ReadPlan | Problem


class Own(NamedTuple):
    """What this program wrote since the index read it."""

    alone: Mapping[str, FileStamp]
    """By name, the files as this program left them; `NO_STAMP` where others changed them too."""
    folded: Mapping[str, tuple[set[bytes], ItemStatus]]
    """By item id: the ids of the events, and where they led."""


class EventLoader:
    """Events on their way into the index."""

    def __init__(self, store: Store, own: Own) -> None:
        self.db = store.db
        self.unreadable: list[Problem] = []
        """The files that are there and whose lines cannot be read."""
        self._own = own
        self._ours = {event_id for ids, _ in own.folded.values() for event_id in ids}
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
        rows = self.db.execute("SELECT id, item FROM thing")
        self._things = {plain_text(name): item for name, item in rows}

    def forget(self, segment: int) -> None:
        """Takes out a file that is gone."""
        self._forget_events(segment)
        self.db.execute("DELETE FROM segment WHERE segment = ?", (segment,))

    def begin(self, each: ChangedSegment) -> None:
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
            self._forget_events(before.segment)
        else:
            sql = "SELECT problems FROM segment WHERE segment = ?"
            row = self.db.execute(sql, (before.segment,)).fetchone()
            listed = [read_problem(each.path, text) for text in json.loads(row[0])]
            self._problems[each.name] = [p for p in listed if p.line <= before.lines]
        sql = "UPDATE segment SET size = -1, digest = x'' WHERE segment = ?"
        self.db.execute(sql, (before.segment,))

    def put(self, each: ChangedSegment, lines: Lines) -> None:
        """Puts the events of some lines in."""
        self._problems.setdefault(each.name, []).extend(lines.problems)
        if lines.unread:
            self._cut[each.name] = lines.unread
        last = int(self.db.execute(_LAST).fetchone()[0])
        self._last = last if self._last is None else self._last
        segment, thing, model = self._segments[each.name], self._thing, self._model
        ready = [
            (number, row[0], segment, thing(row[1]), *row[2:7], model(row[7]), *row[8:])
            for number, row in enumerate(lines.rows, last + 1)
        ]
        self.db.executemany(_PUT, ready)
        if self._marks:
            for row in ready:
                self._new.setdefault(row[3], set()).add(row[1])
            self._mark_undone(row[-2] for row in ready if row[1] not in self._ours)
        for place, items in lines.also:
            self._put_also(last + 1 + place, items)

    def end(self, each: ChangedSegment) -> None:
        """Notes how far the file is read, and what is wrong with it."""
        made, segment = self._cut.get(each.name, each.plan), self._segments[each.name]
        problems = self._problems.get(each.name, [])
        if isinstance(made, Problem):
            self.unreadable.append(made)
            sql = "UPDATE segment SET size = -1, mtime = -1, inode = -1, problems = ?"
            text = json.dumps([problem_text(made)])
            self.db.execute(f"{sql} WHERE segment = ?", (text, segment))
            return
        # What a line without its end, or a list cut short, stands for is read again as a whole.
        again = len(problems) > LISTED or any(piece.last for piece in made.pieces)
        digest = b"" if again else made.digest
        texts = json.dumps([problem_text(p) for p in shortened(each.path, problems)])
        self.db.execute(
            "UPDATE segment SET size = ?, mtime = ?, inode = ?, read = ?, lines = ?, digest = ?,"
            " problems = ? WHERE segment = ?",
            (*each.stamp, made.read, made.lines, digest, texts, segment),
        )

    def choose(self) -> None:
        """Keeps one event of those that differ under one id; the others are rivals."""
        if self._last is not None:
            rows = self.db.execute(_CONTESTED, (self._last,)).fetchall()
            self._choose([row[0] for row in rows])

    def _choose(self, ids: Iterable[bytes]) -> None:
        db, models = self.db, models_of(self.db)
        for event_id in ids:
            rows = db.execute(_UNDER, (event_id,)).fetchall()
            events = {row[0]: read_event(row[1:], models) for row in rows}
            counts = list(dedupe_events(events.values()))  # one, or none where all are gone
            db.execute("INSERT INTO rival SELECT * FROM event WHERE id = ?", (event_id,))
            db.execute("DELETE FROM event WHERE id = ?", (event_id,))
            for number, event in events.items():
                db.execute("DELETE FROM also WHERE event = ?", (number,))
                if event in counts:
                    db.execute("INSERT INTO event SELECT * FROM rival WHERE event = ?", (number,))
                    db.execute("DELETE FROM rival WHERE event = ?", (number,))
                    if event.items != (event.item,):
                        self._put_also(number, event.items)
            self._items.update(self._thing(item) for e in events.values() for item in e.items)
            self._mark_undone(row[-2] for row in rows)

    def _forget_events(self, segment: int) -> None:
        """Takes a file's events out; others under their ids may count now."""
        db, given = self.db, (segment,)
        sql = "SELECT DISTINCT id FROM event JOIN rival USING (id) WHERE event.segment = ?"
        ids = [row[0] for row in db.execute(sql, given)]
        rows = db.execute("SELECT target FROM event WHERE segment = ?", given)
        self._mark_undone([row[0] for row in rows])
        self._items.update(row[0] for row in db.execute(_OF_SEGMENT, given))
        sql = "DELETE FROM also WHERE event IN (SELECT event FROM event WHERE segment = ?)"
        db.execute(sql, given)
        for table in ("event", "rival"):
            db.execute(f"DELETE FROM {table} WHERE segment = ?", given)
        self._choose(ids)

    def _mark_undone(self, targets: Iterable[bytes | None]) -> None:
        """The items of the events that an undo names: theirs is another past now."""
        for target in targets:
            if target is not None:
                self._items.update(row[0] for row in self.db.execute(_CONCERNED, (target,)))

    def _put_also(self, event: int, items: Iterable[str]) -> None:
        """Notes that an event concerns these items too."""
        things = [self._thing(item) for item in items]
        sql = "INSERT OR IGNORE INTO also VALUES (?, ?)"
        self.db.executemany(sql, [(thing, event) for thing in things])
        self._items.update(things)

    def mark(self) -> None:
        """Notes what must be folded again, in the change that makes it so; what this program has
        folded already is put in, where nothing else came between."""
        rows = [(item,) for item in self._items | self._new.keys()]
        self.db.executemany("INSERT OR IGNORE INTO unfolded VALUES (?)", rows)
        own = ((self._thing(name), ids, to) for name, (ids, to) in self._own.folded.items())
        known = {i: to for i, ids, to in own if self._new.get(i) == ids and i not in self._items}
        put_folded(self.db, known)

    def _thing(self, item_id: str) -> int:
        known = self._things.get(item_id)
        if known is None:
            text = (sql_text(item_id),)
            row = self.db.execute("SELECT item FROM thing WHERE id = ?", text).fetchone()
            made = row or (self.db.execute("INSERT INTO thing (id) VALUES (?)", text).lastrowid,)
            known = self._things[item_id] = int(made[0] or 0)
        return known

    def _model(self, model: tuple[str, str, str] | None) -> int | None:
        known = self._models.get(model) if model else None
        if model and known is None:
            row = tuple(map(sql_text, model))
            sql = "INSERT OR IGNORE INTO model (name, parameters, status) VALUES (?, ?, ?)"
            self.db.execute(sql, row)
            sql = "SELECT model FROM model WHERE name = ? AND parameters = ? AND status = ?"
            known = self._models[model] = int(self.db.execute(sql, row).fetchone()[0])
        return known


#: From so many bytes on, other processes are worth their start.
SPREAD = 4_000_000


def _known_segments(store: Store) -> dict[str, Segment]:
    rows = store.db.execute(
        "SELECT path, segment, size, mtime, inode, read, lines, digest FROM segment"
    )
    return {plain_text(row[0]): Segment(row[1], row[2:5], *row[5:]) for row in rows}


def problems_of(store: Store, private: Path) -> tuple[Problem, ...]:
    """What is wrong with the journal's folders, then with its lines, file by file."""
    said = json.loads(store.noted("misplaced") or "[]")
    problems = [read_problem(Path(path), text) for path, text in said]
    rows = store.db.execute("SELECT path, problems FROM segment WHERE problems != '[]'")
    for name, texts in sorted((plain_text(name), texts) for name, texts in rows):
        path = private.joinpath(*name.split("/"))
        problems += [read_problem(path, text) for text in json.loads(texts)]
    return tuple(problems)


def take_up(store: Store, private: Path, own: Own, progress: Progress) -> tuple[Problem, ...]:
    """Takes up every change of the journal below `private` (`.deltadeck/`), of which this program
    made some.  Returns which of its folders and files cannot be read: what was read of those stays.
    """
    while True:
        with suppress(OvertakenError):
            return _take_up(store, private, own, progress)


def _take_up(store: Store, private: Path, own: Own, progress: Progress) -> tuple[Problem, ...]:
    paths, misplaced = journal_files(private)
    known, wanted = _known_segments(store), []
    for path in paths:
        name = "/".join(path.relative_to(private).parts)
        stamp, before = stamp_of(path), known.pop(name, None)
        if before is None or before.stamp != stamp or stamp == NO_STAMP:
            wanted.append(_look_into(name, path, stamp, before, own.alone.get(name) == stamp))
    closed = [problem for problem in misplaced if is_closed(problem)]
    folders = {problem.path for problem in closed}  # what was read of their files stays
    gone = [each for name, each in known.items() if not folders & {*(private / name).parents}]
    store.note("misplaced", json.dumps([(str(p.path), problem_text(p)) for p in misplaced]))
    loader = EventLoader(store, own)
    if gone:
        with store.writing():
            for segment in gone:
                loader.forget(segment.segment)
            loader.mark()
    if wanted:
        _read(store, wanted, loader, progress)
    return (*closed, *loader.unreadable)


def _look_into(
    name: str, path: Path, stamp: FileStamp, before: Segment | None, trusted: bool
) -> ChangedSegment:
    try:
        if before is not None and stamp[0] >= before.read and before.digest != b"":
            made = plan_on(path, before.read, before.lines, before.digest, trusted)
            if made is not None:
                return ChangedSegment(name, path, stamp, before, before.read, made)
        return ChangedSegment(name, path, stamp, before, 0, plan(path))
    except OSError as error:
        return ChangedSegment(name, path, NO_STAMP, before, 0, unreadable(path, error))


def _read(
    store: Store, wanted: list[ChangedSegment], loader: EventLoader, progress: Progress
) -> None:
    """Few lines are one change of the index; many come in pieces, and count from the last on."""
    pieces = [(w, p) for w in wanted if isinstance(w.plan, ReadPlan) for p in w.plan.pieces]
    total, done = sum(piece.end - piece.start for _, piece in pieces), 0
    bulk, unread = total >= SPREAD, dict[str, Problem]()
    read: Iterable[Lines] = store.workers.answers(read_piece, [p for _, p in pieces], bulk)
    if not bulk:
        read = list(read)  # before the lock
        found = zip(pieces, read, strict=True)
        unread = {each.name: lines.unread for (each, _), lines in found if lines.unread}
        wanted = [each._replace(plan=unread.get(each.name, each.plan)) for each in wanted]
    with store.bulk() if bulk else store.writing():
        with store.writing() as db:
            now = _known_segments(store)
            if any(now.get(each.name) != each.known for each in wanted):
                raise OvertakenError
            if bulk:
                loader.prepare()
                store.note("fold", "")  # whatever comes, everything must be folded again
                if not db.execute("SELECT 1 FROM event LIMIT 1").fetchone():
                    for index in EVENT_INDEXES:
                        db.execute(f"DROP INDEX {index}")
            for each in wanted:
                loader.begin(each)
        for lines, (each, piece) in zip(read, pieces, strict=True):
            if each.name not in unread:
                with store.writing():
                    loader.put(each, lines)
            done += piece.end - piece.start
            if bulk:
                progress("reviews", done, total)
        with store.writing():
            for sql in EVENT_INDEXES.values():  # a start that dropped them may have been stopped
                store.db.execute(sql)
            loader.choose()
            for each in wanted:
                loader.end(each)
            loader.mark()
