"""Appends lines to a journal file so that they are there whole, or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from cards.files import refuse_irregular
from deck.errors import JournalError, unrecorded
from deck.place import sync_folder, whole, write_whole  # noqa: F401
from deck.walk import NO_STAMP, Stamp, stamp_from

#: Not blocking: a pipe of this name must not keep the program waiting.
_FLAGS = os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK
_REFUSED = "journal cannot be written"


class Appended(NamedTuple):
    """What an append made of a file."""

    before: Stamp
    after: Stamp


def append_line(path: Path, lines: bytes) -> Appended:
    """Writes a line, or several (each with its line feed), behind the file's last, with one write,
    and waits for the disk.

    Called with the journal locked.  What a crash left of an unfinished last line is moved to
    `<file>.torn` first.

    Raises:
        JournalError: the file is as long as it was, or `recorded` says how many lines are there.
    """
    try:
        handle = _opened(path)
        try:
            found = os.fstat(handle)
            refuse_irregular(path, found.st_mode)
            if found.st_size == 0:  # new.  Before the line: a failure after it would deny the line
                sync_folder(path.parent)
            elif os.pread(handle, 1, found.st_size - 1) != b"\n":
                _set_torn_aside(handle, path)
            _write_whole(handle, path, lines)
            return Appended(stamp_from(found), _stamp_behind(handle))
        finally:
            with suppress(OSError):  # the disk has confirmed the lines, or an error is on its way
                os.close(handle)
    except JournalError:
        raise
    except OSError as error:
        raise unrecorded(path, _REFUSED, error) from error


def _opened(path: Path) -> int:
    try:
        return os.open(path, _FLAGS | os.O_RDWR, 0o644)
    except FileNotFoundError:
        _make_folders(path.parent)
        return os.open(path, _FLAGS | os.O_RDWR, 0o644)


def _make_folders(folder: Path) -> None:
    """`mkdir -p`, each new name on the disk."""
    if not folder.is_dir():
        _make_folders(folder.parent)
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)


def _write_whole(handle: int, path: Path, lines: bytes) -> None:
    """Raises JournalError where the lines could be neither confirmed nor taken back, else OSError:
    they are not there."""
    length = os.fstat(handle).st_size
    try:
        written = os.write(handle, lines)
        if written < len(lines):
            raise OSError(None, "only a part of the line fits on the disk")
        os.fsync(handle)
    except OSError as why:
        try:
            os.ftruncate(handle, length)
            os.fsync(handle)  # else a power cut might bring the lines back
        except OSError:
            recorded = _recorded(handle, length, lines)
            raise unrecorded(path, _REFUSED, why, recorded, lines.count(b"\n")) from why
        raise


def _recorded(handle: int, start: int, lines: bytes) -> int | None:
    """How many of `lines` are in the file; None where one cannot look.

    The last one counts without its line feed, as it does for every reader.
    """
    try:
        there = os.pread(handle, len(lines), start)
    except OSError:
        return None
    found, given = there.split(b"\n"), lines.split(b"\n")[:-1]
    return next((n for n, line in enumerate(given) if found[n : n + 1] != [line]), len(given))


def _stamp_behind(handle: int) -> Stamp:
    try:
        return stamp_from(os.fstat(handle))
    except OSError:
        return NO_STAMP  # the file is looked into before anything else is said of it


def _set_torn_aside(handle: int, path: Path) -> None:
    """Moves a last line without its line feed away; one that is whole only gets its line feed."""
    from deck.line import LineError, read_line

    length = os.fstat(handle).st_size
    start = os.pread(handle, length, 0).rfind(b"\n") + 1
    torn = os.pread(handle, length - start, start)
    try:
        read_line(torn)
    except LineError:
        _keep_torn(path.with_name(path.name + ".torn"), torn)
        os.ftruncate(handle, start)
        os.fsync(handle)
    else:  # the disk confirms it together with the new lines
        if os.write(handle, b"\n") == 0:
            raise OSError(None, "not even a line feed fits on the disk")


def _keep_torn(path: Path, torn: bytes) -> None:
    with os.fdopen(os.open(path, _FLAGS | os.O_WRONLY, 0o644), "ab") as file:
        refuse_irregular(path, os.fstat(file.fileno()).st_mode)
        file.write(torn + b"\n")
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)
