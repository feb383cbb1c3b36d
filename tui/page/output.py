"""A page as Markdown for the clipboard, and as ANSI text for a terminal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

from tui.page.model import (
    BLANK,
    FOLD,
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
)
from tui.page.page import PageLayout, bands

# What a selection of a page puts on the clipboard: text as Markdown, formulas as their LaTeX.


class SelectionEnd(NamedTuple):
    """A row of a sheet, and a character of its text."""

    row: int
    at: int


def copied(sheet: PageLayout, start: SelectionEnd, end: SelectionEnd) -> str:
    """The text from `start` up to `end`, which is not part of it."""
    text = _Copy(sheet, *_ordered(sheet, start, end)).text() if sheet.rows else ""
    return "\n".join(line.rstrip() for line in text.split("\n"))


def lit(
    sheet: PageLayout, start: SelectionEnd, end: SelectionEnd, y: int
) -> tuple[int, int] | None:
    """The characters of row `y` that a selection takes in; None where it takes none."""
    spine = _spine(sheet, y)
    start, end = _ordered(sheet, start, end)
    row = sheet.rows[y]
    if row.piece is not None and _is_whole(sheet, row.piece, start, end):
        return 0, len(row.text)
    if not start.row <= spine <= end.row:
        return None
    begin = start.at if spine == start.row else 0
    until = end.at if spine == end.row else len(row.text)
    return _widened(row, begin, until)


def _ordered(
    sheet: PageLayout, start: SelectionEnd, end: SelectionEnd
) -> tuple[SelectionEnd, SelectionEnd]:
    """The places on the rows that their lines of text stand on."""
    first, last = _spine(sheet, start.row), _spine(sheet, end.row)
    start, end = start._replace(row=first), end._replace(row=last)
    return (end, start) if first == last and end.at < start.at else (start, end)


def _spine(sheet: PageLayout, y: int) -> int:
    y = max(0, min(y, len(sheet.rows) - 1))
    return y + sheet.rows[y].rise if sheet.rows else 0


def _widened(row: Row, begin: int, until: int) -> tuple[int, int]:
    """The range widened to the whole of each formula that it touches."""
    low, high = begin, until
    at = 0
    for span in row.spans:
        after = at + len(span.text)
        if isinstance(span.thing, Source | ImageSlot) and at < until and begin < after:
            low, high = min(low, at), max(high, after)
        at = after
    return low, high


def _is_whole(sheet: PageLayout, piece: CopyUnit, start: SelectionEnd, end: SelectionEnd) -> bool:
    """Whether a selection takes a piece in as one text."""
    rows = sheet.pieces[piece]
    if end.row < rows.start or start.row >= rows.stop:
        return False
    above, below = start.row < rows.start, end.row >= rows.stop
    if piece.greedy and (above or below):
        return True
    first, last = sheet.rows[rows.start].text, sheet.rows[rows.stop - 1].text
    from_first = start.row == rows.start and start.at <= len(first) - len(first.lstrip())
    to_last = end.row == rows.stop - 1 and end.at >= len(last.rstrip())
    return (above or from_first) and (below or to_last)


class _Copy:
    """One copying; goes through the rows once."""

    def __init__(self, sheet: PageLayout, start: SelectionEnd, end: SelectionEnd) -> None:
        self.sheet, self.start, self.end = sheet, start, end
        self.writer = _Writer()
        self.seen: set[SpanTarget | CopyUnit] = set()
        self.rows = range(max(0, start.row), min(end.row + 1, len(sheet.rows)))
        self.links = self._links()

    def text(self) -> str:
        for number in self.rows:
            row = self.sheet.rows[number]
            piece = row.piece
            if piece is not None and _is_whole(self.sheet, piece, self.start, self.end):
                if piece not in self.seen:
                    self.seen.add(piece)
                    self._between(number, "\n")
                    self._piece(row, piece)
            elif not row.rise:
                self._between(number, row.glue)
                self._row(number, row)
        return self.writer.done()

    def _between(self, number: int, glue: str) -> None:
        if number > self.rows.start:
            self.writer.glue(glue)

    def _range(self, number: int) -> tuple[int, int]:
        row = self.sheet.rows[number]
        begin = self.start.at if number == self.start.row else 0
        return begin, self.end.at if number == self.end.row else len(row.text) + 1

    def _links(self) -> set[SpanTarget]:
        """The links of which every letter is selected."""
        found: Counter[SpanTarget] = Counter()
        for number in self.rows:
            begin, until = self._range(number)
            at = 0
            for span in self.sheet.rows[number].spans:
                after = at + len(span.text)
                if isinstance(span.thing, Link):
                    found[span.thing] += max(0, min(after, until) - max(at, begin))
                at = after
        lengths = self.sheet.lengths if found else {}
        return {link for link, size in found.items() if size == lengths[link]}

    def _piece(self, row: Row, piece: CopyUnit) -> None:
        front = "".join(
            span.thing.copy
            for span in row.spans[: row.fixed]
            if isinstance(span.thing, Decoration) and span.style != "rule"
        )
        # Further lines stand within the same quotes and under the same marks.
        further = "\n" + re.sub(r"[^> ]", " ", front)
        self.writer.add(front)
        self.writer.add(_source(piece).replace("\n", further))

    def _row(self, number: int, row: Row) -> None:
        begin, until = self._range(number)
        fresh = "\n" in row.glue or number == self.rows.start
        at = 0
        for span in row.spans:
            after = at + len(span.text)
            thing = span.thing
            if not ((at < until and begin < after) or (not span.text and begin <= at < until)):
                pass
            elif isinstance(thing, Source | ImageSlot):
                if thing not in self.seen:
                    self.seen.add(thing)
                    self.writer.add(thing.copy, _signs(span))
            elif isinstance(thing, Decoration):
                self.writer.add(thing.copy if fresh else "")
            elif span.style != FOLD:
                part = span.text[max(0, begin - at) : max(0, until - at)]
                self.writer.add(part, _signs(span, self.links))
            at = after


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


def _signs(span: Span, whole: Set[SpanTarget] | None = None) -> tuple[_Sign, ...]:
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

#: The sixteen colours of every terminal, so that its own theme decides what they are.
_CODES = {
    "bold": "1",
    "dim": "2",
    "italic": "3",
    "underline": "4",
    "reverse": "7",
    "strike": "9",
    "heading1": "1;36",
    "heading2": "1;36",
    "heading3": "1",
    "heading4": "1;3",
    "heading5": "3",
    "heading6": "2;3",
    "head": "1",
    "callout": "1;36",
    "code": "35",
    "codeblock": "",
    "link": "4",
    "missing": "2",
    "mark": "36",
    "chosen": "1;36",
    "right": "1;32",
    "wrong": "1;31",
    "quote": "2",
    "rule": "2",
    "picture": "2",
    "warning": "33",
    "edge": "2;7",
    "syntax-comment": "2",
    "syntax-keyword": "34",
    "syntax-string": "32",
    "syntax-number": "36",
    "syntax-name": "33",
    "syntax-builtin": "36",
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
        return _CODES.get(word, "")
    name = _ALIASES.get(name, name)
    base = 30 if kind == "color" else 40
    return str(base + _NAMED.index(name)) if name in _NAMED else ""
