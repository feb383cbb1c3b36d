"""What a program that was stopped while it saved a card left beside the card."""

from __future__ import annotations

import os
from pathlib import Path

from cards.files import is_draft, is_left
from deck.aside import Repair, free, move
from deck.place import PRIVATE


def drafts(root: Path) -> list[Path]:
    """The files below `root` that a card's text was being written into; no program has them."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(folder, name) for name in names if is_draft(name)]
    return sorted(path for path in found if is_left(path))


def put_away(root: Path, path: Path) -> Repair:
    """Moves a draft to `.deltadeck/drafts/`.  Raises JournalError."""
    name = path.name.removeprefix(".").removesuffix("-tmp") + ".md"
    return move(path, free(root / PRIVATE / "drafts" / name))
