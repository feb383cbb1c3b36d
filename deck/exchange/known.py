"""The cards that earlier imports left in a collection, by their key, and digests of their texts.

A card says in its frontmatter where it is from, `source: anki:GUID`: that is its identity.  Where
`source:` is the learner's own word, `imported:` says it.  Where neither does any more, it is known
by the id under which it came.  Whether it was edited since, the ledger
of digests tells (`ledger.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from cards.files import open_regular
from cards.model import Card
from deck.files import key_parts, walk

_FIELD = re.compile(rb"^(id|source|imported|status):[ \t]*([^\r\n]*?)[ \t]*\r?$", re.MULTILINE)
_NAMES = (b"\nsource:", b"\nimported:")
_STATUS = re.compile(rb"^status:[^\n]*\n", re.MULTILINE)
#: Beginnings of what an import writes; any other source is the learner's own word.
_PROGRAMS = ("anki:", "hashcards:", "json:", "obsidian:", "org:", "table:")
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
    source: str
    """As it stands there."""


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
    older: dict[str, Found] = {}
    for source, path, fields, data in _imported(root):
        name, _, key = source.partition(":")
        # Until 2026, a text export of Anki was a table: its keys are GUIDs, too.
        if name == program or (program == "anki" and name == "table"):
            status, card_id = fields.get(b"status", ""), fields.get(b"id", "")
            card = Found(path, card_id, status, mark_of(source, data), source)
            if name == program:
                found[source] = found.get(source, card)
            else:
                older.setdefault(f"{program}:{key}", card)
    return older | found


def under_their_ids(
    cards: Mapping[str, Card], sources: Mapping[str, str], known: Container[str]
) -> Iterator[tuple[str, Found]]:
    """The cards that imports left, by the `sources` that their ids had, where no card says that
    source any more: the learner gave it another one, or none."""
    for card_id, source in sources.items():
        card = cards.get(card_id) if source not in known else None
        if card is not None and card.path is not None:
            mark = mark_of(source, card.source.encode("utf-8", "surrogatepass"))
            yield source, Found(card.path, card_id, card.status, mark, source)


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
        yield source, path, fields, data


def _value(written: bytes) -> str:
    """A scalar of YAML on a line, as `cards.edit` writes it."""
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
