r"""Characters and commands that no table holds: styled letters of Unicode, blanks, the unknown."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from cards.math.reading.groups import verbatim
from cards.math.tree import Class, Row, Space, Styled, Symbol, Unknown

if TYPE_CHECKING:
    from cards.math.reading.core import Items, Parser

_SPACES = {
    "\u00a0": 1 / 3, "\u2002": 0.5, "\u2003": 1.0, "\u2004": 1 / 3, "\u2005": 0.25,
    "\u2006": 1 / 6, "\u2007": 0.5, "\u2008": 1 / 6, "\u2009": 1 / 6, "\u200a": 0.1,
    "\u202f": 1 / 6, "\u205f": 2 / 9, "\u3000": 1.0,
}  # fmt: skip

#: The names of Unicode's mathematical alphabets, by the word that tells them apart.
_ALPHABETS = (
    ("DOUBLE-STRUCK", "bb"),
    ("SCRIPT", "cal"),
    ("FRAKTUR", "frak"),
    ("BLACK-LETTER", "frak"),
    ("SANS-SERIF", "sans"),
    ("MONOSPACE", "typewriter"),
    ("BOLD ITALIC", "bold-italic"),
    ("BOLD", "bold"),
    ("ITALIC", "italic"),
)
_CLASSES: dict[str, Class] = {"Sm": "rel", "Ps": "open", "Pe": "close", "Pi": "open", "Pf": "close"}


def other(parser: Parser, token: str, items: Items, start: int) -> None:
    """Reads a token that is in no table onto `items`."""
    first = token[0]
    if token.startswith("\\verb") and not token[5:6].isalpha() and len(token) > 6:
        items.append(verbatim(token, parser.since(start)))
    elif first in "\\#":
        unknown(parser, token, items, start)
    elif first in " \t\n\r\f\v%":
        return
    elif first in _SPACES:
        items.append(Space(_SPACES[first], parser.since(start)))
    else:
        char = drawable(parser, token, start)
        font = _alphabet(char)
        span = parser.since(start)
        if font:
            entry = parser.entries.get(unicodedata.normalize("NFKC", char))
            if isinstance(entry, tuple):
                items.append(Styled(font, Row((Symbol(*entry, span),), span), span))
                return
        if char:
            items.append(_symbol(parser, char, span))


def _symbol(parser: Parser, char: str, span: tuple[int, int]) -> Symbol:
    entry = parser.entries.get(char)
    if isinstance(entry, tuple):
        return Symbol(*entry, span)
    kind = _CLASSES.get(unicodedata.category(char[0]), "ord")
    return Symbol(char, kind, char, span)


def _alphabet(char: str) -> str:
    """The font of a letter of Unicode's mathematical alphabets; "" for any other character."""
    point = ord(char[0]) if char else 0
    if not (0x1D400 <= point <= 0x1D7FF or 0x2100 <= point <= 0x214F):
        return ""
    name = unicodedata.name(char[0], "")
    if "DOTLESS" in name or (point < 0x2150 and name.startswith("SCRIPT SMALL")):
        return ""
    return next((font for word, font in _ALPHABETS if word in name), "")


def drawable(parser: Parser, token: str, start: int) -> str:
    """`token` as a terminal can show it; what it cannot show is replaced or left out."""
    char = token
    if len(token) > 1:
        char = unicodedata.normalize("NFC", token)
        char = "".join(mark for mark in char if not "\ufe00" <= mark <= "\ufe0f")
    category = unicodedata.category(char[0]) if char else "Cf"
    if category[0] == "M":
        return "◌" + char
    if category == "Cf" or category in ("Zl", "Zp"):
        return ""
    if category == "Zs":
        return " "
    if category in ("Cc", "Cs"):
        parser.problem(
            f"The character U+{ord(char[0]):04X} cannot be shown.",
            "Take it away, or write it anew.",
            parser.since(start),
        )
        return "\ufffd" if category == "Cs" else ""
    return char


def unknown(parser: Parser, token: str, items: Items, start: int) -> None:
    """A command that no table has: its name stays in the tree, and a problem says so once."""
    span = parser.since(start)
    name = token.removeprefix("\\")
    if not name:
        parser.problem("A backslash stands alone.", "Write \\backslash for the sign itself.", span)
        return
    items.append(Unknown(name, span))
    if name in parser.unknown:
        return
    parser.unknown.add(name)
    if token[0] == "#":
        message, hint = (
            f"{token} stands for an argument outside a macro.",
            "Write \\# for the sign.",
        )
    else:
        message, hint = f"The command {token} is not known.", _hint(parser, token)
    parser.problem(message, hint, span)


def _hint(parser: Parser, token: str) -> str:
    near = ""
    if len(parser.unknown) <= 3:
        near = _near(token, (*parser.macros, *parser.entries))
    if near:
        return f"Did you mean {near}?"
    return "Check its spelling, or define it as a macro of the card."


@lru_cache(256)
def _near(token: str, known: tuple[str, ...]) -> str:
    """A command that is written much like `token`, or ""."""
    from difflib import get_close_matches

    names = [
        name
        for name in known
        if name[:2].lower() == token[:2].lower() and abs(len(name) - len(token)) <= 2
    ]
    return next(iter(get_close_matches(token, names, 1, 0.7)), "")
