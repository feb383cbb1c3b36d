"""The SQLite database of a collection: note types, decks, and notes with their cards and answers.

Schema 11 keeps note types and decks as JSON in the table `col`; schemas 15 to 18 have tables of
their own, whose details are protobuf.  The file is a stranger's: only plain tables are read, of a
temporary copy, with nothing in the schema trusted.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta, timezone, tzinfo
from itertools import groupby
from pathlib import Path
from typing import Any

from deck.exchange.anki import protobuf
from deck.exchange.anki.database import connected, plain_tables
from deck.exchange.anki.days import days_of
from deck.exchange.anki.rows import Ahead, Answer, Note, NoteType, Row, answer_row, card_row
from deck.exchange.bundle import ExchangeError

#: What a column raises that holds something else than it should.
_ODD = (TypeError, ValueError, OverflowError, AttributeError, KeyError)
_TABLES = ("col", "notes", "cards", "revlog")
#: By these the tables are read side by side: each must be a number.
_KEYS = (("notes", "id"), ("cards", "id"), ("cards", "nid"), ("cards", "ord"))
#: Seconds since 1970, of the year 2999.
_LAST = 32_500_000_000


class AnkiCollection:
    """An opened database.  Raises ExchangeError for what cannot be read."""

    def __init__(self, path: Path) -> None:
        self._db = connected(path)
        try:
            self._tables = plain_tables(self._db)
            self._open()
        except ExchangeError:
            self._db.close()
            raise
        except (sqlite3.Error, *_ODD) as error:
            self._db.close()
            raise _damaged(error) from error

    def _open(self) -> None:
        missing = [name for name in _TABLES if name not in self._tables]
        if missing:
            raise ExchangeError(f"its database has no table {missing[0]}: it is none of Anki's.")
        self._row = self._db.execute("SELECT * FROM col LIMIT 1").fetchone()
        if self._row is None:
            raise ExchangeError("its database is empty.")
        new = "notetypes" in self._tables
        self.types = self._new_types() if new else self._old_types()
        self.decks = self._new_decks() if "decks" in self._tables else self._old_decks()
        self.zone = self._zone()
        began = max(int(self._row["crt"]), 0)
        if began > _LAST:
            raise ValueError("the day on which it began is none")
        self.rollover = time(self._hour())
        """When Anki's day begins, in its zone."""
        first = datetime.fromtimestamp(began, self._offset("creationOffset") or self.zone).date()
        self.days = days_of(self._db, first, self.zone, self.rollover)
        self.modified = max(int(self._row["mod"]), 0)
        """Milliseconds since 1970."""
        self.notes = int(self._db.execute("SELECT count(*) FROM notes").fetchone()[0])
        for name, column in _KEYS:
            sql = f"SELECT 1 FROM {name} WHERE typeof({column}) != 'integer' LIMIT 1"
            if self._db.execute(sql).fetchone() is not None:
                raise ValueError(f"in its table {name} a column {column} holds no number")

    def close(self) -> None:
        self._db.close()

    def each_note(self) -> Iterator[Note]:
        """The notes by id, each with its cards and their answers."""
        try:
            yield from self._each_note()
        except (sqlite3.Error, *_ODD) as error:
            raise _damaged(error) from error

    def _each_note(self) -> Iterator[Note]:
        cards = Ahead(groupby(self._cards(), key=lambda pair: pair[0].note))
        rows = self._db.execute("SELECT id, guid, mid, mod, tags, flds FROM notes ORDER BY id")
        for note_id, guid, mid, mod, tags, fields in rows:
            read = cards.of(note_id)
            yield Note(
                note_id,
                str(guid),
                mid,
                tuple(_text(tags).split()),
                tuple(_text(fields).split("\x1f")),
                tuple((row, tuple(filter(None, found))) for row, found in read),
                sum(found.count(None) for _, found in read),
                mod if isinstance(mod, int) and 0 < mod < _LAST else 0,
            )

    def _cards(self) -> Iterator[tuple[Row, list[Answer | None]]]:
        answers = Ahead(groupby(self._answers(), key=lambda pair: pair[0]))
        sql = (
            "SELECT nid, id, did, ord, mod, type, queue, due, ivl, odue, odid, flags FROM cards"
            " ORDER BY nid, ord, id"
        )
        for row in self._db.execute(sql):
            card = card_row(row)
            found = answers.of((card.note, card.ord, card.id))
            yield card, [answer for _, answer in found]

    def _answers(self) -> Iterator[tuple[tuple[int, int, int], Answer | None]]:
        sql = (
            "SELECT c.nid, c.ord, c.id, r.id, r.ease, r.ivl, r.factor, r.time, r.type"
            " FROM revlog r JOIN cards c ON c.id = r.cid ORDER BY c.nid, c.ord, c.id, r.id"
        )
        for row in self._db.execute(sql):
            yield row[:3], answer_row(row[2:])

    def orphans(self) -> int:
        """Answers to cards that are gone."""
        sql = "SELECT count(*) FROM revlog WHERE cid NOT IN (SELECT id FROM cards)"
        return int(self._db.execute(sql).fetchone()[0])

    # Note types and decks.

    def _old_types(self) -> dict[int, NoteType]:
        found = {}
        for key, model in self._json("models").items():
            fields = sorted(model.get("flds", []), key=lambda each: each.get("ord", 0))
            templates = sorted(model.get("tmpls", []), key=lambda each: each.get("ord", 0))
            found[int(key)] = NoteType(
                str(model.get("name", "")),
                tuple(str(each.get("name", "")) for each in fields),
                tuple(
                    (str(t.get("name", "")), str(t.get("qfmt", "")), str(t.get("afmt", "")))
                    for t in templates
                ),
                model.get("type") == 1,
                str(model.get("css", "")),
            )
        return found

    def _new_types(self) -> dict[int, NoteType]:
        fields: dict[int, list[str]] = {}
        for ntid, name in self._db.execute("SELECT ntid, name FROM fields ORDER BY ntid, ord"):
            fields.setdefault(ntid, []).append(str(name))
        templates: dict[int, list[tuple[str, str, str]]] = {}
        sql = "SELECT ntid, name, config FROM templates ORDER BY ntid, ord"
        for ntid, name, config in self._db.execute(sql):
            sides = protobuf.text(config, 1), protobuf.text(config, 2)
            templates.setdefault(ntid, []).append((str(name), *sides))
        return {
            number: NoteType(
                str(name),
                tuple(fields.get(number, ())),
                tuple(templates.get(number, ())),
                protobuf.whole(config, 1) == 1,
                protobuf.text(config, 3),
            )
            for number, name, config in self._db.execute("SELECT id, name, config FROM notetypes")
        }

    def _old_decks(self) -> dict[int, tuple[str, ...]]:
        decks = self._json("decks").items()
        return {int(key): _parts(str(deck.get("name", "")), "::") for key, deck in decks}

    def _new_decks(self) -> dict[int, tuple[str, ...]]:
        rows = self._db.execute("SELECT id, name FROM decks")
        return {number: _parts(str(name), "\x1f") for number, name in rows}

    def _zone(self) -> tzinfo | None:
        """The learner's, as the collection has it; None: this computer's."""
        local = datetime.fromtimestamp(0, UTC).astimezone().tzinfo
        return self._offset("localOffset", "creationOffset") or local

    def _offset(self, *names: str) -> timezone | None:
        minutes = self._setting(*names)
        if minutes is None or abs(minutes) >= 1440:
            return None
        return timezone(timedelta(minutes=-minutes))

    def _hour(self) -> int:
        hour = self._setting("rollover")
        return hour if hour is not None and 0 <= hour < 24 else 4  # as Anki has it at first

    def _setting(self, *names: str) -> int | None:
        """The first of them that the collection has and that is a whole number."""
        conf = {} if "config" in self._tables else self._json("conf")
        for name in names:
            found = conf.get(name)
            if "config" in self._tables:
                row = self._db.execute("SELECT val FROM config WHERE KEY = ?", (name,)).fetchone()
                found = _whole(row[0]) if row else None
            if isinstance(found, int):
                return found
        return None

    def _json(self, column: str) -> dict[str, Any]:
        try:
            found = json.loads(self._row[column] or "{}")
        except (ValueError, RecursionError, IndexError) as error:
            raise ExchangeError(f"the {column} of its collection are damaged.") from error
        if not isinstance(found, dict):
            raise ExchangeError(f"the {column} of its collection are damaged.")
        return {k: v for k, v in found.items() if isinstance(v, dict) or column == "conf"}


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def _whole(value: object) -> int | None:
    try:
        found = json.loads(_text(value))
    except ValueError:
        return None
    return found if isinstance(found, int) else None


def _parts(name: str, separator: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in name.split(separator) if part.strip()) or ("Default",)


def _damaged(error: Exception) -> ExchangeError:
    if isinstance(error, ExchangeError):
        return error
    return ExchangeError(
        f"its database is damaged ({error}). In Anki, Tools > Check Database mends a collection; "
        "then export it again."
    )
