"""What is exported: cards in the order of their files, and the history of each item."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from cards.model import Card, CardError, Item
from deck.collection import Collection
from deck.decks import deck_path
from deck.events import Crammed, Event, Reset, Reviewed
from deck.exchange.export.report import Report
from deck.replay import SUSPENDED, ItemState, Track, take, undone_ids

Progress = Callable[[int, int], None]
"""Done, of how many."""


@dataclass(frozen=True, slots=True)
class Done:
    """A Reviewed, Crammed or Reset of an item that was not undone."""

    event: Event
    before: ItemState
    after: ItemState


@dataclass(frozen=True, slots=True)
class Past:
    """One item, all that was done with it, and where it stands."""

    item: Item
    done: tuple[Done, ...]
    state: ItemState
    suspended: bool
    """By the journal, or by the card's own `status:`."""
    buried: date | None
    """It is not asked before this study day."""

    @property
    def answers(self) -> list[Done]:
        return [each for each in self.done if isinstance(each.event.what, Reviewed)]


@dataclass(frozen=True, slots=True)
class Source:
    """A collection, and what of it was chosen."""

    collection: Collection
    now: datetime
    chosen: tuple[str, ...] | None = None
    """Items; None for everything."""

    @property
    def root(self) -> Path:
        return self.collection.root

    def card_ids(self) -> list[str]:
        if self.chosen is None:
            return list(self.collection.cards)
        return [card.id for card in self.collection.outlines(self.chosen)]

    def item_ids(self) -> list[str]:
        if self.chosen is None:
            return self.collection.search("", self.now)
        return list(self.chosen)

    def card_ids_by_deck(self) -> list[str]:
        """The same with the cards of a deck together."""
        outlines = self.collection.outlines(self.item_ids())
        decks = {card.id: deck_path(card, self.root) for card in outlines}
        return sorted(decks, key=lambda card_id: decks[card_id])

    def cards(self, report: Report, progress: Progress, by_deck: bool = False) -> Iterator[Card]:
        """The cards; what cannot be read any more is said in the report."""
        ids = self.card_ids_by_deck() if by_deck else self.card_ids()
        for number, card_id in enumerate(ids):
            progress(number, len(ids))
            try:
                yield self.collection.cards[card_id]
            except (CardError, KeyError):
                report.lose(card_id, "Its file changed while the export ran; it is left out.")
        progress(len(ids), len(ids))
        if self.chosen is None:
            self.report_unreadable(report)

    def report_unreadable(self, report: Report) -> None:
        for problem in self.collection.problems:
            if problem.severity == "error" and problem.path is not None:
                report.lose(self.place(problem.path), f"It is left out: {problem.message}")

    def place(self, path: Path) -> str:
        """A file as its user names it: below the collection."""
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)

    def folder(self, card: Card) -> tuple[str, ...]:
        """The folders from the collection down to the card's."""
        return card.path.relative_to(self.root).parts[:-1] if card.path else ()

    def pasts(self, card: Card) -> list[Past]:
        """The card's items, each with its history."""
        return [past_of(self.collection, card, item) for item in card.items]


def past_of(collection: Collection, card: Card, item: Item) -> Past:
    """What was done with an item: the fold of `deck.replay`, with what it passed through kept."""
    events = collection.events(item.id)
    track = Track(item.id, collection.config)
    done = tuple(_followed(track, events))
    suspended = track.suspended or card.status == SUSPENDED
    return Past(item, done, track.state(), suspended, track.buried)


def _followed(track: Track, events: Sequence[Event]) -> Iterator[Done]:
    undone = undone_ids(events)
    for event in events:
        if event.id in undone:
            continue
        what = event.what
        before = track.state() if isinstance(what, Reviewed | Crammed | Reset) else None
        if isinstance(what, Reviewed):
            track.answer(what.rating, event.at, event.day, what.promise)
        else:
            take(track, event)
        if before is not None:
            yield Done(event, before, track.state())
