"""Examine and repair the journal."""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

from cards.files import is_draft, is_left, open_regular, refuse_irregular
from cards.model import Problem
from deck.backup import Backup, backups, read_backup, roll_back
from deck.cards import Library
from deck.config import read_config
from deck.errors import CollectionError, JournalError, broken, odd, unrecorded
from deck.events import Event, LineError, NewerLineError, Unknown, read_line
from deck.files import CONFIG, DATA_DIR, sync_folder, unused_path
from deck.history import History
from deck.index.lines import newer_line, unknown_event, unreadable
from deck.index.store import SAID, Store, index_path
from deck.journal import RESTORING, Journal, is_copy, journal_files
from deck.replay import dedupe_events

# == Whole events inside a line that is none.
#
# Two lines run into one where a tool joins files of which the first lacks its last line feed, and
# where half a line was left and another was put right behind it.


#: How this program begins every line.  In a string of JSON the quotes would be escaped.
_BEGINNING = b'{"v":'


def recover_events(data: bytes) -> list[bytes]:
    """The whole events in `data`, which is no event itself; each as a line without line feed."""
    places = [*_beginnings(data), len(data)]
    parts = (data[start:end] for start, end in pairwise(places))
    return [part.strip() for part in parts if _is_event(part)]


def _beginnings(data: bytes) -> list[int]:
    found, at = [], data.find(_BEGINNING)
    while at >= 0:
        found.append(at)
        at = data.find(_BEGINNING, at + 1)
    return found


def _is_event(part: bytes) -> bool:
    try:
        read_line(part)
    except LineError:
        return False
    return True


# == Every line of a journal, looked at without keeping them all.


class Line(NamedTuple):
    """A line of a file, and what it is."""

    number: int
    data: bytes
    """Without its line feed."""
    event: Event | None
    error: str
    """Why it is no event."""
    torn: bool
    newer: bool
    """Of a later version, in a form that is not known here: it must stay."""

    @property
    def text(self) -> bytes:
        return self.data.strip()

    @property
    def is_bad(self) -> bool:
        return self.event is None and not self.newer


class JournalScan:
    """All files, read one after the other: of an event, only its id and a hash are kept."""

    def __init__(self, paths: list[Path]) -> None:
        self.files: list[Path] = []
        self.problems: list[Problem] = []
        self.copies: set[Path] = set()
        """Files named like a copy that hold nothing of their own."""
        self.contested: set[str] = set()
        """Ids that stand in two lines that are not the same."""
        self._hashes: dict[str, int] = {}
        named = [path for path in paths if is_copy(path)]
        for path in [path for path in paths if path not in named] + named:
            try:
                self._look(path, path in named)
            except OSError as error:
                self.problems.append(unreadable(path, error))
        self.files.sort()

    @property
    def ids(self) -> Container[str]:
        """Of all events."""
        return self._hashes

    def _look(self, path: Path, may_be_copy: bool) -> None:
        own = False
        for line in lines_of(path):
            if line.event is None:
                own |= line.newer or any(event.id not in self.ids for event in _inside(line))
                continue
            found = hash(line.text)
            if self._hashes.get(line.event.id) != found:
                own = True
                if self._hashes.setdefault(line.event.id, found) != found:
                    self.contested.add(line.event.id)
        self.files.append(path)
        if may_be_copy and not own:
            self.copies.add(path)

    def chosen(self) -> dict[str, Event]:
        """Of the ids that stand for two events, the one that counts."""
        if not self.contested:
            return {}
        events = (line.event for path in self.files for line in lines_of(path) if line.event)
        return {e.id: e for e in dedupe_events(e for e in events if e.id in self.contested)}

    def missing_of(self, path: Path) -> int:
        """How many events of a file that is not read are in no other.  Raises OSError."""
        found = 0
        for line in lines_of(path):
            events = [line.event] if line.event else _inside(line)
            found += sum(event.id not in self.ids for event in events)
        return found


def _inside(line: Line) -> list[Event]:
    return [read_line(data) for data in recover_events(line.data)]


def lines_of(path: Path) -> Iterator[Line]:
    """The lines of a file that are not blank.  Raises OSError."""
    with open_regular(path) as file:
        for number, data in enumerate(file, 1):
            line = data.removesuffix(b"\n")
            if not line.strip():
                continue
            try:
                yield Line(number, line, read_line(line), "", False, False)
            except NewerLineError as error:
                yield Line(number, line, None, str(error), False, True)
            except LineError as error:
                yield Line(number, line, None, str(error), line == data, False)


def bad_lines(lines: Iterable[Line]) -> list[Line]:
    """The lines that are no events, and those that are there a second time."""
    seen: set[bytes] = set()
    bad = []
    for line in lines:
        if line.is_bad or line.text in seen:
            bad.append(line)
        seen.add(line.text)
    return bad


# == Lines of a journal file that are moved out of the way: written elsewhere first, then left out.


@dataclass(frozen=True, slots=True)
class Repair:
    """What was set aside."""

    path: Path
    """The file in which it was."""
    aside: Path
    """Where it is now."""
    lines: int
    """How many lines; 0 for a whole file or folder that only has another name now."""


def quarantine_lines(path: Path, lines: list[Line], away: Mapping[int, list[bytes]]) -> Repair:
    """Takes lines out of a file, by number, each with the lines that take its place.

    First the copy, then the file without them: a crash between leaves them in both.
    """
    real = Path(os.path.realpath(path))  # a link stays one
    aside = real.with_name(real.name + ".aside")
    gone = [line.data for line in lines if line.number in away]
    kept = [part for line in lines for part in away.get(line.number, [line.data])]
    try:
        _append(aside, gone)
        if kept:
            _replace(real, kept)
        else:
            path.unlink()
        sync_folder(path.parent)
    except OSError as error:
        raise refused(path, error) from error
    return Repair(path, aside, len(gone))


def move(path: Path, to: Path) -> Repair:
    """Gives a file or folder another name, which nothing else may have."""
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        path.rename(to)
        sync_folder(to.parent)
        sync_folder(path.parent)
    except OSError as error:
        raise refused(path, error) from error
    return Repair(path, to, 0)


def _append(path: Path, lines: list[bytes]) -> None:
    flags = os.O_CREAT | os.O_APPEND | os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK
    with os.fdopen(os.open(path, flags, 0o644), "ab") as file:
        status = os.fstat(file.fileno())
        refuse_irregular(path, status.st_mode)
        if status.st_size and os.pread(file.fileno(), 1, status.st_size - 1) != b"\n":
            file.write(b"\n")  # what a crash left there stays a line of its own
        file.writelines(line + b"\n" for line in lines)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)


def _replace(path: Path, lines: list[bytes]) -> None:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with draft.open("xb") as file:
            file.writelines(line + b"\n" for line in lines)
            file.flush()
            draft.chmod(stat.S_IMODE(path.stat().st_mode))
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def refused(path: Path, error: OSError) -> JournalError:
    return unrecorded(path, "line cannot be set aside", error)


# == The sentences of the doctor (deck/repair.py): what is odd, where, and the way out.


__all__ = [
    *("copy", "differs", "draft", "elsewhere", "index", "lost", "no_event", "twice", "unknown"),
    "unreadable",
]


def no_event(path: Path, line: Line, inside: int) -> Problem:
    """`inside`: how many whole events the line holds."""
    if inside:
        whole = "1 event in it is" if inside == 1 else f"{inside} of the events in it are"
        message = f"Lines ran into one here; {whole} whole."
        hint = "What is whole can be taken out, and counts then; the line itself is kept aside."
        return broken(path, message, hint, line.number)
    if line.torn:
        message = "The last line was not written to its end."
        return odd(path, message, "It was never acknowledged; it can be set aside.", line.number)
    hint = "A backup or another copy of the file may have it whole; this one can be set aside."
    return broken(path, f"The line is no event: {line.error}.", hint, line.number)


def twice(path: Path, line: Line) -> Problem:
    hint = "It counts once; the second one can be set aside."
    return odd(path, "The line is in this file twice.", hint, line.number)


def differs(path: Path, line: Line, event: Event) -> Problem:
    message = f"Another line has the id {event.id} of this one, and says something else."
    hint = "The other one counts, on every device. If this one is right, remove the other by hand."
    return broken(path, message, hint, line.number)


def unknown(path: Path, line: Line) -> Problem:
    if line.event is None:
        return newer_line(path, line.number)
    return unknown_event(path, line.number, line.event.kind)


def copy(path: Path, all_elsewhere: bool) -> Problem:
    if all_elsewhere:
        hint = "A sync tool or a copy left it; it can be set aside."
        return odd(path, "Every event in this copy is in another file too.", hint)
    message = "A sync tool or a file manager made this copy; it has events of its own, which count."
    hint = (
        "It can be given a plain name. If it comes again, two computers share one device's name: "
        "on one of them, remove the file `device` from deltadeck's user data."
    )
    return odd(path, message, hint)


def elsewhere(path: Path, count: int) -> Problem:
    counts = "1 event here counts" if count == 1 else f"{count} events here count"
    message = f"{counts} nowhere: only `journal/<device>/*.jsonl` is read."
    return broken(path, message, "Move it into the folder of its device, or into a new one there.")


def lost(backup: Backup, count: int) -> Problem:
    are = "1 event of this backup is" if count == 1 else f"{count} events of this backup are"
    message = f"{are} nowhere in the journal now."
    hint = "Bring its lines back: what came since then stays."
    return broken(backup.path, message, hint)


def draft(path: Path) -> Problem:
    message = "A card was being saved here when the program was stopped; the card is as it was."
    return odd(path, message, "It can be moved to `.deltadeck/drafts`.")


def index_problem(path: Path) -> Problem:
    message = "The index says something else than the cards and the journal."
    return odd(path, message, "Nothing is lost: it can be made anew from them.")


# == Events that are kept somewhere and do not count: in files that are not read, and in backups.


_ID = re.compile(rb'"id":\s*"([0-9a-f-]{36})"')
#: Folders below `.deltadeck/` with what was replaced on purpose.
_REPLACED = ("replaced-", "unfinished-")


def strays(private: Path, read: Iterable[Path]) -> list[Path]:
    """The files below the journal, and below folders named like it, that are not read."""
    known, found = set(read), []
    for folder, folders, names in os.walk(private):
        if Path(folder) == private:
            folders[:] = [name for name in folders if name.startswith("journal")]
            continue
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(folder, name) for name in names if not name.startswith(".")]
    return sorted(path for path in found if path not in known and path.is_file())


def losses(root: Path, survey: JournalScan) -> Iterator[tuple[Backup, int]]:
    """The newest and the largest backup, where the journal lacks events that they have.

    What was replaced on purpose (by `deck.restore`) is not missed.
    """
    known = backups(root)
    looked_at = {known[0], max(known, key=lambda backup: backup.size)} if known else set()
    replaced: set[bytes] | None = None
    for backup in sorted(looked_at, key=lambda backup: backup.at, reverse=True):
        with suppress(CollectionError):  # a damaged one is said where it is used
            ids = {
                found for data in read_backup(backup.path).values() for found in _ID.findall(data)
            }
            ids = {found for found in ids if found.decode() not in survey.ids}
            if ids and replaced is None:
                replaced = _replaced(root / DATA_DIR)
            if count := len(ids - (replaced or set())):
                yield backup, count


def _replaced(private: Path) -> set[bytes]:
    found: set[bytes] = set()
    folders = [path for path in private.iterdir() if path.name.startswith(_REPLACED)]
    for path in (path for folder in folders for path in folder.rglob("*.jsonl*")):
        with suppress(OSError), open_regular(path) as file:
            found.update(_ID.findall(file.read()))
    return found


# == What a program that was stopped while it saved a card left beside the card.


def leftover_drafts(root: Path) -> list[Path]:
    """The files below `root` that a card's text was being written into; no program has them."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(folder, name) for name in names if is_draft(name)]
    return sorted(path for path in found if is_left(path))


def put_away(root: Path, path: Path) -> Repair:
    """Moves a draft to `.deltadeck/drafts/`.  Raises JournalError."""
    name = path.name.removeprefix(".").removesuffix("-tmp") + ".md"
    return move(path, unused_path(root / DATA_DIR / "drafts" / name))


# == What is wrong with a collection's journal and its index, and their repair.
#
# `examine` reads every line and writes nothing into the collection.  `repair` sets aside what is
# no
# event or is there twice, into `<file>.aside` beside the file: nothing is deleted, and what
# counts is
# as it was.  An index that says something else than the files is made anew.


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
    private = root / DATA_DIR
    paths, misplaced = journal_files(private)
    survey = JournalScan(paths)
    unread = [each for path in strays(private, paths) for each in _stray(path, survey)]
    told = {*survey.files, *(each.problem.path for each in unread)}
    found = list(_places([*misplaced, *survey.problems], told))
    chosen = survey.chosen()
    for path in survey.files:
        if is_copy(path):
            found.append(Finding("copy", copy(path, path in survey.copies), True))
        if path not in survey.copies:
            found += _odd_lines(path, chosen)
    found += unread
    for backup, count in losses(root, survey):
        found.append(Finding("lost", lost(backup, count), False))
    found += [Finding("draft", draft(path), True) for path in leftover_drafts(root)]
    if _index_differs(root):
        found.append(Finding("index", index_problem(index_path(root)), True))
    return found


def repair(root: Path) -> list[Repair]:
    """Sets aside what `examine` says can be; the history stays what it was.

    Events that had run into one line count from then on.

    Raises:
        JournalError: the disk refuses; whatever was not set aside yet is as it was.
        CollectionError: what an unfinished restore left cannot be put back.
    """
    private = root / DATA_DIR
    left = leftover_drafts(root)
    done = _remade(root)
    if not left and not private.is_dir():
        return done
    with Journal(private).locked():
        done += [put_away(root, path) for path in left]
        done += [Repair(old, new, 0) for old, new in roll_back(private)]
        paths, _ = journal_files(private)
        survey = JournalScan(paths)
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
        config, _ = read_config(root / DATA_DIR / CONFIG)
        History(store, root / DATA_DIR, config).refresh()
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
    private = root / DATA_DIR
    if not any(is_copy(path) for path in journal_files(private)[0]):
        return []
    with Journal(private).locked():
        survey = JournalScan(journal_files(private)[0])
        copies = [path for path in survey.files if is_copy(path)]
        return [each for path in copies for each in _mend(path, path in survey.copies)]


def _mend(path: Path, all_elsewhere: bool) -> list[Repair]:
    done, again = [], True
    while again:  # what was inside a line may stand elsewhere in the file, and is there twice then
        lines = list(lines_of(path))
        bad = lines if all_elsewhere else bad_lines(lines)
        looked = [] if all_elsewhere else [line for line in bad if line.is_bad]
        whole = {line.number: recover_events(line.data) for line in looked}
        again = any(whole.values())
        if bad:
            away = {line.number: whole.get(line.number, []) for line in bad}
            done.append(quarantine_lines(path, lines, away))
    if is_copy(path) and path.exists():
        done.append(move(path, unused_path(_plain_name(path))))
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
            found.append(Finding("unknown", unknown(path, line), False))
        if line.text in seen:
            found.append(Finding("twice", twice(path, line), True))
        elif line.is_bad:
            inside = len(recover_events(line.data))
            kind: Kind = "fused" if inside else "torn" if line.torn else "corrupt"
            found.append(Finding(kind, no_event(path, line, inside), True))
        elif event is not None and chosen.get(event.id, event) != event:
            found.append(Finding("differs", differs(path, line, event), False))
        seen.add(line.text)
    return found


def _stray(path: Path, survey: JournalScan) -> list[Finding]:
    try:
        count = survey.missing_of(path)
    except OSError as error:
        return [Finding("place", unreadable(path, error), False)]
    return [Finding("unread", elsewhere(path, count), False)] if count else []
