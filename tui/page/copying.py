"""What a selection of a page puts on the clipboard: text as Markdown, formulas as their LaTeX."""

from __future__ import annotations

from typing import NamedTuple

from tui.page.model import FOLD, Deco, Painting, Row, Source, Span
from tui.page.sheet import Sheet


class Place(NamedTuple):
    """A row of a sheet, and a character of its text."""

    row: int
    at: int


def copied(sheet: Sheet, start: Place, end: Place) -> str:
    """The text from `start` up to `end`, which is not part of it."""
    first, last = _spine(sheet, start.row), _spine(sheet, end.row)
    if first == last:
        start, end = sorted((Place(first, start.at), Place(first, end.at)))
    seen: set[int] = set()
    text = ""
    for number in range(max(0, first), min(last + 1, len(sheet.rows))):
        row = sheet.rows[number]
        if row.rise:
            continue
        begin = start.at if number == first else 0
        until = end.at if number == last else len(row.text) + 1
        line = _line(row, begin, until, seen, fresh="\n" in row.glue or number == first)
        if number > first:
            text = text.rstrip(" ") + row.glue
        text += line
    return "\n".join(line.rstrip() for line in text.split("\n"))


def lit(sheet: Sheet, start: Place, end: Place, y: int) -> tuple[int, int] | None:
    """The characters of row `y` that a selection takes in; None where it takes none."""
    spine = _spine(sheet, y)
    first, last = _spine(sheet, start.row), _spine(sheet, end.row)
    if not first <= spine <= last:
        return None
    if first == last:
        start, end = sorted((Place(first, start.at), Place(first, end.at)))
    begin = start.at if spine == first else 0
    until = end.at if spine == last else len(sheet.rows[y].text)
    return _whole(sheet.rows[y], begin, until)


def _whole(row: Row, begin: int, until: int) -> tuple[int, int]:
    """The range widened to the whole of each formula that it touches."""
    low, high = begin, until
    at = 0
    for span in row.spans:
        after = at + len(span.text)
        if isinstance(span.thing, Source | Painting) and at < until and begin < after:
            low, high = min(low, at), max(high, after)
        at = after
    return low, high


def _spine(sheet: Sheet, y: int) -> int:
    y = max(0, min(y, len(sheet.rows) - 1))
    return y + sheet.rows[y].rise if sheet.rows else 0


def _line(row: Row, begin: int, until: int, seen: set[int], fresh: bool) -> str:
    text = ""
    at = 0
    for span in row.spans:
        after = at + len(span.text)
        if (at < until and begin < after) or (not span.text and begin <= at < until):
            text += _copy(span, begin - at, until - at, seen, fresh)
        at = after
    return text


def _copy(span: Span, begin: int, until: int, seen: set[int], fresh: bool) -> str:
    thing = span.thing
    if isinstance(thing, Source | Painting):
        if id(thing) in seen:
            return ""
        seen.add(id(thing))
        return thing.copy
    if span.style == FOLD:
        return ""
    if isinstance(thing, Deco):
        return thing.copy if fresh else ""
    return span.text[max(0, begin) : max(0, until)]
