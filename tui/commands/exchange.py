"""`deltadeck import` and `export`: cards and histories from and for other programs."""

from __future__ import annotations

import argparse
import shutil
import sys
from contextlib import nullcontext
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from tui.commands import UsageError
from tui.commands.common import (
    SEARCH_HELP,
    STDIN,
    add_folder,
    add_json,
    chosen_items,
    open_collection,
    print_error,
    print_json,
    show_progress,
)
from tui.text import counted, one_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from deck.collection import Collection
    from deck.exchange.export.formats import Format
    from deck.exchange.export.source import Report, Source
    from deck.exchange.plan import Summary

#: How many lines of what was lost are printed; --json has all.
_MOST_LOST = 20
#: Cells of the bar, and seconds between two of its states.
_BAR, _SECONDS = 30, 0.1
_NOUNS = {
    "cards": "card",
    "items": "item",
    "answers": "answer",
    "media": "picture",
    "events": "event",
}


def configure_import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a package, file or folder of another program, or - for standard input; the format "
        "is told by its content",
    )
    parser.add_argument(
        "--into", default="", metavar="FOLDER", help="put the cards below this folder of the deck"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="only say what would happen; write nothing"
    )
    parser.add_argument("--format", metavar="F", help="the format, where it is told wrongly")
    parser.add_argument(
        "--columns",
        metavar="NAMES",
        help="of a table without a header: what its columns are, such as front,back,-,tags "
        "(- leaves one out)",
    )
    add_folder(parser)
    add_json(parser)


def run_import(args: argparse.Namespace) -> int:
    """0 everything was taken, 1 something could not be carried over."""
    from tempfile import TemporaryDirectory

    from deck.exchange.log import import_lock
    from deck.exchange.model import ExchangeError

    named = ["standard input" if name == STDIN else name for name in args.files]
    received = STDIN in args.files
    with TemporaryDirectory(prefix="deltadeck-") if received else nullcontext("") as temporary:
        try:
            _prepare(args, Path(temporary))
            with nullcontext() if args.dry_run else import_lock(args.folder):
                done = _import_all(args)
        except ExchangeError as error:
            said = str(error)
            raise UsageError(said.replace(f"{temporary}/", "") if temporary else said) from error
    if args.json:
        files = [_import_dict(name, summary) for name, summary in zip(named, done, strict=True)]
        print_json({"dry_run": args.dry_run, "files": files})
    return 1 if any(summary.lost or summary.kept for summary in done) else 0


def _prepare(args: argparse.Namespace, temporary: Path) -> None:
    """Before anything is taken: every file is there and has a format, and the place is one."""
    from deck.exchange.model import folders_of
    from deck.exchange.readers import reader_of
    from deck.exchange.table import columns_of

    folders_of(args.into)
    if args.columns is not None:
        if args.format not in (None, "table"):
            raise UsageError(f"--columns are a table's, not of the format {args.format}.")
        args.columns, args.format = columns_of(args.columns), "table"
    if args.files.count(STDIN) > 1:
        raise UsageError("Standard input (-) can be read once: name it once.")
    args.files = [_received(temporary) if name == STDIN else Path(name) for name in args.files]
    for path in args.files:
        reader_of(path, args.format)


def _received(temporary: Path) -> Path:
    """Standard input as a file: a format may be read from its end, and twice.

    Its name is what the report says, and always the same: by it a second import knows the cards.
    """
    path = temporary / "standard input"
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return path


def _import_all(args: argparse.Namespace) -> list[Summary]:
    collection, _ = open_collection(args.folder)
    done = []
    for path in args.files:
        summary = _import(path, collection, args)
        done.append(summary)
        if not args.json:
            _print_summary(path, summary, args.dry_run)
    return done


def _import(path: Path, collection: Collection, args: argparse.Namespace) -> Summary:
    from deck.exchange import table
    from deck.exchange.plan import Plan, look, take
    from deck.exchange.readers import read_ahead, reader_of
    from tui.text import now

    made = None
    try:
        if args.columns:
            bundle = table.read(path, args.columns)
        else:
            bundle = read_ahead(reader_of(path, args.format), path)
        made = Plan(bundle, collection, now(), args.into)
        summary = (look if args.dry_run else take)(made, _bar(path.name))
    except KeyboardInterrupt:
        show_progress("")
        counts = (made.summary.done, made.bundle.total) if made else (0, 0)
        print_error(f"Stopped: {_stopped(*counts, args.dry_run)}")
        raise
    finally:
        show_progress("")
    if len(args.files) > 1 and not args.dry_run:
        collection.reload(now())  # the next one may hold the same ids
    return summary


def _stopped(done: int, total: int, dry: bool) -> str:
    if dry:
        return "nothing was written."
    if not done:
        return "no card is in; import the same file again."
    return f"{done:,} of {max(total, done):,} cards are in; import the same file again to go on."


def _bar(name: str) -> Callable[[int, int], None] | None:
    if not sys.stderr.isatty():
        return None
    last = [0.0]

    def show(done: int, total: int) -> None:
        if monotonic() - last[0] < _SECONDS:
            return
        last[0] = monotonic()
        share = min(done / total, 1.0) if total else 1.0
        bar = "━" * round(_BAR * share) + " " * (_BAR - round(_BAR * share))
        show_progress(f"{name[:30]}  {bar}  {done:,} of {total:,} cards")

    return show


def _print_summary(path: Path, summary: Summary, dry: bool) -> None:
    from cards.text import printable

    would = "would be " if dry else ""
    parts = [f"{counted(summary.new, 'card')} {would}new"]
    for name in ("changed", "unchanged", "kept"):
        if count := getattr(summary, name):
            parts.append(f"{count:,} {name}")
    print(f"{printable(path.name)}: {', '.join(parts)}.")
    history = [
        (summary.reviews, f"{counted(summary.reviews, 'answer')} {would}added to the journal"),
        (summary.suspended, f"{counted(summary.suspended, 'item')} {would}suspended"),
        (summary.resumed, f"{counted(summary.resumed, 'item')} {would}taken up again"),
        (summary.media, f"{counted(summary.media, 'file')} {would}copied"),
    ]
    said = [text for count, text in history if count]
    if said:
        print(f"{', '.join(said)}.")
    if summary.kept:
        kept = ", ".join(summary.listed["kept"][:5])
        more = f" and {summary.kept - 5:,} more" if summary.kept > 5 else ""
        print(f"Changed there and edited here, so your text stays: {kept}{more}.")
    if summary.lost:
        print(f"{counted(len(summary.lost), 'thing')} could not be carried over:")
        for lost in summary.lost[:_MOST_LOST]:
            print(printable(f"  {lost.where}: {lost.what}").replace("\n", " "))
        if len(summary.lost) > _MOST_LOST:
            print(f"  and {len(summary.lost) - _MOST_LOST:,} more; --json lists them all.")
    if dry:
        print("Nothing was written: leave out --dry-run to import.")


def _import_dict(file: str, summary: Summary) -> dict[str, Any]:
    """The keys are stable."""
    counts = ("new", "changed", "unchanged", "kept", "reviews", "suspended", "resumed", "media")
    return {
        "file": file,
        **{name: getattr(summary, name) for name in counts},
        "ids": {name: summary.listed.get(name, []) for name in ("new", "changed", "kept")},
        "lost": [{"where": lost.where, "what": lost.what} for lost in summary.lost],
    }


def configure_export(parser: argparse.ArgumentParser) -> None:
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


def run_export(args: argparse.Namespace) -> int:
    """0 done, 1 something is missing from the file (or nothing was found), 2 bad input."""
    from deck.exchange.model import ExchangeError

    try:
        return _export(args)
    except ExchangeError as error:
        raise UsageError(str(error)) from error


def _export(args: argparse.Namespace) -> int:
    from deck.exchange.export.formats import export, format_of

    to = None if args.to is None or str(args.to) == STDIN else args.to
    wanted = format_of(to, args.format)
    if to is None:
        _check_output(args, wanted)
    collection, now = open_collection(args.folder)
    source = _source(args, collection, now)
    if source.chosen is not None and not source.chosen:
        print_error("Nothing is found; nothing was written.")
        return 1
    if to is None:
        done = _to_output(source, wanted)
    else:
        try:
            done = export(source, to, wanted, _percentage(), args.force)
        finally:
            show_progress("")
    if args.json:
        print_json({"path": str(to)} | done.as_dict())
    else:
        _print_report(done, to, wanted)
    return 1 if done.lost else 0


def _check_output(args: argparse.Namespace, wanted: Format) -> None:
    """Raises UsageError for what cannot go to standard output."""
    if args.json:
        raise UsageError("--json tells of a file, and there is none: name it with --to.")
    if not wanted.text:
        ending = wanted.endings[0]
        raise UsageError(f"{wanted.title.capitalize()} needs a file: --to NAME{ending}.")


def _source(args: argparse.Namespace, collection: Collection, now: datetime) -> Source:
    from deck.exchange.export.source import Source

    if not args.id and args.search is None:
        return Source(collection, now)
    return Source(collection, now, tuple(chosen_items(args, collection, now)))


def _to_output(source: Source, wanted: Format) -> Report:
    from deck.exchange.export.source import Report

    done = Report(wanted.name)
    wanted.writer()(source, sys.stdout.buffer, done, lambda *_: None)
    sys.stdout.buffer.flush()
    return done


def _percentage() -> Callable[[int, int], None]:
    last = [""]

    def show(done: int, total: int) -> None:
        share = f"{done / max(total, 1):4.0%}"
        if share != last[0]:
            last[0] = share
            show_progress(share)

    return show


def _print_report(done: Report, to: Path | None, wanted: Format) -> None:
    """What was written, and what was not; beside the file's own text on standard error."""
    if to is not None:
        parts = ", ".join(counted(number, _NOUNS[what]) for what, number in done.counts.items())
        print(f"{one_line(str(to))}: {parts or 'nothing'} ({wanted.title}).")
        for what, number in done.plain.items():
            print(f"  {what}" + (f" ({counted(number, 'card')})" if number > 1 else ""))
    for lost in done.lost[:_MOST_LOST]:
        print_error(f"warning: {one_line(lost.where)}: {one_line(lost.what)}")
    more = len(done.lost) - _MOST_LOST + done.more
    if more > 0:
        print_error(f"warning: and {more} more; --json lists them.")
