"""`deltadeck due`, `list` and `search`: what there is, and what is due."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tui.commands.common import (
    add_folder,
    add_json,
    add_query,
    add_session,
    asked_of,
    deck_of,
    found,
    is_plain,
    joined,
    open_collection,
    print_json,
    readable,
    report,
)

if TYPE_CHECKING:
    from deck.collection import Collection
    from deck.decks import DeckCount
    from deck.queue import Queue
    from deck.replay import ItemState


# == `deltadeck search QUERY`: the items that a search means.


def configure_search(parser: argparse.ArgumentParser) -> None:
    add_query(parser, "+")
    parser.add_argument("--ids", action="store_true", help="only the ids, a line each")
    add_folder(parser)
    add_json(parser)


def run_search(args: argparse.Namespace) -> int:
    """0 something was found, 1 nothing."""
    from tui.text import now as clock

    collection, now = open_collection(args.folder), clock()
    ids = found(collection, joined(args.query), now)
    if args.json:
        print_json([item_dict(collection, item, now) for item in ids])
    elif args.ids:
        for item in ids:
            print(item)
    else:
        _print_table(collection, ids, now)
    return 0 if ids else 1


def _print_table(collection: Collection, ids: list[str], now: datetime) -> None:
    from tui.text import one_line, shortened

    if not ids:
        print("Nothing is found.")
        return
    width = min(40, max(len(item) for item in ids))
    for item in ids:
        facts = item_dict(collection, item, now)
        recall = "" if facts["r"] is None else f"{facts['r']:.0%}"
        state = "suspended" if facts["suspended"] else facts["state"]
        question = shortened(one_line(facts["question"]), 60)
        print(f"{one_line(item):{width}}  {state:10} {recall:>4}  {question}".rstrip())


def item_dict(collection: Collection, item: str, now: datetime) -> dict[str, Any]:
    """An item as plain data; the keys are stable."""
    from deck.replay import Learning, New, Review
    from deck.scheduler import recall
    from deck.study_day import day_start, study_day

    state, card, config = collection.state(item), collection.card_of(item), collection.config
    learnt = not isinstance(state, New)
    due = None
    if isinstance(state, Learning):
        due = state.due.astimezone(now.tzinfo).isoformat()
    elif isinstance(state, Review):
        due = day_start(state.due_day, config.rollover, now).isoformat()
    return {
        "item": item,
        "card": card.id,
        "course": card.course,
        "tags": list(card.tags),
        "state": state_name(state),
        "suspended": collection.is_suspended(item),
        "due": due,
        "r": recall(state, study_day(now, config.rollover), config) if learnt else None,
        "stability": None if isinstance(state, New) else state.memory.stability,
        "question": card.question,
    }


def state_name(state: ItemState) -> str:
    from deck.replay import Learning, New

    if isinstance(state, New):
        return "new"
    if isinstance(state, Learning):
        return "relearning" if state.relearning else "learning"
    return "review"


# == `deltadeck list [QUERY]`: the cards, one a line.


def configure_list(parser: argparse.ArgumentParser) -> None:
    add_query(parser)
    parser.add_argument("--ids", action="store_true", help="only the ids, a line each")
    add_folder(parser)
    add_json(parser)


def run_list(args: argparse.Namespace) -> int:
    """0 done, 1 a search found nothing."""
    from tui.text import now as clock
    from tui.text import one_line

    collection = open_collection(args.folder)
    query = joined(args.query)
    ids = found(collection, query, clock())
    if args.json:
        from tui.commands.cards import card_dict

        read = {card.id: card for card in map(collection.card_of, ids)}
        print_json([card_dict(card) for card in read.values()])
        return 1 if query.strip() and not ids else 0
    cards = collection.outlines(ids)
    if args.ids:
        for card in cards:
            print(card.id)
        return 1 if query.strip() and not cards else 0
    report(collection.problems)
    if not cards:
        print(
            "Nothing is found."
            if query.strip()
            else f"No cards in {collection.root} yet: `deltadeck add --folder {collection.root}`"
        )
        return 1 if query.strip() else 0
    width = min(40, max(len(card.id) for card in cards))
    kinds = max(len(card.type) for card in cards)
    for card in cards:
        course = one_line(card.course)
        print(f"{one_line(card.id):{width}}  {card.type:{kinds}}  {card.status:9}  {course}")
    return 0


# == `deltadeck due`: what is due now, deck by deck; or what another session would hold.


def configure_due(parser: argparse.ArgumentParser) -> None:
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--list", action="store_true", help="name the items, in study order")
    shown.add_argument("--ids", action="store_true", help="only the ids, a line each")
    add_session(parser)
    add_folder(parser)
    add_json(parser)


def run_due(args: argparse.Namespace) -> int:
    """0 done, also where nothing is due; 1 a search found nothing."""
    from tui.text import now as clock

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
    from tui.study.session import is_live

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
