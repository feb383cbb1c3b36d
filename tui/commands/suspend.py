"""`deltadeck suspend ID...`: put items aside, or take them up again."""

from __future__ import annotations

import argparse

from tui.commands.common import open_collection
from tui.commands.items import add_items, chosen, each, ended, tell


def configure(parser: argparse.ArgumentParser) -> None:
    add_items(parser)
    parser.add_argument("--off", action="store_true", help="take them up again")


def run(args: argparse.Namespace) -> int:
    """0 done, 1 a search found nothing."""
    from tui.clock import now as clock

    collection, now = open_collection(args.folder), clock()
    items = chosen(args, collection, now)
    changed = [item for item in items if collection.is_suspended(item) == args.off]
    each(changed, lambda item: collection.suspend(item, now, on=not args.off))
    if args.off:
        tell(args, changed, "taken up again", "Nothing to take up again.")
    else:
        tell(args, changed, "put aside", "Nothing to put aside.")
    return ended(args, items)
