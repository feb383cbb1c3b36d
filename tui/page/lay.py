"""Blocks to rows of a width."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from tui.page.blocks import (
    Block,
    Break,
    Code,
    Display,
    Heading,
    Item,
    Listing,
    Paragraph,
    Picture,
    Quote,
    Table,
)
from tui.page.code import code_rows
from tui.page.formula import Drawn
from tui.page.model import BLANK, FOLD, PAD, Deco, Light, Row, Span, cells, pad
from tui.page.pictures import Finder, Measure, picture_rows
from tui.page.table import table_rows
from tui.page.wrap import prefixed, wrapped

#: Lines of text are not longer than one reads with ease; formulas, tables and code may be.
MEASURE = 100
#: Less room than this for text, and marks and indents are left out.
LEAST = 6


@dataclass(frozen=True, slots=True)
class Look:
    """How a document is shown."""

    folded: frozenset[int] = frozenset()
    """Numbers of the headings whose sections are hidden."""
    folds: bool = False
    """Whether headings carry the sign that they fold."""
    find: Finder | None = None
    """Finds the files of pictures."""
    measure: Measure | None = None
    """Measures those that the terminal can draw."""
    light: Light | None = None
    """Finds what is lit up."""
    cells: int = sys.maxsize
    """Cells of a table that are drawn."""


class Layout:
    """One laying-out of a document; numbers the parts that are too wide."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self.wide = 0
        self._nested = 0

    def rows(self, blocks: Sequence[Block], width: int, tight: bool = False) -> list[Row]:
        """The rows of blocks under each other; `tight` leaves no blank line between them,
        save between two displays."""
        found: list[Row] = []
        above: Block | None = None
        for block in self._shown(blocks):
            rows = self._block(block, width)
            if not rows:
                continue
            # Of two formulas that touch, no eye tells where the first one ends.
            touch = isinstance(above, Display) and isinstance(block, Display)
            if above is not None and (touch or not tight) and _apart(above, block):
                found.append(BLANK)
            found += rows
            above = block
        return found

    def _shown(self, blocks: Sequence[Block]) -> list[Block]:
        """Without what stands below folded headings."""
        if not self.look.folded:
            return list(blocks)
        shown: list[Block] = []
        hidden = 7
        for block in blocks:
            if isinstance(block, Heading) and block.level <= hidden:
                folded = block.fold is not None and block.fold.number in self.look.folded
                hidden = block.level if folded else 7
                shown.append(block)
            elif hidden == 7:
                shown.append(block)
        return shown

    def _block(self, block: Block, width: int) -> list[Row]:
        match block:
            case Paragraph():
                return self._checked(wrapped(block.units, min(width, MEASURE)), width)
            case Heading():
                return self._checked(self._heading(block, width), width)
            case Display():
                return self._display(block, width)
            case Code():
                return self._part(code_rows(block, width), width)
            case Break():
                return [_rule(width)]
            case Picture():
                look = self.look
                return picture_rows(block, min(width, MEASURE), look.find, look.measure)
            case Listing():
                return self._list(block, width)
            case Quote():
                return self._quote(block, width)
            case Table():
                return self._part(table_rows(block, width, self.look.cells), width)

    # What is too wide.

    def _part(self, rows: list[Row], width: int) -> list[Row]:
        """Rows that scroll together where one of them is too wide."""
        if all(row.width <= width for row in rows):
            return rows
        self.wide += 1
        return [row._replace(wide=self.wide - 1) for row in rows]

    def _checked(self, rows: list[Row], width: int) -> list[Row]:
        """Lines of text, of which one with a formula may be too wide."""
        if all(row.width <= width for row in rows):
            return rows
        found: list[Row] = []
        at = 0
        while at < len(rows):
            end = at + 1
            while end < len(rows) and rows[end].rise + end == rows[at].rise + at:
                end += 1
            found += self._part(rows[at:end], width)
            at = end
        return found

    # Blocks.

    def _display(self, block: Display, width: int) -> list[Row]:
        measure = min(width, MEASURE)
        box = block.formula.at(measure)
        if not box.width:
            return []  # it does nothing but define
        if box.width > measure:
            box = block.formula.at(width)
        indent = max(0, (measure - box.width) // 2)
        if self._nested:
            indent = min(2, indent)
        return self._part(_rows_of(box, indent), width)

    def _heading(self, block: Heading, width: int) -> list[Row]:
        rows = wrapped(block.units, min(width, MEASURE))
        fold = block.fold
        if fold is not None:
            rows = [
                row._replace(
                    spans=(
                        Span("", "", Deco(fold.copy)),
                        *(s if s.thing else s._replace(thing=fold) for s in row.spans),
                    )
                    if row.rise == 0 and row.glue == "\n"
                    else row.spans
                )
                for row in rows
            ]
        longest = min(width, max((row.width for row in rows), default=0))
        if self.look.folds and fold is not None and rows:
            rows = self._with_sign(rows, block, width)
        if block.level > 2 or not rows:
            return rows
        line = "━" if block.level == 1 else "─"
        return [*rows, Row((Span(line * longest, f"heading{block.level} rule", PAD),), longest)]

    def _with_sign(self, rows: list[Row], block: Heading, width: int) -> list[Row]:
        folded = block.fold is not None and block.fold.number in self.look.folded
        sign = Span(" ▸ …" if folded else " ▾", FOLD, block.fold)
        last = max(number for number, row in enumerate(rows) if row.rise == 0)
        row = rows[last]
        if row.width + len(sign.text) <= width:
            rows[last] = row._replace(spans=(*row.spans, sign), width=row.width + len(sign.text))
        return rows

    def _list(self, block: Listing, width: int) -> list[Row]:
        size = max((cells(item.mark) for item in block.items), default=0) + 1
        found: list[Row] = []
        for number, item in enumerate(block.items):
            if number and not block.tight:
                found.append(BLANK)
            found += self._item(item, size, width, block.tight)
        return found

    def _item(self, item: Item, size: int, width: int, tight: bool) -> list[Row]:
        if width - size < LEAST:
            return self._within(item.blocks, width, tight)
        mark = item.mark.rjust(size - 1) + " "
        first = Span(mark, item.style, Deco(item.copy))
        rest = Span(" " * size, "", Deco(" " * len(item.copy)))
        return prefixed(self._within(item.blocks, width - size, tight), first, rest)

    def _quote(self, block: Quote, width: int) -> list[Row]:
        if width - 2 < LEAST:
            return self._title(block, width) + self._within(block.blocks, width)
        bar = Span("▎ ", "quote", Deco("> "))
        rows = self._title(block, width - 2) + self._within(block.blocks, width - 2)
        return prefixed(rows, bar, bar)

    def _title(self, block: Quote, width: int) -> list[Row]:
        """Of a callout."""
        rows = wrapped(block.title, min(width, MEASURE))
        for number, row in enumerate(rows):
            spans = row.spans
            if not block.titled:
                spans = tuple(Span(span.text, span.style, PAD) for span in spans)
            if row.rise == 0 and row.glue == "\n":
                spans = (Span("", "", Deco(f"[!{block.kind}] ")), *spans)
            rows[number] = row._replace(spans=spans)
        return self._checked(rows, width)

    def _within(self, blocks: Sequence[Block], width: int, tight: bool = False) -> list[Row]:
        self._nested += 1
        rows = self.rows(blocks, width, tight)
        self._nested -= 1
        return rows


def _rows_of(box: Drawn, indent: int) -> list[Row]:
    front = (pad(indent),) if indent else ()
    return [
        Row((*front, *spans), indent + box.width, box.baseline - number)
        for number, spans in enumerate(box.rows)
    ]


def _rule(width: int) -> Row:
    size = min(width, MEASURE)
    return Row((Span("─" * size, "rule", Deco("---")),), size)


def _apart(above: Block, below: Block) -> bool:
    """Whether a blank line stands between two blocks."""
    if isinstance(above, Heading):
        return isinstance(below, Heading)
    if isinstance(below, Display) or isinstance(above, Display):
        return True
    return not (isinstance(below, Paragraph) and below.tight)
