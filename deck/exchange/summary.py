"""What an import does with one card, and with all of them together."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from deck.events import Event, Suspended
from deck.exchange.bundle import Lost
from deck.exchange.deeds import reviews_in
from deck.exchange.media import Copy

Fate = Literal["new", "changed", "unchanged", "kept"]
"""Kept: it changed there, and was edited here."""
#: Of each fate, so many ids are kept.
_LISTED = 1000


@dataclass(frozen=True, slots=True)
class Step:
    """One card of an import."""

    fate: Fate
    card_id: str
    path: Path
    source: str
    """As in the frontmatter."""
    text: str
    """As the source has it; of a kept card it is not written."""
    mark: bytes
    """`known.mark_of` the text."""
    status: str
    """What the schedule says with the new events; "" where the card's line stays."""
    copies: tuple[Copy, ...]
    events: tuple[Event, ...]
    """Those that the journal has not."""
    version: int = 0
    """When the text was changed last in its program, as `ForeignCard.version`."""
    replaces: str = ""
    """Of a card of our own export: `known.digest_of` the file that the text was made of."""


@dataclass(slots=True)
class Summary:
    """What was done, or would be."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    kept: int = 0
    done: int = field(default=0, compare=False)
    """Cards of any fate with which the import is through."""
    media: int = 0
    """Files that are copied."""
    reviews: int = 0
    """Answers that the journal did not have."""
    suspended: int = 0
    """Items that are put aside."""
    resumed: int = 0
    """Items that are taken up again, as they were there."""
    listed: dict[str, list[str]] = field(default_factory=dict)
    """The ids of the first thousand cards of each fate but `unchanged`."""
    lost: list[Lost] = field(default_factory=list)

    def take(self, step: Step) -> None:
        setattr(self, step.fate, getattr(self, step.fate) + 1)
        self.media += len(step.copies)
        self.reviews += reviews_in(step.events)
        aside = [event.what.on for event in step.events if isinstance(event.what, Suspended)]
        self.suspended += aside.count(True)
        self.resumed += aside.count(False)
        if step.fate != "unchanged":
            listed = self.listed.setdefault(step.fate, [])
            if len(listed) < _LISTED:
                listed.append(step.card_id)
