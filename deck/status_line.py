"""The status: line in card files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

from cards.model import Card, CardError, Problem
from deck.cards import Library
from deck.errors import JournalError, odd
from deck.events import Event, Reviewed, StatusLines
from deck.history import History
from deck.replay import SUSPENDED, status_of

# == The line `status:` of a card file: what the schedule says, for whoever reads the file.


def write_status(
    card: Card,
    root: Path,
    status: str,
    lift: bool,
    was: str,
    keep: Callable[[str, str], None] | None,
) -> Card:
    """The card after its file's `status:` was set; only that line of the file changes.

    The file is read first: what the learner wrote meanwhile stays, and so does a suspension there,
    unless `lift`.  An undo puts the word `was` back; where that would not give the file as it is,
    `keep` hears the lines before and after, first.

    Raises:
        CardError: the file cannot be read or written, or is outside of `root`; it is as it was.
        JournalError: from `keep`; the same.
    """
    from cards.edit import (
        field_lines,
        save_card,
        with_field,  # most starts need no parser
    )
    from cards.parse import read_card

    if card.path is None or (card.status == SUSPENDED and not lift):
        return card
    fresh = read_card(card.path, root)
    stays = fresh.status == status or (fresh.status == SUSPENDED and not lift)
    if stays or fresh.id != card.id:
        return fresh
    text = with_field(fresh.source, "status", status, card.path)
    if keep and (not was or with_field(text, "status", was, card.path) != fresh.source):
        keep(field_lines(fresh.source, "status"), field_lines(text, "status"))
    return save_card(card.path, text, fresh.source, root)


def put_lines_back(card: Card, kept: StatusLines, root: Path) -> Card:
    """The card after its `status:` is as it was; the learner's changes since then stay.

    Raises:
        CardError: the file cannot be read or written; it is as it was.
    """
    from cards.edit import field_lines, save_card, with_field_lines
    from cards.parse import read_card

    if card.path is None:
        return card
    fresh = read_card(card.path, root)
    if fresh.id != card.id or field_lines(fresh.source, "status") != kept.after:
        return fresh
    text = with_field_lines(fresh.source, "status", kept.before, card.path)
    return save_card(card.path, text, fresh.source, root)


# == Keeps `status:` in the card files with the schedule, and remembers where it could not.


class Follower:
    """The card files' `status:` lines follow the history.  Never an error: the journal counts."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self.keep: Callable[[Event, StatusLines], None]
        """Records the lines that were there before a status follows an event."""
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

    def _keep(self, event: Event, before: str, after: str) -> None:
        self.keep(event, StatusLines(event.id, before, after))

    def follow(self, events: Mapping[str, Event], history: History) -> None:
        """After answers, by card id: what the schedule says, unless the learner suspended the card.

        The index looks at them together.
        """
        wanted = ((c, self.scheduled(c, history), e) for c, e in events.items())
        self._write_each((c, status, False, e, _met(e)) for c, status, e in wanted)

    def finish(self, card: Card, review: Event, history: History) -> None:
        """What `follow` owes the card of the last answer, where a crash came between the two.

        The answer remembers the status that it met: any other line is the learner's, and stays.
        """
        if isinstance(review.what, Reviewed) and card.status == review.what.status:
            self.follow({card.id: review}, history)

    def put_back(self, card_id: str, before: str, was: str, history: History) -> None:
        """After an undo: the status `was` that the answer met.

        Only where the line still is what the answer made it (`before`): a status that the learner
        set since then stays.
        """
        if self._library.outline_of(card_id).status == before:
            back = was if was and was != SUSPENDED else self.scheduled(card_id, history)
            self._write_each([(card_id, back, False, None, "")])

    def put_lines_back(self, card_id: str, kept: StatusLines) -> None:
        """After an undo: the lines that were there."""
        card, root = self._library.outline_of(card_id), self._library.root
        changed = self._tried(card, kept.before, lambda: put_lines_back(card, kept, root))
        self._library.replace(*([changed] if changed is not None else []))

    def suspend_each(self, events: Mapping[str, Event], history: History) -> None:
        """After items were put aside or taken up: a card is aside when all its items are."""

        def wanted(card_id: str, event: Event) -> tuple[str, str, bool, Event | None, str]:
            items = self._library.outline_of(card_id).items
            status = self.scheduled(card_id, history)
            if all(history.is_suspended(item.id) for item in items):
                return card_id, SUSPENDED, True, event, status
            return card_id, status, True, None, ""

        self._write_each(wanted(*each) for each in events.items())

    def _write_each(self, wanted: Iterable[tuple[str, str, bool, Event | None, str]]) -> None:
        """Each a card's id, its status, whether that lifts a suspension, and what it follows (None:
        nothing that can be undone), with the word that an undo of that would write."""
        written = [card for each in wanted if (card := self._write(*each)) is not None]
        self._library.replace(*written)

    def _write(
        self, card_id: str, status: str, lift: bool, event: Event | None, was: str
    ) -> Card | None:
        """The card where its file is another now."""
        card = self._library.outline_of(card_id)
        if card.status == status and card_id not in self._failed:
            return None
        keep = None if event is None else partial(self._keep, event)
        root = self._library.root
        return self._tried(card, status, lambda: write_status(card, root, status, lift, was, keep))

    def _tried(self, card: Card, status: str, write: Callable[[], Card]) -> Card | None:
        try:
            changed = write()
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
