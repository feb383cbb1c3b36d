"""Lines of a journal file that are moved out of the way: written elsewhere first, then left out."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cards.files import refuse_irregular
from deck.errors import JournalError, unrecorded
from deck.place import free, sync_folder  # noqa: F401
from deck.survey import Line


@dataclass(frozen=True, slots=True)
class Repair:
    """What was set aside."""

    path: Path
    """The file in which it was."""
    aside: Path
    """Where it is now."""
    lines: int
    """How many lines; 0 for a whole file or folder that only has another name now."""


def set_aside(path: Path, lines: list[Line], away: Mapping[int, list[bytes]]) -> Repair:
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
