r"""Commutative diagrams: the CD environment of amscd, with @>>>, @VVV, @=, @| and their labels.

Rows of objects and rows of upright arrows take turns.  A lying arrow is a cell between two objects
and an upright one stands in its object's column, so that the columns of all rows agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cards.math.reading.arguments import until
from cards.math.reading.tokens import END
from cards.math.tree import Arrow, Row

if TYPE_CHECKING:
    from cards.math.reading.core import Parser
    from cards.math.reading.tables import Table

_LABELLED = {">": "→", "<": "←", "V": "↓", "A": "↑", "(": "←", ")": "→"}
_PLAIN = {"=": "=", "|": "‖", ".": "", "\\vert": "‖", "\\Vert": "‖", "\\|": "‖"}
_ENDS = frozenset({"\\\\", "\\cr", "\\end", "@", END})


def diagram(parser: Parser) -> Table:
    from cards.math.reading.tables import Table

    rows: list[tuple[Row, ...]] = []
    while True:
        rows.append(_row(parser))
        if parser.tokens[parser.i] not in ("\\\\", "\\cr"):
            break
        parser.i += 1
    if rows and not any(cell.items for cell in rows[-1]):
        rows.pop()
    return Table(tuple(rows))


def _row(parser: Parser) -> tuple[Row, ...]:
    """Objects with arrows between them; or, where there are no objects, arrows with gaps."""
    objects: list[Row] = []
    arrows: list[Row] = []
    while True:
        objects.append(until(parser, _object_end(parser), "env"))
        if parser.tokens[parser.i] != "@":
            break
        arrow = _arrow(parser)
        arrows.append(Row((arrow,), arrow.span))
    if arrows and not any(place.items for place in objects):
        objects = objects[1:]
        return tuple(cell for pair in zip(arrows, objects, strict=True) for cell in pair)[:-1]
    cells = [cell for pair in zip(objects, arrows, strict=False) for cell in pair]
    return (*cells, objects[-1])


def _object_end(parser: Parser) -> int:
    """The token at which the object here ends: an @, the row's end or the diagram's."""
    level = 0
    i = parser.i
    while True:
        token = parser.tokens[i]
        if token == END or (level == 0 and token in _ENDS):
            return i
        level += {"{": 1, "\\begin": 1, "}": -1, "\\end": -1}.get(token, 0)
        if level < 0:
            return i
        i += 1


def _arrow(parser: Parser) -> Arrow:
    """Reads an @ and its arrow with its two labels."""
    start = parser.starts[parser.i]
    parser.i += 1
    sign = parser.peek()
    if sign in _PLAIN:
        parser.i += 1
        return Arrow(_PLAIN[sign], None, None, parser.since(start))
    char = _LABELLED.get(sign)
    if char is None:
        parser.problem(
            "This @ begins no arrow.",
            "Write @>>>, @<<<, @VVV, @AAA, @=, @| or @. for none.",
            (start, start + 1),
        )
        return Arrow("", None, None, parser.since(start))
    parser.i += 1
    first = _label(parser, sign)
    second = _label(parser, sign)
    return Arrow(char, first, second, parser.since(start))


def _label(parser: Parser, sign: str) -> Row | None:
    """A label, up to the next `sign`."""
    level = 0
    for i in range(parser.i, len(parser.tokens)):
        token = parser.tokens[i]
        if token == END or (level == 0 and token in ("\\\\", "\\cr", "\\end")):
            break
        level += {"{": 1, "}": -1}.get(token, 0)
        if level == 0 and token == sign:
            label = until(parser, i, "[")
            parser.i += 1
            return label if label.items else None
    parser.problem(
        f"The arrow @{sign} lacks a second or third {sign}.",
        f"Write it as @{sign}label{sign}label{sign}; either label may be missing.",
        parser.here(),
    )
    return None
