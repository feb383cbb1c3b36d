"""`deltadeck review ID RATING`: record an answer without the app (`review -`: review_lines.py)."""

from __future__ import annotations

import argparse
import sys
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from tui.clock import now as clock
from tui.commands.common import UsageError, add_folder, add_json, open_collection, print_json
from tui.commands.finding import items_of, listed

if TYPE_CHECKING:
    from deck.collection import Collection, Given
    from deck.events import Event
    from deck.replay import Rating

NAMES = ("again", "hard", "good", "easy")
_NUMBERS = ("1", "2", "3", "4")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id",
        nargs="?",
        help="the item's id, or its card's where it has only one; - reads lines of "
        "`ID RATING [SECONDS]` from standard input, and prints each once it is on the disk",
    )
    parser.add_argument("rating", nargs="?", help="1 to 4, or again, hard, good, easy")
    parser.add_argument(
        "--seconds", type=seconds_of, default=0.0, metavar="N", help="how long the answer took"
    )
    parser.add_argument(
        "--undo", action="store_true", help="take the last answer back, or the last to ID"
    )
    add_folder(parser)
    add_json(parser)


def seconds_of(text: str) -> float:
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
    if args.id == "-" and args.rating is None:
        from tui.commands.review_lines import rate_lines

        collection.finish_status()
        rate_lines(collection, sys.stdin.fileno(), args.json)
        return 0
    if args.id is None or args.rating is None:
        raise UsageError("Name the item and a rating, as in `deltadeck review ID good`.")
    given = given_of(collection, args.id, args.rating, args.seconds)
    collection.finish_status()
    now = clock()
    for event in collection.rate_each([given], now):
        if args.json:
            print_json(as_dict(event, collection, now))
        else:
            print(sentence(event, collection, now))
    return 0


def given_of(collection: Collection, name: str, rating: str, seconds: float) -> Given:
    """The answer that is meant.  Raises UsageError."""
    from deck.collection import Given

    said, items = _rating(rating), items_of(collection, name)
    if len(items) > 1:
        raise UsageError(f"{name} has {len(items)} items: name one of {listed(items)}.")
    return Given(items[0], said, round(seconds * 1000))


def is_rating(text: str) -> bool:
    return text.casefold() in (*NAMES, *_NUMBERS)


def _rating(text: str) -> Rating:
    from deck.replay import Rating

    if not is_rating(text):
        from tui.text import one_line, shortened

        shown = shortened(one_line(text), 40)
        raise UsageError(f"There is no rating '{shown}': give 1 to 4, or {', '.join(NAMES)}.")
    said = text.casefold()
    return Rating(NAMES.index(said) + 1 if said in NAMES else int(said))


def sentence(event: Event, collection: Collection, now: datetime) -> str:
    """What was recorded, for a reader."""
    from tui.text import interval

    rating, _, span = _led_to(event, collection, now)
    return f"{event.item}: {rating.name.lower()}, again in {interval(span)}."


def as_dict(event: Event, collection: Collection, now: datetime) -> dict[str, Any]:
    """What was recorded, for a program."""
    rating, due, _ = _led_to(event, collection, now)
    return {"item": event.item, "rating": int(rating), "due": due.isoformat()}


def _led_to(
    event: Event, collection: Collection, now: datetime
) -> tuple[Rating, datetime, timedelta]:
    """The rating, when the item falls due, and how long that is."""
    from deck.events import Reviewed
    from deck.scheduler import falls_due

    assert isinstance(event.what, Reviewed)
    promise = event.what.promise
    assert promise is not None, "an answer that was just recorded has one"
    due, span = falls_due(promise, event.at, event.day, now, collection.config)
    return event.what.rating, due, span


def _undo(collection: Collection, args: argparse.Namespace) -> int:
    """0 taken back, 1 there was nothing to take back."""
    if args.rating is not None:
        raise UsageError("--undo takes an answer back, and no rating: leave it out.")
    event = collection.undo(clock(), items_of(collection, args.id) if args.id else None)
    if args.json:
        print_json({"undone": event.item if event else None})
    else:
        to = f" to {args.id}" if args.id else ""
        none = f"There is no answer{to} that can be taken back."
        print(f"Took back the last answer, to {event.item}." if event else none)
    return 0 if event else 1
