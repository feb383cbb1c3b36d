"""What a queue needs to look at, out of everything: the rest could not change its outcome.

All steps; of the reviews that are due, as many as the limits could ask for, and the next one that
will be; of new items, as many as the limits could ask for.  Law: the queue of these is the queue
of all.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from heapq import merge
from itertools import islice
from operator import attrgetter
from typing import Any

from deck.config import Config, model_of
from deck.decks import Available, is_inside
from deck.events import LimitsRaised
from deck.queue import Candidate, TodaysAnswer, grouped
from deck.study_day import milliseconds

# The decks of the index: folders of cards of one course.


@dataclass(frozen=True, slots=True)
class Deck:
    """A folder of cards of one course."""

    number: int
    course: str
    path: tuple[str, ...]


def all_decks(db: sqlite3.Connection) -> list[Deck]:
    """Every deck that holds, or held, a card."""
    rows = db.execute("SELECT deck, course, path FROM deck")
    return [Deck(row[0], json.loads(row[1])[0], tuple(json.loads(row[2]))) for row in rows]


def inside(found: Iterable[Deck], key: str | None) -> list[Deck]:
    """The decks that lie in the deck `key` (None: all)."""
    return [deck for deck in found if key is None or is_inside(deck.path, key)]


# Candidates as rows.

_CANDIDATE = """
SELECT i.key, i.place, t.id, iif(i.several, (SELECT id FROM card c WHERE c.card = i.card), ''),
    i.difficulty, {points},
    CASE s.learning WHEN 0 THEN 'review' WHEN 1 THEN 'learning' ELSE 'new' END,
    s.due, s.stability, s.difficulty, s.interval, s.day, i.deck
FROM item i CROSS JOIN thing t ON t.item = i.item LEFT JOIN state s ON s.item = i.item
WHERE {of}
"""
_POINTS = "coalesce((SELECT points FROM card c WHERE c.card = i.card), 0)"
_AMONG = "i.item IN (SELECT value FROM json_each(:items))"
_ALL = "NOT i.aside AND i.item NOT IN (SELECT item FROM held WHERE buried > :day)"


def _candidates(
    db: sqlite3.Connection,
    of: str,
    given: dict[str, Any],
    decks: Iterable[Deck],
    points: bool = False,
) -> list[Candidate]:
    """The items `of` a condition, of these decks, in the order in which the index comes by them;
    with their `points` where these are asked for."""
    courses = {deck.number: deck.course for deck in decks}
    rows = db.execute(_CANDIDATE.format(of=of, points=_POINTS if points else "0"), given)
    return [Candidate._make((*row, courses[row[-1]])) for row in rows if row[-1] in courses]


def everything(
    db: sqlite3.Connection, found: list[Deck], day: date, items: list[int] | None = None
) -> list[Candidate]:
    """Every item of these decks (and of `items`) that is neither suspended nor buried."""
    of = _ALL if items is None else f"{_ALL} AND {_AMONG}"
    return _candidates(db, of, {"day": day.toordinal(), "items": json.dumps(items)}, found, True)


# Of what a queue would sort and then cut, the beginning: found by the numbers that it sorts by.
#
# A head is never too short: what is as far as the last one that may be asked (recall that is equal
# but for rounding, the same due day) is in it.  Decks form groups, of which each has a head.

_STUDIED = """
FROM state s WHERE s.there = 2 AND s.item NOT IN (SELECT item FROM held WHERE buried > :day)
"""
_STEPS = f"{_STUDIED} AND s.learning = 1"
_DUE = f"{_STUDIED} AND s.learning = 0 AND s.due <= :day"
_OF_DECKS = "AND s.deck IN (SELECT value FROM json_each(:decks))"
_COMING = f"""
SELECT s.item {_STUDIED} AND s.learning = 0 AND s.due > :day {_OF_DECKS} ORDER BY s.due LIMIT 1
"""
_LAST = f"""
SELECT {{key}} AS place {_DUE} AND s.sibling IS NULL {_OF_DECKS} ORDER BY place LIMIT 1 OFFSET :most
"""
_HEAD = f"SELECT s.item {_DUE} {_OF_DECKS} AND (s.sibling IS NOT NULL OR {{key}} <= :bound)"
#: What the orders sort by, in their sense; what they leave open is in the head.
_KEYS = {
    "retrievability": "-(max(:day - s.day, 0) / s.stability)",
    "due": "s.due",
    "difficulty": "-s.difficulty",
    "interval": "s.interval",
}
#: Shares of a key inside which recall might be the same number.
_CLOSE = 1e-6
#: Deck by deck, in the order of an index, no further than is asked.
_FRESH = """
SELECT {0}i.key, i.place, i.card, i.item FROM item i INDEXED BY {1}
LEFT JOIN held h ON h.item = i.item WHERE i.fresh AND i.deck = :deck
    AND (h.buried IS NULL OR h.buried <= :day)
ORDER BY {0}i.key, i.place
"""
_EASY, _BY_PATH = (
    _FRESH.format(*by) for by in (("i.difficulty, ", "item_fresh"), ("", "item_first"))
)


def select(
    db: sqlite3.Connection,
    found: list[Deck],
    day: date,
    config: Config,
    today: Iterable[TodaysAnswer] = (),
    raised: Iterable[LimitsRaised] = (),
) -> list[Candidate]:
    """Of the decks `found`, what a queue of the study day needs."""
    at, points = {"day": day.toordinal()}, config.review_order == "points"
    limited = {name for name, own in config.courses.items() if own.reviews_per_day is not None}
    shared = grouped(found, lambda deck: deck.course if deck.course in limited else None)
    more = list(raised)
    most = max(config.reviews_per_day, 0) + sum(max(each.reviews, 0) for each in more)
    given = {**at, "decks": json.dumps([deck.number for deck in found])}
    rows = _candidates(db, f"i.item IN (SELECT s.item {_STEPS})", given, found, points)
    rows += _candidates(db, f"i.item IN ({_COMING})", given, found, points)
    for decks in shared:
        given = {**at, "decks": json.dumps([deck.number for deck in decks])}
        rows += _due(db, decks, given, config, most, points)
    busy = {c.card for c in rows if c.card} | {each.card_id for each in today}
    most = max(config.new_per_day, 0) + sum(max(each.new, 0) for each in more) + len(busy)
    items = {
        item
        for decks in grouped(found, attrgetter("course"))
        for item in _new_items(db, decks, at, config, most + 1)
    }
    return rows + _candidates(db, _AMONG, {"items": json.dumps(list(items))}, found, points)


def _due(
    db: sqlite3.Connection, decks: list[Deck], given: dict[str, Any], config: Config, most: int,
    points: bool,
) -> list[Candidate]:  # fmt: skip
    """Of a group, the first `most` whose review is due and one more, by the order of the settings,
    and every one whose card has others, as their siblings' day hangs on it."""
    key = "0" if _needs_all(config) else _KEYS[config.review_order]
    last = db.execute(_LAST.format(key=key), {**given, "most": most}).fetchone()
    bound = last[0] + abs(last[0]) * _CLOSE if last else float("inf")
    head = f"i.item IN ({_HEAD.format(key=key)})"
    return _candidates(db, head, {**given, "bound": bound}, decks, points)


def _needs_all(config: Config) -> bool:
    """Whether the whole list decides where one stands in it, or its order is in no column."""
    order = config.review_order
    by_recall = order == "retrievability" and model_of(config).spent(0.5) is None
    return config.interleave or by_recall or order not in _KEYS


def _new_items(
    db: sqlite3.Connection, decks: list[Deck], at: dict[str, int], config: Config, most: int
) -> Iterator[int]:
    """New items of a group: those of the first `most` cards by the order of the settings, and the
    first of all in the order of the files, which tells when the group has its turn."""

    def fresh(sql: str) -> Iterator[tuple[Any, ...]]:
        return merge(*(db.execute(sql, {**at, "deck": deck.number}) for deck in decks))

    cards: set[int] = set()
    if config.new_order == "easy":
        yield from (row[-1] for row in islice(fresh(_BY_PATH), 1))
    for row in fresh(_EASY if config.new_order == "easy" else _BY_PATH):
        cards.add(row[-2])
        if len(cards) > most and config.new_order != "random":
            return
        yield row[-1]


# What could be asked today, counted: of a card's items one, learning steps apart, and of a card
# whose day an answer or a step has, the item that has it.

_COUNT_DUE = f"""
SELECT s.deck, count(*) - :bury * (count(s.sibling) - count(DISTINCT s.sibling)) {_DUE}
    AND s.item NOT IN (SELECT value FROM json_each(:apart)) GROUP BY s.deck
"""
#: A card's day goes to its review, if one is due.
_COUNT_NEW = f"""
SELECT deck, (SELECT count(*) FROM (
    SELECT DISTINCT iif(:bury AND i.several, -i.card, i.item) FROM item i INDEXED BY item_first
    WHERE i.fresh AND i.deck = deck.deck
        AND i.item NOT IN (SELECT item FROM held WHERE buried > :day)
        AND i.item NOT IN (SELECT value FROM json_each(:apart))
        AND NOT (:bury AND i.several
            AND i.card IN (SELECT s.sibling {_DUE} AND s.sibling IS NOT NULL))
    LIMIT :most_new))
FROM deck
"""
_COUNT_STEPS = f"SELECT s.deck, count(*) {_STEPS} AND s.due < :ends GROUP BY s.deck"
_STEPS_WITH_SIBLINGS = f"""
SELECT t.id, c.id FROM thing t JOIN (
    SELECT s.item, s.sibling {_STEPS} AND s.due < :ends AND s.sibling IS NOT NULL) s USING (item)
JOIN card c ON c.card = s.sibling
"""
_WITH_SIBLINGS = """
SELECT i.item FROM item i JOIN card c ON c.card = i.card
WHERE i.several AND c.id IN (SELECT value FROM json_each(?))
"""


def available(
    db: sqlite3.Connection,
    day: date,
    ends: datetime,
    config: Config,
    today: Iterable[TodaysAnswer],
    most_new: int,
) -> list[Available]:
    """What each folder holds that could be asked on the study day, which ends at `ends`; of new
    items no more than `most_new` are counted."""
    found = all_decks(db)
    at: dict[str, Any] = {"day": day.toordinal(), "most_new": most_new, "apart": "[]"}
    at |= {"bury": config.bury_siblings, "ends": milliseconds(ends)}
    counts: dict[str, Counter[int]] = {kind: Counter() for kind in ("new", "review")}
    if config.bury_siblings:
        asked = [(each.item_id, each.card_id) for each in today]
        asked += db.execute(_STEPS_WITH_SIBLINGS, at)
        items, cards = {item for item, _ in asked}, json.dumps(list({card for _, card in asked}))
        at["apart"] = json.dumps([row[0] for row in db.execute(_WITH_SIBLINGS, (cards,))])
        apart = f"{_ALL} AND i.item IN (SELECT value FROM json_each(:apart))"
        for one in _candidates(db, apart, at, found):
            is_due = one.kind == "review" and one.due <= at["day"]
            if one.item_id in items and (is_due or one.kind == "new"):
                counts[one.kind][one.deck] += 1
    for kind, sql in (("review", _COUNT_DUE), ("new", _COUNT_NEW)):
        counts[kind].update(dict(db.execute(sql, at)))
    new, due = counts.values()
    learning = Counter(dict(db.execute(_COUNT_STEPS, at)))
    sizes = db.execute("SELECT deck, count(*) FROM item GROUP BY deck")
    decks = {deck.number: deck for deck in found}
    return [
        Available(decks[deck].path, decks[deck].course, new[deck], learning[deck], due[deck], total)
        for deck, total in sizes
    ]
