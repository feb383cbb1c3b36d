"""`deltadeck backup`: keep a copy of journal and settings in the user's data folder."""

from __future__ import annotations

import argparse

from tui.commands.common import add_folder, add_json, cards_folder, print_json


def configure(parser: argparse.ArgumentParser) -> None:
    add_folder(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """0 a backup holds the present state: a new one, or the last."""
    from deck.backup import back_up, backups
    from tui.clock import now as clock
    from tui.commands.restore import backup_dict, kilobytes

    root = cards_folder(args.folder)
    made = back_up(root, clock())
    last = made or next(iter(backups(root)), None)
    if args.json:
        print_json({"made": made is not None, "backup": backup_dict(last) if last else None})
    elif made is not None:
        print(f"{made.path} ({kilobytes(made)}). `deltadeck restore` lists the backups.")
    elif last is not None:
        print(f"Nothing changed since the last backup, {last.path}.")
    else:
        print("There is nothing to back up yet: no answer was given, and there are no settings.")
    return 0
