"""The tree of decks: courses, with the folders that hold their cards below them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from cards.model import Card
from cards.text import printable_line
from deck.config import Config
from deck.events import LimitsRaised
from deck.queue import Candidate, TodaysAnswer, build_queue

SEPARATOR = " › "
#: Signs that some system forbids in a name, or that mean something in a link of Markdown.
FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*#%\[\]^]')
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\..*)?", re.IGNORECASE)
#: Bytes of a name; most systems take 255, and a suffix may follow.
_LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class TodayCount:
    """What was done on this study day."""

    reviewed: int
    """Answers that were not undone."""
    minutes: float


@dataclass(frozen=True, slots=True)
class DeckCount:
    """A row of the tree; the counts are those of `Collection.queue(now, deck=key)`."""

    name: str
    key: str
    """Names the deck in `Collection.queue`: the names from the course down, with " › " between."""
    depth: int
    """0 for a course."""
    new: int
    learning: int
    due: int
    total: int
    """All items, suspended ones included."""


def deck_path(card: Card, root: Path) -> tuple[str, ...]:
    """The names from the course down to the card's folder: `deck_names` of the card."""
    folders = card.path.relative_to(root).parts[:-1] if card.path else ()
    return deck_names(card.course, folders, root)


@lru_cache(4096)
def folder_name(name: str) -> str:
    """A deck's name as a folder's: never hidden, never a way up, never a device of Windows."""
    safe = FORBIDDEN.sub("_", unicodedata.normalize("NFC", printable_line(name)))
    return fitting_name(safe.strip(" ."), "_")


def fitting_name(name: str, otherwise: str) -> str:
    """The name cut to the bytes that it may have, and no device's; `otherwise` for an empty one."""
    data = name.encode("utf-8", "replace")[:_LONGEST_NAME]
    name = data.decode("utf-8", "ignore").rstrip(" .") or otherwise
    return f"_{name}" if _DEVICES.fullmatch(name) else name


def deck_names(course: str, folders: tuple[str, ...], root: Path) -> tuple[str, ...]:
    """The names from the course down through the folders that hold a card.

    A first folder named like the course, or as an import would name it, is the course; without a
    course the folders alone count, and the collection's own name where there are none.
    """
    if not course:
        return folders or (root.resolve().name or "Cards",)
    first = folders[0].casefold() if folders else ""
    if first and (first == course.casefold() or first == folder_name(course).casefold()):
        folders = folders[1:]
    return (course, *folders)


def is_inside(path: tuple[str, ...], key: str) -> bool:
    """Whether a card's `deck_path` lies in the deck `key`, or in one below it."""
    return any(SEPARATOR.join(path[:depth]) == key for depth in range(1, len(path) + 1))


def count_decks(
    studied: Sequence[tuple[tuple[str, ...], Candidate]],
    totals: Sequence[tuple[tuple[str, ...], int]],
    today: Iterable[TodaysAnswer],
    now: datetime,
    config: Config,
    raised: Sequence[LimitsRaised] = (),
) -> list[DeckCount]:
    """The tree, parents before their children.

    `studied` are the items that a queue may ask, `totals` how many items there are, both with the
    `deck_names` of their place.
    """
    answers = list(today)
    inside: dict[tuple[str, ...], list[Candidate]] = {}
    sizes: dict[tuple[str, ...], int] = {}
    for path, count in totals:
        for prefix in _prefixes(path):
            sizes[prefix] = sizes.get(prefix, 0) + count
            inside[prefix] = []
    for path, candidate in studied:
        for prefix in _prefixes(path):
            inside[prefix].append(candidate)
    decks = []
    for prefix in sorted(sizes, key=lambda names: ([n.casefold() for n in names], names)):
        counts = build_queue(inside[prefix], answers, now, config, raised).counts
        total = sizes[prefix]
        key, depth = SEPARATOR.join(prefix), len(prefix) - 1
        decks.append(
            DeckCount(prefix[-1], key, depth, counts.new, counts.learning, counts.due, total)
        )
    return decks


def _prefixes(path: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The decks that a deck lies in, itself included."""
    return [path[:depth] for depth in range(1, len(path) + 1)]
