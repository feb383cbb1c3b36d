r"""Rows and cells: what stands between \begin and \end, with its rules, tags and \intertext."""

from __future__ import annotations

from typing import NamedTuple

from cards.math.reading.core import Parser
from cards.math.reading.stops import skip_row_gap
from cards.math.reading.text import text_argument
from cards.math.tree import Line, Row

RULES = {
    "\\hline": False, "\\hdashline": True, "\\toprule": False, "\\midrule": False,
    "\\bottomrule": False, "\\firsthline": False, "\\lasthline": False,
}  # fmt: skip
_BETWEEN = frozenset({"\\intertext", "\\shortintertext"})
_ROW_ENDS = frozenset({"\\\\", "\\cr", "\\newline", "\\tabularnewline"})


class Table(NamedTuple):
    rows: tuple[tuple[Row, ...], ...]
    lines: tuple[Line, ...] = ()
    tags: tuple[Row | None, ...] = ()


def table(parser: Parser, context: str = "env") -> Table:
    """Reads rows and cells up to what ends the environment, and does not take that."""
    rows: list[tuple[Row, ...]] = []
    cells: list[Row] = []
    lines: list[Line] = []
    tags: list[Row | None] = []
    outer, parser.tag = parser.tag, None
    while True:
        if not cells:
            _between_rows(parser, rows, lines, tags)
        cells.append(parser.row(context))
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
