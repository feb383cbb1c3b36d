"""`deltadeck raise`: more cards today than the limits of the settings allow."""

from __future__ import annotations

import argparse

from tui.commands.common import UsageError, add_folder, add_json, open_collection, print_json


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--new", default="0", metavar="N", help="so many new cards more")
    parser.add_argument("--reviews", default="0", metavar="N", help="so many reviews more")
    parser.add_argument(
        "--deck", metavar="DECK", help="of the course that has limits of its own (default: all)"
    )
    add_folder(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    from tui.clock import now as clock
    from tui.commands.sessions import deck_of
    from tui.raising import RaiseError, raised, whole

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
