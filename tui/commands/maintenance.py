"""`deltadeck init`, `backup` and `restore`: a collection's beginning, and its backups."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cards.edit import copy_starter
from deck.backup import Backup, Restored, back_up, backups, bring_back, restore
from deck.collection import Collection
from deck.sync.commit import set_up_here
from tui.commands import UsageError
from tui.commands.common import cards_folder, tell
from tui.text import now, plural


def run_init(args: argparse.Namespace) -> int:
    folder: Path = args.folder
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file: choose a folder, or the name of a new one.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be made ({error.strerror}): choose a folder that you can write to."
        ) from error
    copied = copy_starter(folder) if args.starter else 0
    Collection.init(folder)
    set_up_here(folder.absolute())  # in a git repository, its merge driver for journals
    # A bare name could be a command's: `deltadeck study` opens the app on the current folder.
    shown = folder if len(folder.parts) > 1 or folder.is_absolute() else f"./{folder}"
    tell(
        args,
        {"path": str(folder), "cards": copied},
        f"{folder} is a collection" + (f", with {copied} starter cards." if copied else "."),
        f"`deltadeck {shown}` opens it.",
    )
    return 0


def run_backup(args: argparse.Namespace) -> int:
    """0 a backup holds the present state: a new one, or the last."""
    root = cards_folder(args.folder)
    made = back_up(root, now())
    last = made or next(iter(backups(root)), None)
    said = "There is nothing to back up yet: no answer was given, and there are no settings."
    if made is not None:
        said = f"{made.path} ({_kilobytes(made)}). `deltadeck restore` lists the backups."
    elif last is not None:
        said = f"Nothing changed since the last backup, {last.path}."
    tell(args, {"made": made is not None, "backup": _backup_dict(last) if last else None}, said)
    return 0


def run_restore(args: argparse.Namespace) -> int:
    """0 listed, or taken back (nothing is deleted); 1 there is no backup to list."""
    root = cards_folder(args.folder)
    found = backups(root)
    if args.backup is None:
        if args.missing:
            raise UsageError("--missing needs a backup: its number in the list, or its file.")
        tell(args, [_backup_dict(backup) for backup in found], *_backup_rows(found))
        return 0 if found else 1
    path = _backup_path(found, args.backup)
    done = bring_back(root, path) if args.missing else restore(root, path, now())
    aside = str(done.aside) if done.aside else None
    value = {"files": done.files, "lines": done.lines, "aside": aside}
    tell(args, value, _restored(done, args.missing))
    return 0


def _backup_rows(found: Sequence[Backup]) -> list[str]:
    if not found:
        return ["There are no backups yet: `deltadeck backup` makes one."]
    rows = [
        f"{number:3}  {each.at.astimezone():%a %d %b %Y %H:%M}  {_kilobytes(each):>9}  "
        f"{each.path.name}"
        for number, each in enumerate(found, 1)
    ]
    return [*rows, f"\nIn {found[0].path.parent}. `deltadeck restore N` takes one back."]


def _backup_path(found: Sequence[Backup], name: str) -> Path:
    if not (name.isascii() and name.isdigit()):
        path = Path(name)
        if not path.is_file():
            raise UsageError(f"{name} is no file: name a backup's file, or its number in the list.")
        return path
    if not 1 <= int(name[:9]) <= len(found):
        some = f"there are {len(found)}" if found else "there are none yet"
        raise UsageError(f"There is no backup {name}: {some}. `deltadeck restore` lists them.")
    return found[int(name) - 1].path


def _restored(done: Restored, missing: bool) -> str:
    if not done.files:
        return "Nothing is missing." if missing else "The journal and the settings are the same."
    lines, files = plural(done.lines, "line"), plural(done.files, "file")
    if missing:
        return f"{lines} brought back, into {files}."
    again = f", {lines} there again" if done.lines else ""
    aside = f" What was there is in {done.aside}." if done.aside else ""
    return f"Restored: {files} changed{again}.{aside}"


def _backup_dict(backup: Backup) -> dict[str, Any]:
    """A backup as plain data; the keys are stable."""
    return {"path": str(backup.path), "at": backup.at.isoformat(), "bytes": backup.size}


def _kilobytes(backup: Backup) -> str:
    return f"{max(1, round(backup.size / 1000)):,} kB"
