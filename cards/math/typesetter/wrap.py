"""Breaking a formula to a width: before relations, then before operators, then after commas.

At depth 0, where a reader expects it; within brackets only where nothing outside them will do.
What has no place to break stays as wide as it is."""

from __future__ import annotations

from cards.math.tree import Delimited, Scripts
from cards.math.typesetter.box import Box, hcat, marked, pad, reach, stretched, vcat
from cards.math.typesetter.rows import Part, PlacedRow, RowStyle, holds_grid, middle_gap, set_line
from cards.math.typesetter.scripts import attach, drawn_pair

#: A line that would be filled less than this is broken at an operator rather than a relation.
_LEAST_FILLED = 0.4
#: The right-hand side starts no further right than this share of the width, or lines are short.
_DEEPEST_INDENT = 0.5
_INDENT = 4
#: Indents for a narrow place.
_SMALLER = ((_INDENT, _INDENT), (2, 2))
#: How good a break is, the best first; within brackets it is _PUNCT and the depth.
_RELATION, _OPERATOR, _PUNCT = 1, 2, 3


def wrapped(line: PlacedRow, width: int | None, setting: RowStyle) -> Box:
    """The parts of a row on as many lines as the width asks for; the baseline is the first's."""
    boxes = [part.box for part in line.parts]
    if width is None or not boxes or sum(box.width for box in boxes) + sum(line.gaps) <= width:
        return hcat(boxes, line.gaps)
    line = _opened(line, setting)
    breaks = _breaks(line)
    tried: list[Box] = []
    for indents in _indents(line, width):
        tried.append(_lines(line, breaks, indents, width))
        if tried[-1].width <= width:
            return tried[-1]
    return min(tried, key=lambda box: box.width)


def _lines(line: PlacedRow, breaks: list[int], indents: tuple[int, int], width: int) -> Box:
    """The line broken, with the columns of lines that start with a relation, and of others."""
    boxes = [part.box for part in line.parts]
    lines: list[Box] = []
    start = 0
    while start < len(boxes):
        indent = indents[breaks[start] != _RELATION] if start else 0
        end = _end(line, breaks, start, width - indent)
        gaps = [0 if start else line.gaps[0], *line.gaps[start + 1 : end]]
        lines.append(pad(hcat(boxes[start:end], gaps), indent))
        start = end
    return vcat(lines, 0, "l")


def _opened(line: PlacedRow, setting: RowStyle) -> PlacedRow:
    r"""The line with what is within \left( \right) among its parts; the delimiters stay as high
    as they are for all of it, wherever they come to stand."""
    parts: list[Part] = []
    gaps: list[int] = []
    for part, gap in zip(line.parts, line.gaps, strict=True):
        node = part.node.base if isinstance(part.node, Scripts) else part.node
        if isinstance(node, Delimited) and node.parts and not holds_grid(node.parts):
            inner = _inside(node, part, setting)
            parts += inner.parts
            gaps += [gap, *inner.gaps[1:]]
        else:
            parts.append(part)
            gaps.append(gap)
    return PlacedRow(parts, gaps)


def _inside(node: Delimited, part: Part, setting: RowStyle) -> PlacedRow:
    """What a delimited part is made of: its delimiters, and the parts between them."""
    lines = [set_line(row, setting) for row in node.parts]
    boxes = [hcat([each.box for each in line.parts], line.gaps) for line in lines if line.parts]
    above, below = reach((node.left, *node.middles, node.right), boxes)
    parts: list[Part] = []
    gaps: list[int] = []
    for index, line in enumerate(lines):
        sign = node.middles[index - 1] if index else node.left
        around = middle_gap(sign, setting) if index else 0
        parts.append(Part(stretched(sign, above, below), "ord" if index else "open", None))
        inner = _opened(line, setting)
        parts += inner.parts
        gaps += [around, *[around, *inner.gaps[1:]][: len(inner.parts)]]
    closing = stretched(node.right, above, below)
    if isinstance(part.node, Scripts):
        closing = attach(closing, drawn_pair(part.node, setting), setting)
    parts.append(Part(closing, "close", None))
    for mark in part.box.marks:
        if (mark.row, mark.start, mark.end) == (0, 0, part.box.width):  # from around all of it
            parts = [each._replace(box=marked(each.box, mark.style)) for each in parts]
    return PlacedRow(parts, [*gaps, 0])


def _breaks(line: PlacedRow) -> list[int]:
    """For each part, how good a break before it is; 0 for none."""
    breaks: list[int] = []
    depth = 0
    before = ""
    for part in line.parts:
        kind = part.kind
        depth -= kind == "close" and depth > 0
        how = 0
        if kind == "rel" and before not in ("", "rel"):
            how = _RELATION
        elif kind == "bin" and before:
            how = _OPERATOR
        elif before == "punct":
            how = _PUNCT
        breaks.append(_PUNCT + depth if how and depth else how)
        depth += kind == "open"
        before = kind
    return breaks


def _indents(line: PlacedRow, width: int) -> list[tuple[int, int]]:
    """The columns of lines that start with a relation, and of other lines: as one would have
    them, and what remains where that leaves too little room."""
    column = depth = 0
    for part, gap in zip(line.parts, line.gaps, strict=True):
        column += gap
        depth += (part.kind == "open") - (part.kind == "close")
        if part.kind == "rel" and depth <= 0:
            inside = column + part.box.width + 1
            if inside > width * _DEEPEST_INDENT:
                return [(_INDENT, 2 * _INDENT), *_SMALLER]
            return [(column, inside), *_SMALLER]
        column += part.box.width
    return [(_INDENT, _INDENT), *_SMALLER]


def _end(line: PlacedRow, breaks: list[int], start: int, width: int) -> int:
    """The part before which the line that begins at `start` is broken."""
    best: dict[int, int] = {}
    filled = 0
    for index in range(start, len(line.parts)):
        how = breaks[index] if index > start else 0
        if how and filled > width and not best:
            return index
        if how and filled <= width and (how != _RELATION or filled >= _LEAST_FILLED * width):
            best[how] = index
        filled += line.parts[index].box.width + (line.gaps[index] if index > start else 0)
        if filled > width and best:
            return best[min(best)]
    return len(line.parts)
