"""Items named on the command line: by ids, by ids on standard input, or by a search."""

from __future__ import annotations

import argparse
import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tui.commands.common import UsageError, add_folder, add_json, print_json
from tui.commands.finding import QUERY_HELP, found, items_of

if TYPE_CHECKING:
    from deck import Collection


def add_items(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id", nargs="*", help="a card (all its items), an item, or - for ids on standard input"
    )
    parser.add_argument("--search", metavar="QUERY", help=QUERY_HELP)
    add_folder(parser)
    add_json(parser)


def chosen(args: argparse.Namespace, collection: Collection, now: datetime) -> list[str]:
    """The items that are meant, each once.

    Raises:
        UsageError: none is named, or one that there is not.
    """
    if not args.id and args.search is None:
        raise UsageError("Name cards, give - to read ids from standard input, or use --search.")
    names = [name for given in args.id for name in (_stdin() if given == "-" else [given])]
    items = [item for name in names for item in items_of(collection, name)]
    if args.search is not None:
        items += found(collection, args.search, now)
    return list(dict.fromkeys(items))


def _stdin() -> list[str]:
    """One id a line, as `search --ids` prints them."""
    if sys.stdin.isatty():
        raise UsageError("- reads ids from standard input, and that is the terminal: pipe them in.")
    try:
        text = sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError("Standard input is not UTF-8 text: give ids, one a line.") from error
    return [line.strip() for line in text.splitlines() if line.strip()]


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
