"""A card's page as values: blocks, units of text, formulas, spans and rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from rich.cells import cell_len, split_graphemes, split_text

if TYPE_CHECKING:
    from cards.math.tree import Formula as Parsed
    from cards.math.tree import Macro
    from cards.math.typesetter.box import Box, Mark

# The values of a drawn page: spans, the things they belong to, rows.
#
# A style is words with spaces between: attributes ("bold", "italic", "strike", "underline", "dim",
# "reverse"), roles ("heading1", "math", "code", "link", "syntax-keyword", ...) and colours of the
# author ("color:red", "background:#ff0000").

#: What a role looks like: in the sixteen colours of every terminal, so that its own theme decides
#: what they are, and in those of the app's theme.
ROLES = {
    "heading1": ("1;36", "color: $text-primary; text-style: bold;"),
    "heading2": ("1;36", "color: $text-primary; text-style: bold;"),
    "heading3": ("1", "color: $text-primary; text-style: bold;"),
    "heading4": ("1;3", "text-style: bold italic;"),
    "heading5": ("3", "text-style: italic;"),
    "heading6": ("2;3", "color: $text-muted; text-style: italic;"),
    "head": ("1", "text-style: bold;"),
    "callout": ("1;36", "color: $text-primary; text-style: bold;"),
    "math": ("", "color: $text-accent;"),
    "code": ("35", "color: $text-secondary;"),
    "codeblock": ("", "background: $surface;"),
    "link": ("4", "color: $text-primary; text-style: underline;"),
    "missing": ("2", "color: $text-muted; text-style: italic;"),
    "mark": ("36", "color: $text-primary;"),
    "chosen": ("1;36", "color: $text-primary; text-style: bold;"),
    "right": ("1;32", "color: $text-success; text-style: bold;"),
    "wrong": ("1;31", "color: $text-error; text-style: bold;"),
    "quote": ("2", "color: $text-primary;"),
    "rule": ("2", "color: $text-disabled;"),
    "fold": ("", "color: $text-muted;"),
    "picture": ("2", "color: $text-muted;"),
    "warning": ("33", "color: $text-error; text-style: underline;"),
    "edge": ("2;7", "color: $text-warning; text-style: bold;"),
    "found": ("", "color: $text-warning; text-style: bold underline;"),
    "lit": ("", "background: $warning-muted;"),
    "picked": ("", "color: $block-cursor-foreground; background: $block-cursor-background;"),
    "syntax-comment": ("2", "color: $text-muted; text-style: italic;"),
    "syntax-keyword": ("34", "color: $text-accent;"),
    "syntax-string": ("32", "color: $text-success;"),
    "syntax-number": ("36", "color: $text-warning;"),
    "syntax-name": ("33", "color: $text-primary;"),
    "syntax-builtin": ("36", "color: $text-secondary;"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Decoration:
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
class ImageSlot:
    """Rows that are left free for a picture."""

    copy: str
    path: Path
    width: int
    height: int


@dataclass(frozen=True, slots=True, eq=False)
class CopyUnit:
    """Rows that are copied as one text: a block of code, a row of a table, the line below its
    head."""

    source: Code | TableRow | tuple[Align, ...]


SpanTarget = Decoration | Link | Fold | Source | ImageSlot


class Span(NamedTuple):
    text: str
    style: str = ""
    thing: SpanTarget | None = None


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
    piece: CopyUnit | None = None

    @property
    def text(self) -> str:
        return "".join(span.text for span in self.spans)


Light = Callable[[str], Sequence[tuple[int, int]]]
"""The spans of a text to light up, in its order."""

BLANK = Row((), 0, glue="\n")
PAD = Decoration()
#: The style of the sign that a heading folds; it is not part of the heading's text.
FOLD = "fold"


def cells(text: str) -> int:
    """Cells of a text that holds no control character."""
    return len(text) if text.isascii() else cell_len(text)


def trim_joiners(text: str) -> str:
    """Without joiners at its ends, which would change the width of its neighbours."""
    if text.isascii():
        return text
    first = next((at for at, sign in enumerate(text) if cell_len(sign)), len(text))
    front = text[:first].replace("\u200d", "").replace("\ufe0f", "") if first else ""
    return (front + text[first:]).rstrip("\u200d")


def pad(count: int, style: str = "") -> Span:
    return Span(" " * count, style, PAD)


def split_cells(text: str, first: int, width: int) -> list[str]:
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


def slice_cells(text: str, start: int, end: int) -> str:
    """The cells `start` to `end` of a text; half of a wide character is a space."""
    whole = cells(text)
    _, rest = split_text(text, min(start, whole))
    return split_text(rest, min(end, whole) - start)[0] if start < min(end, whole) else ""


# A formula on a page: its box for a width, as rows of spans.

Macros = Mapping[str, "str | Macro"]
#: What stands behind a formula that could not be read whole.
ODD = " (!)"
_SIGNS = {"\\(": "\\)", "\\[": "\\]", "```math\n": "\n```"}


class Drawn(NamedTuple):
    """A box whose rows are spans."""

    rows: tuple[tuple[Span, ...], ...]
    width: int
    baseline: int
    broken: bool = False
    """Whether the text beside it stands on the last of several lines."""


class Formula:
    """One formula of a document; it is read and laid out when that is asked for, and kept.

    `sign` is what it begins with where it was written; what it ends with follows from that.
    """

    def __init__(
        self,
        tex: str,
        display: bool,
        style: str = "",
        macros: Macros | None = None,
        sign: str = "$",
    ) -> None:
        self.tex, self.display, self.macros = tex, display, macros
        self.style = f"{style} math".lstrip()
        self.copy = f"{sign}{tex.strip()}{_SIGNS.get(sign, sign)}"
        self._boxes: dict[int | None, Drawn] = {}

    @cached_property
    def parsed(self) -> Parsed:
        """What it says, and what in it could not be read."""
        # Imported when the first formula is read: most of a deck's screens have none.
        from cards.math.latex.parse import parse

        return parse(self.tex, self.macros)

    @cached_property
    def source(self) -> Source:
        """What its spans belong to."""
        problems = self.parsed.problems
        return Source(self.copy, f"{problems[0].message} {problems[0].hint}" if problems else "")

    @property
    def natural(self) -> Drawn:
        """As wide as it is."""
        return self._drawn(None)

    def at(self, width: int) -> Drawn:
        """Broken at its relations where it is wider than `width`; it may be wider even so."""
        # The number of an equation stands at the right end, wherever that is.
        tagged = self.display and "\\tag" in self.tex
        whole = self.natural
        return whole if whole.width <= width and not tagged else self._drawn(width)

    def _drawn(self, width: int | None) -> Drawn:
        from cards.math.typesetter.typeset import layout_formula

        if width in self._boxes:
            return self._boxes[width]
        odd = len(ODD) if self.parsed.problems else 0
        room = None if width is None else max(1, width - odd)
        box = layout_formula(self.parsed, "display" if self.display else "inline", room)
        rows = rows_of(box, self.style, self.source)
        if odd:
            # The sign of a fault, and the room that it takes on the other rows.
            gap, blank = Span(" ", "", self.source), Span(" " * (odd - 1), "", self.source)
            sign = Span(ODD.lstrip(), "warning", self.source)
            rows = tuple(
                (*row, gap, sign if at == box.baseline else blank) for at, row in enumerate(rows)
            )
        self._boxes[width] = Drawn(rows, box.width + odd, box.baseline)
        return self._boxes[width]


def rows_of(box: Box, style: str, source: Source) -> tuple[tuple[Span, ...], ...]:
    """The rows of a box as spans, cut where a mark begins or ends."""
    marks: dict[int, list[Mark]] = {}
    for mark in box.marks:
        marks.setdefault(mark.row, []).append(mark)
    return tuple(
        _marked(row, marks[number], style, source)
        if number in marks
        else (Span(row, style, source),)
        for number, row in enumerate(box.rows)
    )


def _marked(row: str, marks: list[Mark], style: str, source: Source) -> tuple[Span, ...]:
    """The row cut where the style of its cells changes."""
    styles = [style] * cells(row)
    for mark in marks:
        for at in range(max(0, mark.start), min(mark.end, len(styles))):
            styles[at] += f" {mark.style}"
    spans: list[Span] = []
    end = 0
    for words, run in groupby(styles):
        start, end = end, end + len(list(run))
        # A style that is marked twice is said once.
        words = " ".join(dict.fromkeys(words.split(" ")))
        spans.append(Span(slice_cells(row, start, end), words, source))
    return tuple(spans)


# What a card's Markdown says: blocks, and inside them units of text that wrapping keeps whole.


class Unit(NamedTuple):
    """Characters and formulas that stay on one line where there is room for them."""

    space: int
    """Cells before it when it is not the first of a line; -1: a new line begins here."""
    width: int
    parts: tuple[Span | Formula, ...]


Units = tuple[Unit, ...]
Align = Literal["left", "center", "right"]


@dataclass(frozen=True, slots=True)
class Paragraph:
    units: Units
    tight: bool = False
    """Whether it stands directly under what is above it."""


@dataclass(frozen=True, slots=True)
class Heading:
    units: Units
    level: int
    fold: Fold | None
    """None inside lists and quotes, where nothing folds."""


@dataclass(frozen=True, slots=True)
class Display:
    """A formula in rows of its own."""

    formula: Formula


@dataclass(frozen=True, slots=True)
class Code:
    text: str
    language: str


@dataclass(frozen=True, slots=True)
class Break:
    """A thematic break."""


@dataclass(frozen=True, slots=True)
class Picture:
    title: str
    target: str
    source: Source


@dataclass(frozen=True, slots=True)
class ListItem:
    mark: str
    copy: str
    """The mark as Markdown."""
    blocks: tuple[Block, ...]
    style: str = "mark"


@dataclass(frozen=True, slots=True)
class Listing:
    items: tuple[ListItem, ...]
    tight: bool


@dataclass(frozen=True, slots=True)
class Quote:
    blocks: tuple[Block, ...]
    title: Units = ()
    """Of a callout."""
    kind: str = ""
    """Of a callout: "note", "warning", ..."""
    titled: bool = False
    """Whether the title was written, or is the kind's name."""


class TableRow(NamedTuple):
    cells: tuple[Units, ...]


@dataclass(frozen=True, slots=True)
class Table:
    aligns: tuple[Align, ...]
    head: tuple[Units, ...]
    body: tuple[tuple[Units, ...], ...]


Block = Paragraph | Heading | Display | Code | Break | Picture | Listing | Quote | Table


@dataclass(frozen=True, slots=True)
class Document:
    blocks: Sequence[Block]
    folds: int
    """How many headings can be folded."""
    macros: Macros | None = None
    """Those in force at its end: what is read after it knows them."""
