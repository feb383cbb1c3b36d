"""A formula to a box: lines, tags, the width."""

from __future__ import annotations

from collections.abc import Sequence

from cards.math.box import Box
from cards.math.drawing import (  # noqa: F401  (each registers what it draws)
    accents,
    arrows,
    environments,
    fractions,
    frames,
    integrals,
    plain,
    roots,
    scripts,
    sides,
    sized,
    texts,
)
from cards.math.drawing.boxes import EMPTY, hcat, vcat
from cards.math.drawing.environments import EQUATIONS, around, draw_environment
from cards.math.drawing.rows import draw_row, set_line
from cards.math.drawing.setting import LINE, SETTINGS, Mode, Setting, alone_of
from cards.math.drawing.wrap import wrapped
from cards.math.environment import Environment
from cards.math.formula import Formula
from cards.math.tree import Break, Node, Row, Space, Styled, Symbol, Tag

_TAG_GAP = 4


def layout_formula(formula: Formula, mode: Mode = "display", width: int | None = None) -> Box:
    """The formula drawn; `width` in cells is where lines are broken if they can be."""
    setting = SETTINGS[mode]
    if mode == "line":
        box = draw_row(formula.body, setting)
    else:
        box = _lines(formula.body, setting, width)
    return Box(box.rows, box.width, box.baseline, box.marks, formula.source)


def _lines(body: Row, setting: Setting, width: int | None) -> Box:
    lines, tags = split_lines(body.items)
    tag = _tag(tags)
    room = width - tag.width - _TAG_GAP if width is not None and tag.width else width
    boxes = [_line(Row(tuple(items), body.span), setting, room) for items in lines]
    box = boxes[0] if len(boxes) == 1 else vcat(boxes, 0, "l")
    if not tag.width:
        return box
    return hcat((box, tag), around(box.width, tag.width, width))


def _line(row: Row, setting: Setting, width: int | None) -> Box:
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
    if first.left or first.right or not all(map(_is_stop, stops)):
        return row
    *before, last = first.rows
    cell = Row((*last[-1].items, *stops), last[-1].span)
    return Row((first._replace(rows=(*before, (*last[:-1], cell))),), row.span)


def _is_stop(node: Node) -> bool:
    return isinstance(node, Symbol) and node.char in (".", ",", ";")


def _tag(tags: Sequence[Tag]) -> Box:
    boxes = [draw_row(tag.body, LINE) for tag in tags]
    return hcat(boxes, [0] + [1] * (len(boxes) - 1)) if boxes else EMPTY


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
