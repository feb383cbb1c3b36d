"""Appends lines to a journal file so that they are there whole, or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from cards.regular import refuse_irregular
from deck.errors import unrecorded
from deck.walk import Stamp, stamp_from

#: Not blocking: a pipe of this name must not keep the program waiting.
_FLAGS = os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK


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
        JournalError: nothing was written; the file is as long as it was.
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
            _write_whole(handle, lines)
            return Appended(stamp_from(found), stamp_from(os.fstat(handle)))
        finally:
            os.close(handle)
    except OSError as error:
        raise unrecorded(path, "journal cannot be written", error) from error


def sync_folder(folder: Path) -> None:
    """Waits until the folder's list of names is on the disk: a new file survives a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


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


def _write_whole(handle: int, lines: bytes) -> None:
    length = os.fstat(handle).st_size
    try:
        written = os.write(handle, lines)
        if written < len(lines):
            raise OSError(None, "only a part of the line fits on the disk")
        os.fsync(handle)
    except OSError:
        os.ftruncate(handle, length)
        raise


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
    else:
        _write_whole(handle, b"\n")


def _keep_torn(path: Path, torn: bytes) -> None:
    with os.fdopen(os.open(path, _FLAGS | os.O_WRONLY, 0o644), "ab") as file:
        refuse_irregular(path, os.fstat(file.fileno()).st_mode)
        file.write(torn + b"\n")
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)
