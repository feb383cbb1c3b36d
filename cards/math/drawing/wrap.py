"""Breaking a formula to a width: before relations, then before operators, then after commas.

Only at depth 0, where a reader expects it; brackets on one row count as depth 0.  What has no
place to break stays as wide as it is.
"""

from __future__ import annotations

from cards.math.box import Box
from cards.math.drawing.boxes import hcat, pad, vcat
from cards.math.drawing.rows import Line

#: A line that would be filled less than this is broken at an operator rather than a relation.
_LEAST_FILLED = 0.4
#: The right-hand side starts no further right than this share of the width, or lines are short.
_DEEPEST_INDENT = 0.5
_INDENT = 4


def wrapped(line: Line, width: int | None) -> Box:
    """The parts of a row on as many lines as the width asks for; the baseline is the first's."""
    boxes = [part.box for part in line.parts]
    if width is None or sum(box.width for box in boxes) + sum(line.gaps) <= width:
        return hcat(boxes, line.gaps)
    at_relation, at_operator = _indents(line, width)
    lines: list[Box] = []
    start = 0
    while start < len(boxes):
        indent = 0
        if start:
            indent = at_relation if line.parts[start].kind == "rel" else at_operator
        end = _end(line, start, width - indent)
        gaps = [0, *line.gaps[start + 1 : end]]
        lines.append(pad(hcat(boxes[start:end], gaps), indent))
        start = end
    return vcat(lines, 0, "l")


def _indents(line: Line, width: int) -> tuple[int, int]:
    """The columns of lines that start with a relation, and of other lines."""
    column = 0
    for part, gap in zip(line.parts, line.gaps, strict=True):
        column += gap
        if part.kind == "rel":
            inside = column + part.box.width + 1
            if inside > width * _DEEPEST_INDENT:
                return _INDENT, 2 * _INDENT
            return column, inside
        column += part.box.width
    return _INDENT, _INDENT


def _end(line: Line, start: int, width: int) -> int:
    """The part before which the line that begins at `start` is broken."""
    best: dict[str, int] = {}
    filled = 0
    for index in range(start, len(line.parts)):
        kind = line.parts[index].kind
        if index > start:
            how = _break_before(line, index)
            if how and (filled <= width or not best):
                fits = filled <= width
                if fits or not best:
                    if how != "rel" or filled >= _LEAST_FILLED * width or not fits:
                        best[how] = index
                    if not fits:
                        return index
            filled += line.gaps[index]
        filled += line.parts[index].box.width
        if filled > width and best and kind != "space":
            return next(best[how] for how in ("rel", "bin", "punct") if how in best)
    return len(line.parts)


def _break_before(line: Line, index: int) -> str:
    kind, before = line.parts[index].kind, line.parts[index - 1].kind
    if kind == "rel" and before != "rel":
        return "rel"
    if kind == "bin":
        return "bin"
    return "punct" if before == "punct" else ""
