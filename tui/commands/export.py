"""`deltadeck export [ID...] --to FILE`: cards, schedules or the journal, for other programs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tui.commands.common import (
    UsageError,
    add_folder,
    add_json,
    open_collection,
    print_json,
)
from tui.commands.finding import SEARCH_HELP

if TYPE_CHECKING:
    from deck.collection import Collection
    from deck.exchange.export.formats import Format
    from deck.exchange.export.report import Report
    from deck.exchange.export.source import Source

#: So many places are named; of more, how many there are.
_SHOWN = 20
#: Steps of the bar.
_STEPS = 200


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id",
        nargs="*",
        metavar="WHAT",
        help="a card, an item, or - for ids on standard input (default: everything)",
    )
    parser.add_argument(
        "--to", type=Path, metavar="FILE", help="where to (default, or -: standard output)"
    )
    parser.add_argument("--search", metavar="QUERY", help=SEARCH_HELP)
    parser.add_argument(
        "--format",
        metavar="FORMAT",
        help="apkg, json, csv (cards), items (CSV), html, journal (CSV); default: by the "
        "file's ending",
    )
    parser.add_argument("--force", action="store_true", help="also where there is such a file")
    add_folder(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """0 done, 1 something is missing from the file (or nothing was found), 2 bad input."""
    from deck.exchange.bundle import ExchangeError

    try:
        return _run(args)
    except ExchangeError as error:
        raise UsageError(str(error)) from error


def _run(args: argparse.Namespace) -> int:
    from deck.exchange.export.formats import export, format_of
    from tui.clock import now as clock

    to = None if args.to is None or str(args.to) == "-" else args.to
    wanted = format_of(to, args.format)
    _check(args, to, wanted)
    collection, now = open_collection(args.folder), clock()
    source = _source(args, collection, now)
    if source.chosen is not None and not source.chosen:
        print("Nothing is found; nothing was written.", file=sys.stderr)
        return 1
    if to is None:
        done = _to_output(source, wanted)
    else:
        with _Bar() as bar:
            done = export(source, to, wanted, bar.show, args.force)
    if args.json:
        print_json({"path": str(to)} | done.as_dict())
    else:
        _tell(done, to, wanted)
    return 1 if done.lost else 0


def _check(args: argparse.Namespace, to: Path | None, wanted: Format) -> None:
    if to is not None:
        return
    if args.json:
        raise UsageError("--json tells of a file, and there is none: name it with --to.")
    if not wanted.text:
        ending = wanted.endings[0]
        raise UsageError(f"{wanted.title.capitalize()} needs a file: --to NAME{ending}.")


def _source(args: argparse.Namespace, collection: Collection, now: datetime) -> Source:
    from deck.exchange.export.source import Source
    from tui.commands.items import chosen

    if not args.id and args.search is None:
        return Source(collection, now)
    return Source(collection, now, tuple(chosen(args, collection, now)))


def _to_output(source: Source, wanted: Format) -> Report:
    from deck.exchange.export.report import Report

    done = Report(wanted.name)
    wanted.writer()(source, sys.stdout.buffer, done, lambda *_: None)
    sys.stdout.buffer.flush()
    return done


class _Bar:
    """How far it is, on a terminal's standard error."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._last = -1

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._last >= 0:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def show(self, done: int, total: int) -> None:
        step = _STEPS * done // max(total, 1)
        if self._shown and step != self._last:
            self._last = step
            print(f"\r\x1b[K{done / max(total, 1):4.0%}", end="", file=sys.stderr, flush=True)


def _tell(done: Report, to: Path | None, wanted: Format) -> None:
    """What was written, and what was not; beside the file's own text on standard error."""
    from tui.text import counted, one_line

    say: Callable[[str], None] = _out if to is not None else _err
    if to is not None:
        parts = ", ".join(counted(number, _NOUNS[what]) for what, number in done.counts.items())
        say(f"{one_line(str(to))}: {parts or 'nothing'} ({wanted.title}).")
        for what, number in done.plain.items():
            say(f"  {what}" + (f" ({counted(number, 'card')})" if number > 1 else ""))
    for lost in done.lost[:_SHOWN]:
        _err(f"warning: {one_line(lost.where)}: {one_line(lost.what)}")
    more = len(done.lost) - _SHOWN + done.more
    if more > 0:
        _err(f"warning: and {more} more; --json lists them.")


_NOUNS = {
    "cards": "card",
    "items": "item",
    "answers": "answer",
    "media": "picture",
    "events": "event",
}


def _out(line: str) -> None:
    print(line)


def _err(line: str) -> None:
    print(line, file=sys.stderr)
