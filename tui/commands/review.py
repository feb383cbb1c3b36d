"""`deltadeck review`, `suspend`, `bury`, `reset` and `raise`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from tui.commands.common import (
    UsageError,
    add_folder,
    add_items,
    add_json,
    chosen,
    each,
    ended,
    items_of,
    listed,
    open_collection,
    print_json,
    tell,
    whole_number,
)
from tui.text import now as clock

if TYPE_CHECKING:
    from deck.collection import AnswerInput, Collection
    from deck.events import Event
    from deck.fsrs import Rating


# == `deltadeck review ID RATING`: record an answer without the app (`review -`: review_lines.py).


NAMES = ("again", "hard", "good", "easy")
_NUMBERS = ("1", "2", "3", "4")


def configure_review(parser: argparse.ArgumentParser) -> None:
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


def run_review(args: argparse.Namespace) -> int:
    collection = open_collection(args.folder)
    if args.undo:
        return _undo(collection, args)
    if args.id == "-" and args.rating is None:
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


def given_of(collection: Collection, name: str, rating: str, seconds: float) -> AnswerInput:
    """The answer that is meant.  Raises UsageError."""
    from deck.collection import AnswerInput

    said, items = _rating(rating), items_of(collection, name)
    if len(items) > 1:
        raise UsageError(f"{name} has {len(items)} items: name one of {listed(items)}.")
    return AnswerInput(items[0], said, round(seconds * 1000))


def is_rating(text: str) -> bool:
    return text.casefold() in (*NAMES, *_NUMBERS)


def _rating(text: str) -> Rating:
    from deck.fsrs import Rating

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


# == `deltadeck review -`: answers from standard input, a line each, as they come.
#
# What is there is recorded with one write and waits for nothing more, so that a script that gives
# one
# line and waits for its answer is served like one that sends a file.


#: Bytes that are read at once.
_READ = 1 << 16
#: So many characters of a line are said of it.
_LONGEST = 60


def rate_lines(collection: Collection, handle: int, as_json: bool) -> None:
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
                said = json.dumps(as_dict(event, collection, now)) if as_json else None
                print(said or sentence(event, collection, now))
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
                answers.append(_answer(collection, text))
        except UsageError as error:
            return answers, UsageError(f"Line {number} of standard input: {error}")
    return answers, None


def _answer(collection: Collection, text: str) -> AnswerInput:
    """Read from its end, as an id may have blanks; tabs part what may be read in two ways.

    Raises:
        UsageError: it is no answer, or two.
    """
    if "\t" in text:
        parts = [part.strip() for part in text.split("\t")]
        if len(parts) not in (2, 3):
            raise _no_answer(text)
        return _given(collection, parts)
    readings = _readings(text)
    if len(readings) > 1:
        readings = [parts for parts in readings if _is_named(collection, parts[0])]
    if len(readings) > 1:
        (longer, one), (shorter, other, seconds) = readings
        raise UsageError(
            f"'{_short(text)}' is {one} for '{longer}', or {other} for '{shorter}' in {seconds} "
            "seconds: put tabs between id, rating and seconds."
        )
    return _given(collection, readings[0] if readings else _likeliest(text))


def _readings(text: str) -> list[list[str]]:
    """ID RATING and ID RATING SECONDS, where the last words can be that."""
    short, long = text.rsplit(None, 1), text.rsplit(None, 2)
    found = [short] if len(short) == 2 and is_rating(short[1]) else []
    if len(long) == 3 and is_rating(long[1]) and _is_time(long[2]):
        found.append(long)
    return found


def _likeliest(text: str) -> list[str]:
    """Of a line that names no item or is no answer: what is best said of it.  Raises UsageError."""
    short, long = text.rsplit(None, 1), text.rsplit(None, 2)
    if len(short) < 2:
        raise _no_answer(text)
    timed = len(long) == 3 and is_rating(long[1]) and (_is_time(long[2]) or not is_rating(long[2]))
    return long if timed else short


def _given(collection: Collection, parts: list[str]) -> AnswerInput:
    try:
        seconds = seconds_of(parts[2]) if len(parts) == 3 else 0.0
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"{error}.") from error
    return given_of(collection, parts[0], parts[1], seconds)


def _is_named(collection: Collection, name: str) -> bool:
    return collection.has_item(name) or name in collection.cards


def _is_time(text: str) -> bool:
    try:
        seconds_of(text)
    except argparse.ArgumentTypeError:
        return False
    return True


def _no_answer(text: str) -> UsageError:
    way_out = "Write ID RATING, or ID RATING SECONDS."
    return UsageError(f"'{_short(text)}' is no answer. {way_out}")


def _short(text: str) -> str:
    from tui.text import one_line, shortened

    return shortened(one_line(text), _LONGEST)


# == `deltadeck bury ID...`: put items off until tomorrow, or for some days.


LONGEST = 3650


def configure_bury(parser: argparse.ArgumentParser) -> None:
    add_items(parser)
    parser.add_argument(
        "--days",
        type=whole_number(1, LONGEST),
        metavar="N",
        help="not before so many study days from now (default: 1)",
    )
    parser.add_argument("--off", action="store_true", help="ask them again from today on")


def run_bury(args: argparse.Namespace) -> int:
    """0 done, 1 a search found nothing."""
    from tui.study.session import bury
    from tui.text import now as clock

    if args.off and args.days is not None:
        raise UsageError("--days and --off exclude each other.")
    days = 1 if args.days is None else args.days
    collection, now = open_collection(args.folder), clock()
    items = chosen(args, collection, now)
    if args.off:
        buried = set(collection.search("is:buried", now))
        changed = [item for item in items if item in buried]
        each(changed, lambda item: bury(collection, item, now, days=0))
        tell(args, changed, "asked again from today on", "None of them is put off.")
        return ended(args, items)
    each(items, lambda item: bury(collection, item, now, days))
    when = "tomorrow" if days == 1 else f"in {days} days"
    tell(args, items, f"put off, again {when}", "Nothing to put off.")
    return ended(args, items)


# == `deltadeck suspend ID...`: put items aside, or take them up again.


def configure_suspend(parser: argparse.ArgumentParser) -> None:
    add_items(parser)
    parser.add_argument("--off", action="store_true", help="take them up again")


def run_suspend(args: argparse.Namespace) -> int:
    """0 done, 1 a search found nothing."""
    from tui.text import now as clock

    collection, now = open_collection(args.folder), clock()
    items = chosen(args, collection, now)
    changed = [item for item in items if collection.is_suspended(item) == args.off]
    each(changed, lambda item: collection.suspend(item, now, on=not args.off))
    if args.off:
        tell(args, changed, "taken up again", "Nothing to take up again.")
    else:
        tell(args, changed, "put aside", "Nothing to put aside.")
    return ended(args, items)


# == `deltadeck reset ID...`: make items new again; what was answered stays in the history.


def configure_reset(parser: argparse.ArgumentParser) -> None:
    add_items(parser)


def run_reset(args: argparse.Namespace) -> int:
    """0 done, 1 a search found nothing."""
    from deck.replay import New
    from tui.study.session import reset
    from tui.text import now as clock

    collection, now = open_collection(args.folder), clock()
    items = chosen(args, collection, now)
    learnt = [item for item in items if not isinstance(collection.state(item), New)]
    each(learnt, lambda item: reset(collection, item, now))
    tell(args, learnt, "new again", "They are new already." if items else "Nothing is found.")
    return ended(args, items)


# == `deltadeck raise`: more cards today than the limits of the settings allow.


def configure_raise(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--new", default="0", metavar="N", help="so many new cards more")
    parser.add_argument("--reviews", default="0", metavar="N", help="so many reviews more")
    parser.add_argument(
        "--deck", metavar="DECK", help="of the course that has limits of its own (default: all)"
    )
    add_folder(parser)
    add_json(parser)


def run_raise(args: argparse.Namespace) -> int:
    from tui.commands.common import deck_of
    from tui.session_form import RaiseError, raised, whole
    from tui.text import now as clock

    collection, now = open_collection(args.folder), clock()
    try:
        new, reviews = whole("--new", args.new), whole("--reviews", args.reviews)
        said = raised(collection, deck_of(collection, args.deck, now), new, reviews, now)
    except RaiseError as error:
        raise UsageError(str(error)) from error
    if args.json:
        counts = collection.queue(now).counts
        print_json({"new": new, "reviews": reviews, "left": {"new": counts.new, "due": counts.due}})
    else:
        print(said)
    return 0
