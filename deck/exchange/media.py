"""Pictures and sounds of an import: where each goes; its copy replaces no other's file."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import IO
from urllib.parse import unquote

from cards.files import LEAVING, leads_out, open_regular
from cards.links import Definition, Link, definitions, edited, embeds, written_name
from deck.errors import reason
from deck.exchange.log import ImportLog, mark_of
from deck.exchange.model import ExchangeError, Lost, file_name, tagged
from deck.exchange.normalise import Draft
from deck.exchange.source import MAX_MEDIA, NoteFiles, opened

#: The folder, below the one that takes the cards.
FOLDER = "media"
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class MediaCopy:
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
        log: ImportLog,
    ) -> None:
        self.folder, self._root = root.joinpath(*into, FOLDER), root
        self._below = "/".join((*into, FOLDER))
        self._media, self._log = media, log
        self._places: dict[str, str | None] = {}
        self._taken: set[str] = set()
        self.older = 0
        """Files that stay, for an import brought them from a later state of the source."""

    def place(self, name: str) -> tuple[str | None, MediaCopy | None]:
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

    def _decide(self, name: str) -> MediaCopy:
        safe, source = file_name(name), self._media[name]
        if safe.casefold() in self._taken:  # two names of one safe form, or of one in other case
            digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4)
            safe = tagged(safe, digest.hexdigest())
        path = self.folder / safe
        if not os.path.lexists(path):
            return MediaCopy(source, path, False)
        wanted, there = _digest(source), _digest_of(path)
        if there is None:
            return MediaCopy(source, path.with_name(tagged(safe, wanted.hex()[:12])), False)
        mine, theirs = self.mark(path.name, there), self.mark(path.name, wanted)
        verdict = self._log.verdict(mine, theirs)
        if there == wanted:
            self._log.confirm(theirs)
        elif verdict == "kept":
            path = path.with_name(tagged(safe, wanted.hex()[:12]))
        self.older += verdict == "older"
        return MediaCopy(source, path, verdict == "changed")

    def mark(self, name: str, digest: bytes) -> bytes:
        return mark_of(f"media:{self._below}/{name}", digest)

    def make(self, copy: MediaCopy) -> None:
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
        self._log.write(self.mark(path.name, digest.digest()))


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


# Media that notes show: found beside the note or in the folder.  A card names a medium by its bare
# name; two files of one name in two folders get two names.

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_NOTES = {"", ".md", ".canvas", ".base"}


def renamed(
    text: str,
    name_of: Callable[[Link], str | None],
    known: Mapping[str, Definition] | None = None,
) -> tuple[str, list[str]]:
    """The text with its embeds under other names, and these; code and formulas stay.

    `name_of` is given an embed; None leaves it as it is.  `known` are definitions for references
    beside the text's own.
    """
    used: list[str] = []
    edits: list[tuple[int, int, str]] = []
    for found in embeds(text, known):
        if (name := name_of(found)) is None:
            continue
        used.append(name)
        label = "" if found.label.replace("x", "").isdigit() else found.label  # a size
        edits.append((found.start, found.end, f"![{label}]({written_name(name)})"))
    return edited(text, edits), used


class NoteMedia:
    """The media of a folder; `media` grows as texts are taken."""

    def __init__(self, source: NoteFiles, roots: Iterable[Path] = ()) -> None:
        self.source = source
        self.media: dict[str, Callable[[], IO[bytes]]] = {}
        self._roots = tuple(roots) or (source.root,)
        self._names: dict[Path, str] = {}
        self._by_name: dict[str, Path] | None = None

    def put(self, draft: Draft, note: Path, known: Mapping[str, Definition] | None = None) -> None:
        """Takes the pictures of a card's two sides; `note` is the file that it stands in, and
        `known` what that defines for references."""
        known = {**(known or {}), **definitions(f"{draft.question}\n\n{draft.solution}")}

        def name_of(found: Link) -> str | None:
            return self.take(found, note, draft.where)

        draft.question, shown = renamed(draft.question, name_of, known)
        draft.solution, more = renamed(draft.solution, name_of, known)
        draft.media = [*draft.media, *shown, *more]

    def take(self, found: Link, note: Path, where: str) -> str | None:
        """The name of an embed's file; None where it has none, which is said."""
        path, why = self._file(found, note)
        if why:
            self.source.lost.append(Lost(where, why))
        return self._named(path.resolve()) if path else None

    def _file(self, found: Link, note: Path) -> tuple[Path | None, str]:
        """The file of an embed, or why there is none; "" where it is on the web."""
        target = found.name.partition("#")[0].strip() if found.kind == "wiki" else found.name
        if found.kind == "unread":
            what = f"The picture {target!r} is not written as Markdown reads one; it was left out."
            return None, f"{what} Write ![words](<its name>)."
        if _ADDRESS.match(target):
            what = f"The picture {target[:80]!r} is shown by HTML, which stays there as text."
            return None, what if found.kind == "html" else ""
        if found.kind == "wiki" and Path(target).suffix.lower() in _NOTES:
            what = f"It shows the note {target!r} inside itself; only the link to it was kept."
            return None, what
        path = self._find(target, note) or self._find(unquote(target), note)
        if path is None:
            return None, f"The picture {target!r} is not in the folder; its place stays empty."
        if path.stat().st_size > MAX_MEDIA:
            most = f"{MAX_MEDIA // 1_000_000} MB"
            return None, f"{target!r} is larger than {most}; it was not copied."
        return path, ""

    def _find(self, target: str, note: Path) -> Path | None:
        if "\0" in target or len(target) > 1000:
            return None
        tried = [note.parent / target, *(root / target.lstrip("/@") for root in self._roots)]
        for path in tried:
            if self.source.inside(path):
                return path
        if self._by_name is None:
            self._by_name = {}
            for path in self.source.files():
                self._by_name.setdefault(path.name.casefold(), path)
        found = self._by_name.get(target.rpartition("/")[2].casefold())
        return found if found and self.source.inside(found) else None

    def _named(self, path: Path) -> str:
        if path not in self._names:
            name, count = path.name, 1
            while name in self.media:
                count += 1
                name = f"{path.stem}-{count}{path.suffix}"
            self._names[path] = name
            self.media[name] = partial(opened, path)
        return self._names[path]
