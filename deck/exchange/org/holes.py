"""The holes of a cloze card: `{{text}}`, `{{text}{hint}@0}`."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MACRO = re.compile(r"\{\{\{\w+(?:\([^{}\n]*\))?\}\}\}")
_REST = re.compile(r"(?:\{(?P<hint>[^{}\n]*)\})?(?:@(?P<id>\w{1,20}))?\}")
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
    found: list[Hole] = []
    at = text.find("{{")
    while at >= 0:
        hole = None if _MACRO.match(text, at) else _hole(text, at)
        if hole is not None:
            found.append(hole)
        macro = _MACRO.match(text, at)
        at = text.find("{{", hole.end if hole else macro.end() if macro else at + 1)
    return found


def _hole(text: str, start: int) -> Hole | None:
    depth = 1
    for at in range(start + 2, min(len(text), start + _LONGEST)):
        if text[at] == "{" and text[at - 1] != "\\":
            depth += 1
        elif text[at] == "}" and text[at - 1] != "\\":
            depth -= 1
            if depth == 0:
                rest = _REST.match(text, at + 1)
                inner = text[start + 2 : at]
                if rest is None or not inner.strip():
                    return None
                return Hole(start, rest.end(), inner, rest["hint"] or "", rest["id"] or "")
    return None
