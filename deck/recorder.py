"""What is done, into the journal: answers, their undoing, and every other event.

Each method raises JournalError, with everything as before, where the disk refuses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from deck.answering import Brief, Draft, Given, of_different_cards
from deck.event import Event, Reset, Reviewed, Suspended, Undone, What
from deck.parts import Parts
from deck.status import SUSPENDED


class Recorder:
    """`Collection` says what each method promises."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._owed: str | None = None
        """The card whose status line is still to follow its answer."""

    def rate(self, given: Given, now: datetime, settle: bool = True) -> Event:
        self.settle()
        card = self._parts.library.brief(given.item_id)
        event = self._rate([(given, card)], now)[0]
        self._owed = card.card_id
        if settle:
            self.settle()
        return event

    def settle(self) -> None:
        card_id, self._owed = self._owed, None
        parts = self._parts
        if card_id is not None and parts.config.write_status and card_id in parts.library.cards:
            parts.follower.follow(card_id, parts.history)

    def rate_each(self, answers: Iterable[Given], now: datetime) -> Iterator[Event]:
        self.settle()
        parts = self._parts
        for together in of_different_cards(answers, parts.library.brief):
            events = self._rate(together, now)
            if parts.config.write_status:
                for _, card in together:
                    parts.follower.follow(card.card_id, parts.history)
            yield from events

    def _rate(self, answers: Sequence[tuple[Given, Brief]], now: datetime) -> list[Event]:
        """Records answers to different cards: all, or none."""
        parts = self._parts
        with parts.writing():
            draft = Draft(parts.history, now, parts.config)
            for given, card in answers:
                draft.answer(given, card)
            written = parts.journal.append(*draft.events)
            parts.known(lambda: parts.history.take(draft.taken, written))
        return draft.events

    def finish_status(self) -> None:
        self.settle()
        parts = self._parts
        review = parts.history.last_review()
        if review is not None and parts.config.write_status:
            parts.follower.finish(parts.library.outline(review.item), review, parts.history)

    def undo(self, now: datetime) -> Event | None:
        self.settle()
        parts = self._parts
        parts.pick_up()
        if parts.history.last_review() is None:
            return None
        with parts.writing():
            review = parts.history.last_review()
            if review is None or not isinstance(review.what, Reviewed):
                return None
            card_id = parts.library.outline(review.item).id
            made = parts.follower.scheduled(card_id, parts.history)
            event = self._append(review.item, now, Undone(review.id))
        if parts.config.write_status:
            parts.follower.put_back(card_id, made, review.what.status, parts.history)
        return event

    def record(self, item_id: str, what: What, now: datetime) -> Event:
        self.settle()
        parts = self._parts
        card = parts.library.outline(item_id) if item_id else None
        with parts.writing():
            event = self._append(item_id, now, what)
        if card is not None and parts.config.write_status and self._moves_status(event):
            parts.follower.follow(card.id, parts.history)
        return event

    def record_foreign(self, events: Iterable[Event]) -> None:
        """Writes events of other times: those of each month behind that month's others."""
        self.settle()
        months: dict[str, list[Event]] = {}
        for event in events:
            months.setdefault(f"{event.at:%Y-%m}", []).append(event)
        journal = self._parts.journal
        with journal.locked():
            for month in sorted(months):
                journal.append(*months[month])

    def _moves_status(self, event: Event) -> bool:
        """Whether the event made an item new again, or takes that back."""
        if not isinstance(event.what, Undone):
            return isinstance(event.what, Reset)
        events = self._parts.history.events(event.item)
        return any(e.id == event.what.target and isinstance(e.what, Reset) for e in events)

    def suspend(self, item_id: str, now: datetime, on: bool) -> Event:
        self.settle()
        parts = self._parts
        card = parts.library.outline(item_id)
        with parts.writing():
            event = self._append(item_id, now, Suspended(on))
        # A file that says "suspended" must be changed even where files else are left alone.
        if parts.config.write_status or (not on and card.status == SUSPENDED):
            parts.follower.suspend(card.id, parts.history)
        return event

    def _append(self, item_id: str, now: datetime, what: What) -> Event:
        parts = self._parts
        event = Draft(parts.history, now, parts.config).event(item_id, what)
        written = parts.journal.append(event)
        parts.known(lambda: parts.history.add(event, written))
        return event
