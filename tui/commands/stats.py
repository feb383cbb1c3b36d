"""`deltadeck stats`, `exam` and `optimize`."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from tui.commands.common import (
    UsageError,
    add_folder,
    add_json,
    add_query,
    course_of,
    is_dumb,
    joined,
    open_collection,
    print_json,
    readable,
    whole_number,
)
from tui.text import counted

if TYPE_CHECKING:
    from deck.collection import Collection
    from deck.exam import Exam, Gain, Outlook
    from deck.optimize import Fit
    from deck.stats import Share, Statistics
    from tui.plots.catalogue import Entry
    from tui.plots.draw import GlyphSet, PlotRow
    from tui.plots.figure import Hints, StatsInput, TimeSpan


# == `deltadeck stats [QUERY]`: what was done, what is remembered, what comes; in words and plots.


#: Without a plot for a year, what a program reads has so many days.
_DAYS = 365
_SPANS = ("month", "quarter", "year", "all")
#: Columns: no wider, and of a pipe.
_WIDEST, _PIPED = 100, 80
#: Rows that a figure may take.
_ROWS = 22


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
    from tui.text import now as clock

    entries = _entries(args.plot)
    collection, now = open_collection(args.folder), clock()
    course = None if args.course is None else course_of(collection, args.course, now)
    search, reach = joined(args.query), _reach(args.span, args.days)
    if args.json:
        days = reach.days if args.span else args.days or _DAYS
        with readable():
            stats = collection.statistics(now, query_of(search, course), days)
        print_json(stats.as_dict())
        return 0
    with readable():
        given = gather(collection, now, reach, search, course, _ways())
    if args.plot is None:
        _print_lines(given)
    _print_plots(_completed(collection, given, entries, course), entries)
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
    collection: Collection, given: StatsInput, entries: Sequence[Entry], course: str | None
) -> StatsInput:
    """With what takes time of its own, where it is asked for."""
    from tui.plots.figure import with_exam, with_workload
    from tui.text import now as clock

    needs = {entry.need for entry in entries}
    if "exam" in needs:
        given = with_exam(collection, given, clock(), course)
    if "workload" in needs:
        try:
            given = with_workload(collection, given, _progress)
        finally:
            _say_progress("")
    return given


def _progress(what: str, share: float) -> None:
    _say_progress(f"{share:4.0%} {what}")


def _say_progress(words: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{words}", end="", file=sys.stderr, flush=True)


def _ink() -> GlyphSet:
    from tui.plots.draw import ink_of

    return ink_of(os.environ, sys.stdout.encoding or "ascii")


def _print_rows(rows: Sequence[PlotRow]) -> None:
    from tui.plots.draw import in_ascii, printed

    shown = rows if _ink().braille else in_ascii(rows)
    print(printed(shown, sys.stdout.isatty() and not is_dumb()))


def _print_lines(given: StatsInput) -> None:
    from tui.plots.draw import PlotSpan

    _print_rows([(PlotSpan(line),) for line in lines(given.stats, given.desired_retention)])


def _print_plots(given: StatsInput, entries: Sequence[Entry]) -> None:
    """Each with its title and its facts; what is the same for all is in docs/statistics.md."""
    from tui.plots.draw import PlotSpan
    from tui.plots.figure import compose

    terminal = sys.stdout.isatty()
    columns = shutil.get_terminal_size().columns if terminal else _PIPED
    width = max(min(columns - 1, _WIDEST), 20)
    for entry in entries:
        figure = replace(entry.make(given), note="")
        print()
        title: PlotRow = (PlotSpan(figure.title, "title"),)
        _print_rows([title, *_trimmed(compose(figure, width, _ROWS, _ink()))])


def _trimmed(rows: list[PlotRow]) -> list[PlotRow]:
    """Without empty rows at the end."""
    from tui.plots.draw import plain

    while rows and not plain(rows[-1]).strip():
        rows = rows[:-1]
    return rows


# == The figures in words, a subject a line.


def lines(stats: Statistics, asked: float) -> Iterator[str]:
    """`asked` is the desired retention."""
    today = next((day for day in stats.days if day.day == stats.today), None)
    done = (
        f"{counted(today.count, 'answer')} in {today.minutes:.0f} min" if today else "nothing yet"
    )
    streak = stats.streak
    row = f"{counted(streak.current, 'day')} in a row (longest {streak.longest})"
    yield f"Today      {done} · {row}"
    total, minutes = sum(d.count for d in stats.days), sum(d.minutes for d in stats.days)
    hours = f"{minutes / 60:.1f} h"
    yield (
        f"Since      {stats.since}: {counted(total, 'answer')} in {hours}, "
        f"{counted(len(stats.days), 'day')}"
    )
    s = stats.standing
    yield (
        f"Items      {s.new} new · {s.learning + s.relearning} learning · {s.young} young · "
        f"{s.mature} mature · {s.suspended} suspended"
    )
    spans = [(r.name, _share(r.all)) for r in stats.retention if r.all.of]
    said = " · ".join(f"{name} {share}" for name, share in spans) or "no reviews yet"
    yield f"Recall     {said} (asked for {asked:.0%})"
    ahead = stats.forecast
    yield f"Due        {ahead[0]} today · {sum(ahead[1:2])} tomorrow · {sum(ahead[:7])} in a week"
    yield from _memory(stats)
    yield from _checks(stats)


def _memory(stats: Statistics) -> Iterator[str]:
    memory, found = stats.memories, stats.calibration
    if memory.stability.median is not None:
        learnt = sum(memory.stability.counts)
        yield (
            f"Memory     {memory.remembered:.0f} of {learnt} remembered now · "
            f"median stability {memory.stability.median:.0f} d"
        )
    if found.log_loss is not None:
        yield (
            f"Model      predicted {found.predicted:.1%}, recalled {found.actual:.1%} of "
            f"{found.answers} · log loss {found.log_loss:.3f}"
        )


def _checks(stats: Statistics) -> Iterator[str]:
    checks = stats.checks
    if checks.checked:
        said = ", ".join(f"{count} {verdict}" for verdict, count in checks.verdicts.items())
        yield f"Checks     {checks.checked}: {said} · {checks.solved} of {checks.items} solved"
    for misconception, count in checks.misconceptions.items():
        yield f"           {count} × {misconception}"


def _share(share: Share) -> str:
    return f"{share.right / share.of:.0%} of {share.of}"


# == `deltadeck exam [COURSE]`: what is expected on the day of an exam, and what to study for it.


#: So many items are named as the next ones.
_NEXT = 5


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
    from tui.text import now as clock

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
    from deck.exam import exams
    from tui.text import now as clock

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


# == `deltadeck optimize`: fit the schedule's parameters to your own answers.


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
    collection = open_collection(args.folder)
    try:
        return _workload(collection, args) if args.workload else _fit(collection, args)
    except OptimizeError as error:
        raise UsageError(str(error)) from error


def _show_progress(stage: str, share: float) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{share:4.0%} {stage}", end="", file=sys.stderr, flush=True)


def _done() -> None:
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _fit(collection: Collection, args: argparse.Namespace) -> int:
    from deck.optimize import fit, runs_of_collection
    from tui.text import now as clock

    try:
        found = fit(runs_of_collection(collection, clock()), collection.config, _show_progress)
    finally:
        _done()
    moved = _apply(collection, found, args) if args.apply and found.better else None
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


def _apply(collection: Collection, found: Fit, args: argparse.Namespace) -> int:
    """How many due days moved."""
    from deck.optimize import adopt, reschedule
    from tui.text import now as clock

    adopt(collection, found.new, clock())
    event = reschedule(collection, clock()) if args.reschedule else None
    return len(event.items) if event else 0


def _workload(collection: Collection, args: argparse.Namespace) -> int:
    from deck.optimize import workload
    from tui.text import now as clock

    stats = collection.statistics(clock())
    s = stats.standing
    items = s.new + s.learning + s.relearning + s.young + s.mature
    try:
        given = {str(kind): counts for kind, counts in stats.ratings.items()}
        found = workload(items, collection.config, given, progress=_show_progress)
    finally:
        _done()
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
