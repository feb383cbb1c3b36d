"""A folder of someone's notes, or one of them: walked and read, never changed.

Links are not followed: what they name inside the folder is read where it stands, and what they
name outside stays unread, and is reported.  So no link can lead in a circle, or out.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO

from cards.files import NotRegularError, open_regular
from deck.exchange.model import ExchangeError, Lost

#: A longer note is no note.
MAX_TEXT = 50_000_000
MAX_MEDIA = 200_000_000
_DEEPEST = 100


class NoteFiles:
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


# What a folder looks like, told from how a few files begin.

#: Bytes of a file's beginning that tell its format.
HEAD = 65_536


def holds_marked(folder: Path, suffix: str, mark: re.Pattern[bytes], most: int) -> bool:
    """Whether one of the first `most` files with the suffix, in the folder or in one right below
    it, has the mark in its beginning."""
    found = (each for pattern in (f"*{suffix}", f"*/*{suffix}") for each in folder.glob(pattern))
    return any(_is_marked(each, mark) for each in islice(found, most))


def _is_marked(path: Path, mark: re.Pattern[bytes]) -> bool:
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return mark.search(file.read(HEAD)) is not None
    except OSError:
        return False


# Which encoding a file is in: UTF-8, or UTF-16 by its byte order mark.  Nothing is guessed: letters
# that came out wrong would be learnt wrong.

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
#: Control characters that no text needs.  A file of them is a program's own data, or has an
#: encoding in which every letter comes with zeros.
_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\r\f\x0b\x1b")
_WAY_OUT = "Save the file as UTF-8 and import it again."


class NotTextError(ValueError):
    """The bytes are no text that can be read; the message says where, and the way out."""


def encoding_of(chunks: Iterable[bytes]) -> str:
    """The encoding of a file, as `open` takes it; the file is given as its bytes in pieces.

    Raises:
        NotTextError: it is neither UTF-8 nor UTF-16 with a mark.
    """
    decoder, title = codecs.getincrementaldecoder("utf-8-sig")(), "UTF-8"
    line, controls, size = 1, 0, 0
    try:
        for chunk in chunks:
            if size == 0 and chunk.startswith(_UTF16_MARKS):
                decoder, title = codecs.getincrementaldecoder("utf-16")(), "UTF-16"
            text = decoder.decode(chunk)
            line += text.count("\n")
            plain = text.encode()
            controls += len(plain) - len(plain.translate(None, _CONTROLS))
            size += len(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        line += error.object[: error.start].decode(error.encoding).count("\n")
        raise NotTextError(f"Line {line} is no text in {title}. {_WAY_OUT}") from error
    if controls > max(8, size // 100):
        raise NotTextError(f"It is no text in {title}: control characters fill it. {_WAY_OUT}")
    return "utf-16" if title == "UTF-16" else "utf-8-sig"


def decoded(data: bytes) -> str:
    """The text of a whole file.  Raises NotTextError."""
    return data.decode(encoding_of([data]))
