"""`deltadeck edit ID`: edit a card in $EDITOR; problems are shown before it is saved."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tui.commands.common import (
    UsageError,
    add_folder,
    find_card,
    open_collection,
    read_text,
    refuse_taken,
    report_odd,
    require_terminal,
)

if TYPE_CHECKING:
    from cards import Card
    from deck import Collection


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help="the card's id, or its file (also one that cannot be read)")
    parser.add_argument(
        "--file", metavar="F", help="take the new text from F (- for standard input), no editor"
    )
    add_folder(parser)


def run(args: argparse.Namespace) -> int:
    path = _path(args.id, args.folder)
    seen = read_text(str(path))
    from cards import parse_card, save_card

    collection = open_collection(args.folder)

    def accept(card: Card) -> None:
        _refuse_other_id(card, path, collection)

    if args.file:
        text = read_text(args.file)
        accept(parse_card(text, path))
        card = save_card(path, text, seen)
    else:
        from tui.commands.editing import edit_draft, save_draft

        require_terminal("Editing", "Give the new text with `--file F` or `--file -`.")
        card = save_draft(edit_draft(seen, path.name), path, path.parent, seen, accept)
    print(f"Saved {card.id} ({path}).")
    report_odd(card)
    return 0


def _path(name: str, folder: Path) -> Path:
    for candidate in (folder / name, Path(name)):
        if candidate.suffix == ".md" and candidate.is_file():
            return candidate
    path = find_card(open_collection(folder), name).path
    if path is None:
        raise UsageError(f"The card '{name}' has no file.")
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
