"""What a queue needs to look at, out of everything: the rest could not change its outcome.

All steps; of the reviews that are due, as many as the limits could ask for, and the next one that
will be; of new items, as many as the limits could ask for.  Law: the queue of these is the queue
of all.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from typing import Any, NamedTuple

from deck.config import Config, model_of
from deck.decks import Available, is_inside
from deck.events import LimitsRaised
from deck.index.codec import STATE, plain_text, read_state
from deck.queue import Candidate, TodaysAnswer
from deck.replay import Learning, New, Review

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


# Of what a queue would sort and then cut, the beginning: found by the numbers that it sorts by.
#
# A head is never too short: what is as far as the last one that may be asked (recall that is equal
# but for rounding, the same due day) is in it.  Decks form groups, of which each has a head.

_DUE = """
SELECT s.item, i.deck, i.several, {key} FROM state s JOIN item i ON i.item = s.item
LEFT JOIN held h ON h.item = s.item
WHERE s.learning = 0 AND s.due <= :day AND NOT i.aside AND (h.buried IS NULL OR h.buried <= :day)
"""
#: What the orders sort by, in their sense; what they leave open is in the head.
_KEYS = {
    "retrievability": "-(max(:day - s.day, 0) / s.stability)",
    "due": "s.due",
    "difficulty": "-s.difficulty",
    "interval": "s.interval",
}
#: Shares of a key inside which recall might be the same number.
_CLOSE = 1e-6
_FRESH = """
SELECT i.difficulty, i.key, i.place, i.card, i.item FROM item i
LEFT JOIN held h ON h.item = i.item
WHERE i.fresh AND i.deck = :deck AND (h.buried IS NULL OR h.buried <= :day) ORDER BY {order}
"""
_EASY_FIRST = _FRESH.format(order="i.difficulty, i.key, i.place")
_BY_PATH = _FRESH.format(order="i.key, i.place")

Groups = Mapping[int, Hashable]
"""Deck to group."""


class _Fresh(NamedTuple):
    difficulty: int
    key: bytes
    place: int
    card: int
    item: int


def _due_items(
    db: sqlite3.Connection, groups: Groups, day: int, config: Config, most: int
) -> list[int]:
    """Items whose review is due: of each group the first `most`, by the order of the settings, and
    every one whose card has others, as their siblings' day hangs on it."""
    key = "0" if _needs_all(config) else _KEYS[config.review_order]
    keys: dict[Hashable, list[tuple[float, int]]] = {}
    found = []
    for item, deck, several, place in db.execute(_DUE.format(key=key), {"day": day}):
        if deck not in groups:
            continue
        if several:
            found.append(item)
        else:
            keys.setdefault(groups[deck], []).append((place, item))
    for head in keys.values():
        head.sort()
        last = head[most - 1][0] if len(head) >= most > 0 else float("inf")
        bound = last + abs(last) * _CLOSE if last < float("inf") else last
        found += [item for place, item in head if place <= bound]
    return found


def _needs_all(config: Config) -> bool:
    """Whether the whole list decides where one stands in it, or its order is in no column."""
    order = config.review_order
    by_recall = order == "retrievability" and model_of(config).spent(0.5) is None
    return config.interleave or by_recall or order not in _KEYS


def _new_items(
    db: sqlite3.Connection, groups: Groups, day: int, config: Config, most: int
) -> list[int]:
    """New items: of each group those of the first `most` cards by the order of the settings, and
    the first of all in the order of the files, which tells when the group has its turn."""
    first: dict[Hashable, list[_Fresh]] = {}
    easy: dict[Hashable, list[_Fresh]] = {}
    for deck, group in groups.items():
        given = {"deck": deck, "day": day}
        by_path = map(_Fresh._make, db.execute(_BY_PATH, given))
        if config.new_order == "easy":
            first.setdefault(group, []).extend(_cards(by_path, 1))
            by_path = map(_Fresh._make, db.execute(_EASY_FIRST, given))
        easy.setdefault(group, []).extend(
            by_path if config.new_order == "random" else _cards(by_path, most)
        )
    if config.new_order == "random":
        return [row.item for rows in easy.values() for row in rows]
    begins = [min(rows, key=lambda row: row[1:3]) for rows in first.values() if rows]
    order = slice(0, 3) if config.new_order == "easy" else slice(1, 3)
    heads = [_cards(sorted(rows, key=lambda row: row[order]), most) for rows in easy.values()]
    return [row.item for rows in (begins, *heads) for row in rows]


def _cards(rows: Iterable[_Fresh], most: int) -> Iterator[_Fresh]:
    """The rows of the first `most` cards."""
    cards: set[int] = set()
    for row in rows:
        cards.add(row.card)
        if len(cards) > most:
            return
        yield row


_CANDIDATE = f"""
SELECT i.key, i.place, i.deck, i.card, i.several, t.id, c.id, c.difficulty, c.points, {STATE}
"""
_STUDIED = f"""
{_CANDIDATE} FROM state s JOIN item i ON i.item = s.item JOIN thing t ON t.item = i.item
JOIN card c ON c.card = i.card LEFT JOIN held h ON h.item = i.item
WHERE NOT i.aside AND (h.buried IS NULL OR h.buried <= :day)
"""
_STEPS = f"{_STUDIED} AND s.learning = 1"
_COMING = f"{_STUDIED} AND s.learning = 0 AND s.due > :day ORDER BY s.due"
_ITEMS = f"""
{_CANDIDATE} FROM item i JOIN thing t ON t.item = i.item JOIN card c ON c.card = i.card
LEFT JOIN state s ON s.item = i.item WHERE i.item IN (SELECT value FROM json_each(?))
"""
_ALL = f"""
{_CANDIDATE} FROM item i JOIN thing t ON t.item = i.item JOIN card c ON c.card = i.card
LEFT JOIN held h ON h.item = i.item LEFT JOIN state s ON s.item = i.item
WHERE NOT i.aside AND (h.buried IS NULL OR h.buried <= ?) {{}} ORDER BY i.key, i.place
"""
_CHOSEN = "AND i.item IN (SELECT value FROM json_each(?))"


@dataclass(frozen=True, slots=True)
class Selected:
    """A candidate, and the number of its deck."""

    deck: int
    candidate: Candidate


def select(
    db: sqlite3.Connection,
    found: list[Deck],
    day: date,
    config: Config,
    today: Iterable[TodaysAnswer] = (),
    raised: Iterable[LimitsRaised] = (),
) -> list[Selected]:
    """Of the decks `found`, what a queue of the study day needs, in the order of the files."""
    courses = {deck.number: deck.course for deck in found}
    limited = {name for name, own in config.courses.items() if own.reviews_per_day is not None}
    shared: Groups = {d.number: d.course if d.course in limited else None for d in found}
    at, more = {"day": day.toordinal()}, list(raised)
    most = max(config.reviews_per_day, 0) + sum(max(each.reviews, 0) for each in more)
    rows = [row for row in db.execute(_STEPS, at) if row[2] in courses]
    rows += _rows(db, _due_items(db, shared, day.toordinal(), config, most + 1))
    coming = (row for row in db.execute(_COMING, at) if row[2] in courses)
    rows += islice(coming, 1)
    busy = {row[3] for row in rows if row[4]} | {each.card_id for each in today}
    most = max(config.new_per_day, 0) + sum(max(each.new, 0) for each in more) + len(busy)
    rows += _rows(db, _new_items(db, courses, day.toordinal(), config, most + 1))
    unique = {(row[0], row[1]): row for row in rows}
    return [_selected(unique[place], courses) for place in sorted(unique)]


def everything(
    db: sqlite3.Connection, found: list[Deck], day: date, items: list[int] | None = None
) -> list[Selected]:
    """Every item of these decks (and of `items`) that is neither suspended nor buried, in the order
    of the files."""
    courses = {deck.number: deck.course for deck in found}
    chosen = () if items is None else (json.dumps(items),)
    rows = db.execute(_ALL.format(_CHOSEN if chosen else ""), (day.toordinal(), *chosen))
    return [_selected(row, courses) for row in rows if row[2] in courses]


def _rows(db: sqlite3.Connection, items: list[int]) -> list[tuple[Any, ...]]:
    return db.execute(_ITEMS, (json.dumps(items),)).fetchall()


def _selected(row: tuple[Any, ...], courses: dict[int, str]) -> Selected:
    _, _, deck, _, _, item, card, difficulty, points, *state = row
    stands = New() if state[0] is None else read_state(tuple(state))
    found = Candidate(plain_text(item), card, courses[deck], difficulty, points, stands)
    return Selected(deck, found)


# What could be asked today, counted: of a card's items one, learning steps apart, and of a card
# whose day an answer or a step has, the item that has it.

_DUE_TODAY = """
FROM state s WHERE s.learning = 0 AND s.due <= :day AND s.there = 2
    AND s.item NOT IN (SELECT item FROM held WHERE buried > :day)
"""
_COUNT_DUE = f"""
SELECT s.deck, count(*) - :bury * (count(s.sibling) - count(DISTINCT s.sibling)) {_DUE_TODAY}
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
            AND i.card IN (SELECT s.sibling {_DUE_TODAY} AND s.sibling IS NOT NULL))
    LIMIT :most_new))
FROM deck
"""
_OF_CARDS = "AND c.id IN (SELECT value FROM json_each(?))"
_ITEMS_OF = f"SELECT i.item FROM item i JOIN card c ON c.card = i.card {_OF_CARDS}"


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
    decks = {deck.number: deck for deck in all_decks(db)}
    courses = {number: deck.course for number, deck in decks.items()}
    at: dict[str, Any] = {"day": day.toordinal(), "most_new": most_new, "apart": "[]"}
    at["bury"] = config.bury_siblings
    counts: dict[str, Counter[int]] = {kind: Counter() for kind in ("new", "learning", "review")}
    asked: dict[str, set[str]] = {}
    for step in (_selected(row, courses) for row in db.execute(_STEPS, at)):
        state = step.candidate.state
        if isinstance(state, Learning) and state.due < ends:
            counts["learning"][step.deck] += 1
            asked.setdefault(step.candidate.card_id, set()).add(step.candidate.item_id)
    for each in today:
        asked.setdefault(each.card_id, set()).add(each.item_id)
    if config.bury_siblings and asked:
        cards = json.dumps(list(asked))
        at["apart"] = json.dumps([row[0] for row in db.execute(_ITEMS_OF, (cards,))])
        for row in db.execute(_ALL.format(_OF_CARDS), (at["day"], cards)):
            deck, one = (found := _selected(row, courses)).deck, found.candidate
            is_due = isinstance(one.state, Review) and one.state.due_day <= day
            if one.item_id in asked[one.card_id] and (is_due or isinstance(one.state, New)):
                counts["review" if is_due else "new"][deck] += 1
    for kind, sql in (("review", _COUNT_DUE), ("new", _COUNT_NEW)):
        counts[kind].update(dict(db.execute(sql, at)))
    new, learning, due = counts.values()
    sizes = db.execute("SELECT deck, count(*) FROM item GROUP BY deck")
    return [
        Available(decks[deck].path, decks[deck].course, new[deck], learning[deck], due[deck], total)
        for deck, total in sizes
    ]
