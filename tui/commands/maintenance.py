"""`deltadeck init`, `backup` and `restore`: a collection's beginning, and its backups."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui.commands import UsageError
from tui.commands.common import add_folder, add_json, cards_folder, print_json
from tui.text import counted

if TYPE_CHECKING:
    from deck.backup import Backup, Restored


def configure_init(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="made if it is not there")
    parser.add_argument("--starter", action="store_true", help="put the starter deck into it")
    add_json(parser)


def run_init(args: argparse.Namespace) -> int:
    from deck.collection import Collection
    from deck.sync.commit import set_up_here

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
    set_up_here(folder.absolute())  # in a git repository, its merge driver for journals
    if args.json:
        print_json({"path": str(folder), "cards": copied})
        return 0
    print(f"{folder} is a collection" + (f", with {copied} starter cards." if copied else "."))
    # A bare name could be a command's: `deltadeck study` opens the app on the current folder.
    shown = folder if len(folder.parts) > 1 or folder.is_absolute() else f"./{folder}"
    print(f"`deltadeck {shown}` opens it.")
    return 0


def copy_starter(folder: Path) -> int:
    """Copies the starter cards that are not there yet; how many.  Nothing is overwritten.

    Raises CardError where one cannot be written.
    """
    import cards
    from cards import save_card

    sources = sorted((Path(cards.__file__).parent / "starter").glob("*.md"))
    missing = [source for source in sources if not (folder / source.name).exists()]
    for source in missing:
        # Through save_card, not a file copy: atomic, and writable whatever the source's mode is.
        save_card(folder / source.name, source.read_bytes().decode("utf-8"), None)
    return len(missing)


def configure_backup(parser: argparse.ArgumentParser) -> None:
    add_folder(parser)
    add_json(parser)


def run_backup(args: argparse.Namespace) -> int:
    """0 a backup holds the present state: a new one, or the last."""
    from deck.backup import back_up, backups
    from tui.text import now

    root = cards_folder(args.folder)
    made = back_up(root, now())
    last = made or next(iter(backups(root)), None)
    if args.json:
        print_json({"made": made is not None, "backup": _backup_dict(last) if last else None})
    elif made is not None:
        print(f"{made.path} ({_kilobytes(made)}). `deltadeck restore` lists the backups.")
    elif last is not None:
        print(f"Nothing changed since the last backup, {last.path}.")
    else:
        print("There is nothing to back up yet: no answer was given, and there are no settings.")
    return 0


def configure_restore(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "backup",
        nargs="?",
        metavar="N|FILE",
        help="a backup by its number in the list, or its file (default: list them)",
    )
    parser.add_argument(
        "--missing",
        action="store_true",
        help="only bring back answers that are nowhere in the journal; change nothing else",
    )
    add_folder(parser)
    add_json(parser)


def run_restore(args: argparse.Namespace) -> int:
    """0 listed, or taken back (nothing is deleted); 1 there is no backup to list."""
    from deck.backup import backups, bring_back, restore
    from tui.text import now

    root = cards_folder(args.folder)
    found = backups(root)
    if args.backup is None:
        if args.missing:
            raise UsageError("--missing needs a backup: its number in the list, or its file.")
        return _list_backups(found, args.json)
    path = _backup_path(found, args.backup)
    done = bring_back(root, path) if args.missing else restore(root, path, now())
    if args.json:
        aside = str(done.aside) if done.aside else None
        print_json({"files": done.files, "lines": done.lines, "aside": aside})
    else:
        print(_restored(done, args.missing))
    return 0


def _list_backups(found: list[Backup], as_json: bool) -> int:
    if as_json:
        print_json([_backup_dict(backup) for backup in found])
    elif not found:
        print("There are no backups yet: `deltadeck backup` makes one.")
    else:
        for number, backup in enumerate(found, 1):
            at = backup.at.astimezone()
            size = _kilobytes(backup)
            print(f"{number:3}  {at:%a %d %b %Y %H:%M}  {size:>9}  {backup.path.name}")
        print(f"\nIn {found[0].path.parent}. `deltadeck restore N` takes one back.")
    return 0 if found else 1


def _backup_path(found: list[Backup], name: str) -> Path:
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
    lines, files = counted(done.lines, "line"), counted(done.files, "file")
    if missing:
        return f"{lines} brought back, into {files}."
    again = f", {lines} there again" if done.lines else ""
    aside = f" What was there is in {done.aside}." if done.aside else ""
    return f"Taken back: {files} changed{again}.{aside}"


def _backup_dict(backup: Backup) -> dict[str, Any]:
    """A backup as plain data; the keys are stable."""
    return {"path": str(backup.path), "at": backup.at.isoformat(), "bytes": backup.size}


def _kilobytes(backup: Backup) -> str:
    return f"{max(1, round(backup.size / 1000)):,} kB"
