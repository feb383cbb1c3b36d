"""`deltadeck search QUERY`: the items that a search means."""

from __future__ import annotations

import argparse
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tui.commands.common import add_folder, add_json, open_collection, print_json
from tui.commands.finding import add_query, found, joined

if TYPE_CHECKING:
    from deck.collection import Collection
    from deck.replay import ItemState


def configure(parser: argparse.ArgumentParser) -> None:
    add_query(parser, "+")
    parser.add_argument("--ids", action="store_true", help="only the ids, a line each")
    add_folder(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """0 something was found, 1 nothing."""
    from tui.clock import now as clock

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
