"""The tree of decks: courses, with the folders that hold their cards below them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from cards.model import Card
from deck.config import Config
from deck.event import Raised
from deck.limits import Done
from deck.queue import Candidate, build_queue

SEPARATOR = " › "


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
    """The names from the course down to the card's folder.

    A first folder named like the course is the course; without a course the folders alone count,
    and the collection's own name where there are none.
    """
    folders = card.path.relative_to(root).parts[:-1] if card.path else ()
    if not card.course:
        return folders or (root.resolve().name or "Cards",)
    if folders and folders[0].casefold() == card.course.casefold():
        folders = folders[1:]
    return (card.course, *folders)


def is_inside(path: tuple[str, ...], key: str) -> bool:
    """Whether a card's `deck_path` lies in the deck `key`, or in one below it."""
    return any(SEPARATOR.join(path[:depth]) == key for depth in range(1, len(path) + 1))


def count_decks(
    everything: Sequence[tuple[tuple[str, ...], Candidate, bool]],
    today: Iterable[Done],
    now: datetime,
    config: Config,
    raised: Sequence[Raised] = (),
) -> list[DeckCount]:
    """The tree, parents before their children.

    `everything` are the items with their `deck_path` and whether they are suspended.
    """
    answers = list(today)
    prefixes = {path[:depth] for path, _, _ in everything for depth in range(1, len(path) + 1)}
    decks = []
    for prefix in sorted(prefixes, key=lambda names: ([n.casefold() for n in names], names)):
        inside = [entry for entry in everything if entry[0][: len(prefix)] == prefix]
        studied = [candidate for _, candidate, suspended in inside if not suspended]
        counts = build_queue(studied, answers, now, config, raised).counts
        key, depth = SEPARATOR.join(prefix), len(prefix) - 1
        decks.append(
            DeckCount(prefix[-1], key, depth, counts.new, counts.learning, counts.due, len(inside))
        )
    return decks
