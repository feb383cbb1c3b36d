"""What a card's Markdown says: blocks, and inside them units of text that wrapping keeps whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from tui.page.formula import Formula, Macros
from tui.page.model import Fold, Source, Span


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
class Item:
    mark: str
    copy: str
    """The mark as Markdown."""
    blocks: tuple[Block, ...]
    style: str = "mark"


@dataclass(frozen=True, slots=True)
class Listing:
    items: tuple[Item, ...]
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
