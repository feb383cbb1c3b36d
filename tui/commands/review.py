"""`deltadeck review`, `suspend`, `bury` and `reset`: what is done with items; and `raise`.

`review -` takes answers from standard input, a line each, as they come: what is there is recorded
with one write and waits for nothing more, so that a script that gives one line and waits for its
answer is served like one that sends a file.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from tui.commands import UsageError
from tui.commands.common import (
    SEARCH_HELP,
    add_folder,
    add_json,
    chosen_items,
    find_deck,
    items_of,
    listed,
    open_collection,
    print_json,
    whole_number,
)
from tui.text import interval, one_line, shortened
from tui.text import now as clock

if TYPE_CHECKING:
    from deck.collection import AnswerInput, Collection
    from deck.events import Event
    from deck.fsrs import Rating

RATINGS = ("again", "hard", "good", "easy")
#: Bytes of standard input that are read at once.
_READ = 1 << 16
_LONGEST_DAYS = 3650


def configure_review(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id",
        nargs="?",
        help="the item's id, or its card's where it has only one; - reads lines of "
        "`ID RATING [SECONDS]` from standard input, and prints each once it is on the disk",
    )
    parser.add_argument("rating", nargs="?", help="1 to 4, or again, hard, good, easy")
    parser.add_argument(
        "--seconds", type=_seconds, default=0.0, metavar="N", help="how long the answer took"
    )
    parser.add_argument(
        "--undo", action="store_true", help="take the last answer back, or the last to ID"
    )
    add_folder(parser)
    add_json(parser)


def run_review(args: argparse.Namespace) -> int:
    collection, now = open_collection(args.folder)
    if args.undo:
        return _undo(collection, args, now)
    if args.id == "-" and args.rating is None:
        collection.finish_status()
        _review_lines(collection, sys.stdin.fileno(), args.json)
        return 0
    if args.id is None or args.rating is None:
        raise UsageError("Name the item and a rating, as in `deltadeck review ID good`.")
    given = _answer(collection, args.id, args.rating, args.seconds)
    collection.finish_status()
    now = clock()
    for event in collection.rate_each([given], now):
        if args.json:
            print_json(_as_dict(event, collection, now))
        else:
            print(_sentence(event, collection, now))
    return 0


def _undo(collection: Collection, args: argparse.Namespace, now: datetime) -> int:
    """0 taken back, 1 there was nothing to take back."""
    if args.rating is not None:
        raise UsageError("--undo takes an answer back, and no rating: leave it out.")
    event = collection.undo(now, items_of(collection, args.id) if args.id else None)
    if args.json:
        print_json({"undone": event.item if event else None})
    elif event:
        print(f"Took back the last answer, to {event.item}.")
    else:
        to = f" to {args.id}" if args.id else ""
        print(f"There is no answer{to} that can be taken back.")
    return 0 if event else 1


def _answer(collection: Collection, name: str, rating: str, seconds: float) -> AnswerInput:
    """The answer that is meant.  Raises UsageError."""
    from deck.collection import AnswerInput
    from deck.fsrs import Rating

    if not _is_rating(rating):
        names = ", ".join(RATINGS)
        raise UsageError(f"There is no rating '{_short(rating, 40)}': give 1 to 4, or {names}.")
    said, items = rating.casefold(), items_of(collection, name)
    if len(items) > 1:
        raise UsageError(f"{name} has {len(items)} items: name one of {listed(items)}.")
    number = RATINGS.index(said) + 1 if said in RATINGS else int(said)
    return AnswerInput(items[0], Rating(number), round(seconds * 1000))


def _is_rating(text: str) -> bool:
    return text.casefold() in (*RATINGS, "1", "2", "3", "4")


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 86_400:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to 86400")
    return seconds


def _short(text: str, longest: int = 60) -> str:
    return shortened(one_line(text), longest)


def _sentence(event: Event, collection: Collection, now: datetime) -> str:
    """What was recorded, for a reader."""
    rating, _, span = _outcome(event, collection, now)
    return f"{event.item}: {rating.name.lower()}, again in {interval(span)}."


def _as_dict(event: Event, collection: Collection, now: datetime) -> dict[str, Any]:
    """What was recorded, for a program."""
    rating, due, _ = _outcome(event, collection, now)
    return {"item": event.item, "rating": int(rating), "due": due.isoformat()}


def _outcome(
    event: Event, collection: Collection, now: datetime
) -> tuple[Rating, datetime, timedelta]:
    """The rating, when the item falls due, and how long that is."""
    from deck.events import Reviewed
    from deck.replay import falls_due

    assert isinstance(event.what, Reviewed)
    promise = event.what.promise
    assert promise is not None, "an answer that was just recorded has one"
    due, span = falls_due(promise, event.at, event.day, now, collection.config)
    return event.what.rating, due, span


# Answers from standard input.


def _review_lines(collection: Collection, handle: int, as_json: bool) -> None:
    """Records the answers that come from a file handle; prints each once it is on the disk.

    Raises:
        UsageError: a line is no answer; those before it are recorded.
        JournalError: the disk refuses; it says how many answers were recorded of those read.
    """
    from deck.errors import JournalError, counted

    first, done = 1, 0
    for lines in _arriving(handle):
        answers, wrong = _read(collection, lines, first)
        now, total = clock(), done + len(answers)
        try:
            for event in collection.rate_each(answers, now):
                done += 1
                said = json.dumps(_as_dict(event, collection, now)) if as_json else None
                print(said or _sentence(event, collection, now))
        except JournalError as error:
            raise counted(error, done, total) from error
        sys.stdout.flush()
        if wrong:
            raise wrong
        first += len(lines)


def _arriving(handle: int) -> Iterator[list[bytes]]:
    """The whole lines that are there, as soon as there is one."""
    rest = b""
    while data := os.read(handle, _READ):
        *lines, rest = (rest + data).split(b"\n")
        if lines:
            yield lines
    if rest:
        yield [rest]


def _read(
    collection: Collection, lines: list[bytes], first: int
) -> tuple[list[AnswerInput], UsageError | None]:
    """The answers up to the first line that is none, and what is wrong with that."""
    answers: list[AnswerInput] = []
    for number, line in enumerate(lines, first):
        text = line.decode("utf-8", "replace").strip()
        if number == 1:  # a mark of UTF-8, as Windows and spreadsheets put it in front
            text = text.removeprefix("\ufeff").strip()
        try:
            if text:
                name, rating, seconds = _parts(collection, text)
                answers.append(_answer(collection, name, rating, seconds))
        except argparse.ArgumentTypeError as error:
            return answers, UsageError(f"Line {number} of standard input: {error}.")
        except UsageError as error:
            return answers, UsageError(f"Line {number} of standard input: {error}")
    return answers, None


def _parts(collection: Collection, text: str) -> tuple[str, str, float]:
    """Id, rating and seconds of a line, read from its end, as an id may have blanks; tabs part
    what may be read in two ways.

    Raises:
        UsageError: it is no answer, or two.
        ArgumentTypeError: its seconds are none.
    """
    readings = [[part.strip() for part in text.split("\t")]] if "\t" in text else _readings(text)
    if len(readings) > 1:
        there = collection.has_item, collection.cards.__contains__
        readings = [parts for parts in readings if any(has(parts[0]) for has in there)]
    if len(readings) > 1:
        (longer, one), (shorter, other, seconds) = readings
        raise UsageError(
            f"'{_short(text)}' is {one} for '{longer}', or {other} for '{shorter}' in {seconds} "
            "seconds: put tabs between id, rating and seconds."
        )
    parts = readings[0] if readings else _likeliest(text)
    if len(parts) not in (2, 3):
        raise UsageError(f"'{_short(text)}' is no answer. Write ID RATING, or ID RATING SECONDS.")
    return parts[0], parts[1], _seconds(parts[2]) if len(parts) == 3 else 0.0


def _readings(text: str) -> list[list[str]]:
    """ID RATING and ID RATING SECONDS, where the last words can be that."""
    short, long = text.rsplit(None, 1), text.rsplit(None, 2)
    found = [short] if len(short) == 2 and _is_rating(short[1]) else []
    if len(long) == 3 and _is_rating(long[1]) and _is_time(long[2]):
        found.append(long)
    return found


def _likeliest(text: str) -> list[str]:
    """Of a line that names no item or is no answer: what it was most likely meant to be."""
    long = text.rsplit(None, 2)
    timed = (
        len(long) == 3 and _is_rating(long[1]) and (_is_time(long[2]) or not _is_rating(long[2]))
    )
    return long if timed else text.rsplit(None, 1)


def _is_time(text: str) -> bool:
    try:
        _seconds(text)
    except argparse.ArgumentTypeError:
        return False
    return True


# Items by ids, by ids on standard input, or by a search: suspended, buried, reset.


def configure_suspend(parser: argparse.ArgumentParser) -> None:
    _add_items(parser)
    parser.add_argument("--off", action="store_true", help="take them up again")


def run_suspend(args: argparse.Namespace) -> int:
    """0 done, 1 a search found nothing."""
    collection, now = open_collection(args.folder)
    items = chosen_items(args, collection, now)
    changed = [item for item in items if collection.is_suspended(item) == args.off]
    _each(changed, lambda item: collection.suspend(item, now, on=not args.off))
    if args.off:
        _tell(args, changed, "taken up again", "Nothing to take up again.")
    else:
        _tell(args, changed, "put aside", "Nothing to put aside.")
    return _code(args, items)


def configure_bury(parser: argparse.ArgumentParser) -> None:
    _add_items(parser)
    parser.add_argument(
        "--days",
        type=whole_number(1, _LONGEST_DAYS),
        metavar="N",
        help="not before so many study days from now (default: 1)",
    )
    parser.add_argument("--off", action="store_true", help="ask them again from today on")


def run_bury(args: argparse.Namespace) -> int:
    """0 done, 1 a search found nothing."""
    from tui.study.session import bury

    if args.off and args.days is not None:
        raise UsageError("--days and --off exclude each other.")
    collection, now = open_collection(args.folder)
    items = chosen_items(args, collection, now)
    if args.off:
        buried = set(collection.search("is:buried", now))
        changed = [item for item in items if item in buried]
        _each(changed, lambda item: bury(collection, item, now, days=0))
        _tell(args, changed, "asked again from today on", "None of them is put off.")
        return _code(args, items)
    days = args.days or 1
    _each(items, lambda item: bury(collection, item, now, days))
    when = "tomorrow" if days == 1 else f"in {days} days"
    _tell(args, items, f"put off, again {when}", "Nothing to put off.")
    return _code(args, items)


def configure_reset(parser: argparse.ArgumentParser) -> None:
    _add_items(parser)


def run_reset(args: argparse.Namespace) -> int:
    """0 done, 1 a search found nothing.  What was answered stays in the history."""
    from deck.replay import New
    from tui.study.session import reset

    collection, now = open_collection(args.folder)
    items = chosen_items(args, collection, now)
    learnt = [item for item in items if not isinstance(collection.state(item), New)]
    _each(learnt, lambda item: reset(collection, item, now))
    _tell(args, learnt, "new again", "They are new already." if items else "Nothing is found.")
    return _code(args, items)


def _add_items(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id",
        nargs="*",
        metavar="ID",
        help="a card (all its items), an item, or - for ids on standard input",
    )
    parser.add_argument("--search", metavar="QUERY", help=SEARCH_HELP)
    add_folder(parser)
    add_json(parser)


def _each(items: list[str], do: Callable[[str], object]) -> None:
    """Does it with each item.  Raises JournalError, which says with how many it was done."""
    from deck.errors import JournalError, counted

    for done, item in enumerate(items):
        try:
            do(item)
        except JournalError as error:
            raise counted(error, done, len(items), "entries") from error


def _tell(args: argparse.Namespace, items: list[str], done: str, nothing: str) -> None:
    """What was done to each of `items`; `nothing` is said where there is none."""
    if args.json:
        print_json({"items": items})
        return
    for item in items:
        print(f"{one_line(item)}: {done}.")
    if not items:
        print(nothing)


def _code(args: argparse.Namespace, items: list[str]) -> int:
    """1 where a search found none of `items`, else 0, whatever was left to do."""
    return 1 if args.search is not None and not items else 0


# The limits of a study day.


def configure_raise(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--new", default="0", metavar="N", help="so many new cards more")
    parser.add_argument("--reviews", default="0", metavar="N", help="so many reviews more")
    parser.add_argument(
        "--deck", metavar="DECK", help="of the course that has limits of its own (default: all)"
    )
    add_folder(parser)
    add_json(parser)


def run_raise(args: argparse.Namespace) -> int:
    from tui.session_form import RaiseError, raise_limits, read_change

    collection, now = open_collection(args.folder)
    try:
        new = read_change("--new", args.new)
        reviews = read_change("--reviews", args.reviews)
        deck = find_deck(collection, args.deck, now)
        said = raise_limits(collection, deck, new, reviews, now)
    except RaiseError as error:
        raise UsageError(str(error)) from error
    if args.json:
        counts = collection.queue(now).counts
        print_json({"new": new, "reviews": reviews, "left": {"new": counts.new, "due": counts.due}})
    else:
        print(said)
    return 0
