"""The schedule as a pure fold of the journal: no clock, no chance, no disk.

Events are folded in the order of their ids (deck/ids.py), whichever device wrote them and in
whichever order their files were read; an event that is there twice counts once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from deck.config import Config
from deck.event import Event, Reviewed, Suspended, Undone
from deck.scheduler import advance
from deck.state import ItemState, New


@dataclass(frozen=True, slots=True)
class Answer:
    """A review that counts, and the state in which it met the item."""

    event: Event
    before: ItemState


def replay(events: Iterable[Event], settings: Config) -> dict[str, ItemState]:
    """The state of every item that has a review which was not undone, by item id."""
    history = list(unique(events))
    undone = undone_ids(history)
    by_item: dict[str, list[Event]] = {}
    for event in history:
        by_item.setdefault(event.item, []).append(event)
    states = {item: replay_item(of, undone, settings)[0] for item, of in by_item.items()}
    return {item: state for item, state in states.items() if not isinstance(state, New)}


def replay_item(
    events: Sequence[Event], undone: set[str] | frozenset[str], settings: Config
) -> tuple[ItemState, tuple[Answer, ...]]:
    """The state of one item and its answers; `events` are that item's, sorted by id."""
    state: ItemState = New()
    answers = []
    for event in events:
        if isinstance(event.what, Reviewed) and event.id not in undone:
            answers.append(Answer(event, state))
            state = advance(state, event.what.rating, event.at, event.day, event.item, settings)
    return state, tuple(answers)


def unique(events: Iterable[Event]) -> Iterable[Event]:
    """The events sorted by id, each id once.

    Copies of a file give the same event twice; should two differ under one id, the choice must not
    depend on the order of reading.
    """
    first: dict[str, Event] = {}
    for event in events:
        known = first.get(event.id)
        if known is None or (known != event and repr(event) < repr(known)):
            first[event.id] = event
    return sorted(first.values(), key=lambda event: event.id)


def undone_ids(events: Iterable[Event]) -> set[str]:
    """The ids of the reviews that an undo names."""
    return {event.what.target for event in events if isinstance(event.what, Undone)}


def is_suspended(events: Iterable[Event]) -> bool:
    """Whether the last word on one item, its `events` sorted by id, put it aside."""
    words = [event.what.on for event in events if isinstance(event.what, Suspended)]
    return bool(words) and words[-1]
