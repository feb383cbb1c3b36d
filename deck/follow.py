"""Keeps `status:` in the card files with the schedule, and remembers where it could not."""

from __future__ import annotations

from collections.abc import Iterable

from cards.model import Card, CardError, Problem
from deck.errors import odd
from deck.event import Event, Reviewed
from deck.history import History
from deck.library import Library
from deck.status import SUSPENDED, status_of, write_status


class Follower:
    """The card files' `status:` lines follow the history.  Never an error: the journal counts."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._failed: dict[str, Problem] = {}

    @property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(self._failed.values())

    def forget(self) -> None:
        """A fresh look at the files begins."""
        self._failed.clear()

    def scheduled(self, card_id: str, history: History) -> str:
        """The status that the schedule gives the card."""
        return status_of(history.state(item.id) for item in self._library.outline_of(card_id).items)

    def follow(self, card_id: str, history: History) -> None:
        """After an answer: what the schedule says, unless the learner suspended the card."""
        self.follow_each([card_id], history)

    def follow_each(self, card_ids: Iterable[str], history: History) -> None:
        """`follow` of many, which the index looks at together."""
        self._write_each((each, self.scheduled(each, history), False) for each in card_ids)

    def finish(self, card: Card, review: Event, history: History) -> None:
        """What `follow` owes the card of the last answer, where a crash came between the two.

        The answer remembers the status that it met: any other line is the learner's, and stays.
        """
        if isinstance(review.what, Reviewed) and card.status == review.what.status:
            self.follow(card.id, history)

    def put_back(self, card_id: str, before: str, was: str, history: History) -> None:
        """After an undo: the status `was` that the answer met.

        Only where the line still is what the answer made it (`before`): a status that the learner
        set since then stays.
        """
        if self._library.outline_of(card_id).status == before:
            back = was if was and was != SUSPENDED else self.scheduled(card_id, history)
            self._write_each([(card_id, back, False)])

    def suspend_each(self, card_ids: Iterable[str], history: History) -> None:
        """After items were put aside or taken up: a card is aside when all its items are."""

        def status(card_id: str) -> str:
            items = self._library.outline_of(card_id).items
            aside = all(history.is_suspended(item.id) for item in items)
            return SUSPENDED if aside else self.scheduled(card_id, history)

        self._write_each((each, status(each), True) for each in card_ids)

    def _write_each(self, wanted: Iterable[tuple[str, str, bool]]) -> None:
        """Each a card's id, its status, and whether that lifts a suspension."""
        written = [card for each in wanted if (card := self._write(*each)) is not None]
        self._library.replace(*written)

    def _write(self, card_id: str, status: str, lift: bool) -> Card | None:
        """The card where its file is another now."""
        card = self._library.outline_of(card_id)
        if card.status == status and card_id not in self._failed:
            return None
        try:
            changed = write_status(card, status, lift, self._library.root)
        except CardError as error:
            message = f"`status: {status}` could not be written: {error.problem.message}"
            hint = f"{error.problem.hint} Schedule and journal are right all the same."
            line = error.problem.line
            self._failed[card_id] = odd(card.path, message, hint, line)
            return None
        self._failed.pop(card_id, None)
        return changed if changed is not card and changed.id == card_id else None
