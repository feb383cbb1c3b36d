"""A search as one question to the index.

Law: it finds what `tests/deck/search/definition.py` finds item by item.

Each leaf is a set of items (or of cards, or decks), so that and, or, not are SQL's own.  What the
index does not know (signs that are no words) is looked for card by card.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path

from cards.model import Card
from deck.config import Config, model_of
from deck.files import key_parts, stamp_of
from deck.fsrs import Memory
from deck.index.candidates import all_decks
from deck.index.cards import ItemSet
from deck.index.codec import plain_text
from deck.index.words import any_of, folded, glob, in_deck, is_tag, patterns, text_of, words
from deck.replay import MASTERED_STABILITY
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
from deck.study_day import milliseconds, moment, study_day


@dataclass(frozen=True, slots=True)
class SearchContext:
    """When a search is made, and by which settings."""

    now: datetime
    config: Config

    @property
    def day(self) -> date:
        return study_day(self.now, self.config.rollover)


#: The ids of the items whose cards hold a condition, found one by one.
Slow = Callable[[Callable[[Card], bool]], Iterable[str]]

#: States and numbers of a search as conditions on the table `state`.
_STATES = {
    "learning": "learning",
    "relearning": "learning AND relearning",
    "review": "NOT learning",
    "young": "NOT learning AND stability < :mature",
    "mature": "NOT learning AND stability >= :mature",
    "overdue": "NOT learning AND due < :day",
    "leech": ":leech > 0 AND lapses >= :leech",
}
_NUMBERS = {
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
#: Items that are due.
_DUE = """
SELECT item FROM (
    SELECT item FROM state WHERE learning = 1 AND due <= :now AND there = 2
    UNION ALL SELECT item FROM state WHERE learning = 0 AND due <= :day AND there = 2)
WHERE item NOT IN (SELECT item FROM held WHERE buried > :day)
"""
#: Of what was answered on one day, recall is the lower the less stable: an index has the beginning
#: (or the end) of each day's.
_BY_DAY = """
WITH RECURSIVE days(day) AS (SELECT min(day) FROM state UNION ALL
    SELECT (SELECT min(s.day) FROM state s WHERE s.day > d.day) FROM days d WHERE d.day IS NOT NULL)
SELECT s.item AS number FROM days d JOIN state s INDEXED BY state_day ON s.day = d.day
WHERE s.there AND s.stability {}
"""
#: Shares of the bound inside which recall is computed, not told by elapsed time over stability.
_CLOSE = 1e-6
_IDS = """
SELECT i.item, t.id, c.id FROM item i JOIN thing t ON t.item = i.item JOIN card c ON c.card = i.card
"""
_VOCABULARY = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, words, row)"
_COUNTED = """rating IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM event u WHERE u.target = e.id)"""


def find(
    db: sqlite3.Connection, root: Path, query: Query, at: SearchContext, slow: Slow
) -> ItemSet:
    """The items that `query` (saved searches put in) means, in no order."""
    return _Translation(db, root, at, slow).find(query)


class _Translation:
    """The SQL of a query, and the values that it names, so that none is written into its text."""

    def __init__(self, db: sqlite3.Connection, root: Path, at: SearchContext, slow: Slow) -> None:
        self._db, self._root, self._at, self._slow = db, root, at, slow
        self._model = model_of(at.config)
        self._given: dict[str, object] = {
            "day": at.day.toordinal(),
            "now": milliseconds(at.now),
            "mature": MASTERED_STABILITY,
            "leech": at.config.leech_lapses,
        }

    def find(self, query: Query) -> ItemSet:
        """The items, or the rows of the words that a search for words alone means."""
        today = self._at.day.toordinal()

        def recall(stability: float, difficulty: float, day: int) -> float:
            return self._model.recall(Memory(stability, difficulty), today - day)

        def step_day(due: int) -> int:
            then = moment(due).astimezone(self._at.now.tzinfo)
            return study_day(then, self._at.config.rollover).toordinal()

        self._db.create_function("recall", 3, recall)
        self._db.create_function("step_day", 1, step_day)
        if isinstance(query, Word | Phrase | Has) and (rows := self._word_rows(query)):
            return ItemSet("words", self._asked(f"SELECT rowid AS number {rows}"))
        sql = self._alone(query) or f"SELECT i.item AS number FROM item i WHERE {self._sql(query)}"
        return ItemSet("item", self._asked(sql))

    def _asked(self, sql: str) -> list[int]:
        # In one text: a hundred thousand rows take three times as long.
        sql = f"SELECT json_group_array(number) FROM ({sql})"
        found: list[int] = json.loads(self._db.execute(sql, self._given).fetchone()[0])
        return found

    def _one(self, value: object) -> str:
        """The name of a value."""
        name = f"v{len(self._given)}"
        self._given[name] = value
        return f":{name}"

    def _any(self, values: Iterable[object]) -> str:
        """What a column may be IN."""
        return f"(SELECT value FROM json_each({self._one(json.dumps(list(values)))}))"

    def _alone(self, query: Query) -> str | None:
        """The items of a search that is one question to `state`; None of any other."""
        match query:
            case Is(state) if state in _STATES:
                return f"SELECT item AS number FROM state WHERE there AND {_STATES[state]}"
            case Is("due"):
                return f"SELECT item AS number FROM ({_DUE})"
            case Compare("r", sign, number) if (bound := self._bound(sign, number)) is not None:
                # Wider than what `_recall_is` looks at closely.
                wide = bound * (1 + 2 * _CLOSE if sign[0] == ">" else 1 - 2 * _CLOSE)
                exact = self._recall_is(bound, sign, number, "s.")
                return _BY_DAY.format(f"{sign[0]} (:day - d.day) / {self._one(wide)} AND {exact}")
            case Compare(name, sign, number) if name in _NUMBERS and name not in _ZERO_OF_NEW:
                # What fewest have is asked first.
                told = self._number_is(name, sign, number)
                return f"SELECT item AS number FROM state WHERE {told} AND there"
        return None

    def _sql(self, query: Query) -> str:
        """A condition on the item `i`, never NULL."""
        match query:
            case Everything():
                return "1"
            case And(parts):
                return "(" + " AND ".join(map(self._sql, parts)) + ")"
            case Or(parts):
                return "(" + " OR ".join(map(self._sql, parts)) + ")"
            case Not(part):
                return f"NOT {self._sql(part)}"
            case Word(text) | Phrase(text) | Has("question" | "solution", text):
                rows = self._word_rows(query)
                if rows is None:
                    return self._by_sign(query, folded(text))
                return f"i.words IN (SELECT rowid {rows})" if rows else "0"
            case Has(name, pattern):
                return self._has(name, pattern)
            case Is(state):
                return self._is(state)
            case Compare(name, sign, number):
                return self._compare(name, sign, number)
            case Within(name, days, rating):
                return self._within(name, self._at.day - timedelta(days=days), rating)
            case Saved(name):
                raise ValueError(f"The saved search {name!r} was not put in: call expand first.")

    # Words, in the grammar of SQLite's full text.

    def _word_rows(self, query: Word | Phrase | Has) -> str | None:
        """Where the rows of a search for words come from; "" where nothing can match, None where
        the text has no letter (or is none of words), so that only the cards can tell."""
        match query:
            case Word(text):
                asked = self._all_words(text)
            case Phrase(text):
                wanted = words(text)
                asked = f'"{" ".join(wanted)}"' if wanted else None
            case Has("question" | "solution" as column, text):
                asked = self._all_words(text)
                asked = f"{column} : ({asked})" if asked else asked
            case _:
                return None
        return f"FROM words WHERE words MATCH {self._one(asked)}" if asked else asked

    def _all_words(self, text: str) -> str | None:
        """Words that begin so (or have this form), all of them."""
        parts = []
        for pattern in patterns(text):
            begin = pattern.rstrip("*")
            if "*" not in begin:
                parts.append(f'"{begin}"*')
                continue
            self._db.execute(_VOCABULARY)
            form, terms = glob(pattern), self._db.execute("SELECT term FROM vocabulary")
            known = [f'"{term}"' for (term,) in terms if form.fullmatch(term)]
            if not known:
                return ""
            parts.append(f"({' OR '.join(known)})")
        return " AND ".join(parts) or None

    def _by_sign(self, query: Query, sign: str) -> str:
        def holds(card: Card) -> bool:
            in_part = query.name if isinstance(query, Has) else ""
            return sign in folded(getattr(card, in_part) if in_part else text_of(card))

        return f"i.item IN (SELECT item FROM thing WHERE id IN {self._any(self._slow(holds))})"

    # Fields of the card.

    def _has(self, name: str, pattern: str) -> str:
        match name:
            case "deck":
                decks = [d.number for d in all_decks(self._db) if in_deck(d.path, pattern)]
                return f"i.deck IN {self._any(decks)}"
            case "course":
                decks = [d.number for d in all_decks(self._db) if any_of([d.course], pattern)]
                return f"i.deck IN {self._any(decks)}"
            case "id":
                rows = self._db.execute(_IDS)
                found = [row[0] for row in rows if any_of(map(plain_text, row[1:]), pattern)]
                return f"i.item IN {self._any(found)}"
            case "tag":
                rows = self._db.execute("SELECT DISTINCT tag FROM tag")
                tags = [tag for (tag,) in rows if is_tag(plain_text(tag), pattern)]
                tagged = f"tag IN {self._any(tag for tag in tags if isinstance(tag, str))}"
                odd = (f" OR tag = {self._one(tag)}" for tag in tags if isinstance(tag, bytes))
                return f"i.card IN (SELECT card FROM tag WHERE {tagged}{''.join(odd)})"
            case "type" | "status":
                rows = self._db.execute(f"SELECT DISTINCT {name} FROM card")
                known = self._any(row[0] for row in rows if any_of([row[0]], pattern))
                return f"i.card IN (SELECT card FROM card WHERE {name} IN {known})"
        # What must be looked at card by card, in Python.
        column = {"path": "f.key", "link": "c.related", "has": "c.gives"}[name]
        cards = []
        sql = f"SELECT c.card, {column} FROM card c JOIN file f ON f.file = c.card"
        for card, value in self._db.execute(sql):
            told = ["/".join(key_parts(value))] if name == "path" else json.loads(value)
            if pattern in told if name == "has" else any_of(told, pattern):
                cards.append(card)
        return f"i.card IN {self._any(cards)}"

    # Where the item stands.

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
        return f"i.item IN (SELECT item FROM state WHERE {_STATES[state]})"

    def _compare(self, name: str, sign: str, number: float) -> str:
        if name in ("difficulty", "points"):
            return f"i.card IN (SELECT card FROM card WHERE {name} {sign} {self._one(number)})"
        found = f"i.item IN (SELECT item FROM state WHERE {self._number_is(name, sign, number)})"
        if name in _ZERO_OF_NEW:
            return f"({found} OR ({self._is('new')} AND 0 {sign} {self._one(number)}))"
        return found

    def _number_is(self, name: str, sign: str, number: float) -> str:
        bound = self._bound(sign, number) if name == "r" else None
        if bound is not None:
            return self._recall_is(bound, sign, number, "")
        return f"{_NUMBERS[name]} {sign} {self._one(number)}"

    def _bound(self, sign: str, number: float) -> float | None:
        """The elapsed time over stability at which recall is `number`; None where that tells
        nothing about recall above or below it."""
        if sign in ("=", "!=") or not 0 < number < 1:
            return None
        return self._model.spent(number)

    def _recall_is(self, bound: float, sign: str, number: float, of: str) -> str:
        """Recall falls with elapsed time over stability: only near the bound is it computed.  Of
        columns that an index has, so that the table is not read."""
        exact = f"recall({of}stability, 0.0, {of}day) {sign} {self._one(number)}"
        low, high = self._one(bound * (1 - _CLOSE)), self._one(bound * (1 + _CLOSE))
        spent = f":day - {of}day"
        if sign[0] == "<":
            sure, maybe = f"{spent} > {high} * {of}stability", f"{spent} > {low} * {of}stability"
        else:
            sure, maybe = f"{spent} < {low} * {of}stability", f"{spent} < {high} * {of}stability"
        return f"({maybe} AND ({sure} OR {exact}))"

    # When something happened.

    def _within(self, name: str, after: date, rating: int | None) -> str:
        day = self._one(after.toordinal())
        if name in ("added", "edited"):
            return self._written(name, after, day)
        rated = f"SELECT item FROM event e WHERE day > {day} AND {_COUNTED}"
        if name == "rated":
            more = f" AND rating = {self._one(rating)}" if rating else ""
            return f"i.item IN ({rated}{more})"
        first = f"SELECT e.day FROM event e WHERE e.item = i.item AND {_COUNTED}"
        return f"(i.item IN ({rated}) AND coalesce(({first} ORDER BY e.id LIMIT 1) > {day}, 0))"

    def _written(self, name: str, after: date, day: str) -> str:
        """By the file's time where the card names no day; of a file that had only just changed when
        it was read, the index keeps none."""
        begins = datetime.combine(after + timedelta(days=1), time()).astimezone()
        bound = round(begins.timestamp() * 10**9)
        sql = "SELECT card, key FROM card JOIN file ON file = card WHERE mtime < 0"
        rows = self._db.execute(sql)
        paths = ((card, self._root.joinpath(*key_parts(key))) for card, key in rows)
        young = self._any(card for card, path in paths if stamp_of(path)[1] >= bound)
        file = f"(f.mtime >= {self._one(bound)} OR c.card IN {young})"
        told = file if name == "edited" else f"coalesce(c.added > {day}, {file})"
        return f"i.card IN (SELECT c.card FROM card c JOIN file f ON f.file = c.card WHERE {told})"
