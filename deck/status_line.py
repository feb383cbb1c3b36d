"""The line `status:` of a card file follows the schedule, for whoever reads the file.

It is a convenience: where it cannot be written, that is a problem and never an error, because the
journal counts.  What the learner wrote stays: other lines, a suspension, and a status that is not
what the schedule put there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping

from cards.model import Card, CardError, Problem
from deck.cards import CardStore
from deck.errors import JournalError, odd
from deck.events import Event, Reset, Reviewed, StatusLines, Suspended, Undone
from deck.history import History
from deck.replay import SUSPENDED, status_of


class StatusLineWriter:
    """Keeps `status:` in the card files with the history.

    `record` takes the lines of a card before they follow an event, to record them.
    """

    def __init__(
        self, cards: CardStore, history: History, record: Callable[[Event, StatusLines], None]
    ) -> None:
        self._cards, self._history, self._record = cards, history, record
        self.failed: dict[str, Problem] = {}
        """What could not be written, by card id."""
        self._owed: dict[str, Event] = {}
        """By card id, the last answer that the line still is to follow."""
        self._changing, self._writing = threading.Lock(), threading.RLock()

    def owe(self, answers: Mapping[str, Event]) -> None:
        """The lines of these cards are to follow their answers, in the next `settle`."""
        with self._changing:
            self._owed |= answers

    def owes(self, card_id: str) -> bool:
        return card_id in self._owed

    def settle(self) -> str:
        """Writes the lines that are owed; the id of the last answer that they follow, or ""."""
        with self._writing:
            with self._changing:
                owed = dict(self._owed)
            self.follow({card: event for card, event in owed.items() if card in self._cards.cards})
            with self._changing:
                for card, event in owed.items():
                    if self._owed.get(card) is event:
                        del self._owed[card]
        return max((event.id for event in owed.values()), default="")

    def scheduled(self, card_id: str) -> str:
        """The status that the schedule gives the card."""
        items = self._cards.outline_of(card_id).items
        return status_of(self._history.state(item.id) for item in items)

    def follow(self, events: Mapping[str, Event]) -> None:
        """After answers, by card id: what the schedule says, unless the learner suspended the card.

        The index looks at the changed files together.
        """
        self._take_up(
            self._write(card_id, self.scheduled(card_id), event, before=_met(event))
            for card_id, event in events.items()
        )

    def follow_others(self, recorded: Iterable[tuple[Event, Card | None]], writes: bool) -> None:
        """After events that are no answers, each with its item's card as it was before.

        Without `writes` the lines are left alone, but for one that says "suspended" and is to be
        lifted: it would hold the card back for ever.
        """
        suspensions: dict[str, Event] = {}
        resets: dict[str, Event] = {}
        for event, card in recorded:
            match event.what:
                case _ if card is None:
                    continue
                case Suspended(True) if writes:
                    suspensions[card.id] = event
                case Suspended(False) if writes or card.status == SUSPENDED:
                    if not self.put_lines_back(card.id, self._last_suspensions(card)):
                        suspensions[card.id] = event
                case Reset() if writes:
                    resets[card.id] = event
                case Undone(target) if writes:
                    events = self._history.events(event.item)
                    self.put_lines_back(card.id, [each for each in events if each.id == target])
        self._take_up(self._suspend(*each) for each in suspensions.items())
        self.follow(resets)

    def put_back(self, card_id: str, before: str, met: str) -> None:
        """After an undo: the status `met` by the answer, where the line still is what the answer
        made it (`before`)."""
        if self._cards.outline_of(card_id).status == before:
            status = met if met and met != SUSPENDED else self.scheduled(card_id)
            self._take_up([self._write(card_id, status)])

    def put_lines_back(self, card_id: str, undone: Iterable[Event]) -> bool:
        """Gives a card the lines that it had before what is undone, unless the learner changed them
        since; whether any lines were recorded."""
        from cards.edit import field_lines, with_field_lines

        known = (each for event in undone for each in self._lines_before(event))
        kept = next(known, None)
        if kept is None:
            return False

        def edited(card: Card) -> str | None:
            if field_lines(card.source, "status") != kept.after:
                return None
            return with_field_lines(card.source, "status", kept.before, card.path)

        self._take_up([self._rewrite(self._cards.outline_of(card_id), kept.before, edited)])
        return True

    def _lines_before(self, event: Event) -> list[StatusLines]:
        """The lines that were recorded before they followed an event."""
        kept = [known.what for known in self._history.events(event.item)]
        return [k for k in kept if isinstance(k, StatusLines) and k.target == event.id]

    def _last_suspensions(self, card: Card) -> list[Event]:
        """The last suspension of each of a card's items."""
        found = []
        for item in card.items:
            events = self._history.events(item.id)
            found += [e for e in events if isinstance(e.what, Suspended) and e.what.on][-1:]
        return found

    def _suspend(self, card_id: str, event: Event) -> Card | None:
        """A card is suspended when all its items are."""
        items, status = self._cards.outline_of(card_id).items, self.scheduled(card_id)
        if all(self._history.folded(item.id).suspended for item in items):
            return self._write(card_id, SUSPENDED, event, lift=True, before=status)
        return self._write(card_id, status, lift=True)

    def _write(
        self,
        card_id: str,
        status: str,
        event: Event | None = None,
        lift: bool = False,
        before: str = "",
    ) -> Card | None:
        """The card where its file is another now; only the one line of it changes.

        `lift`: a suspension in the file gives way.  Where an undo of `event` by the word `before`
        ("" for none) would not give the file as it is, its lines are recorded first.
        """
        from cards.edit import field_lines, with_field  # most starts need no parser

        card = self._cards.outline_of(card_id)
        if card.status == status and card_id not in self.failed:
            return None
        if card.status == SUSPENDED and not lift:
            self.failed.pop(card_id, None)
            return None

        def edited(card: Card) -> str | None:
            if card.status == status or (card.status == SUSPENDED and not lift):
                return None
            text = with_field(card.source, "status", status, card.path)
            if event and not (
                before and with_field(text, "status", before, card.path) == card.source
            ):
                lines = field_lines(card.source, "status"), field_lines(text, "status")
                self._record(event, StatusLines(event.id, *lines))
            return text

        return self._rewrite(card, status, edited)

    def _rewrite(
        self, card: Card, status: str, edited: Callable[[Card], str | None]
    ) -> Card | None:
        """The card with the text that `edited` makes of its file as it is now (None: it stays).

        None where the file is another card's now, and where the file cannot be written.
        """
        from cards.edit import save_card
        from cards.parse import read_card

        assert card.path is not None
        try:
            fresh = read_card(card.path, self._cards.root)
            text = edited(fresh) if fresh.id == card.id else None
            if text is not None:
                fresh = save_card(card.path, text, fresh.source, self._cards.root)
        except (CardError, JournalError) as error:
            known = error.problem if isinstance(error, CardError) else None
            problem = known or odd(card.path, str(error), "")
            message = f"`status: {status}` could not be written: {problem.message}"
            hint = f"{problem.hint} Schedule and journal are right all the same.".lstrip()
            self.failed[card.id] = odd(card.path, message, hint, problem.line)
            return None
        self.failed.pop(card.id, None)
        return fresh if fresh.id == card.id else None

    def _take_up(self, written: Iterable[Card | None]) -> None:
        self._cards.replace(*(card for card in written if card is not None))


def _met(event: Event) -> str:
    """The status that an answer met; "" of what does not say."""
    met = event.what.status if isinstance(event.what, Reviewed) else ""
    return met if met != SUSPENDED else ""
