"""`deltadeck due`, `list` and `search`: what is due, the cards, and the items of a search.

What cannot be read is named on standard error and left out: a folder of notes has such files.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from deck.collection import Collection
from deck.replay import ItemState, Learning, New, Review, recall
from deck.study_day import day_start, study_day
from tui.commands.common import is_default_session, print_json, print_problems, tell
from tui.commands.lookup import open_collection, search_items, session_request
from tui.text import plural, shortened, visible_line

if TYPE_CHECKING:
    from cards.model import Card
    from deck.queue import Queue


def run_due(args: argparse.Namespace) -> int:
    """0 done, also where nothing is due; 1 a search found nothing."""
    collection, now = open_collection(args.folder)
    print_problems(collection.problems)
    queue = _queue(args, collection, now)
    if args.json:
        print_json(_due_dict(collection, queue, now))
    elif args.ids:
        for entry in queue.entries:
            print(entry.item_id)
    else:
        for row in _due_lines(args, collection, queue, now):
            print(row)
    found = queue.entries or not args.search or search_items(collection, args.search, now)
    return 0 if found else 1


def _queue(args: argparse.Namespace, collection: Collection, now: datetime) -> Queue:
    if is_default_session(args):
        return collection.queue(now)
    asked = session_request(args, collection, now)
    if asked.is_live and asked.minutes is None:
        return collection.queue(now, asked.deck)
    return collection.session(asked, now)


def _due_dict(collection: Collection, queue: Queue, now: datetime) -> dict[str, Any]:
    decks = [asdict(deck) for deck in collection.decks(now)]
    for deck in decks:
        del deck["total"], deck["held"]
    return {
        "decks": decks,
        "queue": [
            {"item": e.item_id, "kind": e.kind, "due": e.due.isoformat() if e.due else None}
            for e in queue.entries
        ],
        "next_due": queue.next_due.isoformat() if queue.next_due else None,
        "problems": len(collection.problems),
    }


def _due_lines(
    args: argparse.Namespace, collection: Collection, queue: Queue, now: datetime
) -> Iterator[str]:
    is_default = is_default_session(args)
    decks = collection.decks(now) if is_default else []
    entries = [f"{entry.kind:9} {entry.item_id}" for entry in queue.entries]
    if is_default and not decks:
        yield _no_cards(collection)
        return
    if decks:
        names = [f"{'  ' * deck.depth}{visible_line(deck.name)}" for deck in decks]
        width = max(len("deck"), *map(len, names))
        yield f"{'deck':{width}}  {'new':>5} {'learn':>5} {'due':>5}"
        for name, deck in zip(names, decks, strict=True):
            yield f"{name:{width}}  {deck.new:>5} {deck.learning:>5} {deck.due:>5}"
        if args.list:
            yield ""
    if args.list:
        yield from entries
    elif not is_default:
        kinds = [entry.kind for entry in queue.entries]
        counts = {kind: kinds.count(kind) for kind in ("learning", "review", "new")}
        some = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
        yield f"{plural(len(kinds), 'item')}{f': {some}' if some else ''}."
    elif not entries and queue.next_due:
        at = queue.next_due.astimezone()
        yield f"\nNothing is due now. The next card is due on {at:%a %d %b at %H:%M}."


def _no_cards(collection: Collection) -> str:
    return f"No cards in {collection.root} yet: `deltadeck add --folder {collection.root}`"


def run_list(args: argparse.Namespace) -> int:
    """0 done, 1 a search found nothing."""
    collection, now = open_collection(args.folder)
    print_problems(collection.problems)
    query = " ".join(args.query).strip()
    items = search_items(collection, query, now)
    if args.json:
        cards = {card.id: card for card in map(collection.card_of, items)}
        print_json([card_dict(card) for card in cards.values()])
    elif args.ids:
        for outline in collection.outlines(items):
            print(outline.id)
    else:
        nothing = "Nothing is found." if query else _no_cards(collection)
        for row in _card_rows(collection.outlines(items)) if items else [nothing]:
            print(row)
    return 1 if query and not items else 0


def _card_rows(cards: Sequence[Card]) -> Iterator[str]:
    width = min(40, max(len(card.id) for card in cards))
    kinds = max(len(card.type) for card in cards)
    for card in cards:
        course = visible_line(card.course)
        yield f"{visible_line(card.id):{width}}  {card.type:{kinds}}  {card.status:9}  {course}"


def card_dict(card: Card, solution: bool = True) -> dict[str, Any]:
    """The card as plain data; the keys are stable."""
    value: dict[str, Any] = {
        "id": card.id,
        "course": card.course,
        "tags": list(card.tags),
        "difficulty": card.difficulty,
        "type": card.type,
        "status": card.status,
        "points": card.points,
        "question": card.question,
        "options": {o.letter: o.text for o in card.options if not o.placeholder},
        "related": list(card.related),
        "items": [item.id for item in card.items],
        "exercise": card.exercise,
        "macros": dict(card.macros),
        "extra": dict(card.extra),
        "path": str(card.path) if card.path else None,
    }
    if solution:
        value |= {"correct": card.correct, "solution": card.solution}
    return value


def run_search(args: argparse.Namespace) -> int:
    """0 something was found, 1 nothing."""
    collection, now = open_collection(args.folder)
    print_problems(collection.problems)
    items = search_items(collection, " ".join(args.query), now)
    if args.ids and not args.json:
        for item in items:
            print(item)
    else:
        found = [_item_dict(collection, item, now) for item in items]
        tell(args, found, _item_rows(found) if found else "Nothing is found.")
    return 0 if items else 1


def _item_rows(items: Sequence[dict[str, Any]]) -> Iterator[str]:
    width = min(40, max(len(each["item"]) for each in items))
    for each in items:
        recalled = "" if each["r"] is None else f"{each['r']:.0%}"
        state = "suspended" if each["suspended"] else each["state"]
        question = shortened(visible_line(each["question"]), 60)
        row = f"{visible_line(each['item']):{width}}  {state:10} {recalled:>4}  {question}"
        yield row.rstrip()


def _item_dict(collection: Collection, item: str, now: datetime) -> dict[str, Any]:
    """An item as plain data; the keys are stable."""
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
    if isinstance(state, New):
        return "new"
    if isinstance(state, Learning):
        return "relearning" if state.relearning else "learning"
    return "review"
