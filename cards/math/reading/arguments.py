r"""Arguments that are not rows: names and lengths as written, and what stands in brackets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cards.math.reading.tokens import END, length_at
from cards.math.tree import Row

if TYPE_CHECKING:
    from cards.math.reading.core import Parser

#: How far the end of an optional argument is looked for, in tokens.
REACH = 120


def raw(parser: Parser) -> str:
    """One argument as it is written: a name, a length, a colour."""
    if parser.peek() != "{":
        token = parser.tokens[parser.i]
        if token == END or token == "}":
            return ""
        parser.i += 1
        return token
    start = parser.i
    level = 0
    while (token := parser.tokens[parser.i]) != END:
        parser.i += 1
        if token == "{":
            level += 1
        elif token == "}":
            level -= 1
            if level == 0:
                return "".join(parser.tokens[start + 1 : parser.i - 1])
    parser.problem(
        "This brace is never closed.", "Add a } where it ends.", parser.since(parser.starts[start])
    )
    return "".join(parser.tokens[start + 1 : parser.i])


def _bracket_end(parser: Parser) -> int:
    """The token that ends the optional argument here, or 0 where there is none."""
    if parser.peek() != "[" or "]" not in parser.tokens[parser.i : parser.i + REACH]:
        return 0
    level = brackets = 0
    for i in range(parser.i + 1, min(parser.i + REACH, len(parser.tokens))):
        token = parser.tokens[i]
        if token == "{":
            level += 1
        elif token == "}":
            level -= 1
        if token == END or level < 0:
            return 0
        if level == 0 and token == "[":
            brackets += 1
        elif level == 0 and token == "]":
            if brackets == 0:
                return i
            brackets -= 1
    return 0


def optional_raw(parser: Parser) -> str | None:
    end = _bracket_end(parser)
    if not end:
        return None
    text = "".join(parser.tokens[parser.i + 1 : end])
    parser.i = end + 1
    return text


def optional(parser: Parser, of: str = "") -> Row | None:
    """An argument in brackets, if there is one; where `of`, the command, needs it closed, a
    bracket that is not is a problem."""
    end = _bracket_end(parser)
    if not end:
        if of and parser.tokens[parser.i] == "[":
            parser.problem(
                f"The [ after {of} is never closed.", "Add a ] where it ends.", parser.here()
            )
        return None
    start = parser.starts[parser.i]
    parser.i += 1
    items = until(parser, end, "[").items
    parser.i += 1
    return Row(items, parser.since(start))


def until(parser: Parser, end: int, context: str) -> Row:
    """Reads a row up to the token `end`, which then is the next to take."""
    kept, parser.tokens[end] = parser.tokens[end], END
    row = parser.row(context)
    while parser.tokens[parser.i] != END:
        parser.i += 1
    parser.tokens[parser.i] = kept
    return row


def length(parser: Parser) -> float:
    r"""A length, in braces or bare (`\kern1em`), in em; 0 where there is none."""
    if parser.peek() == "{":
        found = length_at(raw(parser))
        return found[0] if found else 0.0
    found = length_at("".join(parser.tokens[parser.i : parser.i + 40]))
    if found is None:
        return 0.0
    width, characters = found
    while characters > 0:
        characters -= len(parser.tokens[parser.i])
        parser.i += 1
    return width
