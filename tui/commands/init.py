"""`deltadeck init FOLDER`: make a folder a collection, with the starter deck if asked."""

from __future__ import annotations

import argparse
from pathlib import Path

from tui.commands.common import UsageError, add_json, print_json
from tui.starter import copy_starter


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="made if it is not there")
    parser.add_argument("--starter", action="store_true", help="put the starter deck into it")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    from deck.collection import Collection

    folder: Path = args.folder
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file: name a folder, or a place where one can be made.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be made ({error.strerror}): name a folder in a place of yours."
        ) from error
    copied = copy_starter(folder) if args.starter else 0
    Collection.init(folder)
    _set_up_sync(folder)
    if args.json:
        print_json({"path": str(folder), "cards": copied})
        return 0
    print(f"{folder} is a collection" + (f", with {copied} starter cards." if copied else "."))
    # A bare name could be a command's: `deltadeck study` opens the app on the current folder.
    shown = folder if len(folder.parts) > 1 or folder.is_absolute() else f"./{folder}"
    print(f"`deltadeck {shown}` opens it.")
    return 0


def _set_up_sync(folder: Path) -> None:
    """In a git repository: its merge driver for journals.  Elsewhere `deltadeck sync` asks."""
    from deck.sync.setup import set_up_here

    set_up_here(folder.absolute())
