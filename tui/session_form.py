"""What forms and options ask for: a session of one's own, and more cards today.

The app's screens and the command line read the same texts to the same requests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from deck.decks import SEPARATOR
from deck.events import LimitsRaised
from deck.queue import SessionRequest
from deck.search.query import SearchError
from tui.home_state import usual_pace
from tui.text import KNOWN_PACE, estimate, plural

if TYPE_CHECKING:
    from deck.collection import Collection
    from deck.config import Config

KINDS = (("study", "what is due"), ("ahead", "ahead of time"), ("cram", "cram"))
LONGEST_DAYS = 365
LONGEST_MINUTES = 24 * 60
MOST = 100_000
MOST_RAISED = 9999


# A session of one's own.


class FormError(ValueError):
    """Something written that cannot be; a sentence."""


def read_form(
    kind: str,
    deck: str | None,
    search: str = "",
    days: str = "",
    minutes: str = "",
    most: str = "",
    *,
    names: tuple[str, str, str] = ("Days", "Minutes", "Cards"),
) -> SessionRequest:
    """A form as it is written; `names` are what its three numbers are called where that is.

    Raises:
        FormError: a number is none, or too large.
    """
    for_days, for_minutes, for_cards = names
    return SessionRequest(
        kind="cram" if kind == "cram" else "ahead" if kind == "ahead" else "study",
        deck=deck,
        search=search.strip(),
        days=(_number(for_days, days, LONGEST_DAYS) or 1) if kind == "ahead" else 1,
        minutes=_number(for_minutes, minutes, LONGEST_MINUTES),
        most=_number(for_cards, most, MOST),
    )


def _number(name: str, text: str, most: int) -> int | None:
    """None where nothing is written."""
    written = text.strip()
    if not written:
        return None
    if not (written.isascii() and written.isdigit() and 1 <= int(written[:9]) <= most):
        raise FormError(f"{name} takes a whole number from 1 to {most}.")
    return int(written)


@dataclass(frozen=True, slots=True)
class Holds:
    """What a session would hold, or why it cannot begin."""

    items: int = 0
    minutes: int = 0
    trouble: str = ""


def holds(collection: Collection, asked: SessionRequest, now: datetime) -> Holds:
    """What `asked` would hold at `now`; a trouble where its search cannot be read."""
    try:
        if asked.is_live:
            queue = collection.queue(now, asked.deck)
        else:
            queue = collection.session(replace(asked, minutes=None), now)
    except SearchError as error:
        return Holds(trouble=f"{error.message} {error.hint}".strip())
    done, items = collection.today(now), len(queue.entries)
    usual = usual_pace(collection.lately(now)) if done.reviewed < KNOWN_PACE else None
    return Holds(items, estimate(items, done.reviewed, done.minutes, usual))


# More cards today than the settings' limits allow.


@dataclass(frozen=True, slots=True)
class Limits:
    """What a study day takes by the settings."""

    course: str
    """"" where the collection's limits hold."""
    new: int
    reviews: int


def limits(config: Config, deck: str | None) -> Limits:
    """Those that hold back the cards of a deck (a `DeckCount.key`, None for all)."""
    course = deck.split(SEPARATOR)[0] if deck else ""
    own = config.courses.get(course)
    if own is None or (own.new_per_day is None and own.reviews_per_day is None):
        return Limits("", config.new_per_day, config.reviews_per_day)
    with_own = config.of_course(course)
    return Limits(course, with_own.new_per_day, with_own.reviews_per_day)


def read_change(name: str, text: str) -> int:
    """A number from a form; nothing written is 0, below 0 lowers.  Raises FormError."""
    written = text.strip() or "0"
    if not re.fullmatch(r"[+-]?[0-9]{1,6}", written) or abs(int(written)) > MOST_RAISED:
        raise FormError(f"{name} takes a whole number from -{MOST_RAISED} to {MOST_RAISED}.")
    return int(written)


def raise_limits(
    collection: Collection, deck: str | None, new: int, reviews: int, now: datetime
) -> str:
    """Records it; what was done, in a sentence.

    Raises:
        FormError: there is nothing to change.
        JournalError: the disk refuses.
    """
    if not new and not reviews:
        raise FormError("Nothing is raised: give a number of new cards, or of reviews.")
    course = limits(collection.config, deck).course
    collection.record("", LimitsRaised(new, reviews, course), now)
    parts = (
        f"{plural(abs(number), noun)} {'more' if number > 0 else 'fewer'}"
        for number, noun in ((new, "new card"), (reviews, "review"))
        if number
    )
    where = f" of {course}" if course else ""
    return f"Today{where}: {' and '.join(parts)}."
