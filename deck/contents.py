"""What a collection holds: its settings, its cards, and what was done with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from cards.model import Card, Item, Problem
from deck import asking
from deck.config import Config
from deck.event import Event
from deck.fold import Answer, Folded
from deck.history import Deleted
from deck.parts import Parts
from deck.state import ItemState
from deck.status import SUSPENDED

if TYPE_CHECKING:
    from deck.index.arrange import By


class Contents:
    """The part of `Collection` that only asks."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._library, self._history = parts.library, parts.history

    @property
    def config(self) -> Config:
        """The settings, as they were last read."""
        return self._parts.config

    @property
    def cards(self) -> Mapping[str, Card]:
        """The cards by id, in the order of their paths; each is parsed when it is asked for."""
        return self._library.cards

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with settings, card files and journal; the rest works."""
        return self._parts.problems

    def has_item(self, item_id: str) -> bool:
        return self._library.has_item(item_id)

    def can_read(self, item_id: str) -> bool:
        """Whether `item` and `card_of` find it: its file is looked at, which may be gone since."""
        return self._library.items.get(item_id) is not None

    def card_at(self, path: Path) -> Card | None:
        """The card in a file; None where it holds none that is studied."""
        return self._library.card_at(path)

    def called(self, name: str) -> str | None:
        """The id of the card that a [[link]] means: by its id, its file's name or its title."""
        return self._library.called(name)

    def tags(self) -> list[str]:
        """Every tag that a card has, sorted."""
        return self._library.tags()

    def first_card(self, deck: str) -> str | None:
        """The id of the first card of a deck (a `DeckCount.key`); None where it holds none."""
        return self._library.first_card(deck)

    def events(self, item_id: str) -> list[Event]:
        """All that was done with an item, also with one whose card is gone."""
        self._parts.pick_up()
        return self._history.events(item_id)

    @property
    def device(self) -> str:
        """This device's name in the journal.  Raises JournalError where it cannot be kept."""
        return self._parts.journal.device

    def ids(self) -> set[str]:
        """The ids of all cards and items."""
        return {*self._library.cards, *self._library.items}

    def touched(self) -> set[str]:
        """Every item with which something was done, whether there is a card or not."""
        return self._history.known()

    def suspended(self) -> set[str]:
        """Every item that the journal puts aside, whether there is a card or not."""
        return self._history.suspended()

    def event_ids(self, item_id: str) -> set[str]:
        """The ids of what was done with an item, as it was when the files were last looked at."""
        return self._history.event_ids(item_id)

    def folded_with(self, item_id: str, events: Iterable[Event]) -> Folded:
        """Where an item would stand, had these events been there as well."""
        return self._history.folded_with(item_id, events)

    def answers(self, item_id: str) -> list[Answer]:
        """The reviews of an item that were not undone, each with the state that it met."""
        self._parts.pick_up()
        return self._history.answers(item_id)

    def deleted(self) -> list[Deleted]:
        """What has a history and no card any more."""
        self._parts.pick_up()
        return self._history.deleted()

    def item(self, item_id: str) -> Item:
        """Raises CollectionError where there is none of that id, as all below do."""
        return self._library.find(item_id)[0]

    def card_of(self, item_id: str) -> Card:
        return self._library.find(item_id)[1]

    def outlines(self, items: Sequence[str]) -> list[Card]:
        """The cards of items, each once, all but their texts; no file is read."""
        return self._library.outlines(items)

    def state(self, item_id: str) -> ItemState:
        self._library.brief(item_id)
        return self._history.state(item_id)

    def is_suspended(self, item_id: str) -> bool:
        """Whether the journal, or the card's own `status:`, puts the item aside."""
        card = self._library.brief(item_id)
        return card.status == SUSPENDED or self._history.is_suspended(item_id)

    def search(self, text: str, now: datetime, by: By = "files") -> list[str]:
        """The items that a search (docs/search.md) means, in their files' order or another.  Raises
        SearchError where it cannot be read, as whatever takes a search does."""
        return asking.search(self._parts, text, now, by)
