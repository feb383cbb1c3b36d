"""Raising the limits of one study day, for the app and the command line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from tui.text import counted

if TYPE_CHECKING:
    from deck.collection import Collection
    from deck.config import Config

MOST = 9999


class RaiseError(ValueError):
    """What was asked cannot be; a sentence."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a study day takes by the settings."""

    course: str
    """"" where the collection's limits hold."""
    new: int
    reviews: int


def limits(config: Config, deck: str | None) -> Limits:
    """Those that hold back the cards of a deck (a `DeckCount.key`, None for all)."""
    from deck.decks import SEPARATOR

    course = deck.split(SEPARATOR)[0] if deck else ""
    own = config.courses.get(course)
    if own is None or (own.new_per_day is None and own.reviews_per_day is None):
        return Limits("", config.new_per_day, config.reviews_per_day)
    with_own = config.of_course(course)
    return Limits(course, with_own.new_per_day, with_own.reviews_per_day)


def whole(name: str, text: str) -> int:
    """A number from a form; nothing written is 0, below 0 lowers.  Raises RaiseError."""
    written = text.strip() or "0"
    if not re.fullmatch(r"[+-]?[0-9]{1,6}", written) or abs(int(written)) > MOST:
        raise RaiseError(f"{name} takes a whole number from -{MOST} to {MOST}.")
    return int(written)


def raised(collection: Collection, deck: str | None, new: int, reviews: int, now: datetime) -> str:
    """Records it; what was done, in a sentence.

    Raises:
        RaiseError: there is nothing to change.
        JournalError: the disk refuses.
    """
    from deck.events import Raised

    if not new and not reviews:
        raise RaiseError("Nothing is raised: give a number of new cards, or of reviews.")
    course = limits(collection.config, deck).course
    collection.record("", Raised(new, reviews, course), now)
    parts = [_part(new, "new card"), _part(reviews, "review")]
    where = f" of {course}" if course else ""
    return f"Today{where}: {' and '.join(filter(None, parts))}."


def _part(number: int, noun: str) -> str:
    more = "more" if number > 0 else "fewer"
    return f"{counted(abs(number), noun)} {more}" if number else ""
