"""What is being written, kept on the disk so that it outlives a crash, a kill or a dead battery.

One file for each card that is being edited, in the user's data folder; it goes away when the text
is saved or given up.  Whoever opens the card next is asked about what was left.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Left:
    """Text that was written and never saved."""

    text: str
    at: datetime
    seen: str
    """The digest of the file's text that it was written over; empty for a new card."""


class Buffer:
    """Keeps the text of the editor on the card file `path`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: str | None = None

    def left(self) -> Left | None:
        """What an editor that never came to its end left behind."""
        try:
            found: Any = json.loads(self._file.read_text("utf-8", "surrogatepass"))
            if found["process"] != os.getpid() and _runs(found["process"]):
                return None  # another window is still writing it
            return Left(found["text"], datetime.fromisoformat(found["at"]), found["seen"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, text: str, seen: str | None, now: datetime) -> str:
        """Put the text on the disk, whole or not at all; returns why it cannot be kept."""
        if text == self._kept:
            return ""
        said = {
            "path": str(self._path),
            "process": os.getpid(),
            "at": now.isoformat(),
            "seen": digest(seen),
            "text": text,
        }
        draft = self._file.with_suffix(f".{os.getpid()}")
        try:
            draft.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(json.dumps(said).encode("utf-8", "surrogatepass"))
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self._file)
        except OSError as error:
            return f"What you write here is not kept in case of a crash: {error.strerror}."
        self._kept = text
        return ""

    def drop(self) -> None:
        """The text is saved, or given up."""
        self._kept = None
        try:
            self._file.unlink(missing_ok=True)
        except OSError:
            # It stays and is offered again: nothing is lost by that.
            return

    @property
    def _file(self) -> Path:
        from platformdirs import user_data_path

        name = blake2b(str(self._path.absolute()).encode(errors="surrogateescape"), digest_size=12)
        return user_data_path("deltadeck") / "editing" / f"{name.hexdigest()}.json"


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
