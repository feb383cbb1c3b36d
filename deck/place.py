"""The folder `.deltadeck/` beside the cards."""

from __future__ import annotations

import os
from pathlib import Path

from deck.append import sync_folder
from deck.config import TEMPLATE
from deck.errors import CollectionError, reason, refusal

PRIVATE = ".deltadeck"
CONFIG = "config.toml"


def make_private(folder: Path) -> None:
    """Makes `folder` (a `.deltadeck/`), and tells git to leave the lock out.  Raises OSError."""
    if not folder.is_dir():
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)
        (folder / ".gitignore").write_text("lock\n", encoding="ascii")


def make_collection(root: Path) -> None:
    """Makes `root` where it is missing, and its settings where it has none.

    Raises:
        CollectionError: it cannot be made.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        make_private(root / PRIVATE)
        with (root / PRIVATE / CONFIG).open("x", encoding="utf-8") as file:
            file.write(TEMPLATE)
    except (OSError, ValueError) as error:
        if not isinstance(error, FileExistsError) or not (root / PRIVATE / CONFIG).is_file():
            raise _refused(root, error) from error


def _refused(root: Path, error: OSError | ValueError) -> CollectionError:
    """Why no collection can be made at `root`, with the very place that is in the way."""
    way = [*reversed(root.parents), root, root / PRIVATE]
    for place in way if isinstance(error, FileExistsError | NotADirectoryError) else ():
        if os.path.lexists(place) and not place.is_dir():
            what = "link that leads nowhere" if place.is_symlink() else "file"
            message = f"A {what} stands where a folder is needed."
            return refusal(place, message, "Move it away, or name another folder.")
    if isinstance(error, FileExistsError):
        message = "The settings are a folder, or a link that leads nowhere."
        return refusal(root / PRIVATE / CONFIG, message, "Move it away; a new file is made then.")
    why = reason(error) if isinstance(error, OSError) else str(error)
    message = f"No collection can be made here: {why}."
    return refusal(root, message, "Choose a folder that you can write to.")
