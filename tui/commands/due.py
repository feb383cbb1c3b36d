"""`deltadeck due`: what is due now, deck by deck."""

from __future__ import annotations

import argparse

from tui.commands.common import add_folder, add_json, open_collection, print_json, report


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--list", action="store_true", help="name the cards, in study order")
    add_folder(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    from tui.clock import now as clock

    collection = open_collection(args.folder)
    now = clock()
    queue = collection.queue(now)
    decks = collection.decks(now)
    if args.json:
        print_json(
            {
                "decks": [
                    {
                        "name": d.name,
                        "key": d.key,
                        "depth": d.depth,
                        "new": d.new,
                        "learning": d.learning,
                        "due": d.due,
                    }
                    for d in decks
                ],
                "queue": [
                    {"item": e.item_id, "kind": e.kind, "due": e.due.isoformat() if e.due else None}
                    for e in queue.entries
                ],
                "next_due": queue.next_due.isoformat() if queue.next_due else None,
                "problems": len(collection.problems),
            }
        )
        return 0
    report(collection.problems)
    if not collection.cards:
        print(f"No cards in {collection.root} yet: `deltadeck add --folder {collection.root}`")
        return 0
    width = max(len("deck"), *(len(d.name) + 2 * d.depth for d in decks))
    print(f"{'deck':{width}}  {'new':>5} {'learn':>5} {'due':>5}")
    for d in decks:
        print(f"{'  ' * d.depth + d.name:{width}}  {d.new:>5} {d.learning:>5} {d.due:>5}")
    if args.list:
        print()
        for entry in queue.entries:
            print(f"{entry.kind:9} {entry.item_id}")
    elif not queue.entries and queue.next_due:
        print(
            f"\nNothing is due now; the next is, at {queue.next_due.astimezone():%a %d %b %H:%M}."
        )
    return 0
