r"""`parse`: LaTeX to the tree of `cards.math.tree`.  It never raises, whatever it is given."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from cards.math.latex.commands import COMMANDS
from cards.math.latex.delimiters import DELIMITERS, ROW_ENDS
from cards.math.latex.environments import ENVIRONMENTS, loose
from cards.math.latex.parser import DEFINITIONS, Entry, Parser, places_of, table_of, tokens_of
from cards.math.latex.symbols import other, symbols
from cards.math.latex.text import TEXTS
from cards.math.tree import Formula, Macro, MathProblem, Row

#: Of characters; what is behind them is not read.
LONGEST = 30_000

_WRAPPINGS = {"$": "$", "\\(": "\\)", "\\[": "\\]"}


def parse(tex: str, macros: Mapping[str, str | Macro] | None = None) -> Formula:
    r"""The tree of a formula, and what in it could not be read.

    `macros` is a table such as `{"\\R": "\\mathbb{R}", "\\norm": "\\lVert #1 \\rVert"}`; a macro
    takes as many arguments as the highest #n in it says.  What a formula before defined is taken
    as well (`Formula.macros`).  A formula may stand in $...$, $$...$$,
    \(...\) or \[...\].  Spans are offsets into `tex`.
    """
    source = tex[:LONGEST]
    tokens = tokens_of(source)
    table = table_of(macros)
    parser = _parser(tokens, table)
    body = parser.row("")
    problems = parser.problems
    if parser.cells:
        parser = _parser(tokens, table)
        aligned = loose(parser)
        body = Row((aligned,), aligned.span)
    if len(tex) > LONGEST:
        problems.append(
            MathProblem(
                f"The formula is longer than {LONGEST:,} characters.",
                "The rest is not shown; part it into several formulas.",
                (LONGEST, len(tex)),
            )
        )
    while len(body.items) == 1 and type(body.items[0]) is Row:
        body = body.items[0]
    if not parser.macros:
        return Formula(tex, body, tuple(problems), made=parser.expansions)
    own = {name: macro for name, macro in parser.macros.items() if table.get(name) != macro}
    return Formula(tex, body, tuple(problems), own, parser.expansions)


def _parser(tokens: list[str], macros: dict[str, Macro]) -> Parser:
    parser = Parser(tokens, places_of(tokens), entries(), other, dict(macros))
    _unwrap(parser)
    return parser


def _unwrap(parser: Parser) -> None:
    """Takes away the dollars or brackets around the whole formula."""
    tokens = parser.tokens
    for _ in range(2):
        first, last = 0, len(tokens) - 2
        while first < last and (tokens[first] == "" or tokens[first][0] in " \t\n\r"):
            first += 1
        while last > first and (tokens[last] == "" or tokens[last][0] in " \t\n\r"):
            last -= 1
        closer = _WRAPPINGS.get(tokens[first])
        if closer is None or last <= first or tokens[last] != closer:
            return
        tokens[first] = " "
        tokens[last] = " "


@cache
def entries() -> dict[str, Entry]:
    """Symbols first; what reads arguments takes precedence over them."""
    found = symbols()
    for readers in (COMMANDS, TEXTS, DELIMITERS, ENVIRONMENTS, DEFINITIONS, ROW_ENDS):
        found.update(readers)
    return found
