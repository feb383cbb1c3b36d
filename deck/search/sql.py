"""A search as one question to the index.

Law: it finds what `tests/deck/search/definition.py` finds item by item.

Each leaf is a set of items (or of cards, or decks), so that and, or, not are SQL's own.  What the
index does not know (signs that are no words) is asked of `match.in_card`, card by card.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path

from deck.config import Config, model_of
from deck.files import key_parts, stamp_of
from deck.fsrs import Memory
from deck.index.candidates import all_decks
from deck.index.cards import Chosen
from deck.index.codec import milliseconds, moment, plain_text
from deck.search.query import (
    And,
    Compare,
    Everything,
    Has,
    Is,
    Not,
    Or,
    Phrase,
    Query,
    Saved,
    Within,
    Word,
)
from deck.search.text import any_of, glob, in_deck, is_tag, patterns, words
from deck.study_day import study_day


@dataclass(frozen=True, slots=True)
class Moment:
    """When a search is made, and by which settings."""

    now: datetime
    config: Config

    @property
    def day(self) -> date:
        return study_day(self.now, self.config.rollover)


class Values:
    """The values that a statement names, so that none is written into its text."""

    def __init__(self, given: dict[str, object]) -> None:
        self.given = given

    def one(self, value: object) -> str:
        """The name of a value."""
        name = f"v{len(self.given)}"
        self.given[name] = value
        return f":{name}"

    def any(self, values: Iterable[object]) -> str:
        """What a column may be IN."""
        return f"(SELECT value FROM json_each({self.one(json.dumps(list(values)))}))"


# States and numbers of a search as conditions on the table `state`.

#: Days of stability from which a memory is mature.
_MATURE = 21.0
STATES = {
    "learning": "learning",
    "relearning": "learning AND relearning",
    "review": "NOT learning",
    "young": "NOT learning AND stability < :mature",
    "mature": "NOT learning AND stability >= :mature",
    "overdue": "NOT learning AND due < :day",
    "leech": ":leech > 0 AND lapses >= :leech",
}
#: The items.
_DUE = """
SELECT item FROM (
    SELECT item FROM state WHERE learning = 1 AND due <= :now AND there = 2
    UNION ALL SELECT item FROM state WHERE learning = 0 AND due <= :day AND there = 2)
WHERE item NOT IN (SELECT item FROM held WHERE buried > :day)
"""
NUMBERS = {
    "s": "stability",
    "d": "difficulty",
    "interval": "CASE WHEN learning THEN 0 ELSE interval END",
    "due": "CASE WHEN learning THEN step_day(due) ELSE due END - :day",
    "reps": "repetitions",
    "lapses": "lapses",
    "r": "recall(stability, difficulty, day)",
}
#: Of a new item these are 0; it has no other number.
_ZERO_OF_NEW = ("reps", "lapses")
#: Shares of the bound inside which recall is computed, not told by elapsed time over stability.
_CLOSE = 1e-6


def _given_at(at: Moment) -> dict[str, object]:
    """The values that the conditions of this file name."""
    return {
        "day": at.day.toordinal(),
        "now": milliseconds(at.now),
        "mature": _MATURE,
        "leech": at.config.leech_lapses,
    }


def _make_functions(db: sqlite3.Connection, at: Moment) -> None:
    """Those that the conditions call."""
    model, today = model_of(at.config), at.day.toordinal()

    def recall(stability: float, difficulty: float, day: int) -> float:
        return model.recall(Memory(stability, difficulty), today - day)

    def step_day(due: int) -> int:
        then = moment(due).astimezone(at.now.tzinfo)
        return study_day(then, at.config.rollover).toordinal()

    db.create_function("recall", 3, recall)
    db.create_function("step_day", 1, step_day)


_BY_DAY = """
WITH RECURSIVE days(day) AS (SELECT min(day) FROM state UNION ALL
    SELECT (SELECT min(s.day) FROM state s WHERE s.day > d.day) FROM days d WHERE d.day IS NOT NULL)
SELECT s.item AS number FROM days d JOIN state s INDEXED BY state_day ON s.day = d.day
WHERE s.there AND s.stability {}
"""


def _recall_alone(values: Values, at: Moment, sign: str, number: float) -> str | None:
    """The items of a search for recall below or above a chance; None where it is no such one.

    Of what was answered on one day, recall is the lower the less stable: an index has the beginning
    (or the end) of each day's.
    """
    bound = model_of(at.config).spent(number) if 0 < number < 1 else None
    if bound is None or sign in ("=", "<>"):
        return None
    # Wider than what `_recall_is` looks at closely.
    wide = values.one(bound * (1 + 2 * _CLOSE if sign[0] == ">" else 1 - 2 * _CLOSE))
    exact = _recall_is(values, bound, sign, number, "s.")
    return _BY_DAY.format(f"{sign[0]} (:day - d.day) / {wide} AND {exact}")


def _number_is(values: Values, at: Moment, name: str, sign: str, number: float) -> str:
    """That a number of `NUMBERS` compares so."""
    if name == "r" and sign not in ("=", "<>") and 0 < number < 1:
        bound = model_of(at.config).spent(number)
        if bound is not None:
            return _recall_is(values, bound, sign, number, "")
    return f"{NUMBERS[name]} {sign} {values.one(number)}"


def _recall_is(values: Values, bound: float, sign: str, number: float, of: str) -> str:
    """Recall falls with elapsed time over stability: only near the bound is it computed.  Of
    columns that an index has, so that the table is not read."""
    exact = f"recall({of}stability, 0.0, {of}day) {sign} {values.one(number)}"
    low, high = values.one(bound * (1 - _CLOSE)), values.one(bound * (1 + _CLOSE))
    spent = f":day - {of}day"
    if sign[0] == "<":
        sure, maybe = f"{spent} > {high} * {of}stability", f"{spent} > {low} * {of}stability"
    else:
        sure, maybe = f"{spent} < {low} * {of}stability", f"{spent} < {high} * {of}stability"
    return f"({maybe} AND ({sure} OR {exact}))"


# Words of a search in the grammar of SQLite's full text.

_VOCABULARY = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, words, row)"


def _word_query(db: sqlite3.Connection, text: str, column: str | None = None) -> str | None:
    """Words that begin so (or have this form), all of them.

    "" where none has; None where the text has no letter, so that only the cards can tell.
    """
    wanted = patterns(text)
    if not wanted:
        return None
    parts = []
    for pattern in wanted:
        begin = pattern.rstrip("*")
        if "*" not in begin:
            parts.append(f'"{begin}"*')
            continue
        known = _known(db, pattern)
        if not known:
            return ""
        parts.append("(" + " OR ".join(f'"{term}"' for term in known) + ")")
    query = " AND ".join(parts)
    return f"{column} : ({query})" if column else query


def _phrase_query(text: str) -> str | None:
    """Whole words next to each other; None where the text has no letter."""
    wanted = words(text)
    return f'"{" ".join(wanted)}"' if wanted else None


def _known(db: sqlite3.Connection, pattern: str) -> list[str]:
    """The words of all cards that have this form."""
    db.execute(_VOCABULARY)
    form = glob(pattern)
    return [term for (term,) in db.execute("SELECT term FROM vocabulary") if form.fullmatch(term)]


#: The ids of the items that a query means, found one by one.
Slow = Callable[[Query], Iterable[str]]

_IDS = """
SELECT i.item, t.id, c.id FROM item i JOIN thing t ON t.item = i.item JOIN card c ON c.card = i.card
"""
_SIGNS = {"!=": "<>"}
_COUNTED = """rating IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM event u WHERE u.target = e.id)"""


def find(db: sqlite3.Connection, root: Path, query: Query, at: Moment, slow: Slow) -> Chosen:
    """The items that `query` (saved searches put in) means, in no order."""
    made = _Translation(db, root, at, slow)
    if rows := made.words_alone(query):
        return Chosen("words", _numbers(db, f"SELECT rowid AS number {rows}", made.given))
    items = made.alone(query) or f"SELECT i.item AS number FROM item i WHERE {made.sql(query)}"
    return Chosen("item", _numbers(db, items, made.given))


def _numbers(db: sqlite3.Connection, sql: str, given: dict[str, object]) -> list[int]:
    # In one text: a hundred thousand rows take three times as long.
    row = db.execute(f"SELECT json_group_array(number) FROM ({sql})", given).fetchone()
    found: list[int] = json.loads(row[0])
    return found


class _Translation:
    """The SQL of a query, and the values that it names."""

    def __init__(self, db: sqlite3.Connection, root: Path, at: Moment, slow: Slow) -> None:
        self._db, self._root, self._at, self._slow = db, root, at, slow
        self._values = Values(_given_at(at))
        _make_functions(db, at)

    @property
    def given(self) -> dict[str, object]:
        return self._values.given

    def words_alone(self, query: Query) -> str | None:
        """Where the rows of a search for words come from; None of any other search."""
        match query:
            case Word() | Phrase() | Has("question" | "solution"):
                text = self._full_text(query)
                return f"FROM words WHERE words MATCH {self._values.one(text)}" if text else None
        return None

    def alone(self, query: Query) -> str | None:
        """The items of a search that is one question to `state`; None of any other."""
        match query:
            case Is(state) if state in STATES:
                return f"SELECT item AS number FROM state WHERE there AND {STATES[state]}"
            case Is("due"):
                return f"SELECT item AS number FROM ({_DUE})"
            case Compare("r", sign, number) if found := _recall_alone(
                self._values, self._at, _SIGNS.get(sign, sign), number
            ):
                return found
            case Compare(name, sign, number) if name in NUMBERS and name not in _ZERO_OF_NEW:
                # What fewest have is asked first.
                told = self._number(name, _SIGNS.get(sign, sign), number)
                return f"SELECT item AS number FROM state WHERE {told} AND there"
        return None

    def sql(self, query: Query) -> str:
        """A condition on the item `i`, never NULL."""
        match query:
            case Everything():
                return "1"
            case And(parts):
                return "(" + " AND ".join(map(self.sql, parts)) + ")"
            case Or(parts):
                return "(" + " OR ".join(map(self.sql, parts)) + ")"
            case Not(part):
                return f"NOT {self.sql(part)}"
            case Word() | Phrase() | Has("question" | "solution"):
                return self._text(query)
            case Has(name, pattern):
                return self._has(query, name, pattern)
            case Is(state):
                return self._is(state)
            case Compare(name, sign, number):
                return self._compare(name, _SIGNS.get(sign, sign), number)
            case Within(name, days, rating):
                return self._within(name, self._at.day - timedelta(days=days), rating)
            case Saved(name):
                raise ValueError(f"The saved search {name!r} was not put in: call expand first.")

    def _full_text(self, query: Query) -> str | None:
        """The query in the full text's own grammar; "" where nothing can match, None where only
        the cards can tell."""
        match query:
            case Word(text):
                return _word_query(self._db, text)
            case Phrase(text):
                return _phrase_query(text)
            case Has(name, pattern):
                return _word_query(self._db, pattern, name)
        return None

    def _text(self, query: Query) -> str:
        text = self._full_text(query)
        if text is None:
            return self._asked(query)
        rows = f"SELECT rowid FROM words WHERE words MATCH {self._values.one(text)}"
        return f"i.words IN ({rows})" if text else "0"

    def _asked(self, query: Query) -> str:
        ids = self._values.any(self._slow(query))
        return f"i.item IN (SELECT item FROM thing WHERE id IN {ids})"

    def _has(self, query: Query, name: str, pattern: str) -> str:
        match name:
            case "deck":
                found = [d.number for d in all_decks(self._db) if in_deck(d.path, pattern)]
                return f"i.deck IN {self._values.any(found)}"
            case "course":
                found = [d.number for d in all_decks(self._db) if any_of([d.course], pattern)]
                return f"i.deck IN {self._values.any(found)}"
            case "tag":
                rows = self._db.execute("SELECT DISTINCT tag FROM tag")
                tags = [row[0] for row in rows if is_tag(plain_text(row[0]), pattern)]
                if any(isinstance(tag, bytes) for tag in tags):
                    return self._asked(query)
                return f"i.card IN (SELECT card FROM tag WHERE tag IN {self._values.any(tags)})"
            case "type" | "status":
                rows = self._db.execute(f"SELECT DISTINCT {name} FROM card")
                values = [row[0] for row in rows if any_of([row[0]], pattern)]
                return (
                    f"i.card IN (SELECT card FROM card WHERE {name} IN {self._values.any(values)})"
                )
        return self._cards(name, pattern)

    def _cards(self, name: str, pattern: str) -> str:
        """What must be looked at card by card, in Python."""
        if name == "id":
            rows = self._db.execute(_IDS)
            found = [row[0] for row in rows if any_of(map(plain_text, row[1:]), pattern)]
            return f"i.item IN {self._values.any(found)}"
        column = {"path": "key", "link": "related", "has": "gives"}[name]
        sql = "SELECT c.card, {} FROM card c JOIN file f ON f.file = c.card".format(
            "f.key" if column == "key" else f"c.{column}"
        )
        cards = []
        for card, value in self._db.execute(sql):
            values = ["/".join(key_parts(value))] if name == "path" else json.loads(value)
            if pattern in values if name == "has" else any_of(values, pattern):
                cards.append(card)
        return f"i.card IN {self._values.any(cards)}"

    def _is(self, state: str) -> str:
        match state:
            case "new":
                return "i.item NOT IN (SELECT item FROM state)"
            case "suspended":
                return "i.aside"
            case "buried":
                return "i.item IN (SELECT item FROM held WHERE buried > :day)"
            case "due":
                return f"i.item IN ({_DUE})"
        return f"i.item IN (SELECT item FROM state WHERE {STATES[state]})"

    def _compare(self, name: str, sign: str, number: float) -> str:
        if name in ("difficulty", "points"):
            wanted = self._values.one(number)
            return f"i.card IN (SELECT card FROM card WHERE {name} {sign} {wanted})"
        found = f"i.item IN (SELECT item FROM state WHERE {self._number(name, sign, number)})"
        if name in _ZERO_OF_NEW:
            return f"({found} OR ({self._is('new')} AND 0 {sign} {self._values.one(number)}))"
        return found

    def _number(self, name: str, sign: str, number: float) -> str:
        return _number_is(self._values, self._at, name, sign, number)

    def _within(self, name: str, after: date, rating: int | None) -> str:
        day = self._values.one(after.toordinal())
        if name in ("added", "edited"):
            return self._written(name, after, day)
        rated = f"SELECT item FROM event e WHERE day > {day} AND {_COUNTED}"
        if name == "rated":
            more = f" AND rating = {self._values.one(rating)}" if rating else ""
            return f"i.item IN ({rated}{more})"
        first = f"SELECT e.day FROM event e WHERE e.item = i.item AND {_COUNTED}"
        return f"(i.item IN ({rated}) AND coalesce(({first} ORDER BY e.id LIMIT 1) > {day}, 0))"

    def _mtime(self, key: bytes) -> int:
        stamp = stamp_of(self._root.joinpath(*key_parts(key)))
        return stamp[1]

    def _written(self, name: str, after: date, day: str) -> str:
        """By the file's time where the card names no day; of a file that had only just changed when
        it was read, the index keeps none."""
        begins = datetime.combine(after + timedelta(days=1), time()).astimezone()
        bound = round(begins.timestamp() * 10**9)
        moving = "SELECT card, key FROM card JOIN file ON file = card WHERE mtime < 0"
        rows = self._db.execute(moving)
        young = [card for card, key in rows if self._mtime(key) >= bound]
        file = f"(f.mtime >= {self._values.one(bound)} OR c.card IN {self._values.any(young)})"
        told = file if name == "edited" else f"coalesce(c.added > {day}, {file})"
        return f"i.card IN (SELECT c.card FROM card c JOIN file f ON f.file = c.card WHERE {told})"
