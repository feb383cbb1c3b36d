"""This device's name in the journal: random, made at the first write, kept in the user's data."""

from __future__ import annotations

import os
import re
from pathlib import Path

from cards.regular import open_regular
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
        return _known(path) or _made(path)
    except OSError as error:
        raise JournalError(
            f"{path}: this device's name cannot be kept: {reason(error)}. "
            "Make the folder writable, or let XDG_DATA_HOME name one that is."
        ) from error


def kept_device() -> str | None:
    """The name, where there is one already; nothing is made.  Raises OSError."""
    return _known(device_path())


def device_path() -> Path:
    """The file that keeps the name."""
    import platformdirs  # 5 ms, and only before the first write

    return platformdirs.user_data_path("deltadeck") / "device"


def _known(path: Path) -> str | None:
    try:
        with open_regular(path) as file:
            name = file.read(100).decode("ascii", "replace").strip()
    except FileNotFoundError:
        return None
    return name if _NAME.fullmatch(name) else None


def _made(path: Path) -> str:
    """A new name, written whole or not at all; of two programs at once, both get the same one."""
    name = f"device-{os.urandom(4).hex()}"
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.write_text(name + "\n", encoding="ascii")
    try:
        os.link(draft, path)
    except OSError:  # it is there, or this file system has no links
        if _known(path) is None:
            draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return _known(path) or name
