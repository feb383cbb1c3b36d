"""`deltadeck list [QUERY]`: the cards, one a line."""

from __future__ import annotations

import argparse

from tui.commands.common import add_folder, add_json, open_collection, print_json, report
from tui.commands.finding import add_query, found, joined


def configure(parser: argparse.ArgumentParser) -> None:
    add_query(parser)
    parser.add_argument("--ids", action="store_true", help="only the ids, a line each")
    add_folder(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """0 done, 1 a search found nothing."""
    from tui.clock import now as clock
    from tui.text import one_line

    collection = open_collection(args.folder)
    query = joined(args.query)
    ids = found(collection, query, clock())
    if args.json:
        from tui.commands.show import card_dict

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
