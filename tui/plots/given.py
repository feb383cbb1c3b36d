"""What the figures are made from: plain data of the deck, and the span they are about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple

from tui.plots.days import long_day

if TYPE_CHECKING:
    from deck.exam.outlook import Outlook
    from deck.exam.plan import Plan
    from deck.exam.rise import Stand
    from deck.optimize.workload import Workload
    from deck.stats.report import Statistics

#: More than anyone has studied: the span "all".
EVER = 36_500


class Reach(NamedTuple):
    """How far back and ahead the figures look."""

    name: str
    days: int

    @property
    def words(self) -> str:
        """ "13 weeks", as in "the last ..." and "the next ..."."""
        return f"{self.days // 7} weeks" if self.days % 7 == 0 else f"{self.days} days"


#: Whole weeks, so that a bin of a week is never cut.
REACHES = (Reach("month", 28), Reach("quarter", 91), Reach("year", 364), Reach("all", EVER))
YEAR = REACHES[2]


@dataclass(frozen=True, slots=True)
class ExamGiven:
    """The exam of a course (`deck.figures.Exam`)."""

    course: str
    today: date
    day: date
    target: float | None
    stopped: Outlook
    plan: Plan
    rise: tuple[Stand, ...]
    sentence: str
    """Whether the target can be reached; empty where there is none."""
    chance: float | None
    """Of at least the target, if the plan is kept."""


@dataclass(frozen=True, slots=True)
class Ways:
    """The next step, in sentences that fit the place: a screen names keys, the shell commands."""

    study: str = ""
    longer: str = ""
    check: str = ""
    add: str = ""
    exam: str = ""


@dataclass(frozen=True, slots=True)
class Given:
    stats: Statistics
    reach: Reach
    asked: float
    """The desired retention."""
    ways: Ways = field(default_factory=Ways)
    added: Mapping[date, int] = field(default_factory=dict)
    exam: ExamGiven | str = ""
    """A sentence where there is none, or not yet."""
    workload: Workload | str = ""
    """A sentence where there is none, or not yet."""

    @property
    def today(self) -> date:
        return self.stats.today

    @property
    def first(self) -> date:
        """The first day of the span; of "all", the first with an answer."""
        if self.reach.days < EVER:
            return self.stats.since
        first = min((day.day for day in self.stats.days), default=self.today)
        return min(first, self.today - timedelta(days=6))

    @property
    def last_span(self) -> str:
        """ "in the last 13 weeks", "since 3 Mar 2026"."""
        if self.reach.days < EVER:
            return f"in the last {self.reach.words}"
        return f"since {long_day(self.first)}"

    def nothing(self, what: str) -> str:
        """Where the span holds nothing: what will be here, and the way to it."""
        known = any(each.all.of for each in self.stats.retention) or self.stats.streak.studied
        way = self.ways.longer if known and self.reach.days < EVER else self.ways.study
        when = f" {self.last_span}" if known else " yet"
        return f"Nothing{when}: {what} {way}".rstrip()


def no_exam(given: Given, course: str | None = None) -> str:
    """What stands here where no course, or not this one, has an exam."""
    said = f"{course or 'No course'} has {'no' if course else 'an'} exam yet: "
    said += "the points you can expect on its day will stand here."
    return f"{said} {given.ways.exam}".rstrip()
