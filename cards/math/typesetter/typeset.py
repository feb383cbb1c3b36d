"""`typeset` and `layout`: LaTeX in, plain rows or a box out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter

from cards.math.latex.parse import parse
from cards.math.tree import (
    Break,
    Environment,
    Formula,
    Macro,
    Node,
    Row,
    Space,
    Styled,
    Symbol,
    Tag,
)
from cards.math.typesetter import accents, fractions, scripts  # noqa: F401  (they register)
from cards.math.typesetter.box import EMPTY, TAG_GAP, Box, around, hcat, vcat
from cards.math.typesetter.environments import EQUATIONS, draw_environment
from cards.math.typesetter.rows import (
    DISPLAY,
    INLINE,
    LINE,
    SETTINGS,
    Mode,
    RowStyle,
    alone_of,
    draw_row,
    set_line,
)
from cards.math.typesetter.wrap import wrapped

#: What stands in several rows after all where one is too wide: matrices, then all.
_NARROWER = (INLINE._replace(places=1), DISPLAY)
_width = attrgetter("width")


def layout(
    tex: str,
    display: bool = True,
    width: int | None = None,
    macros: Mapping[str, str | Macro] | None = None,
    mode: Mode | None = None,
) -> Box:
    r"""`tex` drawn: every row exactly `width` cells of the box, marks for what is styled.

    display: as an equation of its own; else as within a line of text.  `mode` says it in full:
        "display", "line" (everything on one row: a/b, √(x), [a, b; c, d]) or "inline" (as "line"
        but for large matrices, and broken to the width).
    width: where lines are broken if they can be; what cannot be broken stays wider.
    macros: the user's own, name to body, as `parse` takes them.

    Never raises: what cannot be read is drawn as far as it can, and `parse` says what it was.
    """
    formula = parse(tex, macros)
    return layout_formula(formula, mode or ("display" if display else "inline"), width)


def typeset(
    tex: str,
    display: bool = True,
    width: int | None = None,
    macros: Mapping[str, str | Macro] | None = None,
    mode: Mode | None = None,
) -> str:
    """`layout(...)` as text: its rows joined by newlines, without blanks at their ends."""
    return "\n".join(row.rstrip(" ") for row in layout(tex, display, width, macros, mode).rows)


def layout_formula(formula: Formula, mode: Mode = "display", width: int | None = None) -> Box:
    """The formula drawn; `width` in cells is where lines are broken if they can be."""
    setting = SETTINGS[mode]
    if mode == "line":
        box = draw_row(formula.body, setting)
    else:
        box = _lines(formula.body, setting, width)
        if mode == "inline" and width is not None:
            for narrower in _NARROWER:
                if box.width > width:
                    box = min(box, _lines(formula.body, narrower, width), key=_width)
    return Box(box.rows, box.width, box.baseline, box.marks, formula.source)


def _lines(body: Row, setting: RowStyle, width: int | None) -> Box:
    lines, tags = split_lines(body.items)
    numbers = [draw_row(tag.body, LINE) for tag in tags]
    tag = hcat(numbers, [0] + [1] * (len(numbers) - 1)) if numbers else EMPTY
    room = width - tag.width - TAG_GAP if width is not None and tag.width else width
    boxes = [_line(Row(tuple(items), body.span), setting, room) for items in lines]
    box = boxes[0] if len(boxes) == 1 else vcat(boxes, 0, "l")
    if not tag.width:
        return box
    return hcat((box, tag), around(box.width, tag.width, width))


def _line(row: Row, setting: RowStyle, width: int | None) -> Box:
    if not row.items:
        return EMPTY
    row = _closed(row)
    if len(row.items) == 1:
        setting = alone_of(setting, isinstance(row.items[0], Environment))
    if width is None:
        return draw_row(row, setting)
    if setting.alone and isinstance(row.items[0], Environment):
        return draw_environment(row.items[0], setting, width)
    return wrapped(set_line(row, setting), width, setting)


def _closed(row: Row) -> Row:
    """Equations with the stop after them at their last row, not beside all of them."""
    first, *rest = row.items
    if not (rest and isinstance(first, Environment) and first.name in EQUATIONS and first.rows):
        return row
    stops = [item for item in rest if not isinstance(item, Space)]
    are_stops = all(isinstance(each, Symbol) and each.char in (".", ",", ";") for each in stops)
    if first.left or first.right or not are_stops:
        return row
    *before, last = first.rows
    cell = Row((*last[-1].items, *stops), last[-1].span)
    return Row((first._replace(rows=(*before, (*last[:-1], cell))),), row.span)


def split_lines(items: Sequence[Node]) -> tuple[list[list[Node]], list[Tag]]:
    r"""The lines between `\\`, and the tags; styles that reach over a break are put on each."""
    lines: list[list[Node]] = [[]]
    tags: list[Tag] = []
    for item in items:
        if isinstance(item, Break):
            lines.append([])
        elif isinstance(item, Tag):
            tags.append(item)
        elif isinstance(item, Styled):
            inner, more = split_lines(item.body.items)
            tags += more
            for index, part in enumerate(inner):
                if index:
                    lines.append([])
                if part:
                    lines[-1].append(item._replace(body=Row(tuple(part), item.span)))
        else:
            lines[-1].append(item)
    return lines, tags
