"""`deltadeck review ID RATING`: record an answer without the app."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tui.commands.common import UsageError, add_folder, add_json, open_collection, print_json
from tui.commands.finding import items_of

if TYPE_CHECKING:
    from deck import Collection

NAMES = ("again", "hard", "good", "easy")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", help="the item's id, or its card's where it has only one")
    parser.add_argument("rating", nargs="?", help="1 to 4, or again, hard, good, easy")
    parser.add_argument(
        "--seconds", type=_seconds, default=0.0, metavar="N", help="how long the answer took"
    )
    parser.add_argument("--undo", action="store_true", help="take the last answer back")
    add_folder(parser)
    add_json(parser)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 86_400:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to 86400")
    return seconds


def run(args: argparse.Namespace) -> int:
    collection = open_collection(args.folder)
    if args.undo:
        return _undo(collection, args)
    if args.id is None or args.rating is None:
        raise UsageError("Name the item and a rating, as in `deltadeck review ID good`.")
    return _rate(collection, args)


def _rate(collection: Collection, args: argparse.Namespace) -> int:
    from deck import Rating
    from tui.clock import now as clock
    from tui.text import interval

    said = args.rating.casefold()
    if said not in (*NAMES, "1", "2", "3", "4"):
        raise UsageError(f"There is no rating {args.rating!a}: give 1 to 4, or {', '.join(NAMES)}.")
    rating = Rating(NAMES.index(said) + 1 if said in NAMES else int(said))
    items = items_of(collection, args.id)
    if len(items) > 1:
        raise UsageError(f"{args.id} has {len(items)} items: name one of {', '.join(items)}.")
    now = clock()
    collection.finish_status()
    schedule = collection.preview(items[0], now)[rating]
    collection.rate(items[0], rating, now, round(args.seconds * 1000))
    if args.json:
        due = schedule.due.isoformat()
        print_json({"item": items[0], "rating": int(rating), "due": due})
    else:
        print(f"{items[0]}: {rating.name.lower()}, again in {interval(schedule.interval)}.")
    return 0


def _undo(collection: Collection, args: argparse.Namespace) -> int:
    """0 taken back, 1 there was nothing to take back."""
    from tui.clock import now as clock

    event = collection.undo(clock())
    if args.json:
        print_json({"undone": event.item if event else None})
    else:
        print(f"Took back the last answer, to {event.item}." if event else "There is no answer.")
    return 0 if event else 1
