"""`deltadeck init FOLDER`: make a folder a collection, with the starter deck if asked."""

from __future__ import annotations

import argparse
from pathlib import Path

from tui.commands.common import UsageError


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="made if it is not there")
    parser.add_argument("--starter", action="store_true", help="put the starter deck into it")


def run(args: argparse.Namespace) -> int:
    from deck import Collection

    folder: Path = args.folder
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file: name a folder, or a place where one can be made.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be made ({error.strerror}): name a folder in a place of yours."
        ) from error
    copied = _copy_starter(folder) if args.starter else 0
    Collection.init(folder)
    _set_up_sync(folder)
    print(f"{folder} is a collection" + (f", with {copied} starter cards." if copied else "."))
    # A bare name could be a command's: `deltadeck study` opens the app on the current folder.
    shown = folder if len(folder.parts) > 1 or folder.is_absolute() else f"./{folder}"
    print(f"`deltadeck {shown}` opens it.")
    return 0


def _set_up_sync(folder: Path) -> None:
    """In a git repository: its merge driver for journals.  Elsewhere `deltadeck sync` asks."""
    from deck.sync.setup import set_up_here

    set_up_here(folder.absolute())


def _copy_starter(folder: Path) -> int:
    """Copy the starter cards that are not there yet; how many.  Nothing is overwritten."""
    import cards
    from cards import save_card

    sources = sorted((Path(cards.__file__).parent / "starter").glob("*.md"))
    missing = [source for source in sources if not (folder / source.name).exists()]
    for source in missing:
        # Through save_card, not a file copy: atomic, and writable whatever the source's mode is.
        save_card(folder / source.name, source.read_bytes().decode("utf-8"), None)
    return len(missing)
