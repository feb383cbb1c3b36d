"""`deltadeck edit ID`: edit a card in $EDITOR; problems are shown before it is saved."""

from __future__ import annotations

import argparse
from pathlib import Path

from tui.commands.common import (
    UsageError,
    add_folder,
    find_card,
    open_collection,
    read_text,
    report,
    require_terminal,
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help="the card's id, or its file (also one that cannot be read)")
    parser.add_argument(
        "--file", metavar="F", help="take the new text from F (- for standard input), no editor"
    )
    add_folder(parser)


def run(args: argparse.Namespace) -> int:
    path = _path(args.id, args.folder)
    seen = read_text(str(path))
    from cards import save_card

    if args.file:
        card = save_card(path, read_text(args.file), seen)
    else:
        from tui.commands.editing import edit_draft, save_draft

        require_terminal("Editing", "Give the new text with `--file F` or `--file -`.")
        card = save_draft(edit_draft(seen, path.name), path, path.parent, seen)
    print(f"Saved {card.id} ({path}).")
    report(card.warnings)
    return 0


def _path(name: str, folder: Path) -> Path:
    for candidate in (folder / name, Path(name)):
        if candidate.suffix == ".md" and candidate.is_file():
            return candidate
    path = find_card(open_collection(folder), name).path
    if path is None:
        raise UsageError(f"The card '{name}' has no file.")
    return path
