"""The schedule as a pure fold of the journal: no clock, no chance, no disk.

Events are folded in the order of their ids (deck/ids.py), whichever device wrote them and in
whichever order their files were read; an event that is there twice counts once; an event that an
undo names never was.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from deck.config import Config
from deck.event import Buried, Event, Moved, Reset, Reviewed, Suspended, Undone, Unknown
from deck.line import write_line
from deck.state import ItemState, New
from deck.track import Track


@dataclass(frozen=True, slots=True)
class Answer:
    """A review that counts, and the state in which it met the item."""

    event: Event
    before: ItemState


class Folded(NamedTuple):
    """Where one item stands."""

    state: ItemState
    suspended: bool
    """By the journal's last word, or as a leech."""
    buried: date | None
    """It is not asked before this study day."""


def replay(events: Iterable[Event], settings: Config) -> dict[str, ItemState]:
    """The state of every item that has a review which was not undone, by item id."""
    history = list(unique(events))
    undone = undone_ids(history)
    by_item: dict[str, list[Event]] = {}
    for event in history:
        if type(event.what) is Reviewed:
            by_item.setdefault(event.item, []).append(event)
            continue
        for item in event.items:
            by_item.setdefault(item, []).append(event)
    states = {item: replay_item(item, of, undone, settings).state for item, of in by_item.items()}
    return {item: state for item, state in states.items() if not isinstance(state, New)}


def replay_item(
    item: str, events: Iterable[Event], undone: Container[str], settings: Config
) -> Folded:
    """Where one item stands; `events` are those that concern it (`Event.items`), sorted by id."""
    track = Track(item, settings)
    for event in events:
        what = event.what
        if event.id in undone:
            continue
        if type(what) is Reviewed:
            track.answer(what.rating, event.at, event.day, what.promise)
        else:
            take(track, event)
    return Folded(track.state(), track.suspended, track.buried)


def answers_of(
    item: str, events: Sequence[Event], undone: Container[str], settings: Config
) -> Iterator[Answer]:
    """The item's answers, each with the state that it met; arguments as for `replay_item`."""
    track = Track(item, settings)
    for event in events:
        if event.id in undone:
            continue
        if isinstance(event.what, Reviewed):
            yield Answer(event, track.state())
            track.answer(event.what.rating, event.at, event.day, event.what.promise)
        else:
            take(track, event)


def take(track: Track, event: Event) -> None:
    """Every event but a review."""
    match event.what:
        case Suspended(on):
            track.suspended = on
        case Buried(until):
            track.buried = until
        case Reset():
            track.reset()
        case Moved(due, interval) if track.item_id in due:
            track.move(due[track.item_id], interval, event)


def unique(events: Iterable[Event]) -> Iterable[Event]:
    """The events sorted by id, each id once.

    Copies of a file give the same event twice; should two differ under one id, the choice must not
    depend on the order of reading.
    """
    first: dict[str, Event] = {}
    for event in events:
        known = first.setdefault(event.id, event)
        if known is not event and _rank(event) < _rank(known):
            first[event.id] = event
    return [first[event_id] for event_id in sorted(first)]


def _rank(event: Event) -> tuple[bool, str]:
    """Of two events under one id, the smaller counts (docs/journal-format.md)."""
    if isinstance(event.what, Unknown):
        return True, repr(event)
    return False, write_line(event).decode()


def undone_ids(events: Iterable[Event]) -> set[str]:
    """The ids of the events that an undo names."""
    return {event.what.target for event in events if isinstance(event.what, Undone)}
