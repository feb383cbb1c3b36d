"""This device's name in the journal: random, made at the first write, kept in the user's data.

It is kept in two files: where one of them is cut, empty or gone, the other has the name.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from cards.files import open_regular
from deck.append import sync_folder, write_whole
from deck.errors import JournalError, reason, refusal

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


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
        with suppress(OSError):  # the first file suffices where there is no room for another
            if _known(_second(path)) != name:
                write_whole(_second(path), _line(name))
        return name
    except OSError as error:
        raise JournalError(
            f"{path}: this device's name cannot be kept: {reason(error)}. "
            "Make the folder writable, or let XDG_DATA_HOME name one that is."
        ) from error


def kept_device() -> str | None:
    """The name, where there is one already; nothing is made.  Raises OSError."""
    path = device_path()
    name = _known(path) or _known(_second(path))
    return name or _known(path, ended=False)  # written by hand, without its line feed


def device_path() -> Path:
    """The file that keeps the name."""
    import platformdirs  # 5 ms, and only before the first write

    return platformdirs.user_data_path("deltadeck") / "device"


def _second(path: Path) -> Path:
    return path.with_name("device.copy")


def _line(name: str) -> bytes:
    return name.encode("ascii") + b"\n"


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
    write_whole(draft, _line(name))
    try:
        os.link(draft, path)
    except OSError:  # it is there, or this file system has no links
        if _known(path) is None:
            draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(path.parent)
    return _known(path) or name
