"""The journal's events, as values.  Writing and reading their lines is in deck/line.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from deck.fsrs import Rating


@dataclass(frozen=True, slots=True)
class Reviewed:
    """An item was answered."""

    rating: Rating
    milliseconds: int
    """How long it took."""
    model: str
    """The scheduler's model when it was given, such as "FSRS-6"."""
    parameters: str
    """The hash of the model's parameters then."""
    status: str = ""
    """The card's `status:` before the answer, so that an undo can put it back."""
    check: Mapping[str, Any] | None = None
    """A verdict that belongs to the answer."""


@dataclass(frozen=True, slots=True)
class Undone:
    """A review is taken back."""

    target: str
    """The id of that review."""


@dataclass(frozen=True, slots=True)
class Suspended:
    """An item was put aside, or (`on` False) taken up again."""

    on: bool


@dataclass(frozen=True, slots=True)
class Checked:
    """A derivation was checked: the verdict and the answer as plain data."""

    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Unknown:
    """Of a kind or version that this program does not know: kept, and left out of the fold."""

    name: str


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the journal."""

    id: str
    item: str
    at: datetime
    """UTC, to the millisecond."""
    offset: int
    """Minutes east of UTC on the learner's clock."""
    day: date
    """The study day."""
    what: Reviewed | Undone | Suspended | Checked | Unknown

    @property
    def kind(self) -> str:
        """As in the journal: review, undo, suspend, check, or the unknown kind's name."""
        match self.what:
            case Reviewed():
                return "review"
            case Undone():
                return "undo"
            case Suspended():
                return "suspend"
            case Checked():
                return "check"
            case Unknown(name):
                return name

    @property
    def rating(self) -> Rating | None:
        """Of a review; None for every other kind."""
        return self.what.rating if isinstance(self.what, Reviewed) else None
