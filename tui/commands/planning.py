"""`deltadeck exam` and `optimize`: what to study for an exam, and the schedule's parameters."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Any

from deck.collection import Collection
from deck.exam import Exam, Outlook
from deck.optimize import adopt, fit, reschedule, runs_of_collection, workload
from tui.commands import UsageError
from tui.commands.common import show_share, tell, wiped_progress
from tui.commands.lookup import find_course, open_collection
from tui.text import now as clock
from tui.text import visible

#: How many items are named as the next ones to study for an exam.
_NEXT = 5


def run_exam(args: argparse.Namespace) -> int:
    """0 every target can be reached (or none is named), 1 one cannot."""
    collection, now = open_collection(args.folder)
    found = [collection.exam(name, now) for name in _courses(collection, args.course, now)]
    value = [_exam_dict(exam, args.plan) for exam in found] if args.json else None
    tell(args, value, *(_exam_lines(exam, args.plan) for exam in found))
    short = any(exam.reach is not None and not exam.reach.reached for exam in found)
    return 1 if short else 0


def _courses(collection: Collection, course: str | None, now: datetime) -> list[str]:
    if course is not None:
        return [find_course(collection, course, now)]
    names = [name for _, name in collection.config.exams()]
    if not names:
        raise UsageError(
            f"No course in {collection.root.absolute()} has an exam: "
            "`deltadeck config exam 2027-01-20 --course NAME` sets one."
        )
    return names


def _exam_lines(exam: Exam, with_days: bool) -> Iterator[str]:
    plan = exam.plan
    days = f"in {exam.days_left} days" if exam.days_left > 0 else "today or before"
    yield f"{visible(exam.course)}: exam on {exam.day}, {days}"
    yield f"  if you stop now   {_points(exam.if_stopped())}"
    yield f"  with the plan     {_points(plan.outlook)}, {plan.minutes / 60:.1f} h in all"
    if exam.reach is not None:
        yield f"  {exam.reach.sentence}"
    for item in _next(exam):
        yield f"  next: {item['item']}  +{item['points']:.2f} p in {item['minutes']:.1f} min"
    for day in plan.days if with_days else ():
        yield f"  {day.day}  {day.minutes:5.1f} min  {len(day.items):3} items, {day.new} new"


def _points(found: Outlook) -> str:
    return (
        f"{found.expected:.1f} of {found.points:g} p expected, "
        f"{found.low:.0f} to {found.high:.0f} in four of five exams"
    )


def _next(exam: Exam) -> list[dict[str, Any]]:
    gains = exam.next()[:_NEXT] if exam.days_left > 0 else ()
    return [{"item": g.item_id, "points": g.points, "minutes": g.minutes} for g in gains]


def _exam_dict(exam: Exam, with_days: bool) -> dict[str, Any]:
    """The keys are stable."""
    plan, reach = exam.plan, exam.reach
    said: dict[str, Any] = {
        "course": exam.course,
        "exam": exam.day.isoformat(),
        "days": exam.days_left,
        "now": _outlook_dict(exam.if_stopped()),
        "plan": _outlook_dict(plan.outlook) | {"minutes": plan.minutes},
        "next": _next(exam),
    }
    if reach is not None:
        said["target"] = {
            "points": reach.target,
            "reached": reach.reached,
            "chance": reach.chance,
            "minutes_needed": reach.minutes_needed,
            "sentence": reach.sentence,
        }
    if with_days:
        said["days_of_plan"] = [
            {"day": day.day.isoformat(), "items": list(day.items), "minutes": day.minutes}
            for day in plan.days
        ]
    return said


def _outlook_dict(found: Outlook) -> dict[str, float]:
    keys = ("expected", "deviation", "low", "high", "points")
    return {key: getattr(found, key) for key in keys}


# optimize


def run_optimize(args: argparse.Namespace) -> int:
    """0 better parameters were found (or: the workload is printed), 1 the old ones stay."""
    if args.reschedule and not args.apply:
        raise UsageError("--reschedule goes with --apply.")
    collection, now = open_collection(args.folder)
    return (_workload if args.workload else _fit)(collection, args, now)


def _fit(collection: Collection, args: argparse.Namespace, now: datetime) -> int:
    with wiped_progress():
        found = fit(runs_of_collection(collection, now), collection.config, show_share)
    applied = args.apply and found.better
    moved = 0
    if applied:
        adopt(collection, found.new, clock())
        event = reschedule(collection, clock()) if args.reschedule else None
        moved = len(event.items) if event else 0
    rows = [
        f"{found.answers:,} answers, {found.usable:,} of them a day or more after another.",
        f"log loss   {found.old_loss:.4f} now, {found.new_loss:.4f} fitted",
    ]
    if found.unseen_old is not None and found.unseen_new is not None:
        said = f"{found.unseen_old:.4f} now, {found.unseen_new:.4f} fitted to the earlier ones"
        rows.append(f"on the last fifth   {said}")
    if not found.better:
        rows.append("The present parameters are as good: nothing changes.")
    else:
        rows.append("parameters = [" + ", ".join(f"{number:g}" for number in found.new) + "]")
        used = f"They are used from now on; {moved} due days moved."
        unused = "Nothing is changed yet: `deltadeck optimize --apply` uses them."
        rows.append(used if applied else unused)
    tell(args, asdict(found) | {"better": found.better, "applied": applied}, *rows)
    return 0 if found.better else 1


def _workload(collection: Collection, args: argparse.Namespace, now: datetime) -> int:
    stats = collection.statistics(now)
    s = stats.standing
    items = s.new + s.learning + s.relearning + s.young + s.mature
    given = {str(kind): counts for kind, counts in stats.ratings.items()}
    with wiped_progress():
        found = workload(items, collection.config, given, progress=show_share)
    rows = [
        f"{point.retention:>9.0%} {point.reviews:13.1f} {point.minutes:13.1f} "
        f"{point.remembered:12.0f}"
        f"{'  least time an item' if point.retention == found.cheapest else ''}"
        for point in found.points
    ]
    head = "retention   reviews/day   minutes/day   remembered"
    value = asdict(found) | {"cheapest": found.cheapest}
    tell(args, value, f"A year with {found.items} items:", head, *rows)
    return 0
