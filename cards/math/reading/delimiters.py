r"""Delimiters: \left ... \right, the \big family, and the brackets of physics and of sets."""

from __future__ import annotations

from functools import cache

from cards.math.reading import symbol_operators as tables
from cards.math.reading.arguments import raw, until
from cards.math.reading.core import Items, Parser, Reader
from cards.math.reading.symbols import pairs
from cards.math.reading.tokens import END
from cards.math.tree import Class, Delimited, Row, Space, Symbol


@cache
def fences() -> dict[str, str]:
    """What may follow \\left, and the character it draws; "" for none."""
    found = {".": ""}
    for table in (tables.OPEN, tables.CLOSE):
        for names, char in pairs(table):
            for name in names:
                found["\\" + name] = char
            found[char] = char
    for names, char in pairs(tables.FENCES):
        for name in names:
            found[name] = char
    del found["{"], found["}"]
    return found


def fence(parser: Parser) -> str:
    """Reads a delimiter; where there is none, that is a problem, and "" is what it returns."""
    token = parser.peek()
    char = fences().get(token)
    if char is None and token == "{":
        before = parser.i
        char = fences().get(raw(parser).strip())
        if char is None:
            parser.i = before
    elif char is not None:
        parser.i += 1
    if char is None:
        parser.problem(
            "A delimiter is missing here.",
            "Write one, such as ( or \\rangle, or a full stop for none.",
            parser.here(),
        )
        return ""
    return char


def left(parser: Parser, items: Items, start: int) -> None:
    opening = fence(parser)
    parts = []
    middles = []
    while True:
        parts.append(parser.row("left"))
        if parser.tokens[parser.i] != "\\middle":
            break
        parser.i += 1
        middles.append(fence(parser))
    closing = ""
    if parser.tokens[parser.i] == "\\right":
        parser.i += 1
        closing = fence(parser)
    elif not parser.deep:
        parser.problem(
            "This \\left has no \\right.",
            "Write \\right. where it should end.",
            (start, start + len("\\left")),
        )
    items.append(Delimited(opening, tuple(parts), tuple(middles), closing, parser.since(start)))


_SIZES = {"big": 1, "Big": 2, "bigg": 3, "Bigg": 4}
_KINDS: dict[str, Class] = {"": "ord", "l": "open", "r": "close", "m": "rel"}


def _sized(size: int, kind: Class) -> Reader:
    def read(parser: Parser, items: Items, start: int) -> None:
        char = fence(parser)
        if char:
            entry = parser.entries.get(char)
            name = entry[2] if isinstance(entry, tuple) else char
            items.append(Symbol(char, kind, name, parser.since(start), size))

    return read


def _braket(left: str, right: str, most: int) -> Reader:
    r"""\Braket and \Set of the braket package: the bars of the argument stretch too."""

    def read(parser: Parser, items: Items, start: int) -> None:
        if parser.peek() != "{":
            inner = parser.argument()
            items.append(Delimited(left, (inner,), (), right, parser.since(start)))
            return
        brace = parser.starts[parser.i]
        parser.i += 1
        parts: list[Row] = []
        middles: list[str] = []
        while len(middles) < most and (end := _bar(parser)):
            parts.append(until(parser, end, "{"))
            middles.append("‖" if parser.tokens[parser.i] == "\\|" else "|")
            parser.i += 1
        parts.append(parser.row("{"))
        parser.close_brace(brace)
        items.append(Delimited(left, tuple(parts), tuple(middles), right, parser.since(start)))

    return read


def _set(parser: Parser, items: Items, start: int) -> None:
    r"""\set{x | x > 0}: braces of the usual size; the first bar is a relation."""
    if parser.peek() != "{":
        parser.missing("\\set")
        return
    at = parser.starts[parser.i]
    parser.i += 1
    items += Symbol("{", "open", "{", (start, at)), Space(1 / 6, (at, at))
    if end := _bar(parser):
        items += until(parser, end, "{").items
        items.append(Symbol("∣", "rel", "mid", parser.here()))
        parser.i += 1
    items += parser.row("{").items
    parser.close_brace(at)
    last = parser.since(max(at + 1, items[-1].span[1]))
    items += Space(1 / 6, (last[0], last[0])), Symbol("}", "close", "}", last)


def _bar(parser: Parser) -> int:
    """Where the next bar of this group stands, or 0."""
    level = 0
    for i in range(parser.i, min(parser.i + 400, len(parser.tokens))):
        token = parser.tokens[i]
        if token in ("{", "\\left", "\\begin"):
            level += 1
        elif token in ("}", "\\right", "\\end"):
            level -= 1
        if token == END or level < 0:
            return 0
        if level == 0 and token in ("|", "\\|", "\\vert", "\\Vert", "\\mid", "\\middle"):
            return i if token != "\\middle" else 0
    return 0


READERS: dict[str, Reader] = {
    "\\left": left,
    "\\Braket": _braket("⟨", "⟩", 9),
    "\\set": _set,
    "\\Set": _braket("{", "}", 1),
    "\\Bra": _braket("⟨", "|", 0),
    "\\Ket": _braket("|", "⟩", 0),
    **{
        f"\\{name}{suffix}": _sized(size, kind)
        for name, size in _SIZES.items()
        for suffix, kind in _KINDS.items()
    },
}
