"""`deltadeck stats [QUERY]`: what was done, what is remembered, what comes; in words and plots."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tui.commands.common import (
    UsageError,
    add_folder,
    add_json,
    is_dumb,
    open_collection,
    print_json,
    whole_number,
)
from tui.commands.finding import add_query, joined, readable
from tui.commands.sessions import course_of

if TYPE_CHECKING:
    from deck.collection import Collection
    from tui.plots.catalogue import Entry
    from tui.plots.given import Given, Reach, Ways
    from tui.plots.ink import Ink
    from tui.plots.rows import Row

#: Without a plot for a year, what a program reads has so many days.
_DAYS = 365
_SPANS = ("month", "quarter", "year", "all")
#: Columns: no wider, and of a pipe.
_WIDEST, _PIPED = 100, 80
#: Rows that a figure may take.
_ROWS = 22


def configure(parser: argparse.ArgumentParser) -> None:
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


def run(args: argparse.Namespace) -> int:
    from tui.clock import now as clock
    from tui.plots.gather import gather, query_of

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


def _reach(span: str | None, days: int | None) -> Reach:
    from tui.plots.given import REACHES, YEAR, Reach

    if days is not None:
        return Reach("days", days)
    return next((reach for reach in REACHES if reach.name == span), YEAR)


def _ways() -> Ways:
    from tui.plots.given import Ways

    return Ways(
        study="`deltadeck` opens the decks: rate the first cards.",
        longer="`--span all` shows all that was ever done.",
        check="`deltadeck layers` lists what can be derived; the lab, on a card, checks it.",
        add="`deltadeck add` writes one.",
        exam='Write `[courses."Name"]` and below it `exam = 2027-01-20` into '
        ".deltadeck/config.toml.",
    )


def _completed(
    collection: Collection, given: Given, entries: Sequence[Entry], course: str | None
) -> Given:
    """With what takes time of its own, where it is asked for."""
    from tui.clock import now as clock
    from tui.plots.gather import with_exam, with_workload

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


def _ink() -> Ink:
    from tui.plots.ink import ink_of

    return ink_of(os.environ, sys.stdout.encoding or "ascii")


def _print_rows(rows: Sequence[Row]) -> None:
    from tui.plots.ansi import printed
    from tui.plots.rows import in_ascii

    shown = rows if _ink().braille else in_ascii(rows)
    print(printed(shown, sys.stdout.isatty() and not is_dumb()))


def _print_lines(given: Given) -> None:
    from tui.commands.stats_words import lines
    from tui.plots.rows import Span

    _print_rows([(Span(line),) for line in lines(given.stats, given.asked)])


def _print_plots(given: Given, entries: Sequence[Entry]) -> None:
    """Each with its title and its facts; what is the same for all is in docs/statistics.md."""
    from tui.plots.figure import compose
    from tui.plots.rows import Span

    terminal = sys.stdout.isatty()
    columns = shutil.get_terminal_size().columns if terminal else _PIPED
    width = max(min(columns - 1, _WIDEST), 20)
    for entry in entries:
        figure = replace(entry.make(given), note="")
        print()
        title: Row = (Span(figure.title, "title"),)
        _print_rows([title, *_trimmed(compose(figure, width, _ROWS, _ink()))])


def _trimmed(rows: list[Row]) -> list[Row]:
    """Without empty rows at the end."""
    from tui.plots.rows import plain

    while rows and not plain(rows[-1]).strip():
        rows = rows[:-1]
    return rows
