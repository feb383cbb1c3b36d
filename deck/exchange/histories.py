"""What an import adds to the journal, card by card: the answers that it has not yet."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from cards.cloze import items_of
from deck.events import Event, fixed_id
from deck.exchange.bundle import Bundle, ForeignCard, ForeignItem, Lost, where_of
from deck.exchange.deeds import Maker, fresh, is_aside
from deck.exchange.pairs import inherited
from deck.replay import SUSPENDED, ItemState, replay_item, status_of
from deck.study_day import on_clock

if TYPE_CHECKING:
    from deck.collection import Collection

#: An answer may be of a later hour, on a computer in another zone.
_TODAY = timedelta(days=1)


class Histories:
    """The histories of a bundle's items, beside those that a collection has."""

    def __init__(self, bundle: Bundle, collection: Collection, now: datetime) -> None:
        self._deck, self._lost = collection, bundle.lost
        self._maker = Maker(bundle.program, collection.config, now)
        self._touched, self._suspended = collection.touched(), collection.suspended()

    def events(self, card: ForeignCard, card_id: str, follows: str = "") -> tuple[Event, ...]:
        """What was done with the card's items there, and the journal has not; of a card that takes
        the place of the item `follows`, also what was done with that here."""
        new: list[Event] = []
        refused = self._maker.refused
        for item in card.items:
            item_id = card_id + item.suffix
            if card.own is not None and card.own.card_id != card_id:  # its twin keeps their ids
                reviews = tuple(replace(review, event_id="") for review in item.reviews)
                item = replace(item, reviews=reviews)
            if any(review.implied for review in item.reviews):
                item = self._timed(item_id, item)
            new += self._unknown(item_id, self._made(item_id, item), card.own is not None)
        if self.knows(follows):
            known, program = self._deck.events(follows), self._maker.program
            done = fresh(inherited(known, follows, card_id, program), new, own=False)
            new += self._unknown(card_id, done, own=False)
        if left := self._maker.refused - refused:
            what = f"{left:,} of its answers were left out: their time or their rating cannot be."
            self._lost.append(Lost(where_of(card), what))
        return tuple(new)

    def _unknown(self, item_id: str, made: list[Event], own: bool) -> list[Event]:
        if item_id not in self._touched:
            return made
        ids = self._deck.event_ids(item_id)
        if made := [event for event in made if event.id not in ids]:
            return fresh(made, self._deck.events(item_id), own)
        return made

    def _timed(self, item_id: str, item: ForeignItem) -> ForeignItem:
        """The item with times for its implied answers: those that an earlier import gave them, so
        that they are the same answers, else what follows from the due day, or now where that is
        still to come."""
        known = self._deck.events(item_id) if item_id in self._touched else []
        reviews = []
        for review in item.reviews:
            if review.implied:
                names = (self._maker.program, item_id, review.key)
                earlier = (e for e in known if e.id == fixed_id(e.at, *names))
                now = self._maker.now
                at = now if review.at > now + _TODAY else review.at
                at = next(map(_on_its_clock, earlier), at)
                review = replace(review, at=at)
            reviews.append(review)
        return replace(item, reviews=tuple(reviews))

    def _made(self, item_id: str, item: ForeignItem) -> list[Event]:
        if item_id not in self._suspended:
            return self._maker.events(item_id, item)
        if item.suspended:  # it is already, whenever that was
            return self._maker.events(item_id, replace(item, suspended=False))
        known = self._deck.events(item_id)
        return self._maker.events(item_id, item) + self._maker.taken_up(item_id, item, known)

    def knows(self, item_id: str) -> bool:
        """Whether something was done with an item, whether there is a card or not."""
        return item_id in self._touched

    def is_suspended(self, item_id: str) -> bool:
        """Whether the journal puts an item aside."""
        return item_id in self._suspended

    def status(self, card: ForeignCard, card_id: str, events: tuple[Event, ...]) -> str:
        """What the card's line `status:` says with these events."""
        if not events or not self._deck.config.write_status:
            return status_of(())
        every = items_of(card_id, card.type, card.question, card.solution)
        by_item: dict[str, list[Event]] = {item.id: [] for item in every}
        if is_aside(by_item, self._suspended, events):
            return SUSPENDED
        for event in events:
            by_item.setdefault(event.item, []).append(event)
        return status_of(self._state(item, of) for item, of in by_item.items())

    def _state(self, item_id: str, events: list[Event]) -> ItemState:
        if item_id in self._touched:
            return self._deck.folded_with(item_id, events).state
        in_order = sorted(events, key=lambda event: event.id)
        return replay_item(item_id, in_order, (), self._deck.config).state


def _on_its_clock(event: Event) -> datetime:
    return on_clock(event.at, event.offset)
