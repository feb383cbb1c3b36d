"""What is exported: cards, their texts, what was done with them, and what is lost."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from cards.cloze import Cloze, find, render
from cards.model import Card, CardError, Item
from deck.collection import Collection
from deck.config import Config
from deck.decks import deck_path
from deck.events import Event, Interval, Practised, Reset, Reviewed
from deck.exchange.model import Lost
from deck.replay import (
    SUSPENDED,
    ItemState,
    Learning,
    New,
    ReplayCursor,
    Review,
    apply_event,
    undone_ids,
)
from deck.scheduler import recall
from deck.study_day import day_start, on_clock, study_day

# == What an export says of itself.


#: Of the same kind, so many places are kept; of more, how many there are.
_MOST = 1000


@dataclass(slots=True)
class Report:
    """Grows while a file is written."""

    format: str
    counts: dict[str, int] = field(default_factory=dict)
    """What was written: "cards", "items", "answers", "media", "events"."""
    lost: list[Lost] = field(default_factory=list)
    """What could not be expressed, each with its place: something is missing from the file."""
    more: int = 0
    """Those beyond the ones that are kept."""
    plain: Counter[str] = field(default_factory=Counter)
    """What the format has no place for, as a sentence, and of how many cards that is true."""
    _last: dict[str, str] = field(default_factory=dict)
    """Of each sentence, the card that it was last said of."""

    def count(self, what: str, number: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + number

    def lose(self, where: str, what: str) -> None:
        if len(self.lost) < _MOST:
            self.lost.append(Lost(where, what))
        else:
            self.more += 1

    def without(self, what: str, card: str = "") -> None:
        """`what`: a sentence; said of a `card` several times, it counts once."""
        if self._last.get(what) != card or not card:
            self._last[what] = card
            self.plain[what] += 1

    def as_dict(self) -> dict[str, Any]:
        """For JSON; the keys are stable."""
        return {
            "format": self.format,
            "written": self.counts,
            "lost": [{"where": lost.where, "what": lost.what} for lost in self.lost],
            "lost_more": self.more,
            "not_in_the_format": [{"what": w, "cards": n} for w, n in self.plain.items()],
        }


# == What is exported: cards in the order of their files, and the history of each item.


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
    track = ReplayCursor(item.id, collection.config)
    done = tuple(_followed(track, events))
    suspended = track.suspended or card.status == SUSPENDED
    return Past(item, done, track.state(), suspended, track.buried)


def _followed(track: ReplayCursor, events: Sequence[Event]) -> Iterator[Done]:
    undone = undone_ids(events)
    for event in events:
        if event.id in undone:
            continue
        what = event.what
        before = track.state() if isinstance(what, Reviewed | Practised | Reset) else None
        if isinstance(what, Reviewed):
            track.answer(what.rating, event.at, event.day, what.promise)
        else:
            apply_event(track, event)
        if before is not None:
            yield Done(event, before, track.state())


# == Values of cards and schedules as tables and JSON have them.


def utc(at: datetime) -> str:
    """ "2026-11-21T12:00:00.000Z"."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def on_its_clock(event: Event) -> str:
    """When it was, on the clock that the learner looked at: "2026-11-21T13:00:00.000+01:00"."""
    return on_clock(event.at, event.offset).isoformat(timespec="milliseconds")


def local(at: datetime, now: datetime) -> str:
    """ "2026-11-21T13:00:00+01:00", in the zone of `now`."""
    return at.astimezone(now.tzinfo).isoformat(timespec="seconds")


def state_name(state: ItemState) -> str:
    match state:
        case New():
            return "new"
        case Learning():
            return "relearning" if state.relearning else "learning"
    return "review"


def due_of(state: ItemState, now: datetime, config: Config) -> datetime | None:
    """When an item is due: a learning step to the second, a review when its study day begins."""
    match state:
        case Learning():
            return state.due
        case Review():
            return day_start(state.due_day, config.rollover, now)
    return None


def recall_of(state: ItemState, now: datetime, config: Config) -> float | None:
    """The chance of recall today; None of what was never learnt."""
    if isinstance(state, New):
        return None
    return recall(state, study_day(now, config.rollover), config)


def days_of(done: Done) -> int | None:
    """The study days that an answer led to; None where it led to a learning step."""
    what = done.event.what
    if isinstance(what, Reviewed) and isinstance(what.promise, Interval):
        return what.promise.days
    return done.after.interval if isinstance(done.after, Review) else None


def wait_of(done: Done) -> float | None:
    """The seconds of the learning step that an answer led to; None where it led to none."""
    if isinstance(done.after, Learning):
        return (done.after.due - done.after.reviewed).total_seconds()
    return None


def was_moved(past: Past) -> bool:
    """Whether the item is due on another day than its last answer said."""
    if not isinstance(past.state, Review):
        return False
    after = past.answers[-1].after if past.answers else None
    return not isinstance(after, Review) or after.due_day != past.state.due_day


# == The two sides of a card as Markdown, as every format shows them.


#: A hint that can stand in a formula as words.
_WORDS = re.compile(r"[\w\s,.;:!?'()/+=-]+")


def points_of(card: Card) -> str:
    """ "(5 p)", or nothing."""
    return "" if card.points is None else f"({card.points:g} p)"


def asked(card: Card) -> str:
    """The question with its points."""
    points = points_of(card)
    if not points:
        return card.question
    # What begins a block must stay at the beginning of its line.
    joint = " " if card.question[:1].isalnum() else "\n\n"
    return f"{points}{joint}{card.question}"


def with_gaps(card: Card) -> str:
    """What is asked, as it stands on paper: of clozes all at once, each with its hint."""
    if card.type != "cloze":
        return asked(card)
    text, at, parts = asked(card), 0, []
    for cloze in find(text).found:
        parts += [text[at : cloze.start], _gap(cloze)]
        at = cloze.end
    return "".join([*parts, text[at:]])


def _gap(cloze: Cloze) -> str:
    if not cloze.math:
        return f"[{cloze.hint or '...'}]"
    return rf"\boxed{{\text{{{cloze.hint if _WORDS.fullmatch(cloze.hint) else '...'}}}}}"


def without_gaps(card: Card) -> str:
    """The answer of clozes: the text with everything shown; of other cards nothing."""
    return render(card.question, find(card.question), None) if card.type == "cloze" else ""


def options(card: Card) -> list[tuple[str, str]]:
    """The letters and texts of what can be chosen."""
    return [(each.letter, each.text) for each in card.options if not each.placeholder]


def answered(card: Card) -> str:
    """The answer that the card's own solution does not show: a number of the frontmatter."""
    correct = card.correct.strip()
    if card.type != "numeric" or not correct or correct in card.solution:
        return ""
    tolerance = f" (± {card.tolerance})" if card.tolerance else ""
    return f"**Answer:** {correct}{tolerance}"
