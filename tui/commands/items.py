"""Items and cards named on the command line: by ids, by ids on standard input, or by a search."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tui.commands.common import UsageError, add_folder, add_json, find_card, print_json
from tui.commands.finding import SEARCH_HELP, found, items_of

if TYPE_CHECKING:
    from deck.collection import Collection

STDIN = "-"


def add_items(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id",
        nargs="*",
        metavar="ID",
        help="a card (all its items), an item, or - for ids on standard input",
    )
    parser.add_argument("--search", metavar="QUERY", help=SEARCH_HELP)
    add_folder(parser)
    add_json(parser)


def add_cards(parser: argparse.ArgumentParser, more: str = "") -> None:
    """Cards, where their items do not matter; `more` is what else a word may be."""
    help_text = f"a card{more}, or - for ids on standard input"
    parser.add_argument("id", nargs="*", metavar="ID", help=help_text)
    parser.add_argument("--search", metavar="QUERY", help=SEARCH_HELP)


def chosen(args: argparse.Namespace, collection: Collection, now: datetime) -> list[str]:
    """The items that are meant, each once.

    Raises:
        UsageError: none is named, or one that there is not.
    """
    items = [item for name in names_of(args) for item in items_of(collection, name)]
    if args.search is not None:
        items += found(collection, args.search, now)
    return list(dict.fromkeys(items))


def chosen_cards(args: argparse.Namespace, collection: Collection) -> list[str]:
    """The ids of the cards that are meant, each once; an item means its card.

    Raises:
        UsageError: none is named or found, or one is that there is not.
    """
    from tui.clock import now as clock

    ids = [find_card(collection, name).id for name in names_of(args)]
    if args.search is not None:
        items = found(collection, args.search, clock())
        ids += [card.id for card in collection.outlines(items)]
    if not ids:
        raise UsageError("No card is found: `deltadeck list` names those that there are.")
    return list(dict.fromkeys(ids))


def is_one(args: argparse.Namespace) -> bool:
    """Whether a single card is named, not as many as a pipe or a search holds."""
    return len(args.id) == 1 and args.id[0] != STDIN and args.search is None


def names_of(args: argparse.Namespace) -> list[str]:
    """What is named, standard input read.  Raises UsageError where nothing is."""
    if not args.id and args.search is None:
        raise UsageError("Name cards, give - to read ids from standard input, or use --search.")
    if args.id.count(STDIN) and getattr(args, "file", None) == STDIN:
        raise UsageError("Ids and a text cannot both come from standard input: name a file.")
    return [name for given in args.id for name in (_stdin() if given == STDIN else [given])]


def _stdin() -> list[str]:
    """One id a line, as `search --ids` prints them."""
    if sys.stdin.isatty():
        raise UsageError("- reads ids from standard input, and that is the terminal: pipe them in.")
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError("Standard input is not UTF-8 text: give ids, one a line.") from error
    return [line.strip() for line in text.split("\n") if line.strip()]


def each(items: list[str], do: Callable[[str], object]) -> None:
    """Does it with each item.  Raises JournalError, which says with how many it was done."""
    from deck.errors import JournalError, counted

    for done, item in enumerate(items):
        try:
            do(item)
        except JournalError as error:
            raise counted(error, done, len(items), "entries") from error


def ended(args: argparse.Namespace, items: list[str]) -> int:
    """The exit code: 1 where a search found none of `items`, else 0, whatever was left to do."""
    return 1 if args.search is not None and not items else 0


def tell(args: argparse.Namespace, items: list[str], done: str, nothing: str) -> None:
    """What was done to each of `items`; `nothing` is said where there is none."""
    from tui.text import one_line

    if args.json:
        value: dict[str, Any] = {"items": items}
        print_json(value)
        return
    for item in items:
        print(f"{one_line(item)}: {done}.")
    if not items:
        print(nothing)
