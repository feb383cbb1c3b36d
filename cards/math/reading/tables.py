r"""Rows and cells: what stands between \begin and \end, with its rules, tags and \intertext."""

from __future__ import annotations

from typing import NamedTuple

from cards.math.environment import Line
from cards.math.reading.columns import PLAIN, Columns
from cards.math.reading.core import Parser
from cards.math.reading.macros import put
from cards.math.reading.stops import skip_row_gap
from cards.math.reading.text import text_argument
from cards.math.reading.tokens import END
from cards.math.tree import Row

RULES = {
    "\\hline": False, "\\hdashline": True, "\\toprule": False, "\\midrule": False,
    "\\bottomrule": False, "\\firsthline": False, "\\lasthline": False,
}  # fmt: skip
_BETWEEN = frozenset({"\\intertext", "\\shortintertext"})
_ROW_ENDS = frozenset({"\\\\", "\\cr", "\\newline", "\\tabularnewline"})


#: What the table itself ends before, where a last `\\\\` leaves no row.
_ENDS = frozenset({"\\end", "}", "\\egroup", END})
_OPENERS = frozenset({"{", "\\bgroup", "\\begin"})
_CLOSERS = frozenset({"}", "\\egroup", "\\end"})


class Table(NamedTuple):
    rows: tuple[tuple[Row, ...], ...]
    lines: tuple[Line, ...] = ()
    tags: tuple[Row | None, ...] = ()


def table(parser: Parser, columns: Columns = PLAIN) -> Table:
    """Reads rows and cells up to what ends the environment, and does not take that."""
    rows: list[tuple[Row, ...]] = []
    cells: list[Row] = []
    lines: list[Line] = []
    tags: list[Row | None] = []
    outer, parser.tag = parser.tag, None
    while True:
        if not cells:
            _between_rows(parser, rows, lines, tags)
        cells.append(_cell(parser, columns, len(cells)))
        token = parser.tokens[parser.i]
        if token == "&":
            parser.i += 1
            continue
        if token not in _BETWEEN or len(cells) > 1 or cells[0].items:
            rows.append(tuple(cells))
            tags.append(parser.tag)
        parser.tag = None
        cells = []
        if token in _ROW_ENDS:
            parser.i += 1
            skip_row_gap(parser)
        elif token not in _BETWEEN:
            break
    parser.tag = outer
    if len(rows) > 0 and len(rows[-1]) == 1 and not rows[-1][0].items and tags[-1] is None:
        rows.pop()
        tags.pop()
    return Table(tuple(rows), tuple(lines), tuple(tags) if any(tags) else ())


def _cell(parser: Parser, columns: Columns, number: int) -> Row:
    """A cell, with what its column puts before and after each."""
    before = columns.before[number] if number < len(columns.before) else ()
    after = columns.after[number] if number < len(columns.after) else ()
    if not (before or after):
        return parser.row("env")
    if number == 0 and parser.peek() in _ENDS:
        return parser.row("env")
    if after:
        put(parser, after, _end_of_cell(parser))
    put(parser, before, parser.i)
    return parser.row("env")


def _end_of_cell(parser: Parser) -> int:
    """The token before which the cell that begins here ends."""
    level = 0
    tokens = parser.tokens
    for at in range(parser.i, len(tokens)):
        token = tokens[at]
        if token in _OPENERS:
            level += 1
        elif level == 0 and (token == "&" or token in _ROW_ENDS or token in _ENDS):
            return at
        elif token in _CLOSERS:
            level -= 1
    return len(tokens) - 1


def _between_rows(
    parser: Parser, rows: list[tuple[Row, ...]], lines: list[Line], tags: list[Row | None]
) -> None:
    r"""Reads rules, and the words of \intertext, which make a row of one cell."""
    while True:
        token = parser.peek()
        if token in RULES:
            lines.append(Line(len(rows), RULES[token]))
            parser.i += 1
        elif token in _BETWEEN:
            parser.i += 1
            words = text_argument(parser, "", token)
            rows.append((Row((words,), words.span),))
            tags.append(None)
        else:
            return
