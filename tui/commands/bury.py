"""`deltadeck bury ID...`: put items off until tomorrow, or for some days."""

from __future__ import annotations

import argparse

from tui.commands.common import UsageError, open_collection, whole_number
from tui.commands.items import add_items, chosen, each, ended, tell

LONGEST = 3650


def configure(parser: argparse.ArgumentParser) -> None:
    add_items(parser)
    parser.add_argument(
        "--days",
        type=whole_number(1, LONGEST),
        metavar="N",
        help="not before so many study days from now (default: 1)",
    )
    parser.add_argument("--off", action="store_true", help="ask them again from today on")


def run(args: argparse.Namespace) -> int:
    """0 done, 1 a search found nothing."""
    from tui.clock import now as clock
    from tui.study_deeds import bury, unbury

    if args.off and args.days is not None:
        raise UsageError("--days and --off exclude each other.")
    days = 1 if args.days is None else args.days
    collection, now = open_collection(args.folder), clock()
    items = chosen(args, collection, now)
    if args.off:
        buried = set(collection.search("is:buried", now))
        changed = [item for item in items if item in buried]
        each(changed, lambda item: unbury(collection, item, now))
        tell(args, changed, "asked again from today on", "None of them is put off.")
        return ended(args, items)
    each(items, lambda item: bury(collection, item, now, days))
    when = "tomorrow" if days == 1 else f"in {days} days"
    tell(args, items, f"put off, again {when}", "Nothing to put off.")
    return ended(args, items)
