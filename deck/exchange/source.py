"""A folder of someone's notes, or one of them: walked and read with the media it shows.

Nothing in it is changed.  Links are not followed: what they name inside the folder is read where it
stands, and what they name outside stays unread, and is reported.  So no link can lead in a circle,
or out.
"""

from __future__ import annotations

import codecs
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import IO
from urllib.parse import unquote

from cards.files import NotRegularError, open_regular
from cards.links import Definition, Link, definitions, edited, embeds, written_name
from deck.errors import reason
from deck.exchange.model import (
    ExchangeError,
    ForeignCard,
    ImportSource,
    Losses,
    unreadable,
)
from deck.exchange.normalise import CardDraft, finished

#: A longer note is no note.
MAX_TEXT = 50_000_000
MAX_MEDIA = 200_000_000
_DEEPEST = 100
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_NOTES = {"", ".md", ".canvas", ".base"}


class NoteFolder:
    """What was named: a folder, or a file in its folder.

    A card names a medium by its bare name; two files of one name in two folders get two names.
    `media` grows as texts are taken.
    """

    def __init__(self, path: Path, lost: Losses) -> None:
        self.path, self.lost = path, lost
        self.is_file = not path.is_dir()
        self.root = path.parent if self.is_file else path
        self.media: dict[str, Callable[[], IO[bytes]]] = {}
        self._names: dict[Path, str] = {}
        self._keys = Counter[str]()

    def bundle(self, program: str, cards: Iterable[ForeignCard], expected: str) -> ImportSource:
        """The import of these cards; `expected` is a sentence for where there is none.

        Raises:
            ExchangeError: there is no card, and nothing to say about one.
        """
        read = list(cards)
        if not read and not self.lost:
            raise ExchangeError(f"{self.path}: no card was found. {expected}")
        return ImportSource(
            program, str(self.path), len(read), lambda: iter(read), self.media, self.lost
        )

    # Its files.

    def notes(self, *suffixes: str) -> list[Path]:
        """The files to read cards from, in the order of their paths."""
        if self.is_file:
            return [self.path]
        return [path for path in self.files if path.suffix.lower() in suffixes]

    @cached_property
    def files(self) -> list[Path]:
        """Every visible file of the folder; of a single file's folder, those beside it."""
        return sorted(self._walk(self.root, 0))

    def name(self, path: Path) -> str:
        """The path as a person would find it: below the folder."""
        below = path.is_relative_to(self.root)
        return path.relative_to(self.root).as_posix() if below else path.name

    def folders(self, path: Path) -> tuple[str, ...]:
        """The folders between the root and a file."""
        return path.relative_to(self.root).parts[:-1]

    def text(self, path: Path) -> str | None:
        """A note's text, with `\\n` for every line ending; None, and why, where it is none."""
        try:
            with open_regular(path) as file:
                data = file.read(MAX_TEXT + 1)
            if len(data) <= MAX_TEXT:
                return decoded(data).replace("\r\n", "\n").replace("\r", "\n")
            why = f"It is larger than {MAX_TEXT // 1_000_000} MB; it was not read."
        except NotRegularError:
            why = "This is not a regular file; it was not read."
        except NotTextError as error:
            why = f"It was not read. {error}"
        except (OSError, ValueError) as error:
            why = f"It cannot be read: {reason(error) if isinstance(error, OSError) else error}."
        self.lost.say(self.name(path), why)
        return None

    def holds(self, path: Path) -> bool:
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
                raise unreadable(folder, error) from error
            self.lost.say(self.name(folder), f"It cannot be read: {reason(error)}.")
            return
        for entry in found:
            path = folder / entry.name
            if entry.name.startswith("."):
                continue
            if entry.is_file(follow_symlinks=False):
                yield path
            elif self.is_file:
                continue  # what lies beside it, and no deeper
            elif entry.is_symlink():
                self._report_link(path)
            elif entry.is_dir(follow_symlinks=False) and depth < _DEEPEST:
                yield from self._walk(path, depth + 1)
            elif entry.is_dir(follow_symlinks=False):
                what = f"It lies more than {_DEEPEST} folders deep; it was not read."
                self.lost.say(self.name(path), what)

    def _report_link(self, path: Path) -> None:
        try:
            target = path.resolve(strict=True)
        except (OSError, RuntimeError):
            self.lost.say(self.name(path), "This link leads nowhere; it was not followed.")
            return
        if not target.is_relative_to(self.root.resolve()):
            what = "This link leads out of the folder and was not followed."
            self.lost.say(self.name(path), f"{what} Copy what it names here.")

    # The cards in a note, and the media that they show.

    def cards(
        self, drafts: Iterable[CardDraft], note: Path, known: Mapping[str, Definition] | None = None
    ) -> Iterator[ForeignCard]:
        """What a note's drafts become, each under a key of its own; `known` as for `put_media`."""
        for draft in drafts:
            draft.key = self.unique(draft.key)
            self.put_media(draft, note, known)
            if (card := finished(draft, self.lost)) is not None:
                yield card

    def unique(self, key: str) -> str:
        """A second card of one key gets its own, by its place among them."""
        self._keys[key] += 1
        return key if self._keys[key] == 1 else f"{key}#{self._keys[key]}"

    def put_media(
        self, draft: CardDraft, note: Path, known: Mapping[str, Definition] | None = None
    ) -> None:
        """Takes the pictures of a card's two sides; `note` is the file that it stands in, and
        `known` what that defines for references."""

        def name_of(found: Link) -> str | None:
            return self.take(found, note, draft.where)

        rename(draft, name_of, known or {})

    def take(self, found: Link, note: Path, where: str) -> str | None:
        """The name of an embed's file; None where it has none, which is said."""
        path, why = self._file(found, note)
        if why:
            self.lost.say(where, why)
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
        for path in (note.parent / target, self.root / target.lstrip("/@")):
            if self.holds(path):
                return path
        found = self._by_name.get(target.rpartition("/")[2].casefold())
        return found if found and self.holds(found) else None

    @cached_property
    def _by_name(self) -> dict[str, Path]:
        """The first file of each name, whichever folder it lies in."""
        return {path.name.casefold(): path for path in reversed(self.files)}

    def _named(self, path: Path) -> str:
        if path not in self._names:
            name, count = path.name, 1
            while name in self.media:
                count += 1
                name = f"{path.stem}-{count}{path.suffix}"
            self._names[path] = name
            self.media[name] = partial(_opened, path)
        return self._names[path]


def rename(
    draft: CardDraft, name_of: Callable[[Link], str | None], known: Mapping[str, Definition]
) -> None:
    """Shows a draft's embeds under other names, which join its media; code and formulas stay.

    `name_of` is given an embed; None leaves it as it is.  `known` are definitions for references
    beside the draft's own.
    """
    known = {**known, **definitions(f"{draft.question}\n\n{draft.solution}")}
    used: list[str] = []

    def renamed(text: str) -> str:
        edits: list[tuple[int, int, str]] = []
        for found in embeds(text, known):
            if (name := name_of(found)) is not None:
                used.append(name)
                label = "" if found.label.replace("x", "").isdigit() else found.label  # a size
                edits.append((found.start, found.end, f"![{label}]({written_name(name)})"))
        return edited(text, edits)

    draft.question, draft.solution = renamed(draft.question), renamed(draft.solution)
    draft.media = [*draft.media, *used]


def _opened(path: Path) -> IO[bytes]:
    """A medium's bytes, for copying.  Raises ExchangeError."""
    try:
        return open_regular(path)
    except OSError as error:
        raise unreadable(path, error) from error


# What a folder looks like, told from how a few files begin.

#: Bytes of a file's beginning that tell its format.
HEAD = 65_536


def holds_marked(folder: Path, suffix: str, mark: re.Pattern[bytes], most: int) -> bool:
    """Whether one of the first `most` files with the suffix, in the folder or in one right below
    it, has the mark in its beginning."""
    found = (each for pattern in (f"*{suffix}", f"*/*{suffix}") for each in folder.glob(pattern))
    for path in islice(found, most):
        with suppress(OSError):
            if path.is_file():
                with path.open("rb") as file:
                    if mark.search(file.read(HEAD)):
                        return True
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
    encoding, title = "utf-8-sig", "UTF-8"
    decoder = codecs.getincrementaldecoder(encoding)()
    line, controls, size = 1, 0, 0
    try:
        for chunk in chunks:
            if size == 0 and chunk.startswith(_UTF16_MARKS):
                encoding, title = "utf-16", "UTF-16"
                decoder = codecs.getincrementaldecoder(encoding)()
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
    return encoding


def decoded(data: bytes) -> str:
    """The text of a whole file.  Raises NotTextError."""
    return data.decode(encoding_of([data]))
