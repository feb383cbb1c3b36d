"""What can be done with an item beside answering it, and how each is taken back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from deck.collection import Collection


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that was recorded, and can be taken back."""

    kind: Literal["rate", "cram", "suspend", "bury", "reset"]
    item_id: str
    event: str
    """The id of its event in the journal."""


def suspend(collection: Collection, item_id: str, now: datetime) -> Deed:
    """Set aside until it is taken up again.  Each raises JournalError, CollectionError."""
    return Deed("suspend", item_id, collection.suspend(item_id, now).id)


def bury(collection: Collection, item_id: str, now: datetime, days: int = 1) -> Deed:
    """Not asked before the study day after so many days."""
    from deck.events import Buried
    from deck.study_day import study_day

    until = study_day(now, collection.config.rollover) + timedelta(days=days)
    return Deed("bury", item_id, collection.record(item_id, Buried(until), now).id)


def unbury(collection: Collection, item_id: str, now: datetime) -> None:
    """Asked again from today on."""
    bury(collection, item_id, now, days=0)


def reset(collection: Collection, item_id: str, now: datetime) -> Deed:
    """New again; what was answered stays in the history."""
    from deck.events import Reset

    return Deed("reset", item_id, collection.record(item_id, Reset(), now).id)


def take_back(collection: Collection, deed: Deed, now: datetime) -> str:
    """As if it had not been done; the item to show again."""
    from deck.events import Undone

    if deed.kind == "rate":
        event = collection.undo(now)
        return event.item if event else deed.item_id
    if deed.kind == "suspend":
        collection.suspend(deed.item_id, now, on=False)
    else:
        collection.record(deed.item_id, Undone(deed.event), now)
    return deed.item_id
