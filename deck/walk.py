"""The Markdown files of a folder and its sub-folders."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from cards.model import Problem
from deck.errors import broken, reason, refusal

Stamp = tuple[int, int, int]
"""Size, time of change (ns) and inode: another stamp, another content."""
#: The stamp of what cannot be looked at: never the same as before.
NO_STAMP = (-1, -1, -1)


class Found(NamedTuple):
    """A Markdown file."""

    parts: tuple[str, ...]
    """Of its path below the root."""
    stamp: Stamp


def walk(root: Path) -> tuple[list[Found], list[Problem]]:
    """Every `*.md` below `root`, in no order, and the folders that cannot be read.

    Hidden files and folders are left out.  Links are followed, and each folder is entered once, so
    that a link to a folder above ends the walk instead of going round.

    Raises:
        CollectionError: `root` is missing, no folder, or cannot be read.
    """
    try:
        seen = {_identity(root.stat())}
        entries = sorted(os.scandir(root), key=_name)
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
    problems: list[Problem] = []
    return list(_below((), entries, seen, problems)), problems


def is_card_name(name: str) -> bool:
    return not name.startswith(".") and name.lower().endswith(".md")


def stamp_of(path: Path) -> Stamp:
    try:
        return stamp_from(path.stat())
    except (OSError, ValueError):
        return NO_STAMP


def stamp_from(stat: os.stat_result) -> Stamp:
    return stat.st_size, stat.st_mtime_ns, stat.st_ino


def _below(
    parts: tuple[str, ...],
    entries: list[os.DirEntry[str]],
    seen: set[tuple[int, int]],
    problems: list[Problem],
) -> Iterator[Found]:
    """Files and folders in the order of their names, so that of two ways into one folder (a link)
    always the same one is gone."""
    waiting = [(parts, entry) for entry in reversed(entries)]
    while waiting:
        parts, entry = waiting.pop()
        name = entry.name
        if name.startswith("."):
            continue
        here = (*parts, name)
        try:
            if not entry.is_dir():
                if is_card_name(name):
                    yield Found(here, _stamp(entry))
            elif (identity := _identity(entry.stat())) not in seen:
                seen.add(identity)
                inside = sorted(os.scandir(entry.path), key=_name, reverse=True)
                waiting += [(here, each) for each in inside]
        except OSError as error:
            problems.append(_unreadable(Path(entry.path), error))


def _stamp(entry: os.DirEntry[str]) -> Stamp:
    try:
        return stamp_from(entry.stat())
    except OSError:
        return NO_STAMP


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
