"""Examine a collection's journal and index, and repair them.

`examine` reads every line and writes nothing into the collection.  `repair` moves what is no event,
or is there twice, into `<file>.aside` beside the file: nothing is deleted, and what counts is as it
was.  An index that says something else than the files is made anew.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

from cards.files import open_regular
from cards.model import Problem
from deck.backup import Backup, backups, read_backup, roll_back
from deck.cards import CardStore
from deck.config import read_config
from deck.errors import CollectionError, JournalError, broken, odd, reason
from deck.events import Event, LineError, NewerLineError, Unknown, read_line
from deck.files import CONFIG, DATA_DIR, leftover_drafts, sync_folder, unused_path, whole
from deck.history import History
from deck.index.lines import newer_line, unknown_event, unreadable
from deck.index.store import SAID, Store, index_path
from deck.journal import RESTORING, Journal, is_copy, journal_files, keep_lines
from deck.replay import dedupe_events


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as this program would have written it."""

    kind: Literal["torn", "corrupt", "copy", "missing"]
    """
    torn      not written to its end: a last line, a card's file, a backup that was taken back
    corrupt   what is there is wrong: a line that is no event, or not one that counts; an index
    copy      there twice: a line, or a file that a sync tool copied
    missing   events that count nowhere: in a file or folder that is not read, only in a backup
    """
    problem: Problem
    mends: bool
    """Whether `repair` sets it aside (lines that ran into one: takes them apart)."""
    restores: bool = False
    """Whether a backup may have what was there."""


@dataclass(frozen=True, slots=True)
class Repair:
    """What was set aside."""

    path: Path
    """The file in which it was."""
    aside: Path
    """Where it is now; `path` itself where that is made anew."""
    lines: int
    """How many lines; 0 for a whole file or folder that only has another name now."""


# Examining.


def examine(root: Path) -> list[Finding]:
    """Everything that is odd about the journal of the collection `root`, file by file, and about
    its index."""
    private = root / DATA_DIR
    paths, misplaced = journal_files(private)
    survey = JournalScan(paths)
    unread = list(_unread(private, paths, survey))
    told = {*survey.files, *(each.problem.path for each in unread)}
    found = []
    for problem in [*misplaced, *survey.problems]:
        if problem.path is not None and problem.path.name.startswith(RESTORING):
            found.append(Finding("torn", problem, True))
        elif problem.path not in told:  # of a copy and of what is not read, more is said below
            found.append(Finding("missing", problem, False))
    chosen = survey.chosen()
    for path in survey.files:
        if is_copy(path):
            found.append(_copy(path, path in survey.copies))
        if path not in survey.copies:
            found += _odd_lines(path, chosen)
    found += unread
    found += _missing_events(root, survey)
    for path in leftover_drafts(root):
        message = "A card was being saved here when the program was stopped; the card is as it was."
        problem = odd(path, message, "It can be moved to `.deltadeck/drafts`.")
        found.append(Finding("torn", problem, True))
    if _index_differs(root):
        message = "The index says something else than the cards and the journal."
        problem = odd(index_path(root), message, "Nothing is lost: it can be made anew from them.")
        found.append(Finding("corrupt", problem, True))
    return found


def _copy(path: Path, all_elsewhere: bool) -> Finding:
    message = "Every event in this copy is in another file too."
    hint = "A sync tool or a copy left it; it can be set aside."
    if not all_elsewhere:
        message = (
            "A sync tool or a file manager made this copy; it has events of its own, which count."
        )
        hint = (
            "It can be given a plain name. If it comes again, two computers share one device's "
            "name: on one of them, remove the file `device` from deltadeck's user data."
        )
    return Finding("copy", odd(path, message, hint), True)


def _odd_lines(path: Path, chosen: Mapping[str, Event]) -> Iterator[Finding]:
    """`chosen` has, of the ids that stand for two events, the one that counts."""
    for line, again in marked(lines_of(path)):
        event = line.event
        if line.newer:
            yield Finding("corrupt", newer_line(path, line.number), False)
        elif event is not None and isinstance(event.what, Unknown):
            yield Finding("corrupt", unknown_event(path, line.number, event.kind), False)
        if again:
            hint = "It counts once; the second one can be set aside."
            problem = odd(path, "The line is in this file twice.", hint, line.number)
            yield Finding("copy", problem, True)
        elif line.is_bad:
            yield _no_event(path, line)
        elif event is not None and chosen.get(event.id, event) != event:
            message = f"Another line has the id {event.id} of this one, and says something else."
            hint = (
                "The other one counts, on every device. "
                "If this one is right, remove the other by hand."
            )
            yield Finding("corrupt", broken(path, message, hint, line.number), False)


def _no_event(path: Path, line: CheckedLine) -> Finding:
    if inside := len(recover_events(line.data)):
        whole = "1 event in it is" if inside == 1 else f"{inside} of the events in it are"
        message = f"Lines ran into one here; {whole} whole."
        hint = "What is whole can be taken out, and counts then; the line itself is kept aside."
        return Finding("corrupt", broken(path, message, hint, line.number), True)
    if line.torn:
        message = "The last line was not written to its end."
        hint = "It was never acknowledged; it can be set aside."
        return Finding("torn", odd(path, message, hint, line.number), True)
    message = f"The line is no event: {line.error}."
    hint = "A backup or another copy of the file may have it whole; this one can be set aside."
    return Finding("corrupt", broken(path, message, hint, line.number), True, restores=True)


def _unread(private: Path, read: Iterable[Path], survey: JournalScan) -> Iterator[Finding]:
    """The files below the journal, and below folders named like it, that are not read and have
    events that no other file has."""
    known, found = set(read), []
    for folder, folders, names in os.walk(private):
        if Path(folder) == private:
            folders[:] = [name for name in folders if name.startswith("journal")]
            continue
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(folder, name) for name in names if not name.startswith(".")]
    for path in sorted(path for path in found if path not in known and path.is_file()):
        try:
            count = survey.missing_of(path)
        except OSError as error:
            yield Finding("missing", unreadable(path, error), False)
            continue
        if count:
            counts = "1 event here counts" if count == 1 else f"{count} events here count"
            message = f"{counts} nowhere: only `journal/<device>/*.jsonl` is read."
            hint = "Move it into the folder of its device, or into a new one there."
            yield Finding("missing", broken(path, message, hint), False)


_ID = re.compile(rb'"id":\s*"([0-9a-f-]{36})"')


def _missing_events(root: Path, survey: JournalScan) -> Iterator[Finding]:
    """The newest and the largest backup, where the journal lacks events that they have.

    What was replaced on purpose (by `deck.backup.restore`) is not missed.
    """
    known = backups(root)
    looked_at = {known[0], max(known, key=lambda backup: backup.size)} if known else set[Backup]()
    replaced: set[bytes] | None = None
    for backup in sorted(looked_at, key=lambda backup: backup.at, reverse=True):
        try:
            files = read_backup(backup.path).values()
        except CollectionError:  # a damaged one is said where it is used
            continue
        ids = {found for data in files for found in _ID.findall(data)}
        ids = {found for found in ids if found.decode() not in survey.ids}
        if ids and replaced is None:
            replaced = _replaced(root / DATA_DIR)
        if count := len(ids - (replaced or set())):
            are = (
                "1 event of this backup is" if count == 1 else f"{count} events of this backup are"
            )
            message = f"{are} nowhere in the journal now."
            hint = "Bring its lines back: what came since then stays."
            yield Finding("missing", broken(backup.path, message, hint), False)


def _replaced(private: Path) -> set[bytes]:
    """The ids of the events that were replaced on purpose."""
    found: set[bytes] = set()
    folders = [p for p in private.iterdir() if p.name.startswith(("replaced-", "unfinished-"))]
    for path in (path for folder in folders for path in folder.rglob("*.jsonl*")):
        with suppress(OSError), open_regular(path) as file:
            found.update(_ID.findall(file.read()))
    return found


def _index_differs(root: Path) -> bool:
    """Whether the index, brought up to date, says something else than one that is made anew."""
    path = index_path(root)
    if not path.is_file():
        return False
    try:
        for _ in range(2):  # a card may change between the two
            with TemporaryDirectory() as folder:
                if _said(root, path) == _said(root, Path(folder, path.name)):
                    return False
    except CollectionError:  # the folder cannot be read, which opening it says
        return False
    return True


def _said(root: Path, index: Path) -> list[int]:
    """What an index says of the files, as a number for each table."""
    store = Store(index)
    try:
        CardStore(root, store).scan()
        config, _ = read_config(root / DATA_DIR / CONFIG)
        History(store, root / DATA_DIR, config).take_up()
        return [sum(map(hash, store.db.execute(sql))) for sql in SAID.values()]
    finally:
        store.close()


# Repairing.


def repair(root: Path) -> list[Repair]:
    """Sets aside what `examine` says can be; the history stays what it was.

    Events that had run into one line count from then on.

    Raises:
        JournalError: the disk refuses; whatever was not set aside yet is as it was.
        CollectionError: what an unfinished restore left cannot be put back.
    """
    private, done = root / DATA_DIR, []
    left = leftover_drafts(root)
    if _index_differs(root):
        path = index_path(root)
        store = Store(path)
        store.rebuild()  # the next start fills it
        store.close()
        done.append(Repair(path, path, 0))
    if left or private.is_dir():
        with Journal(private).locked():
            done += [put_away(root, path) for path in left]
            done += [Repair(old, new, 0) for old, new in roll_back(private)]
            survey = JournalScan(journal_files(private)[0])
            done += [each for path in survey.files for each in _mend(path, survey)]
    return done


def clear_copies(root: Path) -> list[Repair]:
    """`repair` of what is named like a sync tool's copy, and of nothing else.

    Raises JournalError.
    """
    private = root / DATA_DIR
    if not any(is_copy(path) for path in journal_files(private)[0]):
        return []
    with Journal(private).locked():
        survey = JournalScan(journal_files(private)[0])
        return [each for p in survey.files if is_copy(p) for each in _mend(p, survey)]


def _mend(path: Path, survey: JournalScan) -> Iterator[Repair]:
    all_elsewhere, again = path in survey.copies, True
    while again:  # what was inside a line may stand elsewhere in the file, and is there twice then
        lines = list(marked(lines_of(path)))
        away: dict[int, list[bytes]] = {}
        for line, is_again in lines:
            if all_elsewhere or is_again:
                away[line.number] = []
            if line.is_bad and not all_elsewhere:
                away[line.number] = [part for part, _ in recover_events(line.data)]
        again = any(away.values())
        if away:
            yield quarantine_lines(path, [line for line, _ in lines], away)
    if is_copy(path):
        if path.exists():
            # A name for a copy that has events of its own: one that no sync tool gives.
            device = re.sub(r"[^A-Za-z0-9._-]+", "-", path.parent.name).strip("-._") or "copy"
            month = re.match(r"\d{4}-\d\d", path.name)
            name = f"{month[0] if month else 'some'}-kept.jsonl"
            yield move(path, unused_path(path.parent.parent / device / name))
        with suppress(OSError):  # a folder that was only a copy's need not stay
            path.parent.rmdir()


def quarantine_lines(
    path: Path, lines: list[CheckedLine], away: Mapping[int, list[bytes]]
) -> Repair:
    """Takes lines out of a file, by number, each with the lines that take its place.

    First the copy, then the file without them: a crash between leaves them in both.
    """
    real = Path(os.path.realpath(path))  # a link stays one
    aside = real.with_name(real.name + ".aside")
    gone = [line.data for line in lines if line.number in away]
    kept = [part for line in lines for part in away.get(line.number, [line.data])]
    try:
        keep_lines(aside, gone)
        if kept:
            mode = stat.S_IMODE(real.stat().st_mode)
            with whole(real) as file:
                os.fchmod(file.fileno(), mode)
                file.writelines(line + b"\n" for line in kept)
        else:
            path.unlink()
        sync_folder(path.parent)
    except OSError as error:
        raise _not_set_aside(path, error) from error
    return Repair(path, aside, len(gone))


def move(path: Path, to: Path) -> Repair:
    """Gives a file or folder another name, which nothing else may have."""
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        path.rename(to)
        sync_folder(to.parent)
        sync_folder(path.parent)
    except OSError as error:
        raise _not_set_aside(path, error) from error
    return Repair(path, to, 0)


def _not_set_aside(path: Path, error: OSError) -> JournalError:
    why = f"{path}: the line cannot be set aside: {reason(error)}"
    return JournalError(f"{why}. Make room on the disk, or make the folder writable; then go on.")


def put_away(root: Path, path: Path) -> Repair:
    """Moves a draft to `.deltadeck/drafts/`.  Raises JournalError."""
    name = path.name.removeprefix(".").removesuffix("-tmp") + ".md"
    return move(path, unused_path(root / DATA_DIR / "drafts" / name))


# Every line of a journal, looked at without keeping them all.


class CheckedLine(NamedTuple):
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
    def is_bad(self) -> bool:
        return self.event is None and not self.newer


class JournalScan:
    """All files, read one after the other: of an event, only its id and a hash are kept."""

    def __init__(self, paths: list[Path]) -> None:
        self.files: list[Path] = []
        self.problems: list[Problem] = []
        self.copies: set[Path] = set()
        """Files named like a copy that hold nothing of their own."""
        self._contested: set[str] = set()
        """Ids that stand in two lines that are not the same."""
        self._hashes: dict[str, int] = {}
        for path in sorted(paths, key=is_copy):  # copies last
            try:
                self._look(path)
            except OSError as error:
                self.problems.append(unreadable(path, error))
        self.files.sort()

    @property
    def ids(self) -> Container[str]:
        """Of all events."""
        return self._hashes

    def _look(self, path: Path) -> None:
        own = False
        for line in lines_of(path):
            if line.event is None:
                inside = (event for _, event in recover_events(line.data))
                own |= line.newer or any(event.id not in self.ids for event in inside)
                continue
            found = hash(line.data.strip())
            if self._hashes.get(line.event.id) != found:
                own = True
                if self._hashes.setdefault(line.event.id, found) != found:
                    self._contested.add(line.event.id)
        self.files.append(path)
        if not own and is_copy(path):
            self.copies.add(path)

    def chosen(self) -> dict[str, Event]:
        """Of the ids that stand for two events, the one that counts."""
        if not self._contested:
            return {}
        events = (line.event for path in self.files for line in lines_of(path) if line.event)
        return {e.id: e for e in dedupe_events(e for e in events if e.id in self._contested)}

    def missing_of(self, path: Path) -> int:
        """How many events of a file that is not read are in no other.  Raises OSError."""
        found = 0
        for line in lines_of(path):
            events = [line.event] if line.event else [e for _, e in recover_events(line.data)]
            found += sum(event.id not in self.ids for event in events)
        return found


def lines_of(path: Path) -> Iterator[CheckedLine]:
    """The lines of a file that are not blank.  Raises OSError."""
    with open_regular(path) as file:
        for number, data in enumerate(file, 1):
            line = data.removesuffix(b"\n")
            if not line.strip():
                continue
            try:
                yield CheckedLine(number, line, read_line(line), "", False, False)
            except NewerLineError as error:
                yield CheckedLine(number, line, None, str(error), False, True)
            except LineError as error:
                yield CheckedLine(number, line, None, str(error), line == data, False)


def marked(lines: Iterable[CheckedLine]) -> Iterator[tuple[CheckedLine, bool]]:
    """Each line with whether it stood there before."""
    seen: set[bytes] = set()
    for line in lines:
        text = line.data.strip()
        yield line, text in seen
        seen.add(text)


#: How this program begins every line.  In a string of JSON the quotes would be escaped.
_BEGINNING = b'{"v":'


def recover_events(data: bytes) -> list[tuple[bytes, Event]]:
    """The whole events in `data`, which is no event itself, each with its line (no line feed).

    Lines run into one where a tool joins files of which the first lacks its last line feed, and
    where half a line was left and another was put right behind it.
    """
    places = [*(found.start() for found in re.finditer(re.escape(_BEGINNING), data)), len(data)]
    found = []
    for start, end in pairwise(places):
        part = data[start:end].strip()
        with suppress(LineError):
            found.append((part, read_line(part)))
    return found
