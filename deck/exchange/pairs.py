"""Notes of two cards: one card that asks both ways here, while each is the other's mirror image,
else two.  A note may begin to be one, or cease; what the collection has then decides, so that
nothing is asked twice and no answer is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from deck.events import Buried, Checked, Crammed, Event, Moved, Reset, Reviewed, Suspended, fixed_id
from deck.exchange.bundle import ForeignCard
from deck.exchange.known import Found
from deck.replay import undone_ids

_DONE = Reviewed | Crammed | Checked | Reset | Moved | Buried | Suspended


def as_here(card: ForeignCard, program: str, known: Mapping[str, Found]) -> tuple[ForeignCard, ...]:
    """The card, or the two cards that the collection has in its place (by their sources)."""
    others = [half.key for half in card.apart if half.key != card.key]
    return card.apart if any(f"{program}:{key}" in known for key in others) else (card,)


def inherited(events: Sequence[Event], item: str, heir: str, program: str) -> list[Event]:
    """What was done with an item, as done with the one that takes its place: the same events on
    every device.  What was undone is left out, and so is whether an import put it aside, which the
    heir's own import says."""
    gone = undone_ids(events)
    found = []
    for event in events:
        what = event.what
        if event.id in gone or not isinstance(what, _DONE) or _is_imported(event, item, program):
            continue
        if isinstance(what, Moved):
            what = replace(what, due={heir: what.due[item]})
        found.append(replace(event, id=fixed_id(event.at, heir, event.id), item=heir, what=what))
    return found


def _is_imported(event: Event, item: str, program: str) -> bool:
    names = (program, item, "suspend" if event.what == Suspended(True) else "resume")
    return isinstance(event.what, Suspended) and event.id == fixed_id(event.at, *names)
