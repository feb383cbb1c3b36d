"""What is wrong with a collection's journal and its index, and their repair.

`examine` reads every line and writes nothing into the collection.  `repair` sets aside what is no
event or is there twice, into `<file>.aside` beside the file: nothing is deleted, and what counts is
as it was.  An index that says something else than the files is made anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from cards.model import Problem
from deck import findings
from deck.aside import Repair, free, move, set_aside
from deck.devices import RESTORING, is_copy, journal_files
from deck.drafts import drafts, put_away
from deck.errors import CollectionError
from deck.event import Event, Unknown
from deck.history import History
from deck.index.place import index_path
from deck.index.schema import SAID
from deck.index.store import Store
from deck.journal import Journal
from deck.library import Library
from deck.losses import losses, strays
from deck.place import CONFIG, PRIVATE
from deck.restore import roll_back
from deck.salvage import events_in
from deck.settings import read_config
from deck.survey import Survey, bad_lines, lines_of

Kind = Literal[
    "torn", "corrupt", "fused", "twice", "copy", "differs", "unknown", "unread", "place", "lost",
    "draft", "interrupted", "index",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as this program would have written it."""

    kind: Kind
    """
    torn         a last line that was not written to its end
    corrupt      a line that is no event
    fused        a line that is no event, and holds whole ones
    twice        a line that is in this file twice
    copy         a file named like a sync tool's copy
    differs      an event whose id stands for another event elsewhere
    unknown      an event of a newer program
    unread       a file with events that count nowhere, because none is looked for there
    place        a folder or a file that cannot be read
    lost         events of a backup that are nowhere now
    draft        a card's file that was not saved to its end
    interrupted  a backup that was not taken back to its end
    index        an index that says something else than the files
    """
    problem: Problem
    mends: bool
    """Whether `repair` sets it aside (a fused line: takes it apart; an index: makes it anew)."""


def examine(root: Path) -> list[Finding]:
    """Everything that is odd about the journal of the collection `root`, file by file, and about
    its index."""
    private = root / PRIVATE
    paths, misplaced = journal_files(private)
    survey = Survey(paths)
    unread = [each for path in strays(private, paths) for each in _stray(path, survey)]
    told = {*survey.files, *(each.problem.path for each in unread)}
    found = list(_places([*misplaced, *survey.problems], told))
    chosen = survey.chosen()
    for path in survey.files:
        if is_copy(path):
            found.append(Finding("copy", findings.copy(path, path in survey.copies), True))
        if path not in survey.copies:
            found += _odd_lines(path, chosen)
    found += unread
    for backup, count in losses(root, survey):
        found.append(Finding("lost", findings.lost(backup, count), False))
    found += [Finding("draft", findings.draft(path), True) for path in drafts(root)]
    if _index_differs(root):
        found.append(Finding("index", findings.index(index_path(root)), True))
    return found


def repair(root: Path) -> list[Repair]:
    """Sets aside what `examine` says can be; the history stays what it was.

    Events that had run into one line count from then on.

    Raises:
        JournalError: the disk refuses; whatever was not set aside yet is as it was.
        CollectionError: what an unfinished restore left cannot be put back.
    """
    private = root / PRIVATE
    left = drafts(root)
    done = _remade(root)
    if not left and not private.is_dir():
        return done
    with Journal(private).locked():
        done += [put_away(root, path) for path in left]
        done += [Repair(old, new, 0) for old, new in roll_back(private)]
        paths, _ = journal_files(private)
        survey = Survey(paths)
        for path in survey.files:
            done += _mend(path, path in survey.copies)
    return done


def _index_differs(root: Path) -> bool:
    """Whether the index, brought up to date, says something else than one that is made anew."""
    path = index_path(root)
    if not path.is_file():
        return False
    try:
        with TemporaryDirectory() as folder:
            return _said(root, path) != _said(root, Path(folder, path.name))
    except CollectionError:  # the folder cannot be read, which opening it says
        return False


def _said(root: Path, index: Path) -> list[int]:
    """What an index says of the files, as a number for each table."""
    store = Store(index)
    try:
        Library(root, store).scan()
        config, _ = read_config(root / PRIVATE / CONFIG)
        History(store, root / PRIVATE, config).refresh()
        return [sum(map(hash, store.db.execute(sql))) for sql in SAID.values()]
    finally:
        store.close()


def _remade(root: Path) -> list[Repair]:
    """Throws away an index that differs from the files: the next start makes it anew."""
    if not _index_differs(root):
        return []
    path = index_path(root)
    store = Store(path)
    store.rebuild()
    store.close()
    return [Repair(path, path, 0)]


def clear_copies(root: Path) -> list[Repair]:
    """`repair` of what is named like a sync tool's copy, and of nothing else.

    Raises JournalError.
    """
    private = root / PRIVATE
    if not any(is_copy(path) for path in journal_files(private)[0]):
        return []
    with Journal(private).locked():
        survey = Survey(journal_files(private)[0])
        copies = [path for path in survey.files if is_copy(path)]
        return [each for path in copies for each in _mend(path, path in survey.copies)]


def _mend(path: Path, all_elsewhere: bool) -> list[Repair]:
    done, again = [], True
    while again:  # what was inside a line may stand elsewhere in the file, and is there twice then
        lines = list(lines_of(path))
        bad = lines if all_elsewhere else bad_lines(lines)
        looked = [] if all_elsewhere else [line for line in bad if line.is_bad]
        whole = {line.number: events_in(line.data) for line in looked}
        again = any(whole.values())
        if bad:
            away = {line.number: whole.get(line.number, []) for line in bad}
            done.append(set_aside(path, lines, away))
    if is_copy(path) and path.exists():
        done.append(move(path, free(_plain_name(path))))
    if is_copy(path):
        with suppress(OSError):  # a folder that was only a copy's need not stay
            path.parent.rmdir()
    return done


def _plain_name(path: Path) -> Path:
    """A name for a copy that has events of its own: one that no sync tool gives."""
    device = re.sub(r"[^A-Za-z0-9._-]+", "-", path.parent.name).strip("-._") or "copy"
    month = re.match(r"\d{4}-\d\d", path.name)
    return path.parent.parent / device / f"{month[0] if month else 'some'}-kept.jsonl"


# What is said of it.


def _places(problems: Iterable[Problem], told: set[Path | None]) -> Iterable[Finding]:
    for problem in problems:
        if problem.path is not None and problem.path.name.startswith(RESTORING):
            yield Finding("interrupted", problem, True)
        elif problem.path not in told:  # of a copy and of what is not read, more is said below
            yield Finding("place", problem, False)


def _odd_lines(path: Path, chosen: dict[str, Event]) -> list[Finding]:
    found = []
    seen: set[bytes] = set()
    for line in lines_of(path):
        event = line.event
        if line.newer or (event is not None and isinstance(event.what, Unknown)):
            found.append(Finding("unknown", findings.unknown(path, line), False))
        if line.text in seen:
            found.append(Finding("twice", findings.twice(path, line), True))
        elif line.is_bad:
            inside = len(events_in(line.data))
            kind: Kind = "fused" if inside else "torn" if line.torn else "corrupt"
            found.append(Finding(kind, findings.no_event(path, line, inside), True))
        elif event is not None and chosen.get(event.id, event) != event:
            found.append(Finding("differs", findings.differs(path, line, event), False))
        seen.add(line.text)
    return found


def _stray(path: Path, survey: Survey) -> list[Finding]:
    try:
        count = survey.missing_of(path)
    except OSError as error:
        return [Finding("place", findings.unreadable(path, error), False)]
    return [Finding("unread", findings.elsewhere(path, count), False)] if count else []
