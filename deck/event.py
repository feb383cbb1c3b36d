"""The journal's events, as values.  Writing and reading their lines is in deck/line.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple

from deck.fsrs import Rating


class Days(NamedTuple):
    """An answer's promise: the item is in review, and comes back after so many study days."""

    days: int


class Step(NamedTuple):
    """An answer's promise: the item is in the learning step `step` (from 0) for `wait`."""

    step: int
    wait: timedelta


Promise = Days | Step

#: A review whose model begins so was given in another program, and imported.
IMPORTED = "import:"


@dataclass(frozen=True, slots=True)
class Reviewed:
    """An item was answered."""

    rating: Rating
    milliseconds: int
    """How long it took."""
    model: str
    """The scheduler's model when it was given, such as "FSRS-6"; of an imported review, where it
    is from: `IMPORTED` and the program's name."""
    parameters: str
    """The hash of the model's parameters then."""
    status: str = ""
    """The card's `status:` before the answer, so that an undo can put it back."""
    check: Mapping[str, Any] | None = None
    """A verdict that belongs to the answer."""
    promise: Promise | None = None
    """What the answer led to, as it was shown under its key; None where the line does not say."""


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
class Reset:
    """An item was forgotten on purpose: it is new again, its history is kept."""


@dataclass(frozen=True, slots=True)
class Buried:
    """An item is not asked before the study day `until` (or, on its own day, is taken up)."""

    until: date


@dataclass(frozen=True, slots=True)
class Moved:
    """Items in review fall due on other study days: after a change of parameters, or by hand."""

    due: Mapping[str, date]
    """Item id to study day."""
    interval: int | None = None
    """Days; where it is given, items that are not in review are put there, and are due on exactly
    that day: "Set Due Date" of another program.  An item without an answer gets a memory as stable
    as this interval."""


@dataclass(frozen=True, slots=True)
class Adopted:
    """From here on, a model with these parameters schedules.  The settings hold them as well;
    this keeps every set that was ever used, so that its hash in a review can be read."""

    model: str
    parameters: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Crammed:
    """An item was practised without touching its schedule."""

    rating: Rating
    milliseconds: int


@dataclass(frozen=True, slots=True)
class Raised:
    """The limits of this one study day are raised (or, below 0, lowered)."""

    new: int
    reviews: int
    course: str = ""
    """"" for the limits of the whole collection."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A card's `status:` lines before and after they followed an event, each with its line feed, or
    "" for none: what an undo of the event could not put back by the word alone."""

    target: str
    """The id of that event."""
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Of a kind or version that this program does not know: kept, and left out of the fold."""

    name: str


What = (
    Reviewed
    | Undone
    | Suspended
    | Checked
    | Reset
    | Buried
    | Moved
    | Adopted
    | Crammed
    | Raised
    | Kept
    | Unknown
)

#: As in the journal.
KINDS: Mapping[type, str] = MappingProxyType(
    {
        Reviewed: "review",
        Undone: "undo",
        Suspended: "suspend",
        Checked: "check",
        Reset: "reset",
        Buried: "bury",
        Moved: "move",
        Adopted: "model",
        Crammed: "cram",
        Raised: "raise",
        Kept: "status",
    }
)


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the journal."""

    id: str
    item: str
    """"" for an event of the whole collection."""
    at: datetime
    """UTC, to the millisecond."""
    offset: int
    """Minutes east of UTC on the learner's clock."""
    day: date
    """The study day."""
    what: What

    @property
    def kind(self) -> str:
        """As in the journal; of an unknown kind, its name."""
        return self.what.name if isinstance(self.what, Unknown) else KINDS[type(self.what)]

    @property
    def rating(self) -> Rating | None:
        """Of a review; None for every other kind."""
        return self.what.rating if isinstance(self.what, Reviewed) else None

    @property
    def items(self) -> tuple[str, ...]:
        """The items whose state it may change; `item` is "" where it is about no single one."""
        if isinstance(self.what, Moved):
            return tuple(self.what.due)
        return (self.item,) if self.item else ()
