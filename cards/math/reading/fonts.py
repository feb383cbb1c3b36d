r"""Fonts, classes and sizes: \mathbf{x}, \boldsymbol, \mathbin{...}, \large."""

from __future__ import annotations

from cards.math.reading.core import Items, Parser, Reader
from cards.math.reading.names import is_upright, plain
from cards.math.tree import Class, Classed, Operator, Styled, Symbol

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
        body = parser.argument(parser.tokens[parser.i - 1])
        if style:
            items.append(Styled(style, body, parser.since(start)))
        else:
            items.append(body)

    return read


def _classed(kind: Class) -> Reader:
    def read(parser: Parser, items: Items, start: int) -> None:
        body = parser.argument(parser.tokens[parser.i - 1])
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


READERS: dict[str, Reader] = {
    **{"\\" + name: _font(style) for style, names in _FONTS.items() for name in names.split()},
    **{"\\" + name: _classed(kind) for name, kind in _CLASSES.items()},
    **{"\\" + name: nothing for name in (_SIZES + _NOTHING).split()},
}
