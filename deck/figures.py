"""Exams of a whole collection."""

from __future__ import annotations

from datetime import date, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from deck.errors import refusal
from deck.exam.outlook import Outlook, outlook
from deck.exam.plan import Gain, Plan, best_next, make_plan
from deck.exam.reach import Reach, reach
from deck.exam.rise import Stand, rise
from deck.optimize.runs import runs_of_collection as runs_of_collection
from deck.study_day import study_day

if TYPE_CHECKING:
    from deck.collection import Collection


class Exam:
    """The exam of one course, as it looks on the study day of `now`."""

    def __init__(self, collection: Collection, course: str, now: datetime) -> None:
        """Raises CollectionError where the settings name no exam of the course."""
        own = collection.config.courses.get(course)
        if own is None or own.exam is None:
            message = f"The settings name no exam of the course {course!a}."
            hint = f'Write `[courses."{course}"]` and below it `exam = 2027-01-20`.'
            raise refusal(collection.root / ".deltadeck" / "config.toml", message, hint)
        self.course, self.day, self.target = course, own.exam, own.target
        self.config = collection.config.of_course(course)
        self.today = study_day(now, self.config.rollover)
        self.stakes, self.pace = collection.stakes(course)

    @property
    def days_left(self) -> int:
        """0 on the day of the exam, below 0 after it."""
        return (self.day - self.today).days

    def if_stopped(self) -> Outlook:
        """What is expected if nothing more is studied."""
        return outlook(self.stakes, self.day, self.config)

    @cached_property
    def plan(self) -> Plan:
        if self.reach is not None:
            return self.reach.plan
        return make_plan(self.stakes, self.day, self.today, self.config, self.pace)

    def rise(self) -> tuple[Stand, ...]:
        """Expected points on the day of the exam while the plan is kept, day by day."""
        return rise(self.stakes, self.plan, self.today, self.config)

    def next(self) -> list[Gain]:
        """What to study now for most points per minute."""
        return best_next(self.stakes, self.day, self.today, self.config, self.pace)

    @cached_property
    def reach(self) -> Reach | None:
        """Whether the target can be reached; None where the settings name none."""
        if self.target is None:
            return None
        given = (self.stakes, self.day, self.today, self.config, self.target, self.pace)
        return reach(*given)


def exams(collection: Collection) -> list[tuple[date, str]]:
    """Day and course of every exam, the next one first."""
    courses = collection.config.courses.items()
    return sorted((course.exam, name) for name, course in courses if course.exam is not None)
