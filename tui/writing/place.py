"""What is being written at a place of a card's source: a key, a value, a tag, a link, a snippet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["key", "course", "type", "status", "tag", "exercise", "link", "snippet"]

_LINK = re.compile(r"\[\[([^\[\]|#\n]*)$")
_KEY = re.compile(r"([A-Za-z_]*)$")
_VALUE = re.compile(r"(course|type|status|exercise)\s*:\s*(.*)$")
_LAYER = re.compile(r"(?:exercise\s*:\s*\{\s*layer|\s+layer)\s*:\s*([\w-]*)$")
_TAGS = re.compile(r"tags\s*:\s*(?:\[(?:[^\]]*,)?\s*|.*,\s*)?([^\s,\[\]]*)$")
_ITEM = re.compile(r"\s*-\s+(.*)$")
_SNIPPET = re.compile(r"^:(\w*)$")
_FENCE: Final = "---"


@dataclass(frozen=True, slots=True)
class Place:
    """`written` is what stands there so far; a completion replaces it, from `column` on."""

    kind: Kind
    written: str
    column: int


def place_at(lines: Sequence[str], row: int, column: int) -> Place | None:
    """What can be completed with the cursor at `row`, `column` (from 0); None where nothing."""
    before = lines[row][:column]
    if (found := _LINK.search(before)) and not _in_header(lines, row):
        return Place("link", found[1], column - len(found[1]))
    if _in_header(lines, row):
        return _header(lines, row, before)
    if found := _SNIPPET.match(before):
        return Place("snippet", found[1], 0)
    return None


def _in_header(lines: Sequence[str], row: int) -> bool:
    if not lines or lines[0].strip() != _FENCE or row == 0:
        return False
    ends = (at for at, line in enumerate(lines) if at and line.strip() == _FENCE)
    return row < next(ends, len(lines))


def _header(lines: Sequence[str], row: int, before: str) -> Place | None:
    def at(kind: Kind, written: str) -> Place:
        return Place(kind, written, len(before) - len(written))

    if found := _LAYER.search(before):
        return at("exercise", found[1])
    if found := _TAGS.match(before):
        return at("tag", found[1])
    if found := _VALUE.match(before):
        value = found[2]
        # An exercise that is a table has keys of its own, not a layer's name.
        return None if value.startswith(("{", "|")) else at(_kind(found[1]), value)
    if found := _ITEM.match(before):
        return at("tag", found[1]) if _above(lines, row) == "tags" else None
    if found := _KEY.fullmatch(before):
        return at("key", found[1])
    return None


def _kind(key: str) -> Kind:
    kinds: dict[str, Kind] = {"course": "course", "type": "type", "status": "status"}
    return kinds.get(key, "exercise")


def _above(lines: Sequence[str], row: int) -> str:
    """The key under which a list item stands."""
    for line in reversed(lines[:row]):
        if found := re.match(r"([A-Za-z_]+)\s*:", line):
            return found[1]
    return ""
