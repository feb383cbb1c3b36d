"""`deltadeck stats`: what was done, what is remembered, and what comes, in words and figures."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tui.commands import UsageError
from tui.commands.common import columns, is_styled, print_json, show_share, wiped_progress
from tui.commands.lookup import find_course, open_collection
from tui.plots.catalogue import ENTRIES, Entry
from tui.plots.draw import GlyphSet, PlotRow, PlotSpan, in_ascii, ink_of, plain, printed
from tui.plots.figure import (
    REACHES,
    YEAR,
    Hints,
    StatsInput,
    TimeSpan,
    compose,
    gather,
    query_of,
    with_exam,
    with_workload,
)
from tui.text import plural, time_spent

if TYPE_CHECKING:
    from deck.stats import Statistics

#: Days of --json, where neither --span nor --days is given.
_DAYS = 365
#: Columns: no wider, and of a pipe.
_WIDEST, _PIPED = 100, 80
#: Rows that a figure may take.
_ROWS = 22
_HINTS = Hints(
    study="`deltadeck` opens the decks: rate the first cards.",
    longer="`--span all` shows all that was ever done.",
    check="`deltadeck layers` lists what can be derived; the lab, on a card, checks it.",
    add="`deltadeck add` writes one.",
    exam='Write `[courses."Name"]` and below it `exam = 2027-01-20` into .deltadeck/config.toml.',
)


def run_stats(args: argparse.Namespace) -> int:
    entries = _entries(args.plot)
    collection, now = open_collection(args.folder)
    course = None if args.course is None else find_course(collection, args.course, now)
    search = " ".join(args.query)
    span = next((reach for reach in REACHES if reach.name == args.span), YEAR)
    if args.days is not None:
        span = TimeSpan("days", args.days)
    if args.json:
        days = span.days if args.span else args.days or _DAYS
        stats = collection.statistics(now, query_of(search, course), days)
        print_json(stats.as_dict())
        return 0
    given = gather(collection, now, span, search, course, _HINTS)
    ink = ink_of(os.environ, sys.stdout.encoding or "ascii")
    if args.plot is None:
        rows = _lines(given.stats, given.desired_retention)
        _print_rows([(PlotSpan(f"{about:10} {said}"),) for about, said in rows], ink)
    needs = {entry.need for entry in entries}
    if "exam" in needs:
        given = with_exam(collection, given, now, course)
    if "workload" in needs:
        with wiped_progress():
            given = with_workload(collection, given, show_share)
    for entry in entries:
        print()
        _print_rows(_figure(entry, given, ink), ink)
    if args.plot is None:
        print("\nMore: `deltadeck stats --plot exam,workload` (these take a moment).")
    return 0


def _entries(names: str | None) -> list[Entry]:
    """The figures that are asked for; those that take time of their own only by their names."""
    if names is None:
        return [entry for entry in ENTRIES if entry.need in ("", "added")]
    known = {entry.name: entry for entry in ENTRIES}
    chosen = [name.strip() for name in names.split(",") if name.strip()]
    for name in chosen:
        if name not in known:
            raise UsageError(f"There is no plot '{name}'. Known: {', '.join(known)}.")
    if not chosen:
        raise UsageError(f"--plot takes names, with commas between them: {', '.join(known)}.")
    return [known[name] for name in chosen]


def _figure(entry: Entry, given: StatsInput, ink: GlyphSet) -> list[PlotRow]:
    """With its title and its facts; what is the same for all is in docs/exams-and-statistics.md."""
    width = max(min((columns() or _PIPED) - 1, _WIDEST), 20)
    figure = replace(entry.make(given), note="")
    rows: list[PlotRow] = [
        (PlotSpan(figure.title, "title"),),
        *compose(figure, width, _ROWS, ink),
    ]
    while not plain(rows[-1]).strip():
        rows.pop()
    return rows


def _print_rows(rows: Sequence[PlotRow], ink: GlyphSet) -> None:
    print(printed(rows if ink.braille else in_ascii(rows), is_styled()))


def _lines(stats: Statistics, desired_retention: float) -> Iterator[tuple[str, str]]:
    """The figures in words, a subject a line."""
    today = next((day for day in stats.days if day.day == stats.today), None)
    done = f"{plural(today.count, 'answer')} in {today.minutes:.0f} min" if today else ""
    streak = stats.streak
    row = f"{plural(streak.current, 'day')} in a row (longest {streak.longest})"
    yield "Today", f"{done or 'nothing yet'} · {row}"
    answers = plural(sum(day.count for day in stats.days), "answer")
    spent = time_spent(round(sum(day.minutes for day in stats.days)))
    is_all = 0 < len(stats.days) == streak.studied
    since = stats.days[0].day if is_all else stats.since
    yield "Since", f"{since}: {answers} in {spent}, {plural(len(stats.days), 'day')}"
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
    if checks.steps:
        yield "", "wrong at: " + ", ".join(f"{kind} {n} ×" for kind, n in checks.steps.items())
    for misconception, count in checks.misconceptions.items():
        yield "", f"{count} × {misconception}"
