"""What is expected of the exams to come.  Asked from threads, so plain values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from deck.collection import Collection
    from deck.config import Config
    from deck.figures import Exam

#: So many exams stand beside the decks.
_MOST = 3


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


class _Planned(NamedTuple):
    """What a plan leads to; it holds for the study day, whatever is answered on it."""

    day: date
    config: Config
    expected: float
    reached: bool


class Exams:
    """Plans take seconds where a course has thousands of items: each is made once a study day."""

    def __init__(self) -> None:
        self._planned: dict[str, _Planned] = {}

    def lines(self, collection: Collection, now: datetime) -> tuple[ExamLine, ...]:
        """The next exams, the nearest first."""
        return tuple(self._lines(collection, now))

    def _lines(self, collection: Collection, now: datetime) -> Iterator[ExamLine]:
        from deck.figures import Exam

        for course in coming(collection, now)[:_MOST]:
            exam = Exam(collection, course, now)
            stopped = exam.if_stopped()
            planned = self._plan(exam)
            yield ExamLine(
                course,
                exam.day,
                exam.days_left,
                max(planned.expected, stopped.expected),
                stopped.expected,
                stopped.points,
                exam.target,
                planned.reached,
            )

    def _plan(self, exam: Exam) -> _Planned:
        known = self._planned.get(exam.course)
        if known is None or (known.day, known.config) != (exam.today, exam.config):
            reached = exam.reach is None or exam.reach.reached
            expected = exam.plan.outlook.expected
            known = _Planned(exam.today, exam.config, expected, reached)
            self._planned[exam.course] = known
        return known


def coming(collection: Collection, now: datetime) -> list[str]:
    """The courses with an exam today or later, the nearest first."""
    if not any(course.exam for course in collection.config.courses.values()):
        return []
    from deck.figures import exams
    from deck.study_day import study_day

    today = study_day(now, collection.config.rollover)
    return [course for day, course in exams(collection) if day >= today]
