"""`deltadeck [FOLDER]`: open the app, with a session of its own kind where one is asked; or study
in lines of text.  `deltadeck serve`: the app in a browser, on this machine.

The app paints before the collection is loaded, so that nothing of it is imported here; what is
asked for is read before the app takes the terminal: a mistake is a sentence on the command line.
"""

from __future__ import annotations

import argparse
import gc
import os
from shlex import quote

from tui.commands import UsageError
from tui.commands.common import is_default_session, is_dumb, place_of, require_terminal


def run_study(args: argparse.Namespace) -> int:
    folder = place_of(args)
    if not folder.is_dir():
        what, new = "does not exist", quote(str(folder))
        if folder.exists():
            what, new = "is a file", "FOLDER"
        raise UsageError(
            f"{folder} {what}: deltadeck opens a folder of cards. "
            f"`deltadeck init {new} --starter` makes one."
        )
    asked = None
    if args.plain or not is_default_session(args):
        from tui.commands.plain_study import checked_request, study_plainly

        asked = None if is_default_session(args) else checked_request(args, folder)
        if args.plain:
            return study_plainly(folder, asked)
    require_terminal("The app", f"Without one, `deltadeck due --folder {folder}` says what is due.")
    if is_dumb():
        raise UsageError(
            "The app needs a terminal whose cursor moves, and TERM=dumb says that this one's does "
            f"not: `deltadeck study {folder} --plain` studies in lines of text."
        )
    # The second of two paints for one key waits for the toolkit's next frame.
    os.environ.setdefault("TEXTUAL_FPS", "240")
    gc.disable()  # what is imported stays; the app collects in its own way
    from tui.start import run

    return run(folder, asked)


# serve


def run_serve(args: argparse.Namespace) -> int:
    folder = place_of(args)
    if not folder.is_dir():
        raise UsageError(
            f"{folder} is not a folder: `deltadeck init {folder} --starter` makes one."
        )
    try:
        from tui.web import serve
    except ImportError as error:
        raise UsageError(
            f"{error.name} is not installed: `pip install 'deltadeck[web]'` brings what "
            "a browser needs."
        ) from error
    try:
        serve(folder, args.host, args.port, args.token, _say_address)
    except OSError as error:
        raise UsageError(
            f"{args.host}:{args.port} cannot be used: {error.strerror}. "
            "Another --port may be free; --port 0 finds one."
        ) from error
    return 0


def _say_address(address: str) -> None:
    print(f"deltadeck is at {address}\nCtrl+C ends it.", flush=True)
