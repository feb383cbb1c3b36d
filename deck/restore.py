"""Takes a backup back: as the journal was then, or only what has been lost since.

Nothing is deleted: what `restore` replaces is backed up first, and set aside beside it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from deck.append import sync_folder
from deck.backup import back_up, contents, read_backup
from deck.errors import CollectionError, reason, refusal
from deck.journal import Journal
from deck.place import CONFIG, PRIVATE


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
        present = contents(root)
        if files == present:
            return Restored(0, 0, None)
        back_up(root, now)
        stamp = f"{now.astimezone(UTC):%Y%m%dT%H%M%S}Z"
        aside, draft = _free(private / f"replaced-{stamp}"), _free(private / f".restoring-{stamp}")
        try:
            _write_all(draft, files)
            _exchange(private, draft, aside)
        except OSError as error:
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
        present = _lines(contents(root))
        added = changed = 0
        for name, data in files.items():
            lost = [line for line in data.split(b"\n") if line.strip() and line not in present]
            if name == CONFIG or not lost:
                continue
            path = private / name
            into = (
                path if not path.exists() else _free(path.with_name(f"{path.stem}-restored.jsonl"))
            )
            try:
                _write_file(into, b"".join(line + b"\n" for line in lost))
            except OSError as error:
                raise _refused(into, error) from error
            added, changed = added + len(lost), changed + 1
    return Restored(changed, added, None)


def _lines(files: dict[str, bytes]) -> set[bytes]:
    journal = (data for name, data in files.items() if name != CONFIG)
    return {line for data in journal for line in data.split(b"\n") if line.strip()}


def _exchange(private: Path, draft: Path, aside: Path) -> None:
    """Puts the drafts in place; where that fails half-way, what was there comes back."""
    aside.mkdir()
    moved: list[str] = []
    try:
        for name in ("journal", CONFIG):
            if os.path.lexists(private / name):
                (private / name).rename(aside / name)
                moved.append(name)
        for name in ("journal", CONFIG):
            if (draft / name).exists():
                (draft / name).rename(private / name)
    except OSError:
        for name in moved:
            if (private / name).exists():
                (private / name).rename(draft / f"{name}.undone")
            (aside / name).rename(private / name)
        raise
    draft.rmdir()
    sync_folder(private)


def _write_all(folder: Path, files: dict[str, bytes]) -> None:
    folder.mkdir()
    for name, data in files.items():
        _write_file(folder / name, data)


def _write_file(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.rename(path)
        sync_folder(path.parent)
    finally:
        draft.unlink(missing_ok=True)


def _free(path: Path) -> Path:
    """`path`, or one like it that is not taken."""
    found, number = path, 2
    while os.path.lexists(found):
        found = path.with_name(f"{path.stem}-{number}{path.suffix}")
        number += 1
    return found


def _refused(path: Path, error: OSError) -> CollectionError:
    message = f"The backup cannot be taken back: {reason(error)}."
    hint = "Make room on the disk, or make the folder writable; journal and settings are as before."
    return refusal(path, message, hint)
