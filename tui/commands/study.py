"""`deltadeck [FOLDER]`: open the app, or study in lines of text."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tui.commands.common import (
    UsageError,
    add_place,
    add_session,
    asked_of,
    deck_of,
    is_plain,
    open_collection,
    place_of,
    readable,
    require_terminal,
)

if TYPE_CHECKING:
    from deck.queue import Session as Asked


def configure_study(parser: argparse.ArgumentParser) -> None:
    add_place(parser)
    parser.add_argument(
        "--plain",
        action="store_true",
        help="in lines of text, for screen readers, pipes and scripts: nothing is drawn",
    )
    add_session(parser)


def run_study(args: argparse.Namespace) -> int:
    folder = place_of(args)
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "does not exist"
        raise UsageError(
            f"{folder} {what}: deltadeck opens a folder of cards. "
            f"`deltadeck init {folder if not folder.exists() else 'FOLDER'} --starter` makes one."
        )
    if args.plain:
        return _plain(args, folder)
    asked = None if is_plain(args) else _asked(args, folder)
    require_terminal("The app", f"Without one, `deltadeck due --folder {folder}` says what is due.")
    if os.environ.get("TERM") == "dumb":
        raise UsageError(
            "The app needs a terminal whose cursor moves, and TERM=dumb says that this one's does "
            f"not: `deltadeck study {folder} --plain` studies in lines of text."
        )
    # The second of two paints for one key waits for the toolkit's next frame.
    os.environ.setdefault("TEXTUAL_FPS", "240")
    from tui.start import run as run_app

    return run_app(folder, asked)


def _plain(args: argparse.Namespace, folder: Path) -> int:
    from deck.queue import Session
    from tui.commands.plain_study import PlainStudy
    from tui.text import now as clock

    asked = Session() if is_plain(args) else _asked(args, folder)
    collection = open_collection(folder)
    try:
        with readable():
            PlainStudy(collection, asked, clock, sys.stdin, sys.stdout).run()
    finally:
        collection.close()
    return 0


def _asked(args: argparse.Namespace, folder: Path) -> Asked:
    """Read before the app takes the terminal: a mistake is a sentence on the command line."""
    from deck.search.match import read_search
    from tui.text import now as clock

    asked_of(args, None)
    collection, now = open_collection(folder), clock()
    with readable():
        read_search(args.search, collection.config.searches)
    asked = asked_of(args, deck_of(collection, args.deck, now))
    collection.close()
    return asked
