"""The media of an import: where each goes, and its copy, which never replaces another's file."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import IO

from cards.files import LEAVING, leads_out, open_regular
from deck.errors import reason
from deck.exchange.bundle import ExchangeError
from deck.exchange.known import mark_of
from deck.exchange.ledger import Ledger
from deck.exchange.places import file_name, tagged

#: The folder, below the one that takes the cards.
FOLDER = "media"
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Copy:
    """A file that is to be copied."""

    open: Callable[[], IO[bytes]]
    path: Path
    replaces: bool
    """Whether the copy of an earlier state of the source stands there, which nobody changed."""


class MediaFolder:
    """Says where the media of a bundle go; each is decided once."""

    def __init__(
        self,
        root: Path,
        into: tuple[str, ...],
        media: Mapping[str, Callable[[], IO[bytes]]],
        ledger: Ledger,
    ) -> None:
        self.folder, self._root = root.joinpath(*into, FOLDER), root
        self._below = "/".join((*into, FOLDER))
        self._media, self._ledger = media, ledger
        self._places: dict[str, str | None] = {}
        self._taken: set[str] = set()
        self.older = 0
        """Files that stay, for an import brought them from a later state of the source."""

    def place(self, name: str) -> tuple[str | None, Copy | None]:
        """The path below the collection for a medium, None where there is none of this name; and
        the copy that is still to be made.

        Raises:
            ExchangeError: it cannot be read.
        """
        if name in self._places:
            return self._places[name], None
        if name not in self._media:  # an earlier import may have brought it
            safe = file_name(name)
            return (f"{self._below}/{safe}" if (self.folder / safe).is_file() else None), None
        self._places[name] = None  # should it not be readable
        copy = self._decide(name)
        place = f"{self._below}/{copy.path.name}"
        self._places[name] = place
        self._taken.add(copy.path.name.casefold())
        if not copy.replaces and os.path.lexists(copy.path):
            return place, None
        return place, copy

    def _decide(self, name: str) -> Copy:
        safe, source = file_name(name), self._media[name]
        if safe.casefold() in self._taken:  # two names of one safe form, or of one in other case
            digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4)
            safe = tagged(safe, digest.hexdigest())
        path = self.folder / safe
        if not os.path.lexists(path):
            return Copy(source, path, False)
        wanted, there = _digest(source), _digest_of(path)
        if there is None:
            return Copy(source, path.with_name(tagged(safe, wanted.hex()[:12])), False)
        mine, theirs = self.mark(path.name, there), self.mark(path.name, wanted)
        verdict = self._ledger.verdict(mine, theirs)
        if there == wanted:
            self._ledger.see(theirs)
        elif verdict == "kept":
            path = path.with_name(tagged(safe, wanted.hex()[:12]))
        self.older += verdict == "older"
        return Copy(source, path, verdict == "changed")

    def mark(self, name: str, digest: bytes) -> bytes:
        return mark_of(f"media:{self._below}/{name}", digest)

    def make(self, copy: Copy) -> None:
        """Copies the file, whole or not at all.

        Raises:
            ExchangeError: it cannot be read, or the disk refuses.
        """
        path = copy.path
        if leads_out(path.parent, self._root):
            raise ExchangeError(f"{path.parent}: {' '.join(LEAVING)}")
        temporary = path.with_name(f".{secrets.token_hex(8)}.deltadeck-tmp")
        digest = blake2b(digest_size=16)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with copy.open() as source, temporary.open("xb") as target:
                while piece := source.read(_PIECE):
                    digest.update(piece)
                    target.write(piece)
            temporary.replace(path)
        except OSError as error:
            raise ExchangeError(
                f"{path}: the file cannot be copied: {reason(error)}. Make room, or make the "
                "folder writable, and import again: it goes on from here."
            ) from error
        finally:
            temporary.unlink(missing_ok=True)
        self._ledger.write(self.mark(path.name, digest.digest()))


def _digest(source: Callable[[], IO[bytes]]) -> bytes:
    digest = blake2b(digest_size=16)
    with source() as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.digest()


def _digest_of(path: Path) -> bytes | None:
    """None of what is no file, or cannot be read: it is another's."""
    try:
        return _digest(lambda: open_regular(path))
    except OSError:
        return None
