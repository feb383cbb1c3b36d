"""`deltadeck suspend`, `bury` and `reset`: items by ids, by ids on standard input, or by a search;
and `raise`, the limits of a study day."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from deck.errors import JournalError
from deck.errors import counted as with_count
from deck.replay import New
from tui.commands import UsageError
from tui.commands.common import print_json, tell
from tui.commands.lookup import chosen_items, find_deck, open_collection
from tui.session_form import RaiseError, raise_limits, read_change
from tui.study.session import bury, reset
from tui.text import one_line


def run_suspend(args: argparse.Namespace) -> int:
    """0 done, 1 a search found nothing."""
    collection, now = open_collection(args.folder)
    items = chosen_items(args, collection, now)
    changed = [item for item in items if collection.is_suspended(item) == args.off]
    done, nothing = "put aside", "Nothing to put aside."
    if args.off:
        done, nothing = "taken up again", "Nothing to take up again."
    _each(args, changed, lambda item: collection.suspend(item, now, on=not args.off), done, nothing)
    return _code(args, items)


def run_bury(args: argparse.Namespace) -> int:
    """0 done, 1 a search found nothing."""
    if args.off and args.days is not None:
        raise UsageError("--days and --off exclude each other.")
    collection, now = open_collection(args.folder)
    items = changed = chosen_items(args, collection, now)
    days = 0 if args.off else args.days or 1
    when = "tomorrow" if days == 1 else f"in {days} days"
    done, nothing = f"put off, again {when}", "Nothing to put off."
    if args.off:
        buried = set(collection.search("is:buried", now))
        changed = [item for item in items if item in buried]
        done, nothing = "asked again from today on", "None of them is put off."
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
    rows = [f"{one_line(item)}: {done}." for item in items]
    tell(args, {"items": items}, *(rows or [nothing]))


def _code(args: argparse.Namespace, items: list[str]) -> int:
    """1 where a search found none of `items`, else 0, whatever was left to do."""
    return 1 if args.search is not None and not items else 0


def run_raise(args: argparse.Namespace) -> int:
    collection, now = open_collection(args.folder)
    try:
        new = read_change("--new", args.new)
        reviews = read_change("--reviews", args.reviews)
        deck = find_deck(collection, args.deck, now)
        said = raise_limits(collection, deck, new, reviews, now)
    except RaiseError as error:
        raise UsageError(str(error)) from error
    if args.json:
        left = collection.queue(now).counts
        print_json({"new": new, "reviews": reviews, "left": {"new": left.new, "due": left.due}})
    else:
        print(said)
    return 0
