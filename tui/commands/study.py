"""`deltadeck [FOLDER]`: open the app, with a session of its own kind where one is asked; or study
in lines of text."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tui.commands import UsageError
from tui.commands.common import (
    add_place,
    add_session,
    find_deck,
    is_default_session,
    is_dumb,
    open_collection,
    place_of,
    reading_search,
    require_terminal,
    session_request,
)

if TYPE_CHECKING:
    from deck.queue import Session as SessionRequest


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
        return _study_plainly(args, folder)
    asked = None if is_default_session(args) else _checked_request(args, folder)
    require_terminal("The app", f"Without one, `deltadeck due --folder {folder}` says what is due.")
    if is_dumb():
        raise UsageError(
            "The app needs a terminal whose cursor moves, and TERM=dumb says that this one's does "
            f"not: `deltadeck study {folder} --plain` studies in lines of text."
        )
    # The second of two paints for one key waits for the toolkit's next frame.
    os.environ.setdefault("TEXTUAL_FPS", "240")
    from tui.start import run

    return run(folder, asked)


def _study_plainly(args: argparse.Namespace, folder: Path) -> int:
    from deck.queue import Session
    from tui.commands.plain_study import PlainStudy
    from tui.text import now

    asked = Session() if is_default_session(args) else _checked_request(args, folder)
    collection, _ = open_collection(folder)
    try:
        with reading_search():
            PlainStudy(collection, asked, now, sys.stdin, sys.stdout).run()
    finally:
        collection.close()
    return 0


def _checked_request(args: argparse.Namespace, folder: Path) -> SessionRequest:
    """Read before the app takes the terminal: a mistake is a sentence on the command line."""
    from deck.search.match import read_search

    session_request(args, None)
    collection, now = open_collection(folder)
    with reading_search():
        read_search(args.search, collection.config.searches)
    asked = session_request(args, find_deck(collection, args.deck, now))
    collection.close()
    return asked
