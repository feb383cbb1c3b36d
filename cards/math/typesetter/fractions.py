"""Fractions and roots, on several rows or on one with the brackets they need."""

from __future__ import annotations

from collections.abc import Sequence

from cards.math.tree import (
    Accent,
    Arrow,
    Brace,
    Classed,
    Delimited,
    Environment,
    Fraction,
    Node,
    Operator,
    Root,
    Row,
    Scripts,
    Space,
    Stack,
    Styled,
    Symbol,
    Text,
    Unknown,
)
from cards.math.typesetter.box import (
    Box,
    blank,
    bracketed,
    extent,
    fenced,
    hcat,
    lowered,
    pad,
    raised,
    text_box,
    vcat,
    with_baseline,
)
from cards.math.typesetter.rows import (
    RowStyle,
    core,
    draw_row,
    draw_script,
    draws,
    glyph,
    inner_of,
    is_word,
    style_of,
)

_RULE = "─"


@draws(Fraction)
def _fraction(node: Fraction, setting: RowStyle) -> Box:
    if node.style and not setting.script:
        setting = style_of(setting, node.style)
    inner = inner_of(setting)
    above, below = draw_row(node.above, inner), draw_row(node.below, inner)
    if not node.rule:
        return _unruled(node, above, below, setting)
    stacked = setting.stack and node.style != "text"
    if stacked or len(above.rows) > 1 or len(below.rows) > 1:
        return fenced(node.left, _ruled(above, below), node.right)
    above = above if _is_product(node.above) else bracketed(above)
    below = below if _is_factor(node.below) else bracketed(below)
    return fenced(node.left, hcat((above, glyph("/", ""), below)), node.right)


def _ruled(above: Box, below: Box) -> Box:
    width = max(above.width, below.width, 1)
    # A fraction in a fraction: the outer rule is the longer one.
    rule = _RULE * width
    if rule in above.rows or rule in below.rows:
        width += 2
    return vcat((above, Box((_RULE * width,), width, 0), below), 1)


def _unruled(node: Fraction, above: Box, below: Box, setting: RowStyle) -> Box:
    r"""\binom, \atop: two rows, (ⁿₖ) on one; in display style with the axis between them."""
    left, right = node.left, node.right
    if setting.flat:
        words = all(is_word(box.rows[0]) for box in (above, below))
        high, low = (raised(above), lowered(below)) if left and words else (None, None)
        left, right = left or "(", right or ")"
        body = hcat((high, low) if high and low else (above, text_box("; "), below))
    elif setting.stack:
        body = vcat((above, blank(0), below), 1)
    else:
        body = vcat((above, below), 0)
        body = with_baseline(body, (len(body.rows) - 1) // 2)
    return fenced(left, body, right)


# What may stand beside the slash without brackets.  `1/2σ²` can be read in two ways, so it is
# `1/(2σ²)`; `1/2`, `∂f/∂x`, `p(x)/q(x)`, `1/|x|` and `ab/c` can be read in one

#: Letters that are functions where a bracket follows.
_FUNCTIONS = frozenset("fghpqFGHPQΓφψΦΨ")
_OPENING = frozenset("([{⟨⌈⌊|‖")
_CLOSING = frozenset(")]}⟩⌉⌋|‖")


def _is_product(row: Row) -> bool:
    """Whether a row may stand before a slash as it is: factors side by side, or -1."""
    items = _flat(row)
    if len(items) == 1:
        return _is_whole(items[0])
    if items and isinstance(items[0], Symbol) and items[0].kind == "bin":
        items = items[1:]
    depth = 0
    for item in items:
        head = _base(item)
        kind = head.kind if isinstance(head, Symbol) else "ord"
        depth -= kind == "close"
        if depth <= 0 and not _is_plain(item):
            return False
        depth += kind == "open"
    return bool(items)


def _is_factor(row: Row) -> bool:
    """Whether a row may stand after a slash as it is: one thing."""
    items = _flat(row)
    if len(items) == 1:
        return _is_whole(items[0])
    if len(items) > 1 and isinstance(items[-1], Symbol) and items[-1].char == "!":
        return _is_single(items[:-1])
    if _is_single(items):
        return True
    head = _base(items[0]) if items else None
    if isinstance(head, Symbol) and head.char in "∂dⅆ" and len(items) == 2:
        return _is_plain(items[1])
    if isinstance(head, Operator) and not head.large:
        return _is_single(items[1:]) and _is_whole(items[-1])
    return False


def _is_single(items: Sequence[Node]) -> bool:
    """One atom, a number, something in brackets, or a function of that."""
    if len(items) == 1:
        return _is_whole(items[0])
    if all(
        isinstance(each, Symbol) and (each.char.isdigit() or each.char == ".") for each in items
    ):
        return bool(items)
    first, second = items[:2]
    if isinstance(first, Symbol) and first.char in _OPENING:
        return _closes_last(items)
    head = _base(first)
    if not (isinstance(head, Symbol) and head.char in _FUNCTIONS):
        return False
    if len(items) == 2 and isinstance(second, Delimited):
        return not any(_has_sum(part.items) for part in second.parts)
    opens = isinstance(second, Symbol) and second.char in _OPENING and second.char != "|"
    return opens and _closes_last(items[1:]) and not _has_sum(items)


def _has_sum(items: Sequence[Node]) -> bool:
    return any(isinstance(item, Symbol) and item.kind == "bin" for item in items)


def _closes_last(items: Sequence[Node]) -> bool:
    """Whether the bracket that `items` begin with is closed by their last one."""
    depth = 0
    for index, item in enumerate(items):
        head = _base(item)
        if not isinstance(head, Symbol):
            continue
        if head.char in "|‖" and 0 < index < len(items) - 1 and isinstance(items[0], Symbol):
            if items[0].char == head.char:
                return False
            continue
        if head.char in _OPENING and (index == 0 or head.char not in "|‖"):
            depth += 1
        elif head.char in _CLOSING:
            depth -= 1
        if depth == 0:
            return index == len(items) - 1
    return False


def _flat(row: Row) -> list[Node]:
    """The atoms of a row: without spaces, styles opened."""
    items: list[Node] = []
    for item in row.items:
        if isinstance(item, Styled):
            items += _flat(item.body)
        elif isinstance(item, Row) and len(row.items) == 1:
            items += _flat(item)
        elif not isinstance(item, Space):
            items.append(item)
    return items


def _base(node: Node | None) -> Node | None:
    while isinstance(node, Scripts):
        node = node.base
    return node


def _is_plain(node: Node) -> bool:
    """Whether a node among factors is one that neither adds nor reaches beyond itself."""
    if isinstance(node, Scripts) and isinstance(core(node.base), Fraction):
        return True  # it stands in brackets
    match base := _base(node):
        case Symbol():
            return base.kind in ("ord", "open", "close") and base.char != "/"
        case Row():
            return all(map(_is_plain, base.items))
        case Operator() | Fraction() | Text() | Stack() | Classed():
            return False
    return not isinstance(base, Arrow | Unknown | Environment | Brace)


def _is_whole(node: Node) -> bool:
    """Whether a node that stands alone is one thing to the eye."""
    if isinstance(node, Scripts) and isinstance(core(node.base), Fraction):
        return True  # it stands in brackets
    match base := _base(node):
        case Symbol():
            return base.char != "/"
        case Operator() | Unknown():
            return True
        case Text():
            return all(isinstance(part, str) and part.strip().isalnum() for part in base.parts)
        case Fraction() | Environment():
            return bool(base.left and base.right)
        case Row():
            return base is node and _is_single(_flat(base))
    return not isinstance(base, Stack | Classed | Arrow | Brace)


# Roots: √x for one atom, a roof over more, brackets where everything is on one line

#: Underscores: they touch the stroke below them, and the radicand.
_ROOF = "_"


@draws(Root)
def _root(node: Root, setting: RowStyle) -> Box:
    body = draw_row(node.body, inner_of(setting))
    index = draw_script(node.degree, setting)
    small = raised(index) if index is not None else None
    plain = len(body.rows) == 1 and (index is None or small is not None)
    atom = plain and _is_atom(node.body)
    flat = setting.flat and len(body.rows) == 1
    if not (atom or flat or (plain and not setting.stack)):
        return _roofed(body, index)
    sign = text_box("√")
    body = body if atom else bracketed(body)
    if index is None:
        return hcat((sign, body))
    if small is None:  # before the sign a letter would read as a factor
        return hcat((sign, text_box("["), index, text_box("]"), body))
    return hcat((small, sign, body))


def _is_atom(row: Row) -> bool:
    """One number, or one letter with an accent or an index or without; the caller sees to it that
    it is on one row."""
    items = row.items
    while len(items) == 1 and isinstance(items[0], Row | Styled):
        inner = items[0]
        items = inner.body.items if isinstance(inner, Styled) else inner.items
    if len(items) != 1:
        numbers = [isinstance(item, Symbol) and item.char.isdigit() for item in items]
        return bool(numbers) and all(numbers)
    node = core(items[0])
    if isinstance(node, Scripts) and node.sup is None:
        node = core(node.base)
    if isinstance(node, Accent):
        node = core(node.base)
    return isinstance(node, Symbol) and node.kind == "ord"


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
    # The index stands in the crook: over the short stroke, or beside the long one.
    left = 1 if height > 1 and index.width == 1 else 0
    beside = pad(index, left, above=max(0, height - len(index.rows)), below=1)
    beside = with_baseline(beside, whole.baseline + len(beside.rows) - len(whole.rows))
    return _overlaid(beside, whole, min(2, beside.width))


def _overlaid(left: Box, right: Box, overlap: int) -> Box:
    """`left` and `right` sharing `overlap` columns, beside one another where both have something
    in them."""
    above, below = extent((left, right))
    left, right = (
        pad(box, above=above - box.baseline, below=below + box.baseline + 1 - len(box.rows))
        for box in (left, right)
    )
    rows = []
    for a, b in zip(left.rows, right.rows, strict=True):
        head, tail = a[: len(a) - overlap], a[len(a) - overlap :]
        if tail.strip() and b[:overlap].strip():
            return hcat((left, right))
        rows.append(head + (tail if tail.strip() else b[:overlap]) + b[overlap:])
    shifted = hcat((blank(left.width - overlap), right))
    return Box(tuple(rows), shifted.width, above, left.marks + shifted.marks)
