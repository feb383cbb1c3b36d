"""`deltadeck stats`, `exam` and `optimize`: what was done, what is remembered, and what comes."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from tui.commands import UsageError
from tui.commands.common import (
    add_folder,
    add_json,
    add_query,
    find_course,
    is_styled,
    open_collection,
    print_json,
    reading_search,
    show_progress,
    whole_number,
)
from tui.text import counted, visible

if TYPE_CHECKING:
    from datetime import datetime

    from deck.collection import Collection
    from deck.exam import Exam, Gain, Outlook
    from deck.optimize import Fit
    from deck.stats import Statistics
    from tui.plots.catalogue import Entry
    from tui.plots.draw import GlyphSet, PlotRow
    from tui.plots.figure import Hints, StatsInput, TimeSpan

#: Days of --json, where neither --span nor --days is given.
_DAYS = 365
_SPANS = ("month", "quarter", "year", "all")
#: Columns: no wider, and of a pipe.
_WIDEST, _PIPED = 100, 80
#: Rows that a figure may take.
_ROWS = 22
#: How many items are named as the next ones to study for an exam.
_NEXT = 5


# stats


def configure_stats(parser: argparse.ArgumentParser) -> None:
    add_query(parser)
    parser.add_argument(
        "--plot", metavar="NAME,...", help="only these figures (docs/statistics.md names them)"
    )
    parser.add_argument("--course", metavar="COURSE", help="only one course")
    span = parser.add_mutually_exclusive_group()
    span.add_argument("--span", choices=_SPANS, help="how far back, and ahead (default: year)")
    span.add_argument(
        "--days",
        type=whole_number(1, 36_500),
        metavar="N",
        help="the same, as a number of days",
    )
    add_folder(parser)
    add_json(parser)


def run_stats(args: argparse.Namespace) -> int:
    from tui.plots.figure import gather, query_of

    entries = _entries(args.plot)
    collection, now = open_collection(args.folder)
    course = None if args.course is None else find_course(collection, args.course, now)
    search, reach = " ".join(args.query), _reach(args.span, args.days)
    if args.json:
        days = reach.days if args.span else args.days or _DAYS
        with reading_search():
            stats = collection.statistics(now, query_of(search, course), days)
        print_json(stats.as_dict())
        return 0
    with reading_search():
        given = gather(collection, now, reach, search, course, _ways())
    if args.plot is None:
        _print_lines(given)
    _print_figures(_completed(collection, given, entries, course, now), entries)
    if args.plot is None:
        print("\nMore: `deltadeck stats --plot exam,workload` (these take a moment).")
    return 0


def _entries(names: str | None) -> list[Entry]:
    """The figures that are asked for; those that take time of their own only by their names."""
    from tui.plots.catalogue import ENTRIES

    if names is None:
        return [entry for entry in ENTRIES if entry.need in ("", "added")]
    known = {entry.name: entry for entry in ENTRIES}
    chosen = [name.strip() for name in names.split(",") if name.strip()]
    for name in chosen:
        if name not in known:
            raise UsageError(f"There is no plot '{name}'. There are {', '.join(known)}.")
    if not chosen:
        raise UsageError(f"--plot takes names, with commas between them: {', '.join(known)}.")
    return [known[name] for name in chosen]


def _reach(span: str | None, days: int | None) -> TimeSpan:
    from tui.plots.figure import REACHES, YEAR, TimeSpan

    if days is not None:
        return TimeSpan("days", days)
    return next((reach for reach in REACHES if reach.name == span), YEAR)


def _ways() -> Hints:
    from tui.plots.figure import Hints

    return Hints(
        study="`deltadeck` opens the decks: rate the first cards.",
        longer="`--span all` shows all that was ever done.",
        check="`deltadeck layers` lists what can be derived; the lab, on a card, checks it.",
        add="`deltadeck add` writes one.",
        exam='Write `[courses."Name"]` and below it `exam = 2027-01-20` into '
        ".deltadeck/config.toml.",
    )


def _completed(
    collection: Collection,
    given: StatsInput,
    entries: Sequence[Entry],
    course: str | None,
    now: datetime,
) -> StatsInput:
    """With what takes time of its own, where it is asked for."""
    from tui.plots.figure import with_exam, with_workload

    needs = {entry.need for entry in entries}
    if "exam" in needs:
        given = with_exam(collection, given, now, course)
    if "workload" in needs:
        try:
            given = with_workload(collection, given, _show_share)
        finally:
            show_progress("")
    return given


def _show_share(what: str, share: float) -> None:
    show_progress(f"{share:4.0%} {what}")


def _print_figures(given: StatsInput, entries: Sequence[Entry]) -> None:
    """Each with its title and its facts; what is the same for all is in docs/statistics.md."""
    from tui.plots.draw import PlotSpan, plain
    from tui.plots.figure import compose

    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else _PIPED
    width = max(min(columns - 1, _WIDEST), 20)
    for entry in entries:
        figure = replace(entry.make(given), note="")
        rows: list[PlotRow] = [
            (PlotSpan(figure.title, "title"),),
            *compose(figure, width, _ROWS, _ink()),
        ]
        while not plain(rows[-1]).strip():
            rows.pop()
        print()
        _print_rows(rows)


def _print_rows(rows: Sequence[PlotRow]) -> None:
    from tui.plots.draw import in_ascii, printed

    print(printed(rows if _ink().braille else in_ascii(rows), is_styled()))


def _ink() -> GlyphSet:
    from tui.plots.draw import ink_of

    return ink_of(os.environ, sys.stdout.encoding or "ascii")


def _print_lines(given: StatsInput) -> None:
    from tui.plots.draw import PlotSpan

    rows = _lines(given.stats, given.desired_retention)
    _print_rows([(PlotSpan(f"{about:10} {said}"),) for about, said in rows])


def _lines(stats: Statistics, desired_retention: float) -> Iterator[tuple[str, str]]:
    """The figures in words, a subject a line."""
    today = next((day for day in stats.days if day.day == stats.today), None)
    done = f"{counted(today.count, 'answer')} in {today.minutes:.0f} min" if today else ""
    streak = stats.streak
    row = f"{counted(streak.current, 'day')} in a row (longest {streak.longest})"
    yield "Today", f"{done or 'nothing yet'} · {row}"
    answers = counted(sum(day.count for day in stats.days), "answer")
    hours = sum(day.minutes for day in stats.days) / 60
    days = counted(len(stats.days), "day")
    yield "Since", f"{stats.since}: {answers} in {hours:.1f} h, {days}"
    s = stats.standing
    yield (
        "Items",
        f"{s.new} new · {s.learning + s.relearning} learning · {s.young} young · "
        f"{s.mature} mature · {s.suspended} suspended",
    )
    recall = " · ".join(
        f"{span.name} {span.all.right / span.all.of:.0%} of {span.all.of}"
        for span in stats.retention
        if span.all.of
    )
    yield "Recall", f"{recall or 'no reviews yet'} (asked for {desired_retention:.0%})"
    due = stats.forecast
    yield "Due", f"{due[0]} today · {sum(due[1:2])} tomorrow · {sum(due[:7])} in a week"
    memory, model, checks = stats.memories, stats.calibration, stats.checks
    if memory.stability.median is not None:
        yield (
            "Memory",
            f"{memory.remembered:.0f} of {sum(memory.stability.counts)} remembered now · "
            f"median stability {memory.stability.median:.0f} d",
        )
    if model.log_loss is not None:
        yield (
            "Model",
            f"predicted {model.predicted:.1%}, recalled {model.actual:.1%} of "
            f"{model.answers} · log loss {model.log_loss:.3f}",
        )
    if checks.checked:
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in checks.verdicts.items())
        solved = f"{checks.solved} of {checks.items} solved"
        yield "Checks", f"{checks.checked}: {verdicts} · {solved}"
    for misconception, count in checks.misconceptions.items():
        yield "", f"{count} × {misconception}"


# exam


def configure_exam(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "course", nargs="?", metavar="COURSE", help="the course (default: all that have an exam)"
    )
    parser.add_argument("--plan", action="store_true", help="list the days with their items")
    add_folder(parser)
    add_json(parser)


def run_exam(args: argparse.Namespace) -> int:
    """0 every target can be reached (or none is named), 1 one cannot."""
    from deck.exam import Exam

    collection, now = open_collection(args.folder)
    found = [Exam.of(collection, name, now) for name in _courses(collection, args.course, now)]
    if args.json:
        print_json([_exam_dict(exam, args.plan) for exam in found])
    else:
        for exam in found:
            for row in _exam_lines(exam, args.plan):
                print(row)
    short = any(exam.reach is not None and not exam.reach.reached for exam in found)
    return 1 if short else 0


def _courses(collection: Collection, course: str | None, now: datetime) -> list[str]:
    from deck.exam import exams

    if course is not None:
        return [find_course(collection, course, now)]
    names = [name for _, name in exams(collection)]
    if not names:
        raise UsageError(
            f"No course in {collection.root.absolute()} has an exam: "
            "`deltadeck config exam 2027-01-20 --course NAME` sets one."
        )
    return names


def _exam_lines(exam: Exam, whole: bool) -> Iterator[str]:
    plan = exam.plan
    days = f"in {exam.days_left} days" if exam.days_left > 0 else "today or before"
    yield f"{visible(exam.course)}: exam on {exam.day}, {days}"
    yield f"  if you stop now   {_points(exam.if_stopped())}"
    yield f"  with the plan     {_points(plan.outlook)}, {plan.minutes / 60:.1f} h in all"
    if exam.reach is not None:
        yield f"  {exam.reach.sentence}"
    for gain in _next_gains(exam):
        yield f"  next: {gain.item_id}  +{gain.points:.2f} p in {gain.minutes:.1f} min"
    for day in plan.days if whole else ():
        yield f"  {day.day}  {day.minutes:5.1f} min  {len(day.items):3} items, {day.new} new"


def _next_gains(exam: Exam) -> Sequence[Gain]:
    return exam.next()[:_NEXT] if exam.days_left > 0 else ()


def _points(found: Outlook) -> str:
    return (
        f"{found.expected:.1f} of {found.points:g} p expected, "
        f"{found.low:.0f} to {found.high:.0f} in four of five exams"
    )


def _exam_dict(exam: Exam, whole: bool) -> dict[str, Any]:
    plan, reach = exam.plan, exam.reach
    said: dict[str, Any] = {
        "course": exam.course,
        "exam": exam.day.isoformat(),
        "days": exam.days_left,
        "now": _outlook_dict(exam.if_stopped()),
        "plan": _outlook_dict(plan.outlook) | {"minutes": plan.minutes},
        "next": [
            {"item": gain.item_id, "points": gain.points, "minutes": gain.minutes}
            for gain in _next_gains(exam)
        ],
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


def _outlook_dict(found: Outlook) -> dict[str, float]:
    keys = ("expected", "deviation", "low", "high", "points")
    return {key: getattr(found, key) for key in keys}


# optimize


def configure_optimize(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--apply", action="store_true", help="use the new parameters, if they are better"
    )
    what.add_argument(
        "--workload", action="store_true", help="what each desired retention would cost instead"
    )
    parser.add_argument(
        "--reschedule", action="store_true", help="and let everything fall due by them"
    )
    add_folder(parser)
    add_json(parser)


def run_optimize(args: argparse.Namespace) -> int:
    """0 better parameters were found (or: the workload is printed), 1 the old ones stay."""
    from deck.optimize import OptimizeError

    if args.reschedule and not args.apply:
        raise UsageError("--reschedule goes with --apply.")
    collection, now = open_collection(args.folder)
    try:
        run = _workload if args.workload else _fit
        return run(collection, args, now)
    except OptimizeError as error:
        raise UsageError(str(error)) from error


def _fit(collection: Collection, args: argparse.Namespace, now: datetime) -> int:
    from deck.optimize import fit, runs_of_collection

    try:
        found = fit(runs_of_collection(collection, now), collection.config, _show_share)
    finally:
        show_progress("")
    moved = _apply(collection, found, args.reschedule) if args.apply and found.better else None
    if args.json:
        print_json(asdict(found) | {"better": found.better, "applied": moved is not None})
        return 0 if found.better else 1
    print(f"{found.answers:,} answers, {found.usable:,} of them a day or more after another.")
    print(f"log loss   {found.old_loss:.4f} now, {found.new_loss:.4f} fitted")
    if found.unseen_old is not None and found.unseen_new is not None:
        said = f"{found.unseen_old:.4f} now, {found.unseen_new:.4f} fitted to the earlier ones"
        print(f"on the last fifth   {said}")
    if not found.better:
        print("The present parameters are as good: nothing changes.")
        return 1
    print("parameters = [" + ", ".join(f"{number:g}" for number in found.new) + "]")
    if moved is None:
        print("Nothing is changed yet: `deltadeck optimize --apply` uses them.")
    else:
        print(f"They are used from now on; {moved} due days moved.")
    return 0


def _apply(collection: Collection, found: Fit, is_rescheduled: bool) -> int:
    """How many due days moved."""
    from deck.optimize import adopt, reschedule
    from tui.text import now

    adopt(collection, found.new, now())
    event = reschedule(collection, now()) if is_rescheduled else None
    return len(event.items) if event else 0


def _workload(collection: Collection, args: argparse.Namespace, now: datetime) -> int:
    from deck.optimize import workload

    stats = collection.statistics(now)
    s = stats.standing
    items = s.new + s.learning + s.relearning + s.young + s.mature
    given = {str(kind): counts for kind, counts in stats.ratings.items()}
    try:
        found = workload(items, collection.config, given, progress=_show_share)
    finally:
        show_progress("")
    if args.json:
        print_json(asdict(found) | {"cheapest": found.cheapest})
        return 0
    print(f"A year with {found.items} items:")
    print("retention   reviews/day   minutes/day   remembered")
    for point in found.points:
        mark = "  least time an item" if point.retention == found.cheapest else ""
        print(
            f"{point.retention:>9.0%} {point.reviews:13.1f} {point.minutes:13.1f} "
            f"{point.remembered:12.0f}{mark}"
        )
    return 0
