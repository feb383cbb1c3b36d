"""What home shows of the decks and the day.  Asked from threads, so plain values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cards.model import Problem
    from deck.collection import Collection

_PRIVATE = ".deltadeck"


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
    next_due: datetime | None
    """When there is something again."""
    more_new: bool
    """Whether new items wait behind the day's limits."""
    done: int
    """Answers of this study day."""
    studied: float
    """Minutes of it."""
    problems: tuple[Problem | Trouble, ...]
    gone: bool
    """Whether the folder is not there."""
    made: datetime
    """When it was asked for."""
    until: datetime
    """When it holds no longer, even if nobody does anything."""
    stamp: list[Any]
    """Of the files, from before they were asked: other files, other figures."""

    @property
    def holds(self) -> tuple[object, ...]:
        """What all other figures of home rest on: while this is the same, they are."""
        return self.until, self.stamp, self.rows


def overview(collection: Collection, now: datetime) -> Overview:
    """The collection as it is at `now`; nothing is parsed for it."""
    found = stamp(collection.root)
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
        next_due=queue.next_due,
        more_new=bool(waiting),
        done=done.reviewed,
        studied=done.minutes,
        problems=collection.problems,
        gone=not collection.root.is_dir(),
        made=now,
        until=_until(collection, queue.next_due, now),
        stamp=found,
    )


def _until(collection: Collection, next_due: datetime | None, now: datetime) -> datetime:
    """The end of the study day, or the next learning step where that is sooner."""
    from deck.study_day import day_start, study_day

    rollover = collection.config.rollover
    ends = day_start(study_day(now, rollover) + timedelta(days=1), rollover, now)
    return min(ends, next_due) if next_due else ends


def stamp(folder: Path) -> list[Any]:
    """Sizes and times of the settings and of every file of the journal, as JSON has them."""
    private = folder / _PRIVATE
    files = [private / "config.toml", *sorted(private.glob("journal/*/*.jsonl"))]
    return [_stat(path) for path in files]


def _stat(path: Path) -> list[Any]:
    try:
        found = path.stat()
    except OSError:
        return [path.name]
    return [path.name, found.st_size, found.st_mtime_ns]
