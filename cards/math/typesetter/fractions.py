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
from cards.math.typesetter.box import Box, blank, hcat, pad, raised, text_box, vcat
from cards.math.typesetter.rows import draw_row, draw_script, draws, fenced, glyph
from cards.math.typesetter.spacing import Setting, bracketed, core, inner_of, style_of

_RULE = "─"


@draws(Fraction)
def _fraction(node: Fraction, setting: Setting) -> Box:
    if node.style and not setting.script:
        setting = style_of(setting, node.style)
    inner = inner_of(setting)
    above, below = draw_row(node.above, inner), draw_row(node.below, inner)
    if not node.rule:
        return _unruled(node, above, below, setting)
    stacked = setting.stack and node.style != "text"
    if stacked or len(above.rows) > 1 or len(below.rows) > 1:
        return fenced(node.left, _ruled(above, below), node.right)
    slash = hcat(
        (
            above if _is_product(node.above) else bracketed(above),
            glyph("/", ""),
            below if _is_factor(node.below) else bracketed(below),
        )
    )
    return fenced(node.left, slash, node.right)


def _ruled(above: Box, below: Box) -> Box:
    width = max(above.width, below.width, 1)
    # A fraction in a fraction: the outer rule is the longer one.
    rule = _RULE * width
    if rule in above.rows or rule in below.rows:
        width += 2
    return vcat((above, Box((_RULE * width,), width, 0), below), 1)


def _unruled(node: Fraction, above: Box, below: Box, setting: Setting) -> Box:
    r"""\binom, \atop: two rows; in display style with the axis between them."""
    if setting.flat:
        body = hcat((above, text_box("; "), below))
        return fenced(node.left or "(", body, node.right or ")")
    if setting.stack:
        return fenced(node.left, vcat((above, blank(0), below), 1), node.right)
    stack = vcat((above, below), 0)
    middle = Box(stack.rows, stack.width, (len(stack.rows) - 1) // 2, stack.marks)
    return fenced(node.left, middle, node.right)


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
    if _is_sign(items[0] if items else None):
        items = items[1:]
    return bool(items) and all(_is_plain(item) for item in _outside_brackets(items))


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
        return _is_plain(items[1]) and not _is_text(items[1])
    if isinstance(head, Operator) and not head.large:
        return _is_single(items[1:]) and _is_whole(items[-1])
    return False


def _is_single(items: Sequence[Node]) -> bool:
    """One atom, a number, something in brackets, or a function of that."""
    if len(items) == 1:
        return _is_whole(items[0])
    if all(
        isinstance(item, Symbol) and (item.char.isdigit() or item.char == ".") for item in items
    ):
        return bool(items)
    if items and isinstance(items[0], Symbol) and items[0].char in _OPENING:
        return _closes_last(items)
    head = _base(items[0]) if items else None
    named = isinstance(head, Symbol) and head.char in _FUNCTIONS
    if not named or len(items) < 2:
        return False
    if len(items) == 2 and isinstance(items[1], Delimited):
        return not any(_has_sum(part.items) for part in items[1].parts)
    opens = isinstance(items[1], Symbol) and items[1].char in _OPENING and items[1].char != "|"
    return opens and _closes_last(items[1:]) and not _has_sum(items)


def _outside_brackets(items: Sequence[Node]) -> list[Node]:
    depth = 0
    outside: list[Node] = []
    for item in items:
        head = _base(item)
        kind = head.kind if isinstance(head, Symbol) else "ord"
        depth -= kind == "close"
        if depth <= 0:
            outside.append(item)
        depth += kind == "open"
    return outside


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


def _is_sign(node: Node | None) -> bool:
    return isinstance(node, Symbol) and node.kind == "bin"


def _is_text(node: Node) -> bool:
    return isinstance(_base(node), Text | Unknown)


def _is_bracketed(node: Node) -> bool:
    """A fraction with scripts stands in brackets."""
    return isinstance(node, Scripts) and isinstance(core(node.base), Fraction)


def _is_plain(node: Node) -> bool:
    """Whether a node among factors is one that neither adds nor reaches beyond itself."""
    if _is_bracketed(node):
        return True
    base = _base(node)
    if isinstance(base, Symbol):
        return base.kind in ("ord", "open", "close") and base.char != "/"
    unsafe = (Operator, Fraction, Text, Stack, Classed, Arrow, Unknown, Environment, Brace)
    if isinstance(base, Row):
        return all(_is_plain(item) for item in base.items)
    return not isinstance(base, unsafe)


def _is_whole(node: Node) -> bool:
    """Whether a node that stands alone is one thing to the eye."""
    if _is_bracketed(node):
        return True
    base = _base(node)
    if isinstance(base, Symbol):
        return base.char != "/"
    if isinstance(base, Operator | Unknown):
        return True
    if isinstance(base, Text):
        return all(isinstance(part, str) and part.strip().isalnum() for part in base.parts)
    if isinstance(base, Fraction):
        return bool(base.left and base.right)
    if isinstance(base, Environment):
        return bool(base.left and base.right)
    if isinstance(base, Row):
        return base is node and _is_single(_flat(base))
    return not isinstance(base, Stack | Classed | Arrow | Brace)


def _closes_last(items: Sequence[Node]) -> bool:
    """Whether the bracket that `items` begin with is closed by their last one."""
    depth = 0
    for index, item in enumerate(items):
        head = _base(item)
        if not isinstance(head, Symbol):
            continue
        if head.char in "|‖":
            if index and index < len(items) - 1 and isinstance(items[0], Symbol):
                if items[0].char == head.char:
                    return False
                continue
            depth += 1 if not index else -1
        elif head.char in _OPENING:
            depth += 1
        elif head.char in _CLOSING:
            depth -= 1
        if depth == 0:
            return index == len(items) - 1
    return False


def _has_sum(items: Sequence[Node]) -> bool:
    return any(isinstance(item, Symbol) and item.kind == "bin" for item in items)


# Roots: √x for one atom, a roof over more, brackets where everything is on one line

#: Underscores: they touch the stroke below them, and the radicand.
_ROOF = "_"


@draws(Root)
def _root(node: Root, setting: Setting) -> Box:
    body = draw_row(node.body, inner_of(setting))
    index = draw_script(node.degree, setting)
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
