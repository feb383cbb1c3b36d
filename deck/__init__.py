"""deck: what have I studied, and what is due?  See docs/architecture.md.

Collection.open(folder)     cards, journal, schedule and queue of one folder of card files
Collection.init(folder)     makes a folder one
replay.replay, fsrs         the schedule as a pure fold, and the memory model in it
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deck.collection import Collection
    from deck.config import Config
    from deck.decks import DeckCount, TodayCount
    from deck.errors import CollectionError, JournalError
    from deck.events import Event
    from deck.fsrs import Rating
    from deck.queue import Counts, Queue, QueueEntry, SessionRequest
    from deck.replay import ItemState, Learning, New, Review, Schedule
    from deck.search.query import SearchError

__all__ = [
    "Collection",
    "CollectionError",
    "Config",
    "Counts",
    "DeckCount",
    "Event",
    "ItemState",
    "JournalError",
    "Learning",
    "New",
    "Queue",
    "QueueEntry",
    "Rating",
    "Review",
    "Schedule",
    "SearchError",
    "SessionRequest",
    "TodayCount",
]

# The collection brings the cards' parser with it: whoever only catches an error does not pay.
_LAZY = {
    "collection": ("Collection",),
    "config": ("Config",),
    "decks": ("DeckCount", "TodayCount"),
    "errors": ("CollectionError", "JournalError"),
    "events": ("Event",),
    "fsrs": ("Rating",),
    "queue": ("Counts", "Queue", "QueueEntry", "SessionRequest"),
    "replay": ("ItemState", "Learning", "New", "Review", "Schedule"),
    "search.query": ("SearchError",),
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    for module, names in _LAZY.items():
        if name in names:
            return getattr(import_module(f"deck.{module}"), name)
    raise AttributeError(f"module 'deck' has no attribute {name!r}")
