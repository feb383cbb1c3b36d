"""Asks the deck for what the figures need; may take a while: not for the screen's thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from tui.plots.given import EVER, ExamGiven, Given, Reach, Ways, no_exam

if TYPE_CHECKING:
    from deck.collection import Collection

#: Called with what is being done, and which share of it is (0..1).
Progress = Callable[[str, float], None]


def query_of(search: str, course: str | None) -> str:
    """A search and a course, as one search."""
    if course is None:
        return search
    name = course.replace("\\", "\\\\").replace('"', '\\"')
    named = f'course:"{name}"'
    return f"{named} ({search})" if search.strip() else named


def gather(
    collection: Collection,
    now: datetime,
    reach: Reach,
    search: str = "",
    course: str | None = None,
    ways: Ways | None = None,
    progress: Progress = lambda _what, _share: None,
) -> Given:
    """All that takes no time of its own.  Raises SearchError."""

    def counted(_what: str, done: int, total: int) -> None:
        progress("Counting the answers", done / max(total, 1))

    query = query_of(search, course)
    days = min(reach.days, EVER)
    stats = collection.statistics(now, query, days, counted)
    config = collection.config if course is None else collection.config.of_course(course)
    return Given(
        stats, reach, config.desired_retention, ways or Ways(), collection.added(now, query)
    )


def with_exam(collection: Collection, given: Given, now: datetime, course: str | None) -> Given:
    """With the exam of the course, or else the next one; a plan takes a while."""
    from deck.figures import Exam, exams

    known = [(day, name) for day, name in exams(collection) if course in (None, name)]
    # The next one, and where all are over, the last.
    name = next((name for day, name in known if day >= given.today), known[-1][1] if known else "")
    if not name:
        return replace(given, exam=no_exam(given, course))
    found = Exam(collection, name, now)
    if found.days_left < 0 or not found.stakes:
        plan, sentence, chance = found.plan, "", None
    else:
        aim = found.reach
        plan, sentence = found.plan, aim.sentence if aim else ""
        chance = aim.chance if aim else None
    made = ExamGiven(
        name,
        found.today,
        found.day,
        found.target,
        found.if_stopped(),
        plan,
        found.rise(),
        sentence,
        chance,
    )
    return replace(given, exam=made)


def with_workload(collection: Collection, given: Given, progress: Progress) -> Given:
    """With a simulated year for each desired retention, or why there is none; takes seconds."""
    from deck.optimize.job import OptimizeError
    from deck.optimize.workload import workload

    standing = given.stats.standing
    items = standing.new + standing.learning + standing.relearning + standing.young
    ratings = {str(kind): counts for kind, counts in given.stats.ratings.items()}
    try:
        found = workload(
            items + standing.mature, collection.config, _plain(ratings), progress=progress
        )
    except OptimizeError as error:
        return replace(given, workload=str(error))
    return replace(given, workload=found)


def _plain(ratings: dict[str, tuple[int, int, int, int]]) -> dict[str, Sequence[int]]:
    return dict(ratings)
