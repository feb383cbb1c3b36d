"""Roots: √x for one atom, a roof over more, brackets where everything is on one line."""

from __future__ import annotations

from cards.math.box import Box
from cards.math.drawing.boxes import blank, hcat, pad, text_box, vcat
from cards.math.drawing.kinds import core
from cards.math.drawing.ratios import bracketed
from cards.math.drawing.rows import draw_row, draws
from cards.math.drawing.script_letters import raised
from cards.math.drawing.setting import Setting, inner_of, script_of
from cards.math.tree import Accent, Node, Root, Row, Scripts, Styled, Symbol

#: Underscores: they touch the stroke below them, and the radicand.
_ROOF = "_"


@draws(Root)
def _root(node: Root, setting: Setting) -> Box:
    body = draw_row(node.body, inner_of(setting))
    index = draw_row(node.degree, script_of(setting)) if node.degree is not None else None
    small = raised(index) if index is not None else None
    plain = len(body.rows) == 1 and (index is None or small is not None)
    if plain and _is_atom(node.body):
        sign = text_box("√")
        return hcat((small, sign, body)) if small is not None else hcat((sign, body))
    if setting.flat or (plain and not setting.stack):
        sign = text_box("√")
        if small is None and index is not None:
            # Before the sign a letter would read as a factor.
            return hcat((sign, text_box("["), index, text_box("]"), bracketed(body)))
        return hcat((*((small,) if small else ()), sign, bracketed(body)))
    return _roofed(body, index)


def _is_atom(row: Row) -> bool:
    """One letter or one number; the caller sees to it that it is on one row."""
    items = row.items
    while len(items) == 1 and isinstance(items[0], Row | Styled):
        inner = items[0]
        items = inner.body.items if isinstance(inner, Styled) else inner.items
    if len(items) == 1:
        return _is_letter(items[0])
    symbols = [item for item in items if isinstance(item, Symbol)]
    if len(symbols) != len(items) or not items:
        return False
    return all(s.char.isdigit() for s in symbols)


def _is_letter(node: Node) -> bool:
    """A letter, with an accent or an index or without."""
    inner = core(node)
    if isinstance(inner, Scripts) and inner.sup is None:
        inner = core(inner.base)
    if isinstance(inner, Accent):
        inner = core(inner.base)
    return isinstance(inner, Symbol) and inner.kind == "ord"


def _roofed(body: Box, index: Box | None) -> Box:
    """A stroke up along the radicand, and a roof over it that the stroke runs into."""
    height = len(body.rows)
    stroke = [" " * (height - row) + "╱" + " " * row for row in range(height)]
    stroke[-1] = "╲" + stroke[-1][1:]
    sign = Box(tuple(stroke), height + 1, body.baseline)
    roof = Box((_ROOF * body.width,), body.width, 0)
    whole = hcat((sign, vcat((roof, body), 1)))
    if index is None:
        return whole
    # The index stands in the crook, over the short stroke.
    # Over the short stroke, or beside the long one.
    left = 1 if height > 1 and index.width == 1 else 0
    beside = pad(index, left, above=max(0, height - len(index.rows)), below=1)
    baseline = whole.baseline + len(beside.rows) - len(whole.rows)
    beside = Box(beside.rows, beside.width, baseline, beside.marks)
    return _overlay(beside, whole, min(2, beside.width))


def _overlay(left: Box, right: Box, overlap: int) -> Box:
    """`left` and `right` sharing `overlap` columns, in which `right` must be blank where
    `left` is not."""
    top = max(left.baseline, right.baseline)
    left = pad(left, above=top - left.baseline)
    right = pad(right, above=top - right.baseline)
    height = max(len(left.rows), len(right.rows))
    left = pad(left, below=height - len(left.rows))
    right = pad(right, below=height - len(right.rows))
    if any(
        a[len(a) - overlap :].strip() and b[:overlap].strip()
        for a, b in zip(left.rows, right.rows, strict=True)
    ):
        return hcat((left, right))
    return _merged(left, right, overlap)


def _merged(left: Box, right: Box, overlap: int) -> Box:
    shifted = hcat((blank(left.width - overlap), right))
    rows = []
    for a, b in zip(left.rows, right.rows, strict=True):
        head, tail = a[: len(a) - overlap], a[len(a) - overlap :]
        rows.append(head + (tail if tail.strip() else b[:overlap]) + b[overlap:])
    return Box(tuple(rows), shifted.width, shifted.baseline, left.marks + shifted.marks)
