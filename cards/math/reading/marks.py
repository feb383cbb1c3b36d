r"""What is set over, under and around a row: accents, braces, stacks, arrows, boxes."""

from __future__ import annotations

from typing import Literal

from cards.math.reading import symbol_arrows
from cards.math.reading.arguments import optional, optional_raw
from cards.math.reading.core import Items, Parser, Reader
from cards.math.reading.symbols import pairs
from cards.math.reading.text import content, text_argument
from cards.math.reading.textmarks import MARKS
from cards.math.tree import (
    Accent,
    Arrow,
    Boxed,
    Brace,
    Class,
    Operator,
    Row,
    Scripts,
    Stack,
    Symbol,
)

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
_BRACES: dict[str, Literal["brace", "bracket", "paren", "line"]] = {
    "brace": "brace", "bracket": "bracket", "paren": "paren", "arc": "paren", "group": "paren",
    "linesegment": "line",
}  # fmt: skip
_BOXES: dict[str, Literal[
    "cancel", "bcancel", "xcancel", "strike", "phantom", "hphantom", "vphantom", "smash",
    "lap", "angle", "phase", "box",
]] = {
    "cancel": "cancel", "bcancel": "bcancel", "xcancel": "xcancel", "sout": "strike",
    "phantom": "phantom", "hphantom": "hphantom", "vphantom": "vphantom", "mathllap": "lap",
    "mathrlap": "lap", "mathclap": "lap", "crampedllap": "lap", "crampedrlap": "lap",
    "crampedclap": "lap", "angl": "angle", "phase": "phase", "boxed": "box", "Aboxed": "box",
    "st": "strike", "hcancel": "strike",
}  # fmt: skip


def _accent(name: str, over: bool, wide: bool) -> Reader:
    def read(parser: Parser, items: Items, start: int) -> None:
        base = content(parser, parser.tokens[parser.i - 1])
        items.append(Accent(name, base, over, wide, parser.since(start)))

    return read


def _brace(shape: Literal["brace", "bracket", "paren", "line"], over: bool) -> Reader:
    def read(parser: Parser, items: Items, start: int) -> None:
        name = parser.tokens[parser.i - 1]
        optional_raw(parser)
        base = parser.argument(name)
        items.append(Brace(shape, base, over, parser.since(start)))

    return read


def _boxed(
    how: Literal[
        "box", "cancel", "bcancel", "xcancel", "strike", "phantom", "hphantom", "vphantom",
        "smash", "lap", "angle", "phase",
    ],
) -> Reader:  # fmt: skip
    def read(parser: Parser, items: Items, start: int) -> None:
        body = content(parser, parser.tokens[parser.i - 1])
        items.append(Boxed(how, body, parser.since(start)))

    return read


def _cancel_to(parser: Parser, items: Items, start: int) -> None:
    r"""\cancelto{value}{what}: what is struck out, and the value at its end."""
    value = parser.argument("\\cancelto")
    body = parser.argument("\\cancelto")
    struck = Boxed("cancel", body, body.span)
    items.append(Scripts(struck, None, value, None, parser.since(start)))


def _smash(parser: Parser, items: Items, start: int) -> None:
    optional_raw(parser)
    _boxed("smash")(parser, items, start)


def _text_box(how: Literal["box", "lap"]) -> Reader:
    def read(parser: Parser, items: Items, start: int) -> None:
        while optional_raw(parser) is not None:
            pass
        words = text_argument(parser)
        items.append(Boxed(how, Row((words,), words.span), parser.since(start)))

    return read


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


def _stack(parser: Parser, items: Items, start: int) -> None:
    name = parser.tokens[parser.i - 1]
    below = optional(parser) if name == "\\stackrel" else None
    mark = parser.argument(name)
    other = parser.argument(name) if name in ("\\overunderset", "\\underoverset") else None
    base = parser.argument(name)
    over: Row | None = mark
    if name in ("\\underset", "\\underaccent"):
        over, below = None, mark
    elif name == "\\overunderset":
        below = other
    elif name == "\\underoverset":
        over, below = other, mark
    kind: Class = "rel" if name == "\\stackrel" else _class_of(base)
    items.append(Stack(base, over, below, kind, parser.since(start)))


def _built(parser: Parser, items: Items, start: int) -> None:
    r"""Plain TeX's \buildrel def\over="""
    over = parser.row(parser.open[-1], "infix")
    if parser.tokens[parser.i] == "\\over":
        parser.i += 1
        base = parser.argument("\\buildrel")
        items.append(Stack(base, over, None, "rel", parser.since(start)))
    else:
        items.append(over)


def _arrow(char: str) -> Reader:
    def read(parser: Parser, items: Items, start: int) -> None:
        name = parser.tokens[parser.i - 1]
        under = optional(parser, name)
        over = parser.argument(name)
        items.append(Arrow(char, over if over.items else None, under, parser.since(start)))

    return read


def _arrows() -> dict[str, Reader]:
    return {
        "\\" + name: _arrow(char)
        for names, char in pairs(symbol_arrows.STRETCHED)
        for name in names
    }


def _accents() -> dict[str, Reader]:
    found = {name: _accent(name, True, False) for name in _NARROW.split()}
    found |= {name: _accent(name, True, True) for name in _WIDE_OVER.split()}
    found |= {name: _accent(name, False, True) for name in _WIDE_UNDER.split()}
    found |= {name: found.get(same, nothing_wide) for name, same in _SAME.items()}
    commands = {"\\" + name: reader for name, reader in found.items()}
    return commands | {mark: commands["\\" + name] for mark, name in _TEXTUAL.items()}


def nothing_wide(parser: Parser, items: Items, _start: int) -> None:
    """A mark that has no form of its own here: its base is kept."""
    items.append(parser.argument())


READERS: dict[str, Reader] = {
    **{mark: nothing_wide for mark in MARKS if mark != "\\t"},
    **_accents(),
    **_arrows(),
    **{f"\\over{name}": _brace(shape, True) for name, shape in _BRACES.items()},
    **{f"\\under{name}": _brace(shape, False) for name, shape in _BRACES.items()},
    **{"\\" + name: _boxed(how) for name, how in _BOXES.items()},
    "\\cancelto": _cancel_to,
    "\\buildrel": _built,
    "\\accentset": _stack,
    "\\underaccent": _stack,
    "\\smash": _smash,
    "\\fbox": _text_box("box"),
    "\\framebox": _text_box("box"),
    "\\llap": _text_box("lap"),
    "\\rlap": _text_box("lap"),
    "\\clap": _text_box("lap"),
    **dict.fromkeys(
        ["\\stackrel", "\\overset", "\\underset", "\\overunderset", "\\underoverset"], _stack
    ),
}
