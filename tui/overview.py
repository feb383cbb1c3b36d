"""What home shows: the decks, the day, the exams.  Asked from threads, so plain values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING

from tui.today import back_again, estimate

if TYPE_CHECKING:
    from cards.model import Problem
    from deck import Collection

#: So many exams stand beside the decks.
_EXAMS = 3


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
    problems: tuple[Problem, ...]
    gone: bool
    """Whether the folder is not there."""


@dataclass(frozen=True, slots=True)
class ExamLine:
    """One exam that is still to come."""

    course: str
    day: date
    days: int
    """0 on the day itself."""
    expected: float
    """Points, if the plan is kept."""
    stopped: float
    """Points, if nothing more is studied."""
    points: float
    """All that the cards hold."""
    target: float | None
    reached: bool
    """Whether the plan leads to the target (also where there is none)."""


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
    )


def exam_lines(collection: Collection, now: datetime) -> tuple[ExamLine, ...]:
    """The next exams, the nearest first."""
    return tuple(_exams(collection, now))


def _exams(collection: Collection, now: datetime) -> Iterator[ExamLine]:
    from deck.days import study_day
    from deck.figures import Exam, exams

    today = study_day(now, collection.config.rollover)
    coming = [name for day, name in exams(collection) if day >= today]
    for course in coming[:_EXAMS]:
        exam = Exam(collection, course, now)
        stopped, plan = exam.if_stopped(), exam.plan
        reached = exam.reach is None or exam.reach.reached
        yield ExamLine(
            course,
            exam.day,
            exam.days_left,
            plan.outlook.expected,
            stopped.expected,
            plan.outlook.points,
            exam.target,
            reached,
        )
