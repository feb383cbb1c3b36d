"""`deltadeck exam [COURSE]`: what is expected on the day of an exam, and what to study for it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tui.commands.common import UsageError, add_folder, add_json, open_collection, print_json
from tui.commands.sessions import course_of

if TYPE_CHECKING:
    from deck.collection import Collection
    from deck.exam.outlook import Outlook
    from deck.exam.plan import Gain
    from deck.figures import Exam

#: So many items are named as the next ones.
_NEXT = 5


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "course", nargs="?", metavar="COURSE", help="the course (default: all that have an exam)"
    )
    parser.add_argument("--plan", action="store_true", help="list the days with their items")
    add_folder(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """0 every target can be reached (or none is named), 1 one cannot."""
    from deck.figures import Exam
    from tui.clock import now as clock

    collection, now = open_collection(args.folder), clock()
    found = [Exam(collection, name, now) for name in _courses(collection, args.course)]
    if args.json:
        print_json([_as_dict(exam, args.plan) for exam in found])
    else:
        for exam in found:
            for row in _lines(exam, args.plan):
                print(row)
    short = any(exam.reach is not None and not exam.reach.reached for exam in found)
    return 1 if short else 0


def _courses(collection: Collection, course: str | None) -> list[str]:
    from deck.figures import exams
    from tui.clock import now as clock

    if course is not None:
        return [course_of(collection, course, clock())]
    names = [name for _, name in exams(collection)]
    if not names:
        raise UsageError(
            f"No course in {collection.root.absolute()} has an exam: "
            "`deltadeck config exam 2027-01-20 --course NAME` sets one."
        )
    return names


def _lines(exam: Exam, whole: bool) -> Iterator[str]:
    from tui.text import visible

    plan, reach = exam.plan, exam.reach
    days = f"in {exam.days_left} days" if exam.days_left > 0 else "today or before"
    yield f"{visible(exam.course)}: exam on {exam.day}, {days}"
    yield f"  if you stop now   {_points(exam.if_stopped())}"
    yield f"  with the plan     {_points(plan.outlook)}, {plan.minutes / 60:.1f} h in all"
    if reach is not None:
        yield f"  {reach.sentence}"
    if exam.days_left > 0:
        for gain in exam.next()[:_NEXT]:
            yield f"  next: {gain.item_id}  +{gain.points:.2f} p in {gain.minutes:.1f} min"
    for day in plan.days if whole else ():
        yield f"  {day.day}  {day.minutes:5.1f} min  {len(day.items):3} items, {day.new} new"


def _points(found: Outlook) -> str:
    return (
        f"{found.expected:.1f} of {found.points:g} p expected, "
        f"{found.low:.0f} to {found.high:.0f} in four of five exams"
    )


def _as_dict(exam: Exam, whole: bool) -> dict[str, Any]:
    plan, reach = exam.plan, exam.reach
    said: dict[str, Any] = {
        "course": exam.course,
        "exam": exam.day.isoformat(),
        "days": exam.days_left,
        "now": _outlook(exam.if_stopped()),
        "plan": _outlook(plan.outlook) | {"minutes": plan.minutes},
        "next": [_gain(gain) for gain in exam.next()[:_NEXT]] if exam.days_left > 0 else [],
    }
    if reach is not None:
        said["target"] = {
            "points": reach.target,
            "reached": reach.reached,
            "chance": reach.chance,
            "minutes_needed": reach.minutes_needed,
            "sentence": reach.sentence,
        }
    if whole:
        said["days_of_plan"] = [
            {"day": day.day.isoformat(), "items": list(day.items), "minutes": day.minutes}
            for day in plan.days
        ]
    return said


def _gain(gain: Gain) -> dict[str, Any]:
    return {"item": gain.item_id, "points": gain.points, "minutes": gain.minutes}


def _outlook(found: Outlook) -> dict[str, float]:
    return {
        "expected": found.expected,
        "deviation": found.deviation,
        "low": found.low,
        "high": found.high,
        "points": found.points,
    }
