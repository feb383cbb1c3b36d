"""Rows as text for a terminal: the sixteen colours that every terminal's own theme decides."""

from __future__ import annotations

from collections.abc import Sequence

from tui.plots.rows import Row, plain

_CODES = {
    "title": "1",
    "number": "1",
    "dim": "2",
    "axis": "2",
    "grid": "2",
    "value": "",
    "bar": "34",
    "time": "36",
    "today": "1;32",
    "second": "33",
    "asked": "33",
    "target": "33",
    "young": "36",
    "mature": "34",
    "new": "35",
    "learning": "33",
    "relearning": "31",
    "again": "31",
    "hard": "33",
    "good": "32",
    "easy": "34",
    "point": "34",
    "line": "34",
    "band": "2;34",
    "heat0": "2",
    "heat1": "2;32",
    "heat2": "32",
    "heat3": "32",
    "heat4": "1;32",
}


def printed(rows: Sequence[Row], styled: bool) -> str:
    """The rows as lines, without spaces at their ends."""
    return "\n".join((_painted(row) if styled else plain(row)).rstrip() for row in rows)


def _painted(row: Row) -> str:
    found = []
    last = max((n for n, span in enumerate(row) if span.text.strip()), default=-1)
    for text, role in row[: last + 1]:
        codes = ";".join(filter(None, (_CODES.get(word, "") for word in role.split())))
        found.append(f"\x1b[{codes}m{text}\x1b[0m" if codes and text.strip() else text)
    return "".join(found)
