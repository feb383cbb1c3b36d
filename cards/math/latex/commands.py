r"""Commands that make a node of their arguments: fonts, spaces, fractions, accents, scripts,
operators."""

from __future__ import annotations

from typing import Literal
from unicodedata import normalize

from cards.math.latex.delimiters import fences
from cards.math.latex.parser import END, REACH, Items, Parser, Reader, length_at, replaced, row_of
from cards.math.latex.symbols import STRETCHED, pairs
from cards.math.latex.text import MARKS, content, reads, text_argument
from cards.math.tree import (
    Accent,
    Arrow,
    Boxed,
    Brace,
    BraceShape,
    Break,
    Choice,
    Class,
    Classed,
    Fraction,
    Node,
    Operator,
    Root,
    Row,
    Scripts,
    Space,
    Span,
    Stack,
    Styled,
    Symbol,
    Tag,
    Text,
    Treatment,
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

_STYLE_READERS: dict[str, Reader] = {
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


# Fractions, binomials, roots

Style = Literal["", "display", "text"]
_GENERAL: dict[str, Style] = {"0": "display", "1": "text", "2": "text", "3": "text"}


def _fraction(style: Style, rule: bool = True, left: str = "", right: str = "") -> Reader:
    return reads(
        "aa", lambda span, above, below: Fraction(above, below, rule, left, right, style, span)
    )


def _general(
    span: Span, left: str, right: str, thickness: str, style: str, above: Row, below: Row
) -> Node:
    r"""\genfrac{left}{right}{thickness}{style}{above}{below}"""
    opening, closing = (fences().get(fence.strip(), "") for fence in (left, right))
    width = length_at(thickness)
    rule = width is None or width[0] > 0
    wanted = _GENERAL.get(style.strip(), "")
    return Fraction(above, below, rule, opening, closing, wanted, span)


def _old_root(parser: Parser, items: Items, start: int) -> None:
    r"""Plain TeX's \root 3 \of x"""
    reach = parser.tokens[parser.i : parser.i + REACH]
    if "\\of" not in reach or END in reach[: reach.index("\\of")]:
        parser.missing("\\root")
        return
    end = parser.i + reach.index("\\of")
    degree = parser.until(end, "[")
    parser.i += 1
    body = parser.argument("\\root")
    items.append(Root(body, degree, parser.since(start)))


_FRACTION_READERS: dict[str, Reader] = {
    "\\frac": _fraction(""),
    "\\dfrac": _fraction("display"),
    **dict.fromkeys(["\\tfrac", "\\nicefrac", "\\sfrac"], _fraction("text")),
    "\\cfrac": reads(
        "xaa",
        lambda span, _side, above, below: Fraction(above, below, True, "", "", "display", span),
    ),
    "\\binom": _fraction("", False, "(", ")"),
    "\\dbinom": _fraction("display", False, "(", ")"),
    "\\tbinom": _fraction("text", False, "(", ")"),
    "\\genfrac": reads("rrrraa", _general),
    "\\sqrt": reads("oa", lambda span, degree, body: Root(body, degree, span)),
    "\\root": _old_root,
    "\\mathchoice": reads("aaaa", lambda span, *rows: Choice._make((*rows, span))),
}


# What is set over, under and around a row: accents, braces, stacks, arrows, boxes

_NARROW = "hat check tilde acute grave dot ddot dddot ddddot breve bar vec mathring"
_WIDE_OVER = (
    "widehat widecheck widetilde overline overrightarrow overleftarrow overleftrightarrow "
    "Overrightarrow overleftharpoon overrightharpoon"
)
_WIDE_UNDER = "underline underrightarrow underleftarrow underleftrightarrow utilde underleftharpoon"
#: Commands that name the same mark.
_SAME = {
    "underbar": "underline", "wideoverline": "overline", "overbar": "overline",
    "undertilde": "utilde", "underrightharpoon": "underrightarrow", "uwave": "utilde",
    "Vec": "vec", "Hat": "hat", "Bar": "bar", "Tilde": "tilde", "Dot": "dot", "Ddot": "ddot",
    "Acute": "acute", "Grave": "grave", "Breve": "breve", "Check": "check",
}  # fmt: skip
#: Text accents that are also written in mathematics by mistake.
_TEXTUAL = {
    "\\'": "acute", "\\`": "grave", "\\^": "hat", "\\~": "tilde", '\\"': "ddot", "\\=": "bar",
    "\\.": "dot", "\\u": "breve", "\\v": "check", "\\r": "mathring",
}  # fmt: skip
_BRACES: dict[str, BraceShape] = {
    "brace": "brace", "bracket": "bracket", "paren": "paren", "arc": "paren", "group": "paren",
    "linesegment": "line",
}  # fmt: skip
_BOXES: dict[str, Treatment] = {
    "cancel": "cancel", "bcancel": "bcancel", "xcancel": "xcancel", "sout": "strike",
    "phantom": "phantom", "hphantom": "hphantom", "vphantom": "vphantom", "mathllap": "lap",
    "mathrlap": "lap", "mathclap": "lap", "crampedllap": "lap", "crampedrlap": "lap",
    "crampedclap": "lap", "angl": "angle", "phase": "phase", "boxed": "box", "Aboxed": "box",
    "st": "strike", "hcancel": "strike",
}  # fmt: skip


def _accent(name: str, over: bool, wide: bool) -> Reader:
    return reads("c", lambda span, base: Accent(name, base, over, wide, span))


def _boxed(how: Treatment) -> Reader:
    return reads("c", lambda span, body: Boxed(how, body, span))


def _brace(shape: BraceShape, over: bool) -> Reader:
    return reads("xa", lambda span, _, base: Brace(shape, base, over, span))


def _cancel_to(span: Span, value: Row, body: Row) -> Node:
    r"""\cancelto{value}{what}: what is struck out, and the value at its end."""
    return Scripts(Boxed("cancel", body, body.span), None, value, None, span)


def _text_box(how: Treatment) -> Reader:
    def made(span: Span, _width: str | None, _place: str | None, words: Text) -> Node:
        return Boxed(how, Row((words,), words.span), span)

    return reads("xxt", made)


def _class_of(base: Row) -> Class:
    """The class of a base that something is set over: that of its sign or its functions."""
    if base.items and all(type(item) is Operator for item in base.items):
        return "op"
    only = base.items[0] if len(base.items) == 1 else None
    if type(only) is Symbol and only.kind in ("rel", "bin"):
        return only.kind
    if type(only) is Arrow:
        return "rel"
    return "ord"


def _overset(span: Span, over: Row, base: Row) -> Node:
    return Stack(base, over, None, _class_of(base), span)


def _underset(span: Span, under: Row, base: Row) -> Node:
    return Stack(base, None, under, _class_of(base), span)


def _stackrel(parser: Parser, items: Items, start: int) -> None:
    below = parser.optional()
    over, base = (parser.argument("\\stackrel") for _ in range(2))
    items.append(Stack(base, over, below, "rel", parser.since(start)))


def _built(parser: Parser, items: Items, start: int) -> None:
    r"""Plain TeX's \buildrel def\over="""
    over = parser.row(parser.open[-1], "infix")
    if parser.take("\\over"):
        base = parser.argument("\\buildrel")
        items.append(Stack(base, over, None, "rel", parser.since(start)))
    else:
        items.append(over)


def _arrow(char: str) -> Reader:
    return reads(
        "oa", lambda span, under, over: Arrow(char, over if over.items else None, under, span)
    )


#: A mark that has no form of its own here: its base is kept.
_unmarked = reads("a", lambda _, base: base)


def _accents() -> dict[str, Reader]:
    found = {name: _accent(name, True, False) for name in _NARROW.split()}
    found |= {name: _accent(name, True, True) for name in _WIDE_OVER.split()}
    found |= {name: _accent(name, False, True) for name in _WIDE_UNDER.split()}
    found |= {name: found.get(same, _unmarked) for name, same in _SAME.items()}
    commands = {"\\" + name: reader for name, reader in found.items()}
    return commands | {mark: commands["\\" + name] for mark, name in _TEXTUAL.items()}


_MARK_READERS: dict[str, Reader] = {
    **{mark: _unmarked for mark in MARKS if mark != "\\t"},
    **_accents(),
    **{"\\" + name: _arrow(char) for names, char in pairs(STRETCHED) for name in names},
    **{f"\\over{name}": _brace(shape, True) for name, shape in _BRACES.items()},
    **{f"\\under{name}": _brace(shape, False) for name, shape in _BRACES.items()},
    **{"\\" + name: _boxed(how) for name, how in _BOXES.items()},
    "\\cancelto": reads("aa", _cancel_to),
    "\\buildrel": _built,
    "\\smash": reads("xc", lambda span, _, body: Boxed("smash", body, span)),
    **dict.fromkeys(["\\fbox", "\\framebox"], _text_box("box")),
    **dict.fromkeys(["\\llap", "\\rlap", "\\clap"], _text_box("lap")),
    "\\stackrel": _stackrel,
    **dict.fromkeys(["\\overset", "\\accentset"], reads("aa", _overset)),
    **dict.fromkeys(["\\underset", "\\underaccent"], reads("aa", _underset)),
    "\\overunderset": reads(
        "aaa", lambda span, over, under, base: Stack(base, over, under, _class_of(base), span)
    ),
    "\\underoverset": reads(
        "aaa", lambda span, under, over, base: Stack(base, over, under, _class_of(base), span)
    ),
}


# Scripts, primes, \limits: what stands low and high at the atom before

#: Unicode's own raised and lowered characters, and what they stand for.
_RAISED = dict(
    zip(
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵝᵞᵟᵠᵡᶿ",
        "0123456789+-=()ABDEGHIJKLMNOPRTUVWabcdefghijklmnoprstuvwxyzβγδϕχθ",
        strict=True,
    )
)
_LOWERED = dict(
    zip(
        "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ",
        "0123456789+-=()aehijklmnoprstuvxβγρϕχ",
        strict=True,
    )
)
_PRIMES = {"'": 1, "′": 1, "″": 2, "‴": 3, "⁗": 4}
_LIMITS = {"\\limits": True, "\\nolimits": False, "\\displaylimits": None}


def scripts(parser: Parser, items: Items, start: int) -> None:
    """Reads all the scripts here and hangs them on the last of `items`."""
    parser.i -= 1
    base: Node | None = None
    if items and type(items[-1]) not in _BARE:
        base = items.pop()
        start = base.span[0]
    low: Items = []
    high: Items = []
    limits: bool | None = None
    while (token := parser.peek()) in _SCRIPT_READERS:
        if token in _LIMITS:
            limits = _LIMITS[token]
            parser.i += 1
        else:
            _read(parser, token, low, high)
    if type(base) is Row and not base.items:
        base = None
    if low or high:
        span = (start, max(item.span[1] for item in (*low[-1:], *high[-1:])))
        below = row_of(low, start) if low else None
        items.append(Scripts(base, below, row_of(high, start) if high else None, limits, span))
    elif base is not None:
        items.append(base)


def _read(parser: Parser, token: str, low: Items, high: Items) -> None:
    """Reads one script, which `token` begins or is, onto its side."""
    span = parser.here()
    parser.i += 1
    if token in _PRIMES:
        high.extend([Symbol("′", "ord", "prime", span)] * _PRIMES[token])
        return
    side = low if token == "_" or token in _LOWERED else high
    if token not in ("_", "^"):
        meaning = parser.entries[_RAISED.get(token) or _LOWERED[token]]
        if isinstance(meaning, tuple):
            side.append(Symbol(*meaning, span))
        return
    following = parser.peek()
    found: tuple[Node, ...] = ()
    if following in _PRIMES:
        found = (Symbol("′", "ord", "prime", parser.here()),)
        parser.i += 1
    elif following in ("_", "^"):
        parser.missing(token)
    else:
        found = parser.argument(token).items
    if not all(type(item) is Symbol and item.name == "prime" for item in side):
        parser.problem(
            f"Two {'sub' if token == '_' else 'super'}scripts stand at one place.",
            "Put braces around one of them and what it belongs to.",
            parser.since(span[0]),
        )
    side.extend(found)


_BARE = frozenset({Space, Break, Tag})
_SCRIPT_READERS: dict[str, Reader] = dict.fromkeys(
    ["^", "_", *_PRIMES, *_LIMITS, *_RAISED, *_LOWERED], scripts
)


# Functions and operators that a formula names itself, modulo, \not, and side scripts


def _named(parser: Parser, items: Items, start: int) -> None:
    r"""\operatorname{...} and \operatorname*{...}; the latter takes limits."""
    limits = parser.command == "\\operatornamewithlimits"
    parser.peek()
    limits = parser.take("*") or limits
    body = parser.argument("\\operatorname")
    text = plain(body)
    span = parser.since(start)
    if text is not None:
        name = text.replace(" ", "")
        items.append(Operator(text, name, "display" if limits else "never", False, span))
        return
    items.append(Classed("op", Row((Styled("roman", body, body.span),), body.span), span))
    if not limits and parser.peek() in ("_", "^", "'"):
        parser.i += 1
        scripts(parser, items, start)
        last = items[-1]
        if type(last) is Scripts and last.limits is None:
            items[-1] = last._replace(limits=False)


def _modulo(parser: Parser, items: Items, start: int) -> None:
    r"""\bmod, \mod n, \pmod n, \pod n."""
    name = parser.command
    span = parser.since(start)
    word = Text(("mod",), "", span)
    if name == "\\bmod":
        items.append(Classed("bin", Row((word,), span), span))
        return
    items.append(Space(1.0, span))
    if name == "\\mod":
        items.extend((word, Space(1 / 3, span)))
        return
    items.append(Symbol("(", "open", "(", span))
    if name == "\\pmod":
        items.extend((word, Space(1 / 3, span)))
    items.extend(parser.argument(name).items)
    end = parser.since(start)[1]
    items.append(Symbol(")", "close", ")", (end, end)))


def _not(parser: Parser, items: Items, start: int) -> None:
    r"""\not: the next sign, struck through: one character, composed where Unicode has none."""
    row = parser.argument("\\not")
    if not row.items:
        return
    first = row.items[0]
    if type(first) is Symbol:
        items.append(negated(parser, first)._replace(span=(start, first.span[1])))
        items.extend(row.items[1:])
        return
    items.append(Symbol("/", "rel", "not", (start, start + 1)))
    items.extend(row.items)


def negated(parser: Parser, symbol: Symbol) -> Symbol:
    char = normalize("NFC", symbol.char[0] + "\u0338") + symbol.char[1:]
    entry = parser.entries.get(char)
    name = entry[2] if isinstance(entry, tuple) else f"not {symbol.name}"
    return symbol._replace(char=char, name=name)


def _sideset(span: Span, before: Row, after: Row, base: Row) -> Node:
    r"""\sideset{_a^b}{_c^d}\sum: scripts at the corners of an operator."""
    return Classed("op", Row((*before.items, *base.items, *after.items), span), span)


def _prescript(parser: Parser, items: Items, start: int) -> None:
    r"""\prescript{above}{below}{base}"""
    above, below = (parser.argument("\\prescript") for _ in range(2))
    items.append(Scripts(None, below, above, None, parser.since(start)))
    items.extend(parser.argument("\\prescript").items)


def _dots(parser: Parser, items: Items, start: int) -> None:
    r"""\dots: on the axis before an operator or a relation, on the baseline elsewhere."""
    span = parser.since(start)
    token = parser.peek()
    entry = parser.entries.get(token)
    middle = token in _MIDDLE or (isinstance(entry, tuple) and entry[1] in ("bin", "rel"))
    char, name = ("⋯", "cdots") if middle else ("…", "ldots")
    items.append(Symbol(char, "inner", name, span))


_MIDDLE_NAMES = """
not sum prod coprod bigcup bigcap bigoplus bigotimes bigvee bigwedge bigsqcup biguplus bigodot
int oint iint iiint mathbin mathrel xrightarrow xleftarrow bmod
"""
_MIDDLE = frozenset("\\" + name for name in _MIDDLE_NAMES.split())

#: Names of sets, by their letters.
_SETS = {
    "N": "N natnums",
    "Z": "Z",
    "Q": "Q",
    "R": "R Reals reals",
    "C": "C cnums Complex",
    "k": "Bbbk",
}
#: Commands that stand for others, as the packages braket, mathtools and amsmath define them.
_MEANINGS = {
    "\\bra": "\\mathinner{\\langle{#1}|}",
    "\\ket": "\\mathinner{|{#1}\\rangle}",
    "\\braket": "\\mathinner{\\langle{#1}\\rangle}",
    "\\ketbra": "\\mathinner{|{#1}\\rangle\\langle{#2}|}",
    "\\angln": "{\\angl n}",
    "\\varlimsup": "\\mathop{\\overline{\\mathrm{lim}}}",
    "\\varliminf": "\\mathop{\\underline{\\mathrm{lim}}}",
    "\\varinjlim": "\\mathop{\\underrightarrow{\\mathrm{lim}}}",
    "\\varprojlim": "\\mathop{\\underleftarrow{\\mathrm{lim}}}",
    "\\idotsint": "\\int\\cdots\\int",
    "\\vdotswithin": "\\vdots",
    "\\lq": "‘",
    "\\rq": "'",
    "\\centernot": "\\not{#1}",
}

_OPERATOR_READERS: dict[str, Reader] = {
    "\\operatorname": _named,
    "\\operatornamewithlimits": _named,
    **dict.fromkeys(["\\bmod", "\\mod", "\\pmod", "\\pod"], _modulo),
    "\\not": _not,
    "\\sideset": reads("aaa", _sideset),
    "\\prescript": _prescript,
    "\\dots": _dots,
    **{name: replaced(meaning) for name, meaning in _MEANINGS.items()},
    **{
        "\\" + name: replaced(f"\\mathbb{{{letter}}}")
        for letter, names in _SETS.items()
        for name in names.split()
    },
}

COMMANDS: dict[str, Reader] = {
    **_FRACTION_READERS,
    **_MARK_READERS,
    **_SCRIPT_READERS,
    **_OPERATOR_READERS,
    **_STYLE_READERS,
}
