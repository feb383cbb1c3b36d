"""A folder of someone's notes, or one of them: walked and read, never changed.

Links are not followed: what they name inside the folder is read where it stands, and what they
name outside stays unread, and is reported.  So no link can lead in a circle, or out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from cards.files import NotRegularError, open_regular
from deck.exchange.bundle import ExchangeError, Lost
from deck.exchange.encoding import NotTextError, decoded

#: A longer note is no note.
MAX_TEXT = 50_000_000
MAX_MEDIA = 200_000_000
_DEEPEST = 100


class Source:
    """What was named: a folder, or a file in its folder."""

    def __init__(self, path: Path, lost: list[Lost]) -> None:
        self.only = None if path.is_dir() else path
        self.root = path if self.only is None else path.parent
        self.lost = lost
        self._files: list[Path] | None = None

    def notes(self, *suffixes: str) -> list[Path]:
        """The files to read cards from, in the order of their paths."""
        if self.only is not None:
            return [self.only]
        return [path for path in self.files() if path.suffix.lower() in suffixes]

    def files(self) -> list[Path]:
        """Every visible file of the folder; of a single file's folder, those beside it."""
        if self._files is None:
            self._files = sorted(self._walk(self.root, 0))
        return self._files

    def name(self, path: Path) -> str:
        """The path as a person would find it: below the folder."""
        return (
            path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else path.name
        )

    def folders(self, path: Path) -> tuple[str, ...]:
        """The folders between the root and a file."""
        return path.relative_to(self.root).parts[:-1]

    def text(self, path: Path) -> str | None:
        """A note's text, with `\\n` for every line ending; None, and why, where it is none."""
        where = self.name(path)
        try:
            with open_regular(path) as file:
                data = file.read(MAX_TEXT + 1)
        except NotRegularError:
            self.lost.append(Lost(where, "This is not a regular file; it was not read."))
            return None
        except (OSError, ValueError) as error:
            self.lost.append(Lost(where, f"It cannot be read: {_why(error)}."))
            return None
        if len(data) > MAX_TEXT:
            what = f"It is larger than {MAX_TEXT // 1_000_000} MB; it was not read."
            self.lost.append(Lost(where, what))
            return None
        try:
            return decoded(data).replace("\r\n", "\n").replace("\r", "\n")
        except NotTextError as error:
            self.lost.append(Lost(where, f"It was not read. {error}"))
            return None

    def inside(self, path: Path) -> bool:
        """Whether a file is a regular one that lies in the folder, its links resolved."""
        try:
            real = path.resolve(strict=True)
            return real.is_file() and real.is_relative_to(self.root.resolve())
        except (OSError, ValueError, RuntimeError):
            return False

    def _walk(self, folder: Path, depth: int) -> Iterator[Path]:
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            if folder == self.root:
                raise ExchangeError(f"{folder}: it cannot be read: {_why(error)}.") from error
            self.lost.append(Lost(self.name(folder), f"It cannot be read: {_why(error)}."))
            return
        for entry in found:
            if entry.name.startswith("."):
                continue
            path = folder / entry.name
            if entry.is_symlink():
                self._link(path)
            elif entry.is_dir(follow_symlinks=False):
                if self.only is not None:
                    continue
                if depth >= _DEEPEST:
                    what = f"It lies more than {_DEEPEST} folders deep; it was not read."
                    self.lost.append(Lost(self.name(path), what))
                    continue
                yield from self._walk(path, depth + 1)
            elif entry.is_file(follow_symlinks=False):
                yield path

    def _link(self, path: Path) -> None:
        if self.only is not None:
            return
        try:
            target = path.resolve(strict=True)
        except (OSError, RuntimeError):
            self.lost.append(Lost(self.name(path), "This link leads nowhere; it was not followed."))
            return
        if not target.is_relative_to(self.root.resolve()):
            what = "This link leads out of the folder and was not followed."
            self.lost.append(Lost(self.name(path), f"{what} Copy what it names here."))


def opened(path: Path) -> IO[bytes]:
    """A medium's bytes, for copying.  Raises ExchangeError."""
    try:
        return open_regular(path)
    except (OSError, ValueError) as error:
        raise ExchangeError(f"{path}: it cannot be read: {_why(error)}.") from error


def _why(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
