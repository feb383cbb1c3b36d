"""The formats that can be read: which there are, which one a file is, and reading it.

A reader is a module with two functions:

    looks_like(path: Path, head: bytes) -> bool    whether this is its format: `head` is the file's
                                                   beginning (`HEAD` bytes), b"" of a folder
    read(path: Path) -> ImportSource               raises ExchangeError; its `cards` may too

They are asked in the order of `READERS`: what is told by a mark before what is told by a guess.

The cards of a large bundle are read by a process of its own while this one writes the last ones:
`python -m deck.exchange.readers MODULE PATH` sends pickled messages.  What it reads is what
`read(path)` gives here, so that whatever keeps it from working costs its time and nothing else.
"""

from __future__ import annotations

import gc
import os
import pickle
import sys
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, Protocol, cast

from deck.exchange.model import ExchangeError, ForeignCard, ImportSource, Lost, unreadable
from deck.exchange.source import HEAD
from deck.index.workers import start_python


class ReaderModule(Protocol):
    """What a reader's module holds."""

    def looks_like(self, path: Path, head: bytes) -> bool: ...

    def read(self, path: Path) -> ImportSource: ...


@dataclass(frozen=True, slots=True)
class Reader:
    """A format that can be imported."""

    name: str
    """As `--format` takes it."""
    module: str
    """Imported when it is asked."""
    title: str
    """For a sentence: "Anki packages (.apkg, .colpkg)"."""

    def load(self) -> ReaderModule:
        return cast(ReaderModule, import_module(self.module))


READERS: tuple[Reader, ...] = (
    Reader("anki", "deck.exchange.anki.notes", "Anki packages (.apkg, .colpkg)"),
    Reader("json", "deck.exchange.json", "JSON (.json)"),
    Reader("obsidian", "deck.exchange.obsidian", "Obsidian vaults and notes with flashcards (.md)"),
    Reader("hashcards", "deck.exchange.hashcards", "hashcards folders and decks (.md)"),
    Reader("org", "deck.exchange.org", "org-fc folders and files (.org)"),
    Reader("table", "deck.exchange.table", "CSV and TSV tables"),
)


def reader_of(path: Path, name: str | None = None) -> Reader:
    """The reader for a file or folder: the one named, or the first that knows it by its content.

    Raises:
        ExchangeError: there is no such file or format, or no reader knows it.
    """
    names = ", ".join(reader.name for reader in READERS)
    named = next((reader for reader in READERS if reader.name == name), None)
    if name is not None and named is None:
        raise ExchangeError(f"There is no format {name!a}: {names}.")
    head = _head(path)
    found = named or next((each for each in READERS if each.load().looks_like(path, head)), None)
    if found is None:
        titles = "; ".join(reader.title for reader in READERS)
        raise ExchangeError(
            f"{path}: this is no format that can be imported. Known are {titles}; "
            f"if it is one of them, name it with --format ({names})."
        )
    return found


def _head(path: Path) -> bytes:
    if path.is_dir():
        return b""
    try:
        if path.exists() and not path.is_file():
            raise ExchangeError(f"{path}: this is neither a file nor a folder.")
        with path.open("rb") as file:
            return file.read(HEAD)
    except FileNotFoundError:
        raise ExchangeError(f"{path}: there is no such file. Check the name.") from None
    except OSError as error:
        raise unreadable(path, error) from error


# Reading in a process of its own.

#: From so many cards on, another process is worth its start.
_MANY = 3000
_TOGETHER = 200

Message = tuple[list[ForeignCard], list[Lost], str | None]
"""Cards, what was lost meanwhile, and: None while there is more, "" at the end, or the error."""


def read_ahead(reader: Reader, path: Path) -> ImportSource:
    """`read` of the reader's module, whose cards come from another process where they are many.

    Raises:
        ExchangeError: as `read` does.
    """
    bundle = reader.load().read(path)
    if bundle.total < _MANY or (os.cpu_count() or 1) < 2:
        return bundle
    return replace(bundle, cards=lambda: _cards(reader, path, bundle))


def _cards(reader: Reader, path: Path, bundle: ImportSource) -> Iterator[ForeignCard]:
    done = 0
    # What the other process leaves, however it ends, lies here: this one takes it away.
    with TemporaryDirectory(prefix="deltadeck-", ignore_cleanup_errors=True) as folder:
        try:
            with closing(_messages(reader, path, folder)) as messages:
                for cards, lost, error in messages:
                    bundle.lost.extend(lost)
                    done += len(cards)
                    yield from cards
                    if error:
                        raise ExchangeError(error)
                    if error is not None:
                        return
        except (OSError, EOFError, pickle.UnpicklingError):
            pass  # it was stopped, or never began: the rest is read here
    yield from islice(bundle.cards(), done, None)


def _messages(reader: Reader, path: Path, temporary: str) -> Generator[Message, None, None]:
    """What the other process sends.  Raises where it cannot be started, or is stopped."""
    with start_python("-m", __name__, reader.module, str(path), TMPDIR=temporary) as process:
        assert process.stdout is not None
        try:
            while True:
                yield pickle.load(process.stdout)
        finally:
            process.kill()


def serve(module: str, path: Path, out: BinaryIO) -> None:
    """Reads a bundle's cards, and writes them as messages."""
    gc.set_threshold(100_000, 50, 100)  # what is read lives until it is sent: little to collect
    end = ""
    lost: list[Lost] = []
    cards: list[ForeignCard] = []
    try:
        bundle = cast(ReaderModule, import_module(module)).read(path)
        lost = bundle.lost
        for card in bundle.cards():
            cards.append(card)
            if len(cards) == _TOGETHER:
                _send((cards, list(lost), None), out)
                cards.clear()
                lost.clear()
    except ExchangeError as error:
        end = str(error)
    _send((cards, list(lost), end), out)


def _send(message: Message, out: BinaryIO) -> None:
    pickle.dump(message, out, pickle.HIGHEST_PROTOCOL)
    out.flush()


if __name__ == "__main__":
    with suppress(BrokenPipeError):  # whoever asked is gone
        serve(sys.argv[1], Path(sys.argv[2]), sys.stdout.buffer)
