"""Breaking a formula to a width: before relations, then before operators, then after commas.

At depth 0, where a reader expects it; within brackets only where nothing outside them will do.
What has no place to break stays as wide as it is.
"""

from __future__ import annotations

from cards.math.box import Box
from cards.math.drawing.boxes import hcat, pad, vcat
from cards.math.drawing.delimiters import stretched
from cards.math.drawing.parts import Line, Part
from cards.math.drawing.rows import set_line
from cards.math.drawing.setting import Setting
from cards.math.tree import Delimited

#: A line that would be filled less than this is broken at an operator rather than a relation.
_LEAST_FILLED = 0.4
#: The right-hand side starts no further right than this share of the width, or lines are short.
_DEEPEST_INDENT = 0.5
_INDENT = 4
#: How good a break is, the best first; within brackets it is _PUNCT and the depth.
_RELATION, _OPERATOR, _PUNCT = 1, 2, 3


def wrapped(line: Line, width: int | None, setting: Setting) -> Box:
    """The parts of a row on as many lines as the width asks for; the baseline is the first's."""
    boxes = [part.box for part in line.parts]
    if width is None or sum(box.width for box in boxes) + sum(line.gaps) <= width:
        return hcat(boxes, line.gaps)
    line = _opened(line, setting)
    boxes = [part.box for part in line.parts]
    breaks = _breaks(line)
    at_relation, at_operator = _indents(line, width)
    lines: list[Box] = []
    start = 0
    while start < len(boxes):
        indent = 0
        if start:
            indent = at_relation if breaks[start] == _RELATION else at_operator
        end = _end(line, breaks, start, width - indent)
        gaps = [0 if start else line.gaps[0], *line.gaps[start + 1 : end]]
        lines.append(pad(hcat(boxes[start:end], gaps), indent))
        start = end
    return vcat(lines, 0, "l")


def _opened(line: Line, setting: Setting) -> Line:
    r"""The line with what is within \left( \right) on one row among its parts."""
    parts: list[Part] = []
    gaps: list[int] = []
    for part, gap in zip(line.parts, line.gaps, strict=True):
        node = part.node
        if isinstance(node, Delimited) and len(part.box.rows) == 1 == len(node.parts):
            inner = set_line(node.parts[0], setting)
            parts.append(Part(stretched(node.left, 0, 0), "open", None))
            parts += inner.parts
            parts.append(Part(stretched(node.right, 0, 0), "close", None))
            gaps += [gap, *inner.gaps, 0]
        else:
            parts.append(part)
            gaps.append(gap)
    return Line(parts, gaps)


def _breaks(line: Line) -> list[int]:
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


def _end(line: Line, breaks: list[int], start: int, width: int) -> int:
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
