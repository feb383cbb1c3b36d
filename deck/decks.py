"""The tree of decks: courses, with the folders that hold their cards below them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from cards.model import Card
from cards.text import printable_line
from deck.queue import Room

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
    held: bool
    """`Queue.held`: whether the limits of today hold something back."""


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


@dataclass(frozen=True, slots=True)
class Available:
    """How many items of a folder of one course could be asked today, were there no limits."""

    path: tuple[str, ...]
    """Its `deck_names`."""
    course: str
    new: int
    learning: int
    due: int
    total: int


def count_decks(folders: Iterable[Available], new: Room, reviews: Room) -> list[DeckCount]:
    """The tree, parents before their children."""
    inside: dict[tuple[str, ...], list[Available]] = {}
    for folder in folders:
        for depth in range(1, len(folder.path) + 1):
            inside.setdefault(folder.path[:depth], []).append(folder)
    decks = []
    for prefix in sorted(inside, key=lambda names: ([n.casefold() for n in names], names)):
        unseen, due, learning, total = Counter[str](), Counter[str](), 0, 0
        for folder in inside[prefix]:
            unseen[folder.course] += folder.new
            due[folder.course] += folder.due
            learning += folder.learning
            total += folder.total
        key, depth = SEPARATOR.join(prefix), len(prefix) - 1
        taken = new.fits(unseen), reviews.fits(due)
        held = sum(taken) < unseen.total() + due.total()
        counts = taken[0], learning, taken[1], total, held
        decks.append(DeckCount(prefix[-1], key, depth, *counts))
    return decks
