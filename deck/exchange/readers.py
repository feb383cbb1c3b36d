"""The formats that can be read: which there are, and which one a file is, told by its content.

A reader is a module with two functions:

    looks_like(path: Path, head: bytes) -> bool    whether this is its format: `head` is the file's
                                                   beginning (`HEAD` bytes), b"" of a folder
    read(path: Path) -> Bundle                     raises ExchangeError; `Bundle.cards` may too

They are asked in the order of `READERS`: what is told by a mark before what is told by a guess.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from deck.exchange.bundle import Bundle, ExchangeError
from deck.exchange.peek import HEAD


class ReaderModule(Protocol):
    """What a reader's module holds."""

    def looks_like(self, path: Path, head: bytes) -> bool: ...

    def read(self, path: Path) -> Bundle: ...


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
    Reader("anki", "deck.exchange.anki", "Anki packages (.apkg, .colpkg)"),
    Reader("json", "deck.exchange.json_cards", "JSON (.json)"),
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
    if name is not None:
        named = next((reader for reader in READERS if reader.name == name), None)
        if named is None:
            raise ExchangeError(f"There is no format {name!a}: {_names()}.")
    head = _head(path)
    if name is not None and named is not None:
        return named
    for reader in READERS:
        if reader.load().looks_like(path, head):
            return reader
    raise ExchangeError(
        f"{path}: this is no format that can be imported. Known are {_titles()}; "
        f"if it is one of them, name it with --format ({_names()})."
    )


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
        why = error.strerror or str(error)
        raise ExchangeError(f"{path}: it cannot be read: {why}.") from error


def _names() -> str:
    return ", ".join(reader.name for reader in READERS)


def _titles() -> str:
    return "; ".join(reader.title for reader in READERS)
