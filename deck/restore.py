"""Takes a backup back: as the journal was then, or only what has been lost since.

Nothing is deleted: what `restore` replaces is backed up first, and set aside beside it.  While it
is replaced, a folder `.restoring-<time>` holds what comes (`new`) and what goes (`old`), so that
`roll_back` can put everything back after a crash.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shutil import rmtree

from deck.append import sync_folder, write_whole
from deck.archive import read_backup
from deck.aside import free
from deck.backup import back_up, contents
from deck.devices import RESTORING
from deck.errors import CollectionError, reason, refusal
from deck.journal import Journal
from deck.place import CONFIG, PRIVATE

_NAMES = ("journal", CONFIG)


@dataclass(frozen=True, slots=True)
class Restored:
    """What was done."""

    files: int
    """Files that are others now."""
    lines: int
    """Lines of the journal that are there again."""
    aside: Path | None
    """Where the journal and the settings are that were replaced."""


def restore(root: Path, backup: Path, now: datetime) -> Restored:
    """Makes journal and settings what they were when the backup was made.

    Other devices that share the cards still have what they wrote since; it comes back when they
    are synchronised, because the union of all lines is the history.

    Raises:
        CollectionError: the backup cannot be used, or the disk refuses; all is as it was.
        JournalError: another program keeps the journal locked.
    """
    files, private = read_backup(backup), root / PRIVATE
    with Journal(private).locked():
        roll_back(private)
        present = contents(root)
        if files == present:
            return Restored(0, 0, None)
        back_up(root, now)
        stamp = f"{now.astimezone(UTC):%Y%m%dT%H%M%S}Z"
        aside, pending = free(private / f"replaced-{stamp}"), free(private / f"{RESTORING}{stamp}")
        try:
            for name, data in files.items():
                write_whole(pending / "new" / name, data)
            _exchange(private, pending, aside)
        except OSError as error:
            if not (pending / "old").exists():  # a copy of the backup's, and of no use
                rmtree(pending, ignore_errors=True)
            roll_back(private)
            raise _refused(private, error) from error
    changed = sum(present.get(name) != files.get(name) for name in present.keys() | files.keys())
    return Restored(changed, len(_lines(files) - _lines(present)), aside)


def bring_back(root: Path, backup: Path) -> Restored:
    """Adds the lines of a backup that are nowhere in the journal now; changes nothing else.

    Raises:
        CollectionError, JournalError: as `restore`.
    """
    files, private = read_backup(backup), root / PRIVATE
    with Journal(private).locked():
        roll_back(private)
        return _add_lines(private, files, _lines(contents(root)))


def roll_back(private: Path) -> list[tuple[Path, Path]]:
    """Puts back what an unfinished `restore` took away: (its folder, where that is now).

    What was written since then stays.  Called with the journal locked; doing it again does no
    harm, should it be stopped too.

    Raises:
        CollectionError: the disk refuses; calling it again goes on.
    """
    found = []
    with suppress(FileNotFoundError):
        for pending in sorted(private.iterdir()):
            if pending.name.startswith(RESTORING):
                try:
                    found.append((pending, _roll_back(private, pending)))
                except OSError as error:
                    raise _refused(private, error) from error
    return found


def _roll_back(private: Path, pending: Path) -> Path:
    old, new, stamp = pending / "old", pending / "new", pending.name.removeprefix(RESTORING)
    if old.exists() and not new.exists():  # everything was in its place
        return _finish(private, pending, free(private / f"replaced-{stamp}"))
    for name in _NAMES:
        if os.path.lexists(old / name):
            if os.path.lexists(private / name):
                (private / name).rename(free(new / f"undone-{name}"))
            (old / name).rename(private / name)
    sync_folder(private)
    for undone in sorted(new.glob("undone-journal*")):
        files = {f"journal/{path.parent.name}/{path.name}": path for path in undone.glob("*/*")}
        data = {name: path.read_bytes() for name, path in files.items()}
        _add_lines(private, data, _lines(contents(private.parent)))
    kept = free(private / f"unfinished-{stamp}")
    pending.rename(kept)
    sync_folder(private)
    return kept


def _exchange(private: Path, pending: Path, aside: Path) -> None:
    """Puts the drafts in place, and what was there aside."""
    old, new = pending / "old", pending / "new"
    old.mkdir()
    sync_folder(pending)
    sync_folder(private)
    for name in _NAMES:
        if os.path.lexists(private / name):
            (private / name).rename(old / name)
    for name in _NAMES:
        if (new / name).exists():
            (new / name).rename(private / name)
    new.rmdir()
    _finish(private, pending, aside)


def _finish(private: Path, pending: Path, aside: Path) -> Path:
    (pending / "old").rename(aside)
    pending.rmdir()
    sync_folder(private)
    return aside


def _lines(files: dict[str, bytes]) -> set[bytes]:
    journal = (data for name, data in files.items() if name != CONFIG)
    return {line for data in journal for line in data.split(b"\n") if line.strip()}


def _add_lines(private: Path, files: dict[str, bytes], present: set[bytes]) -> Restored:
    added = changed = 0
    for name, data in files.items():
        lost = [line for line in data.split(b"\n") if line.strip() and line not in present]
        if name == CONFIG or not lost:
            continue
        path = private / name
        into = path if not path.exists() else free(path.with_name(f"{path.stem}-restored.jsonl"))
        try:
            write_whole(into, b"".join(line + b"\n" for line in lost))
        except OSError as error:
            raise _refused(into, error) from error
        added, changed = added + len(lost), changed + 1
    return Restored(changed, added, None)


def _refused(path: Path, error: OSError) -> CollectionError:
    message = f"The backup cannot be taken back: {reason(error)}."
    hint = "Make room on the disk, or make the folder writable; journal and settings are as before."
    return refusal(path, message, hint)
