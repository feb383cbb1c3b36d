"""Text on its way to the disk: unsaved drafts, $EDITOR, whose id it has."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from itertools import count
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from platformdirs import user_data_path

from cards.files import read_text
from cards.model import CardError

if TYPE_CHECKING:
    from cards import Card
    from deck.collection import Collection

# Text that is not saved yet, put where it outlives a program that has to stop.


@dataclass(frozen=True, slots=True)
class Draft:
    name: str
    """A file's name, of the card that the text belongs to."""
    text: str
    leave_for_next: Callable[[datetime], None] | None = None
    """Puts it where the next start offers it, too; never raises."""


def keep(draft: Draft, now: datetime) -> str:
    """Write a draft, to the disk and not only to its cache; returns a sentence that says where."""
    if draft.leave_for_next is not None:
        draft.leave_for_next(now)
    folder, name = _data_folder() / "drafts", Path(draft.name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number in count(1):
            again = f"-{number}" if number > 1 else ""
            path = folder / f"{name.stem}-{now:%Y%m%d-%H%M%S}{again}{name.suffix}"
            with suppress(FileExistsError):
                _write(path, draft.text, os.O_EXCL)
                break
    except OSError as error:
        return f"The unsaved text of {draft.name} could not be kept: {error.strerror or error}."
    return f"The unsaved text of {draft.name} is kept in {path}."


def _write(path: Path, text: str, how: int) -> None:
    """To the disk, for nobody else to read.  Raises OSError."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | how, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(text.encode("utf-8", "surrogatepass"))
        file.flush()
        os.fsync(file.fileno())


def _data_folder() -> Path:
    return user_data_path("deltadeck")


def leave_dead_terminal() -> None:
    """Send what is still written nowhere where the terminal is gone: writing there would raise."""
    try:
        import termios
    except ImportError:  # no such terminals on this platform
        return
    for stream in (sys.__stdin__, sys.__stdout__, sys.__stderr__):
        try:
            if stream is not None:
                termios.tcgetattr(stream.fileno())
        except (termios.error, ValueError) as error:
            if error.args[0] == errno.EIO and stream is not None:
                nowhere = os.open(os.devnull, os.O_RDWR)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)


# What is being written, kept on the disk so that it outlives a crash, a kill or a dead battery.
#
# One file for each editor of a card, in the user's data folder; it goes away when the text is
# saved or given up. Whoever opens the card next is asked about what was left; home says so.


@dataclass(frozen=True, slots=True)
class LeftText:
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
        name = str(self._path).encode(errors="surrogateescape")
        self._name = blake2b(name, digest_size=12).hexdigest()
        self._file = _folder_of_buffers() / f"{self._name}-{os.urandom(4).hex()}.json"
        self._kept: str | None = None
        self._taken: list[LeftText] = []
        self._lock = Lock()
        self._sealed = False
        self.turn = 0
        """Another one after each drop: what was asked to be kept before it is kept no more."""

    def left(self) -> LeftText | None:
        """The newest that editors of this card, which never came to their end, left behind."""
        found = read_left(self._file.parent.glob(f"{self._name}*.json"))
        return max(found, key=lambda left: left.at, default=None)

    def take(self, left: LeftText) -> None:
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
        _write(draft, json.dumps(said), os.O_TRUNC)
        draft.replace(self._file)


def _folder_of_buffers() -> Path:
    return _data_folder() / "editing"


def left_in(root: Path) -> tuple[LeftText, ...]:
    """What was left of cards in the collection at `root`, one for each, the newest first.

    Text that the card's file has by now is left out.
    """
    inside: dict[Path, LeftText] = {}
    real = Path(os.path.realpath(root))
    found = read_left(_folder_of_buffers().glob("*.json"))
    for left in sorted(found, key=lambda each: each.at, reverse=True):
        if left.path.is_relative_to(real):
            with suppress(CardError):
                if digest(read_text(left.path)) == digest(left.text):
                    continue
            inside.setdefault(left.path, left)
    return tuple(inside.values())


def read_left(files: Iterable[Path]) -> Iterator[LeftText]:
    """What nobody writes any more; what another window is still writing is none."""
    for file in files:
        with suppress(OSError, ValueError, KeyError, TypeError):
            found: Any = json.loads(file.read_text("utf-8", "surrogatepass"))
            if found["process"] == os.getpid() or not _runs(found["process"]):
                at = datetime.fromisoformat(found["at"]).astimezone()
                yield LeftText(str(found["text"]), at, found["seen"], Path(found["path"]), file)


def _absolute(path: Path) -> Path:
    """The same for each way that leads to the folder."""
    return Path(os.path.realpath(path.parent), path.name)


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
        pass  # it is another user's
    return True


# $EDITOR, on a draft: nothing is lost, whatever that editor does.


class EditorError(Exception):
    """Nothing was edited; a sentence that names the draft, where there is one."""


def edit_draft(text: str, name: str) -> Path:
    """Open $EDITOR on a draft with `text`; the draft's path.  It stays until it is saved.

    Raises EditorError.
    """
    from tempfile import mkdtemp  # no first card waits for it

    draft = Path(mkdtemp(prefix="deltadeck-")) / name
    draft.write_bytes(text.encode("utf-8"))
    open_editor(draft)
    return draft


def open_editor(draft: Path) -> None:
    """Returns when the learner has left $EDITOR.  Raises EditorError."""
    command = _editor()
    try:
        done = subprocess.run([*command, str(draft)], check=False)
    except OSError as error:
        raise EditorError(
            f"The editor '{command[0]}' cannot be started ({error.strerror}): set $EDITOR to one "
            f"that can. The draft is {draft}."
        ) from error
    if done.returncode:
        raise EditorError(
            f"The editor left with code {done.returncode}, so nothing was saved. "
            f"The draft is {draft}."
        )


def _editor() -> list[str]:
    """$VISUAL, $EDITOR or an editor that is there."""
    for variable in ("VISUAL", "EDITOR"):
        if command := os.environ.get(variable, "").strip():
            import shlex  # no start waits for it

            return shlex.split(command)
    for name in ("nano", "vi"):
        if found := shutil.which(name):
            return [found]
    raise EditorError("There is no editor: set $EDITOR to one, or edit the card in the app.")


# A card's id on its way to the disk: whether it is free, and whose reviews it would leave.


def taken_by(card_id: str, collection: Collection, path: Path | None = None) -> Path | None:
    """The file, other than `path`, that holds a card of this id; None where the id is free."""
    card = collection.cards.get(card_id)
    if card is None or card.path is None or (path is not None and _same(card.path, path)):
        return None
    return card.path


def left_behind(card: Card, collection: Collection, path: Path) -> str:
    """The id that the card at `path` has reviews under, where `card` changes it; else empty."""
    from deck.replay import New

    # As one below the collection's folder, where it leads there by another way.
    below = os.path.relpath(os.path.realpath(path), os.path.realpath(collection.root))
    before = collection.card_at(path) or collection.card_at(collection.root / below)
    if before is None or before.id == card.id:
        return ""
    known = any(not isinstance(collection.state(item.id), New) for item in before.items)
    return before.id if known else ""


def _same(one: Path, other: Path) -> bool:
    return one == other or os.path.realpath(one) == os.path.realpath(other)
