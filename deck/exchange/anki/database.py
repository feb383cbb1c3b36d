"""A stranger's SQLite file, opened so that nothing in its schema is trusted."""

from __future__ import annotations

import sqlite3
from pathlib import Path

#: No text is longer; SQLite refuses what is.
_LONGEST = 300_000_000
_CAREFUL = (
    *("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON"),
    *("mmap_size = 0", "temp_store = 1"),
)


def connected(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    db.create_collation("unicase", _unicase)
    db.text_factory = lambda data: data.decode("utf-8", "replace")
    db.row_factory = sqlite3.Row
    return db


def _unicase(one: str, other: str) -> int:
    a, b = one.casefold(), other.casefold()
    return (a > b) - (a < b)


def plain_tables(db: sqlite3.Connection) -> set[str]:
    """The names of those that are no view, and nothing that runs code of a module."""
    for pragma in _CAREFUL:
        db.execute(f"PRAGMA {pragma}")
    rows = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
    return {row[0] for row in rows if "virtual" not in str(row[1])[:30].lower()}
