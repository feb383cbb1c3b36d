"""`deltadeck add`: write a new card, in $EDITOR or from a text."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from cards.model import TYPES
from tui.commands.common import (
    add_folder,
    add_json,
    open_collection,
    print_json,
    read_text,
    refuse_taken,
    report_odd,
    require_terminal,
)

if TYPE_CHECKING:
    from cards import Card
    from deck.collection import Collection


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--type", choices=TYPES, default="derivation", help="(default: derivation)")
    parser.add_argument("--id", metavar="ID", help="the card's id (default: made from the time)")
    parser.add_argument("--course", metavar="COURSE", default="", help="the course it belongs to")
    parser.add_argument("--tags", metavar="TAG,...", default="", help="tags, separated by commas")
    parser.add_argument(
        "--file",
        metavar="FILE",
        help="take the whole card from FILE (- for standard input), no editor",
    )
    add_folder(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    from tui.text import one_line

    collection = open_collection(args.folder)
    card = _from_file(args.file, collection) if args.file else _from_editor(args, collection)
    if args.json:
        print_json({"id": card.id, "path": str(card.path)})
    else:
        print(f"Added {one_line(card.id)} ({one_line(str(card.path))}).")
    report_odd(card)
    return 0


def _from_file(name: str, collection: Collection) -> Card:
    from cards import parse_card, save_card

    text = read_text(name)
    card = parse_card(text)
    refuse_taken(card.id, collection)
    return save_card(collection.root / f"{card.id}.md", text, None)


def _from_editor(args: argparse.Namespace, collection: Collection) -> Card:
    from cards.edit import new_card
    from tui.clock import now
    from tui.commands.editing import edit_draft, save_draft

    require_terminal("Writing a card", "Give the card with `--file FILE` or `--file -`.")
    card_id = args.id or f"{now():%Y%m%d_%H%M%S}"
    refuse_taken(card_id, collection)
    tags = tuple(tag.strip() for tag in args.tags.split(",") if tag.strip())
    draft = edit_draft(new_card(args.type, card_id, args.course, tags), f"{card_id}.md")
    return save_draft(
        draft, None, None, lambda card: refuse_taken(card.id, collection), collection.root
    )
