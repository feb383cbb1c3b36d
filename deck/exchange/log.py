"""What imports wrote into a collection, and what that says of a text that is now another.

`.deltadeck/imports/<device>.txt` holds a digest (16 hex digits) of every text and picture that an
import ever wrote, below a line for each import, `@ TIME MADE`: when it was done, and when its
package was made (milliseconds since 1970, hex digits).  Behind a digest stands when the note was
changed last in its program (seconds), where the format says so.  Before texts are written, each is
there as an intention, `~` before its digest: an import that is killed wrote some of them, so that
the text which stands here is told from an edited one; only a digest says that it was taken.

`= ID SOURCE`, with a tab between, says under which id a card came: its line `source:` may be
changed.  Where the files are lost, every card that differs counts as edited here, and stays.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import Literal, NamedTuple

from cards.files import open_regular
from cards.model import Card
from deck.errors import reason
from deck.exchange.model import ExchangeError
from deck.files import DATA_DIR, card_keys, key_parts, make_folders, make_private, sync_folder

Verdict = Literal["changed", "unchanged", "kept", "older"]
"""Take theirs; leave mine; leave mine though theirs is another as well; leave mine, which an import
brought from a later state of the same source."""

_IMPORT = re.compile(rb"^@ ([0-9a-f]{1,16}) ([0-9a-f]{1,16})$", re.MULTILINE)
_MARK = re.compile(rb"^(~?)([0-9a-f]{16})(?: ([0-9a-f]{1,12}))?$", re.MULTILINE)
_NAME = re.compile(rb"^= ([^\t\n]+)\t([^\n]+)$", re.MULTILINE)


class Noted(NamedTuple):
    """What is known of a digest, from the last time that it was written."""

    turn: int
    """A later import has a higher one."""
    made: int
    """Of its package; 0 where that is not known."""
    version: int
    """Of the note; 0 where that is not known."""


class ImportLog:
    """The digests of all that was ever imported, on any device; `made` is of this import's
    package, in milliseconds since 1970 (0: not known).  Raises ExchangeError."""

    def __init__(self, root: Path, now: datetime, made: int = 0) -> None:
        self._private = root / DATA_DIR
        self._folder = self._private / "imports"
        self._made = max(made, 0)
        self._time = max(int(now.timestamp() * 1000), 0)
        self._new: list[bytes] = []
        self._marks: dict[bytes, Noted] = {}
        self._meant: dict[bytes, Noted] = {}
        self.sources: dict[str, str] = {}
        """Of cards by their ids."""
        self._turn = 1
        for _, made_then, body in sorted(_imports(self._folder), key=lambda each: each[0]):
            shared: dict[bytes, Noted] = {}
            for names in _NAME.findall(body):
                card_id, source = (name.decode("utf-8", "replace") for name in names)
                self.sources[card_id] = source
            for meant, mark, version in _MARK.findall(body):
                if (noted := shared.get(version)) is None:
                    noted = Noted(self._turn, made_then, int(version or b"0", 16))
                    shared[version] = noted
                (self._meant if meant else self._marks)[mark] = noted
            self._turn += 1

    def __contains__(self, mark: bytes) -> bool:
        return mark in self._marks or mark in self._meant

    def verdict(self, mine: bytes, theirs: bytes, version: int = 0) -> Verdict:
        """What becomes of what stands here (`mine`), where its source says `theirs`; both are
        digests under one key, and `version` is the note's now."""
        if mine == theirs:
            return "unchanged"
        taken, meant = self._marks.get(mine), self._meant.get(mine)
        here = meant if taken is None or (meant and meant.turn > taken.turn) else taken
        there = self._marks.get(theirs)
        if here is None:  # edited here since
            return "kept" if there is None else "unchanged"
        if there is not None and there.turn > here.turn:  # an earlier text was put back by hand
            return "unchanged"
        if 0 < version < here.version:
            return "older"
        if version == here.version and 0 < self._made < here.made:
            return "older"
        return "changed"

    def write(self, mark: bytes, version: int = 0) -> None:
        """What has this digest is written now."""
        self._marks[mark] = Noted(self._turn, self._made, version)
        self._new.append(_line(mark, version))

    def confirm(self, mark: bytes, version: int = 0) -> None:
        """What has this digest stands here as its source has it now."""
        noted = self._marks.get(mark)
        if noted is None or noted.version < version:
            self.write(mark, version)

    def name(self, source: str, card_id: str) -> None:
        """The card from this source has this id."""
        if self.sources.get(card_id) != source:
            self.sources[card_id] = source
            self._new.append(f"= {card_id}\t{source}".encode("utf-8", "replace"))

    def announce(self, marks: list[tuple[bytes, int]], device: str) -> None:
        """Notes what is going to be written now, digests and versions.  Raises ExchangeError."""
        if marks:
            self._add([b"~" + _line(*each) for each in marks], device)

    def save(self, device: str) -> None:
        """Writes what is new behind the rest.  Raises ExchangeError."""
        if self._new:
            self._add(self._new, device)
            self._new.clear()

    def _add(self, lines: list[bytes], device: str) -> None:
        path = self._folder / f"{device}.txt"
        try:
            make_private(self._private)
            make_folders(self._folder)
            with path.open("ab") as file:
                if not file.tell():  # new
                    sync_folder(self._folder)
                # A line that a crash left unfinished ends here, and means nothing.
                begin = b"\n" * bool(file.tell())
                head = b"@ %x %x" % (self._time, self._made)
                file.write(begin + b"\n".join([head, *lines]) + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise ExchangeError(
                f"{path}: what was imported cannot be noted: {reason(error)}. "
                "Make room, or make the folder writable, and import again: it goes on from here."
            ) from error


def _line(mark: bytes, version: int) -> bytes:
    return b"%s %x" % (mark, version) if version > 0 else mark


def _imports(folder: Path) -> list[tuple[int, int, bytes]]:
    """Each import's time, its package's, and its lines.  Raises ExchangeError."""
    found = []
    for path in sorted(folder.glob("*.txt")) if folder.is_dir() else ():
        try:
            with open_regular(path) as file:
                parts = _IMPORT.split(file.read())
        except OSError as error:  # else every card that changed would count as edited here
            raise ExchangeError(
                f"{path}: what earlier imports brought cannot be read: {reason(error)}. "
                "Make the file readable, and import again; nothing was imported."
            ) from error
        found.append((0, 0, parts[0]))
        for at, made, body in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
            found.append((int(at, 16), int(made, 16), body))
    return found


# The cards that earlier imports left, by their key, and digests of their texts.  A card says in its
# frontmatter where it is from, `source: anki:GUID`: that is its identity.  Where `source:` is the
# learner's own word, `imported:` says it.  Where neither does any more, it is known by the id under
# which it came.

_FIELD = re.compile(rb"^(id|source|imported|status):[ \t]*([^\r\n]*?)[ \t]*\r?$", re.MULTILINE)
_NAMES = (b"\nsource:", b"\nimported:")
_STATUS = re.compile(rb"^status:[^\n]*\n", re.MULTILINE)
#: Beginnings of what an import writes; any other source is the learner's own word.
_PROGRAMS = ("anki:", "hashcards:", "json:", "obsidian:", "org:", "table:")
#: Of the frontmatter, in bytes: no import writes a longer one.
_HEAD = 100_000


@dataclass(frozen=True, slots=True)
class KnownCard:
    """A card of an earlier import, as it is now."""

    path: Path
    card_id: str
    status: str
    mark: bytes
    """`mark_of` its text."""
    source: str
    """As it stands there."""


def mark_of(key: str, data: bytes) -> bytes:
    """A digest of what stands under a key; a card's `status:` follows its answers, and is left
    out, and line endings may be another system's."""
    data = data.replace(b"\r\n", b"\n")
    head = data.find(b"\n---", 3) + 1
    if data.startswith(b"---\n") and head:
        data = _STATUS.sub(b"", data[:head], count=1) + data[head:]
    digest = blake2b(key.encode("utf-8", "surrogatepass") + b"\0", digest_size=8)
    digest.update(data)
    return digest.hexdigest().encode("ascii")


def digest_of(text: str) -> str:
    """A digest of a card's file without its `status:`, which an export takes along."""
    return mark_of("", text.encode("utf-8", "surrogatepass")).decode("ascii")


def known_cards(
    root: Path, cards: Mapping[str, Card], program: str, log: ImportLog
) -> dict[str, KnownCard]:
    """The cards of a collection that are from a program, by their source; of two, the first.

    Where no card says a source any more, as the learner gave it another one, or none, the card that
    came under its id counts.
    """
    found: dict[str, KnownCard] = {}
    older: dict[str, KnownCard] = {}
    renamed: dict[str, KnownCard] = {}
    for source, path, fields, data in _imported(root):
        name, _, key = source.partition(":")
        # Until 2026, a text export of Anki was a table: its keys are GUIDs, too.
        if name == program or (program == "anki" and name == "table"):
            status, card_id = fields.get(b"status", ""), fields.get(b"id", "")
            known = KnownCard(path, card_id, status, mark_of(source, data), source)
            (found if name == program else older).setdefault(f"{program}:{key}", known)
    for card_id, source in log.sources.items():
        is_said = source in found or source in older or not source.startswith(f"{program}:")
        card = None if is_said else cards.get(card_id)
        if card is not None and card.path is not None:
            mark = mark_of(source, card.source.encode("utf-8", "surrogatepass"))
            renamed[source] = KnownCard(card.path, card_id, card.status, mark, source)
    return older | found | renamed


def doubles(root: Path) -> list[tuple[str, Path, Path]]:
    """Sources that two cards name, with the one that imports know and another."""
    found: dict[str, Path] = {}
    twice = []
    for source, path, _, _ in _imported(root):
        if source.startswith(_PROGRAMS) and found.setdefault(source, path) != path:
            twice.append((source, found[source], path))
    return twice


def _imported(root: Path) -> Iterator[tuple[str, Path, dict[bytes, str], bytes]]:
    """Each card that says where it is from: its source, file, other fields and bytes."""
    for key in card_keys(root):
        path = root.joinpath(*key_parts(key))
        try:
            with open_regular(path) as file:
                data = file.read(1_100_000)
        except OSError:
            continue  # it is among the collection's problems
        end = data.find(b"\n---", 3, _HEAD)
        if end < 0 or not any(data.find(name, 0, end) >= 0 for name in _NAMES):
            continue
        fields = {name: _value(value) for name, value in _FIELD.findall(data, 0, end + 1)}
        source = fields.get(b"imported") or fields.get(b"source", "")
        yield source, path, fields, data


def _value(written: bytes) -> str:
    """A scalar of YAML on a line, as `cards.edit` writes it."""
    text = written.decode("utf-8", "replace")
    if text.startswith('"'):
        with suppress(ValueError):
            return str(json.loads(text))
    elif text[:1] not in ("'", "|", ">", "&", "*") and " #" not in text:
        return text
    import yaml

    try:
        value = yaml.load(text, yaml.BaseLoader)
    except yaml.YAMLError:
        return ""
    return value if isinstance(value, str) else ""


# One import at a time in a collection: of two, the second would not know the first one's cards.


@contextmanager
def import_lock(root: Path) -> Iterator[None]:
    """Holds the collection's folder for an import: from before it is opened, as what is read then
    decides which cards are new, to the end.

    The folder itself is locked: nothing is written, and the lock goes with its program, however
    that ends.  Where a disk knows no such locks, and where there is no folder, it holds nothing.

    Raises:
        ExchangeError: another import goes on there.
    """
    try:
        handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        yield  # opening the collection says what is wrong with it
        return
    try:
        with suppress(OSError):  # some network disks know none
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ExchangeError(
                    f"{root}: another import is going on here. Wait until it has ended, and import "
                    "again; nothing was imported."
                ) from None
        yield
    finally:
        os.close(handle)
