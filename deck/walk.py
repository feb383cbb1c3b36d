"""The Markdown files of a folder and its sub-folders."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from cards.model import Problem
from deck.errors import broken, reason, refusal


def card_files(root: Path) -> tuple[list[Path], list[Problem]]:
    """Every `*.md` below `root` in the order of their paths, and the folders that cannot be read.

    Hidden files and folders are left out.  Links are followed, and each folder is entered once, so
    that a link to a folder above ends the walk instead of going round.

    Raises:
        CollectionError: `root` is missing, no folder, or cannot be read.
    """
    try:
        seen = {_identity(root.stat())}
        entries = list(os.scandir(root))
    except FileNotFoundError as error:
        hint = "Check the name, or make a collection there with `deltadeck init`."
        raise refusal(root, "There is no such folder.", hint) from error
    except NotADirectoryError as error:
        hint = "Name the folder that holds the cards."
        raise refusal(root, "This is not a folder.", hint) from error
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        hint = "Check its permissions and its name."
        raise refusal(root, f"The folder cannot be read: {why}.", hint) from error
    files: list[Path] = []
    problems: list[Problem] = []
    _collect(entries, seen, files, problems)
    return sorted(files, key=lambda path: path.relative_to(root).parts), problems


def _collect(
    entries: list[os.DirEntry[str]],
    seen: set[tuple[int, int]],
    files: list[Path],
    problems: list[Problem],
) -> None:
    waiting = sorted(entries, key=_name, reverse=True)
    while waiting:
        entry = waiting.pop()
        if entry.name.startswith("."):
            continue
        path = Path(entry.path)
        try:
            if not entry.is_dir():
                if path.suffix.lower() == ".md":
                    files.append(path)
            elif (identity := _identity(path.stat())) not in seen:
                seen.add(identity)
                waiting += sorted(os.scandir(path), key=_name, reverse=True)
        except OSError as error:
            problems.append(_unreadable(path, error))


def _unreadable(path: Path, error: OSError) -> Problem:
    if error.errno == errno.ELOOP:
        message = "This link leads back to itself: there is nothing behind it."
        return broken(path, message, "Remove the link, or let it name a card or a folder.")
    message = f"The folder cannot be read: {reason(error)}."
    return broken(path, message, "Check its permissions, or move it away.")


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _identity(stat: os.stat_result) -> tuple[int, int]:
    return stat.st_dev, stat.st_ino
