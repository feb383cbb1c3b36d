r"""Fonts and classes of atoms, spaces, and commands that only wrap what they hold."""

from __future__ import annotations

from cards.math.latex.parser import Items, Parser, Reader
from cards.math.latex.text import content, text_argument
from cards.math.tree import Class, Classed, Operator, Row, Space, Styled, Symbol, Tag, Text

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
    def read(parser: Parser, items: Items, start: int) -> None:
        body = parser.argument(parser.command)
        if style:
            items.append(Styled(style, body, parser.since(start)))
        else:
            items.append(body)

    return read


def _classed(kind: Class) -> Reader:
    def read(parser: Parser, items: Items, start: int) -> None:
        body = parser.argument(parser.command)
        name = plain(body) if kind == "op" and is_upright(body) else None
        if name is not None:
            items.append(Operator(name, name, "display", False, parser.since(start)))
        elif len(body.items) == 1 and type(body.items[0]) is Symbol and kind != "op":
            items.append(body.items[0]._replace(kind=kind, span=parser.since(start)))
        else:
            items.append(Classed(kind, body, parser.since(start)))

    return read


def nothing(_parser: Parser, _items: Items, _start: int) -> None:
    """What a terminal cannot show, and a tree need not say."""


_FONT_READERS: dict[str, Reader] = {
    **{"\\" + name: _font(style) for style, names in _FONTS.items() for name in names.split()},
    **{"\\" + name: _classed(kind) for name, kind in _CLASSES.items()},
    **{"\\" + name: nothing for name in (_SIZES + _NOTHING).split()},
}


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
    def read(parser: Parser, items: Items, start: int) -> None:
        items.append(Space(em, parser.since(start)))

    return read


def _kern(parser: Parser, items: Items, start: int) -> None:
    parser.take("*")
    width = parser.length()
    items.append(Space(width, parser.since(start)))


def _rule(parser: Parser, items: Items, start: int) -> None:
    r"""\rule{width}{height}: a black box, or a strut that nobody sees."""
    parser.optional_raw()
    width, height = parser.length(), parser.length()
    span = parser.since(start)
    if width <= 0 or height <= 0:
        items.append(Space(max(width, 0.0), span))
    else:
        block = "█" if height > 0.45 else "▄" if height > 0.15 else "▁"
        items.append(Text((block * min(40, max(1, round(width * 2))),), "", span))


def _logo(name: str) -> Reader:
    def read(parser: Parser, items: Items, start: int) -> None:
        items.append(Text((name,), "", parser.since(start)))

    return read


def _wrap(dropped: int) -> Reader:
    r"""A command whose first `dropped` arguments leave no trace: \href{address}{content}."""

    def read(parser: Parser, items: Items, start: int) -> None:
        for _ in range(dropped):
            parser.raw()
        body = content(parser)
        items.append(Row(body.items, parser.since(start)))

    return read


def _drop(arguments: int) -> Reader:
    def read(parser: Parser, _items: Items, _start: int) -> None:
        parser.optional_raw()
        for _ in range(arguments):
            parser.raw()

    return read


def _raised(parser: Parser, items: Items, _start: int) -> None:
    parser.length()
    while parser.optional_raw() is not None:
        pass
    items.append(text_argument(parser))


def _shifted(parser: Parser, items: Items, _start: int) -> None:
    r"""Plain TeX's \raise2pt\hbox{...}"""
    parser.length()
    items.extend(content(parser, "\\raise").items)


def _verbatim(font: str) -> Reader:
    def read(parser: Parser, items: Items, start: int) -> None:
        items.append(Text((parser.raw(),), font, parser.since(start)))

    return read


def _reference(parser: Parser, items: Items, start: int) -> None:
    bracketed = parser.command == "\\eqref"
    key = parser.raw()
    items.append(Text((f"({key})" if bracketed else key,), "", parser.since(start)))


def _image(parser: Parser, items: Items, start: int) -> None:
    parser.optional_raw()
    parser.raw()
    items.append(Text(("▨",), "", parser.since(start)))


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

_SPACE_READERS: dict[str, Reader] = {
    **{name: _space(em) for name, em in _WIDTHS.items()},
    **dict.fromkeys(
        ["\\kern", "\\mkern", "\\hskip", "\\mskip", "\\hspace", "\\mspace", "\\vspace"], _kern
    ),
    **{"\\" + name: _logo(name) for name in _LOGOS},
    "\\rule": _rule,
    **dict.fromkeys(["\\href", "\\htmlClass", "\\htmlId", "\\htmlStyle", "\\htmlData"], _wrap(1)),
    **dict.fromkeys(["\\class", "\\cssId", "\\style", "\\hyperref", "\\bbox"], _wrap(1)),
    "\\bbox": _wrap(0),
    **dict.fromkeys(["\\vcenter", "\\reflectbox", "\\mathreflectbox", "\\mathstrut@"], _wrap(0)),
    "\\tag": _tag,
    **dict.fromkeys(
        ["\\label", "\\require", "\\vskip", "\\phantomsection", "\\hphantom@"], _drop(1)
    ),
    **dict.fromkeys(["\\ref", "\\eqref", "\\cite"], _reference),
    "\\raisebox": _raised,
    **dict.fromkeys(["\\raise", "\\lower", "\\moveleft", "\\moveright"], _shifted),
    "\\url": _verbatim("typewriter"),
    "\\includegraphics": _image,
    "\\char": _char,
    "\\!@": nothing,
}

STYLES: dict[str, Reader] = {**_FONT_READERS, **_SPACE_READERS}


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
