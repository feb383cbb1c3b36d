"""Packages of Anki's made by hand: only what a reader looks at, in the old form and in the new."""

from __future__ import annotations

import io
import json
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from deck.exchange.anki.package import zstd_library

zstd = zstd_library()
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
CREATED = datetime(2025, 1, 1, 4, tzinfo=UTC)
BASIC, REVERSED, CLOZE, OPTIONAL = 1, 2, 3, 4
_BACK = "{{FrontSide}}<hr id=answer>{{Back}}"
TYPES: Mapping[int, tuple[str, int, list[str], list[tuple[str, str, str]]]] = {
    BASIC: ("Basic", 0, ["Front", "Back"], [("Card 1", "{{Front}}", _BACK)]),
    REVERSED: (
        "Basic (and reversed card)",
        0,
        ["Front", "Back"],
        [
            ("Card 1", "{{Front}}", _BACK),
            ("Card 2", "{{Back}}", "{{FrontSide}}<hr id=answer>{{Front}}"),
        ],
    ),
    CLOZE: (
        "Cloze",
        1,
        ["Text", "Back Extra"],
        [("Cloze", "{{cloze:Text}}", "{{cloze:Text}}<br>\n{{Back Extra}}")],
    ),
    OPTIONAL: (
        "Basic (optional reversed card)",
        0,
        ["Front", "Back", "Add Reverse"],
        [
            ("Card 1", "{{Front}}", _BACK),
            (
                "Card 2",
                "{{#Add Reverse}}{{Back}}{{/Add Reverse}}",
                "{{FrontSide}}<hr id=answer>{{Front}}",
            ),
        ],
    ),
}
_TABLES = """
CREATE TABLE notes (id integer primary key, guid text, mid integer, mod integer, usn integer,
    tags text, flds text, sfld integer, csum integer, flags integer, data text);
CREATE TABLE cards (id integer primary key, nid integer, did integer, ord integer, mod integer,
    usn integer, type integer, queue integer, due integer, ivl integer, factor integer,
    reps integer, lapses integer, left integer, odue integer, odid integer, flags integer,
    data text);
CREATE TABLE revlog (id integer primary key, cid integer, usn integer, ease integer, ivl integer,
    lastIvl integer, factor integer, time integer, type integer);
CREATE TABLE col (id integer primary key, crt integer, mod integer, scm integer, ver integer,
    dty integer, usn integer, ls integer, conf text, models text, decks text, dconf text,
    tags text);
"""
_NEW_TABLES = """
CREATE TABLE notetypes (id integer primary key, name text COLLATE unicase, mtime_secs integer,
    usn integer, config blob);
CREATE TABLE fields (ntid integer, ord integer, name text COLLATE unicase, config blob,
    primary key (ntid, ord)) without rowid;
CREATE TABLE templates (ntid integer, ord integer, name text COLLATE unicase, mtime_secs integer,
    usn integer, config blob, primary key (ntid, ord)) without rowid;
CREATE UNIQUE INDEX idx_notetypes_name ON notetypes (name);
CREATE TABLE decks (id integer primary key, name text COLLATE unicase, mtime_secs integer,
    usn integer, common blob, kind blob);
CREATE TABLE config (KEY text primary key, usn integer, mtime_secs integer, val blob)
    without rowid;
"""


@dataclass(frozen=True, slots=True)
class Given:
    """An answer: days ago, rating, days until the next (below 0: seconds), kind."""

    ago: float
    ease: int = 3
    ivl: int = 1
    kind: int = 1
    factor: int = 2500


@dataclass(frozen=True, slots=True)
class Made:
    """A note; `cards` is what Anki keeps of each, by its place."""

    guid: str
    fields: Sequence[str]
    type: int = BASIC
    deck: str = "Networks"
    tags: str = ""
    answers: Mapping[int, Sequence[Given]] = field(default_factory=dict)
    cards: Mapping[int, Mapping[str, int]] = field(default_factory=lambda: {0: {}})
    mod: int = int(NOW.timestamp())


def package(
    path: Path,
    notes: Iterable[Made],
    media: Mapping[str, bytes] | None = None,
    new: bool = False,
) -> Path:
    """Writes an `.apkg`: of schema 11, or (`new`) of schema 18, compressed with Zstandard."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "collection"
        fill(database, notes, new)
        data = database.read_bytes()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        listed = list((media or {}).items())
        if new:
            archive.writestr("meta", b"\x08\x03")
            archive.writestr("collection.anki21b", zstd.compress(data, 1))
            entries = b"".join(_entry(name, len(content)) for name, content in listed)
            archive.writestr("media", zstd.compress(entries))
            for number, (_, content) in enumerate(listed):
                archive.writestr(str(number), zstd.compress(content))
            archive.writestr("collection.anki2", b"please update")
        else:
            archive.writestr("collection.anki2", data)
            names = {str(number): name for number, (name, _) in enumerate(listed)}
            archive.writestr("media", json.dumps(names))
            for number, (_, content) in enumerate(listed):
                archive.writestr(str(number), content)
    return path


def altered(path: Path, sql: str) -> Path:
    """The package, whichever `package` made, with its collection changed."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    new = "collection.anki21b" in entries
    name = "collection.anki21b" if new else "collection.anki2"
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "collection"
        if new:
            entries[name] = zstd.decompress(entries[name])
        database.write_bytes(entries[name])
        with closing(sqlite3.connect(database)) as db:
            db.executescript(sql)
        entries[name] = database.read_bytes()
        if new:
            entries[name] = zstd.compress(entries[name], 1)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, data in entries.items():
            archive.writestr(entry, data)
    return path


def fill(database: Path, notes: Iterable[Made], new: bool) -> None:
    db = sqlite3.connect(database)
    db.create_collation("unicase", lambda a, b: (a.lower() > b.lower()) - (a.lower() < b.lower()))
    db.executescript(_TABLES + (_NEW_TABLES if new else ""))
    decks: dict[str, int] = {}
    answer_id, at = 0, int(NOW.timestamp())
    for number, note in enumerate(notes, 1):
        deck = decks.setdefault(note.deck, len(decks) + 1)
        tags, fields = f" {note.tags} ", "\x1f".join(note.fields)
        row = (number, note.guid, note.type, note.mod, 0, tags, fields)
        db.execute("INSERT INTO notes VALUES (?, ?, ?, ?, ?, ?, ?, '', 0, 0, '')", row)
        for place, more in note.cards.items():
            card = {
                "mod": at, "type": 0, "queue": 0, "due": number, "ivl": 0, "odue": 0, "odid": 0,
                "flags": 0,
            } | dict(more)  # fmt: skip
            card_id = number * 100 + place
            db.execute(
                "INSERT INTO cards VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?, ?, 0, 0, 0, 0, ?, ?, ?, '')",
                (card_id, number, deck, place, card["mod"], card["type"], card["queue"],
                 card["due"], card["ivl"], card["odue"], card["odid"], card["flags"]),
            )  # fmt: skip
            for given in note.answers.get(place, ()):
                answer_id += 1
                when = int((NOW - timedelta(days=given.ago)).timestamp() * 1000) + answer_id
                db.execute(
                    "INSERT INTO revlog VALUES (?, ?, 0, ?, ?, 0, ?, 4000, ?)",
                    (when, card_id, given.ease, given.ivl, given.factor, given.kind),
                )
    _put_types(db, decks, new)
    db.commit()
    db.close()


def _put_types(db: sqlite3.Connection, decks: Mapping[str, int], new: bool) -> None:
    created, modified = int(CREATED.timestamp()), int(NOW.timestamp() * 1000)
    conf, models, table = json.dumps({"creationOffset": 0, "localOffset": 0}), "{}", "{}"
    if new:
        conf = "{}"
        db.execute("INSERT INTO config VALUES ('localOffset', 0, 0, ?)", (b"0",))
        for number, (name, kind, fields, templates) in TYPES.items():
            config = bytes([8, kind]) if kind else b""
            db.execute("INSERT INTO notetypes VALUES (?, ?, 0, 0, ?)", (number, name, config))
            for place, each in enumerate(fields):
                db.execute("INSERT INTO fields VALUES (?, ?, ?, x'')", (number, place, each))
            for place, (title, front, back) in enumerate(templates):
                blob = _text(1, front) + _text(2, back)
                sql = "INSERT INTO templates VALUES (?, ?, ?, 0, 0, ?)"
                db.execute(sql, (number, place, title, blob))
        for name, number in decks.items():
            sql = "INSERT INTO decks VALUES (?, ?, 0, 0, x'', x'')"
            db.execute(sql, (number, name.replace("::", "\x1f")))
    else:
        models = json.dumps({str(number): _model(*each) for number, each in TYPES.items()})
        table = json.dumps({str(number): {"name": name} for name, number in decks.items()})
    row = (1, created, modified, 0, 18 if new else 11, conf, models, table)
    db.execute("INSERT INTO col VALUES (?, ?, ?, ?, ?, 0, 0, 0, ?, ?, ?, '{}', '{}')", row)


def _model(
    name: str, kind: int, fields: list[str], templates: list[tuple[str, str, str]]
) -> dict[str, Any]:
    return {
        "name": name,
        "type": kind,
        "flds": [{"name": each, "ord": place} for place, each in enumerate(fields)],
        "tmpls": [
            {"name": title, "ord": place, "qfmt": front, "afmt": back}
            for place, (title, front, back) in enumerate(templates)
        ],
    }


def _entry(name: str, size: int) -> bytes:
    inside = _text(1, name) + b"\x10" + _varint(size)
    return b"\x0a" + _varint(len(inside)) + inside


def _text(number: int, text: str) -> bytes:
    data = text.encode()
    return bytes([number << 3 | 2]) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    out = io.BytesIO()
    while value > 0x7F:
        out.write(bytes([value & 0x7F | 0x80]))
        value >>= 7
    out.write(bytes([value]))
    return out.getvalue()
