"""Rows of styled text: what every plot is drawn into.

A role says what a piece of text is ("bar", "grid", "number", ...); what it looks like is the
business of whoever shows it (tui/plots/ansi.py, tui/screens/statistics_view.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size


class Span(NamedTuple):
    text: str
    role: str = ""


Row = tuple[Span, ...]

#: Signs of ours that ASCII has something for, of the same width.
_NEAR = str.maketrans(
    {"·": "-", "–": "-", "−": "-", "…": "~", "×": "x", "→": ">", "≥": ">", "±": "~"}
)
_UNIT = re.compile(r"(?<=\d) (?=(?:%|d|h|s|p|y|mo|min)(?!\w))")
_NUMBER = re.compile(r"\d(?:[\d,.:]*\d)?(?: %)?")


def plain(row: Row) -> str:
    """The text of a row."""
    return "".join(span.text for span in row)


def width_of(row: Row) -> int:
    return sum(cell_len(span.text) for span in row)


def fitted(row: Sequence[Span], width: int) -> Row:
    """The row in exactly `width` cells: cut, or filled with spaces."""
    found, left = [], width
    for text, role in row:
        cells = cell_len(text)
        if cells > left:
            text, cells = set_cell_size(text, left), left
        if text:
            found.append(Span(text, role))
        left -= cells
    if left > 0:
        found.append(Span(" " * left))
    return tuple(found)


def beside(left: Sequence[Row], right: Sequence[Row], width: int, gap: int = 2) -> list[Row]:
    """Two blocks of rows next to each other; `width` is that of the left one."""
    height = max(len(left), len(right))
    padded = [*left, *[()] * (height - len(left))]
    others = [*right, *[()] * (height - len(right))]
    return [
        (*fitted(row, width), Span(" " * gap), *other)
        for row, other in zip(padded, others, strict=True)
    ]


def wrapped(text: str, width: int) -> list[str]:
    """Words in lines of at most `width` cells; a longer word is cut, a number keeps its unit."""
    lines: list[str] = []
    line = ""
    for word in _UNIT.sub("\N{NO-BREAK SPACE}", " ".join(text.split())).split(" "):
        word = word.replace("\N{NO-BREAK SPACE}", " ")
        while cell_len(word) > max(width, 1):
            head = set_cell_size(word, max(width, 1)).rstrip()
            head = head or word[0]
            if line:
                lines.append(line)
                line = ""
            lines.append(head)
            word = word[len(head) :]
        if not word:
            continue
        if line and cell_len(line) + 1 + cell_len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line] if line else lines


def numbered(text: str, role: str = "") -> Row:
    """A sentence, its numbers with a role of their own."""
    found: list[Span] = []
    end = 0
    for match in _NUMBER.finditer(text):
        if match.start() > end:
            found.append(Span(text[end : match.start()], role))
        found.append(Span(match.group(), "number"))
        end = match.end()
    if end < len(text):
        found.append(Span(text[end:], role))
    return tuple(found)


def in_ascii(rows: Iterable[Row]) -> list[Row]:
    """The rows in ASCII, of the same widths; a letter that ASCII has not becomes "?"."""
    return [tuple(Span(_ascii(text), role) for text, role in row) for row in rows]


def _ascii(text: str) -> str:
    near = text.translate(_NEAR)
    return near if near.isascii() else "".join(map(_sign, near))


def _sign(sign: str) -> str:
    return sign if sign.isascii() else "?" * cell_len(sign)
