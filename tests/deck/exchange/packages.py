"""Packages of Anki's made by hand: only what a reader looks at, in the old form and in the new."""

from __future__ import annotations

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
BASIC, REVERSED, CLOZE, OPTIONAL, TWO = range(1, 6)
_FRONT, _ANSWER = "{{Front}}", "{{FrontSide}}<hr id=answer>"
_THERE = ("Card 1", _FRONT, f"{_ANSWER}{{{{Back}}}}")
_TURNED = f"{_ANSWER}{_FRONT}"
_CLOZED = "{{cloze:Text}}"
#: Name, kind, fields, templates.
TYPES: Mapping[int, tuple[str, int, list[str], list[tuple[str, str, str]]]] = {
    BASIC: ("Basic", 0, ["Front", "Back"], [_THERE]),
    REVERSED: (
        *("Basic (and reversed card)", 0, ["Front", "Back"]),
        [_THERE, ("Card 2", "{{Back}}", _TURNED)],
    ),
    CLOZE: (
        *("Cloze", 1, ["Text", "Back Extra"]),
        [("Cloze", _CLOZED, f"{_CLOZED}<br>\n{{{{Back Extra}}}}")],
    ),
    OPTIONAL: (
        *("Basic (optional reversed card)", 0, ["Front", "Back", "Add Reverse"]),
        [_THERE, ("Card 2", "{{#Add Reverse}}{{Back}}{{/Add Reverse}}", _TURNED)],
    ),
    TWO: (  # a mirror image where it has no extra
        *("Two", 0, ["W", "M", "E"]),
        [("a", "{{W}}", "{{M}}{{#E}}<br>{{E}}{{/E}}"), ("b", "{{M}}", "{{W}}")],
    ),
}
#: The tables of Anki's schema 11, and those that schema 18 has beside them.
_TABLES, _NEW_TABLES = (
    (Path(__file__).parent / "anki" / f"schema{number}.sql").read_text() for number in (11, 18)
)


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
    path: Path, notes: Iterable[Made], media: Mapping[str, bytes] | None = None, new: bool = False
) -> Path:
    """Writes an `.apkg`: of schema 11, or (`new`) of schema 18, compressed with Zstandard."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "collection"
        fill(database, notes, new)
        data = database.read_bytes()
    listed = dict(media or {})
    if new:
        entries = {"meta": b"\x08\x03", "collection.anki21b": zstd.compress(data, 1)}
        names = b"".join(_entry(name, len(content)) for name, content in listed.items())
        entries |= {"media": zstd.compress(names), "collection.anki2": b"please update"}
    else:
        numbered = {str(number): name for number, name in enumerate(listed)}
        entries = {"collection.anki2": data, "media": json.dumps(numbered).encode()}
    for number, content in enumerate(listed.values()):
        entries[str(number)] = zstd.compress(content) if new else content
    return zipped(path, entries)


def zipped(path: Path, entries: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
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
    return zipped(path, entries)


def fill(database: Path, notes: Iterable[Made], new: bool) -> None:
    """Makes the SQLite file; every table but `col` holds only what is given here."""
    with closing(sqlite3.connect(database)) as db, db:
        db.create_collation("unicase", _compared)
        db.executescript(_TABLES + (_NEW_TABLES if new else ""))
        decks: dict[str, int] = {}
        answer_id, at = 0, int(NOW.timestamp())
        for number, note in enumerate(notes, 1):
            deck = decks.setdefault(note.deck, len(decks) + 1)
            row = {"id": number, "guid": note.guid, "mid": note.type, "mod": note.mod}
            texts = {"tags": f" {note.tags} ", "flds": "\x1f".join(note.fields)}
            _insert(db, "notes", **row, **texts, sfld="")
            for place, more in note.cards.items():
                card_id = number * 100 + place
                usual = dict.fromkeys(("type", "queue", "ivl", "odue", "odid", "flags"), 0)
                card = {"id": card_id, "nid": number, "did": deck, "ord": place, "mod": at}
                _insert(db, "cards", **{**usual, **card, "due": number, **more})
                for given in note.answers.get(place, ()):
                    answer_id += 1
                    when = int((NOW - timedelta(days=given.ago)).timestamp() * 1000) + answer_id
                    answer = {"id": when, "cid": card_id, "ease": given.ease, "ivl": given.ivl}
                    told = {"factor": given.factor, "time": 4000, "type": given.kind}
                    _insert(db, "revlog", **answer, **told)
        _put_types(db, decks, new)


def _compared(one: str, other: str) -> int:
    a, b = one.lower(), other.lower()
    return (a > b) - (a < b)


def _insert(db: sqlite3.Connection, table: str, **values: object) -> None:
    signs = ", ".join("?" * len(values))
    db.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({signs})", [*values.values()])


def _put_types(db: sqlite3.Connection, decks: Mapping[str, int], new: bool) -> None:
    conf, models, table = json.dumps({"creationOffset": 0, "localOffset": 0}), "{}", "{}"
    if new:
        conf = "{}"
        _insert(db, "config", KEY="localOffset", val=b"0")
        for number, (name, kind, fields, templates) in TYPES.items():
            config = bytes([8, kind]) if kind else b""
            _insert(db, "notetypes", id=number, name=name, config=config)
            for place, each in enumerate(fields):
                _insert(db, "fields", ntid=number, ord=place, name=each)
            for place, (title, front, back) in enumerate(templates):
                blob = _text(1, front) + _text(2, back)
                _insert(db, "templates", ntid=number, ord=place, name=title, config=blob)
        for name, number in decks.items():
            _insert(db, "decks", id=number, name=name.replace("::", "\x1f"))
    else:
        models = json.dumps({str(number): _model(*each) for number, each in TYPES.items()})
        table = json.dumps({str(number): {"name": name} for name, number in decks.items()})
    times = {"crt": int(CREATED.timestamp()), "mod": int(NOW.timestamp() * 1000)}
    _insert(db, "col", id=1, **times, conf=conf, models=models, decks=table)


def _model(
    name: str, kind: int, fields: list[str], templates: list[tuple[str, str, str]]
) -> dict[str, Any]:
    made = [
        {"name": title, "ord": place, "qfmt": front, "afmt": back}
        for place, (title, front, back) in enumerate(templates)
    ]
    flds = [{"name": each, "ord": place} for place, each in enumerate(fields)]
    return {"name": name, "type": kind, "flds": flds, "tmpls": made}


def _entry(name: str, size: int) -> bytes:
    inside = _text(1, name) + b"\x10" + _varint(size)
    return b"\x0a" + _varint(len(inside)) + inside


def _text(number: int, text: str) -> bytes:
    data = text.encode()
    return bytes([number << 3 | 2]) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    high, low = value >> 7, value & 0x7F
    return bytes([low | 0x80]) + _varint(high) if high else bytes([low])
