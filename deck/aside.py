"""Lines of a journal file that are moved out of the way: written elsewhere first, then left out."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from cards.regular import refuse_irregular
from deck.append import sync_folder
from deck.errors import JournalError, unrecorded
from deck.survey import Line


@dataclass(frozen=True, slots=True)
class Repair:
    """What was set aside."""

    path: Path
    """The journal file."""
    aside: Path
    """Where it is now."""
    lines: int


def set_aside(path: Path, lines: list[Line], numbers: set[int]) -> Repair:
    """First the copy, then the file without the lines: a crash between leaves them in both."""
    aside = path.with_name(path.name + ".aside")
    away = [line for line in lines if line.number in numbers]
    kept = [line for line in lines if line.number not in numbers]
    try:
        _append(aside, b"".join(line.data + b"\n" for line in away))
        if kept:
            _replace(path, b"".join(line.data + b"\n" for line in kept))
        else:
            path.unlink()
        sync_folder(path.parent)
    except OSError as error:
        raise _refused(path, error) from error
    return Repair(path, aside, len(away))


def _append(path: Path, data: bytes) -> None:
    flags = os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_CLOEXEC | os.O_NONBLOCK
    with os.fdopen(os.open(path, flags, 0o644), "ab") as file:
        refuse_irregular(path, os.fstat(file.fileno()).st_mode)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)


def _replace(path: Path, data: bytes) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _refused(path: Path, error: OSError) -> JournalError:
    return unrecorded(path, "line cannot be set aside", error)
