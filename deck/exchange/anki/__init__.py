"""Anki's packages: `.apkg` (a deck) and `.colpkg` (a whole collection), of all versions.

package.py     the zip archive: which collection is in it, its media; limits
zstd.py        Zstandard streams, with a limit
protobuf.py    the few messages of the newer formats
database.py    a SQLite file that is not trusted
collection.py  the SQLite database: note types, decks, notes, cards, answers
templates.py   a card's two sides out of a note type's templates
html.py        HTML to Markdown (elements.py, blocks.py, inline.py, math.py, shown.py, scan.py)
notes.py       a note -> ForeignCard (mirror.py: of two cards)
revlog.py      answers, due days
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from deck.exchange.bundle import Bundle, ExchangeError, ForeignCard, Lost

_NAMES = ("collection.anki21b", "collection.anki21", "collection.anki2")
_SUFFIXES = (".apkg", ".colpkg")


def looks_like(path: Path, head: bytes) -> bool:
    """A zip archive that holds a collection, or is damaged and named like one."""
    named = path.suffix.lower() in _SUFFIXES
    if not head.startswith(b"PK"):
        return named and path.is_file()
    try:
        with zipfile.ZipFile(path) as archive:
            return named or any(name in archive.NameToInfo for name in _NAMES)
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return named


def read(path: Path) -> Bundle:
    """Raises ExchangeError for a package that is none, is damaged, or would fill the disk."""
    from deck.exchange.anki.collection import AnkiCollection
    from deck.exchange.anki.notes import Reader
    from deck.exchange.anki.package import open_package

    package = open_package(path)
    lost: list[Lost] = []

    def opened() -> AnkiCollection:
        try:
            return AnkiCollection(package.database)
        except ExchangeError as error:
            raise ExchangeError(f"{path}: {error}") from error

    def cards() -> Iterator[ForeignCard]:
        with closing(opened()) as collection:
            try:
                yield from Reader(collection, lost).cards()
            except ExchangeError as error:
                raise ExchangeError(f"{path}: {error}") from error

    with closing(opened()) as collection:
        total, made = collection.notes, collection.modified
    return Bundle("anki", path.name, total, cards, package.media, lost, made)
