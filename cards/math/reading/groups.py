r"""Groups in braces, and \verb."""

from __future__ import annotations

from cards.math.reading.core import Items, Parser, Reader
from cards.math.tree import Row, Symbol, Text


def group(parser: Parser, items: Items, start: int) -> None:
    """`{...}`: a row; or its content, where that is one letter or sign of class ord."""
    inner = parser.row("{").items
    parser.close_brace(start)
    if len(inner) == 1 and type(inner[0]) is Symbol and inner[0].kind == "ord":
        items.append(inner[0])
    else:
        items.append(Row(inner, parser.since(start)))


def verbatim(token: str, span: tuple[int, int]) -> Text:
    r"""The words of \verb|...|, which the lexer keeps in one token; with a star blanks show."""
    words = token.removeprefix("\\verb")
    shown = words.startswith("*")
    words = words.removeprefix("*")[1:-1]
    return Text((words.replace(" ", "␣") if shown else words,), "typewriter", span)


READERS: dict[str, Reader] = {"{": group, "\\bgroup": group}
