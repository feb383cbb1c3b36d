r"""\left ... \right, the \big family, the brackets of sets and of physics; and what may end a row.

A row ends before a token that what is open waits for.  Where something further out waits for it,
the row ends too, and whatever lies between says that it was never closed.  Elsewhere the token
stands where it should not: it is taken, named as a problem, and what follows is read on.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from cards.math.latex.parser import (
    Entry,
    Items,
    Parser,
    Reader,
    RowEnd,
    declaration,
    length_at,
    outside,
    row_of,
)
from cards.math.latex.symbols import CLOSE, FENCES, OPEN, pairs
from cards.math.latex.text import text_argument
from cards.math.tree import Break, Class, Delimited, Fraction, Row, Space, Symbol


@cache
def fences() -> dict[str, str]:
    """What may follow \\left, and the character it draws; "" for none."""
    found = {".": ""}
    for table in (OPEN, CLOSE):
        for names, char in pairs(table):
            found |= dict.fromkeys(["\\" + name for name in names] + [char], char)
    for names, char in pairs(FENCES):
        found |= dict.fromkeys(names, char)
    del found["{"], found["}"]
    return found


def fence(parser: Parser) -> str:
    """Reads a delimiter; where there is none, that is a problem, and "" is what it returns."""
    token = parser.peek()
    before = parser.i
    char = fences().get(parser.raw().strip() if token == "{" else token)
    if char is None:
        parser.i = before
        parser.problem(
            "A delimiter is missing here.",
            "Write one, such as ( or \\rangle, or a full stop for none.",
            parser.here(),
        )
    elif token != "{":
        parser.i += 1
    return char or ""


def left(parser: Parser, items: Items, start: int) -> None:
    opening = fence(parser)
    parts, middles = [parser.row("left")], []
    while parser.take("\\middle"):
        middles.append(fence(parser))
        parts.append(parser.row("left"))
    closing = ""
    if parser.take("\\right"):
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
            parts.append(parser.until(end, "{"))
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
        items += parser.until(end, "{").items
        items.append(Symbol("∣", "rel", "mid", parser.here()))
        parser.i += 1
    items += parser.row("{").items
    parser.close_brace(at)
    last = parser.since(max(at + 1, items[-1].span[1]))
    items += Space(1 / 6, (last[0], last[0])), Symbol("}", "close", "}", last)


def _bar(parser: Parser) -> int:
    """Where the next bar of this group stands, or 0."""
    for at, token in outside(parser.tokens, parser.i, most=400):
        if token == "\\middle":
            return 0
        if token in ("|", "\\|", "\\vert", "\\Vert", "\\mid"):
            return at
    return 0


DELIMITERS: dict[str, Reader] = {
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


# Row ends: braces, cells, \right, \end, $, infix fractions, declarations


def _brace(parser: Parser, _items: Items, context: str) -> bool:
    if context == "{" or "{" in parser.open:
        return True
    return _stray(parser, "There is no { that this } would close.", "Take it away, or write \\}.")


def _stray(parser: Parser, message: str, hint: str) -> bool:
    """Takes a token that ends nothing: False."""
    parser.problem(message, hint, parser.here())
    parser.i += 1
    return False


def _cell(parser: Parser, _items: Items, context: str) -> bool:
    if context == "env":
        return True
    if parser.cells:
        parser.i += 1
        return False
    parser.cells = context == ""
    hint = "Put it straight into an environment such as aligned, or write \\&."
    return _stray(parser, "An & parts columns, and this place has none.", hint)


def _new_row(parser: Parser, items: Items, context: str) -> bool:
    if context == "env":
        return True
    start = parser.starts[parser.i]
    parser.i += 1
    skip_row_gap(parser)
    items.append(Break(parser.since(start)))
    return False


def _between(parser: Parser, items: Items, context: str) -> bool:
    r"""\intertext{and}: ends a row as `\\` does."""
    if context == "env":
        return True
    parser.i += 1
    items.append(text_argument(parser, "", "\\intertext"))
    return False


def skip_row_gap(parser: Parser) -> None:
    r"""Passes over the star and the height that may follow `\\`, as in `\\*[1em]`."""
    parser.take("*")
    if parser.tokens[parser.i] != "[":
        return
    before = parser.i
    text = parser.optional_raw()
    if text is not None and length_at(text) is None:
        parser.i = before


def _environment_end(parser: Parser, _items: Items, _context: str) -> bool:
    if "env" in parser.open:
        return True
    span = parser.here()
    parser.i += 1
    name = parser.raw()
    parser.problem(f"\\end{{{name}}} has no \\begin{{{name}}}.", "Add it, or take this away.", span)
    return False


def _right(parser: Parser, items: Items, _context: str) -> bool:
    if "left" in parser.open:
        return True
    hint = "Write \\left. where it should begin."
    return _stray_fence(parser, items, "close", "This \\right has no \\left.", hint)


def _middle(parser: Parser, items: Items, context: str) -> bool:
    if context == "left":
        return True
    message = "This \\middle stands between no \\left and \\right."
    return _stray_fence(parser, items, "rel", message, "Move it out of the braces around it.")


def _stray_fence(parser: Parser, items: Items, kind: Class, message: str, hint: str) -> bool:
    start = parser.starts[parser.i]
    _stray(parser, message, hint)
    char = fence(parser)
    if char:
        items.append(Symbol(char, kind, char, parser.since(start)))
    return False


def _dollar(parser: Parser, _items: Items, _context: str) -> bool:
    if "math" in parser.open:
        return True
    message = f"A {parser.tokens[parser.i]} stands inside a formula."
    return _stray(parser, message, "Take it away, or write \\$ for the currency.")


def _infix(rule: bool, left: str | None = "", right: str = "", *, height: bool = False) -> RowEnd:
    r"""\over and its like: all of the group before it above, all after it below.

    Where `left` is None, the delimiters follow the command; where `height`, the rule's height does.
    """

    def ends(parser: Parser, items: Items, context: str) -> bool:
        if parser.rest:
            return True
        name, at = parser.tokens[parser.i], parser.here()
        parser.i += 1
        opening, closing = (fence(parser), fence(parser)) if left is None else (left, right)
        drawn = parser.length() > 0 if height else rule
        start = items[0].span[0] if items else at[0]
        above = row_of(list(items), start)
        items.clear()
        below = parser.row(context, "infix")
        if parser.tokens[parser.i] in _INFIX:
            parser.problem(f"{name} is not the only one of its group.", "Part them by braces.", at)
        items.append(Fraction(above, below, drawn, opening, closing, "", parser.since(start)))
        return False

    return RowEnd(ends)


_INFIX: Mapping[str, Entry] = {
    "\\over": _infix(True),
    "\\atop": _infix(False),
    "\\choose": _infix(False, "(", ")"),
    "\\brace": _infix(False, "{", "}"),
    "\\brack": _infix(False, "[", "]"),
    "\\above": _infix(True, height=True),
    "\\overwithdelims": _infix(True, None),
    "\\atopwithdelims": _infix(False, None),
    "\\abovewithdelims": _infix(True, None, height=True),
}


def _declared(family: str, commands: Mapping[str, str]) -> dict[str, RowEnd]:
    """Declarations of styles, by their commands."""

    def end(style: str) -> RowEnd:
        return declaration(family, lambda _parser: style)

    return {"\\" + name: end(style) for style, names in commands.items() for name in names.split()}


ROW_ENDS: Mapping[str, Entry] = {
    **_INFIX,
    "": RowEnd(lambda _parser, _items, _context: True),
    **dict.fromkeys(["}", "\\egroup"], RowEnd(_brace)),
    "&": RowEnd(_cell),
    **dict.fromkeys(["\\\\", "\\cr", "\\newline", "\\tabularnewline"], RowEnd(_new_row)),
    **dict.fromkeys(["\\intertext", "\\shortintertext"], RowEnd(_between)),
    "\\end": RowEnd(_environment_end),
    "\\right": RowEnd(_right),
    "\\middle": RowEnd(_middle),
    **dict.fromkeys(["$", "\\(", "\\)", "\\[", "\\]"], RowEnd(_dollar)),
    **_declared("style", {
        "display": "displaystyle", "text": "textstyle", "script": "scriptstyle",
        "scriptscript": "scriptscriptstyle",
    }),
    **_declared("font", {
        "roman": "rm rmfamily", "bold": "bf bfseries", "italic": "it mit itshape",
        "sans": "sf sffamily", "typewriter": "tt ttfamily", "cal": "cal", "frak": "frak",
    }),
}  # fmt: skip
