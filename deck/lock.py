"""An advisory lock around an append, so that two programs on one collection both work."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from deck.errors import JournalError, reason, unrecorded

#: An append holds the lock for less than a millisecond; whoever holds it for ten seconds is
#: stopped or stuck.  The first pauses are short, so that of two busy programs none is kept waiting.
_TRIES, _PAUSE = 240, 0.05
_FIRST, _GROWTH = 0.0005, 1.1


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds the lock file at `path`, made where it is missing.

    Raises:
        JournalError: it cannot be made, or another program keeps it for ten seconds.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise unrecorded(path, "journal cannot be locked", error) from error
    try:
        _wait(handle, path)
        yield
    finally:
        with suppress(OSError):  # the lock is given up all the same, and nothing was written here
            os.close(handle)


def _wait(handle: int, path: Path) -> None:
    for number in range(_TRIES):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(min(_FIRST * _GROWTH**number, _PAUSE))
        except OSError as error:
            raise JournalError(
                f"{path}: the journal cannot be locked: {reason(error)}. "
                "Keep the collection on a disk that knows locks",
                "nothing was recorded",
            ) from error
        else:
            return
    raise JournalError(
        f"{path}: another program keeps the journal locked. "
        "Close the other deltadeck on this collection and try again",
        "nothing was recorded",
    )
