"""Puts new parameters to work.  Two steps, as the learner may want the first alone."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime
from typing import TYPE_CHECKING

from deck.events import Adopted, Event, Moved
from deck.files import CONFIG, PRIVATE
from deck.replay import Review
from deck.scheduler import moved
from deck.settings import write_setting
from deck.study_day import study_day

if TYPE_CHECKING:
    from deck.collection import Collection


def adopt(collection: Collection, parameters: tuple[float, ...], now: datetime) -> Event:
    """Parameters for every answer from now on; what is due stays.  Settings first, then journal.

    Memories follow from all answers, so they are computed anew; due days were promised.

    Raises:
        CollectionError: the settings cannot be written.
        JournalError: the journal cannot; the settings hold.
    """
    write_setting(collection.root / PRIVATE / CONFIG, "parameters", parameters)
    collection.reload(now)
    return collection.record("", Adopted(collection.config.model, parameters), now)


def reschedule(collection: Collection, now: datetime) -> Event | None:
    """Every review falls due as today's settings promise; None where nothing moves.

    One event, so that one undo puts all of them back.  Days are filled evenly, never before today.
    """
    today = study_day(now, collection.config.rollover)
    load: Counter[int] = Counter()
    due: dict[str, date] = {}
    for card in collection.cards.values():
        config = collection.config.of_course(card.course)
        for item in card.items:
            state = collection.state(item.id)
            if isinstance(state, Review):
                day = moved(state, item.id, config, today, load)
                load[day.toordinal()] += 1
                if day != state.due_day:
                    due[item.id] = day
    return collection.record("", Moved(due), now) if due else None
