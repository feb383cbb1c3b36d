"""`deltadeck import` and `export`: cards and histories from and for other programs."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from cards.text import printable
from deck.collection import Collection
from deck.exchange import table
from deck.exchange.export.formats import Format, export, format_of
from deck.exchange.export.source import ExportReport, ExportSource
from deck.exchange.log import import_lock
from deck.exchange.model import ExchangeError, Lost, folders_of
from deck.exchange.plan import Plan, Summary, look, take
from deck.exchange.readers import read_ahead, reader_of
from tui.commands import UsageError
from tui.commands.arguments import STDIN
from tui.commands.common import print_error, print_json, show_progress, tell, wiped_progress
from tui.commands.lookup import chosen_items, open_collection
from tui.text import now, plural, visible_line

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


# import


def run_import(args: argparse.Namespace) -> int:
    """0 everything was taken, 1 something could not be carried over."""
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
    folders_of(args.into)
    if args.columns is not None:
        if args.format not in (None, "table"):
            raise UsageError(f"--columns are a table's, not of the format {args.format}.")
        args.columns, args.format = table.columns_of(args.columns), "table"
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
    done: list[Summary] = []
    for path in args.files:
        if done and not args.dry_run:
            collection.reload(now())  # this one may hold the ids of the last one
        summary = _import(path, collection, args)
        done.append(summary)
        if not args.json:
            for row in _summary_lines(path, summary, args.dry_run):
                print(row)
    return done


def _import(path: Path, collection: Collection, args: argparse.Namespace) -> Summary:
    made = None
    try:
        with wiped_progress():
            if args.columns:
                bundle = table.read(path, args.columns)
            else:
                bundle = read_ahead(reader_of(path, args.format), path)
            made = Plan(bundle, collection, now(), args.into)
            return (look if args.dry_run else take)(made, _bar(path.name))
    except KeyboardInterrupt:
        counts = (made.summary.done, made.bundle.total) if made else (0, 0)
        print_error(f"Stopped: {_stopped(*counts, args.dry_run)}")
        raise


def _stopped(done: int, total: int, dry: bool) -> str:
    if dry:
        return "nothing was written."
    if not done:
        return "no card is in; import the same file again."
    return f"{done:,} of {max(total, done):,} cards are in; import the same file again to go on."


def _bar(name: str) -> Callable[[int, int], None] | None:
    if not sys.stderr.isatty():
        return None
    last = 0.0

    def show(done: int, total: int) -> None:
        nonlocal last
        if monotonic() - last < _SECONDS:
            return
        last = monotonic()
        full = round(_BAR * min(done / total, 1.0)) if total else _BAR
        bar = "━" * full + " " * (_BAR - full)
        show_progress(f"{name[:30]}  {bar}  {done:,} of {total:,} cards")

    return show


def _summary_lines(path: Path, summary: Summary, dry: bool) -> Iterator[str]:
    would = "would be " if dry else ""
    parts = [f"{plural(summary.new, 'card')} {would}new"]
    for name in ("changed", "unchanged", "kept"):
        if count := getattr(summary, name):
            parts.append(f"{count:,} {name}")
    yield f"{printable(path.name)}: {', '.join(parts)}."
    history = [
        (summary.reviews, "answer", "added to the journal"),
        (summary.suspended, "item", "suspended"),
        (summary.resumed, "item", "taken up again"),
        (summary.media, "file", "copied"),
    ]
    said = [f"{plural(count, noun)} {would}{what}" for count, noun, what in history if count]
    if said:
        yield f"{', '.join(said)}."
    if summary.kept:
        kept = ", ".join(summary.listed["kept"][:5])
        more = f" and {summary.kept - 5:,} more" if summary.kept > 5 else ""
        yield f"Changed there and edited here, so your text stays: {kept}{more}."
    if summary.lost:
        yield f"{plural(len(summary.lost), 'thing')} could not be carried over:"
        for lost in summary.lost[:_MOST_LOST]:
            yield printable(f"  {lost.where}: {lost.what}").replace("\n", " ")
        if len(summary.lost) > _MOST_LOST:
            yield f"  and {len(summary.lost) - _MOST_LOST:,} more; --json lists them all."
    if dry:
        yield "Nothing was written: leave out --dry-run to import."


def _import_dict(file: str, summary: Summary) -> dict[str, Any]:
    """The keys are stable."""
    counts = ("new", "changed", "unchanged", "kept", "reviews", "suspended", "resumed", "media")
    return {
        "file": file,
        **{name: getattr(summary, name) for name in counts},
        "ids": {name: summary.listed.get(name, []) for name in ("new", "changed", "kept")},
        "lost": [{"where": lost.where, "what": lost.what} for lost in summary.lost],
    }


# export


def run_export(args: argparse.Namespace) -> int:
    """0 done, 1 something is missing from the file (or nothing was found), 2 bad input."""
    to = None if args.to is None or str(args.to) == STDIN else args.to
    wanted = format_of(to, args.format)
    if to is None:
        _check_output(args, wanted)
    collection, moment = open_collection(args.folder)
    source = _source(args, collection, moment)
    if source.chosen is not None and not source.chosen:
        print_error("Nothing is found; nothing was written.")
        return 1
    if to is None:
        done = _to_output(source, wanted)
    else:
        with wiped_progress():
            done = export(source, to, wanted, _percentage(), args.force)
    if to is not None:
        tell(args, {"path": str(to)} | done.as_dict(), _report_lines(done, to, wanted))
    if not args.json:  # beside the file's own text, where that is on standard output
        _print_lost(done.lost, done.more)
    return 1 if done.lost else 0


def _check_output(args: argparse.Namespace, wanted: Format) -> None:
    """Raises UsageError for what cannot go to standard output."""
    if args.json:
        raise UsageError("--json tells of a file, and there is none: name it with --to.")
    if not wanted.text:
        ending = wanted.endings[0]
        raise UsageError(f"{wanted.title.capitalize()} needs a file: --to NAME{ending}.")


def _source(args: argparse.Namespace, collection: Collection, moment: datetime) -> ExportSource:
    if not args.id and args.search is None:
        return ExportSource(collection, moment)
    return ExportSource(collection, moment, tuple(chosen_items(args, collection, moment)))


def _to_output(source: ExportSource, wanted: Format) -> ExportReport:
    done = ExportReport(wanted.name)
    wanted.writer()(source, sys.stdout.buffer, done, lambda *_: None)
    sys.stdout.buffer.flush()
    return done


def _percentage() -> Callable[[int, int], None]:
    last = ""

    def show(done: int, total: int) -> None:
        nonlocal last
        share = f"{done / max(total, 1):4.0%}"
        if share != last:
            last = share
            show_progress(share)

    return show


def _report_lines(done: ExportReport, to: Path, wanted: Format) -> Iterator[str]:
    parts = ", ".join(plural(number, _NOUNS[what]) for what, number in done.counts.items())
    yield f"{visible_line(str(to))}: {parts or 'nothing'} ({wanted.title})."
    for what, number in done.plain.items():
        yield f"  {what}" + (f" ({plural(number, 'card')})" if number > 1 else "")


def _print_lost(lost: Sequence[Lost], unlisted: int) -> None:
    for each in lost[:_MOST_LOST]:
        print_error(f"warning: {visible_line(each.where)}: {visible_line(each.what)}")
    more = len(lost) - _MOST_LOST + unlisted
    if more > 0:
        print_error(f"warning: and {more} more; --json lists them.")
