"""`deltadeck import FILE...`: cards and histories from other programs (docs/import.md)."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from tui.commands.common import UsageError, add_folder, add_json, print_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from deck.collection import Collection
    from deck.exchange.summary import Summary

#: Of what was lost, so many lines are printed; --json has all.
_SHOWN = 20
_BAR = 30
_SECONDS = 0.1


def configure(parser: argparse.ArgumentParser) -> None:
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


def run(args: argparse.Namespace) -> int:
    """0 everything was taken, 1 something could not be carried over."""
    from contextlib import nullcontext
    from tempfile import TemporaryDirectory

    from deck.exchange.alone import alone
    from deck.exchange.bundle import ExchangeError

    named = ["standard input" if name == "-" else name for name in args.files]
    received = "-" in args.files
    with TemporaryDirectory(prefix="deltadeck-") if received else nullcontext("") as temporary:
        try:
            _prepare(args, Path(temporary))
            with nullcontext() if args.dry_run else alone(args.folder):
                done = _import_all(args)
        except ExchangeError as error:
            said = str(error)
            raise UsageError(said.replace(f"{temporary}/", "") if temporary else said) from error
    if args.json:
        print_json({
            "dry_run": args.dry_run,
            "files": [_dict(p, s) for p, s in zip(named, done, strict=True)],
        })  # fmt: skip
    return 1 if any(summary.lost or summary.kept for summary in done) else 0


def _prepare(args: argparse.Namespace, temporary: Path) -> None:
    """Before anything is taken: every file is there and has a format, and the place is one."""
    from deck.exchange.places import folders_of
    from deck.exchange.readers import reader_of
    from deck.exchange.table.dialect import columns_of

    folders_of(args.into)
    if args.columns is not None:
        if args.format not in (None, "table"):
            raise UsageError(f"--columns are a table's, not of the format {args.format}.")
        args.columns, args.format = columns_of(args.columns), "table"
    if args.files.count("-") > 1:
        raise UsageError("Standard input (-) can be read once: name it once.")
    args.files = [_received(temporary) if name == "-" else Path(name) for name in args.files]
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
    from deck.collection import Collection
    from tui.clock import now as clock

    collection = Collection.open(args.folder, now=clock())
    done = []
    for path in args.files:
        summary = _import(path, collection, args)
        done.append(summary)
        if not args.json:
            _say(path, summary, args.dry_run)
    return done


def _import(path: Path, collection: Collection, args: argparse.Namespace) -> Summary:
    from deck.exchange import table
    from deck.exchange.ahead import read_ahead
    from deck.exchange.plan import look, plan
    from deck.exchange.readers import reader_of
    from deck.exchange.take import take
    from tui.clock import now as clock

    made = None
    try:
        if args.columns:
            bundle = table.read(path, args.columns)
        else:
            bundle = read_ahead(reader_of(path, args.format), path)
        made = plan(bundle, collection, clock(), args.into)
        summary = (look if args.dry_run else take)(made, _progress(path.name))
    except KeyboardInterrupt:
        _clear_line()
        counts = (made.summary.done, made.bundle.total) if made else (0, 0)
        print(f"Stopped: {_stopped(*counts, args.dry_run)}", file=sys.stderr)
        raise
    finally:
        _clear_line()
    if len(args.files) > 1 and not args.dry_run:
        collection.reload(clock())  # the next one may hold the same ids
    return summary


def _clear_line() -> None:
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _stopped(done: int, total: int, dry: bool) -> str:
    if dry:
        return "nothing was written."
    if not done:
        return "no card is in; import the same file again."
    return f"{done:,} of {max(total, done):,} cards are in; import the same file again to go on."


def _progress(name: str) -> Callable[[int, int], None] | None:
    if not sys.stderr.isatty():
        return None
    last = [0.0]

    def show(done: int, total: int) -> None:
        if monotonic() - last[0] < _SECONDS:
            return
        last[0] = monotonic()
        share = min(done / total, 1.0) if total else 1.0
        bar = "━" * round(_BAR * share) + " " * (_BAR - round(_BAR * share))
        line = f"\r\x1b[K{name[:30]}  {bar}  {done:,} of {total:,} cards"
        print(line, end="", file=sys.stderr, flush=True)

    return show


def _say(path: Path, summary: Summary, dry: bool) -> None:
    from cards.text import printable
    from tui.text import counted

    would = "would be " if dry else ""
    print(f"{printable(path.name)}: {_counts(summary, dry)}.")
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
        for lost in summary.lost[:_SHOWN]:
            print(printable(f"  {lost.where}: {lost.what}").replace("\n", " "))
        if len(summary.lost) > _SHOWN:
            print(f"  and {len(summary.lost) - _SHOWN:,} more; --json lists them all.")
    if dry:
        print("Nothing was written: leave out --dry-run to import.")


def _counts(summary: Summary, dry: bool) -> str:
    from tui.text import counted

    parts = [f"{counted(summary.new, 'card')} {'would be new' if dry else 'new'}"]
    for name in ("changed", "unchanged", "kept"):
        if count := getattr(summary, name):
            parts.append(f"{count:,} {name}")
    return ", ".join(parts)


def _dict(file: str, summary: Summary) -> dict[str, Any]:
    """The keys are stable."""
    return {
        "file": file,
        "new": summary.new,
        "changed": summary.changed,
        "unchanged": summary.unchanged,
        "kept": summary.kept,
        "reviews": summary.reviews,
        "suspended": summary.suspended,
        "resumed": summary.resumed,
        "media": summary.media,
        "ids": {name: summary.listed.get(name, []) for name in ("new", "changed", "kept")},
        "lost": [{"where": lost.where, "what": lost.what} for lost in summary.lost],
    }
