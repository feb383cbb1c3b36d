r"""Fonts and classes of atoms, spaces, and commands that only wrap what they hold."""

from __future__ import annotations

from cards.math.latex.parser import Items, Parser, Reader
from cards.math.latex.text import content, reads, text_argument
from cards.math.tree import (
    Class,
    Classed,
    Node,
    Operator,
    Row,
    Space,
    Span,
    Styled,
    Symbol,
    Tag,
    Text,
)

# Fonts, classes and sizes: \mathbf{x}, \boldsymbol, \mathbin{...}, \large

_FONTS = {
    "bb": "mathbb Bbb symbb mathds mathbbm bbFont",
    "cal": "mathcal symcal mathbfcal symbfcal",
    "scr": "mathscr scr symscr mathbfscr symbfscr",
    "frak": "mathfrak symfrak mathbffrak symbffrak",
    "bold": "mathbf bold symbf mathbfup symbfup mathbfsf symbfsf mathbfsfup",
    "bold-italic": "boldsymbol bm pmb mathbfit symbfit mathbfsfit",
    "italic": "mathit symit mathsfit symsfit",
    "roman": "mathrm mathup symrm symup",
    "sans": "mathsf symsf mathsfup",
    "typewriter": "mathtt symtt",
    "": "mathnormal symnormal ensuremath",
}
_CLASSES: dict[str, Class] = {
    "mathord": "ord", "mathop": "op", "mathbin": "bin", "mathrel": "rel", "mathopen": "open",
    "mathclose": "close", "mathpunct": "punct", "mathinner": "inner",
}  # fmt: skip
#: A terminal has one size of letters.
_SIZES = """
tiny Tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge cramped
"""
#: What steers line breaks, spacing and amsmath's own macros.
_NOTHING = """
relax nobreak allowbreak nonumber notag strut mathstrut protect global long DOTSB DOTSI DOTSX
noindent par centering break hfil hfill hfilll vfill smallskip medskip bigskip noalign nonscript
allowdisplaybreaks displaybreak goodbreak unskip ignorespaces endgroup begingroup normalfont
expandafter noexpand adjustlimits xspace sixptsize lefteqn
boldmath unboldmath / - @
"""


def _font(style: str) -> Reader:
    return reads("a", lambda span, body: Styled(style, body, span) if style else body)


def _classed(kind: Class) -> Reader:
    def made(span: Span, body: Row) -> Node:
        name = plain(body) if kind == "op" and is_upright(body) else None
        if name is not None:
            return Operator(name, name, "display", False, span)
        if len(body.items) == 1 and type(body.items[0]) is Symbol and kind != "op":
            return body.items[0]._replace(kind=kind, span=span)
        return Classed(kind, body, span)

    return reads("a", made)


#: What a terminal cannot show, and a tree need not say.
_nothing = reads("", lambda _span: None)


# Spaces, rules, wrappers: \quad, \kern, \rule, \href, \raisebox

#: Widths in em, as amsmath sets them.
_WIDTHS = {
    "\\,": 1 / 6, "\\thinspace": 1 / 6, "\\:": 2 / 9, "\\>": 2 / 9, "\\medspace": 2 / 9,
    "\\;": 5 / 18, "\\thickspace": 5 / 18, "\\!": -1 / 6, "\\negthinspace": -1 / 6,
    "\\negmedspace": -2 / 9, "\\negthickspace": -5 / 18, "\\enspace": 0.5, "\\enskip": 0.5,
    "\\quad": 1.0, "\\qquad": 2.0, "\\ ": 1 / 3, "\\\n": 1 / 3, "\\\t": 1 / 3, "~": 1 / 3,
    "\\space": 1 / 3, "\\nobreakspace": 1 / 3, "\\hairsp": 1 / 10, "\\MTThinColon": 0.0,
}  # fmt: skip
_LOGOS = ("TeX", "LaTeX", "KaTeX")


def _space(em: float) -> Reader:
    return reads("", lambda span: Space(em, span))


def _rule(span: Span, _raised: str | None, width: float, height: float) -> Node:
    r"""\rule{width}{height}: a black box, or a strut that nobody sees."""
    if width <= 0 or height <= 0:
        return Space(max(width, 0.0), span)
    block = "█" if height > 0.45 else "▄" if height > 0.15 else "▁"
    return Text((block * min(40, max(1, round(width * 2))),), "", span)


def _words(span: Span, words: str) -> Node:
    return Text((words,), "", span)


def _logo(name: str) -> Reader:
    return reads("", lambda span: _words(span, name))


def _wrap(dropped: str) -> Reader:
    r"""A command whose first arguments leave no trace: \href{address}{content}."""
    return reads(dropped + "c", lambda span, *found: Row(found[-1].items, span))


def _shifted(parser: Parser, items: Items, _start: int) -> None:
    r"""Plain TeX's \raise2pt\hbox{...}"""
    parser.length()
    items.extend(content(parser, "\\raise").items)


def _tag(parser: Parser, items: Items, start: int) -> None:
    r"""\tag{2} numbers the row of the environment around it, or the formula."""
    starred = parser.take("*")
    words = text_argument(parser, "", "\\tag")
    parts = words.parts if starred else ("(", *words.parts, ")")
    joined: list[object] = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        else:
            joined.append(part)
    span = parser.since(start)
    text = Text(tuple(joined), "", words.span)  # type: ignore[arg-type]
    row = Row((text,), span)
    if "env" in parser.open:
        parser.tag = row
    else:
        items.append(Tag(row, span))


def _char(parser: Parser, items: Items, start: int) -> None:
    r"""\char"41, \char'101, \char65, \char`A"""
    token = parser.peek()
    base = {'"': 16, "'": 8}.get(token, 10)
    if token == "`":
        parser.i += 1
        char = parser.tokens[parser.i].removeprefix("\\")[:1]
        parser.i += bool(char)
    else:
        parser.i += base != 10
        digits = ""
        while parser.tokens[parser.i] in _DIGITS[base] and len(digits) < 7:
            digits += parser.tokens[parser.i]
            parser.i += 1
        point = int(digits, base) if digits else 0
        char = chr(point) if 0 < point < 0x110000 else ""
    if char:
        parser.other(parser, char, items, start) if char not in "\\#" else items.append(
            Symbol(char, "ord", char, parser.since(start))
        )


_DIGITS = {
    8: frozenset("01234567"),
    10: frozenset("0123456789"),
    16: frozenset("0123456789ABCDEFabcdef"),
}

STYLES: dict[str, Reader] = {
    **{"\\" + name: _font(style) for style, names in _FONTS.items() for name in names.split()},
    **{"\\" + name: _classed(kind) for name, kind in _CLASSES.items()},
    **{"\\" + name: _nothing for name in (_SIZES + _NOTHING).split()},
    **{name: _space(em) for name, em in _WIDTHS.items()},
    **dict.fromkeys(
        ["\\kern", "\\mkern", "\\hskip", "\\mskip", "\\hspace", "\\mspace", "\\vspace"],
        reads("*l", lambda span, _star, width: Space(width, span)),
    ),
    **{"\\" + name: _logo(name) for name in _LOGOS},
    "\\rule": reads("xll", _rule),
    **dict.fromkeys(["\\href", "\\htmlClass", "\\htmlId", "\\htmlStyle", "\\htmlData"], _wrap("r")),
    **dict.fromkeys(["\\class", "\\cssId", "\\style", "\\hyperref"], _wrap("r")),
    **dict.fromkeys(["\\bbox", "\\vcenter", "\\reflectbox", "\\mathreflectbox"], _wrap("")),
    "\\tag": _tag,
    **dict.fromkeys(
        ["\\label", "\\require", "\\vskip", "\\phantomsection"],
        reads("xr", lambda *_: None),
    ),
    **dict.fromkeys(["\\ref", "\\cite"], reads("r", _words)),
    "\\eqref": reads("r", lambda span, key: _words(span, f"({key})")),
    "\\raisebox": reads("lxxt", lambda _span, _raise, _height, _depth, words: words),
    **dict.fromkeys(["\\raise", "\\lower", "\\moveleft", "\\moveright"], _shifted),
    "\\url": reads("r", lambda span, words: Text((words,), "typewriter", span)),
    "\\includegraphics": reads("xr", lambda span, _options, _name: _words(span, "▨")),
    "\\char": _char,
}


# The name that a row spells: of \operatorname{...}, of \mathop{\rm ...}

#: A letter's own sign in a name: a hyphen, not a minus.
_PLAIN = {"−": "-", "∗": "*", "′": "'"}


def plain(row: Row) -> str | None:
    """The characters of a row of letters and spaces; None for one that holds anything else."""
    pieces: list[str] = []
    for node in row.items:
        piece: str | None = None
        if type(node) is Symbol:
            piece = _PLAIN.get(node.char, node.char)
        elif type(node) is Space:
            piece = " " if node.em > 0 else ""
        elif type(node) is Operator and not node.large:
            piece = node.text
        elif type(node) is Text and all(isinstance(part, str) for part in node.parts):
            piece = "".join(str(part) for part in node.parts)
        elif type(node) is Row:
            piece = plain(node)
        elif type(node) is Styled and node.style in ("roman", "text", "display"):
            piece = plain(node.body)
        if piece is None:
            return None
        pieces.append(piece)
    return "".join(pieces)


def is_upright(row: Row) -> bool:
    """Whether a row is one piece of upright text, as functions' names are set."""
    if len(row.items) != 1:
        return False
    only = row.items[0]
    return type(only) is Text or (type(only) is Styled and only.style == "roman")
