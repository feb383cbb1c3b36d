"""`deltadeck suspend ID...`: put items aside, or take them up again."""

from __future__ import annotations

import argparse

from tui.commands.common import UsageError, add_folder, open_collection
from tui.commands.finding import QUERY_HELP, found, items_of


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="*", help="a card (all its items), or one item")
    parser.add_argument("--search", metavar="QUERY", help=QUERY_HELP)
    parser.add_argument("--off", action="store_true", help="take them up again")
    add_folder(parser)


def run(args: argparse.Namespace) -> int:
    from tui.clock import now as clock

    collection, now = open_collection(args.folder), clock()
    if not args.id and args.search is None:
        raise UsageError("Name cards, or find them with --search.")
    chosen = [item for name in args.id for item in items_of(collection, name)]
    if args.search is not None:
        chosen += found(collection, args.search, now)
    changed = [item for item in dict.fromkeys(chosen) if collection.is_suspended(item) == args.off]
    for item in changed:
        collection.suspend(item, now, on=not args.off)
        print(f"{item}: {'taken up again' if args.off else 'put aside'}.")
    if not changed:
        print("Nothing to take up again." if args.off else "Nothing to put aside.")
    return 0
