r"""LaTeX as MathML: the formulas of a page that asks nobody for anything.

`mathml(formula, display)` writes the tree that `cards.math` reads, in the elements of MathML Core
(and `menclose`-like things by style), which every browser draws by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

from cards.math import tree
from cards.math.typesetter.box import letter


class MathStyle(NamedTuple):
    """The circumstances in which a part of a formula is written."""

    display: bool
    """TeX's display style: limits stand over and under their operators."""
    font: str = ""
    """As `cards.math.tree.Styled` names it; "" for italic letters and upright digits."""
    small: bool = False
    """Within a script."""

    @property
    def script(self) -> MathStyle:
        return self._replace(display=False, small=True)

    @property
    def inline(self) -> MathStyle:
        return self._replace(display=False)


def mathml(formula: tree.Formula, display: bool) -> str:
    """The `<math>` element of a formula, in a block of its own or within a line."""
    inner = _row(formula.body, MathStyle(display))
    return _element("math", inner, display="block" if display else None)


# Elements as text.


def _element(name: str, inner: str = "", **attributes: str | None) -> str:
    """`<name key="value">inner</name>`; `inner` is written already, values are escaped here and
    left out where they are None."""
    written = "".join(
        f' {key}="{escape(value)}"' for key, value in attributes.items() if value is not None
    )
    return f"<{name}{written}>{inner}</{name}>"


def _grouped(pieces: list[str]) -> str:
    return pieces[0] if len(pieces) == 1 else _element("mrow", "".join(pieces))


def _operator(char: str, **attributes: str | None) -> str:
    return _element("mo", escape(char), **attributes)


def _fenced(left: str, inner: str, right: str) -> str:
    """Between delimiters as high as what they stand around; "" for an invisible one."""
    return _element("mrow", _fence(left) + inner + _fence(right)) if left or right else inner


def _fence(char: str) -> str:
    return _operator(char, fence="true", stretchy="true") if char else ""


def _space(em: float) -> str:
    return _element("mspace", width=f"{em:.4g}em")


def _under_over(base: str, low: str, high: str) -> str:
    """What stands under and over a base; "" for nothing."""
    name = "munderover" if low and high else "munder" if low else "mover" if high else ""
    return _element(name, base + low + high) if name else base


# What stands side by side: digits are joined to numbers, letters to names, gaps are made.

#: Behind these nothing can be added or subtracted: a minus is a sign.
_OPENING = frozenset({"", "bin", "rel", "open", "punct", "op"})
_NAMING = frozenset({"roman", "bold", "sans", "typewriter"})
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_APPLY = "\u2061"
_THIN = 1 / 6


def _row(body: tree.Row | None, setting: MathStyle) -> str:
    """A row as one element; nothing for None."""
    if body is None:
        return ""
    if any(isinstance(item, tree.Break) for item in body.items):
        return _broken(body, setting)
    return _grouped(_pieces(body.items, setting))


def _pieces(items: Sequence[tree.Node], setting: MathStyle) -> list[str]:
    found: list[str] = []
    before, at = "", 0
    while at < len(items):
        joined = _joined(items, at, setting)
        if len(joined) > 1:
            found.append((_number if joined[0].isdecimal() else _word)(joined, setting))
            before, at = "ord", at + len(joined)
            continue
        node = items[at]
        at += 1
        kind, is_name = _kind(node), _is_function(node)
        if is_name and before in ("ord", "close", "inner") and not setting.small:
            found.append(_space(_THIN))
        found.append(_node(node, setting, is_sign=kind == "bin" and before in _OPENING))
        if is_name and at < len(items):
            found.append(_operator(_APPLY))
            is_apart = not isinstance(items[at], tree.Space) and not setting.small
            if is_apart and _kind(items[at]) in ("ord", "op", "inner"):
                found.append(_space(_THIN))
        if not isinstance(node, tree.Space):
            before = kind
    return found


def _joined(items: Sequence[tree.Node], at: int, setting: MathStyle) -> str:
    """The number or the name that begins here, a node a sign; "" for any other node."""

    def run(belongs: Callable[[str], bool]) -> str:
        chars = []
        for index in range(at, len(items)):
            node = items[index]
            if not isinstance(node, tree.Symbol) or node.kind != "ord" or node.size:
                break
            if not belongs(node.char):
                break
            chars.append(node.char)
        return "".join(chars)

    if number := _NUMBER.match(run(lambda char: char.isdecimal() or char == ".")):
        return number[0]
    return run(str.isalpha) if setting.font in _NAMING else ""


def _kind(node: tree.Node) -> str:
    """TeX's class of an atom."""
    match node:
        case tree.Symbol(kind=kind) | tree.Stack(kind=kind) | tree.Classed(kind=kind):
            return kind
        case tree.Operator():
            return "op"
        case tree.Scripts(base=base):
            return _kind(base) if base is not None else "ord"
        case tree.Arrow():
            return "rel"
        case tree.Delimited() | tree.Fraction():
            return "inner"
        case tree.Row(items=items) if len(items) == 1 and isinstance(items[0], tree.Operator):
            return "op"
        case tree.Styled(style="display" | "text", body=tree.Row(items=items)) if items:
            return _kind(items[0])
    return "ord"


def _is_function(node: tree.Node) -> bool:
    """Whether a node is a function's name, which is set as a word."""
    match node:
        case tree.Operator(large=large):
            return not large
        case tree.Scripts(base=base) if base is not None:
            return _is_function(base)
        case tree.Row(items=items) if len(items) == 1:
            return _is_function(items[0])
        case tree.Stack(kind="op", base=base):
            return _is_function(base)
    return False


# Nodes of the tree to elements.

_FONTS = frozenset({
    "bb", "cal", "scr", "frak",
    "bold", "bold-italic", "italic", "roman", "sans", "typewriter",
})  # fmt: skip
#: Whether in display style, and how many times smaller.
_STYLES = {
    "display": (True, 0), "text": (False, 0), "script": (False, 1), "scriptscript": (False, 2),
}  # fmt: skip
_COLOUR = re.compile(r"(color|background):([A-Za-z]{1,30}|#[0-9A-Fa-f]{3,8})")
_TEXT_STYLES = {
    "bold": "font-weight:bold",
    "italic": "font-style:italic",
    "typewriter": "font-family:monospace",
    "sans": "font-family:sans-serif",
}


def _node(node: tree.Node, setting: MathStyle, is_sign: bool = False) -> str:
    """One node as one element; `is_sign`: nothing stands before it that it could join."""
    match node:
        case tree.Symbol():
            return _symbol(node, setting, is_sign)
        case tree.Operator():
            return _name(node, False)
        case tree.Scripts():
            return _scripts(node, setting)
        case tree.Row():
            return _row(node, setting)
        case tree.Fraction():
            return _fraction(node, setting)
        case tree.Environment():
            return _table(node, setting)
        case tree.Delimited():
            fences = map(_fence, ("", *node.middles))
            parts = [
                fence + _row(part, setting) for fence, part in zip(fences, node.parts, strict=False)
            ]
            return _element("mrow", _fence(node.left) + "".join(parts) + _fence(node.right))
        case tree.Styled():
            return _styled(node, setting)
        case tree.Text():
            return _text(node, setting)
        case tree.Space():
            return _space(node.em)
        case tree.Root(body, None):
            return _element("msqrt", _row(body, setting.inline))
        case tree.Root(body, degree):
            return _element("mroot", _row(body, setting.inline) + _row(degree, setting.script))
        case tree.Arrow():
            return _arrow(node, setting)
        case tree.Stack():
            low, high = (_row(part, setting.script) for part in (node.under, node.over))
            return _under_over(_row(node.base, setting), low, high)
        case tree.Accent():
            return _accent(node, setting)
        case tree.Brace():
            sign = _operator(_BRACES[node.shape][0 if node.over else 1], stretchy="true")
            return _element("mover" if node.over else "munder", _row(node.base, setting) + sign)
        case tree.Boxed():
            return _boxed(node.how, _row(node.body, setting))
        case tree.Classed():
            return _classed(node, setting)
        case tree.Choice():
            chosen = node.script if setting.small else node.text
            return _row(node.display if setting.display else chosen, setting)
        case tree.Tag():
            return _element("mrow", _space(2) + _row(node.body, setting.inline))
        case tree.Unknown():
            return _element("merror", _element("mtext", escape(node.name)))
    return ""


def _fraction(node: tree.Fraction, setting: MathStyle) -> str:
    inner = _row(node.above, setting.inline) + _row(node.below, setting.inline)
    drawn = _element("mfrac", inner, linethickness=None if node.rule else "0")
    if node.style:
        big = "true" if node.style == "display" else "false"
        drawn = _element("mstyle", drawn, displaystyle=big, scriptlevel="0")
    return _fenced(node.left, drawn, node.right)


def _scripts(node: tree.Scripts, setting: MathStyle) -> str:
    core = _core(node.base)
    match core:
        case tree.Operator(limits=where):
            limits = where == "always" or (where == "display" and setting.display)
        case tree.Classed(kind="op"):
            limits = setting.display
        case _:
            limits = isinstance(core, tree.Brace)
    limits = limits if node.limits is None else node.limits
    if node.base is None:
        base = _element("mrow")
    else:
        base = _name(core, limits) if isinstance(core, tree.Operator) else _node(node.base, setting)
    low, high = (_row(part, setting.script) for part in (node.sub, node.sup))
    if limits:
        return _under_over(base, low, high)
    return _element("msubsup" if low and high else "msub" if low else "msup", base + low + high)


def _core(node: tree.Node | None) -> tree.Node | None:
    """What is left of a row of one node."""
    while isinstance(node, tree.Row) and len(node.items) == 1:
        node = node.items[0]
    return node


def _styled(node: tree.Styled, setting: MathStyle) -> str:
    if node.style in _FONTS:
        return _row(node.body, setting._replace(font=node.style))
    if node.style in _STYLES:
        display, level = _STYLES[node.style]
        drawn = _row(node.body, setting._replace(display=display, small=level > 0))
        shown = "true" if display else "false"
        return _element("mstyle", drawn, displaystyle=shown, scriptlevel=str(level))
    drawn = _row(node.body, setting)
    found = _COLOUR.fullmatch(node.style)
    if not found:
        return drawn
    colour, background = (found[2] if found[1] == key else None for key in ("color", "background"))
    return _element("mstyle", drawn, mathcolor=colour, mathbackground=background)


def _classed(node: tree.Classed, setting: MathStyle) -> str:
    """A row with the gaps of its class around it."""
    inner = _row(node.body, setting)
    gap = {"rel": 5 / 18, "bin": 4 / 18}.get(node.kind, 0.0)
    if not gap or setting.small:
        return inner if inner.startswith("<mrow>") else _element("mrow", inner)
    return _element("mrow", _space(gap) + inner + _space(gap))


def _text(node: tree.Text, setting: MathStyle) -> str:
    pieces = []
    for part in node.parts:
        if isinstance(part, str):
            shown = escape(part.replace(" ", "\u00a0") if part != part.strip() else part)
            pieces.append(_element("mtext", shown, style=_TEXT_STYLES.get(node.font)))
        else:
            pieces.append(_node(part, setting.inline._replace(font="")))
    return _grouped(pieces)


# Signs and names: what stands in a formula without parts of its own.

#: The heights of \big, \Big, \bigg, \Bigg.
_SIZES = ("", "1.2em", "1.8em", "2.4em", "3em")
_UPRIGHT_FONTS = frozenset({"roman", "display", "text"})


def _symbol(node: tree.Symbol, setting: MathStyle, is_sign: bool) -> str:
    char = node.char
    if node.size:
        size = _SIZES[node.size]
        return _operator(char, stretchy="true", symmetric="true", minsize=size, maxsize=size)
    if node.name == "prime":
        return _operator(char)
    match node.kind:
        case "open" | "close":
            form = "prefix" if node.kind == "open" else "postfix"
            return _operator(char, fence="true", stretchy="false", form=form)
        case "punct":
            return _operator(char, separator="true")
        case "bin" if is_sign:
            return _operator(char, form="prefix")
        case "bin" | "rel":
            return _operator(char, stretchy="false" if char in "∣∥↑↓→←" else None)
        case "op":
            return _operator(char)
    if char.isdecimal():
        return _number(char, setting)
    drawn = letter(char, setting.font)
    # A letter alone is drawn italic by itself; capitals of Greek are upright in TeX.
    upright = setting.font in _UPRIGHT_FONTS or "Α" <= char <= "Ω"
    return _identifier(drawn, drawn == char and (upright or not char.isalpha()))


def _identifier(text: str, upright: bool) -> str:
    return _element("mi", escape(text), mathvariant="normal" if upright else None)


def _number(digits: str, setting: MathStyle) -> str:
    return _element("mn", "".join(letter(digit, setting.font) for digit in digits))


def _word(letters: str, setting: MathStyle) -> str:
    r"""Letters that are one name, as in \mathrm{ReLU}."""
    drawn = "".join(letter(char, setting.font) for char in letters)
    return _identifier(drawn, len(drawn) == 1 and setting.font in _UPRIGHT_FONTS)


def _name(node: tree.Operator, limits: bool) -> str:
    """A function's name, or a large operator; with `limits` they stand over and under it."""
    if node.large:
        return _operator(node.text, movablelimits="false" if limits else None)
    return _identifier(node.text.replace(" ", "\u00a0"), len(node.text) == 1)


# Signs over and under a base: arrows, accents, braces; and what is framed or struck through.

_UPRIGHT_ARROWS = frozenset("↑↓⇑⇓↕‖∥|║")
_SHORTEST_ARROW = "1.8em"
_ACCENTS = {
    "hat": "^", "widehat": "^", "check": "ˇ", "widecheck": "ˇ", "tilde": "~", "widetilde": "~",
    "utilde": "~", "acute": "´", "grave": "`", "dot": "˙", "ddot": "¨", "dddot": "\u20db",
    "ddddot": "\u20dc", "breve": "˘", "bar": "‾", "overline": "‾", "underline": "_",
    "underbar": "_", "vec": "→", "mathring": "˚", "ring": "˚", "doubleacute": "˝", "H": "˝",
    "cedilla": "¸", "underdot": ".", "ogonek": "˛",
    "overrightarrow": "→", "overleftarrow": "←", "overleftrightarrow": "↔",
    "underrightarrow": "→", "underleftarrow": "←", "underleftrightarrow": "↔",
    "Overrightarrow": "⇒", "overrightharpoon": "⇀", "overleftharpoon": "↼",
    "underleftharpoon": "↽", "underrightharpoon": "⇁",
}  # fmt: skip
_BRACES = {"brace": "⏞⏟", "bracket": "⎴⎵", "paren": "⏜⏝", "line": "‾_"}
_LINE = (
    "padding:0.1em;print-color-adjust:exact;background:"
    "linear-gradient({}, transparent 47%, currentColor 47% 53%, transparent 53%)"
)
_STRUCK = {
    "cancel": ("to bottom right",),
    "bcancel": ("to top right",),
    "xcancel": ("to bottom right", "to top right"),
    "strike": ("to bottom",),
}
_HEIGHT = ("height", "depth")
_FRAMED = {
    "box": "border:1px solid;padding:0.2em",
    "angle": "border-top:1px solid;border-right:1px solid;padding:0.1em 0.1em 0 0",
    "phase": "border-bottom:1px solid;border-left:1px solid;padding:0 0 0.1em 0.2em",
}


def _arrow(node: tree.Arrow, setting: MathStyle) -> str:
    """As long as its labels over and under it; of an upright one they are left and right of it."""
    stretched = {"stretchy": "true", "minsize": _SHORTEST_ARROW}
    shaft = _operator(node.char, **stretched) if node.char else _space(1)
    low, high = (_row(label, setting.script) for label in (node.under, node.over))
    if node.char in _UPRIGHT_ARROWS:
        left, right = (
            _element("mstyle", label, scriptlevel="1") if label else "" for label in (high, low)
        )
        return _element("mrow", left + shaft + right)
    gap = _space(0.4)  # Core knows no "+0.8em" of padding
    low, high = (_element("mrow", gap + label + gap) if label else "" for label in (low, high))
    return _under_over(shaft, low, high)


def _accent(node: tree.Accent, setting: MathStyle) -> str:
    sign = _operator(_ACCENTS.get(node.name, "‾"), stretchy="true" if node.wide else "false")
    inner = _row(node.base, setting) + sign
    if node.over:
        return _element("mover", inner, accent="true")
    return _element("munder", inner, accentunder="true")


def _boxed(how: str, body: str) -> str:
    """`body` framed, struck through, or there for its size only."""
    if how in _FRAMED:
        return _element("mrow", body, style=_FRAMED[how])
    for way in _STRUCK.get(how, ()):
        body = _element("mrow", body, style=_LINE.format(way))
    if how in _STRUCK:
        return body
    if how.endswith("phantom"):
        body = _element("mphantom", body)
    sides = {"phantom": (), "hphantom": _HEIGHT, "smash": _HEIGHT}.get(how, ("width",))
    return _element("mpadded", body, **dict.fromkeys(sides, "0")) if sides else body


# Rows and columns: matrices, cases, aligned equations, arrays with rules.

_DISPLAYED = frozenset(
    {
        *("align", "aligned", "alignat", "split", "eqnarray", "gather", "gathered", "multline"),
        *("equation", "dcases", "drcases"),
    }
)
_SIDES = {"l": "left", "c": "center", "r": "right"}
_RULES = {"|": "solid", ":": "dashed"}


def _table(node: tree.Environment, setting: MathStyle) -> str:
    """The table, with its delimiters."""
    display = node.name in _DISPLAYED and not node.small
    inner = setting.script if node.small else setting._replace(display=display)
    letters, rules = "", {}
    for sign in "c" if node.name == "substack" else node.columns:
        if sign in _RULES:
            rules[len(letters)] = f"1px {_RULES[sign]}"
        elif sign in _SIDES:
            letters += sign
    width = max(map(len, node.rows), default=0)
    letters = letters.ljust(width, letters[-1:] or "c")
    rows = [_table_row(node, index, letters, rules, inner) for index in range(len(node.rows))]
    style = "true" if display else None
    level = "1" if node.small else None
    drawn = _element("mtable", "".join(rows), displaystyle=style, scriptlevel=level)
    return _fenced(node.left, drawn, node.right)


def _broken(body: tree.Row, setting: MathStyle) -> str:
    r"""A row in which `\\` begins new lines."""
    lines: list[list[tree.Node]] = [[]]
    for item in body.items:
        if isinstance(item, tree.Break):
            lines.append([])
        else:
            lines[-1].append(item)
    cells = (_cell(tree.Row(tuple(line), body.span), setting, "text-align:left") for line in lines)
    rows = "".join(_element("mtr", cell) for cell in cells)
    return _element("mtable", rows, displaystyle="true" if setting.display else None)


def _table_row(
    node: tree.Environment, index: int, letters: str, rules: dict[int, str], setting: MathStyle
) -> str:
    """`letters`: of the columns; `rules`: those before columns, by their numbers."""
    cells, count = node.rows[index], len(letters)
    if (
        len(cells) == 1 < count
        and len(cells[0].items) == 1
        and isinstance(cells[0].items[0], tree.Text)
    ):
        written = _cell(cells[0], setting.inline, "text-align:left")
        return _element("mtr", written.replace("<mtd", f'<mtd columnspan="{count}"', 1))
    across = {}
    for line in node.lines:
        side = "top" if line.before == index else ""
        if line.before == index + 1 == len(node.rows):
            side = "bottom"
        if side:
            across[f"border-{side}:1px {'dashed' if line.dashed else 'solid'}"] = side
    pieces = []
    for number, align in enumerate(letters):
        pieces += _inserted(node, number, setting)
        styles = [f"text-align:{_SIDES[align]}"]
        if node.joined:  # the halves of an equation touch
            gap = "2em" if number and number % 2 == 0 else "0"
            sides = ("left", "right") if number % 2 else ("right", "left")
            styles += (f"padding-{sides[0]}:0", f"padding-{sides[1]}:{gap}")
        styles += across
        if number in rules:
            styles.append(f"border-left:{rules[number]}")
        if number + 1 == count and count in rules:
            styles.append(f"border-right:{rules[count]}")
        cell = cells[number] if number < len(cells) else tree.Row((), node.span)
        pieces.append(_cell(cell, setting, ";".join(styles)))
    pieces += _inserted(node, count, setting)
    tag = node.tags[index] if index < len(node.tags) else None
    if tag is not None:
        pieces.append(_cell(tag, setting.inline, "text-align:right;padding-left:2em"))
    return _element("mtr", "".join(pieces))


def _inserted(node: tree.Environment, number: int, setting: MathStyle) -> list[str]:
    """What an array has between its columns."""
    tight = ";padding-left:0;padding-right:0"
    return [
        _cell(each.body, setting, f"text-align:center{tight if each.tight else ''}")
        for each in node.inserts
        if each.before == number
    ]


def _cell(cell: tree.Row, setting: MathStyle, style: str) -> str:
    return _element("mtd", _row(cell, setting), style=style)
