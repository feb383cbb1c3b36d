"""The SQLite database of a collection: note types, decks, and notes with their cards and answers.

Schema 11 keeps note types and decks as JSON in the table `col`; schemas 15 to 18 have tables of
their own, whose details are protobuf.  The file is a stranger's: only plain tables are read, of a
temporary copy, with nothing in the schema trusted.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from itertools import groupby
from pathlib import Path
from statistics import median_low
from typing import Any, Literal, NamedTuple

from deck.exchange.anki.package import open_untrusted, plain_tables, proto_int, proto_text
from deck.exchange.model import ExchangeError, ForeignItem, ForeignReview
from deck.study_day import study_day

#: What a column raises that holds something else than it should.
_ODD = (TypeError, ValueError, OverflowError, AttributeError, KeyError)
_TABLES = ("col", "notes", "cards", "revlog")
#: By these the tables are read side by side: each must be a number.
_KEYS = (("notes", "id"), ("cards", "id"), ("cards", "nid"), ("cards", "ord"))
#: Seconds since 1970, of the year 2999.
_LAST = 32_500_000_000
_NOTES = "SELECT id, guid, mid, mod, tags, flds FROM notes ORDER BY id"
_CARDS = """
    SELECT nid, id, did, ord, mod, type, queue, due, ivl, odue, odid, flags FROM cards
    ORDER BY nid, ord, id
"""
_ANSWERS = """
    SELECT c.nid, c.ord, c.id, r.id, r.ease, r.ivl, r.factor, r.time, r.type
    FROM revlog r JOIN cards c ON c.id = r.cid ORDER BY c.nid, c.ord, c.id, r.id
"""


class AnkiCollection:
    """An opened database.  Raises ExchangeError for what cannot be read."""

    def __init__(self, path: Path) -> None:
        self._db = open_untrusted(path)
        try:
            self._open()
        except ExchangeError:
            self._db.close()
            raise
        except (sqlite3.Error, *_ODD) as error:
            self._db.close()
            raise _damaged(error) from error

    def _open(self) -> None:
        self._tables = plain_tables(self._db)
        missing = [name for name in _TABLES if name not in self._tables]
        if missing:
            raise ExchangeError(f"its database has no table {missing[0]}: it is none of Anki's.")
        self._row = self._db.execute("SELECT * FROM col LIMIT 1").fetchone()
        if self._row is None:
            raise ExchangeError("its database is empty.")
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
            cards = Ahead(groupby(self._cards(), key=lambda found: found[0].note))
            for note_id, guid, mid, mod, tags, fields in self._db.execute(_NOTES):
                found = cards.of(note_id)
                yield AnkiNote(
                    note_id,
                    str(guid),
                    mid,
                    tuple(_text(tags).split()),
                    tuple(_text(fields).split("\x1f")),
                    tuple(row for row, _ in found),
                    sum(odd for _, odd in found),
                    mod if isinstance(mod, int) and 0 < mod < _LAST else 0,
                )
        except (sqlite3.Error, *_ODD) as error:
            raise _damaged(error) from error

    def _cards(self) -> Iterator[tuple[CardRow, int]]:
        """The rows with their answers, and how many of these are none."""
        rows = (tuple(row) for row in self._db.execute(_ANSWERS))
        answers = Ahead(groupby(rows, key=lambda row: row[:3]))
        for values in self._db.execute(_CARDS):
            note_id, card_id, _, place, *_ = values
            found = [answer_row(row[3:]) for row in answers.of((note_id, place, card_id))]
            made = tuple(filter(None, found))
            yield card_row(values, made), len(found) - len(made)

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
            made = Template(str(name), proto_text(config, 1), proto_text(config, 2))
            templates.setdefault(ntid, []).append(made)
        return {
            number: NoteType(
                tuple(fields.get(number, ())),
                tuple(templates.get(number, ())),
                proto_int(config, 1) == 1,
                proto_text(config, 3),
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
        except (ValueError, RecursionError, IndexError):
            found = None
        if not isinstance(found, dict):
            raise ExchangeError(f"the {column} of its collection are damaged.")
        return {k: v for k, v in found.items() if isinstance(v, dict) or column == "conf"}


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def _damaged(error: Exception) -> ExchangeError:
    if isinstance(error, ExchangeError):
        return error
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


class Answer(NamedTuple):
    """A row of `revlog`."""

    id: int
    """Milliseconds since 1970."""
    ease: int
    ivl: int
    factor: int
    time: int
    kind: int


class CardRow(NamedTuple):
    """A row of `cards`."""

    note: int
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
    answers: tuple[Answer, ...]
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
    cards: tuple[CardRow, ...]
    odd: int = 0
    """Answers that were left out, for a column of theirs holds no number."""
    mod: int = 0
    """When it was changed last, in seconds since 1970; 0 where that is no time."""


#: A longer interval than Anki's own longest, in days, is none.
LONGEST = 36_500
_WHOLE = {int}
_MOST = 1 << 62
_IVL = CardRow._fields.index("ivl")


def card_row(values: Sequence[Any], answers: tuple[Answer, ...]) -> CardRow:
    """A row of `cards` whose columns are whole numbers; what was none is 0, and named."""
    if set(map(type, values)) == _WHOLE and values[_IVL] <= LONGEST:
        return CardRow._make((*values, answers, ()))
    whole = [_number(value) for value in values]
    odd = [name for name, value in zip(CardRow._fields, whole, strict=False) if value is None]
    kept = [value or 0 for value in whole]
    if kept[_IVL] > LONGEST:
        odd.append("ivl")
        kept[_IVL] = LONGEST
    return CardRow._make((*kept, answers, tuple(odd)))


def answer_row(values: Sequence[Any]) -> Answer | None:
    """A row of `revlog`; None where a column of it is no number."""
    if set(map(type, values)) == _WHOLE:
        return Answer(*values)
    whole = [number for value in values if (number := _number(value)) is not None]
    return Answer(*whole) if len(whole) == len(values) else None


def _number(value: object) -> int | None:
    """SQLite keeps in a column of numbers what it was given: texts, fractions, nothing."""
    if isinstance(value, float):
        return int(value) if abs(value) < _MOST else None
    return value if isinstance(value, int) else None


class Ahead:
    """Groups that come in the order of their keys, of which some may be missing on either side."""

    def __init__(self, groups: Iterator[tuple[Any, Iterator[Any]]]) -> None:
        self._groups = groups
        self._next: tuple[Any, list[Any]] | None = None
        self._advance()

    def _advance(self) -> None:
        found = next(self._groups, None)
        self._next = (found[0], list(found[1])) if found else None

    def of(self, key: Any) -> list[Any]:
        while self._next is not None and self._next[0] < key:
            self._advance()
        if self._next is None or self._next[0] != key:
            return []
        found = self._next[1]
        self._advance()
        return found


# A card's standing and answers: rows of `cards` and `revlog` to a `ForeignItem`.  `ivl` of an
# answer is days, or below 0 seconds.  `type` is 0 learning, 1 review, 2 relearning, 3 filtered, 4
# set by hand, 5 rescheduled.  A filtered answer with factor 0 was a preview; a line set by hand
# with factor and `ivl` 0 is "Forget", any other "Set Due Date".  (Anki: rslib/src/revlog/mod.rs.)
# The log does not say which day was set: the card's own row does.

_FILTERED, _BY_HAND, _RESCHEDULED = 3, 4, 5
_NEW, _REVIEW = 0, 2
#: Due numbers beyond this are times, not days.
_TIMES = 1_000_000_000


def item_of(suffix: str, row: CardRow, guid: str, collection: AnkiCollection) -> ForeignItem:
    """What Anki knows of a card; `guid` is its note's."""
    zone, key = collection.zone, f"{guid}:{row.ord}"
    found = (_review(answer, f"{key}:{answer.id}", zone) for answer in row.answers)
    reviews = [review for review in found if review is not None]
    changed = _moment(row.mod * 1000, zone)
    due = None
    if row.type == _REVIEW:
        number = row.odue if row.odid and row.odue else row.due
        due = collection.days.of(number) if number < _TIMES else None
    if row.type == _NEW and _is_learnt(reviews):
        # Forgotten by a version that kept no line of it.
        at = max(changed, reviews[-1].at + timedelta(milliseconds=1)) if changed else reviews[-1].at
        reviews.append(ForeignReview(at, 0, key=f"{key}:forgotten:{row.mod}", what="reset"))
    buried = None
    if row.queue in (-2, -3) and (put_off := _moment(collection.modified, zone)):
        buried = study_day(put_off, collection.rollover) + timedelta(days=1)
    return ForeignItem(
        suffix=suffix,
        reviews=tuple(reviews),
        suspended=row.queue == -1,
        due=due,
        interval=row.ivl if due is not None else None,
        buried=buried,
        changed=changed,
    )


def _is_learnt(reviews: Iterable[ForeignReview]) -> bool:
    """Whether something counts that nothing has taken back since."""
    told = [review.what for review in reviews if review.what in ("reset", "answer", "set")]
    return bool(told) and told[-1] != "reset"


def _review(answer: Answer, key: str, zone: tzinfo | None) -> ForeignReview | None:
    at = _moment(answer.id, zone)
    if at is None:
        return None
    days = min(answer.ivl, LONGEST) if answer.ivl > 0 else None
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
        into = datetime.fromtimestamp(at / 1000, zone or UTC) - datetime.combine(
            day, time(), zone or UTC
        )
        return into if -_DAY <= into < 2 * _DAY else None
    return None
