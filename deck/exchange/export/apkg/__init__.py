"""A package for Anki: `collection.anki2` (version 11, which every Anki opens) and media, zipped.

A note's GUID is made from the card's id, so that a second export updates what the first one made.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import IO

from cards.files import open_regular
from deck.errors import reason
from deck.exchange.bundle import ExchangeError
from deck.exchange.export.apkg.fields import Maker
from deck.exchange.export.apkg.rows import Rows
from deck.exchange.export.apkg.schema import INDEXES, TABLES
from deck.exchange.export.apkg.settings import col_row
from deck.exchange.export.media import Names, Pictures
from deck.exchange.export.report import Report
from deck.exchange.export.source import Progress, Source

#: Days are counted from the first one; a learning step is due at a time, in seconds.
_COUNT_DAYS = """
UPDATE cards SET due = due - ? WHERE type = 2 OR (type IN (1, 3) AND due < 1000000000)
"""
#: Of files that are packed already.
_PACKED = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".mp3", ".mp4", ".ogg"})


def write_apkg(source: Source, file: IO[bytes], report: Report, progress: Progress) -> None:
    """Writes the package; `file` is one of a folder, for the database is made beside it.

    Raises:
        ExchangeError: the database cannot be written.
    """
    database = Path(f"{file.name}.anki2")
    try:
        names = _make(database, source, report, progress)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(database, "collection.anki2")
            _put_media(archive, names, report)
    except sqlite3.Error as error:
        raise ExchangeError(f"{database.parent}: the package cannot be made: {error}.") from error
    finally:
        database.unlink(missing_ok=True)


def _make(path: Path, source: Source, report: Report, progress: Progress) -> Names:
    """The database; the names of the pictures that its notes show."""
    config = source.collection.config
    maker = Maker(config, Pictures(source.root), report)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        # A draft: what a crash leaves is thrown away.
        db.execute("PRAGMA journal_mode = OFF")
        db.execute("PRAGMA synchronous = OFF")
        db.executescript(TABLES)
        db.execute("BEGIN")
        rows = Rows(db, source, maker)
        for card in source.cards(report, progress):
            rows.put(card)
        rows.flush()
        first = rows.first_day
        db.execute(_COUNT_DAYS, (first.toordinal(),))
        row = col_row(config, source.now, first, rows.decks, rows.positions)
        db.execute(f"INSERT INTO col VALUES ({', '.join('?' * len(row))})", row)
        db.execute("COMMIT")
        db.executescript(INDEXES)
    return maker.names


def _put_media(archive: zipfile.ZipFile, names: Names, report: Report) -> None:
    """Each under a number, and which name each number has."""
    numbers: dict[str, str] = {}
    for name, path in names.files().items():
        try:
            picture = open_regular(path)
        except OSError as error:
            report.lose(name, f"The picture cannot be read: {reason(error)}.")
            continue
        entry = zipfile.ZipInfo(str(len(numbers)))  # no time: one state is one file
        packed = path.suffix.lower() in _PACKED
        entry.compress_type = zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED
        with picture, archive.open(entry, "w", force_zip64=True) as into:
            shutil.copyfileobj(picture, into)
        numbers[entry.filename] = name
        report.count("media")
    archive.writestr("media", json.dumps(numbers, ensure_ascii=False))
