"""What is done, into the journal: answers, their undoing, and every other event.

Each method raises JournalError where the disk refuses.  Nearly always everything is as before then;
an event that may be recorded all the same is written again, under its own id, when it is repeated:
of equal ids one counts.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from datetime import datetime, timedelta, timezone
from itertools import islice
from typing import Final

from cards.model import Card
from deck.answering import Brief, Draft, Given, of_different_cards
from deck.errors import JournalError, counted
from deck.event import Checked, Crammed, Event, Kept, Reset, Reviewed, Suspended, Undone, What
from deck.journal import Written
from deck.parts import Parts
from deck.status import SUSPENDED

#: Of other events so many are one write: their cards' `status:` lines, which take longer, follow.
_TOGETHER: Final = 100


class Recorder:
    """`Collection` says what each method promises."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        parts.follower.keep = self._keep
        self._owed: tuple[str, Event] | None = None
        """The card whose status line is still to follow its answer."""
        self._unsure: dict[str, Event] = {}
        """By item, what may be recorded although its write failed, until something else is."""

    def rate(self, given: Given, now: datetime, settle: bool = True) -> Event:
        self.settle()
        card = self._parts.library.brief(given.item_id)
        event = self._rate([(given, card)], now)[0]
        self._owed = (card.card_id, event)
        if settle:
            self.settle()
        return event

    def settle(self) -> None:
        owed, self._owed = self._owed, None
        parts = self._parts
        if owed is not None and parts.config.write_status and owed[0] in parts.library.cards:
            parts.follower.follow(dict([owed]), parts.history)

    def rate_each(self, answers: Iterable[Given], now: datetime) -> Iterator[Event]:
        self.settle()
        parts = self._parts
        for together in of_different_cards(answers, parts.library.brief):
            events = self._rate(together, now)
            if parts.config.write_status:
                cards = (card.card_id for _, card in together)
                parts.follower.follow(dict(zip(cards, events, strict=True)), parts.history)
            yield from events

    def _rate(self, answers: Sequence[tuple[Given, Brief]], now: datetime) -> list[Event]:
        """Records answers to different cards: all, or none."""
        parts = self._parts
        with parts.writing():
            again = self._repeated(answers, now)
            draft = Draft(parts.history, now, parts.config)
            for given, card in answers:
                if given.item_id not in again:
                    draft.answer(given, card)
            if draft.taken:
                written = self._write(*draft.events)
                parts.known(lambda: parts.history.take(draft.taken, written))
            self._unsure.clear()
        new = iter(draft.events)
        return [again.get(given.item_id) or next(new) for given, _ in answers]

    def _repeated(self, answers: Sequence[tuple[Given, Brief]], now: datetime) -> dict[str, Event]:
        """Writes again what may be recorded, by item; takes it back where the answer is another."""
        parts, again = self._parts, {}
        for given, _ in answers:
            known = self._unsure.get(given.item_id)
            if known is None or not isinstance(known.what, Reviewed):
                continue
            if known.rating == given.rating:
                event = again[given.item_id] = known
            else:
                event = Draft(parts.history, now, parts.config).event(known.item, Undone(known.id))
            self._write(event)
            parts.known(parts.history.refresh)
        return again

    def _write(self, *events: Event) -> Written:
        """Appends events.  What may be there although that failed is remembered and taken up."""
        parts = self._parts
        try:
            return parts.journal.append(*events)
        except JournalError as error:
            if error.recorded != 0:
                self._unsure.update((event.item, event) for event in events)
                parts.known(parts.history.refresh)
            raise

    def finish_status(self) -> None:
        self.settle()
        parts = self._parts
        review = parts.history.last_review()
        if review is not None and parts.config.write_status:
            parts.follower.finish(parts.library.outline(review.item), review, parts.history)

    def undo(self, now: datetime, items: Container[str] | None = None) -> Event | None:
        self.settle()
        parts = self._parts
        parts.pick_up()
        if self._to_undo(items) is None:
            return None
        with parts.writing():
            review = self._to_undo(items)
            if review is None or not isinstance(review.what, Reviewed):
                return None
            card_id = parts.library.outline(review.item).id
            made = parts.follower.scheduled(card_id, parts.history)
            event = self._append(now, (review.item, Undone(review.id)))[0]
        if parts.config.write_status and not self._put_lines_back(card_id, [review]):
            parts.follower.put_back(card_id, made, review.what.status, parts.history)
        return event

    def _to_undo(self, items: Container[str] | None) -> Event | None:
        """The last review; once more the one whose undoing may be recorded.

        Raises:
            JournalError: it cannot be known.
        """
        history = self._parts.history
        targets = {e.what.target for e in self._unsure.values() if isinstance(e.what, Undone)}
        tried = (e for item in self._unsure for e in history.events(item) if e.id in targets)
        found = next((event for event in tried if items is None or event.item in items), None)
        found = found or history.last_review(items)
        if history.unread and (found is None or history.is_behind):
            said = f"The last answer cannot be looked up: {history.unread[0]}".removesuffix(".")
            raise JournalError(said, "nothing was undone")
        return found

    def record(self, item_id: str, what: What, now: datetime) -> Event:
        return next(self.record_each([(item_id, what)], now))

    def record_each(self, deeds: Iterable[tuple[str, What]], now: datetime) -> Iterator[Event]:
        self.settle()
        parts, rest = self._parts, iter(deeds)
        while together := list(islice(rest, _TOGETHER)):
            cards = [parts.library.outline(item) if item else None for item, _ in together]
            with parts.writing():
                events = self._append(now, *together)
            self._follow(zip(events, cards, strict=True))
            yield from events

    def _follow(self, recorded: Iterable[tuple[Event, Card | None]]) -> None:
        parts = self._parts
        aside: dict[str, Event] = {}
        moved: dict[str, Event] = {}
        for event, card in recorded:
            if card is None:
                continue
            if isinstance(event.what, Suspended):
                # A file that says "suspended" must be changed even where files else are left alone.
                lifted = not event.what.on and card.status == SUSPENDED
                if not parts.config.write_status and not lifted:
                    continue
                if event.what.on or not self._put_lines_back(card.id, self._suspensions(card)):
                    aside[card.id] = event
                continue
            if parts.config.write_status and isinstance(event.what, Reset):
                moved[card.id] = event
            elif parts.config.write_status and isinstance(event.what, Undone):
                target, events = event.what.target, parts.history.events(event.item)
                self._put_lines_back(card.id, [each for each in events if each.id == target])
        parts.follower.suspend_each(aside, parts.history)
        parts.follower.follow(moved, parts.history)

    def record_foreign(self, events: Iterable[Event]) -> None:
        """Writes events of other times: those of each month behind that month's others."""
        self.settle()
        months: dict[str, list[Event]] = {}
        for event in events:
            months.setdefault(f"{event.at:%Y-%m}", []).append(event)
        journal, done = self._parts.journal, 0
        with journal.locked():
            for month in sorted(months):
                try:
                    journal.append(*months[month])
                except JournalError as error:
                    total = sum(map(len, months.values()))
                    raise counted(error, done, total, "entries") from error
                done += len(months[month])

    def _suspensions(self, card: Card) -> list[Event]:
        """The last suspension of each of a card's items."""
        found = []
        for item in card.items:
            events = self._parts.history.events(item.id)
            put = [e for e in events if isinstance(e.what, Suspended) and e.what.on]
            found += put[-1:]
        return found

    def _keep(self, event: Event, kept: Kept) -> None:
        now = event.at.astimezone(timezone(timedelta(minutes=event.offset)))
        with self._parts.writing():
            self._append(now, (event.item, kept))

    def _put_lines_back(self, card_id: str, done: Iterable[Event]) -> bool:
        """Gives a card the lines that it had before what is taken back; whether any were kept."""
        for event in done:
            for known in self._parts.history.events(event.item):
                if isinstance(known.what, Kept) and known.what.target == event.id:
                    self._parts.follower.put_lines_back(card_id, known.what)
                    return True
        return False

    def suspend(self, item_id: str, now: datetime, on: bool) -> Event:
        self._parts.library.brief(item_id)  # none: there is nothing to put aside
        return self.record(item_id, Suspended(on), now)

    def _append(self, now: datetime, *deeds: tuple[str, What]) -> list[Event]:
        parts = self._parts
        draft = Draft(parts.history, now, parts.config)
        events = [self._again(*deed) or draft.event(*deed) for deed in deeds]
        written = self._write(*events)
        parts.known(lambda: parts.history.add(events, written))
        if not all(isinstance(event.what, Checked) for event in events):  # a part of an answer
            self._unsure.clear()
        return events

    def _again(self, item: str, what: What) -> Event | None:
        """The event that may be recorded, where this is the same deed once more."""
        known = self._unsure.get(item)
        if known is None:
            return None
        if isinstance(what, Crammed) and isinstance(known.what, Crammed):
            return known if what.rating == known.what.rating else None  # it takes another time
        return known if what == known.what else None
