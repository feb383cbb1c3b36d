"""Formula tree to MathML (one file)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from cards.math.tree import (
    Accent,
    Arrow,
    Boxed,
    Brace,
    Break,
    Choice,
    Classed,
    Delimited,
    Environment,
    Formula,
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
    Tag,
    Text,
    Unknown,
)
from cards.math.typesetter.box import letter

# == Elements as text, and the circumstances in which a part of a formula is written.


class Setting(NamedTuple):
    display: bool
    """TeX's display style: limits stand over and under their operators."""
    font: str = ""
    """As `cards.math.tree.Styled` names it; "" for italic letters and upright digits."""
    small: bool = False
    """Within a script."""


def script_of(setting: Setting) -> Setting:
    return setting._replace(display=False, small=True)


def inline_of(setting: Setting) -> Setting:
    return setting._replace(display=False)


def element(name: str, inner: str = "", **attributes: str) -> str:
    """`<name key="value">inner</name>`; `inner` is written already, values are escaped here."""
    if not attributes:
        return f"<{name}>{inner}</{name}>"
    written = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
    return f"<{name}{written}>{inner}</{name}>"


def grouped(pieces: list[str]) -> str:
    """One element of several."""
    return pieces[0] if len(pieces) == 1 else element("mrow", "".join(pieces))


def operator(char: str, **attributes: str) -> str:
    return element("mo", escape(char), **attributes)


def fence(char: str) -> str:
    """A delimiter as high as what it stands beside; nothing for an invisible one."""
    return operator(char, fence="true", stretchy="true") if char else ""


def space(em: float) -> str:
    return element("mspace", width=f"{em:.4g}em")


# == Arrows as long as their labels.


_UPRIGHT = frozenset("↑↓⇑⇓↕‖∥|║")
_LEAST = "1.8em"


def arrow(node: Arrow, setting: Setting) -> str:
    """With its labels over and under it; of an upright one, left and right of it."""
    shaft = operator(node.char, stretchy="true", minsize=_LEAST) if node.char else space(1)
    if node.char in _UPRIGHT:
        over, under = (_small(label, setting) for label in (node.over, node.under))
        return element("mrow", over + shaft + under)
    low, high = (_padded(label, setting) for label in (node.under, node.over))
    if not (low or high):
        return shaft
    name = "munderover" if low and high else "munder" if low else "mover"
    return element(name, shaft + low + high)


def _small(label: Row | None, setting: Setting) -> str:
    return element("mstyle", _row(label, setting), scriptlevel="1") if label is not None else ""


def _padded(label: Row | None, setting: Setting) -> str:
    if label is None:
        return ""
    # Core knows no "+0.8em": the gaps are spaces.
    return element("mrow", space(0.4) + _row(label, setting) + space(0.4))


def _row(label: Row, setting: Setting) -> str:

    return row(label, script_of(setting))


# == Letters in an alphabet, as Unicode has them: MathML Core knows no other bold or script.


#: Where capitals, small letters and digits start (Unicode 14, Mathematical Alphanumeric Symbols).
_LATIN = {
    "bold": (0x1D400, 0x1D41A, 0x1D7CE),
    "italic": (0x1D434, 0x1D44E, 0),
    "bold-italic": (0x1D468, 0x1D482, 0x1D7CE),
    "sans": (0x1D5A0, 0x1D5BA, 0x1D7E2),
    "typewriter": (0x1D670, 0x1D68A, 0x1D7F6),
}
#: Where Alpha and alpha start.
_GREEK = {
    "bold": (0x1D6A8, 0x1D6C2),
    "italic": (0x1D6E2, 0x1D6FC),
    "bold-italic": (0x1D71C, 0x1D736),
}
_CAPITALS, _SMALL = range(0x391, 0x3AA), range(0x3B1, 0x3CA)
#: Signs that follow the small Greek letters in each alphabet: U+2202 and the letters' variants.
_AFTER = "∂ϵϑϰϕϱϖ"
_PLANCK = "ℎ"


def lettered(char: str, font: str) -> str:
    """`char` in the alphabet `font`; itself where there is no such letter."""
    if font not in _LATIN:
        return letter(char, font)
    if len(char) != 1:
        return char
    if char.isascii() and char.isalnum():
        return _latin(char, font)
    if font not in _GREEK:
        return char
    capitals, small = _GREEK[font]
    if ord(char) in _CAPITALS:
        return chr(capitals + ord(char) - _CAPITALS.start)
    if ord(char) in _SMALL:
        return chr(small + ord(char) - _SMALL.start)
    return chr(small + len(_SMALL) + _AFTER.index(char)) if char in _AFTER else char


def _latin(char: str, font: str) -> str:
    capitals, small, digits = _LATIN[font]
    if char.isdigit():
        return chr(digits + int(char)) if digits else char
    if char == "h" and font == "italic":
        return _PLANCK
    return chr(capitals + ord(char) - 65) if char.isupper() else chr(small + ord(char) - 97)


# == Signs and names: what stands in a formula without parts of its own.


#: The heights of \\big, \\Big, \\bigg, \\Bigg.
_SIZES = ("", "1.2em", "1.8em", "2.4em", "3em")
_ATOMS_UPRIGHT = frozenset({"roman", "display", "text"})
_FENCES = frozenset("()[]{}⟨⟩⌈⌉⌊⌋|‖/\\↑↓↕")


def symbol(node: Symbol, setting: Setting, alone: bool) -> str:
    """One sign; `alone`: nothing stands before it that it could join, so that `−` is a sign."""
    char = node.char
    if node.size:
        size = _SIZES[node.size]
        return operator(char, stretchy="true", symmetric="true", minsize=size, maxsize=size)
    if node.name == "prime":
        return operator(char)
    match node.kind:
        case "open" | "close":
            return operator(char, fence="true", stretchy="false", form=_form(node.kind))
        case "punct":
            return operator(char, separator="true")
        case "bin" if alone:
            return operator(char, form="prefix")
        case "bin" | "rel":
            return operator(char, stretchy="false") if char in "∣∥↑↓→←" else operator(char)
        case "op":
            return operator(char)
    return _ordinary(char, setting)


def _form(kind: str) -> str:
    return "prefix" if kind == "open" else "postfix"


def _ordinary(char: str, setting: Setting) -> str:
    if char.isdecimal():
        return number(char, setting)
    drawn = lettered(char, setting.font)
    # A letter alone is drawn italic by itself; capitals of Greek are upright in TeX.
    upright = setting.font in _ATOMS_UPRIGHT or "Α" <= char <= "Ω"
    if drawn == char and (upright or not char.isalpha()):
        return element("mi", escape(drawn), mathvariant="normal")
    return element("mi", escape(drawn))


def number(digits: str, setting: Setting) -> str:
    return element("mn", "".join(lettered(digit, setting.font) for digit in digits))


def word(letters: str, setting: Setting) -> str:
    """Letters that are one name, as in \\mathrm{ReLU}."""
    drawn = "".join(lettered(char, setting.font) for char in letters)
    if len(drawn) == 1 and setting.font in _ATOMS_UPRIGHT:
        return element("mi", escape(drawn), mathvariant="normal")
    return element("mi", escape(drawn))


def named(node: Operator, limits: bool) -> str:
    """A function's name, or a large operator; with `limits` they stand over and under it."""
    if node.large:
        fixed = {"movablelimits": "false"} if limits else {}
        return operator(node.text, **fixed)
    text = escape(node.text.replace(" ", "\u00a0"))
    single = {"mathvariant": "normal"} if len(node.text) == 1 else {}
    return element("mi", text, **single)


# == The signs over and under a base: accents, braces, and what is struck through.


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
_FRAMED = {
    "box": "border:1px solid;padding:0.2em",
    "angle": "border-top:1px solid;border-right:1px solid;padding:0.1em 0.1em 0 0",
    "phase": "border-bottom:1px solid;border-left:1px solid;padding:0 0 0.1em 0.2em",
}


def accented(name: str, base: str, over: bool, wide: bool) -> str:
    """`base` with an accent (`cards.math.tree.Accent`)."""
    sign = operator(_ACCENTS.get(name, "‾"), stretchy="true" if wide else "false")
    if over:
        return element("mover", base + sign, accent="true")
    return element("munder", base + sign, accentunder="true")


def braced(shape: str, base: str, over: bool) -> str:
    sign = operator(_BRACES[shape][0 if over else 1], stretchy="true")
    return element("mover" if over else "munder", base + sign)


def boxed(how: str, body: str) -> str:
    """`body` framed, struck through, or there for its size only (`cards.math.tree.Boxed`)."""
    if how in _FRAMED:
        return element("mrow", body, style=_FRAMED[how])
    if how in _STRUCK:
        for way in _STRUCK[how]:
            body = element("mrow", body, style=_LINE.format(way))
        return body
    match how:
        case "hphantom":
            return element("mpadded", element("mphantom", body), height="0", depth="0")
        case "vphantom":
            return element("mpadded", element("mphantom", body), width="0")
        case "phantom":
            return element("mphantom", body)
        case "smash":
            return element("mpadded", body, height="0", depth="0")
    return element("mpadded", body, width="0")


# == Rows and columns: matrices, cases, aligned equations, arrays with rules.


_DISPLAYED = frozenset(
    {
        *("align", "aligned", "alignat", "split", "eqnarray", "gather", "gathered", "multline"),
        *("equation", "dcases", "drcases"),
    }
)
_SIDES = {"l": "left", "c": "center", "r": "right"}
_RULES = {"|": "1px solid", ":": "1px dashed"}


def table(node: Environment, setting: Setting) -> str:
    """The table, with its delimiters."""
    display = node.name in _DISPLAYED
    inner = script_of(setting) if node.small else setting._replace(display=display)
    width = max((len(row) for row in node.rows), default=0)
    aligns, rules = _columns("c" if node.name == "substack" else node.columns, width)
    rows = []
    for index, cells in enumerate(node.rows):
        tags = node.tags[index] if index < len(node.tags) else None
        rows.append(_tables_row(node, cells, index, (aligns, rules), inner, tags))
    style = {"displaystyle": "true"} if display else {}
    if node.small:
        style = {"scriptlevel": "1"}
    drawn = element("mtable", "".join(rows), **style)
    if node.left or node.right:
        return element("mrow", fence(node.left) + drawn + fence(node.right))
    return drawn


def broken(body: Row, setting: Setting) -> str:
    r"""A row in which `\\` begins new lines."""
    lines: list[list[Node]] = [[]]
    for item in body.items:
        if isinstance(item, Break):
            lines.append([])
        else:
            lines[-1].append(item)
    rows = [
        element("mtr", _cell(Row(tuple(line), body.span), setting, "text-align:left"))
        for line in lines
    ]
    style = {"displaystyle": "true"} if setting.display else {}
    return element("mtable", "".join(rows), **style)


def _columns(spec: str, width: int) -> tuple[str, dict[int, str]]:
    """The letter of each column, and the rules before columns, by their numbers."""
    letters, rules = "", {}
    for sign in spec:
        if sign in _RULES:
            rules[len(letters)] = _RULES[sign]
        elif sign in _SIDES:
            letters += sign
    return letters.ljust(width, letters[-1:] or "c"), rules


def _tables_row(
    node: Environment,
    cells: tuple[Row, ...],
    index: int,
    columns: tuple[str, dict[int, str]],
    setting: Setting,
    tag: Row | None,
) -> str:
    aligns, rules = columns
    if len(cells) == 1 and len(aligns) > 1 and _is_words(cells[0]):
        written = _cell(cells[0], inline_of(setting), "text-align:left")
        return element("mtr", written.replace("<mtd", f'<mtd columnspan="{len(aligns)}"', 1))
    lines = _lines(node, index)
    pieces = []
    for number in range(len(aligns)):
        pieces += _inserted(node, number, setting)
        cell = cells[number] if number < len(cells) else Row((), node.span)
        styles = [_placed(node, number, aligns[number]), *lines]
        if number in rules:
            styles.append(f"border-left:{rules[number]}")
        if number + 1 == len(aligns) and len(aligns) in rules:
            styles.append(f"border-right:{rules[len(aligns)]}")
        pieces.append(_cell(cell, setting, ";".join(styles)))
    pieces += _inserted(node, len(aligns), setting)
    if tag is not None:
        pieces.append(_cell(tag, inline_of(setting), "text-align:right;padding-left:2em"))
    return element("mtr", "".join(pieces))


def _placed(node: Environment, number: int, letter: str) -> str:
    """Where a cell's content stands; the halves of an equation touch."""
    side = f"text-align:{_SIDES[letter]}"
    if not node.joined:
        return side
    if number % 2 == 0:
        gap = "padding-left:0" if number == 0 else "padding-left:2em"
        return f"{side};padding-right:0;{gap}"
    return f"{side};padding-left:0;padding-right:0"


def _lines(node: Environment, index: int) -> list[str]:
    styles = []
    for line in node.lines:
        how = "1px dashed" if line.dashed else "1px solid"
        if line.before == index:
            styles.append(f"border-top:{how}")
        elif line.before == index + 1 == len(node.rows):
            styles.append(f"border-bottom:{how}")
    return list(dict.fromkeys(styles))


def _inserted(node: Environment, number: int, setting: Setting) -> list[str]:
    tight = "text-align:center;padding-left:0;padding-right:0"
    return [
        _cell(each.body, setting, tight if each.tight else "text-align:center")
        for each in node.inserts
        if each.before == number
    ]


def _is_words(cell: Row) -> bool:
    return len(cell.items) == 1 and isinstance(cell.items[0], Text)


def _cell(cell: Row, setting: Setting, style: str) -> str:

    return element("mtd", row(cell, setting), style=style)


# == Nodes of the tree to elements.


_ALPHABETS = frozenset({"bb", "cal", "scr", "frak"})
_FACES = frozenset({"bold", "bold-italic", "italic", "roman", "sans", "typewriter"})
_STYLES = {
    "display": ("true", "0"),
    "text": ("false", "0"),
    "script": ("false", "1"),
    "scriptscript": ("false", "2"),
}
_COLOUR = re.compile(r"(color|background):([A-Za-z]{1,30}|#[0-9A-Fa-f]{3,8})")
_TEXT_STYLES = {
    "bold": "font-weight:bold",
    "italic": "font-style:italic",
    "typewriter": "font-family:monospace",
    "sans": "font-family:sans-serif",
}


def row(body: Row, setting: Setting) -> str:
    """A row as one element."""

    if any(isinstance(item, Break) for item in body.items):
        return broken(body, setting)
    return grouped(pieces(body.items, setting))


def node_of(node: Node, setting: Setting, alone: bool = False) -> str:
    """One node as one element; `alone` as for `atoms.symbol`."""
    match node:
        case Symbol():
            return symbol(node, setting, alone)
        case Operator():
            return named(node, False)
        case Scripts():
            return _scripts(node, setting)
        case Row():
            return row(node, setting)
        case Fraction():
            return _fraction(node, setting)
        case Environment():
            return table(node, setting)
        case Delimited():
            return _delimited(node, setting)
        case Styled():
            return _styled(node, setting)
        case Text():
            return _text(node, setting)
        case Space():
            return space(node.em)
        case _:
            return _rarer(node, setting)


def _rarer(node: Node, setting: Setting) -> str:
    match node:
        case Root(body, None):
            return element("msqrt", row(body, inline_of(setting)))
        case Root(body, degree) if degree is not None:
            small = row(degree, script_of(setting))
            return element("mroot", row(body, inline_of(setting)) + small)
        case Accent():
            return accented(node.name, row(node.base, setting), node.over, node.wide)
        case Brace():
            return braced(node.shape, row(node.base, setting), node.over)
        case Stack():
            base = row(node.base, setting)
            return _under_over(base, node.under, node.over, setting)
        case Arrow():
            return arrow(node, setting)
        case Boxed():
            return boxed(node.how, row(node.body, setting))
        case Classed():
            return _classed(node, setting)
        case Choice():
            chosen = node.script if setting.small else node.text
            return row(node.display if setting.display else chosen, setting)
        case Tag():
            return element("mrow", space(2) + row(node.body, inline_of(setting)))
        case Unknown():
            return element("merror", element("mtext", escape(node.name)))
    return ""


def _fraction(node: Fraction, setting: Setting) -> str:
    inner = setting._replace(display=False)
    rule = {} if node.rule else {"linethickness": "0"}
    drawn = element("mfrac", row(node.above, inner) + row(node.below, inner), **rule)
    if node.style:
        big = "true" if node.style == "display" else "false"
        drawn = element("mstyle", drawn, displaystyle=big, scriptlevel="0")
    if node.left or node.right:
        return element("mrow", fence(node.left) + drawn + fence(node.right))
    return drawn


def _delimited(node: Delimited, setting: Setting) -> str:
    pieces = [fence(node.left)]
    for index, part in enumerate(node.parts):
        if index:
            pieces.append(fence(node.middles[index - 1]))
        pieces.append(row(part, setting))
    return element("mrow", "".join([*pieces, fence(node.right)]))


def _scripts(node: Scripts, setting: Setting) -> str:
    limits = _takes_limits(node, setting)
    core = _core(node.base)
    if node.base is None:
        base = element("mrow")
    elif isinstance(core, Operator):
        base = named(core, limits)
    else:
        base = node_of(node.base, setting)
    if limits:
        return _under_over(base, node.sub, node.sup, setting)
    small = script_of(setting)
    low = row(node.sub, small) if node.sub is not None else ""
    high = row(node.sup, small) if node.sup is not None else ""
    name = "msubsup" if low and high else "msub" if low else "msup"
    return element(name, base + low + high)


def _takes_limits(node: Scripts, setting: Setting) -> bool:
    if node.limits is not None:
        return node.limits
    match _core(node.base):
        case Operator(limits=limits):
            return limits == "always" or (limits == "display" and setting.display)
        case Brace():
            return True
        case Classed(kind="op"):
            return setting.display
    return False


def _core(node: Node | None) -> Node | None:
    """What is left of a row of one node."""
    while isinstance(node, Row) and len(node.items) == 1:
        node = node.items[0]
    return node


def _under_over(base: str, under: Row | None, over: Row | None, setting: Setting) -> str:
    small = script_of(setting)
    low = row(under, small) if under is not None else ""
    high = row(over, small) if over is not None else ""
    if not (low or high):
        return base
    name = "munderover" if low and high else "munder" if low else "mover"
    return element(name, base + low + high)


def _styled(node: Styled, setting: Setting) -> str:
    if node.style in _ALPHABETS or node.style in _FACES:
        return row(node.body, setting._replace(font=node.style))
    if node.style in _STYLES:
        display, level = _STYLES[node.style]
        inner = setting._replace(display=display == "true", small=level != "0")
        drawn = row(node.body, inner)
        return element("mstyle", drawn, displaystyle=display, scriptlevel=level)
    drawn = row(node.body, setting)
    found = _COLOUR.fullmatch(node.style)
    if not found:
        return drawn
    key = "mathcolor" if found[1] == "color" else "mathbackground"
    return element("mstyle", drawn, **{key: found[2]})


def _classed(node: Classed, setting: Setting) -> str:
    """A row with the gaps of its class around it."""
    inner = row(node.body, setting)
    gap = {"rel": 5 / 18, "bin": 4 / 18}.get(node.kind, 0.0)
    if not gap or setting.small:
        return inner if inner.startswith("<mrow>") else element("mrow", inner)
    return element("mrow", space(gap) + inner + space(gap))


def _text(node: Text, setting: Setting) -> str:
    style = _TEXT_STYLES.get(node.font, "")
    pieces = []
    for part in node.parts:
        if not isinstance(part, str):
            pieces.append(node_of(part, inline_of(setting)._replace(font="")))
            continue
        shown = escape(part.replace(" ", "\u00a0") if part != part.strip() else part)
        pieces.append(element("mtext", shown, style=style) if style else element("mtext", shown))
    return grouped(pieces) if pieces else element("mrow")


# == LaTeX as MathML: the formulas of a page that asks nobody for anything.
#
# `mathml(formula, display)` writes the tree that `cards.math` reads, in the elements of MathML
# Core
# (and `menclose`-like things by style), which every browser draws by itself.


__all__ = ["mathml"]


def mathml(formula: Formula, display: bool) -> str:
    """The `<math>` element of a formula, in a block of its own or within a line."""
    inner = row(formula.body, Setting(display))
    return element("math", inner, display="block") if display else element("math", inner)


# == What stands side by side: digits are joined to numbers, letters to names, gaps are made.


#: Behind these nothing can be added or subtracted: a minus is a sign.
_OPENING = frozenset({"", "bin", "rel", "open", "punct", "op"})
_NAMING = frozenset({"roman", "bold", "sans", "typewriter"})
_APPLY = "\u2061"
_THIN = 1 / 6


def pieces(items: Sequence[Node], setting: Setting) -> list[str]:
    """The elements of a row."""
    found: list[str] = []
    before, at = "", 0
    while at < len(items):
        end = _joined(items, at, setting)
        if end > at + 1:
            found.append(_run(items[at:end], setting))
            before, at = "ord", end
            continue
        node = items[at]
        kind = kind_of(node)
        function = is_function(node)
        if function and before in ("ord", "close", "inner") and not setting.small:
            found.append(space(_THIN))
        found.append(node_of(node, setting, alone=kind == "bin" and before in _OPENING))
        following = items[at + 1] if at + 1 < len(items) else None
        if function and following is not None:
            found += _applied(following, setting)
        if not isinstance(node, Space):
            before = kind
        at += 1
    return found


def _applied(following: Node, setting: Setting) -> list[str]:
    """What stands between a function and its argument."""
    kind = kind_of(following)
    gap = kind in ("ord", "op", "inner") and not isinstance(following, Space) and not setting.small
    return [operator(_APPLY), space(_THIN)] if gap else [operator(_APPLY)]


def _joined(items: Sequence[Node], at: int, setting: Setting) -> int:
    """The end of the number or the name that begins here."""
    end = at
    first = items[at]
    if not isinstance(first, Symbol) or first.kind != "ord" or first.size:
        return at
    if first.char.isdecimal():
        while end < len(items) and _is_digit(items, end):
            end += 1
    elif setting.font in _NAMING:
        while end < len(items) and _is_letter(items[end]):
            end += 1
    return end


def _is_digit(items: Sequence[Node], at: int) -> bool:
    node = items[at]
    if not isinstance(node, Symbol) or node.size:
        return False
    if node.char == ".":
        following = items[at + 1] if at + 1 < len(items) else None
        return isinstance(following, Symbol) and following.char.isdecimal()
    return node.kind == "ord" and node.char.isdecimal()


def _is_letter(node: Node) -> bool:
    return isinstance(node, Symbol) and node.kind == "ord" and not node.size and node.char.isalpha()


def _run(items: Sequence[Node], setting: Setting) -> str:
    text = "".join(item.char for item in items if isinstance(item, Symbol))
    return number(text, setting) if text[0].isdecimal() else word(text, setting)


def kind_of(node: Node) -> str:
    """TeX's class of an atom."""
    match node:
        case Symbol(kind=kind) | Stack(kind=kind) | Classed(kind=kind):
            return kind
        case Operator():
            return "op"
        case Scripts(base=base):
            return kind_of(base) if base is not None else "ord"
        case Arrow():
            return "rel"
        case Delimited() | Fraction():
            return "inner"
        case Row(items=items) if len(items) == 1 and isinstance(items[0], Operator):
            return "op"
        case Styled(style="display" | "text", body=Row(items=items)) if items:
            return kind_of(items[0])
    return "ord"


def is_function(node: Node) -> bool:
    """Whether a node is a function's name, which is set as a word."""
    match node:
        case Operator(large=large):
            return not large
        case Scripts(base=base) if base is not None:
            return is_function(base)
        case Row(items=items) if len(items) == 1:
            return is_function(items[0])
        case Stack(kind="op", base=base):
            return is_function(base)
    return False
