r"""The tokens that may end a row: braces, cells, \right, \end, $, infix fractions, declarations.

Where what is open waits for the token, the row ends before it.  Where it waits for it further out,
the row ends too, and whatever lies between says that it was never closed.  Elsewhere the token
stands where it should not: it is taken, named as a problem, and what follows is read on.
"""

from __future__ import annotations

from collections.abc import Mapping

from cards.math.reading.arguments import length, optional_raw, raw
from cards.math.reading.core import Entry, Items, Parser, Stop, declaration
from cards.math.reading.delimiters import fence
from cards.math.reading.flat import row_of
from cards.math.reading.text import text_argument
from cards.math.reading.tokens import length_at
from cards.math.tree import Break, Fraction, Symbol


def _end(_parser: Parser, _items: Items, _context: str) -> bool:
    return True


def _brace(parser: Parser, _items: Items, context: str) -> bool:
    if context == "{" or "{" in parser.open:
        return True
    _stray(parser, "There is no { that this } would close.", "Take it away, or write \\}.")
    return False


def _stray(parser: Parser, message: str, hint: str) -> None:
    parser.problem(message, hint, parser.here())
    parser.i += 1


def _cell(parser: Parser, _items: Items, context: str) -> bool:
    if context == "env":
        return True
    if parser.cells:
        parser.i += 1
        return False
    parser.cells = context == ""
    _stray(
        parser,
        "An & parts columns, and this place has none.",
        "Put it straight into an environment such as aligned, or write \\&.",
    )
    return False


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
    if parser.tokens[parser.i] == "*":
        parser.i += 1
    if parser.tokens[parser.i] != "[":
        return
    before = parser.i
    text = optional_raw(parser)
    if text is not None and length_at(text) is None:
        parser.i = before


def _environment_end(parser: Parser, _items: Items, _context: str) -> bool:
    if "env" in parser.open:
        return True
    span = parser.here()
    parser.i += 1
    name = raw(parser)
    parser.problem(f"\\end{{{name}}} has no \\begin{{{name}}}.", "Add it, or take this away.", span)
    return False


def _right(parser: Parser, items: Items, _context: str) -> bool:
    if "left" in parser.open:
        return True
    start = parser.starts[parser.i]
    _stray(parser, "This \\right has no \\left.", "Write \\left. where it should begin.")
    char = fence(parser)
    if char:
        items.append(Symbol(char, "close", char, parser.since(start)))
    return False


def _middle(parser: Parser, items: Items, context: str) -> bool:
    if context == "left":
        return True
    start = parser.starts[parser.i]
    _stray(
        parser,
        "This \\middle stands between no \\left and \\right.",
        "Move it out of the braces around it.",
    )
    char = fence(parser)
    if char:
        items.append(Symbol(char, "rel", char, parser.since(start)))
    return False


def _dollar(parser: Parser, _items: Items, _context: str) -> bool:
    if "math" in parser.open:
        return True
    _stray(
        parser,
        f"A {parser.tokens[parser.i]} stands inside a formula.",
        "Take it away, or write \\$ for the currency.",
    )
    return False


def infix(rule: bool, left: str | None = "", right: str = "", *, height: bool = False) -> Stop:
    r"""\over and its like: all of the group before it above, all after it below.

    Where `left` is None, the delimiters follow the command; where `height`, the rule's height does.
    """

    def ends(parser: Parser, items: Items, context: str) -> bool:
        if parser.rest:
            return True
        name, at = parser.tokens[parser.i], parser.here()
        parser.i += 1
        opening, closing = (fence(parser), fence(parser)) if left is None else (left, right)
        drawn = length(parser) > 0 if height else rule
        start = items[0].span[0] if items else at[0]
        above = row_of(list(items), start)
        items.clear()
        below = parser.row(context, "infix")
        if parser.tokens[parser.i] in INFIX:
            parser.problem(f"{name} is not the only one of its group.", "Part them by braces.", at)
        items.append(Fraction(above, below, drawn, opening, closing, "", parser.since(start)))
        return False

    return Stop(ends)


INFIX: Mapping[str, Entry] = {
    "\\over": infix(True),
    "\\atop": infix(False),
    "\\choose": infix(False, "(", ")"),
    "\\brace": infix(False, "{", "}"),
    "\\brack": infix(False, "[", "]"),
    "\\above": infix(True, height=True),
    "\\overwithdelims": infix(True, None),
    "\\atopwithdelims": infix(False, None),
    "\\abovewithdelims": infix(True, None, height=True),
}

STOPS: Mapping[str, Entry] = {
    **INFIX,
    "": Stop(_end),
    "}": Stop(_brace),
    "\\egroup": Stop(_brace),
    "&": Stop(_cell),
    "\\\\": Stop(_new_row),
    "\\cr": Stop(_new_row),
    "\\newline": Stop(_new_row),
    "\\tabularnewline": Stop(_new_row),
    "\\intertext": Stop(_between),
    "\\shortintertext": Stop(_between),
    "\\end": Stop(_environment_end),
    "\\right": Stop(_right),
    "\\middle": Stop(_middle),
    "$": Stop(_dollar),
    "\\(": Stop(_dollar),
    "\\)": Stop(_dollar),
    "\\[": Stop(_dollar),
    "\\]": Stop(_dollar),
    "\\displaystyle": declaration("style", "display"),
    "\\textstyle": declaration("style", "text"),
    "\\scriptstyle": declaration("style", "script"),
    "\\scriptscriptstyle": declaration("style", "scriptscript"),
    "\\rm": declaration("font", "roman"),
    "\\bf": declaration("font", "bold"),
    "\\it": declaration("font", "italic"),
    "\\sf": declaration("font", "sans"),
    "\\tt": declaration("font", "typewriter"),
    "\\cal": declaration("font", "cal"),
    "\\frak": declaration("font", "frak"),
    "\\mit": declaration("font", "italic"),
    "\\bfseries": declaration("font", "bold"),
    "\\itshape": declaration("font", "italic"),
    "\\rmfamily": declaration("font", "roman"),
    "\\sffamily": declaration("font", "sans"),
    "\\ttfamily": declaration("font", "typewriter"),
}
