"""The holes of a cloze card: `{{text}}`, `{{text}{hint}@0}`."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MACRO = re.compile(r"\{\{\{\w+(?:\([^{}\n]*\))?\}\}\}")
_REST = re.compile(r"(?:\{(?P<hint>[^{}\n]{0,500})\})?(?:@(?P<id>\w{1,20}))?\}")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_LONGEST = 5000


@dataclass(frozen=True, slots=True)
class Hole:
    """Offsets into the text; `name` is its position's, "" where it has none."""

    start: int
    end: int
    text: str
    hint: str
    name: str


def holes(text: str) -> list[Hole]:
    """Every hole of a text, in order; braces within one are balanced."""
    closing = _closing(text)
    found: list[Hole] = []
    at = text.find("{{")
    while at >= 0:
        macro = _MACRO.match(text, at)
        hole = None if macro else _hole(text, at, closing.get(at + 1, -1))
        at = text.find("{{", hole.end if hole else macro.end() if macro else at + 1)
        if hole is not None:
            found.append(hole)
    return found


def _closing(text: str) -> dict[int, int]:
    """The brace that closes each opening one; those behind a backslash count for nothing."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif brace[0] == "}" and opened:
            found[opened.pop()] = brace.start()
    return found


def _hole(text: str, start: int, end: int) -> Hole | None:
    rest = _REST.match(text, end + 1) if 0 <= end < start + _LONGEST else None
    inner = text[start + 2 : end]
    if rest is None or not inner.strip():
        return None
    return Hole(start, rest.end(), inner, rest["hint"] or "", rest["id"] or "")
