"""`deltadeck due`, `list` and `search`: what is due, the cards, and the items of a search."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tui.commands.common import (
    add_folder,
    add_json,
    add_query,
    add_session,
    find_deck,
    is_default_session,
    open_collection,
    print_json,
    reading_search,
    report,
    search_items,
    session_request,
)
from tui.text import counted, one_line, shortened

if TYPE_CHECKING:
    from datetime import datetime

    from cards.model import Card
    from deck.collection import Collection
    from deck.decks import DeckCount
    from deck.queue import Queue
    from deck.replay import ItemState


def configure_due(parser: argparse.ArgumentParser) -> None:
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--list", action="store_true", help="name the items, in study order")
    shown.add_argument("--ids", action="store_true", help="only the ids, a line each")
    add_session(parser)
    add_folder(parser)
    add_json(parser)


def run_due(args: argparse.Namespace) -> int:
    """0 done, also where nothing is due; 1 a search found nothing."""
    collection, now = open_collection(args.folder)
    queue = _queue(args, collection, now)
    if args.json:
        _print_due_json(collection, queue, now)
    elif args.ids:
        for entry in queue.entries:
            print(entry.item_id)
    else:
        report(collection.problems)
        if is_default_session(args):
            _print_decks(args, collection, queue, now)
        elif args.list:
            _print_entries(queue)
        else:
            _print_count(queue)
    found = queue.entries or not args.search or search_items(collection, args.search, now)
    return 0 if found else 1


def _queue(args: argparse.Namespace, collection: Collection, now: datetime) -> Queue:
    if is_default_session(args):
        return collection.queue(now)
    from tui.study.session import is_live

    asked = session_request(args, find_deck(collection, args.deck, now))
    if is_live(asked) and asked.minutes is None:
        return collection.queue(now, asked.deck)
    with reading_search():
        return collection.session(asked, now)


def _print_due_json(collection: Collection, queue: Queue, now: datetime) -> None:
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


def _print_decks(
    args: argparse.Namespace, collection: Collection, queue: Queue, now: datetime
) -> None:
    decks = collection.decks(now)
    if not decks:
        _print_empty(collection)
        return
    _print_deck_table(decks)
    if args.list:
        print()
        _print_entries(queue)
    elif not queue.entries and queue.next_due:
        at = queue.next_due.astimezone()
        print(f"\nNothing is due now; the next is, at {at:%a %d %b %H:%M}.")


def _print_deck_table(decks: list[DeckCount]) -> None:
    names = [f"{'  ' * deck.depth}{one_line(deck.name)}" for deck in decks]
    width = max(len("deck"), *map(len, names))
    print(f"{'deck':{width}}  {'new':>5} {'learn':>5} {'due':>5}")
    for name, deck in zip(names, decks, strict=True):
        print(f"{name:{width}}  {deck.new:>5} {deck.learning:>5} {deck.due:>5}")


def _print_entries(queue: Queue) -> None:
    for entry in queue.entries:
        print(f"{entry.kind:9} {entry.item_id}")


def _print_count(queue: Queue) -> None:
    kinds = [entry.kind for entry in queue.entries]
    counts = {kind: kinds.count(kind) for kind in ("learning", "review", "new")}
    some = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    print(f"{counted(len(kinds), 'item')}{f': {some}' if some else ''}.")


def _print_empty(collection: Collection) -> None:
    print(f"No cards in {collection.root} yet: `deltadeck add --folder {collection.root}`")


def configure_list(parser: argparse.ArgumentParser) -> None:
    add_query(parser)
    parser.add_argument("--ids", action="store_true", help="only the ids, a line each")
    add_folder(parser)
    add_json(parser)


def run_list(args: argparse.Namespace) -> int:
    """0 done, 1 a search found nothing."""
    collection, now = open_collection(args.folder)
    query = " ".join(args.query).strip()
    items = search_items(collection, query, now)
    if args.json:
        from tui.commands.cards import card_dict

        cards = {card.id: card for card in map(collection.card_of, items)}
        print_json([card_dict(card) for card in cards.values()])
    elif args.ids:
        for card in collection.outlines(items):
            print(card.id)
    else:
        report(collection.problems)
        _print_cards(collection.outlines(items), query, collection)
    return 1 if query and not items else 0


def _print_cards(cards: list[Card], query: str, collection: Collection) -> None:
    if not cards:
        if query:
            print("Nothing is found.")
        else:
            _print_empty(collection)
        return
    width = min(40, max(len(card.id) for card in cards))
    kinds = max(len(card.type) for card in cards)
    for card in cards:
        course = one_line(card.course)
        print(f"{one_line(card.id):{width}}  {card.type:{kinds}}  {card.status:9}  {course}")


def configure_search(parser: argparse.ArgumentParser) -> None:
    add_query(parser, "+")
    parser.add_argument("--ids", action="store_true", help="only the ids, a line each")
    add_folder(parser)
    add_json(parser)


def run_search(args: argparse.Namespace) -> int:
    """0 something was found, 1 nothing."""
    collection, now = open_collection(args.folder)
    items = search_items(collection, " ".join(args.query), now)
    if args.json:
        print_json([_item_dict(collection, item, now) for item in items])
    elif args.ids:
        for item in items:
            print(item)
    else:
        _print_items(collection, items, now)
    return 0 if items else 1


def _print_items(collection: Collection, items: list[str], now: datetime) -> None:
    if not items:
        print("Nothing is found.")
        return
    width = min(40, max(len(item) for item in items))
    for item in items:
        facts = _item_dict(collection, item, now)
        recall = "" if facts["r"] is None else f"{facts['r']:.0%}"
        state = "suspended" if facts["suspended"] else facts["state"]
        question = shortened(one_line(facts["question"]), 60)
        print(f"{one_line(item):{width}}  {state:10} {recall:>4}  {question}".rstrip())


def _item_dict(collection: Collection, item: str, now: datetime) -> dict[str, Any]:
    """An item as plain data; the keys are stable."""
    from deck.replay import Learning, New, Review, recall
    from deck.study_day import day_start, study_day

    state, card, config = collection.state(item), collection.card_of(item), collection.config
    due = None
    if isinstance(state, Learning):
        due = state.due.astimezone(now.tzinfo).isoformat()
    elif isinstance(state, Review):
        due = day_start(state.due_day, config.rollover, now).isoformat()
    is_new = isinstance(state, New)
    return {
        "item": item,
        "card": card.id,
        "course": card.course,
        "tags": list(card.tags),
        "state": _state_name(state),
        "suspended": collection.is_suspended(item),
        "due": due,
        "r": None if is_new else recall(state, study_day(now, config.rollover), config),
        "stability": None if isinstance(state, New) else state.memory.stability,
        "question": card.question,
    }


def _state_name(state: ItemState) -> str:
    from deck.replay import Learning, New

    if isinstance(state, New):
        return "new"
    if isinstance(state, Learning):
        return "relearning" if state.relearning else "learning"
    return "review"
