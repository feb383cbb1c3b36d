"""`deltadeck due`: what is due now, deck by deck; or what another session would hold."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

from tui.commands.common import add_folder, add_json, open_collection, print_json, report
from tui.commands.finding import found, readable
from tui.commands.sessions import add_session, asked_of, deck_of, is_plain

if TYPE_CHECKING:
    from deck.collection import Collection
    from deck.decks import DeckCount
    from deck.queue import Queue


def configure(parser: argparse.ArgumentParser) -> None:
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--list", action="store_true", help="name the items, in study order")
    shown.add_argument("--ids", action="store_true", help="only the ids, a line each")
    add_session(parser)
    add_folder(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """0 done, also where nothing is due; 1 a search found nothing."""
    from tui.clock import now as clock

    collection, now = open_collection(args.folder), clock()
    queue = _queue(args, collection, now)
    if args.json:
        _print_json(collection, queue, now)
    elif args.ids:
        for entry in queue.entries:
            print(entry.item_id)
    else:
        report(collection.problems)
        _print(args, collection, queue, now)
    return 0 if queue.entries or not args.search or found(collection, args.search, now) else 1


def _queue(args: argparse.Namespace, collection: Collection, now: datetime) -> Queue:
    if is_plain(args):
        return collection.queue(now)
    from tui.study_queue import is_live

    asked = asked_of(args, deck_of(collection, args.deck, now))
    if is_live(asked) and asked.minutes is None:
        return collection.queue(now, asked.deck)
    with readable():
        return collection.session(asked, now)


def _print_json(collection: Collection, queue: Queue, now: datetime) -> None:
    decks = [asdict(deck) for deck in collection.decks(now)]
    for deck in decks:
        del deck["total"]
    print_json(
        {
            "decks": decks,
            "queue": [
                {"item": e.item_id, "kind": e.kind, "due": e.due.isoformat() if e.due else None}
                for e in queue.entries
            ],
            "next_due": queue.next_due.isoformat() if queue.next_due else None,
            "problems": len(collection.problems),
        }
    )


def _print(args: argparse.Namespace, collection: Collection, queue: Queue, now: datetime) -> None:
    if not is_plain(args):
        _print_session(args, queue)
        return
    decks = collection.decks(now)
    if not decks:
        print(f"No cards in {collection.root} yet: `deltadeck add --folder {collection.root}`")
        return
    _print_decks(decks)
    if args.list:
        print()
        _print_items(queue)
    elif not queue.entries and queue.next_due:
        print(
            f"\nNothing is due now; the next is, at {queue.next_due.astimezone():%a %d %b %H:%M}."
        )


def _print_session(args: argparse.Namespace, queue: Queue) -> None:
    from tui.text import counted

    if args.list:
        _print_items(queue)
        return
    kinds = [entry.kind for entry in queue.entries]
    parts = [f"{kinds.count(kind)} {kind}" for kind in ("learning", "review", "new")]
    some = ", ".join(part for part in parts if not part.startswith("0 "))
    print(f"{counted(len(kinds), 'item')}{f': {some}' if some else ''}.")


def _print_decks(decks: list[DeckCount]) -> None:
    from tui.text import one_line

    names = [f"{'  ' * deck.depth}{one_line(deck.name)}" for deck in decks]
    width = max(len("deck"), *map(len, names))
    print(f"{'deck':{width}}  {'new':>5} {'learn':>5} {'due':>5}")
    for name, deck in zip(names, decks, strict=True):
        print(f"{name:{width}}  {deck.new:>5} {deck.learning:>5} {deck.due:>5}")


def _print_items(queue: Queue) -> None:
    for entry in queue.entries:
        print(f"{entry.kind:9} {entry.item_id}")
