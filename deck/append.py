"""Appends a line to a journal file so that it is there whole, or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from cards.regular import refuse_irregular
from deck.errors import unrecorded

#: Not blocking: a pipe of this name must not keep the program waiting.
_FLAGS = os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK


def append_line(path: Path, line: bytes) -> None:
    """Writes `line` (with its line feed) behind the file's last, and waits for the disk.

    Called with the journal locked.  What a crash left of an unfinished last line is moved to
    `<file>.torn` first.

    Raises:
        JournalError: nothing was written; the file is as long as it was.
    """
    try:
        new = not path.exists()
        if new:
            _make_folders(path.parent)
        handle = os.open(path, _FLAGS | os.O_RDWR, 0o644)
        try:
            refuse_irregular(path, os.fstat(handle).st_mode)
            if new:  # before the line: a failure after it would deny what is there
                sync_folder(path.parent)
            _set_torn_aside(handle, path)
            _write_whole(handle, line)
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


def _make_folders(folder: Path) -> None:
    """`mkdir -p`, each new name on the disk."""
    if not folder.is_dir():
        _make_folders(folder.parent)
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)


def _write_whole(handle: int, line: bytes) -> None:
    length = os.fstat(handle).st_size
    try:
        written = os.write(handle, line)
        if written < len(line):
            raise OSError(None, "only a part of the line fits on the disk")
        os.fsync(handle)
    except OSError:
        os.ftruncate(handle, length)
        raise


def _set_torn_aside(handle: int, path: Path) -> None:
    """Moves a last line without its line feed away; one that is whole only gets its line feed."""
    from deck.line import LineError, read_line

    length = os.fstat(handle).st_size
    if length == 0 or os.pread(handle, 1, length - 1) == b"\n":
        return
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
