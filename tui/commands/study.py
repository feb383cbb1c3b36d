"""`deltadeck [FOLDER]`: open the app."""

from __future__ import annotations

import argparse
from pathlib import Path

from tui.commands.common import UsageError, require_terminal


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", type=Path, nargs="?", default=Path(), help="the folder of cards (default: .)"
    )


def run(args: argparse.Namespace) -> int:
    folder: Path = args.folder
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "does not exist"
        raise UsageError(
            f"{folder} {what}: deltadeck opens a folder of cards. "
            f"`deltadeck init {folder if not folder.exists() else 'FOLDER'} --starter` makes one."
        )
    require_terminal("The app", f"Without one, `deltadeck due --folder {folder}` says what is due.")
    from tui.start import run as run_app

    return run_app(folder)
