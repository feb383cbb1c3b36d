"""What home shows of the decks and the day.  Asked from threads, so plain values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tui.today import back_again, estimate

if TYPE_CHECKING:
    from cards.model import Problem
    from deck import Collection


@dataclass(frozen=True, slots=True)
class Row:
    """A deck of the tree."""

    name: str
    key: str | None
    """None for all decks."""
    depth: int
    counts: tuple[int, int, int]
    """New, learning, due."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """All that home shows of a problem."""

    severity: str


@dataclass(frozen=True, slots=True)
class Overview:
    rows: tuple[Row, ...]
    left: int
    """What can be studied now."""
    minutes: int
    """About how long that takes."""
    back: str
    """When there is something again, in a sentence."""
    more_new: bool
    """Whether new items wait behind the day's limits."""
    done: int
    """Answers of this study day."""
    studied: float
    """Minutes of it."""
    problems: tuple[Problem | Trouble, ...]
    gone: bool
    """Whether the folder is not there."""
    until: datetime
    """When it holds no longer, even if nobody does anything."""


def overview(collection: Collection, now: datetime) -> Overview:
    """The collection as it is at `now`; nothing is parsed for it."""
    decks = collection.decks(now)
    queue, done = collection.queue(now), collection.today(now)
    rows = [Row(d.name, d.key, d.depth, (d.new, d.learning, d.due)) for d in decks]
    if sum(row.depth == 0 for row in rows) > 1:
        counts = queue.counts
        rows.insert(0, Row("All decks", None, 0, (counts.new, counts.learning, counts.due)))
    left = len(queue.entries)
    waiting = not left and collection.search("is:new -is:suspended -is:buried", now)
    return Overview(
        rows=tuple(rows),
        left=left,
        minutes=estimate(left, done.reviewed, done.minutes),
        back=back_again(queue.next_due, now),
        more_new=bool(waiting),
        done=done.reviewed,
        studied=done.minutes,
        problems=collection.problems,
        gone=not collection.root.is_dir(),
        until=_until(collection, queue.next_due, now),
    )


def _until(collection: Collection, next_due: datetime | None, now: datetime) -> datetime:
    """The end of the study day, or the next learning step where that is sooner."""
    from deck.days import study_day

    rollover = collection.config.rollover
    tomorrow = study_day(now, rollover) + timedelta(days=1)
    ends = datetime.combine(tomorrow, rollover, now.tzinfo)
    return min(ends, next_due) if next_due else ends
