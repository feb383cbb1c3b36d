"""One import at a time in a collection: of two, the second would not know the first one's cards."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deck.exchange.bundle import ExchangeError


@contextmanager
def alone(root: Path) -> Iterator[None]:
    """Holds the collection's folder for an import: from before it is opened, as what is read then
    decides which cards are new, to the end.

    The folder itself is locked: nothing is written, and the lock goes with its program, however
    that ends.  Where a disk knows no such locks, and where there is no folder, it holds nothing.

    Raises:
        ExchangeError: another import goes on there.
    """
    try:
        handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        yield  # opening the collection says what is wrong with it
        return
    try:
        _lock(handle, root)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, root: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ExchangeError(
            f"{root}: another import is going on here. Wait until it has ended, and import again; "
            "nothing was imported."
        ) from None
    except OSError:
        pass  # some network disks know none
