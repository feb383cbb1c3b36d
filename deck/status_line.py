"""The line `status:` of a card file follows the schedule, for whoever reads the file.

It is a convenience: where it cannot be written, that is a problem and never an error, because the
journal counts.  What the learner wrote stays: other lines, a suspension, and a status that is not
what the schedule put there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from cards.model import Card, CardError, Problem
from deck.cards import CardStore
from deck.errors import JournalError, odd
from deck.events import Event, Reviewed, StatusLines
from deck.history import History
from deck.replay import SUSPENDED, status_of


class _Change(NamedTuple):
    """A status that a card's file is to have."""

    card_id: str
    status: str
    lift: bool = False
    """Whether a suspension in the file gives way to it."""
    event: Event | None = None
    """What it follows; None for nothing that can be undone."""
    before: str = ""
    """The word that an undo of the event would write; "" for none."""


class StatusLineWriter:
    """Keeps `status:` in the card files with the history, and remembers where it could not.

    `record` takes the lines of a card before they follow an event, to record them.
    """

    def __init__(
        self, cards: CardStore, history: History, record: Callable[[Event, StatusLines], None]
    ) -> None:
        self._cards, self._history, self._record = cards, history, record
        self._failed: dict[str, Problem] = {}

    @property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(self._failed.values())

    def forget(self) -> None:
        """A fresh look at the files begins."""
        self._failed.clear()

    def scheduled(self, card_id: str) -> str:
        """The status that the schedule gives the card."""
        items = self._cards.outline_of(card_id).items
        return status_of(self._history.state(item.id) for item in items)

    def follow(self, events: Mapping[str, Event]) -> None:
        """After answers, by card id: what the schedule says, unless the learner suspended the card.

        The index looks at the changed files together.
        """
        self._write_each(
            _Change(card_id, self.scheduled(card_id), event=event, before=_met(event))
            for card_id, event in events.items()
        )

    def finish(self, card: Card, review: Event) -> None:
        """What `follow` owes the card of the last answer, where a crash came between the two.

        The answer remembers the status that it met: any other line is the learner's, and stays.
        """
        if isinstance(review.what, Reviewed) and card.status == review.what.status:
            self.follow({card.id: review})

    def suspend(self, events: Mapping[str, Event]) -> None:
        """After suspensions, by card id: a card is suspended when all its items are."""

        def change(card_id: str, event: Event) -> _Change:
            items = self._cards.outline_of(card_id).items
            status = self.scheduled(card_id)
            if all(self._history.is_suspended(item.id) for item in items):
                return _Change(card_id, SUSPENDED, True, event, status)
            return _Change(card_id, status, True)

        self._write_each(change(*each) for each in events.items())

    def put_back(self, card_id: str, before: str, met: str) -> None:
        """After an undo: the status `met` by the answer, where the line still is what the answer
        made it (`before`)."""
        if self._cards.outline_of(card_id).status == before:
            status = met if met and met != SUSPENDED else self.scheduled(card_id)
            self._write_each([_Change(card_id, status)])

    def put_lines_back(self, card_id: str, kept: StatusLines) -> None:
        """After an undo: the lines that were there, unless the learner changed them since."""
        from cards.edit import field_lines, save_card, with_field_lines
        from cards.parse import read_card

        def write(card: Card, path: Path) -> Card:
            fresh = read_card(path, self._cards.root)
            if fresh.id != card.id or field_lines(fresh.source, "status") != kept.after:
                return fresh
            text = with_field_lines(fresh.source, "status", kept.before, path)
            return save_card(path, text, fresh.source, self._cards.root)

        changed = self._tried(self._cards.outline_of(card_id), kept.before, write)
        self._cards.replace(*([changed] if changed is not None else []))

    def _write_each(self, changes: Iterable[_Change]) -> None:
        written = [card for change in changes if (card := self._write(change)) is not None]
        self._cards.replace(*written)

    def _write(self, change: _Change) -> Card | None:
        """The card where its file is another now; only the one line of it changes.

        The file is read first.  Where an undo by the word `before` would not give the file as it
        is, its lines are recorded first.
        """
        from cards.edit import field_lines, save_card, with_field  # most starts need no parser
        from cards.parse import read_card

        card_id, status, lift, event, before = change
        card = self._cards.outline_of(card_id)
        if card.status == status and card_id not in self._failed:
            return None
        if card.status == SUSPENDED and not lift:
            self._failed.pop(card_id, None)
            return None

        def write(card: Card, path: Path) -> Card:
            fresh = read_card(path, self._cards.root)
            stays = fresh.status == status or (fresh.status == SUSPENDED and not lift)
            if stays or fresh.id != card.id:
                return fresh
            text = with_field(fresh.source, "status", status, path)
            if event and (not before or with_field(text, "status", before, path) != fresh.source):
                lines = field_lines(fresh.source, "status"), field_lines(text, "status")
                self._record(event, StatusLines(event.id, *lines))
            return save_card(path, text, fresh.source, self._cards.root)

        return self._tried(card, status, write)

    def _tried(self, card: Card, status: str, write: Callable[[Card, Path], Card]) -> Card | None:
        """The card after `write`, where its file is another now; None also where that failed."""
        try:
            changed = card if card.path is None else write(card, card.path)
        except (CardError, JournalError) as error:
            known = error.problem if isinstance(error, CardError) else None
            problem = known or odd(card.path, str(error), "")
            message = f"`status: {status}` could not be written: {problem.message}"
            hint = f"{problem.hint} Schedule and journal are right all the same.".lstrip()
            self._failed[card.id] = odd(card.path, message, hint, problem.line)
            return None
        self._failed.pop(card.id, None)
        return changed if changed is not card and changed.id == card.id else None


def _met(event: Event) -> str:
    """The status that an answer met; "" of what does not say."""
    met = event.what.status if isinstance(event.what, Reviewed) else ""
    return met if met != SUSPENDED else ""
