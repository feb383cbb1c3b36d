"""A package: its zip archive with the media, and the SQLite database of the collection in it.

Three generations: `collection.anki2`, `collection.anki21` (the same, next to an old one that only
says "please update"), and `collection.anki21b`, in which collection, media list and media are
compressed with Zstandard.  An archive is never unpacked as one: names in it are no paths here.
"""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import partial
from pathlib import Path
from statistics import median_low
from typing import IO, Any, Literal, NamedTuple, cast
from weakref import finalize

from deck.exchange.model import (
    LONGEST_INTERVAL,
    ExchangeError,
    ForeignItem,
    ForeignReview,
    unreadable,
)
from deck.study_day import study_day

COLLECTIONS = ("collection.anki21b", "collection.anki21", "collection.anki2")
#: Bytes that a package may unpack to: so many in any case, and so many for each of its own.
_ALWAYS, _TIMES = 1 << 29, 100
_MEDIUM = 1 << 30
_LIST = 1 << 27
_PIECE = 1 << 20
#: Years of collecting are a hundred thousand files.
_ENTRIES = 2_000_000


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Package:
    """An opened package."""

    database: Path
    """A temporary copy of the collection, in a folder of its own, for SQLite puts files beside it;
    the folder goes with this value."""
    media: dict[str, Callable[[], IO[bytes]]]
    """By the name that the cards use."""


def open_package(path: Path) -> Package:
    """Raises ExchangeError for what is no package, is damaged, or would fill the disk."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _read(path, archive)
    except ExchangeError as error:
        raise ExchangeError(f"{path}: {error}") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError) as error:
        raise ExchangeError(
            f"{path}: the package is damaged ({error}). Export or download it again."
        ) from error
    except RuntimeError as error:  # zipfile's word for a password
        raise ExchangeError(f"{path}: {error}.") from error
    except OSError as error:
        raise unreadable(path, error) from error


def _read(path: Path, archive: zipfile.ZipFile) -> Package:
    found = next((name for name in COLLECTIONS if name in archive.NameToInfo), None)
    if found is None:
        raise ExchangeError("this archive holds no collection of Anki's.")
    entries = archive.infolist()
    if any(entry.flag_bits & 1 for entry in entries):
        raise ExchangeError(
            "it is locked with a password, which Anki never does: unpack it with the program "
            "that locked it, and pack it again without one."
        )
    allowed = max(_ALWAYS, _TIMES * path.stat().st_size)
    declared = sum(entry.file_size for entry in entries)
    if declared > allowed or len(entries) > _ENTRIES:
        raise ExchangeError(
            f"it would unpack to {declared / 1e9:,.1f} GB, far more than a package of its size "
            "can hold: it could fill the disk, and is not taken."
        )
    is_new = found.endswith("b")
    media = _media(path, archive, is_new, allowed)
    folder = Path(tempfile.mkdtemp(prefix="deltadeck-"))
    try:
        file = archive.open(found)
        unpacked = LimitedStream(file, allowed, "the collection in it") if is_new else file
        with unpacked, (folder / "collection.sqlite").open("xb") as copy:
            while piece := unpacked.read(_PIECE):
                copy.write(piece)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    package = Package(folder / "collection.sqlite", media)
    finalize(package, shutil.rmtree, folder, ignore_errors=True)
    return package


# Its media: a list of names, and a file for each.


def _media(
    path: Path, archive: zipfile.ZipFile, is_new: bool, allowed: int
) -> dict[str, Callable[[], IO[bytes]]]:
    if "media" not in archive.NameToInfo:
        return {}
    with archive.open("media") as file:
        data = file.read(_LIST)
    if data.startswith(_ZSTD_MAGIC):
        with LimitedStream(io.BytesIO(data), _LIST, "the list of its media") as stream:
            data = stream.read()
    listed = _listed_new(data) if is_new else _listed_old(data)
    if sum(size for _, _, size in listed) > allowed:
        raise ExchangeError(
            "its media would unpack to far more than a package of its size can hold: they could "
            "fill the disk, and it is not taken."
        )
    media: dict[str, Callable[[], IO[bytes]]] = {}
    for entry, name, size in listed:
        if entry in archive.NameToInfo:
            media.setdefault(name, partial(_medium, path, entry, size, is_new))
    return media


def _listed_old(data: bytes) -> list[tuple[str, str, int]]:
    """(name in the archive, name, size or 0)."""
    try:
        table = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        table = None
    if not isinstance(table, dict):
        raise ExchangeError("the list of its media is damaged.")
    return [(entry, name, 0) for entry, name in table.items() if isinstance(name, str)]


def _listed_new(data: bytes) -> list[tuple[str, str, int]]:
    found = []
    for number, (key, value) in enumerate(_proto_fields(data)):
        if key == 1 and isinstance(value, bytes):
            entry = _proto_int(value, 255) or number
            found.append((str(entry), _proto_text(value, 1), _proto_int(value, 2)))
    return found


def _medium(path: Path, entry: str, size: int, is_new: bool) -> IO[bytes]:
    """Opened at the moment when it is copied; the archive stays closed in between."""
    try:
        with zipfile.ZipFile(path) as archive:
            source = archive.open(entry)  # holds the file by itself
        limit = min(size or _MEDIUM, _MEDIUM)
        return cast(IO[bytes], LimitedStream(source, limit, "the file" if is_new else ""))
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError) as error:
        raise ExchangeError(f"it is damaged in the package ({error}).") from error


# Its files.  Zstandard is the standard library's where that has it (Python 3.14).

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


def zstd_library() -> Any:
    """The module that compresses.  Raises ExchangeError where there is none."""
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            import backports.zstd as zstd
    except ImportError as error:
        raise ExchangeError(
            "the package is compressed with Zstandard, which this Python cannot read: "
            "`pip install backports.zstd`, or export it from Anki with "
            "'Support older Anki versions'."
        ) from error
    return zstd


class LimitedStream:
    """A file of the archive that gives no more than `limit` bytes, and whose damage is an error of
    ours; `packed` names one that is compressed with Zstandard."""

    def __init__(self, source: IO[bytes], limit: int, packed: str = "") -> None:
        self._source, self._left, self._packed = source, limit, packed
        self._stream: IO[bytes] = source
        self._damage: tuple[type[Exception], ...] = (zipfile.BadZipFile, zlib.error, EOFError)
        if packed:
            library = zstd_library()
            self._stream = library.ZstdFile(source)
            self._damage += (library.ZstdError, OSError)

    def read(self, size: int = -1) -> bytes:
        """Raises ExchangeError."""
        wanted = self._left + 1 if size < 0 else min(size, self._left + 1)
        data = bytearray()
        try:
            while wanted > len(data):
                piece = self._stream.read(min(wanted - len(data), _PIECE))
                if not piece:
                    break
                data += piece
        except self._damage as error:
            what = f"it is damaged in the package ({error})."
            raise ExchangeError(
                f"{self._packed} is damaged: {error}." if self._packed else what
            ) from error
        self._left -= len(data)
        if self._left < 0 and not self._packed:
            raise ExchangeError("it is larger than 1 GB.")
        if self._left < 0:
            raise ExchangeError(
                f"{self._packed} unpacks to far more than it should: it could fill the disk, "
                "and is not taken."
            )
        return bytes(data)

    def close(self) -> None:
        self._stream.close()
        self._source.close()

    def __enter__(self) -> LimitedStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


# As much of protobuf's wire format as a package holds (protobuf.dev, "Encoding").  The messages are
# those of Anki's `notetypes.proto` and `import_export.proto`: only their field numbers are known.

_BROKEN = "a part of it is damaged (protobuf)."


def _proto_fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message in their order: number, and a number or bytes.

    Raises:
        ExchangeError: it is no message.
    """
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, at = _varint(data, at)
            yield number, value
            continue
        if kind == 2:
            length, at = _varint(data, at)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
        else:
            raise ExchangeError(_BROKEN)
        if at + length > len(data):
            raise ExchangeError(_BROKEN)
        yield number, data[at : at + length]
        at += length


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift, byte in enumerate(data[at : at + 10]):
        value |= (byte & 0x7F) << (7 * shift)
        if byte < 0x80:
            return value, at + shift + 1
    raise ExchangeError(_BROKEN)


def _proto_text(data: bytes, number: int) -> str:
    """The last field of this number as a text; "" where there is none."""
    found = [value for key, value in _proto_fields(data) if key == number]
    return next((v.decode("utf-8", "replace") for v in found[::-1] if isinstance(v, bytes)), "")


def _proto_int(data: bytes, number: int) -> int:
    """The last field of this number as a number; 0 where there is none."""
    found = [value for key, value in _proto_fields(data) if key == number]
    return next((value for value in found[::-1] if isinstance(value, int)), 0)


# The SQLite database of a collection: note types, decks, and notes with their cards and answers.
# Schema 11 keeps note types and decks as JSON in the table `col`; schemas 15 to 18 have tables of
# their own, whose details are protobuf.  The file is a stranger's: only plain tables are read, of a
# temporary copy, with nothing in the schema trusted.

#: What a column raises that holds something else than it should.
_ODD = (TypeError, ValueError, OverflowError, AttributeError, KeyError)
_TABLES = ("col", "notes", "cards", "revlog")
#: By these a note's cards and their answers are found: each must be a number.
_KEYS = (("notes", "id"), ("cards", "id"), ("cards", "nid"), ("cards", "ord"))
#: Anki makes these indexes itself; of other programs not each does.
_INDEXES = """
CREATE INDEX IF NOT EXISTS ix_cards_nid ON cards (nid);
CREATE INDEX IF NOT EXISTS ix_revlog_cid ON revlog (cid);
"""
#: Seconds since 1970, of the year 2999.
_LAST = 32_500_000_000
_NOTES = "SELECT id, guid, mid, mod, tags, flds FROM notes ORDER BY id"
_CARDS = """
    SELECT id, did, ord, mod, type, queue, due, ivl, odue, odid, flags FROM cards
    WHERE nid = ? ORDER BY ord, id
"""
_ANSWERS = "SELECT id, ease, ivl, factor, time, type FROM revlog WHERE cid = ? ORDER BY id"
#: No text is longer; SQLite refuses what is.
_LONGEST_TEXT = 300_000_000
_CAREFUL = (*("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "temp_store = 1"),)


def _unicase(one: str, other: str) -> int:
    a, b = one.casefold(), other.casefold()
    return (a > b) - (a < b)


class AnkiCollection:
    """An opened database.  Raises ExchangeError for what cannot be read."""

    def __init__(self, path: Path) -> None:
        db = self._db = sqlite3.connect(path, isolation_level=None)
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_TEXT)
        db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        db.create_collation("unicase", _unicase)
        db.text_factory = lambda data: data.decode("utf-8", "replace")
        try:
            self._open()
        except ExchangeError:
            self._db.close()
            raise
        except (sqlite3.Error, *_ODD) as error:
            self._db.close()
            raise _damaged(error) from error

    def _open(self) -> None:
        for pragma in _CAREFUL:
            self._db.execute(f"PRAGMA {pragma}")
        rows = self._db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        # No view, and nothing that runs code of a module.
        self._tables = {row[0] for row in rows if "virtual" not in str(row[1])[:30].lower()}
        missing = [name for name in _TABLES if name not in self._tables]
        if missing:
            raise ExchangeError(f"its database has no table {missing[0]}: it is none of Anki's.")
        self._db.executescript(_INDEXES)
        self._db.execute("PRAGMA query_only = ON")
        found = self._db.execute("SELECT * FROM col LIMIT 1")
        row = found.fetchone()
        if row is None:
            raise ExchangeError("its database is empty.")
        self._row = dict(zip([each[0] for each in found.description], row, strict=True))
        self.types = self._new_types() if "notetypes" in self._tables else self._old_types()
        self.decks = self._decks()
        local = datetime.fromtimestamp(0, UTC).astimezone().tzinfo
        self.zone: tzinfo | None = self._offset("localOffset", "creationOffset") or local
        """The learner's, as the collection has it; else this computer's."""
        began = max(int(self._row["crt"]), 0)
        if began > _LAST:
            raise ValueError("the day on which it began is none")
        hour = self._setting("rollover")
        self.rollover = time(hour if hour is not None and 0 <= hour < 24 else 4)
        """When Anki's day begins, in its zone; at 4 as Anki has it at first."""
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

    def each_note(self) -> Iterator[AnkiNote]:
        """The notes by id, each with its cards and their answers."""
        try:
            for note_id, guid, mid, mod, tags, fields in self._db.execute(_NOTES):
                cards, odd = self._cards(note_id)
                texts = tuple(_text(tags).split()), tuple(_text(fields).split("\x1f"))
                changed = mod if isinstance(mod, int) and 0 < mod < _LAST else 0
                yield AnkiNote(note_id, str(guid), mid, *texts, cards, odd, changed)
        except (sqlite3.Error, *_ODD) as error:
            raise _damaged(error) from error

    def _cards(self, note_id: int) -> tuple[tuple[AnkiCard, ...], int]:
        """A note's cards with their answers, and how many of these are none."""
        cards, odd = list[AnkiCard](), 0
        for row in self._db.execute(_CARDS, (note_id,)):
            found = [answer_row(each) for each in self._db.execute(_ANSWERS, (row[0],))]
            answers = tuple(filter(None, found))
            odd += len(found) - len(answers)
            cards.append(card_row(row, answers))
        return tuple(cards), odd

    def orphans(self) -> int:
        """Answers to cards that are gone."""
        sql = "SELECT count(*) FROM revlog WHERE cid NOT IN (SELECT id FROM cards)"
        return int(self._db.execute(sql).fetchone()[0])

    # Note types and decks.

    def _old_types(self) -> dict[int, NoteType]:
        found = {}
        for key, model in self._json("models").items():
            fields, templates = (
                sorted(model.get(part, []), key=lambda each: each.get("ord", 0))
                for part in ("flds", "tmpls")
            )
            sides = ("name", "qfmt", "afmt")
            found[int(key)] = NoteType(
                tuple(str(each.get("name", "")) for each in fields),
                tuple(Template(*(str(t.get(part, "")) for part in sides)) for t in templates),
                model.get("type") == 1,
                str(model.get("css", "")),
            )
        return found

    def _new_types(self) -> dict[int, NoteType]:
        fields: dict[int, list[str]] = {}
        for ntid, name in self._db.execute("SELECT ntid, name FROM fields ORDER BY ntid, ord"):
            fields.setdefault(ntid, []).append(str(name))
        templates: dict[int, list[Template]] = {}
        sql = "SELECT ntid, name, config FROM templates ORDER BY ntid, ord"
        for ntid, name, config in self._db.execute(sql):
            made = Template(str(name), _proto_text(config, 1), _proto_text(config, 2))
            templates.setdefault(ntid, []).append(made)
        return {
            number: NoteType(
                tuple(fields.get(number, ())),
                tuple(templates.get(number, ())),
                _proto_int(config, 1) == 1,
                _proto_text(config, 3),
            )
            for number, config in self._db.execute("SELECT id, config FROM notetypes")
        }

    def _decks(self) -> dict[int, tuple[str, ...]]:
        """The path of each deck's names."""
        if "decks" in self._tables:
            rows = self._db.execute("SELECT id, name FROM decks")
            named = [(number, str(name).split("\x1f")) for number, name in rows]
        else:
            decks = self._json("decks").items()
            named = [(int(key), str(deck.get("name", "")).split("::")) for key, deck in decks]
        return {
            number: tuple(filter(None, map(str.strip, parts))) or ("Default",)
            for number, parts in named
        }

    def _offset(self, *names: str) -> timezone | None:
        minutes = self._setting(*names)
        if minutes is None or abs(minutes) >= 1440:
            return None
        return timezone(timedelta(minutes=-minutes))

    def _setting(self, *names: str) -> int | None:
        """The first of them that the collection has and that is a whole number."""
        conf = {} if "config" in self._tables else self._json("conf")
        for name in names:
            found = conf.get(name)
            if "config" in self._tables:
                row = self._db.execute("SELECT val FROM config WHERE KEY = ?", (name,)).fetchone()
                with suppress(ValueError):
                    found = json.loads(_text(row[0])) if row else None
            if isinstance(found, int):
                return found
        return None

    def _json(self, column: str) -> dict[str, Any]:
        try:
            found = json.loads(self._row[column] or "{}")
        except (ValueError, RecursionError, KeyError):
            found = None
        if not isinstance(found, dict):
            raise ExchangeError(f"the {column} of its collection are damaged.")
        return {k: v for k, v in found.items() if isinstance(v, dict) or column == "conf"}


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def _damaged(error: Exception) -> ExchangeError:
    return ExchangeError(
        f"its database is damaged ({error}). In Anki, Tools > Check Database mends a collection; "
        "then export it again."
    )


# What is read, row by row.


class Template(NamedTuple):
    """How a card is drawn; its two sides are in Anki's template language."""

    name: str
    front: str
    back: str


@dataclass(frozen=True, slots=True)
class NoteType:
    """What notes of a kind have in common."""

    fields: tuple[str, ...]
    templates: tuple[Template, ...]
    cloze: bool
    css: str = ""


class ReviewRow(NamedTuple):
    """A row of `revlog`."""

    id: int
    """Milliseconds since 1970."""
    ease: int
    ivl: int
    factor: int
    time: int
    kind: int


class AnkiCard(NamedTuple):
    """A row of `cards`."""

    id: int
    deck: int
    ord: int
    mod: int
    type: int
    queue: int
    due: int
    ivl: int
    odue: int
    odid: int
    flags: int
    answers: tuple[ReviewRow, ...]
    odd: tuple[str, ...]
    """Columns that held no number, or one that cannot be."""


@dataclass(frozen=True, slots=True)
class AnkiNote:
    """A row of `notes`."""

    id: int
    guid: str
    type: int
    tags: tuple[str, ...]
    fields: tuple[str, ...]
    cards: tuple[AnkiCard, ...]
    odd: int = 0
    """Answers that were left out, for a column of theirs holds no number."""
    mod: int = 0
    """When it was changed last, in seconds since 1970; 0 where that is no time."""


_WHOLE = {int}
_MOST = 1 << 62
_IVL = AnkiCard._fields.index("ivl")


def card_row(values: Sequence[Any], answers: tuple[ReviewRow, ...]) -> AnkiCard:
    """A row of `cards` whose columns are whole numbers; what was none is 0, and named."""
    if set(map(type, values)) == _WHOLE and values[_IVL] <= LONGEST_INTERVAL:
        return AnkiCard._make((*values, answers, ()))
    whole = [_number(value) for value in values]
    odd = [name for name, value in zip(AnkiCard._fields, whole, strict=False) if value is None]
    kept = [value or 0 for value in whole]
    if kept[_IVL] > LONGEST_INTERVAL:
        odd.append("ivl")
        kept[_IVL] = LONGEST_INTERVAL
    return AnkiCard._make((*kept, answers, tuple(odd)))


def answer_row(values: Sequence[Any]) -> ReviewRow | None:
    """A row of `revlog`; None where a column of it is no number."""
    if set(map(type, values)) == _WHOLE:
        return ReviewRow(*values)
    whole = [number for value in values if (number := _number(value)) is not None]
    return ReviewRow(*whole) if len(whole) == len(values) else None


def _number(value: object) -> int | None:
    """SQLite keeps in a column of numbers what it was given: texts, fractions, nothing."""
    if isinstance(value, float):
        return int(value) if abs(value) < _MOST else None
    return value if isinstance(value, int) else None


# A card's standing and answers: rows of `cards` and `revlog` to a `ForeignItem`.  `ivl` of an
# answer is days, or below 0 seconds.  `type` is 0 learning, 1 review, 2 relearning, 3 filtered, 4
# set by hand, 5 rescheduled.  A filtered answer with factor 0 was a preview; a line set by hand
# with factor and `ivl` 0 is "Forget", any other "Set Due Date".  (Anki: rslib/src/revlog/mod.rs.)
# The log does not say which day was set: the card's own row does.

_FILTERED, _BY_HAND, _RESCHEDULED = 3, 4, 5
_NEW, _REVIEW = 0, 2
#: Due numbers from here on are times, not days.
_FIRST_TIME = 1_000_000_000


def item_of(suffix: str, row: AnkiCard, guid: str, collection: AnkiCollection) -> ForeignItem:
    """What Anki knows of a card; `guid` is its note's."""
    zone, key = collection.zone, f"{guid}:{row.ord}"
    found = (_review(answer, f"{key}:{answer.id}", zone) for answer in row.answers)
    reviews = [review for review in found if review is not None]
    changed = _moment(row.mod * 1000, zone)
    due = None
    if row.type == _REVIEW:
        number = row.odue if row.odid and row.odue else row.due
        due = collection.days.of(number) if number < _FIRST_TIME else None
    told = [review.what for review in reviews if review.what in ("reset", "answer", "set")]
    if row.type == _NEW and told and told[-1] != "reset":
        # Forgotten by a version that kept no line of it.
        at = max(changed, reviews[-1].at + timedelta(milliseconds=1)) if changed else reviews[-1].at
        reviews.append(ForeignReview(at, 0, key=f"{key}:forgotten:{row.mod}", what="reset"))
    buried = None
    if row.queue in (-2, -3) and (put_off := _moment(collection.modified, zone)):
        buried = study_day(put_off, collection.rollover) + timedelta(days=1)
    interval = row.ivl if due is not None else None
    return ForeignItem(suffix, tuple(reviews), row.queue == -1, due, interval, buried, changed)


def _review(answer: ReviewRow, key: str, zone: tzinfo | None) -> ForeignReview | None:
    at = _moment(answer.id, zone)
    if at is None:
        return None
    days = min(answer.ivl, LONGEST_INTERVAL) if answer.ivl > 0 else None
    if answer.kind in (_BY_HAND, _RESCHEDULED) or answer.ease == 0:
        if answer.kind == _BY_HAND and not answer.factor and days is None:
            return ForeignReview(at, 0, key=key, what="reset")
        what: Literal["move", "set"] = "set" if answer.kind == _BY_HAND else "move"
        return ForeignReview(at, 0, days=days or 0, key=key, what=what)
    is_preview = answer.kind == _FILTERED and answer.factor == 0
    # Before the second scheduler, 0 was "on this day, again": the step is not known.
    wait = timedelta(seconds=min(max(-answer.ivl, 60), 9_999_999)) if days is None else None
    kind: Literal["cram", "answer"] = "cram" if is_preview else "answer"
    return ForeignReview(at, min(answer.ease, 4), max(answer.time, 0), days, key, wait, kind)


def _moment(milliseconds: int, zone: tzinfo | None) -> datetime | None:
    if not 0 < milliseconds < _LAST * 1000:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, zone or UTC)


# Which moment stands for a day of Anki's, by its number.  Day `n` begins `n` days after the date on
# which the collection began, at its "next day starts at"; it is named by the date of its beginning.
# One that begins at 23:00 is lived on the date that follows, so what stands for a day is the hour
# at which its cards are answered, as a rule: by that a day of Anki's and one of ours are the same
# day to the learner, whenever either begins.  It is told by the answers, as a package says neither
# when its days begin nor where on earth they do.

_DAY = timedelta(days=1)
_HALF = timedelta(hours=12)
#: Answers that are looked at, the newest first: habits change.
_MAX_ANSWERS = 4000
#: Each card's last line of the log, where that is an answer which led to a number of days.
_LINES = """
    SELECT r.cid, r.id, r.ease, r.ivl, c.ivl, c.type,
        CASE WHEN c.odid != 0 AND c.odue != 0 THEN c.odue ELSE c.due END
    FROM revlog r JOIN cards c ON c.id = r.cid ORDER BY r.id DESC LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class Days:
    """The days of a collection."""

    first: date
    """Day 0."""
    zone: tzinfo | None
    into: timedelta
    """From midnight of the date that names a day to what stands for it."""

    def of(self, number: int) -> datetime | None:
        """What stands for a day; None for what can be none."""
        with suppress(OverflowError):
            day = self.first + timedelta(days=number)
            if 1970 <= day.year < 3000:
                return datetime.combine(day, time(), self.zone) + self.into
        return None


def days_of(db: sqlite3.Connection, first: date, zone: tzinfo | None, begins: time) -> Days:
    """The days of the collection `db`; `begins` counts where there are no answers to tell more."""
    found: list[timedelta] = []
    seen: set[object] = set()
    for line in db.execute(_LINES, (_MAX_ANSWERS,)):
        card, *values = line
        if card in seen:
            continue
        seen.add(card)
        if set(map(type, values)) == _WHOLE and (into := _into(values, first, zone)) is not None:
            found.append(into)
    middle = timedelta(hours=begins.hour) + _HALF
    return Days(first, zone, median_low(found) if found else middle)


def _into(values: list[int], first: date, zone: tzinfo | None) -> timedelta | None:
    """How far into its day a card was answered, where that is what made it due."""
    at, rating, led_to, interval, kind, due = values
    if kind != _REVIEW or rating < 1 or not 0 < led_to == interval:
        return None
    with suppress(OverflowError, ValueError, OSError):
        day = first + timedelta(days=due - interval)
        midnight = datetime.combine(day, time(), zone or UTC)
        into = datetime.fromtimestamp(at / 1000, zone or UTC) - midnight
        return into if -_DAY <= into < 2 * _DAY else None
    return None
