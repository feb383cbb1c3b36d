"""The line `status:` of a card file follows the schedule, for whoever reads the file.

It is a convenience: where it cannot be written, that is a problem and never an error, because the
journal counts.  What the learner wrote stays: other lines, a suspension, and a status that is not
what the schedule put there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from cards.files import TextChange, read_text, write_texts
from cards.model import Card, CardError, Problem
from deck.cards import CardStore
from deck.errors import JournalError, odd
from deck.events import Event, Reset, Reviewed, StatusLines, Suspended, Undone
from deck.history import History
from deck.replay import SUSPENDED, status_of

Edit = Callable[[Card, str], str | None]
"""Makes another text of a card's: given its frontmatter and its text; None where it stays."""


class _Wanted(NamedTuple):
    """A change of a card's file."""

    card: Card
    """As the index has it."""
    status: str
    edit: Edit
    event: Event | None = None
    """What the line follows.  Where an undo of it by the word `before` ("" for none) would not give
    the file as it is, the file's lines are recorded first."""
    before: str = ""


class StatusLineWriter:
    """Keeps `status:` in the card files with the history.

    `record` takes the lines that cards have before they follow events, to record them.
    """

    def __init__(
        self,
        cards: CardStore,
        history: History,
        record: Callable[[Sequence[tuple[Event, StatusLines]]], None],
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

    def cancel(self, card_id: str, answer: Event) -> bool:
        """The line need not follow this answer any more; whether it still was to."""
        with self._writing, self._changing:
            known = self._owed.get(card_id)
            if known is None or known.id != answer.id:
                return False
            del self._owed[card_id]
            self.failed.pop(card_id, None)
            return True

    def settle(self, writes: bool) -> str:
        """Writes the lines that are owed (drops them, without `writes`); the id of the last answer
        that they follow, or ""."""
        with self._writing:
            with self._changing:
                owed = dict(self._owed)
            if writes and owed:
                gone = self._history.taken_back(owed.values())
                self.follow([event for event in owed.values() if event.id not in gone])
            with self._changing:
                for card, event in owed.items():
                    if self._owed.get(card) is event:
                        del self._owed[card]
        return max((event.id for event in owed.values()), default="")

    def scheduled(self, card: Card) -> str:
        """The status that the schedule gives the card."""
        return status_of(self._history.state(item.id) for item in card.items)

    def follow(self, events: Sequence[Event]) -> None:
        """After answers, at most one a card: what the schedule says, unless the learner suspended
        the card."""
        cards = self._cards.outlines([event.item for event in events])
        there = [(cards[event.item], event) for event in events if event.item in cards]
        self._write(
            self._line(card, self.scheduled(card), event, before=_met(event))
            for card, event in there
        )

    def follow_others(self, recorded: Iterable[tuple[Event, Card]], writes: bool) -> None:
        """After events that are no answers, each with its item's card as it was before.

        Without `writes` the lines are left alone, but for one that says "suspended" and is to be
        lifted: it would hold the card back for ever.
        """
        suspensions: dict[str, tuple[Card, Event]] = {}
        resets: dict[str, Event] = {}
        back: dict[str, _Wanted] = {}
        for event, card in recorded:
            match event.what:
                case Suspended(True) if writes:
                    suspensions[card.id] = card, event
                case Suspended(False) if writes or card.status == SUSPENDED:
                    if found := self._lines_back(card, self._before_suspensions(card)):
                        back[card.id] = found
                    else:
                        suspensions[card.id] = card, event
                case Reset() if writes:
                    resets[card.id] = event
                case Undone(target) if writes:
                    if found := self._lines_back(card, self._lines_before(event.item, target)):
                        back[card.id] = found
        self._write(back.values())
        self._write(self._suspension(*each) for each in suspensions.values())
        self.follow(list(resets.values()))

    def take_back(self, review: Event, before: str, met: str) -> None:
        """After an undo of a review: the lines that were recorded before it; else the status that
        it `met`, where the line still is what it made of it (`before`)."""
        card = self._cards.outline(review.item)
        back = self._lines_back(card, self._lines_before(review.item, review.id))
        if back is None and card.status == before:
            answers = (answer for item in card.items for answer in self._history.answers(item.id))
            is_last = all(answer.event.id < review.id for answer in answers)
            is_word = is_last and met and met != SUSPENDED
            back = self._line(card, met if is_word else self.scheduled(card))
        self._write([back])

    def _lines_back(self, card: Card, recorded: Iterable[StatusLines]) -> _Wanted | None:
        """Gives a card the lines that were recorded, unless the learner changed them since; None
        where none were."""
        from cards.edit import field_lines, with_field_lines

        kept = next(iter(recorded), None)
        if kept is None:
            return None

        def edit(card: Card, text: str) -> str | None:
            if field_lines(text, "status") != kept.after:
                return None
            return with_field_lines(text, "status", kept.before, card.path)

        return _Wanted(card, kept.before, edit)

    def _lines_before(self, item_id: str, target: str) -> list[StatusLines]:
        """The lines that were recorded before they followed the event `target` of an item."""
        return _lines_in(self._history.events(item_id), target)

    def _before_suspensions(self, card: Card) -> Iterator[StatusLines]:
        """Those that were recorded before the last suspension of each of a card's items."""
        for item in card.items:
            events = self._history.events(item.id)
            for last in [e for e in events if isinstance(e.what, Suspended) and e.what.on][-1:]:
                yield from _lines_in(events, last.id)

    def _suspension(self, card: Card, event: Event) -> _Wanted | None:
        """A card is suspended when all its items are."""
        status = self.scheduled(card)
        if all(self._history.folded(item.id).suspended for item in card.items):
            return self._line(card, SUSPENDED, event, lift=True, before=status)
        return self._line(card, status, lift=True)

    def _line(
        self,
        card: Card,
        status: str,
        event: Event | None = None,
        lift: bool = False,
        before: str = "",
    ) -> _Wanted | None:
        """Only the one line of the file changes; None where it says so already.

        `lift`: a suspension in the file gives way.
        """
        from cards.edit import with_field  # most starts need no parser

        if card.status == status and card.id not in self.failed:
            return None
        if card.status == SUSPENDED and not lift:
            self.failed.pop(card.id, None)
            return None

        def edit(card: Card, text: str) -> str | None:
            if card.status == status or (card.status == SUSPENDED and not lift):
                return None
            return with_field(text, "status", status, card.path)

        return _Wanted(card, status, edit, event, before)

    def _write(self, wanted: Iterable[_Wanted | None]) -> None:
        """Changes the files as they are now, but for one that is another card's; several wait for
        the disk at once.  The index looks at them together."""
        with self._writing:
            ready = list(self._edited(each for each in wanted if each is not None))
            lines = [(each.event, kept) for each, _, _, kept in ready if each.event and kept]
            try:
                if lines:
                    self._record(lines)
            except JournalError as error:
                for each, *_, kept in ready:
                    if kept is not None:
                        self._fail(each, odd(each.card.path, str(error), ""))
                ready = [each for each in ready if each[-1] is None]
            written = write_texts((change for _, change, *_ in ready), self._cards.root)
            done = []
            for (each, change, status, _), refusal in zip(ready, written, strict=True):
                if refusal is None:
                    self.failed.pop(each.card.id, None)
                    done.append((change, status))
                else:
                    self._fail(each, refusal.problem)
            if done:
                self._cards.take_up(done)

    def _edited(
        self, wanted: Iterable[_Wanted]
    ) -> Iterator[tuple[_Wanted, TextChange, str, StatusLines | None]]:
        """The files that are to be others, the status that they say then, and the lines to be
        recorded before."""
        from cards.parse import parse_header

        for each in wanted:
            path = each.card.path
            assert path is not None
            try:
                text = read_text(path, self._cards.root)
                card = parse_header(text, path)
                new = each.edit(card, text) if card.id == each.card.id else None
                if new is not None:
                    change, status = TextChange(path, new, text), parse_header(new).status
                    yield each, change, status, _lines_of(each, text, new)
                    continue
                self.failed.pop(each.card.id, None)
                if card.id == each.card.id:  # it says something else than the index
                    self._cards.scan_files([path])
            except CardError as error:
                self._fail(each, error.problem)

    def _fail(self, wanted: _Wanted, problem: Problem) -> None:
        message = f"`status: {wanted.status}` could not be written: {problem.message}"
        hint = f"{problem.hint} Schedule and journal are right all the same.".lstrip()
        self.failed[wanted.card.id] = odd(wanted.card.path, message, hint, problem.line)


def _lines_in(events: Iterable[Event], target: str) -> list[StatusLines]:
    """The lines that were recorded before they followed the event `target`."""
    lines = [event.what for event in events if isinstance(event.what, StatusLines)]
    return [each for each in lines if each.target == target]


def _lines_of(wanted: _Wanted, text: str, new: str) -> StatusLines | None:
    """The lines before and after, where an undo could not tell them."""
    from cards.edit import field_lines, with_field

    if wanted.event is None or (
        wanted.before and with_field(new, "status", wanted.before, wanted.card.path) == text
    ):
        return None
    return StatusLines(wanted.event.id, field_lines(text, "status"), field_lines(new, "status"))


def _met(event: Event) -> str:
    """The status that an answer met; "" of what does not say."""
    met = event.what.status if isinstance(event.what, Reviewed) else ""
    return met if met != SUSPENDED else ""
