"""The folder `.deltadeck/` beside the cards."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

PRIVATE = ".deltadeck"
CONFIG = "config.toml"


def make_private(folder: Path) -> None:
    """Makes `folder` (a `.deltadeck/`), and tells git to leave the lock out.  Raises OSError."""
    if not folder.is_dir():
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)
        (folder / ".gitignore").write_text("lock\n", encoding="ascii")


def free(path: Path) -> Path:
    """`path`, or one like it that is not taken."""
    found, number = path, 2
    while os.path.lexists(found):
        found = path.with_name(f"{path.stem}-{number}{path.suffix}")
        number += 1
    return found


def sync_folder(folder: Path) -> None:
    """Waits until the folder's list of names is on the disk: a new file survives a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_whole(path: Path, data: bytes, parents: bool = True) -> None:
    """Puts a small file in place, whole or not at all, also where the power goes; makes its folder,
    and those above with `parents`.  Raises OSError."""
    path.parent.mkdir(parents=parents, exist_ok=True)
    with whole(path) as file:
        file.write(data)


@contextmanager
def whole(path: Path) -> Iterator[BinaryIO]:
    """A file that takes its place when the block has ended well.  Raises OSError."""
    draft = path.with_name(f".{os.urandom(8).hex()}.deltadeck-tmp")
    try:
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        sync_folder(path.parent)
    finally:
        draft.unlink(missing_ok=True)
