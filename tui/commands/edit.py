"""`deltadeck edit ID...`: edit cards in $EDITOR; problems are shown before one is saved."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tui.commands.common import (
    UsageError,
    add_folder,
    add_json,
    find_card,
    open_collection,
    print_json,
    read_text,
    refuse_taken,
    report_odd,
)
from tui.commands.items import STDIN, add_cards, chosen_cards, is_one, names_of

if TYPE_CHECKING:
    from cards import Card
    from deck.collection import Collection


def configure(parser: argparse.ArgumentParser) -> None:
    add_cards(parser, " or its file (also one that cannot be read)")
    parser.add_argument(
        "--file",
        metavar="FILE",
        help="take the new text of one card from FILE (- for standard input), no editor",
    )
    add_folder(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """--json: of one card that is named an object, else a list."""
    names_given = args.id and args.search is None and STDIN not in args.id
    if names_given:
        paths = [_path(name, args.folder) for name in names_of(args)]
        collection = open_collection(args.folder)
    else:
        collection = open_collection(args.folder)
        paths = [_file(collection, card_id) for card_id in chosen_cards(args, collection)]
    if args.file and len(paths) > 1:
        raise UsageError("--file is the text of one card: name only that one.")
    if not args.file:
        from tui.commands.editing import take_terminal

        take_terminal("Give the new text with `--file FILE` or `--file -`.")
    saved = [_edit(path, args.file, collection, args.json) for path in dict.fromkeys(paths)]
    if args.json:
        print_json(saved[0] if is_one(args) else saved)
    return 0


def _edit(path: Path, file: str | None, collection: Collection, quiet: bool) -> dict[str, str]:
    from cards import parse_card, save_card
    from cards.files import refuse_leaving
    from tui.text import one_line

    refuse_leaving(path, collection.root)
    seen = read_text(str(path))

    def accept(card: Card) -> None:
        _refuse_other_id(card, path, collection)

    if file:
        text = read_text(file)
        accept(parse_card(text, path))
        card = save_card(path, text, seen, collection.root)
    else:
        from tui.commands.editing import edit_draft, save_draft

        card = save_draft(edit_draft(seen, path.name), path, seen, accept, collection.root)
    if not quiet:
        print(f"Saved {one_line(card.id)} ({one_line(str(path))}).", flush=True)
    report_odd(card)
    return {"id": card.id, "path": str(path)}


def _path(name: str, folder: Path) -> Path:
    for candidate in (folder / name, Path(name)):
        if candidate.suffix.lower() == ".md" and candidate.is_file():
            return candidate
    collection = open_collection(folder)
    return _file(collection, find_card(collection, name).id)


def _file(collection: Collection, card_id: str) -> Path:
    path = collection.cards[card_id].path
    if path is None:
        raise UsageError(f"The card '{card_id}' has no file.")
    return path


def _refuse_other_id(card: Card, path: Path, collection: Collection) -> None:
    """Raises UsageError where the new text takes another card's id, or leaves a history behind."""
    refuse_taken(card.id, collection, path)
    from tui.identity import left_behind

    if before := left_behind(card, collection, path):
        raise UsageError(
            f"The new text changes the id from '{before}' to '{card.id}', and the reviews of "
            f"'{before}' would stay behind: keep the id, or `deltadeck add` a new card."
        )
