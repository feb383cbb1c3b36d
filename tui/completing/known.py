"""What a deck holds, as its index has it: read without opening the collection, in milliseconds."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from functools import cached_property
from os.path import commonprefix
from pathlib import Path
from typing import Any
from weakref import finalize

#: So many ids are offered; of more, how they go on.
_MOST = 300
_LAST = "\U0010ffff"
_ITEMS = "thing t JOIN item i ON i.item = t.item WHERE t.id >= ? AND t.id < ?"
_CARDS = "card t WHERE t.clash IS NULL AND t.id >= ? AND t.id < ?"
#: From one tag to the next by the table's own order: as long as there are tags, not cards.
_TAGS = """
WITH RECURSIVE next (tag) AS (
    SELECT min(tag) FROM tag UNION ALL
    SELECT (SELECT min(tag) FROM tag WHERE tag > next.tag) FROM next WHERE next.tag IS NOT NULL
) SELECT tag FROM next WHERE tag IS NOT NULL
"""


class Known:
    """Of the collection in `folder`; everything is empty where there is none to read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def ids(self, start: str, items: bool) -> tuple[list[str], bool]:
        """Ids of items or cards that begin so; of very many, only how they go on, and False."""
        source, between = (_ITEMS if items else _CARDS), (start, start + _LAST)
        rows = self._rows(f"SELECT t.id FROM {source} ORDER BY t.id LIMIT {_MOST + 1}", *between)
        found = [row[0] for row in rows if isinstance(row[0], str)]
        if len(found) <= _MOST:
            return found, True
        ((last,),) = self._rows(f"SELECT max(t.id) FROM {source}", *between)
        common = commonprefix([found[0], str(last)])  # noqa: RUF071
        if len(common) > len(start):
            return [common], False
        sql = f"SELECT DISTINCT substr(t.id, 1, {len(start) + 1}) FROM {source}"
        return sorted(str(row[0]) for row in self._rows(sql, *between)), False

    def tags(self) -> list[str]:
        return [row[0] for row in self._rows(_TAGS) if isinstance(row[0], str)]

    def courses(self) -> list[str]:
        return sorted({names[0] for names in self._paths() if names})

    def decks(self) -> list[str]:
        """As `--deck` takes them: the names from the course down, with " › " between."""
        found = {names[:end] for names in self._paths() for end in range(1, len(names) + 1)}
        return [" › ".join(names) for names in sorted(found)]

    def deck_names(self) -> list[str]:
        """Every deck's own name, as `deck:` finds it."""
        return sorted({name for names in self._paths() for name in names})

    def conflicts(self) -> list[str]:
        """The files of which there are two versions, as `sync --keep` takes them: the name says
        which, or the path where it does not."""
        from deck.sync.conflicts import conflicts

        found = {conflict.path for conflict in conflicts(self._folder)}
        names = [path.name for path in found]
        return sorted(
            p.name if names.count(p.name) == 1 else str(p.relative_to(self._folder)) for p in found
        )

    def searches(self) -> list[str]:
        import tomllib

        try:
            with (self._folder / ".deltadeck" / "config.toml").open("rb") as file:
                found = tomllib.load(file).get("searches", {})
        except (OSError, ValueError):
            return []
        return sorted(found) if isinstance(found, dict) else []

    def _paths(self) -> Iterator[tuple[str, ...]]:
        sql = "SELECT path FROM deck d WHERE EXISTS (SELECT 1 FROM item i WHERE i.deck = d.deck)"
        for (text,) in self._rows(sql):
            yield tuple(json.loads(text))

    def _rows(self, sql: str, *given: str) -> list[Any]:
        if self._db is None:
            return []
        try:
            return self._db.execute(sql, given).fetchall()
        except (sqlite3.Error, UnicodeError):
            return []

    @cached_property
    def _db(self) -> sqlite3.Connection | None:
        from deck.index.place import index_path

        with contextlib.suppress(sqlite3.Error):
            found = _opened(index_path(self._folder))
            if found is not None:
                finalize(self, found.close)
            return found
        return None


def _opened(path: Path) -> sqlite3.Connection | None:
    """For reading only.  A file that no program has open is not even given a log."""
    from deck.index.schema import APPLICATION, VERSION

    idle = not path.with_name(f"{path.name}-wal").exists()
    name = f"{path.resolve().as_uri()}?mode=ro{'&immutable=1' if idle else ''}"
    db = sqlite3.connect(name, uri=True, timeout=1)
    marks = [
        db.execute(f"PRAGMA {mark}").fetchone()[0] for mark in ("application_id", "user_version")
    ]
    if marks == [APPLICATION, VERSION]:
        return db
    db.close()
    return None
