"""Exams, and the optimiser's examples, of a whole collection."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from deck.days import study_day
from deck.errors import refusal
from deck.exam import Plan, Reach, Stake, best_next, make_plan, outlook, reach
from deck.exam.outlook import Outlook
from deck.exam.plan import Gain
from deck.fold import Answer
from deck.optimize.runs import Run, runs_of
from deck.session import pace_of

if TYPE_CHECKING:
    from deck.collection import Collection

#: Answers that are looked at for how long one takes.
_RECENT = 2000


def runs_of_collection(collection: Collection, now: datetime) -> list[Run]:
    """Every item's answers, deleted cards' included: they say as much about a memory."""
    ids = [*collection.search("", now), *(each.item_id for each in collection.deleted())]
    return runs_of(collection.answers(item) for item in ids)


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
        self.stakes = list(_stakes(collection, course))
        self.pace = pace_of(_recent(collection, self.stakes))

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


def _stakes(collection: Collection, course: str) -> Iterator[Stake]:
    for card in collection.cards.values():
        if card.course == course:
            for item in card.items:
                if not collection.is_suspended(item.id):
                    yield Stake.of(item.id, card, collection.state(item.id))


def _recent(collection: Collection, stakes: list[Stake]) -> list[Answer]:
    answers = [a for stake in stakes for a in collection.answers(stake.item_id)]
    answers.sort(key=lambda answer: answer.event.id)
    return answers[-_RECENT:]
