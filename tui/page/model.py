"""The values of a drawn page: spans, the things they belong to, rows.

A style is words with spaces between: attributes ("bold", "italic", "strike", "underline", "dim",
"reverse"), roles ("heading1", "math", "code", "link", "syntax-keyword", ...) and colours of the
author ("color:red", "background:#ff0000").  What a role looks like is the business of whoever
puts the rows on a screen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from rich.cells import cell_len, split_graphemes


@dataclass(frozen=True, slots=True, eq=False)
class Deco:
    """A sign that the page adds (a bullet, a bar, padding), and what it is in Markdown."""

    copy: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A place to go to."""

    kind: Literal["card", "missing", "web", "file"]
    target: str
    """The card's id, the name no card has, the address, or the file as written."""
    label: str
    signs: tuple[str, str] = ("", "")
    """What stands around its label in Markdown."""


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """A heading that can hide what stands below it."""

    number: int
    """Counts the foldable headings of the document from 0."""
    level: int
    copy: str


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Something drawn that is copied as its source, whole: a formula, a picture."""

    copy: str
    note: str = ""
    """What is wrong with it, in sentences."""


@dataclass(frozen=True, slots=True, eq=False)
class Painting:
    """Rows that are left free for a picture."""

    copy: str
    path: Path
    width: int
    height: int


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Rows that are copied as one text: a row of a table, a block of code."""

    make: Callable[[], str]
    """Its Markdown, without what lists and quotes put before it."""
    greedy: bool
    """Whether a selection that leaves it on one side takes it whole."""


Thing = Deco | Link | Fold | Source | Painting


class Span(NamedTuple):
    text: str
    style: str = ""
    thing: Thing | None = None


class Row(NamedTuple):
    """One row of cells."""

    spans: tuple[Span, ...]
    width: int
    rise: int = 0
    """Rows down to the one that this row's line of text stands on; negative below it."""
    glue: str = "\n"
    """What stands between this line and the one above it, in a copy."""
    fixed: int = 0
    """How many spans at the beginning stay when the row is scrolled sideways."""
    wide: int = -1
    """The number of the part of the page that scrolls with this row; -1 where nothing does."""
    piece: Piece | None = None

    @property
    def text(self) -> str:
        return "".join(span.text for span in self.spans)


Light = Callable[[str], Sequence[tuple[int, int]]]
"""The spans of a text to light up, in its order."""

BLANK = Row((), 0, glue="\n")
PAD = Deco()
#: The style of the sign that a heading folds; it is not part of the heading's text.
FOLD = "fold"


def cells(text: str) -> int:
    """Cells of a text that holds no control character."""
    return len(text) if text.isascii() else cell_len(text)


def settled(text: str) -> str:
    """Without joiners at its ends, which would change the width of its neighbours."""
    if text.isascii():
        return text
    first = next((at for at, sign in enumerate(text) if cell_len(sign)), len(text))
    front = text[:first].replace("\u200d", "").replace("\ufe0f", "") if first else ""
    return (front + text[first:]).rstrip("\u200d")


def pad(count: int, style: str = "") -> Span:
    return Span(" " * count, style, PAD)


def chop(text: str, first: int, width: int) -> list[str]:
    """`text` in pieces of at most `first`, then `width` cells; a wider grapheme stands alone."""
    if text.isascii():
        head = [text[:first]] if first > 0 else []
        return head + [text[at : at + width] for at in range(max(first, 0), len(text), width)]
    pieces: list[str] = []
    start = at = used = 0
    room = first
    for begin, end, size in split_graphemes(text)[0]:
        if used + size > room and (begin > start or room == first < width):
            if begin > start:
                pieces.append(text[start:begin])
            start, used, room = begin, 0, width
        used += size
        at = end
    return [*pieces, text[start:at]]


def crop(text: str, start: int, end: int) -> str:
    """The cells `start` to `end` of a text; half of a wide character is a space."""
    if text.isascii():
        return text[start:end]
    found: list[str] = []
    at = 0
    for begin, stop, size in split_graphemes(text)[0]:
        after = at + size
        if after > end and at < end:
            found.append(" " * (end - max(at, start)))
        elif at >= start and after <= end and (size or found):
            found.append(text[begin:stop])
        elif at < start < after:
            found.append(" " * (min(after, end) - start))
        if after >= end and size:
            break
        at = after
    return "".join(found)
