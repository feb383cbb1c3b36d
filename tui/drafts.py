"""Text that is not saved yet, put where it outlives a program that has to stop."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Draft:
    name: str
    """A file's name, of the card that the text belongs to."""
    text: str
    leave_for_next: Callable[[datetime], None] | None = None
    """Puts it where the next start offers it, too; never raises."""


@runtime_checkable
class Drafting(Protocol):
    """A screen in which text is written."""

    def draft(self) -> Draft | None:
        """What is written and not on the disk; None where nothing is.  Never raises."""


def keep(draft: Draft, now: datetime) -> str:
    """Write a draft, to the disk and not only to its cache; returns a sentence that says where."""
    from platformdirs import user_data_path

    if draft.leave_for_next is not None:
        draft.leave_for_next(now)
    try:
        path = _write(user_data_path("deltadeck") / "drafts", draft, now)
    except OSError as error:
        return f"The unsaved text of {draft.name} could not be kept: {error.strerror or error}."
    return f"The unsaved text of {draft.name} is kept in {path}."


def _write(folder: Path, draft: Draft, now: datetime) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    name = Path(draft.name)
    for number in count(1):
        again = f"-{number}" if number > 1 else ""
        path = folder / f"{name.stem}-{now:%Y%m%d-%H%M%S}{again}{name.suffix}"
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        with os.fdopen(handle, "wb") as file:
            file.write(draft.text.encode("utf-8", "surrogatepass"))
            file.flush()
            os.fsync(file.fileno())
        return path
    raise AssertionError  # count never ends


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
