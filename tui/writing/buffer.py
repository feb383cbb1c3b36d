"""What is being written, kept on the disk so that it outlives a crash, a kill or a dead battery.

One file for each editor of a card, in the user's data folder; it goes away when the text is saved
or given up.  Whoever opens the card next is asked about what was left; home says so.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from secrets import token_hex
from threading import Lock
from typing import Any


@dataclass(frozen=True, slots=True)
class Left:
    """Text that was written and never saved."""

    text: str
    at: datetime
    seen: str
    """The digest of the file's text that it was written over; empty for a new card."""
    path: Path
    """The card's file, from the root of the file system."""
    file: Path
    """Where it is kept."""

    def drop(self) -> None:
        _unlink(self.file)


class Buffer:
    """Keeps the text of one editor on the card file `path`.  Any thread may keep and drop."""

    def __init__(self, path: Path) -> None:
        self._path = _absolute(path)
        self._token = token_hex(4)
        self._kept: str | None = None
        self._taken: list[Left] = []
        self._lock = Lock()
        self._sealed = False
        self.turn = 0
        """Another one after each drop: what was asked to be kept before it is kept no more."""

    def left(self) -> Left | None:
        """The newest that editors of this card, which never came to their end, left behind."""
        found = read_left(self._folder.glob(f"{self._name}*.json"))
        return max(found, key=lambda left: left.at, default=None)

    def take(self, left: Left) -> None:
        """It is in the editor now, and goes away with what is kept of that."""
        self._taken.append(left)

    def keep(self, text: str, seen: str | None, now: datetime, turn: int | None = None) -> str:
        """Put the text on the disk, whole or not at all; returns why it cannot be kept."""
        with self._lock:
            if text == self._kept or self._sealed or turn not in (None, self.turn):
                return ""
            try:
                self._write(text, seen, now)
            except OSError as error:
                return f"What you write here is not kept in case of a crash: {error.strerror}."
            self._kept = text
            self._drop_taken()
            return ""

    def seal(self) -> None:
        """The program stops: what is kept now is left to its next start."""
        self._sealed = True

    def drop(self, taken: bool = True) -> None:
        """The text is saved, or given up; not `taken`: only what was changed in what was taken."""
        with self._lock:
            if self._sealed:
                return
            self.turn += 1
            self._kept = None
            _unlink(self._file)
            if taken:
                self._drop_taken()

    def _drop_taken(self) -> None:
        for left in self._taken:
            left.drop()
        self._taken.clear()

    def _write(self, text: str, seen: str | None, now: datetime) -> None:
        said = {
            "path": str(self._path),
            "process": os.getpid(),
            "at": now.isoformat(),
            "seen": digest(seen),
            "text": text,
        }
        draft = self._file.with_suffix(f".{os.getpid()}")
        draft.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(json.dumps(said).encode("utf-8", "surrogatepass"))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._file)

    @property
    def _folder(self) -> Path:
        return folder_of_buffers()

    @property
    def _name(self) -> str:
        name = str(self._path).encode(errors="surrogateescape")
        return blake2b(name, digest_size=12).hexdigest()

    @property
    def _file(self) -> Path:
        return self._folder / f"{self._name}-{self._token}.json"


def folder_of_buffers() -> Path:
    from platformdirs import user_data_path

    return user_data_path("deltadeck") / "editing"


def left_in(root: Path) -> tuple[Left, ...]:
    """What was left of cards in the collection at `root`, one for each, the newest first.

    What is in the card's file by now is no longer there to be taken up.
    """
    inside: dict[Path, Left] = {}
    real = Path(os.path.realpath(root))
    found = read_left(folder_of_buffers().glob("*.json"))
    for left in sorted(found, key=lambda each: each.at, reverse=True):
        if left.path.is_relative_to(real) and digest(left.text) != _digest_on_disk(left.path):
            inside.setdefault(left.path, left)
    return tuple(inside.values())


def read_left(files: Iterable[Path]) -> Iterator[Left]:
    """What nobody writes any more; what another window is still writing is none."""
    for file in files:
        with suppress(OSError, ValueError, KeyError, TypeError):
            found: Any = json.loads(file.read_text("utf-8", "surrogatepass"))
            if found["process"] == os.getpid() or not _runs(found["process"]):
                at = datetime.fromisoformat(found["at"]).astimezone()
                yield Left(str(found["text"]), at, found["seen"], Path(found["path"]), file)


def _absolute(path: Path) -> Path:
    """The same for each way that leads to the folder."""
    return Path(os.path.realpath(path.parent), path.name)


def _digest_on_disk(path: Path) -> str | None:
    from tui.files import UnreadableError, on_disk

    try:
        return digest(on_disk(path))
    except UnreadableError:
        return None


def _unlink(file: Path) -> None:
    # Where it stays it is offered again: nothing is lost by that.
    with suppress(OSError):
        file.unlink(missing_ok=True)


def digest(text: str | None) -> str:
    """Names a file's text; empty for a file that is not there."""
    if text is None:
        return ""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _runs(process: Any) -> bool:
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, ValueError, TypeError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
