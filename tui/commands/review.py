"""`deltadeck review`, `suspend`, `bury`, `reset` and `raise`: answers, and changes of items.

`review -` takes answers from standard input, a line each.  The lines that are there are recorded
with one write, and nothing more is waited for: a script that sends one line and waits for its
answer is served as well as one that sends a file.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from deck.collection import Collection
from deck.errors import JournalError, with_count
from deck.events import Event, Reviewed
from deck.fsrs import Rating
from deck.recording import AnswerInput
from deck.replay import New, falls_due
from tui.commands import UsageError
from tui.commands.arguments import RATINGS, STDIN, seconds
from tui.commands.common import print_json, tell
from tui.commands.lookup import chosen_items, find_deck, items_of, listed, open_collection
from tui.session_form import raise_limits, read_change
from tui.study.session import bury, reset
from tui.text import interval, shortened, visible_line
from tui.text import now as clock

#: Bytes of standard input that are read at once.
_READ = 1 << 16


def run_review(args: argparse.Namespace) -> int:
    collection, now = open_collection(args.folder)
    if args.undo:
        return _undo(collection, args, now)
    if args.id == STDIN and args.rating is None:
        collection.finish_status()
        _review_lines(collection, sys.stdin.fileno(), args.json)
        return 0
    if args.id is None or args.rating is None:
        raise UsageError("Name the item and a rating, as in `deltadeck review ID good`.")
    given = _answer(collection, args.id, args.rating, args.seconds)
    collection.finish_status()
    now = clock()
    event = collection.rate(given.item_id, given.rating, now, given.milliseconds)
    collection.close()
    tell(args, *_outcome(event, collection, now))
    return 0


def _undo(collection: Collection, args: argparse.Namespace, now: datetime) -> int:
    """0 taken back, 1 there was nothing to take back."""
    if args.rating is not None:
        raise UsageError("--undo takes an answer back, and no rating: leave it out.")
    event = collection.undo(now, items_of(collection, args.id) if args.id else None)
    to = f" to {args.id}" if args.id else ""
    nothing = f"There is no answer{to} to undo."
    said = f"Undid the last answer, to {event.item}." if event else nothing
    tell(args, {"undone": event.item if event else None}, said)
    return 0 if event else 1


def _answer(collection: Collection, name: str, rating: str, took: float) -> AnswerInput:
    """The answer that is meant.  Raises UsageError."""
    if not _is_rating(rating):
        names = ", ".join(RATINGS)
        raise UsageError(f"There is no rating '{_short(rating, 40)}': give 1 to 4, or {names}.")
    said, items = rating.casefold(), items_of(collection, name)
    if len(items) > 1:
        raise UsageError(f"{name} has {len(items)} items: name one of {listed(items)}.")
    number = RATINGS.index(said) + 1 if said in RATINGS else int(said)
    return AnswerInput(items[0], Rating(number), round(took * 1000))


def _is_rating(text: str) -> bool:
    return text.casefold() in (*RATINGS, "1", "2", "3", "4")


def _short(text: str, longest: int = 60) -> str:
    return shortened(visible_line(text), longest)


def _outcome(event: Event, collection: Collection, now: datetime) -> tuple[dict[str, Any], str]:
    """What was recorded, for a program and for a reader."""
    assert isinstance(event.what, Reviewed)
    rating, promise = event.what.rating, event.what.promise
    assert promise is not None, "an answer that was just recorded has one"
    due, span = falls_due(promise, event.at, event.day, now, collection.config)
    value = {"item": event.item, "rating": int(rating), "due": due.isoformat()}
    return value, f"{event.item}: {rating.name.lower()}, again in {interval(span)}."


# Answers from standard input.


def _review_lines(collection: Collection, handle: int, as_json: bool) -> None:
    """Records the answers that come from a file handle; prints each once it is on the disk.

    Raises:
        UsageError: a line is no answer; those before it are recorded.
        JournalError: the disk refuses; it says how many answers were recorded of those read.
    """
    first, done, total = 1, 0, 0

    def heard(events: Sequence[Event]) -> None:
        nonlocal done
        done, now = done + len(events), clock()
        for event in events:
            value, sentence = _outcome(event, collection, now)
            print(json.dumps(value) if as_json else sentence)
        sys.stdout.flush()

    try:
        with collection.stream(heard) as stream:
            for lines in _arriving(handle):
                read = partial(_read, collection, lines, first)
                answers, wrong = collection.as_one(read)
                first, total = first + len(lines), total + len(answers)
                now = clock()
                if not all(stream.give(answer, now) for answer in answers):
                    break
                if wrong:
                    raise wrong
    except JournalError as error:
        raise with_count(error, done, total) from error
    finally:
        collection.close()


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
                answers.append(_answer(collection, *_parts(collection, text)))
        except (argparse.ArgumentTypeError, UsageError) as error:
            end = "" if isinstance(error, UsageError) else "."
            return answers, UsageError(f"Line {number} of standard input: {error}{end}")
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
        (longer, one), (shorter, other, took) = readings
        raise UsageError(
            f"'{_short(text)}' is {one} for '{longer}', or {other} for '{shorter}' in {took} "
            "seconds: put tabs between id, rating and seconds."
        )
    parts = readings[0] if readings else _likeliest(text)
    if len(parts) not in (2, 3):
        raise UsageError(f"'{_short(text)}' is no answer. Write ID RATING, or ID RATING SECONDS.")
    return parts[0], parts[1], seconds(parts[2]) if len(parts) == 3 else 0.0


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
        seconds(text)
    except argparse.ArgumentTypeError:
        return False
    return True


# Changes of items: named by ids, by ids on standard input, or by a search.


def run_suspend(args: argparse.Namespace) -> int:
    """0 done, 1 a search found nothing."""
    collection, now = open_collection(args.folder)
    items = chosen_items(args, collection, now)
    changed = [item for item in items if collection.is_suspended(item) == args.off]
    done, nothing = "suspended", "Nothing to suspend."
    if args.off:
        done, nothing = "unsuspended", "Nothing to unsuspend."
    _each(args, changed, lambda item: collection.suspend(item, now, on=not args.off), done, nothing)
    return _code(args, items)


def run_bury(args: argparse.Namespace) -> int:
    """0 done, 1 a search found nothing."""
    if args.off and args.days is not None:
        raise UsageError("--days and --off exclude each other.")
    collection, now = open_collection(args.folder)
    items = changed = chosen_items(args, collection, now)
    days = 0 if args.off else args.days or 1
    when = "until tomorrow" if days == 1 else f"for {days} days"
    done, nothing = f"buried {when}", "Nothing to bury."
    if args.off:
        buried = set(collection.search("is:buried", now))
        changed = [item for item in items if item in buried]
        done, nothing = "unburied", "None of them is buried."
    _each(args, changed, lambda item: bury(collection, item, now, days), done, nothing)
    return _code(args, items)


def run_reset(args: argparse.Namespace) -> int:
    """0 done, 1 a search found nothing.  What was answered stays in the history."""
    collection, now = open_collection(args.folder)
    items = chosen_items(args, collection, now)
    learnt = [item for item in items if not isinstance(collection.state(item), New)]
    nothing = "They are new already." if items else "Nothing is found."
    _each(args, learnt, lambda item: reset(collection, item, now), "new again", nothing)
    return _code(args, items)


def _each(
    args: argparse.Namespace,
    items: list[str],
    do: Callable[[str], object],
    done: str,
    nothing: str,
) -> None:
    """Does it with each item, and says so.  Raises JournalError, with how many it was done."""
    for number, item in enumerate(items):
        try:
            do(item)
        except JournalError as error:
            raise with_count(error, number, len(items), "entries") from error
    rows = [f"{visible_line(item)}: {done}." for item in items]
    tell(args, {"items": items}, *(rows or [nothing]))


def _code(args: argparse.Namespace, items: list[str]) -> int:
    """1 where a search found none of `items`, else 0, whatever was left to do."""
    return 1 if args.search is not None and not items else 0


def run_raise(args: argparse.Namespace) -> int:
    collection, now = open_collection(args.folder)
    new = read_change("--new", args.new)
    reviews = read_change("--reviews", args.reviews)
    deck = find_deck(collection, args.deck, now)
    said = raise_limits(collection, deck, new, reviews, now)
    if args.json:
        left = collection.queue(now).counts
        print_json({"new": new, "reviews": reviews, "left": {"new": left.new, "due": left.due}})
    else:
        print(said)
    return 0
