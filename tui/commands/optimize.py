"""`deltadeck optimize`: fit the schedule's parameters to your own answers."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from tui.commands.common import UsageError, add_folder, add_json, open_collection, print_json

if TYPE_CHECKING:
    from deck.collection import Collection
    from deck.optimize.fit import Fit


def configure(parser: argparse.ArgumentParser) -> None:
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


def run(args: argparse.Namespace) -> int:
    """0 better parameters were found (or: the workload is printed), 1 the old ones stay."""
    from deck.optimize.job import OptimizeError

    if args.reschedule and not args.apply:
        raise UsageError("--reschedule goes with --apply.")
    collection = open_collection(args.folder)
    try:
        return _workload(collection, args) if args.workload else _fit(collection, args)
    except OptimizeError as error:
        raise UsageError(str(error)) from error


def _progress(stage: str, share: float) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{share:4.0%} {stage}", end="", file=sys.stderr, flush=True)


def _done() -> None:
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _fit(collection: Collection, args: argparse.Namespace) -> int:
    from deck.figures import runs_of_collection
    from deck.optimize.fit import fit
    from tui.clock import now as clock

    try:
        found = fit(runs_of_collection(collection, clock()), collection.config, _progress)
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
    from deck.optimize.adopt import adopt, reschedule
    from tui.clock import now as clock

    adopt(collection, found.new, clock())
    event = reschedule(collection, clock()) if args.reschedule else None
    return len(event.items) if event else 0


def _workload(collection: Collection, args: argparse.Namespace) -> int:
    from deck.optimize.workload import workload
    from tui.clock import now as clock

    stats = collection.statistics(clock())
    s = stats.standing
    items = s.new + s.learning + s.relearning + s.young + s.mature
    try:
        given = {str(kind): counts for kind, counts in stats.ratings.items()}
        found = workload(items, collection.config, given, progress=_progress)
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
