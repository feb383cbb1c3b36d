"""Brings the events of the index up to date with the journal's files: only new lines are read.

A file that grew keeps what was read of it, where that part is as it was (its digest says so); of
any other that changed, all events are taken out and read again.  So a file that git took back
takes its events along, and one that a sync tool replaced by a longer one costs its new lines.
"""

from __future__ import annotations

import json
from pathlib import Path

from cards.model import Problem
from deck.files import NO_STAMP, Stamp, stamp_of
from deck.index.codec import plain_text, problem_text, read_problem
from deck.index.intake import Intake, Own, Segment, Wanted
from deck.index.lines import Plan, plan, plan_on, unreadable
from deck.index.progress import Progress
from deck.index.schema import EVENT_INDEXES
from deck.index.store import Store
from deck.journal import is_closed, journal_files

#: From so many bytes on, other processes are worth their start.
SPREAD = 4_000_000


def known_segments(store: Store) -> dict[str, Segment]:
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


class _OvertakenError(Exception):
    """Another program or thread has taken up the same lines meanwhile."""


def take_up(store: Store, private: Path, own: Own, progress: Progress) -> tuple[Problem, ...]:
    """Takes up every change of the journal below `private` (`.deltadeck/`), of which this program
    made some.  Returns which of its folders and files cannot be read: what was read of those stays.
    """
    while True:
        try:
            return _take_up(store, private, own, progress)
        except _OvertakenError:
            continue


def _take_up(store: Store, private: Path, own: Own, progress: Progress) -> tuple[Problem, ...]:
    paths, misplaced = journal_files(private)
    known = known_segments(store)
    wanted = []
    for path in paths:
        name = "/".join(path.relative_to(private).parts)
        stamp, before = stamp_of(path), known.pop(name, None)
        if before is None or before.stamp != stamp or stamp == NO_STAMP:
            trusted = own.alone.get(name) == stamp
            wanted.append(_look_into(name, path, stamp, before, trusted))
    closed = [problem for problem in misplaced if is_closed(problem)]
    for name in list(known):  # not gone: what was read of it stays
        if any(problem.path in (private / name).parents for problem in closed):
            del known[name]
    said = json.dumps([(str(p.path), problem_text(p)) for p in misplaced])
    store.note("misplaced", said)
    intake = Intake(store, own)
    if known:
        with store.writing():
            for gone in known.values():
                intake.forget(gone.segment)
            intake.mark()
    if wanted:
        _read(store, wanted, intake, progress)
    return (*closed, *intake.unreadable)


def _look_into(
    name: str, path: Path, stamp: Stamp, before: Segment | None, trusted: bool
) -> Wanted:
    try:
        if before is not None and stamp[0] >= before.read and before.digest != b"":
            made = plan_on(path, before.read, before.lines, before.digest, trusted)
            if made is not None:
                return Wanted(name, path, stamp, before, before.read, made)
        return Wanted(name, path, stamp, before, 0, plan(path))
    except OSError as error:
        return Wanted(name, path, NO_STAMP, before, 0, unreadable(path, error))


def _read(store: Store, wanted: list[Wanted], intake: Intake, progress: Progress) -> None:
    """Few lines are one change of the index; many come in pieces, and count from the last on."""
    pieces = [(w, p) for w in wanted if isinstance(w.plan, Plan) for p in w.plan.pieces]
    total = sum(piece.end - piece.start for _, piece in pieces)
    bulk = total >= SPREAD
    found = store.workers.answers([piece for _, piece in pieces], bulk)
    if not bulk:
        read = list(found)  # before the lock
        unread = {pieces[n][0].name: lines.unread for n, lines in read if lines.unread}
        wanted = [each._replace(plan=unread.get(each.name, each.plan)) for each in wanted]
        with store.writing():
            _refuse_overtaken(store, wanted)
            for each in wanted:
                intake.begin(each)
            for number, lines in read:
                if pieces[number][0].name not in unread:
                    intake.put(pieces[number][0], lines)
            _end(store, wanted, intake)
            intake.mark()
        return
    with store.bulk():
        done = 0
        intake.prepare()
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
        with store.writing():
            _end(store, wanted, intake)


def _end(store: Store, wanted: list[Wanted], intake: Intake) -> None:
    for sql in EVENT_INDEXES.values():  # also where a start was stopped that had dropped them
        store.db.execute(sql)
    intake.choose()
    for each in wanted:
        intake.end(each)


def _refuse_overtaken(store: Store, wanted: list[Wanted]) -> None:
    """Before the first change of the index: the files must still be in it as they were."""
    known = known_segments(store)
    if any(known.get(each.name) != each.known for each in wanted):
        raise _OvertakenError
