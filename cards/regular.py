"""Opens a file only where it is one: a pipe, a socket or a device might never end, or never answer.

A folder of cards that was copied, mounted or shared may hold anything under any name.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO


class NotRegularError(OSError):
    """There is something of this name, but neither a file nor a folder."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EINVAL, "it is not a regular file", str(path))


def open_regular(path: Path) -> BinaryIO:
    """The file at `path`, links followed, for reading its bytes.  Never waits for another program.

    Raises:
        NotRegularError: it is a pipe, a socket or a device.
        IsADirectoryError: it is a folder.
        OSError: it cannot be opened.
        ValueError: no file can have this name.
    """
    refuse_irregular(
        path, path.stat().st_mode
    )  # first, because opening a device may already do something
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        refuse_irregular(path, os.fstat(handle).st_mode)  # the name may mean something else by now
    except OSError:
        os.close(handle)
        raise
    return os.fdopen(handle, "rb")


def leads_out(path: Path, root: Path) -> bool:
    """Whether a path below `root` leaves it through a link; `root` itself may be behind one."""
    real = os.path.realpath(root)
    below = tuple(os.path.join(each, "") for each in (os.path.abspath(root), real))  # noqa: PTH100, PTH118
    is_below = os.path.abspath(path).startswith(below)  # noqa: PTH100
    return is_below and not f"{os.path.realpath(path)}/".startswith(below[1])


def refuse_irregular(path: Path, mode: int) -> None:
    """Raises NotRegularError or IsADirectoryError for a mode of `stat` that is no file's."""
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise NotRegularError(path)
