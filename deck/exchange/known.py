"""What an earlier import left in a collection: cards by their key, and digests of what it wrote.

A card says in its frontmatter where it is from, `source: anki:GUID`: that is its identity.  Where
`source:` is the learner's own word, `imported:` says it.  Whether
it was edited since is told by digests in `.deltadeck/imports/<device>.txt`, one of 16 hex digits a
line, of everything that an import ever wrote.  Where they are lost, every card that differs counts
as edited here, and stays.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from cards.regular import open_regular
from deck.errors import reason
from deck.exchange.bundle import ExchangeError
from deck.keys import key_parts
from deck.place import PRIVATE, make_private
from deck.walk import walk

_FIELD = re.compile(rb"^(id|source|imported|status):[ \t]*([^\r\n]*?)[ \t]*\r?$", re.MULTILINE)
_NAMES = (b"\nsource:", b"\nimported:")
_STATUS = re.compile(rb"^status:[^\n]*\n", re.MULTILINE)
_MARK = re.compile(rb"[0-9a-f]{16}")
#: Of the frontmatter, in bytes: no import writes a longer one.
_HEAD = 100_000


@dataclass(frozen=True, slots=True)
class Found:
    """A card of an earlier import, as it is now."""

    path: Path
    card_id: str
    status: str
    mark: bytes
    """`mark_of` its text."""


def mark_of(key: str, data: bytes) -> bytes:
    """A digest of what stands under a key; a card's `status:` follows its answers, and is left
    out, and line endings may be another system's."""
    data = data.replace(b"\r\n", b"\n")
    head = data.find(b"\n---", 3) + 1
    if data.startswith(b"---\n") and head:
        data = _STATUS.sub(b"", data[:head], count=1) + data[head:]
    return _mark(key, data)


def digest_of(text: str) -> str:
    """A digest of a card's file without its `status:`, which an export takes along."""
    return mark_of("", text.encode("utf-8", "surrogatepass")).decode("ascii")


def _mark(key: str, data: bytes) -> bytes:
    digest = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8)
    digest.update(b"\0")
    digest.update(data)
    return digest.hexdigest().encode("ascii")


def cards_from(root: Path, program: str) -> dict[str, Found]:
    """The cards of a collection that are from a program, by their source; of two, the first."""
    found: dict[str, Found] = {}
    begin = f"{program}:"
    files, _ = walk(root)
    for key in sorted(file[0] for file in files):
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
        if source.startswith(begin) and source not in found:
            status = fields.get(b"status", "")
            card_id = fields.get(b"id", "")
            found[source] = Found(path, card_id, status, mark_of(source, data))
    return found


def _value(written: bytes) -> str:
    """A scalar of YAML on a line, as `cards.yamltext` writes it."""
    text = written.decode("utf-8", "replace")
    if text.startswith('"'):
        try:
            value = json.loads(text)
        except ValueError:
            return _by_yaml(text)
        return value if isinstance(value, str) else ""
    return _by_yaml(text) if text[:1] in ("'", "|", ">", "&", "*") or " #" in text else text


def _by_yaml(text: str) -> str:
    import yaml

    try:
        value = yaml.load(text, yaml.BaseLoader)
    except yaml.YAMLError:
        return ""
    return value if isinstance(value, str) else ""


class Ledger:
    """The digests of all that was ever imported, on any device."""

    def __init__(self, root: Path) -> None:
        self.private = root / PRIVATE
        self.folder = self.private / "imports"
        self._marks: set[bytes] = set()
        self._new: list[bytes] = []
        for path in sorted(self.folder.glob("*.txt")) if self.folder.is_dir() else ():
            try:
                with open_regular(path) as file:
                    self._marks.update(_MARK.findall(file.read()))
            except OSError:
                continue

    def __contains__(self, mark: bytes) -> bool:
        return mark in self._marks

    def add(self, mark: bytes) -> None:
        if mark not in self._marks:
            self._marks.add(mark)
            self._new.append(mark)

    @property
    def news(self) -> int:
        """How many are not written yet."""
        return len(self._new)

    def save(self, device: str) -> None:
        """Writes what is new behind the rest.  Raises ExchangeError."""
        if not self._new:
            return
        path = self.folder / f"{device}.txt"
        try:
            make_private(self.private)
            self.folder.mkdir(exist_ok=True)
            with path.open("ab") as file:
                # A line that a crash left unfinished ends here, and means nothing.
                begin = b"\n" if file.tell() else b""
                file.write(begin + b"\n".join(self._new) + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise ExchangeError(
                f"{path}: what was imported cannot be noted: {reason(error)}. "
                "Make room, or make the folder writable, and import again: it goes on from here."
            ) from error
        self._new.clear()
