"""The append-only journal: `.deltadeck/journal/<device>/YYYY-MM.jsonl`, one event a line.

Each device appends to its own files, so git, Syncthing or a copy merge without conflicts: the union
of all lines is the history.  An append is whole or not there at all, under an advisory lock, so
that two programs on one collection both work.  Reading never writes.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from errno import ENOENT
from pathlib import Path
from typing import NamedTuple

from cards.files import open_regular, refuse_irregular
from cards.model import Problem
from deck.errors import JournalError, broken, odd, reason, refusal, unrecorded
from deck.events import Event, LineError, Reviewed, check_times, read_line, write_line
from deck.files import (
    NO_STAMP,
    FileStamp,
    make_folders,
    make_private,
    stamp_from,
    sync_folder,
    write_whole,
)


class Written(NamedTuple):
    """Where events went."""

    name: str
    """The file's path below `.deltadeck/`."""
    before: FileStamp
    """The file's, before the events' lines."""
    stamp: FileStamp
    """The file's, behind them."""


class _Kept(NamedTuple):
    """A file that is kept open."""

    handle: int
    path: str
    identity: tuple[int, int]
    """Device and inode: another file of this name is opened anew."""


class Journal:
    """The journal below `folder` (`.deltadeck/`), appended to as the device `device`.

    The lock and the month's file stay open from one append to the next, until `release`.
    """

    def __init__(self, folder: Path, device: str | None = None) -> None:
        self.folder = folder
        self._device = check_device(device) if device is not None else None
        self._was_there = folder.is_dir()
        self._file = "", folder
        """The file that was appended to last, below `folder`."""
        self._thread = threading.Lock()
        """One file that is open keeps no thread of this program out."""
        self._kept: dict[str, _Kept] = {}
        """The lock, and the file that is appended to."""
        weakref.finalize(self, _close_all, self._kept)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps other programs, and other threads, from appending.  Makes `.deltadeck/` where it is
        missing.

        Raises:
            JournalError: it cannot be made or locked, or it went away: a disk that was pulled out
                leaves an empty folder, and what is written there is hidden once the disk is back.
        """
        with self._thread:
            path = f"{self.folder}/lock"
            found = self._still_open("lock", path)
            if found is None:
                self._make_folder()
                with _refusing(Path(path), "journal cannot be locked"):
                    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
                    found = self._keep("lock", path, os.open(path, flags, 0o644))
            _lock(found.handle, path)
            try:
                yield
            finally:
                try:
                    fcntl.flock(found.handle, fcntl.LOCK_UN)
                except OSError:  # what was written is confirmed; closing gives the lock up, too
                    _close(self._kept.pop("lock").handle)

    def release(self) -> None:
        """Closes what is kept open: a disk can be unmounted then."""
        with self._thread:
            _close_all(self._kept)

    def _make_folder(self) -> None:
        if not os.path.isdir(self.folder):  # noqa: PTH112, which an error does not end
            try:
                if self._was_there and not os.path.lexists(self.folder):
                    raise FileNotFoundError(ENOENT, os.strerror(ENOENT), str(self.folder))
                make_private(self.folder)
            except OSError as error:
                raise unrecorded(self.folder, "folder cannot be made", error) from error
        self._was_there = True

    def _still_open(self, use: str, path: str) -> _Kept | None:
        """The file kept for a use, where it still is what its path names."""
        kept = self._kept.get(use)
        if kept is not None:
            with suppress(OSError):
                if kept.path == path and _identity(os.stat(path)) == kept.identity:  # noqa: PTH116
                    return kept
            del self._kept[use]
            _close(kept.handle)
        return None

    def _keep(self, use: str, path: str, handle: int) -> _Kept:
        try:
            kept = self._kept[use] = _Kept(handle, path, _identity(os.fstat(handle)))
        except OSError:
            _close(handle)
            raise
        return kept

    @property
    def device(self) -> str:
        """The device's name; made at the first use.  Raises JournalError."""
        if self._device is None:
            self._device = own_device()
        return self._device

    def append(self, *events: Event) -> Written:
        """Writes events of one month and waits for the disk; called between `locked` and its end.

        Raises:
            JournalError: its `recorded` says how many are there all the same, nearly always none.
        """
        name = _name(self.device, events[0].at)
        if name != self._file[0]:
            self._file = name, self.folder / name
        path = self._file[1]
        lines = b"".join([_checked(path, event) for event in events])
        with _refusing(path):
            kept = self._still_open("journal", str(path))
            kept = kept or self._keep("journal", str(path), _opened(path))
            return Written(name, *_append(kept.handle, path, lines))


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _close(handle: int) -> None:
    with suppress(OSError):  # the disk has confirmed what was written, or an error is on its way
        os.close(handle)


def _close_all(kept: dict[str, _Kept]) -> None:
    while kept:
        _close(kept.popitem()[1].handle)


def written_by_an_answer(folder: Path, device: str, now: datetime) -> tuple[Path, Path]:
    """The files below `folder` (`.deltadeck/`) that an answer opens, or makes where they are
    missing: the lock, and the device's file of the month."""
    return folder / "lock", folder / _name(device, now.astimezone(UTC))


def refusing(path: Path) -> Path | None:
    """The file, or of one that is not there the nearest folder, that may not be written."""
    while not os.path.exists(path) and path != path.parent:  # noqa: PTH110, no error for its rights
        path = path.parent
    needed = os.R_OK | os.W_OK | (os.X_OK if path.is_dir() else 0)
    effective = os.access in os.supports_effective_ids
    return None if os.access(path, needed, effective_ids=effective) else path


def why_unwritable(folder: Path, now: datetime) -> str:
    """Why no answer can be recorded below `folder` (`.deltadeck/`); "" where one can."""
    device = "new"
    with suppress(OSError):  # the first answer says what is wrong with the name
        device = kept_device() or device
    places = map(refusing, written_by_an_answer(folder, device, now))
    if place := next(filter(None, places), None):
        return f"{place} may not be written"
    with suppress(OSError):
        disk = os.statvfs(folder)
        if disk.f_bavail * disk.f_frsize < _LEAST_FREE:
            return "the disk is full"
    return ""


def _name(device: str, at: datetime) -> str:
    return f"journal/{device}/{at:%Y-%m}.jsonl"


def _checked(path: Path, event: Event) -> bytes:
    """The event's line; JournalError where it could not be read back: it would be lost."""
    try:
        if isinstance(event.what, Reviewed):  # else of the right form by itself
            check_times(event.at, event.day, event.offset)
            return write_line(event)
        line = write_line(event)
        read_line(line)
    except ValueError as error:
        raise JournalError(
            f"{path}: the event cannot be kept: {error}. Check this computer's clock",
            "nothing was recorded",
        ) from error
    return line


# Appending.


#: Not blocking: a pipe of this name must not keep the program waiting.
_FLAGS = os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK
_REFUSED = "journal cannot be written"
#: Bytes that an answer and its status line need.
_LEAST_FREE = 1 << 16


def append_line(path: Path, lines: bytes) -> None:
    """Writes a line, or several (each with its line feed), behind the file's last, with one write,
    and waits for the disk.

    Called with the journal locked.

    Raises:
        JournalError: the file is as long as it was, or `recorded` says how many lines are there.
    """
    with _refusing(path):
        handle = _opened(path)
        try:
            _append(handle, path, lines)
        finally:
            _close(handle)


@contextmanager
def _refusing(path: Path, refused: str = _REFUSED) -> Iterator[None]:
    """Whatever the system refuses is a JournalError."""
    try:
        yield
    except JournalError:
        raise
    except OSError as error:
        raise unrecorded(path, refused, error) from error


def _append(handle: int, path: Path, lines: bytes) -> tuple[FileStamp, FileStamp]:
    """Appends to an open file; its stamps before and after.

    What a crash left of an unfinished last line is moved to `<file>.torn` first.
    """
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        refuse_irregular(path, found.st_mode)
    if found.st_size == 0:  # new.  Before the line: a failure after it would deny the line
        sync_folder(path.parent)
    elif os.pread(handle, 1, found.st_size - 1) != b"\n":
        _set_torn_aside(handle, path)
    _write_whole(handle, path, lines)
    behind = NO_STAMP  # the file is looked into before anything else is said of it
    with suppress(OSError):
        behind = stamp_from(os.fstat(handle))
    return stamp_from(found), behind


def _opened(path: Path) -> int:
    try:
        return os.open(path, _FLAGS | os.O_RDWR, 0o644)
    except FileNotFoundError:
        make_folders(path.parent)
        return os.open(path, _FLAGS | os.O_RDWR, 0o644)


def _write_whole(handle: int, path: Path, lines: bytes) -> None:
    """Raises JournalError where the lines could be neither confirmed nor taken back, else OSError:
    they are not there."""
    length = os.fstat(handle).st_size
    try:
        if os.write(handle, lines) < len(lines):
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


def _set_torn_aside(handle: int, path: Path) -> None:
    """Moves a last line without its line feed away; one that is whole only gets its line feed."""
    length = os.fstat(handle).st_size
    start = os.pread(handle, length, 0).rfind(b"\n") + 1
    torn = os.pread(handle, length - start, start)
    try:
        read_line(torn)
    except LineError:
        keep_lines(path.with_name(path.name + ".torn"), [torn])
        os.ftruncate(handle, start)
        os.fsync(handle)
    else:  # the disk confirms it together with the new lines
        if os.write(handle, b"\n") == 0:
            raise OSError(None, "not even a line feed fits on the disk")


def keep_lines(path: Path, lines: list[bytes]) -> None:
    """Appends lines, without their line feeds, to a file in which they are kept, and waits for the
    disk.  Raises OSError."""
    with os.fdopen(os.open(path, _FLAGS | os.O_RDWR, 0o644), "ab") as file:
        status = os.fstat(file.fileno())
        refuse_irregular(path, status.st_mode)
        if status.st_size and os.pread(file.fileno(), 1, status.st_size - 1) != b"\n":
            file.write(b"\n")  # what a crash left there stays a line of its own
        file.writelines(line + b"\n" for line in lines)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)


# The lock.


#: An append holds the lock for less than a millisecond; whoever holds it for ten seconds is
#: stopped or stuck.  The first pauses are short, so that of two busy programs none is kept waiting.
_TRIES, _PAUSE = 240, 0.05
_FIRST, _GROWTH = 0.0005, 1.1


def _lock(handle: int, path: str) -> None:
    """Raises JournalError where another program keeps the lock for ten seconds."""
    for number in range(_TRIES):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            time.sleep(min(_FIRST * _GROWTH**number, _PAUSE))
        except OSError as error:
            raise JournalError(
                f"{path}: the journal cannot be locked: {reason(error)}. "
                "Keep the collection on a disk that knows locks",
                "nothing was recorded",
            ) from error
    raise JournalError(
        f"{path}: another program keeps the journal locked. "
        "Close the other deltadeck on this collection and try again",
        "nothing was recorded",
    )


# This device's name: random, made at the first write, kept in the user's data, in two files: where
# one of them is cut, empty or gone, the other has the name.


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
#: The second file that keeps it.
_SECOND = "device.copy"


def is_device(name: str) -> bool:
    """Whether it can name a device, and so its folder on every system."""
    return _NAME.fullmatch(name) is not None


def check_device(name: str) -> str:
    """`name` itself.

    Raises:
        CollectionError: it cannot name a folder on every system.
    """
    if not is_device(name):
        message = f"{name!a} cannot name a device."
        hint = "Use letters, digits, '.', '_' and '-', at most 64, a letter or digit first."
        raise refusal(None, message, hint)
    return name


def own_device() -> str:
    """The name kept for this user on this machine; made, and kept, where there is none.

    Raises:
        JournalError: it can neither be read nor made.
    """
    path = device_path()
    try:
        name = kept_device()
        if name is None or _known(path) != name:
            name = _kept(path, name or f"device-{os.urandom(4).hex()}")
        second = path.with_name(_SECOND)
        with suppress(OSError):  # the first file suffices where there is no room for another
            if _known(second) != name:
                write_whole(second, f"{name}\n".encode("ascii"))
        return name
    except OSError as error:
        raise JournalError(
            f"{path}: this device's name cannot be kept: {reason(error)}. "
            "Make the folder writable, or let XDG_DATA_HOME name one that is."
        ) from error


def kept_device() -> str | None:
    """The name, where there is one already; nothing is made.  Raises OSError."""
    path = device_path()
    name = _known(path) or _known(path.with_name(_SECOND))
    return name or _known(path, ended=False)  # written by hand, without its line feed


def device_path() -> Path:
    """The file that keeps the name."""
    import platformdirs  # 5 ms, and only before the first write

    return platformdirs.user_data_path("deltadeck") / "device"


def _known(path: Path, ended: bool = True) -> str | None:
    """The name in a file; None where it holds none, or one that is not `ended` and may be cut."""
    try:
        with open_regular(path) as file:
            text = file.read(100).decode("ascii", "replace")
    except FileNotFoundError:
        return None
    name = text.strip()
    return name if _NAME.fullmatch(name) and (text.endswith("\n") or not ended) else None


def _kept(path: Path, name: str) -> str:
    """Writes the name where there is none; of two programs at once, both get the same one."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    write_whole(draft, f"{name}\n".encode("ascii"))
    try:
        os.link(draft, path)
    except OSError:  # it is there, or this file system has no links
        if _known(path) is None:
            draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(path.parent)
    return _known(path) or name


# The journal's files as they were last seen, and whether they still are so.

#: File systems tell times apart in steps of up to two seconds; a change within them can hide.
HIDES = 2_000_000_000


class Stamps:
    """Of the journal below `private` (`.deltadeck/`), by the files' paths below that."""

    def __init__(self, private: Path) -> None:
        self.known: dict[str, FileStamp] = {}
        """Whoever sets it has read the files."""
        self._private = str(private)
        self._folders: dict[str, int] = {}
        self._growing: set[str] = set()

    def are_same(self) -> bool:
        """Looks at every file."""
        folders = self._folder_times()
        if _on_disk(self._private) != self.known:
            self._folders.clear()
            return False
        last = {name.rpartition("/")[0]: name for name in sorted(self.known)}
        self._folders, self._growing = folders, set(last.values())
        return True

    def seem_same(self) -> bool:
        """Looks only where programs write: at the last file of each device and at those that this
        program writes, and at the folders, which change where a file is made, replaced or removed.

        What another way of changing a file has changed is seen by `are_same`.
        """
        if not self._folders:
            return self.are_same()
        try:
            for folder, changed in self._folders.items():
                if os.stat(folder).st_mtime_ns != changed:  # noqa: PTH116
                    return self.are_same()
            for name in self._growing:
                if _stamp(f"{self._private}/{name}") != self.known[name]:
                    return False
        except OSError:
            return self.are_same()
        return True

    def put(self, name: str, stamp: FileStamp) -> None:
        """A file as this program has just written it."""
        self.known[name] = stamp
        self._growing.add(name)

    def _folder_times(self) -> dict[str, int]:
        """Of a folder that has only just changed, none: a second change may hide behind it."""
        journal, settled = f"{self._private}/journal", time.time_ns() - HIDES
        found = {}
        for folder in (journal, *(f"{journal}/{name}" for name in _shown_in(journal))):
            try:
                changed = os.stat(folder).st_mtime_ns  # noqa: PTH116
            except OSError:
                return {}
            found[folder] = changed if changed < settled else -1
        return found


def _on_disk(private: str) -> dict[str, FileStamp]:
    """The journal's files as they are: `journal_files`, in the time that a key has for it."""
    journal, found = f"{private}/journal", {}
    for device in _shown_in(journal):
        for name in _shown_in(f"{journal}/{device}"):
            if name.endswith(".jsonl"):
                path = f"journal/{device}/{name}"
                try:
                    found[path] = _stamp(f"{private}/{path}")
                except OSError:
                    found[path] = NO_STAMP
    return found


def _stamp(path: str) -> FileStamp:
    """`stamp_from`, of a path that is only a text: each key asks for it."""
    found = os.stat(path)  # noqa: PTH116
    return found.st_size, found.st_mtime_ns, found.st_ino


def _shown_in(folder: str) -> list[str]:
    try:
        return [entry.name for entry in os.scandir(folder) if entry.name[0] != "."]
    except OSError:
        return []


# Where the journal's files are, and what stands in their way.


#: A folder in which an unfinished `deck.backup.restore` keeps what was there.
RESTORING = ".restoring-"

#: What systems put into any folder.
_CLUTTER = {"desktop.ini", "thumbs.db", "icon\r"}
#: Names that Syncthing, Dropbox, Nextcloud, Seafile, Resilio, iCloud, Drive, file managers and
#: editors give to copies.
_COPY = re.compile(r"conflict|\bcopy\b| \d+(\.jsonl)?$|\(.+\)|~|\.(orig|bak|old)\b", re.IGNORECASE)
_CLOSED = "The folder of the reviews cannot be read"
_LOST_LINK = "This link leads nowhere"
_FILE = "A file stands where the folder of the reviews belongs"


def journal_files(private: Path) -> tuple[list[Path], tuple[Problem, ...]]:
    """The files below `private` (`.deltadeck/`) by path, and what is wrong with folders and names.

    A folder that is not there yet is no problem; a file in its place is one, because all reviews
    in it would be gone without a word.  Hidden files are left out.
    """
    problems: list[Problem] = []
    files: list[Path] = []
    beside = _names(private, problems)
    for name in beside:
        place = private / name
        if name.startswith(RESTORING):
            message = "A backup was being taken back when the program was stopped."
            hint = "`deltadeck doctor --repair` puts back what was there; nothing is lost."
            problems.append(broken(place, message, hint))
        elif name.startswith("journal") and name != "journal" and place.is_dir():
            message = "This folder looks like a second journal: the reviews in it are missing."
            hint = "Move the folders in it into `journal/`, each under a name that is free there."
            problems.append(broken(place, message, hint))
    if beside:
        journal = private / "journal"
        for device in _shown(_names(journal, problems)):
            names = _shown(_names(journal / device, problems))
            files += [journal / device / name for name in names if name.endswith(".jsonl")]
    for path in filter(is_copy, files):
        message = "This looks like a copy that a sync tool or a file manager made."
        hint = "Every review in it counts, once. `deltadeck doctor --repair` clears it away."
        problems.append(odd(path, message, hint))
    return files, tuple(problems)


def is_closed(problem: Problem) -> bool:
    """Whether a folder is there, or should be, whose files cannot be listed."""
    return problem.message.startswith((_CLOSED, _LOST_LINK, _FILE))


def is_copy(path: Path) -> bool:
    """Whether a journal's file, or the folder of its device, is named like a sync tool's copy."""
    device = path.parent.name
    return bool(_COPY.search(path.name) or (_COPY.search(device) and not is_device(device)))


def _shown(names: list[str]) -> list[str]:
    return [name for name in names if name[0] != "." and name.lower() not in _CLUTTER]


def _names(folder: Path, problems: list[Problem]) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208, which makes a path of each
    except FileNotFoundError:
        if os.path.lexists(folder):
            message = f"{_LOST_LINK}: the reviews behind it are missing."
            hint = "Bring back the folder that it names, or remove the link."
            problems.append(broken(folder, message, hint))
    except NotADirectoryError:
        if folder.name.endswith(".jsonl"):
            message = (
                "This file is not read: it lies beside the folders of the devices, not in one."
            )
            hint = "Move it into the folder of its device, or into a new one."
        else:
            message = f"{_FILE}: they are missing."
            hint = "Move the file away, and bring the folder back from a copy if there was one."
        problems.append(broken(folder, message, hint))
    except OSError as error:
        message = f"{_CLOSED}: {reason(error)}."
        hint = "Check its permissions: reviews in it may be missing from the schedule."
        problems.append(broken(folder, message, hint))
    return []


def gone(private: Path) -> Problem:
    """The journal was read, and its folder is not there any more."""
    message = "The folder of the reviews is gone. What was read of it holds for now."
    hint = "Bring it back (a disk, a branch of git, a backup): until then nothing can be recorded."
    return broken(private, message, hint)
