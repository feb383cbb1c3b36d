"""A package for Anki: `collection.anki2` (version 11, which every Anki opens) and media, zipped.

A note's GUID is made from the card's id, so that a second export updates what the first one made.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime, time
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any

from cards.model import Card, Item
from deck.config import Config
from deck.decks import deck_path
from deck.events import Practised, Reset, Reviewed
from deck.exchange.export.anki_notes import (
    BASIC,
    CLOZE,
    REVERSED,
    FieldMaker,
    checksum,
    signed,
    sort_field,
    tag_of,
)
from deck.exchange.export.source import ExportReport, ExportSource, ItemHistory, Pictures, Progress
from deck.exchange.model import ExchangeError
from deck.files import CONFIG, DATA_DIR, stamp_of
from deck.index.words import written_on
from deck.replay import ItemState, Learning, New, Review
from deck.study_day import day_start, offset_minutes, study_day

#: Days are counted from the first one; a learning step is due at a time, in seconds.
_COUNT_DAYS = """
UPDATE cards SET due = due - ? WHERE type = 2 OR (type IN (1, 3) AND due < 1000000000)
"""
#: Of files that are packed already.
_PACKED = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".mp3", ".mp4", ".ogg")


def write_apkg(
    source: ExportSource, file: IO[bytes], report: ExportReport, progress: Progress
) -> None:
    """Writes the package; `file` is one of a folder, for the database is made beside it.

    Raises:
        ExchangeError: the database cannot be written.
    """
    database = Path(f"{file.name}.anki2")
    maker = FieldMaker(source.collection.config, Pictures(source.root), report)
    try:
        with closing(sqlite3.connect(database, isolation_level=None)) as db:
            # A draft: what a crash leaves is thrown away.
            db.execute("PRAGMA journal_mode = OFF")
            db.execute("PRAGMA synchronous = OFF")
            db.executescript(_TABLES)
            db.execute("BEGIN")
            rows = _Rows(db, source, maker)
            for card in source.cards(report, progress):
                rows.put(card)
            rows.finish()
            db.execute("COMMIT")
            db.executescript(_INDEXES)
        numbers: dict[str, str] = {}
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(database, "collection.anki2")
            for name, picture in maker.names.opened(report):  # each under a number
                entry = zipfile.ZipInfo(str(len(numbers)))  # no time: one state is one file
                packed = name.lower().endswith(_PACKED)
                entry.compress_type = zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED
                with archive.open(entry, "w", force_zip64=True) as into:
                    shutil.copyfileobj(picture, into)
                numbers[entry.filename] = name
            archive.writestr("media", json.dumps(numbers, ensure_ascii=False))
    except sqlite3.Error as error:
        raise ExchangeError(f"{database.parent}: the package cannot be made: {error}.") from error
    finally:
        database.unlink(missing_ok=True)


# Cards as rows of Anki's tables.

_GUID, _ANKI = "deltadeck:", "anki:"
#: Anki counts clozes so far.
_LAST_CLOZE = 499


def _guid_of(card: Card) -> str:
    """What names the note for good, in Anki as here: its own GUID where it came from there."""
    for name in ("imported", "source"):
        said = card.extra.get(name)
        if isinstance(said, str) and said.startswith(_ANKI) and said != _ANKI:
            return said.removeprefix(_ANKI)
    return _GUID + card.id


class _Rows:
    """Puts cards into the tables."""

    def __init__(self, db: sqlite3.Connection, source: ExportSource, maker: FieldMaker) -> None:
        self._db, self._source, self._maker = db, source, maker
        self._report = maker.report
        self._config = source.collection.config
        self._taken: dict[str, dict[int, int]] = {"notes": {}, "cards": {}, "revlog": {}}
        self._guids: set[str] = set()
        self._settings_changed = max(stamp_of(source.root / DATA_DIR / CONFIG)[1] // 10**9, 0)
        self._courses: dict[str, str] = {}
        """Of each deck."""
        self._new = 0
        """How many new cards there are."""
        self._first_day = self._today = study_day(source.now, self._config.rollover)
        """The first study day on which anything was answered."""

    def put(self, card: Card) -> None:
        pasts = [past for past in self._source.pasts(card) if self._has_place(card, past.item)]
        if not pasts:
            self._report.lose(card.id, "It asks nothing, so Anki has no place for it.")
            return
        changed = max(stamp_of(card.path)[1] // 10**9 if card.path else 0, self._settings_changed)
        kind, fields = self._maker.fields(card)
        fields = signed(fields, card.tags)
        note = self._free("notes", self._made(card, pasts, changed))
        tags = " ".join(map(tag_of, card.tags))
        guid = _guid_of(card)
        if guid in self._guids:  # a copy that a learner made of the file
            guid = _guid_of(replace(card, extra={}))
        self._guids.add(guid)
        named = (note, guid, kind, changed, -1, f" {tags} " if tags else "", "\x1f".join(fields))
        self._insert("notes", *named, sort_field(fields[0]), checksum(fields[0]), 0, "")
        deck = deck_name(deck_path(card, self._source.root))
        self._courses.setdefault(deck, card.course)
        for past in pasts:
            self._put_item(card, past, note, _stable_id(f"deck {deck}"), changed)
        self._tell(card, pasts)

    def _put_item(self, card: Card, past: ItemHistory, note: int, deck: int, changed: int) -> None:
        number = self._free("cards", note)
        config = self._config.of_course(card.course)
        *found, data = _standing(past, self._new + 1, config, self._source.now)
        self._new += found[0] == _NEW
        for at, *rest in _log(past):
            self._insert("revlog", self._free("revlog", at), number, -1, *rest)
        for done in past.done[:1]:
            self._first_day = min(self._first_day, done.event.day)
        named = (number, note, deck, _ordinal(card, past.item), changed, -1)
        self._insert("cards", *named, *found, 0, 0, 0, data)

    def finish(self) -> None:
        """Counts the days, and puts in the row that holds for all."""
        first = self._first_day
        self._db.execute(_COUNT_DAYS, (first.toordinal(),))
        row = _col_row(self._config, self._source.now, first, self._courses, self._new)
        self._insert("col", *row)

    def _insert(self, table: str, *row: Any) -> None:
        self._db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)

    def _has_place(self, card: Card, item: Item) -> bool:
        if 0 <= _ordinal(card, item) <= _LAST_CLOZE:
            return True
        self._report.lose(item.id, f"Anki asks clozes up to {_LAST_CLOZE + 1} only.")
        return False

    def _made(self, card: Card, pasts: list[ItemHistory], changed: int) -> int:
        """When the note was made, in milliseconds: ids are that there."""
        day: date | None = written_on(card)
        if day is not None:
            noon = datetime.combine(day, time(12), self._source.now.tzinfo)
            return max(int(noon.timestamp() * 1000), 1)
        answers = [done.event.at for past in pasts for done in past.done[:1]]
        seconds = min((at.timestamp() for at in answers), default=float(changed))
        return max(int(min(seconds, changed or seconds) * 1000), 1)

    def _free(self, table: str, wanted: int) -> int:
        """`wanted`, or the next number that is free."""
        taken = self._taken[table]
        number = wanted
        while number in taken:
            number = taken[number]
        taken[wanted] = taken[number] = number + 1
        return number

    def _tell(self, card: Card, pasts: list[ItemHistory]) -> None:
        """What the format has no place for."""
        report = self._report
        report.count("cards")
        report.count("items", len(pasts))
        report.count("answers", sum(len(past.answers) for past in pasts))
        if card.type in ("derivation", "numeric") or card.is_choice:
            what = "Answers are not checked there: such cards are a question and an answer."
            report.without(what, card.id)
        if any(past.buried is not None and past.buried > self._today for past in pasts):
            what = "Items that are put off until another day are not put off there."
            report.without(what, card.id)


def _ordinal(card: Card, item: Item) -> int:
    """Which of its note's cards an item is."""
    suffix = item.id.removeprefix(card.id)
    if suffix.startswith("/c"):
        return int(suffix[2:]) - 1
    return 1 if suffix == "/r" else 0


# An item's history and schedule as rows of `cards` and `revlog`.

_NEW, _LEARNING, _REVIEW, _RELEARNING = range(4)
_SUSPENDED = -1
_DAY_LEARNING = 3
#: Of `revlog.type`: learnt, reviewed, learnt again, practised, and set by hand.
_LEARN, _REVIEWED, _RELEARN, _PRACTISED, _MANUAL = range(5)
_LONGEST = 2**31 - 1


def _standing(past: ItemHistory, position: int, config: Config, now: datetime) -> tuple[Any, ...]:
    """Where an item stands: type, queue, due, ivl, factor, reps, lapses, left, data.

    A day as `due` is an ordinal.  `position`: its place among new cards; `config`: its course's.
    """
    match state := past.state:
        case New():
            return _NEW, _SUSPENDED if past.suspended else _NEW, position, 0, 0, 0, 0, 0, "{}"
        case Review():
            kind = queue = _REVIEW
            due, interval, left = state.due_day.toordinal(), state.interval, 0
        case Learning(relearning=relearning):
            kind, steps = _LEARNING, config.learning_steps
            if relearning:
                kind, steps = _RELEARNING, config.relearning_steps
            left = max(len(steps) - state.step, 1) * 1001
            queue, due = _LEARNING, int(state.due.timestamp())
            day = study_day(state.due.astimezone(now.tzinfo), config.rollover)
            if day > state.day:
                queue, due = _DAY_LEARNING, day.toordinal()
            # Of what is learnt again, the days that come behind its steps.
            interval = max(round(state.memory.stability), 1) if relearning else 0
    queue = _SUSPENDED if past.suspended else queue
    # For whom turns FSRS off: D 5 is the usual 250 %, D 10 the least, 130 %.
    ease = round(max(1.3, 2.5 + 0.24 * (5 - state.memory.difficulty)) * 1000)
    data = {  # FSRS' memory, in the words and digits that Anki keeps it in
        "s": round(state.memory.stability, 4),
        "d": round(state.memory.difficulty, 3),
        "dr": round(config.desired_retention, 2),
        "decay": round(config.parameters[-1], 3),
        "lrt": int(state.reviewed.timestamp()),
    }
    counts = (ease, state.repetitions, state.lapses, left)
    return kind, queue, due, interval, *counts, json.dumps(data)


def _log(past: ItemHistory) -> Iterator[tuple[int, ...]]:
    """What was done with an item, each at another millisecond: id (when), ease, ivl, lastIvl,
    factor, time, type."""
    at: int | None = None
    for done in past.done:
        answered = round(done.event.at.timestamp() * 1000)
        at = answered if at is None else max(answered, at + 1)
        before, after = _interval(done.before), _interval(done.after)
        match done.event.what, done.before:
            case Reviewed(rating=rating, milliseconds=taken), state:
                kind = _LEARN
                if isinstance(state, Review):
                    kind = _REVIEWED
                elif isinstance(state, Learning) and state.relearning:
                    kind = _RELEARN
                factor = 0
                if not isinstance(done.after, New):  # difficulty as Anki's log has it under FSRS
                    factor = round(((done.after.memory.difficulty - 1) / 9 + 0.1) * 1000)
                yield at, int(rating), after, before, factor, min(taken, _LONGEST), kind
            case Practised(rating=rating, milliseconds=taken), _:
                yield at, int(rating), before, before, 0, min(taken, _LONGEST), _PRACTISED
            case Reset(), _:
                yield at, 0, 0, before, 0, 0, _MANUAL


def _interval(state: ItemState) -> int:
    """Days, or seconds below 0 for a step."""
    match state:
        case Review():
            return state.interval
        case Learning():
            return -max(min(round((state.due - state.reviewed).total_seconds()), _LONGEST), 1)
    return 0


# The one row of the table `col`: settings, decks and their options, types of notes.

_VERSION = 11
_DEFAULT = 1
#: Ids are times in milliseconds there; ours are from the year 2025 on.
_IDS = 1763000000000
_TAKEN = 10**9


def _stable_id(name: str) -> int:
    """The same number for the same name, always."""
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return _IDS + 1000 + int.from_bytes(digest) % _TAKEN


def deck_name(path: Iterable[str]) -> str:
    """The name of a deck with those above it: `::` parts them, so no name may hold it."""
    parts = []
    for name in path:
        plain = "".join(char if char.isprintable() else " " for char in name.replace('"', "'"))
        parts.append(plain.replace("::", "-").strip(" :") or "deck")
    return "::".join(parts)


def _col_row(
    config: Config, now: datetime, first: date, courses: dict[str, str], positions: int
) -> tuple[Any, ...]:
    """`first`: the study day from which days are counted; `courses`: of each deck; `positions`:
    how many new cards there are."""
    stamp = int(now.timestamp() * 1000)
    named: dict[str, str] = {}
    for name, course in courses.items():
        parts = name.split("::")
        for depth in range(1, len(parts) + 1):
            named.setdefault("::".join(parts[:depth]), course)
    # The options of all courses have an id of their own, and so has each that differs.
    options = {
        course: _stable_id(f"options {course}")
        for course in ("", *sorted(set(named.values())))
        if not course or config.of_course(course) is not config
    }
    decks = [_deck(_DEFAULT, "Default", _DEFAULT, stamp)]
    for name, course in named.items():
        own = options.get(course, options[""])
        decks.append(_deck(_stable_id(f"deck {name}"), name, own, stamp))
    settings = [_options(_DEFAULT, "Default", Config(), stamp)]
    for course, number in options.items():
        name = f"deltadeck: {course}" if course else "deltadeck"
        settings.append(_options(number, name, config.of_course(course), stamp))
    texts = [json.dumps(_conf(config, now, positions))]
    for rows in (_notetypes(_DEFAULT), decks, settings):
        texts.append(json.dumps({str(row["id"]): row for row in rows}))
    made = int(day_start(first, config.rollover, now).timestamp())
    return (1, made, stamp, stamp, _VERSION, 0, 0, 0, *texts, "{}")


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
    named = {"id": number, "name": name, "conf": options, "mod": stamp // 1000}
    return {**named, "usn": -1, "desc": "", "dyn": 0, **nothing, **rest}


def _options(number: int, name: str, config: Config, stamp: int) -> dict[str, Any]:
    """The options of decks: limits, steps and the model's parameters, for whom asks for them."""
    steps = config.learning_steps, config.relearning_steps
    minutes = [[step.total_seconds() / 60 for step in each] for each in steps]
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


_MADE = 1763000000
#: Anki's own preamble, for whoever writes `[latex]` into such a note.
_PRE = (
    "\\documentclass[12pt]{article}\n\\special{papersize=3in,5in}\n\\usepackage{amssymb,amsmath}\n"
    "\\pagestyle{empty}\n\\setlength{\\parindent}{0in}\n\\begin{document}\n"
)
_POST = "\\end{document}"
_CSS = """\
.card { font-family: Georgia, serif; font-size: 20px; text-align: left; max-width: 46rem;
  margin: 0 auto; padding: 0 1rem; }
.options { list-style: none; padding-left: 0.5em; }
.options p { display: inline; margin: 0; }
.missing { font-style: italic; opacity: 0.7; }
table { border-collapse: collapse; }
th, td { border: 1px solid; padding: 0.2em 0.5em; }
pre { white-space: pre-wrap; }
img { max-width: 100%; }
.cloze { font-weight: bold; color: #06c; }
.nightMode .cloze { color: #6bf; }
"""
_REST = "{{FrontSide}}\n\n<hr id=answer>\n\n"


def _notetypes(deck: int) -> list[dict[str, Any]]:
    """The column `models`; `deck`: where a new note goes."""
    there = ("Card 1", "{{Front}}", f"{_REST}{{{{Back}}}}")
    back = ("Card 2", "{{Back}}", f"{_REST}{{{{Front}}}}")
    shown = ("Cloze", "{{cloze:Text}}", "{{cloze:Text}}<br>\n{{Back Extra}}")
    look = {"font": "Arial", "size": 20, "rtl": False, "sticky": False, "media": []}
    rest = {"bqfmt": "", "bafmt": "", "did": None, "bfont": "", "bsize": 0}
    return [
        {
            "id": number,
            "name": name,
            "type": int(number == CLOZE),
            "mod": _MADE,
            "usn": -1,
            "sortf": 0,
            "did": deck,
            "flds": [{"name": each, "ord": at, **look} for at, each in enumerate(fields)],
            "tmpls": [
                {"name": each, "ord": at, "qfmt": question, "afmt": answer, **rest}
                for at, (each, question, answer) in enumerate(templates)
            ],
            "css": _CSS,
            "latexPre": _PRE,
            "latexPost": _POST,
            "latexsvg": False,
            "req": [[index, "any", [index]] for index in range(len(templates))],
            "tags": [],
            "vers": [],
        }
        for number, name, fields, templates in (
            (BASIC, "deltadeck", ("Front", "Back"), [there]),
            (REVERSED, "deltadeck reversed", ("Front", "Back"), [there, back]),
            (CLOZE, "deltadeck cloze", ("Text", "Back Extra"), [shown]),
        )
    ]


# The tables.

_TABLES = """
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
_INDEXES = """
CREATE INDEX ix_notes_usn ON notes (usn);
CREATE INDEX ix_cards_usn ON cards (usn);
CREATE INDEX ix_revlog_usn ON revlog (usn);
CREATE INDEX ix_cards_nid ON cards (nid);
CREATE INDEX ix_cards_sched ON cards (did, queue, due);
CREATE INDEX ix_revlog_cid ON revlog (cid);
CREATE INDEX ix_notes_csum ON notes (csum);
"""
