"""Collection.anki2 and media."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zipfile
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime, time
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any, NamedTuple

from cards.files import open_regular
from cards.model import Card, Item
from deck.config import Config
from deck.decks import deck_path
from deck.errors import reason
from deck.events import Practised, Reset, Reviewed
from deck.exchange.export.anki_notes import (
    BASIC,
    Maker,
    checksum,
    notetypes,
    signed,
    sort_field,
    tag_of,
)
from deck.exchange.export.html import Names, Pictures
from deck.exchange.export.source import Done, Past, Progress, Report, Source
from deck.exchange.model import ExchangeError
from deck.files import CONFIG, DATA_DIR, stamp_of
from deck.fsrs import Memory
from deck.replay import ItemState, Learning, New, Review
from deck.search.text import written_on
from deck.study_day import day_start, offset_minutes, study_day

# == An item's history and schedule as rows of Anki's `cards` and `revlog`.


_NEW, _LEARNING, _REVIEW, _RELEARNING = range(4)
_SUSPENDED = -1
_DAY_LEARNING = 3
#: Of `revlog.type`: learnt, reviewed, learnt again, practised, and set by hand.
_LEARN, _REVIEWED, _RELEARN, _PRACTISED, _MANUAL = range(5)
_LONGEST = 2**31 - 1


class Standing(NamedTuple):
    """type, queue, due, ivl, factor, reps, lapses, left, data.  A day as `due` is an ordinal."""

    type: int
    queue: int
    due: int
    ivl: int
    factor: int
    reps: int
    lapses: int
    left: int
    data: str


class Entry(NamedTuple):
    """id (when, in ms), ease, ivl, lastIvl, factor, time, type: of `revlog`, without the card."""

    id: int
    ease: int
    ivl: int
    last: int
    factor: int
    time: int
    type: int


def standing(past: Past, position: int, config: Config, now: datetime) -> Standing:
    """Where an item stands; `position`: its place among new cards; `config`: its course's."""
    state = past.state
    if isinstance(state, New):
        queue = _SUSPENDED if past.suspended else _NEW
        return Standing(_NEW, queue, position, 0, 0, 0, 0, 0, "{}")
    kind, queue, due, left = _place(state, config, now)
    interval = state.interval if isinstance(state, Review) else _interval_before(past)
    return Standing(
        kind,
        _SUSPENDED if past.suspended else queue,
        due,
        interval,
        _ease(state.memory),
        state.repetitions,
        state.lapses,
        left,
        _data(state, config),
    )


def _place(state: Learning | Review, config: Config, now: datetime) -> tuple[int, int, int, int]:
    """type, queue, due and what is left of the steps."""
    if isinstance(state, Review):
        return _REVIEW, _REVIEW, state.due_day.toordinal(), 0
    kind = _RELEARNING if state.relearning else _LEARNING
    steps = config.relearning_steps if state.relearning else config.learning_steps
    remain = max(len(steps) - state.step, 1)
    day = study_day(state.due.astimezone(now.tzinfo), config.rollover)
    if day > state.day:
        return kind, _DAY_LEARNING, day.toordinal(), remain * 1001
    return kind, _LEARNING, int(state.due.timestamp()), remain * 1001


def _interval_before(past: Past) -> int:
    """Of what is learnt again, the days that come behind its steps."""
    state = past.state
    if isinstance(state, Learning) and state.relearning:
        return max(round(state.memory.stability), 1)
    return 0


def _ease(memory: Memory) -> int:
    """For whom turns FSRS off: D 5 is the usual 250 %, D 10 the least, 130 %."""
    return round(max(1.3, 2.5 + 0.24 * (5 - memory.difficulty)) * 1000)


def _data(state: Learning | Review, config: Config) -> str:
    """FSRS' memory, in the words and digits that Anki keeps it in."""
    memory = {"s": round(state.memory.stability, 4), "d": round(state.memory.difficulty, 3)}
    rest = {"dr": round(config.desired_retention, 2), "decay": round(config.parameters[-1], 3)}
    return json.dumps(memory | rest | {"lrt": int(state.reviewed.timestamp())})


def entries(past: Past) -> list[Entry]:
    """What was done with an item, each at another millisecond."""
    found: list[Entry] = []
    for done in past.done:
        at = round(done.event.at.timestamp() * 1000)
        entry = _entry(done, max(at, found[-1].id + 1) if found else at)
        if entry is not None:
            found.append(entry)
    return found


def _entry(done: Done, at: int) -> Entry | None:
    before, after = done.before, done.after
    match done.event.what:
        case Reviewed(rating=rating, milliseconds=taken):
            factor = 0 if isinstance(after, New) else _shifted(after.memory)
            time = min(taken, _LONGEST)
            return Entry(
                at, int(rating), _interval(after), _interval(before), factor, time, _kind(before)
            )
        case Practised(rating=rating, milliseconds=taken):
            interval, time = _interval(before), min(taken, _LONGEST)
            return Entry(at, int(rating), interval, interval, 0, time, _PRACTISED)
        case Reset():
            return Entry(at, 0, 0, _interval(before), 0, 0, _MANUAL)
    return None


def _kind(before: ItemState) -> int:
    match before:
        case Review():
            return _REVIEWED
        case Learning(relearning=True):
            return _RELEARN
    return _LEARN


def _interval(state: ItemState) -> int:
    """Days, or seconds below 0 for a step."""
    match state:
        case Review():
            return state.interval
        case Learning():
            return -max(min(round((state.due - state.reviewed).total_seconds()), _LONGEST), 1)
    return 0


def _shifted(memory: Memory) -> int:
    """Difficulty 1 to 10 as 100 to 1100, which is how Anki's log has it under FSRS."""
    return round(((memory.difficulty - 1) / 9 + 0.1) * 1000)


# == The tables of Anki's collection, version 11: what its packages hold that every Anki reads.


VERSION = 11

TABLES = """
CREATE TABLE col (
    id integer PRIMARY KEY, crt integer NOT NULL, mod integer NOT NULL, scm integer NOT NULL,
    ver integer NOT NULL, dty integer NOT NULL, usn integer NOT NULL, ls integer NOT NULL,
    conf text NOT NULL, models text NOT NULL, decks text NOT NULL, dconf text NOT NULL,
    tags text NOT NULL);
CREATE TABLE notes (
    id integer PRIMARY KEY, guid text NOT NULL, mid integer NOT NULL, mod integer NOT NULL,
    usn integer NOT NULL, tags text NOT NULL, flds text NOT NULL, sfld integer NOT NULL,
    csum integer NOT NULL, flags integer NOT NULL, data text NOT NULL);
CREATE TABLE cards (
    id integer PRIMARY KEY, nid integer NOT NULL, did integer NOT NULL, ord integer NOT NULL,
    mod integer NOT NULL, usn integer NOT NULL, type integer NOT NULL, queue integer NOT NULL,
    due integer NOT NULL, ivl integer NOT NULL, factor integer NOT NULL, reps integer NOT NULL,
    lapses integer NOT NULL, left integer NOT NULL, odue integer NOT NULL, odid integer NOT NULL,
    flags integer NOT NULL, data text NOT NULL);
CREATE TABLE revlog (
    id integer PRIMARY KEY, cid integer NOT NULL, usn integer NOT NULL, ease integer NOT NULL,
    ivl integer NOT NULL, lastIvl integer NOT NULL, factor integer NOT NULL,
    time integer NOT NULL, type integer NOT NULL);
CREATE TABLE graves (usn integer NOT NULL, oid integer NOT NULL, type integer NOT NULL);
"""

#: Made when all rows are in: quicker.
INDEXES = """
CREATE INDEX ix_notes_usn ON notes (usn);
CREATE INDEX ix_cards_usn ON cards (usn);
CREATE INDEX ix_revlog_usn ON revlog (usn);
CREATE INDEX ix_cards_nid ON cards (nid);
CREATE INDEX ix_cards_sched ON cards (did, queue, due);
CREATE INDEX ix_revlog_cid ON revlog (cid);
CREATE INDEX ix_notes_csum ON notes (csum);
"""


# == The one row of Anki's table `col`: settings, decks and their options, types of notes.


_DEFAULT = 1
#: Ids are times in milliseconds there; ours are from the year 2025 on.
_IDS = 1763000000000
_TAKEN = 10**9


def stable_id(name: str) -> int:
    """The same number for the same name, always."""
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return _IDS + 1000 + int.from_bytes(digest) % _TAKEN


def deck_name(path: Iterable[str]) -> str:
    """The name of a deck with those above it: `::` parts them, so no name may hold it."""
    return "::".join(_part(name) for name in path)


def _part(name: str) -> str:
    plain = "".join(char if char.isprintable() else " " for char in name.replace('"', "'"))
    return plain.replace("::", "-").strip(" :") or "deck"


def col_row(
    config: Config, now: datetime, first: date, decks: dict[str, str], positions: int
) -> tuple[Any, ...]:
    """The row.  `first`: the study day from which days are counted; `decks`: each name with the
    course that it is of; `positions`: how many new cards there are."""
    stamp = int(now.timestamp() * 1000)
    named = _with_parents(decks)
    courses = {course for course in named.values() if config.of_course(course) is not config}
    rows = {str(_DEFAULT): _deck(_DEFAULT, "Default", _DEFAULT, stamp)}
    for name, course in named.items():
        options = _options_id(course) if course in courses else _options_id("")
        number = stable_id(f"deck {name}")
        rows[str(number)] = _deck(number, name, options, stamp)
    settings = [_options(_DEFAULT, "Default", Config(), stamp)]
    for course in ("", *sorted(courses)):
        name = f"deltadeck: {course}" if course else "deltadeck"
        settings.append(_options(_options_id(course), name, config.of_course(course), stamp))
    values = (_conf(config, now, positions), notetypes(_DEFAULT), rows)
    texts = [json.dumps(value) for value in (*values, {str(s["id"]): s for s in settings})]
    made = int(day_start(first, config.rollover, now).timestamp())
    return (1, made, stamp, stamp, VERSION, 0, 0, 0, *texts, "{}")


def _with_parents(decks: dict[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, course in decks.items():
        parts = name.split("::")
        for depth in range(1, len(parts) + 1):
            found.setdefault("::".join(parts[:depth]), course)
    return found


def _options_id(course: str) -> int:
    return stable_id(f"options {course}")


def _conf(config: Config, now: datetime, positions: int) -> dict[str, Any]:
    return {
        "activeDecks": [_DEFAULT],
        "curDeck": _DEFAULT,
        "curModel": BASIC,
        "newSpread": 0,
        "collapseTime": 1200,
        "timeLim": 0,
        "estTimes": True,
        "dueCounts": True,
        "nextPos": positions + 1,
        "sortType": "noteFld",
        "sortBackwards": False,
        "addToCur": True,
        "schedVer": 2,
        "creationOffset": -offset_minutes(now),
        "rollover": config.rollover.hour,
    }


def _deck(number: int, name: str, options: int, stamp: int) -> dict[str, Any]:
    nothing = {f"{what}Today": [0, 0] for what in ("new", "rev", "lrn", "time")}
    rest = {"collapsed": False, "browserCollapsed": False, "extendNew": 0, "extendRev": 0}
    return {
        "id": number,
        "name": name,
        "conf": options,
        "mod": stamp // 1000,
        "usn": -1,
        "desc": "",
        "dyn": 0,
        **nothing,
        **rest,
    }


def _options(number: int, name: str, config: Config, stamp: int) -> dict[str, Any]:
    """The options of decks: limits, steps and the model's parameters, for whom asks for them."""
    minutes = [[step.total_seconds() / 60 for step in steps] for steps in _steps(config)]
    new = {"delays": minutes[0], "ints": [1, 4, 0], "initialFactor": 2500, "order": 1}
    lapse = {"delays": minutes[1], "mult": 0.0, "minInt": 1, "leechFails": config.leech_lapses or 8}
    limits = {"maxIvl": config.maximum_interval, "ease4": 1.3, "ivlFct": 1.0, "hardFactor": 1.2}
    bury = config.bury_siblings
    return {
        "id": number,
        "name": name,
        "mod": stamp // 1000,
        "usn": -1,
        "maxTaken": 60,
        "autoplay": True,
        "timer": 0,
        "replayq": True,
        "dyn": False,
        "new": new | {"bury": bury, "perDay": config.new_per_day},
        "rev": limits | {"bury": bury, "perDay": config.reviews_per_day},
        "lapse": lapse | {"leechAction": 0 if config.leech_action == "suspend" else 1},
        "desiredRetention": config.desired_retention,
        "fsrsParams6": list(config.parameters),
    }


def _steps(config: Config) -> tuple[Any, Any]:
    return config.learning_steps, config.relearning_steps


# == Cards as rows of Anki's tables.


_GUID, _ANKI = "deltadeck:", "anki:"
#: Anki counts clozes so far.
_LAST_CLOZE = 499
_WAITING = 5000


def guid_of(card: Card) -> str:
    """What names the note for good, in Anki as here: its own GUID where it came from there."""
    for name in ("imported", "source"):
        said = card.extra.get(name)
        if isinstance(said, str) and said.startswith(_ANKI) and said != _ANKI:
            return said.removeprefix(_ANKI)
    return _GUID + card.id


class Rows:
    """Puts cards into the tables, many at a time."""

    def __init__(self, db: sqlite3.Connection, source: Source, maker: Maker) -> None:
        self._db, self._source, self._maker = db, source, maker
        self._report = maker.report
        self._config = source.collection.config
        self._notes: list[tuple[Any, ...]] = []
        self._cards: list[tuple[Any, ...]] = []
        self._log: list[tuple[Any, ...]] = []
        self._taken: dict[str, dict[int, int]] = {"note": {}, "card": {}, "log": {}}
        self._guids: set[str] = set()
        settings = stamp_of(source.root / DATA_DIR / CONFIG)[1] // 10**9
        self._settings_changed = max(settings, 0)
        self.decks: dict[str, str] = {}
        """The names of decks, each with its course."""
        self.positions = 0
        """How many new cards there are."""
        self.first_day = self._today = study_day(source.now, self._config.rollover)
        """The first study day on which anything was answered."""

    def put(self, card: Card) -> None:
        pasts = [past for past in self._source.pasts(card) if self._has_place(card, past.item)]
        if not pasts:
            self._report.lose(card.id, "It asks nothing, so Anki has no place for it.")
            return
        changed = max(stamp_of(card.path)[1] // 10**9 if card.path else 0, self._settings_changed)
        kind, fields = self._maker.fields(card)
        fields = signed(fields, card.tags)
        note = self._free("note", self._made(card, pasts, changed))
        tags = " ".join(map(tag_of, card.tags))
        flat = "\x1f".join(fields)
        guid = guid_of(card)
        if guid in self._guids:  # a copy that a learner made of the file
            guid = guid_of(replace(card, extra={}))
        self._guids.add(guid)
        named = (note, guid, kind, changed, -1, f" {tags} " if tags else "")
        shown = (flat, sort_field(fields[0]), checksum(fields[0]), 0, "")
        self._notes.append((*named, *shown))
        deck = deck_name(deck_path(card, self._source.root))
        self.decks.setdefault(deck, card.course)
        for past in pasts:
            self._put_item(card, past, note, stable_id(f"deck {deck}"), changed)
        self._tell(card, pasts)
        if len(self._log) > _WAITING or len(self._notes) > _WAITING:
            self.flush()

    def _put_item(self, card: Card, past: Past, note: int, deck: int, changed: int) -> None:
        number = self._free("card", note)
        config = self._config.of_course(card.course)
        found = standing(past, self.positions + 1, config, self._source.now)
        self.positions += found.type == 0
        for entry in entries(past):
            self._log.append(self._log_row(entry, number))
        for done in past.done[:1]:
            self.first_day = min(self.first_day, done.event.day)
        named = (number, note, deck, ordinal(card, past.item), changed, -1)
        self._cards.append((*named, *found[:-1], 0, 0, 0, found.data))

    def _log_row(self, entry: Entry, card: int) -> tuple[Any, ...]:
        at, *rest = entry
        return (self._free("log", at), card, -1, *rest)

    def flush(self) -> None:
        for table, rows in (("notes", self._notes), ("cards", self._cards), ("revlog", self._log)):
            if rows:
                places = ", ".join("?" * len(rows[0]))
                self._db.executemany(f"INSERT INTO {table} VALUES ({places})", rows)
                rows.clear()

    def _has_place(self, card: Card, item: Item) -> bool:
        if 0 <= ordinal(card, item) <= _LAST_CLOZE:
            return True
        self._report.lose(item.id, f"Anki asks clozes up to {_LAST_CLOZE + 1} only.")
        return False

    def _made(self, card: Card, pasts: list[Past], changed: int) -> int:
        """When the note was made, in milliseconds: ids are that there."""
        day: date | None = written_on(card)
        if day is not None:
            noon = datetime.combine(day, time(12), self._source.now.tzinfo)
            return max(int(noon.timestamp() * 1000), 1)
        answers = [done.event.at for past in pasts for done in past.done[:1]]
        seconds = min((at.timestamp() for at in answers), default=float(changed))
        return max(int(min(seconds, changed or seconds) * 1000), 1)

    def _free(self, what: str, wanted: int) -> int:
        """`wanted`, or the next number that is free."""
        taken = self._taken[what]
        number = wanted
        while number in taken:
            number = taken[number]
        taken[wanted] = taken[number] = number + 1
        return number

    def _tell(self, card: Card, pasts: list[Past]) -> None:
        """What the format has no place for."""
        report = self._report
        report.count("cards")
        report.count("items", len(pasts))
        report.count("answers", sum(len(past.answers) for past in pasts))
        if card.type in ("derivation", "numeric") or card.is_choice:
            report.without(
                "Answers are not checked there: such cards are a question and an answer.", card.id
            )
        if any(past.buried is not None and past.buried > self._today for past in pasts):
            report.without(
                "Items that are put off until another day are not put off there.", card.id
            )


def ordinal(card: Card, item: Item) -> int:
    """Which of its note's cards an item is."""
    suffix = item.id.removeprefix(card.id)
    if suffix.startswith("/c"):
        return int(suffix[2:]) - 1
    return 1 if suffix == "/r" else 0


# == A package for Anki: `collection.anki2` (version 11, which every Anki opens) and media, zipped.
#
# A note's GUID is made from the card's id, so that a second export updates what the first one
# made.


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
