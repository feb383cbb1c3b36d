"""A page as Markdown for the clipboard, and as ANSI text for a terminal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tui.page.model import (
    BLANK,
    FOLD,
    PAD,
    ROLES,
    Align,
    Code,
    CopyUnit,
    Decoration,
    ImageSlot,
    Link,
    Row,
    Source,
    Span,
    SpanTarget,
    TableRow,
    Units,
    cells,
    split_cells,
)
from tui.page.page import LEFT, RIGHT, PageLayout

# What a selection of a page puts on the clipboard: text as Markdown, formulas as their LaTeX.


class SelectionEnd(NamedTuple):
    """A row of a sheet, and a character of its text."""

    row: int
    at: int


def copied(sheet: PageLayout, start: SelectionEnd, end: SelectionEnd) -> str:
    """The text from `start` up to `end`, which is not part of it."""
    if not sheet.rows:
        return ""
    text = _Selection(sheet, start, end).copied()
    return "\n".join(line.rstrip() for line in text.split("\n"))


def lit(
    sheet: PageLayout, start: SelectionEnd, end: SelectionEnd, y: int
) -> tuple[int, int] | None:
    """The characters of row `y` that a selection takes in; None where it takes none."""
    chosen, row = _Selection(sheet, start, end), sheet.rows[y]
    if chosen.has_whole(row.piece):
        return 0, len(row.text)
    spine = _spine(sheet, y)
    if spine not in chosen.rows:
        return None
    begin, until = chosen.characters(spine, len(row.text))
    # Of a formula that it touches, it takes in the whole.
    low, high = begin, until
    at = 0
    for span in row.spans:
        after = at + len(span.text)
        if isinstance(span.thing, Source | ImageSlot) and at < until and begin < after:
            low, high = min(low, at), max(high, after)
        at = after
    return low, high


def _spine(sheet: PageLayout, y: int) -> int:
    """The row that the line of text of row `y` stands on."""
    y = max(0, min(y, len(sheet.rows) - 1))
    return y + sheet.rows[y].rise


class _Selection:
    """What lies between two places; they are moved to the rows that their lines stand on."""

    def __init__(self, sheet: PageLayout, start: SelectionEnd, end: SelectionEnd) -> None:
        self.sheet = sheet
        start, end = (place._replace(row=_spine(sheet, place.row)) for place in (start, end))
        backwards = start.row == end.row and end.at < start.at
        self.start, self.end = (end, start) if backwards else (start, end)
        self.rows = range(self.start.row, self.end.row + 1)

    def characters(self, number: int, whole: int) -> tuple[int, int]:
        """The beginning and the end of what is selected of a row that has `whole` characters."""
        begin = self.start.at if number == self.start.row else 0
        return begin, self.end.at if number == self.end.row else whole

    def has_whole(self, piece: CopyUnit | None) -> bool:
        """Whether it takes a piece in as one text."""
        if piece is None:
            return False
        rows, start, end = self.sheet.pieces[piece], self.start, self.end
        if end.row < rows.start or start.row >= rows.stop:
            return False
        above, below = start.row < rows.start, end.row >= rows.stop
        # Of a table, whatever goes on at one side is taken whole; of code, what is all in it.
        if not isinstance(piece.source, Code) and (above or below):
            return True
        first, last = self.sheet.rows[rows.start].text, self.sheet.rows[rows.stop - 1].text
        from_first = start.row == rows.start and start.at <= len(first) - len(first.lstrip())
        to_last = end.row == rows.stop - 1 and end.at >= len(last.rstrip())
        return (above or from_first) and (below or to_last)

    def copied(self) -> str:
        """The text, going through the rows once."""
        writer, links = _Writer(), self._links()
        seen: set[SpanTarget | CopyUnit] = set()
        for number in self.rows:
            row = self.sheet.rows[number]
            glue = row.glue if number > self.start.row else ""
            if row.piece is not None and self.has_whole(row.piece):
                if row.piece not in seen:
                    seen.add(row.piece)
                    writer.glue("\n" * (number > self.start.row))
                    writer.add(_block(row, row.piece))
            elif not row.rise:
                writer.glue(glue)
                self._write(writer, number, seen, links)
        return writer.done()

    def _write(
        self,
        writer: _Writer,
        number: int,
        seen: set[SpanTarget | CopyUnit],
        links: set[SpanTarget],
    ) -> None:
        """One row; `seen` is what was written whole, `links` those that get their signs."""
        row = self.sheet.rows[number]
        # A sign at the end takes no character: it belongs to a row that is selected to its end.
        begin, until = self.characters(number, len(row.text) + 1)
        begins_line = "\n" in row.glue or number == self.start.row
        at = 0
        for span in row.spans:
            start, at = at, at + len(span.text)
            thing = span.thing
            if not ((start < until and begin < at) or (not span.text and begin <= start < until)):
                continue
            if isinstance(thing, Source | ImageSlot):
                if thing not in seen:
                    seen.add(thing)
                    writer.add(thing.copy, _signs(span))
            elif isinstance(thing, Decoration):
                writer.add(thing.copy if begins_line else "")
            elif span.style != FOLD:
                part = span.text[max(0, begin - start) : max(0, until - start)]
                writer.add(part, _signs(span, links))

    def _links(self) -> set[SpanTarget]:
        """The links of which every letter is selected."""
        whole: Counter[SpanTarget] = Counter()
        chosen: Counter[SpanTarget] = Counter()
        for number, row in enumerate(self.sheet.rows):
            begin, until = self.characters(number, len(row.text))
            at = 0
            for span in row.spans:
                start, at = at, at + len(span.text)
                if isinstance(span.thing, Link):
                    whole[span.thing] += len(span.text)
                    if number in self.rows:
                        chosen[span.thing] += max(0, min(at, until) - max(start, begin))
        return {link for link in whole if whole[link] == chosen[link]}


def _block(row: Row, piece: CopyUnit) -> str:
    """A piece as Markdown, behind what lists and quotes put before it."""
    front = "".join(
        span.thing.copy
        for span in row.spans[: row.fixed]
        if isinstance(span.thing, Decoration) and span.style != "rule"
    )
    # Further lines stand within the same quotes and under the same marks.
    further = "\n" + re.sub(r"[^> ]", " ", front)
    return front + _source(piece).replace("\n", further)


def _source(unit: CopyUnit) -> str:
    """Its Markdown, without what lists and quotes put before it."""
    match unit.source:
        case Code(text, language):
            runs = (len(run) for run in re.findall("`+", text))
            fence = "`" * max(3, max(runs, default=0) + 1)
            return f"{fence}{language}\n{text.rstrip()}\n{fence}"
        case TableRow(cells):
            return f"| {' | '.join(map(_cell, cells))} |"
        case aligns:
            signs: dict[Align, str] = {"left": "---", "center": ":-:", "right": "--:"}
            return f"| {' | '.join(signs[align] for align in aligns)} |"


def _cell(units: Units) -> str:
    """A table's cell as one line of Markdown."""
    writer = _Writer()
    for number, unit in enumerate(units):
        if number and unit.space:
            writer.glue(" ")
        for part in unit.parts:
            if not isinstance(part, Span):
                writer.add(part.copy)
            elif part.thing is None or isinstance(part.thing, Link):
                writer.add(part.text.replace("|", "\\|"), _signs(part))
            else:
                writer.add(part.thing.copy)
    return writer.done().strip().replace("\n", " ")


# Spans back to Markdown: what is bold, struck, code or a link gets its signs again.

_SIGNS = {"bold": "**", "italic": "*", "strike": "~~"}


class _Sign(NamedTuple):
    """What opens and closes a run of text, of one thing where it belongs to one."""

    opening: str
    closing: str
    thing: SpanTarget | None = None


class _Writer:
    """Takes pieces of text with their signs; signs go around words, never around blanks."""

    def __init__(self) -> None:
        self._text = ""
        self._open: list[_Sign] = []
        self._blanks = ""

    def add(self, text: str, signs: tuple[_Sign, ...] = ()) -> None:
        core = text.strip(" ")
        if not core:
            self._blanks += text
            return
        kept = 0
        while kept < min(len(signs), len(self._open)) and signs[kept] == self._open[kept]:
            kept += 1
        self._close(kept)
        self._text += self._blanks + text[: len(text) - len(text.lstrip(" "))]
        for sign in signs[kept:]:
            self._text += sign.opening
            self._open.append(sign)
        self._text += core
        self._blanks = text[len(text.rstrip(" ")) :]

    def glue(self, glue: str) -> None:
        """What stands between two rows: nothing or a space within a line of text."""
        if "\n" in glue:
            self._close(0)
            self._text += glue
            self._blanks = ""
        elif glue:
            self._blanks = glue

    def done(self) -> str:
        self._close(0)
        return self._text + self._blanks

    def _close(self, kept: int) -> None:
        for sign in reversed(self._open[kept:]):
            self._text += sign.closing
        del self._open[kept:]


def _signs(span: Span, whole: set[SpanTarget] | None = None) -> tuple[_Sign, ...]:
    """The signs of a span; a link has its own only where it is in `whole`, or that is None."""
    # Words behind "math" are of the formula, whose LaTeX says them.
    words = span.style.partition("math")[0].split()
    found = [_Sign(_SIGNS[word], _SIGNS[word]) for word in words if word in _SIGNS]
    thing = span.thing
    if isinstance(thing, Link) and any(thing.signs) and (whole is None or thing in whole):
        found.insert(0, _Sign(*thing.signs, thing))
    if "code" in words:
        ticks = "``" if "`" in span.text else "`"
        found.append(_Sign(ticks, ticks))
    return tuple(found)


# Rows for a terminal without the app: ANSI styles and hyperlinks, or plain text for a pipe.

_ATTRIBUTES = {
    "bold": "1",
    "dim": "2",
    "italic": "3",
    "underline": "4",
    "reverse": "7",
    "strike": "9",
}
_NAMED = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_ALIASES = {"orange": "yellow", "purple": "magenta", "violet": "magenta", "teal": "cyan"}


def printed(sheet: PageLayout, styled: bool) -> str:
    """The rows as text; what is too wide is cut into pieces under each other."""
    rows = _fitted(sheet)
    lines = (painted(row.spans) if styled else row.text for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def _fitted(sheet: PageLayout) -> Iterator[Row]:
    at = 0
    for part in sheet.parts:
        yield from sheet.rows[at : part.start]
        pieces = [bands(sheet.rows[y], sheet.width) for y in part]
        for number in range(max(map(len, pieces))):
            if number and len(part) > 1:
                yield BLANK
            yield from (piece[number] for piece in pieces if number < len(piece))
        at = part.stop
    yield from sheet.rows[at:]


#: Between the columns of a table.
_BETWEEN = (" │ ", "─┼─", "╌┊╌")


def bands(row: Row, width: int) -> list[Row]:
    """A wide row in pieces under each other, for where nothing scrolls; all of it is there.

    What stays in front stands before each piece; a table is cut between its columns.
    """
    if row.width <= width:
        return [row]
    front = row.spans[: row.fixed]
    room = max(2, width - sum(cells(span.text) for span in front) - 2)
    bodies: list[list[Span]] = [[]]
    used = 0
    for column in _columns(row.spans[row.fixed :]):
        size = sum(cells(span.text) for span in column)
        if bodies[-1] and used + size > room and _parts(column[0]):
            column = column[1:]
            bodies.append([])
            used = 0
        for span in column:
            for piece in split_cells(span.text, max(0, room - used), room):
                if bodies[-1] and used + cells(piece) > room:
                    bodies.append([])
                    used = 0
                bodies[-1].append(span._replace(text=piece))
                used += cells(piece)
    return [_band(front, body, number, len(bodies)) for number, body in enumerate(bodies)]


def _columns(spans: tuple[Span, ...]) -> list[list[Span]]:
    """Each column of a table's row with the line before it; of another row, all there is."""
    found: list[list[Span]] = []
    for span in spans:
        if not found or _parts(span):
            found.append([])
        found[-1].append(span)
    return found


def _parts(span: Span) -> bool:
    return span.style == "rule" and span.text in _BETWEEN


def _band(front: tuple[Span, ...], body: list[Span], number: int, count: int) -> Row:
    blank = not "".join(span.text for span in body).strip()
    left, right = (Span(" " if blank else sign, "edge", PAD) for sign in (LEFT, RIGHT))
    spans = (*front, *[left] * (number > 0), *body, *[right] * (number < count - 1))
    return Row(spans, sum(cells(span.text) for span in spans))


def painted(spans: Iterable[Span]) -> str:
    """A row with its styles as escapes."""
    return "".join(map(_span, spans))


def _span(span: Span) -> str:
    codes = ";".join(filter(None, map(_code, span.style.split())))
    text = f"\x1b[{codes}m{span.text}\x1b[0m" if codes and span.text else span.text
    if isinstance(span.thing, Link) and span.thing.kind == "web":
        return f"\x1b]8;;{span.thing.target}\x1b\\{text}\x1b]8;;\x1b\\"
    return text


def _code(word: str) -> str:
    kind, _, name = word.partition(":")
    if kind not in ("color", "background"):
        return _ATTRIBUTES.get(word) or ROLES.get(word, ("",))[0]
    name = _ALIASES.get(name, name)
    base = 30 if kind == "color" else 40
    return str(base + _NAMED.index(name)) if name in _NAMED else ""
