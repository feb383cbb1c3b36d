r"""Text inside a formula: \text and its fonts, ligatures, accents, formulas in it; and colours.

Blanks count here, and the characters stand for themselves.  `text_row` is to text what `Parser.row`
is to mathematics.  `reads` makes the reader of a command from the kinds of its arguments.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from unicodedata import normalize

from cards.math.latex.parser import (
    DEEPEST,
    END,
    Items,
    Parser,
    Reader,
    RowEnd,
    declaration,
    outside,
)
from cards.math.latex.symbols import closest, drawable
from cards.math.tree import Boxed, Node, Row, Space, Span, Styled, Symbol, Text

#: Fonts over what follows in the group, and over an argument.
_DECLARED = {
    "\\bf": "bold", "\\bfseries": "bold", "\\it": "italic", "\\itshape": "italic",
    "\\em": "italic", "\\sl": "italic", "\\slshape": "italic", "\\tt": "typewriter",
    "\\ttfamily": "typewriter", "\\sf": "sans", "\\sffamily": "sans", "\\rm": "",
    "\\rmfamily": "", "\\normalfont": "", "\\upshape": "", "\\mdseries": "", "\\sc": "",
    "\\scshape": "", "\\cal": "",
}  # fmt: skip
_FONTS = {
    "\\text": "", "\\textrm": "", "\\textnormal": "", "\\textup": "", "\\textmd": "",
    "\\mbox": "", "\\hbox": "", "\\textsc": "", "\\mathmbox": "", "\\textsl": "italic",
    "\\textbf": "bold", "\\textit": "italic", "\\emph": "italic", "\\textsf": "sans",
    "\\texttt": "typewriter",
}  # fmt: skip
#: Combining characters.
MARKS = {
    "\\'": "\u0301", "\\`": "\u0300", "\\^": "\u0302", "\\~": "\u0303", '\\"': "\u0308",
    "\\=": "\u0304", "\\.": "\u0307", "\\u": "\u0306", "\\v": "\u030c", "\\H": "\u030b",
    "\\r": "\u030a", "\\c": "\u0327", "\\k": "\u0328", "\\d": "\u0323", "\\b": "\u0331",
    "\\t": "\u0361", "\\textcircled": "\u20dd",
}  # fmt: skip
_CIRCLED = {"c": "©", "r": "®", "R": "®", "C": "©"}


def _accented(parser: Parser, command: str) -> str:
    """The character that an accent makes with the letters of a group or a token behind it."""
    token = parser.peek()
    base = ""
    if token == "{":
        inner = parser.raw().strip()
        entry = parser.entries.get(inner)
        base = entry[0] if isinstance(entry, tuple) else inner.replace("\\", "")
    elif token != END and token not in "}$&":
        parser.i += 1
        entry = parser.entries.get(token)
        base = entry[0] if isinstance(entry, tuple) else token if token[0] != "\\" else ""
    if command == "\\textcircled" and base in _CIRCLED:
        return _CIRCLED[base]
    return normalize("NFC", (base[:1] or " ") + MARKS[command]) + base[1:]


#: What a blank that no line may be broken at becomes.
_TIE = "\u00a0"

_LIGATURES = {
    "`": ("‘", "“"),
    "'": ("’", "”"),
    "-": ("-", "–", "—"),
}


def text_argument(parser: Parser, font: str = "", of: str = "") -> Text:
    """One argument as text: a group in braces, or one token."""
    token = parser.peek()
    start = parser.starts[parser.i]
    parts: list[str | Node] = []
    if token == "{":
        parser.i += 1
        parts = text_row(parser, font)
        parser.close_brace(start)
    elif isinstance(parser.entries.get(token), RowEnd) and token != "$":
        parser.missing(of)
        return Text((), font, (start, start))
    else:
        _piece(parser, parts, font)
    return Text(_joined(parts, font), font, parser.since(start))


def text_row(parser: Parser, font: str) -> list[str | Node]:
    """Reads text up to the brace that ends its group, and does not take that."""
    parts: list[str | Node] = []
    if parser.depth >= DEEPEST:
        return [_flat(parser)]
    outer = parser.text
    parser.text = True
    parser.open.append("{")
    parser.depth += 1
    while parser.tokens[parser.i] not in _ENDS:
        _piece(parser, parts, font)
    parser.depth -= 1
    parser.open.pop()
    parser.text = outer
    return parts


_ENDS = frozenset({"}", "\\egroup", END})


def _flat(parser: Parser) -> str:
    """The characters of text that lies too deep, up to the brace that ends it."""
    parser.too_deep()
    first, braces = parser.i, {"{": 1, "\\bgroup": 1, "}": -1, "\\egroup": -1}
    *_, (parser.i, _) = outside(parser.tokens, first, braces)
    return "".join(
        _printable(parser, parser.tokens[at], parser.starts[at])
        for at in range(first, parser.i)
        if parser.tokens[at][0] not in "\\{}$%&#"
    )


def _piece(parser: Parser, parts: list[str | Node], font: str) -> None:
    """Reads one token, and what belongs to it, onto `parts`."""
    token = parser.tokens[parser.i]
    start = parser.starts[parser.i]
    first = token[0]
    if parser.macros and token in parser.macros:
        parser.expand(token, parser.macros[token])
        return
    parser.i += 1
    if first in " \t\n\r\f\v":
        parts.append(" ")
    elif first == "~":
        parts.append(_TIE)
    elif token in _LIGATURES:
        forms = _LIGATURES[token] if font != "typewriter" else (token,)
        count = 1
        while count < len(forms) and parser.take(token):
            count += 1
        parts.append(forms[count - 1])
    elif token == "{" or token == "\\bgroup":
        parts.extend(text_row(parser, font))
        parser.close_brace(start)
    elif token == "$" or token == "\\(":
        _formula(parser, parts, "$" if token == "$" else "\\)", start)
    elif first == "\\":
        _command(parser, parts, token, font)
    elif first != "%":
        parts.append(_printable(parser, token, start))


def _printable(parser: Parser, token: str, start: int) -> str:
    return token if token.isascii() and token.isprintable() else drawable(parser, token, start)


def _formula(parser: Parser, parts: list[str | Node], closer: str, start: int) -> None:
    row = parser.row("math")
    if not parser.take(closer) and not parser.deep:
        parser.problem(
            "A formula in the text is never closed.",
            f"Add {closer} where it ends.",
            (start, start + 1),
        )
    parts.append(Row(row.items, parser.since(start)))


def _command(parser: Parser, parts: list[str | Node], token: str, font: str) -> None:
    """What the command `token`, which has just been taken, makes in text."""
    start = parser.starts[parser.i - 1]
    if token in ("\\\\", "\\ ", "\\\n", "\\newline", "\\cr"):
        parts.append(" ")
        return
    if token[-1].isalpha():
        while parser.tokens[parser.i][:1] in (" ", "\n", "\t", "\r"):
            parser.i += 1
    entry = parser.entries.get(token)
    if token in MARKS:
        parts.append(_accented(parser, token))
    elif token in _DECLARED:
        inner = _DECLARED[token]
        rest = text_row(parser, inner)
        parts.append(Text(_joined(rest, inner), inner, parser.since(start)))
    elif token == "\\color":
        style = colour(parser)
        rest = text_row(parser, font)
        words = Text(_joined(rest, font), font, parser.since(start))
        parts.append(Styled(style, Row((words,), words.span), words.span))
    elif isinstance(entry, tuple):
        parts.append(entry[0])
    elif isinstance(entry, RowEnd):  # a token of mathematics that has no place here
        if not token.endswith("style"):
            hint = "Put it between $ and $."
            parser.problem(f"{token} has no place in text.", hint, parser.since(start))
        if token == "\\end":
            parser.raw()
    else:
        for node in parser.made_by(token, entry, start):
            if type(node) is Space:
                parts.append(" " * max(0, round(node.em * 2)) or (" " if node.em > 0 else ""))
            else:
                parts.append(node.char if type(node) is Symbol else node)


def _joined(parts: list[str | Node], font: str) -> tuple[str | Node, ...]:
    """`parts` with neighbouring strings joined, and text of the same font made part of it."""
    joined: list[str | Node] = []
    words: list[str] = []
    for part in parts:
        pieces = part.parts if type(part) is Text and part.font in ("", font) else (part,)
        for piece in pieces:
            if isinstance(piece, str):
                words.append(piece)
                continue
            if words:
                joined.append("".join(words))
                words.clear()
            joined.append(piece)
    if words:
        joined.append("".join(words))
    return tuple(joined)


def content(parser: Parser, of: str = "") -> Row:
    """An argument of the mode that surrounds it: mathematics, or text."""
    if not parser.text:
        return parser.argument(of)
    words = text_argument(parser, "", of)
    return Row((words,), words.span)


#: How each kind of argument is read, for the command that asks for it.
_ARGUMENTS: dict[str, Callable[[Parser, str], object]] = {
    "a": Parser.argument,
    "c": content,
    "t": lambda parser, of: text_argument(parser, "", of),
    "k": lambda parser, _: colour(parser),
    "r": lambda parser, _: parser.raw(),
    "l": lambda parser, _: parser.length(),
    "o": Parser.optional,
    "x": lambda parser, _: parser.optional_raw(),
    "*": lambda parser, _: parser.take("*"),
}


def reads(kinds: str, make: Callable[..., Node | None]) -> Reader:
    """A command that makes a node (or none) of its span and its arguments.

    `kinds` has a letter for each argument: `a` a row, `c` a row or text as the surroundings are,
    `t` text, `k` a colour, `r` as it is written, `l` a length; in brackets, None where there is
    none: `o` a row, `x` as it is written; `*` whether there is a star.
    """
    arguments = [_ARGUMENTS[kind] for kind in kinds]

    def read(parser: Parser, items: Items, start: int) -> None:
        name = parser.tokens[parser.i - 1]
        found = [argument(parser, name) for argument in arguments]
        node = make(parser.since(start), *found)
        if node is not None:
            items.append(node)

    return read


def _font(font: str) -> Reader:
    def read(parser: Parser, items: Items, _start: int) -> None:
        items.append(text_argument(parser, font, parser.command))

    return read


# Colours

_CSS = """
aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet
brown burlywood cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue
darkcyan darkgoldenrod darkgray darkgreen darkgrey darkkhaki darkmagenta darkolivegreen darkorange
darkorchid darkred darksalmon darkseagreen darkslateblue darkslategray darkslategrey darkturquoise
darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue firebrick floralwhite forestgreen
fuchsia gainsboro ghostwhite gold goldenrod gray green greenyellow grey honeydew hotpink indianred
indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan
lightgoldenrod lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon
lightseagreen lightskyblue lightslateblue lightslategray lightslategrey lightsteelblue lightyellow
lime limegreen linen magenta maroon mediumaquamarine mediumblue mediumorchid mediumpurple
mediumseagreen mediumslateblue mediumspringgreen mediumturquoise mediumvioletred midnightblue
mintcream mistyrose moccasin navajowhite navy navyblue oldlace olive olivedrab orange orangered
orchid palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru pink plum
powderblue purple rebeccapurple red rosybrown royalblue saddlebrown salmon sandybrown seagreen
seashell sienna silver skyblue slateblue slategray slategrey snow springgreen steelblue tan teal
thistle tomato transparent turquoise violet violetred wheat white whitesmoke yellow yellowgreen
"""
_DVIPS = """
apricot bittersweet bluegreen brickred burntorange carnationpink cerulean dandelion emerald
junglegreen mahogany melon mulberry peach periwinkle pinegreen processblue rawsienna redorange
redviolet rhodamine royalpurple rubinered sepia tealblue wildstrawberry yelloworange
"""


@cache
def _colour_names() -> frozenset[str]:
    """In small letters."""
    return frozenset((_CSS + _DVIPS).split())


_HEX = re.compile(r"#?([0-9a-fA-F]{6}|[0-9a-fA-F]{3})")
#: xcolor's mixtures: red!50!blue, -red.
_MIXES = re.compile(r"[!-]+")
_PER_CENT = re.compile(r"[0-9.]*")

#: KaTeX's colour commands: families with their shades, A the lightest.
_SHADES = """
blue 6495ed ccfaff 80f6ff 63d9ea 11accd 0c7f99
teal - 94fff5 26edd5 01d1c1 01a995 208170
green 28ae7b b6ffb0 8af281 74cf70 1fab54 0d923f
gold - ffd0a9 ffbb71 ff9c39 e07d10 a75a05
red df0030 fca9a9 ff8482 f9685d e84d39 bc2612
maroon - ffbde0 ff92c6 ed5fa6 ca337c 9e034e
purple 9d38bd ddd7ff c6b9fc aa87ff 7854ab 543b78
mint - f5f9e8 edf2df e0e5cc
gray gray f6f7f7 f0f1f2 e3e5e6 d6d8da babec2 888d93 626569 3b3e40 21242c
orange ffa500
pink ff00af
kaBlue 314453
kaGreen 71b307
"""


def colour(parser: Parser) -> str:
    """Reads a colour, perhaps after its model in brackets; "color:...", or "" for none known."""
    model = parser.optional_raw()
    parser.peek()
    start = parser.starts[parser.i]
    name = parser.raw().strip()
    found = _colour(model, name)
    if not found:
        said = (name if not model else f"{model} {name}")[:60]
        parser.problem(
            f"The colour {said} is not known." if name else "A colour is missing here.",
            _hint(name) if len(parser.problems) < 10 else _WAY_OUT,
            parser.since(start),
        )
    return found


def _colour(model: str | None, name: str) -> str:
    if model in _MODELS:
        return _mixed(model, name)
    found = _HEX.fullmatch(name)
    if found and (name[0] == "#" or model == "HTML" or name.isdigit()):
        digits = found[1].lower()
        return "color:#" + (digits if len(digits) == 6 else "".join(c * 2 for c in digits))
    words = [word for word in _MIXES.split(name) if not _PER_CENT.fullmatch(word)]
    known = bool(words) and all(word.lower() in _colour_names() for word in words)
    return f"color:{words[0]}" if known else ""


_WAY_OUT = "Write a name such as red, or #ff0000."


def _hint(name: str) -> str:
    near = closest(name[:40].lower(), sorted(_colour_names()))
    return f"Did you mean {near}?" if near else _WAY_OUT


#: Models of xcolor's: how many numbers, and the largest.
_MODELS = {"rgb": (3, 1), "RGB": (3, 255), "gray": (1, 1), "cmyk": (4, 1)}


def _mixed(model: str, values: str) -> str:
    count, most = _MODELS[model]
    try:
        parts = [float(part) / most for part in values.split(",")]
    except ValueError:
        return ""
    if len(parts) != count or not all(0 <= part <= 1 for part in parts):
        return ""
    if count == 4:
        *inks, black = parts
        parts = [(1 - ink) * (1 - black) for ink in inks]
    elif count == 1:
        parts *= 3
    return "color:#" + "".join(f"{round(part * 255):02x}" for part in parts)


def _styled(span: Span, style: str, body: Row) -> Node:
    return Styled(style, body, span) if style else body


def _box(span: Span, style: str, words: Text) -> Node:
    return _styled(span, style.replace("color:", "background:"), Row((words,), words.span))


def _framed(span: Span, _frame: str, style: str, words: Text) -> Node:
    box = _box(words.span, style, words)
    return Boxed("box", Row((box,), box.span), span)


def _fixed(style: str) -> Reader:
    return reads("c", lambda span, body: Styled(style, body, span))


def _named() -> dict[str, Reader]:
    found: dict[str, Reader] = {}
    for line in _SHADES.strip().splitlines():
        name, plain, *shades = line.split()
        if plain != "-":
            found["\\" + name] = _fixed("color:" + ("gray" if plain == "gray" else "#" + plain))
        for letter, shade in zip("ABCDEFGHI", shades, strict=False):
            found[f"\\{name}{letter}"] = _fixed("color:#" + shade)
    return found


TEXTS: dict[str, Reader | RowEnd] = {
    **{name: _font(font) for name, font in _FONTS.items()},
    **_named(),
    "\\color": declaration("color", colour),
    "\\textcolor": reads("kc", _styled),
    "\\colorbox": reads("kt", _box),
    "\\fcolorbox": reads("kkt", _framed),
}
