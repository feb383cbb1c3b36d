"""Units of text to rows of a width, formulas on the baseline of their line."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TypeGuard

from tui.page.blocks import Align, Unit, Units
from tui.page.formula import Drawn, Formula
from tui.page.model import BLANK, Row, Span, cells, chop, pad

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
        if line and (space < 0 or used + space + unit.width > width or _is_broken(line[-1])):
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


def _broken(unit: Unit, width: int) -> list[tuple[list[_Part], int]]:
    """A unit too wide for a line, in lines: words cut anywhere, a formula at its relations."""
    lines: list[tuple[list[_Part], int]] = []
    line: list[_Part] = []
    used = 0
    for part in unit.parts:
        if isinstance(part, Formula):
            box = part.at(width - _tail(unit))
            whole = box is part.natural
            if line and (not whole or used + box.width > width):
                lines.append((line, used))
                line, used = [], 0
            line.append(box if whole else _on_last(box))
            used += box.width
            continue
        if line and _is_broken(line[-1]):
            line[-1], tail = _ended(line[-1], part, width)
            if not tail.text:
                continue
            lines.append((line, used))
            line, used, part = [], 0, tail
        for number, piece in enumerate(chop(part.text, max(0, width - used), width)):
            if number or (line and used + cells(piece) > width):
                lines.append((line, used))
                line, used = [], 0
            if piece:
                line.append(part._replace(text=piece))
                used += cells(piece)
    return [*lines, (line, used)]


class _Broken(Drawn):
    """A formula in several lines: the text beside it stands on the last of them."""

    __slots__ = ()


def _is_broken(part: _Part) -> TypeGuard[_Broken]:
    return isinstance(part, _Broken)


def _on_last(box: Drawn) -> _Broken:
    return _Broken(box.rows, box.width, len(box.rows) - 1)


def _ended(box: _Broken, tail: Span, width: int) -> tuple[_Broken, Span]:
    """The formula with the text right behind its last row, or that text where it does not fit."""
    *above, last = box.rows
    text = "".join(span.text for span in last)
    bare = text.rstrip(" ")
    room = width - cells(bare)
    if cells(tail.text) > room:
        return box, tail
    spans, left = [], len(bare)
    for span in last:
        spans.append(span._replace(text=span.text[: max(0, left)]))
        left -= len(span.text)
    whole = max(box.width, cells(bare) + cells(tail.text))
    more = whole - box.width
    row = (*spans, tail, *[pad(whole - cells(bare) - cells(tail.text))])
    rows = [(*each, pad(more)) if more else each for each in above]
    return _Broken((*rows, row), whole, box.baseline), tail._replace(text="")


def _tail(unit: Unit) -> int:
    """Cells of the punctuation behind a formula at the end of a unit."""
    last = unit.parts[-1]
    size = cells(last.text) if isinstance(last, Span) and len(unit.parts) > 1 else 0
    return size if size < 4 else 0


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


def aligned(row: Row, width: int, align: Align) -> Row:
    """The row filled up to `width` cells."""
    free = width - row.width
    if free <= 0:
        return row
    left = {"left": 0, "right": free, "center": free // 2}[align]
    spans = [pad(left)] * (left > 0) + [*row.spans] + [pad(free - left)] * (free > left)
    return row._replace(spans=tuple(spans), width=width)


def prefixed(rows: list[Row], first: Span, rest: Span) -> list[Row]:
    """Rows behind a mark; `first` stands on the first line of text, `rest` on the others."""
    size = cells(first.text)
    if not size:
        return rows
    mark_at = 0 if not rows else max(0, rows[0].rise)
    return [
        row._replace(
            spans=(first if number == mark_at else rest, *row.spans),
            width=row.width + size,
            fixed=row.fixed + 1,
        )
        for number, row in enumerate(rows or [BLANK])
    ]
