"""The Markdown files of a folder and its sub-folders."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path

from cards.files import LEAVING, leads_out
from cards.model import Problem
from deck.errors import broken, odd, reason, refusal
from deck.keys import path_key

Stamp = tuple[int, int, int]
"""Size, time of change (ns) and inode: another stamp, another content."""
#: The stamp of what cannot be looked at: never the same as before.
NO_STAMP = (-1, -1, -1)

File = tuple[bytes, int, int, int]
"""A Markdown file: its path's key, and its stamp."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def walk(root: Path) -> tuple[set[File], list[Problem]]:
    """Every `*.md` below `root`, and the folders that cannot be read, in the order of their paths.

    Hidden files and folders are left out.  A link is followed within `root` only, and only to what
    is not found without it: no card is there twice, and no link leads round in a circle.

    Raises:
        CollectionError: `root` is missing, no folder, or cannot be read.
    """
    found = _Walk(str(root))
    try:
        folders = found.enter(())
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
    found.below(folders)
    found.behind_links()
    return found.files, [found.problems[parts] for parts in sorted(found.problems)]


def has_way_out(root: Path) -> bool:
    """Whether a link of a folder, hidden ones too, leads out of `root`."""
    return any(
        path.is_symlink() and leads_out(path, root)
        for folder, folders, _ in os.walk(root)
        for path in (Path(folder, name) for name in folders)
    )


def is_card_name(name: str) -> bool:
    return not name.startswith(".") and name.lower().endswith(".md")


def stamp_of(path: Path) -> Stamp:
    try:
        return stamp_from(path.stat())
    except (OSError, ValueError):
        return NO_STAMP


def stamp_from(stat: os.stat_result) -> Stamp:
    return stat.st_size, stat.st_mtime_ns, stat.st_ino


_Parts = tuple[str, ...]
"""Of a path below the root."""


class _Walk:
    """What was come by."""

    def __init__(self, root: str) -> None:
        self.files: set[File] = set()
        self.problems: dict[_Parts, Problem] = {}
        self._root = root
        self._folders: list[_Parts] = []
        self._links: list[File] = []
        self._seen: set[tuple[int, int]] = set()

    def below(self, folders: list[_Parts]) -> None:
        """Enters them by their names, so that of two ways into one (a link) always the same one is
        gone."""
        while folders:
            parts = folders.pop()
            try:
                folders += self.enter(parts)
            except OSError as error:
                self._refuse(parts, error)

    def behind_links(self) -> None:
        """Takes what only links lead to, in the order of their names."""
        while self._folders:
            folders, self._folders = sorted(self._folders, reverse=True), []
            self.below(folders)
        known = {file[1:] for file in self.files}
        for file in sorted(self._links):
            if file[1:] == NO_STAMP or file[1:] not in known:
                self.files.add(file)
                known.add(file[1:])

    def enter(self, parts: _Parts) -> list[_Parts]:
        """Takes a folder's files; the folders in it, the last one by name first.  Raises OSError.

        By its number, so that the system need not go through the path for each file in it.
        """
        folder = os.open("/".join((self._root, *parts)), _FOLDER)
        try:
            stat = os.fstat(folder)
            identity = stat.st_dev, stat.st_ino
            if identity in self._seen:
                return []
            self._seen.add(identity)
            with os.scandir(folder) as entries:
                inside = self._take(parts, entries)
        finally:
            os.close(folder)
        return [(*parts, name) for name in sorted(inside, reverse=True)]

    def _take(self, parts: _Parts, entries: Iterable[os.DirEntry[str]]) -> list[str]:
        """Takes the files; the names of the folders.

        Written for speed, as every start comes by with every file: a look at each is the one way to
        hear of what was written over in its place, of which the folder's own time says nothing.
        """
        begin, folders, put = path_key((*parts, "")), [], self.files.add
        for entry in entries:
            name = entry.name
            if name[0] == ".":
                continue
            if entry.is_symlink():
                self._link((*parts, name), entry)
                continue
            try:
                if entry.is_dir():
                    folders.append(name)
                    continue
            except OSError as error:
                self._refuse((*parts, name), error)
                continue
            if name.endswith(".md") or is_card_name(name):
                key = begin + name.encode("utf-8", "surrogatepass")
                try:
                    stat = entry.stat()
                except OSError:
                    put((key, *NO_STAMP))
                else:
                    put((key, stat.st_size, stat.st_mtime_ns, stat.st_ino))
        return folders

    def _link(self, parts: _Parts, entry: os.DirEntry[str]) -> None:
        """Notes a link for later, or says that it leads out."""
        path, is_card = Path(self._root, *parts), is_card_name(entry.name)
        try:
            is_folder = entry.is_dir()
            if (is_folder or is_card) and leads_out(path, Path(self._root)):
                self.problems[parts] = odd(path, *LEAVING)
            elif is_folder:
                self._folders.append(parts)
            elif is_card:
                self._links.append((path_key(parts), *stamp_of(path)))
        except OSError as error:
            self._refuse(parts, error)

    def _refuse(self, parts: _Parts, error: OSError) -> None:
        self.problems[parts] = _unreadable(Path(self._root, *parts), error)


def _unreadable(path: Path, error: OSError) -> Problem:
    if error.errno == errno.ELOOP:
        message = "This link leads back to itself: there is nothing behind it."
        return broken(path, message, "Remove the link, or let it name a card or a folder.")
    message = f"The folder cannot be read: {reason(error)}."
    return broken(path, message, "Check its permissions, or move it away.")
