"""From a form, or the command line, to a session; and what it would hold."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from tui.today import KNOWN_PACE, estimate

if TYPE_CHECKING:
    from deck.collection import Collection
    from deck.queue import Session as Asked

KINDS = (("study", "what is due"), ("ahead", "ahead of time"), ("cram", "cram"))
LONGEST_DAYS = 365
LONGEST_MINUTES = 24 * 60
MOST = 100_000


@dataclass(frozen=True, slots=True)
class Form:
    """A form as it is written."""

    kind: str
    search: str = ""
    days: str = ""
    minutes: str = ""
    most: str = ""


@dataclass(frozen=True, slots=True)
class Holds:
    """What a session would hold, or why it cannot begin."""

    items: int = 0
    minutes: int = 0
    trouble: str = ""


class FormError(ValueError):
    """Something written that is no session; a sentence."""


def read_form(
    form: Form, deck: str | None, names: tuple[str, str, str] = ("Days", "Minutes", "Cards")
) -> Asked:
    """`names` are what the three numbers are called where they are written.  Raises FormError."""
    from deck.queue import Session

    for_days, for_minutes, for_cards = names
    days = _whole(for_days, form.days, LONGEST_DAYS) if form.kind == "ahead" else None
    return Session(
        kind="cram" if form.kind == "cram" else "ahead" if form.kind == "ahead" else "study",
        deck=deck,
        search=form.search.strip(),
        days=days or 1,
        minutes=_whole(for_minutes, form.minutes, LONGEST_MINUTES),
        most=_whole(for_cards, form.most, MOST),
    )


def _whole(name: str, text: str, most: int) -> int | None:
    """None where nothing is written."""
    written = text.strip()
    if not written:
        return None
    if not (written.isascii() and written.isdigit() and 1 <= int(written[:9]) <= most):
        raise FormError(f"{name} takes a whole number from 1 to {most}.")
    return int(written)


def holds(collection: Collection, asked: Asked, now: datetime) -> Holds:
    """What `asked` would hold at `now`; a trouble where its search cannot be read."""
    from dataclasses import replace

    from deck.search.errors import SearchError
    from tui.study_queue import is_live

    try:
        if is_live(asked):
            queue = collection.queue(now, asked.deck)
        else:
            queue = collection.session(replace(asked, minutes=None), now)
    except SearchError as error:
        return Holds(trouble=f"{error.message} {error.hint}".strip())
    done, items = collection.today(now), len(queue.entries)
    # As home says it.
    usual = collection.lately(now).pace if done.reviewed < KNOWN_PACE else None
    return Holds(items, estimate(items, done.reviewed, done.minutes, usual))
