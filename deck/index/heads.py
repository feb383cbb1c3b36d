"""Of what a queue would sort and then cut, the beginning: found by the numbers that it sorts by.

A head is never too short: what is as far as the last one that may be asked (recall that is equal
but for rounding, the same due day) is in it.  Decks form groups, of which each has a head.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import NamedTuple

from deck.config import Config, model_of

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


def due_items(
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


def new_items(
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
