r"""Fonts of text mode, and its accents: \'e, \"o, \c{c}, which make one character of two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cards.math.reading.arguments import raw
from cards.math.reading.tokens import END

if TYPE_CHECKING:
    from cards.math.reading.core import Parser

#: Fonts over what follows in the group, and over an argument.
DECLARED = {
    "\\bf": "bold", "\\bfseries": "bold", "\\it": "italic", "\\itshape": "italic",
    "\\em": "italic", "\\sl": "italic", "\\slshape": "italic", "\\tt": "typewriter",
    "\\ttfamily": "typewriter", "\\sf": "sans", "\\sffamily": "sans", "\\rm": "",
    "\\rmfamily": "", "\\normalfont": "", "\\upshape": "", "\\mdseries": "", "\\sc": "",
    "\\scshape": "", "\\cal": "",
}  # fmt: skip
FONTS = {
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


def accented(parser: Parser, command: str) -> str | None:
    """The character that an accent makes with what follows it; None for other commands."""
    mark = MARKS.get(command)
    if mark is None:
        return None
    base = _base(parser)
    if command == "\\textcircled" and base in _CIRCLED:
        return _CIRCLED[base]
    from unicodedata import normalize

    return normalize("NFC", (base[:1] or " ") + mark) + base[1:]


def _base(parser: Parser) -> str:
    """The letters that an accent stands on: of a group, or of one token."""
    token = parser.peek()
    if token == "{":
        inner = raw(parser).strip()
        entry = parser.entries.get(inner)
        return entry[0] if isinstance(entry, tuple) else inner.replace("\\", "")
    if token == END or token in "}$&":
        return ""
    parser.i += 1
    entry = parser.entries.get(token)
    if isinstance(entry, tuple):
        return entry[0]
    return token if token[0] != "\\" else ""
