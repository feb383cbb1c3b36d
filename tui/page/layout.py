"""Blocks to rows of a width."""

from __future__ import annotations

import sys
import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from cards.files import leads_out
from cards.links import leaves
from tui.page.model import (
    BLANK,
    FOLD,
    PAD,
    Align,
    Block,
    Break,
    Code,
    CopyUnit,
    Decoration,
    Display,
    Drawn,
    Formula,
    Heading,
    ImageSlot,
    Light,
    Listing,
    ListItem,
    Paragraph,
    Picture,
    Quote,
    Row,
    Span,
    Table,
    TableRow,
    Unit,
    Units,
    cells,
    pad,
    split_cells,
    trim_joiners,
)
from tui.page.read import REST, words

#: Lines of text are not longer than one reads with ease; formulas, tables and code may be.
MEASURE = 100
#: Less room than this for text, and marks and indents are left out.
LEAST = 6


@dataclass(frozen=True, slots=True)
class FoundPicture:
    """A picture's file, or the sentence that says why there is none to show."""

    path: Path | None
    why: str = ""


Finder = Callable[[str], FoundPicture]
Measure = Callable[[Path, int], tuple[int, int] | None]
"""The columns and rows of a picture that the terminal can draw, at most so wide; else None."""


@dataclass(frozen=True, slots=True)
class PageOptions:
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

    def __init__(self, look: PageOptions) -> None:
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

    def _shown(self, blocks: Sequence[Block]) -> Iterator[Block]:
        """Without what stands below folded headings."""
        hidden = 7
        for block in blocks:
            heading = isinstance(block, Heading) and block.level <= hidden
            if isinstance(block, Heading) and heading:
                hidden = block.level if self._is_folded(block) else 7
            if heading or hidden == 7:
                yield block

    def _is_folded(self, block: Heading) -> bool:
        return block.fold is not None and block.fold.number in self.look.folded

    def _block(self, block: Block, width: int) -> list[Row]:
        measure = min(width, MEASURE)
        match block:
            case Paragraph():
                return self._checked(wrapped(block.units, measure), width)
            case Heading():
                return self._checked(self._heading(block, width), width)
            case Display():
                return self._display(block.formula, width)
            case Code():
                return self._part(code_rows(block, width), width)
            case Break():
                return [Row((Span("─" * measure, "rule", Decoration("---")),), measure)]
            case Picture():
                return picture_rows(block, measure, self.look.find, self.look.measure)
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

    def _display(self, formula: Formula, width: int) -> list[Row]:
        measure = min(width, MEASURE)
        box = formula.at(measure)
        if not box.width:
            return []  # it does nothing but define
        if box.width > measure:
            box = formula.at(width)
        indent = max(0, (measure - box.width) // 2)
        if self._nested:
            indent = min(2, indent)
        front = (pad(indent),) if indent else ()
        rows = [
            Row((*front, *spans), indent + box.width, box.baseline - number)
            for number, spans in enumerate(box.rows)
        ]
        return self._part(rows, width)

    def _heading(self, block: Heading, width: int) -> list[Row]:
        rows = wrapped(block.units, min(width, MEASURE))
        longest = min(width, max((row.width for row in rows), default=0))
        if (fold := block.fold) is not None and rows:
            for number, row in enumerate(rows):
                if _begins(row):
                    spans = (s if s.thing else s._replace(thing=fold) for s in row.spans)
                    mark = Span("", "", Decoration(fold.copy))
                    rows[number] = row._replace(spans=(mark, *spans))
            last = max(number for number, row in enumerate(rows) if row.rise == 0)
            sign = Span(" ▸ …" if self._is_folded(block) else " ▾", FOLD, fold)
            size = rows[last].width + len(sign.text)
            if self.look.folds and size <= width:
                rows[last] = rows[last]._replace(spans=(*rows[last].spans, sign), width=size)
        if block.level > 2 or not rows:
            return rows
        line = "━" if block.level == 1 else "─"
        return [*rows, Row((Span(line * longest, f"heading{block.level} rule", PAD),), longest)]

    def _list(self, block: Listing, width: int) -> list[Row]:
        size = max((cells(item.mark) for item in block.items), default=0) + 1
        found: list[Row] = []
        for number, item in enumerate(block.items):
            if number and not block.tight:
                found.append(BLANK)
            found += self._item(item, size, width, block.tight)
        return found

    def _item(self, item: ListItem, size: int, width: int, tight: bool) -> list[Row]:
        if width - size < LEAST:
            return self._within(item.blocks, width, tight)
        first = Span(item.mark.rjust(size - 1) + " ", item.style, Decoration(item.copy))
        rest = Span(" " * size, "", Decoration(" " * len(item.copy)))
        return prefixed(self._within(item.blocks, width - size, tight), first, rest)

    def _quote(self, block: Quote, width: int) -> list[Row]:
        has_bar = width - 2 >= LEAST
        width -= 2 * has_bar
        rows = self._title(block, width) + self._within(block.blocks, width)
        bar = Span("▎ ", "quote", Decoration("> "))
        return prefixed(rows, bar, bar) if has_bar else rows

    def _title(self, block: Quote, width: int) -> list[Row]:
        """Of a callout."""
        rows = wrapped(block.title, min(width, MEASURE))
        for number, row in enumerate(rows):
            spans = row.spans
            if not block.titled:
                spans = tuple(Span(span.text, span.style, PAD) for span in spans)
            if _begins(row):
                spans = (Span("", "", Decoration(f"[!{block.kind}] ")), *spans)
            rows[number] = row._replace(spans=spans)
        return self._checked(rows, width)

    def _within(self, blocks: Sequence[Block], width: int, tight: bool = False) -> list[Row]:
        self._nested += 1
        rows = self.rows(blocks, width, tight)
        self._nested -= 1
        return rows


def _begins(row: Row) -> bool:
    """Whether a line of text begins here that no other line goes before."""
    return row.rise == 0 and row.glue == "\n"


def _apart(above: Block, below: Block) -> bool:
    """Whether a blank line stands between two blocks."""
    if isinstance(above, Heading):
        return isinstance(below, Heading)
    if isinstance(below, Display) or isinstance(above, Display):
        return True
    return not (isinstance(below, Paragraph) and below.tight)


def prefixed(rows: list[Row], first: Span, rest: Span) -> list[Row]:
    """Rows behind a mark; `first` stands on the first line of text, `rest` on the others."""
    size = cells(first.text)
    mark_at = max(0, rows[0].rise) if rows else 0
    return [
        row._replace(
            spans=(first if number == mark_at else rest, *row.spans),
            width=row.width + size,
            fixed=row.fixed + 1,
        )
        for number, row in enumerate(rows or [BLANK])
    ]


# Units of text to rows of a width, formulas on the baseline of their line.

_Part = Span | Drawn


def wrapped(units: Units, width: int, most: int = sys.maxsize) -> list[Row]:
    """Rows of at most `width` cells; only a formula that cannot be broken is wider.

    Beyond `most` rows the rest is left out.
    """
    rows: list[Row] = []
    line: list[_Part] = []
    used, glue = 0, "\n"
    for unit in units:
        if len(rows) > most:
            return rows
        space = unit.space
        if line and (space < 0 or used + space + unit.width > width or _is_broken(line)):
            rows += _set(line, glue)
            glue = "\n" if space < 0 else " " if space else ""
            line, used, space = [], 0, 0
        if space > 0 and line:
            line.append(_joint(line[-1], unit))
            used += 1
        if unit.width > width:
            *full, (line, used) = _broken(unit, width)
            for part, _ in full:
                rows += _set(part, glue)
                glue = ""
        else:
            line += [p.natural if isinstance(p, Formula) else p for p in unit.parts]
            used += unit.width
    if line:
        rows += _set(line, glue)
    return rows


def widest(units: Units) -> int:
    """Cells that the text takes where nothing breaks its lines."""
    longest = line = 0
    for unit in units:
        line = unit.width if unit.space < 0 else line + (line > 0) * unit.space + unit.width
        longest = max(longest, line)
    return longest


def _joint(left: _Part, unit: Unit) -> Span:
    """A space; it belongs to a link or a bold text that stands on both its sides."""
    right = unit.parts[0] if unit.parts else None
    if isinstance(left, Span) and isinstance(right, Span) and left.thing is right.thing:
        return Span(" ", left.style if left.style == right.style else "", left.thing)
    return Span(" ")


def _is_broken(line: list[_Part]) -> bool:
    """Whether the line ends with a formula in several lines."""
    return isinstance(line[-1], Drawn) and line[-1].broken


def _broken(unit: Unit, width: int) -> list[tuple[list[_Part], int]]:
    """A unit too wide for a line, in lines: words cut anywhere, a formula at its relations."""
    lines: list[tuple[list[_Part], int]] = []
    line: list[_Part] = []
    used = 0

    def end() -> None:
        nonlocal line, used
        lines.append((line, used))
        line, used = [], 0

    # Punctuation behind a formula at the end needs its cells too.
    last = unit.parts[-1]
    tail = cells(last.text) if isinstance(last, Span) and len(unit.parts) > 1 else 0
    for part in unit.parts:
        if isinstance(part, Formula):
            box = part.at(width - (tail if tail < 4 else 0))
            whole = box is part.natural
            if line and (not whole or used + box.width > width):
                end()
            line.append(box if whole else box._replace(baseline=len(box.rows) - 1, broken=True))
            used += box.width
            continue
        if line and isinstance(line[-1], Drawn) and line[-1].broken:
            if (ended := _ended(line[-1], part, width)) is not None:
                line[-1] = ended
                continue
            end()
        for number, piece in enumerate(split_cells(part.text, max(0, width - used), width)):
            if number or (line and used + cells(piece) > width):
                end()
            if piece:
                line.append(part._replace(text=piece))
                used += cells(piece)
    return [*lines, (line, used)]


def _ended(box: Drawn, tail: Span, width: int) -> Drawn | None:
    """The formula with the text right behind its last row; None where it does not fit there."""
    *above, last = box.rows
    text = "".join(span.text for span in last).rstrip(" ")
    used = cells(text) + cells(tail.text)
    if used > width:
        return None
    spans, left = [], len(text)
    for span in last:
        spans.append(span._replace(text=span.text[: max(0, left)]))
        left -= len(span.text)
    whole = max(box.width, used)
    rows = [(*each, pad(whole - box.width)) if whole > box.width else each for each in above]
    return box._replace(rows=(*rows, (*spans, tail, pad(whole - used))), width=whole)


def _set(line: list[_Part], glue: str) -> list[Row]:
    """One line of text as rows."""
    boxes = [part for part in line if isinstance(part, Drawn)]
    whole = sum(p.width if isinstance(p, Drawn) else cells(p.text) for p in line)
    above = max((box.baseline for box in boxes), default=0)
    below = max((len(box.rows) - 1 - box.baseline for box in boxes), default=0)
    return [
        Row(_merged(_slice(line, y)), whole, -y, glue if y == 0 else "\n")
        for y in range(-above, below + 1)
    ]


def _slice(line: list[_Part], y: int) -> Iterable[Span]:
    """The spans of a line, `y` rows below its baseline."""
    for part in line:
        if isinstance(part, Span):
            yield part if y == 0 else pad(cells(part.text))
        elif 0 <= part.baseline + y < len(part.rows):
            yield from part.rows[part.baseline + y]
        else:
            yield pad(part.width)


def _merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """With neighbours of one style and one thing joined."""
    found: list[Span] = []
    for span in spans:
        if found and found[-1].style == span.style and found[-1].thing is span.thing:
            found[-1] = Span(found[-1].text + span.text, span.style, span.thing)
        else:
            found.append(span)
    return tuple(found)


# Tables: columns as wide as what they hold, cells wrapped where the page is narrower.

_GAP = 3
#: A column is not made narrower than its words, as long as those are not longer than this.
_WORD = 12


def table_rows(table: Table, width: int, most: int = sys.maxsize) -> list[Row]:
    """The rows, of `most` cells in all; wider than `width` only where words and formulas leave no
    other way."""
    lines = [table.head, *table.body]
    sizes = _sizes(lines, len(table.aligns), width - _GAP * (len(table.aligns) - 1))
    drawn: list[list[Row]] = []
    whole = True
    for line in lines:
        room = max(most // len(sizes), not drawn)
        rows = _line(line, sizes, table.aligns, room + 1)
        drawn.append(rows[:room])
        most -= len(rows) * len(sizes)
        if not (whole := len(rows) <= room):
            break
    below_head = CopyUnit(table.aligns)
    found = [*drawn[0], _table_rule(sizes, "┼", "─", below_head)]
    tall = any(len(rows) > 1 for rows in drawn[1:])
    for number, rows in enumerate(drawn[1:]):
        if number and tall:
            found.append(_table_rule(sizes, "┊", "╌", found[-1].piece))
        found += rows
    if found[0].width > width and sizes[0] + _GAP <= width // 3:
        found = [_led(row, sizes[0] + _GAP) for row in found]
    return found if whole else found + wrapped(words(REST, "warning"), width)


def _led(row: Row, width: int) -> Row:
    """A row whose first column stays where it is scrolled, or cut into pieces."""
    fixed = used = 0
    while used < width:
        used += cells(row.spans[fixed].text)
        fixed += 1
    return row._replace(fixed=fixed)


def _sizes(lines: list[tuple[Units, ...]], count: int, room: int) -> list[int]:
    """The widths of the columns: the widest are narrowed first, none below what it needs."""
    columns = [[line[column] for line in lines if column < len(line)] for column in range(count)]
    natural = [max((widest(cell) for cell in column), default=1) or 1 for column in columns]
    if sum(natural) <= room:
        return natural
    least = [_least(column) for column in columns]
    if sum(least) >= room:
        return least

    def limited(limit: int) -> list[int]:
        return [max(low, min(full, limit)) for full, low in zip(natural, least, strict=True)]

    fitting = bisect_right(range(max(natural)), room, key=lambda limit: sum(limited(limit))) - 1
    return limited(fitting)


def _least(column: list[Units]) -> int:
    """What a column needs: its formulas whole, its words as long as they are not too long."""
    need = 1
    for cell in column:
        for unit in cell:
            whole = unit.width if any(not isinstance(p, Span) for p in unit.parts) else 0
            need = max(need, whole, min(unit.width, _WORD))
    return need


def _line(
    line: tuple[Units, ...], sizes: list[int], aligns: Sequence[Align], most: int
) -> list[Row]:
    """One row of cells, as high as the highest, and no higher than `most`."""
    drawn = [
        wrapped(line[number] if number < len(line) else (), size, most)
        for number, size in enumerate(sizes)
    ]
    above = max((rows[0].rise for rows in drawn if rows), default=0)
    filled = [[Row((), 0)] * (above - (rows[0].rise if rows else 0)) + rows for rows in drawn]
    height = min(most, max(1, *(len(rows) for rows in filled)))
    # One line of text, though formulas in it may be tall, is copied as one.
    single = all(len({row.rise + at for at, row in enumerate(rows)}) <= 1 for rows in filled)
    piece = CopyUnit(TableRow(line))
    found: list[Row] = []
    for y in range(height):
        spans: list[Span] = []
        for number, (rows, size) in enumerate(zip(filled, sizes, strict=True)):
            if number:
                spans.append(Span(" │ ", "rule", Decoration(" | ")))
            row = rows[y] if y < len(rows) else Row((), 0)
            spans += _aligned(row, size, aligns[number])
        rise = above - y if single else 0
        found.append(Row(tuple(spans), sum(sizes) + _GAP * (len(sizes) - 1), rise, piece=piece))
    return found


def _aligned(row: Row, width: int, align: Align) -> list[Span]:
    """The spans of a row, filled up to `width` cells."""
    free = max(0, width - row.width)
    left = {"left": 0, "right": free, "center": free // 2}[align]
    return [pad(left)] * (left > 0) + [*row.spans] + [pad(free - left)] * (free > left)


def _table_rule(sizes: list[int], cross: str, line: str, piece: CopyUnit | None) -> Row:
    spans: list[Span] = []
    for number, size in enumerate(sizes):
        if number:
            spans.append(Span(f"{line}{cross}{line}", "rule", PAD))
        spans.append(Span(line * size, "rule", PAD))
    return Row(tuple(spans), sum(sizes) + _GAP * (len(sizes) - 1), piece=piece)


# A code block: its lines as written, with syntax colours where the language is known.

#: Longer code is shown in one colour: some lexers take seconds for a megabyte.
_LONGEST = 4_000
_INDENT = 2
#: A kind of token, by the beginning of its name.
_ROLES = {
    "Comment": "syntax-comment",
    "Keyword": "syntax-keyword",
    "Operator.Word": "syntax-keyword",
    "Literal.String": "syntax-string",
    "Literal.Number": "syntax-number",
    "Name.Function": "syntax-name",
    "Name.Class": "syntax-name",
    "Name.Decorator": "syntax-name",
    "Name.Tag": "syntax-keyword",
    "Name.Builtin": "syntax-builtin",
    "Name.Attribute": "syntax-builtin",
    "Generic.Inserted": "syntax-string",
    "Generic.Deleted": "syntax-number",
}


def code_rows(block: Code, width: int) -> list[Row]:
    """A row a line; they are as wide as the longest, and no narrower than `width` asks."""
    text = block.text.rstrip("\n").expandtabs(4)
    indent = _INDENT if width > 20 else 0
    front = [pad(indent, "codeblock")] * (indent > 0)
    lines: list[list[Span]] = [[*front]]
    language = block.language if len(text) <= _LONGEST else ""
    for piece, role in coloured(text, language):
        for number, part in enumerate(piece.split("\n")):
            if number:
                lines.append([*front])
            if part := trim_joiners(part):
                lines[-1].append(Span(part, f"codeblock {role}".rstrip()))
    sizes = [sum(cells(span.text) for span in line) for line in lines]
    longest = max(*sizes, min(width, 1))
    whole = CopyUnit(block)
    return [
        Row((*line, *[pad(longest - size, "codeblock")] * (longest > size)), longest, piece=whole)
        for line, size in zip(lines, sizes, strict=True)
    ]


def coloured(text: str, language: str) -> Iterator[tuple[str, str]]:
    """The text in pieces, each with its role."""
    if not language:
        yield text, ""
        return
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        yield text, ""
        return
    for kind, piece in lexer.get_tokens(text):
        named = str(kind).removeprefix("Token.")
        yield piece, next((role for name, role in _ROLES.items() if named.startswith(name)), "")


# Pictures: where their files are, and the titled frame that stands for them.

_ADDRESSES = ("http:", "https:", "data:")


def finder(card: Path | None, root: Path | None) -> Finder:
    """Looks for pictures beside a card, then in its collection's folder, never outside of it."""

    def find(target: str) -> FoundPicture:
        name = unquote(target).split("#", 1)[0]
        if name.lower().startswith(_ADDRESSES):
            return FoundPicture(None, "not fetched: it is not on this disk")
        if leaves(target) and leaves(name):
            return FoundPicture(None, "not opened: it is outside the collection")
        for folder in filter(None, (card and card.parent, root)):
            if _is_file(folder / name):
                if root and leads_out(folder / name, root):
                    return FoundPicture(None, "not opened: it is a link out of the collection")
                return FoundPicture(folder / name)
        return FoundPicture(None, "missing: there is no such file beside the card")

    return find


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def picture_rows(
    block: Picture, width: int, find: Finder | None, measure: Measure | None = None
) -> list[Row]:
    """Rows left free for the picture, where it can be drawn; else a frame with its title."""
    found = find(block.target) if find else FoundPicture(None)
    size = measure(found.path, width) if measure and found.path else None
    if found.path is None or size is None:
        return _frame(block, width, found.why)
    painting = ImageSlot(block.source.copy, found.path, *size)
    title = split_cells(trim_joiners(block.title), width, width)
    return [
        *(Row((Span(" " * size[0], "", painting),), size[0]) for _ in range(size[1])),
        *(Row((Span(line, "picture", PAD),), cells(line)) for line in title),
    ]


def _frame(block: Picture, width: int, why: str) -> list[Row]:
    """The picture's title, its file, and what is wrong with it."""
    file = block.target if block.target != block.title else ""
    told = [" ".join(trim_joiners(text).split()) for text in (block.title, file, why)]
    if width < 12:
        lines = (piece for text in told for piece in split_cells(text, width, width))
        return [Row((Span(line, "picture", block.source),), cells(line)) for line in lines if line]
    inner = min(width - 4, max(24, *map(cells, told)))
    side = Span("│", "picture", PAD)
    top, bottom = f"╭ picture {'─' * (inner - 7)}╮", f"╰{'─' * (inner + 2)}╯"
    rows = [Row((Span(top, "picture", block.source),), inner + 4)]
    for text in filter(None, told):
        for line in split_cells(text, inner, inner):
            style = "warning" if line == why else ""
            middle = Span(f" {line}{' ' * (inner - cells(line))} ", style, PAD)
            rows.append(Row((side, middle, side), inner + 4))
    return [*rows, Row((Span(bottom, "picture", PAD),), inner + 4)]
