"""Anki's packages: `.apkg` (a deck) and `.colpkg` (a whole collection), of all versions.

package.py     the zip archive: which collection is in it, its media; limits
zstd.py        Zstandard streams, with a limit
protobuf.py    the few messages of the newer formats
collection.py  the SQLite database: note types, decks, notes, cards, answers
templates.py   a card's two sides out of a note type's templates
html.py        HTML to Markdown
notes.py       a note -> ForeignCard
revlog.py      answers, due days
"""

from __future__ import annotations

import zipfile
from pathlib import Path

from deck.exchange.bundle import Bundle, ExchangeError

_NAMES = ("collection.anki21b", "collection.anki21", "collection.anki2")


def looks_like(path: Path, head: bytes) -> bool:
    """A zip archive that holds a collection."""
    if not head.startswith(b"PK"):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return any(name in archive.NameToInfo for name in _NAMES)
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return path.suffix.lower() in (".apkg", ".colpkg")


def read(path: Path) -> Bundle:
    raise ExchangeError(f"{path}: reading packages is being written.")
