"""Rows for a terminal without the app: ANSI styles and hyperlinks, or plain text for a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tui.page.model import BLANK, Link, Row, Span
from tui.page.sheet import Sheet
from tui.page.sideways import bands

#: The sixteen colours of every terminal, so that its own theme decides what they are.
_CODES = {
    "bold": "1",
    "dim": "2",
    "italic": "3",
    "underline": "4",
    "reverse": "7",
    "strike": "9",
    "heading1": "1;36",
    "heading2": "1;36",
    "heading3": "1",
    "heading4": "1;3",
    "heading5": "3",
    "heading6": "2;3",
    "head": "1",
    "callout": "1;36",
    "code": "35",
    "codeblock": "",
    "link": "4",
    "missing": "2",
    "mark": "36",
    "chosen": "1;36",
    "right": "1;32",
    "wrong": "1;31",
    "quote": "2",
    "rule": "2",
    "picture": "2",
    "warning": "33",
    "edge": "2;7",
    "syntax-comment": "2",
    "syntax-keyword": "34",
    "syntax-string": "32",
    "syntax-number": "36",
    "syntax-name": "33",
    "syntax-builtin": "36",
}
_NAMED = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_ALIASES = {"orange": "yellow", "purple": "magenta", "violet": "magenta", "teal": "cyan"}


def printed(sheet: Sheet, styled: bool) -> str:
    """The rows as text; what is too wide is cut into pieces under each other."""
    rows = _fitted(sheet)
    lines = (painted(row.spans) if styled else row.text for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def _fitted(sheet: Sheet) -> Iterator[Row]:
    at = 0
    for part in sheet.parts:
        yield from sheet.rows[at : part.start]
        pieces = [bands(sheet.rows[y], sheet.width) for y in part]
        for number in range(max(map(len, pieces))):
            if number and len(part) > 1:
                yield BLANK
            yield from (piece[number] for piece in pieces if number < len(piece))
        at = part.stop
    yield from sheet.rows[at:]


def painted(spans: Iterable[Span]) -> str:
    """A row with its styles as escapes."""
    return "".join(map(_span, spans))


def _span(span: Span) -> str:
    codes = ";".join(filter(None, map(_code, span.style.split())))
    text = f"\x1b[{codes}m{span.text}\x1b[0m" if codes and span.text else span.text
    if isinstance(span.thing, Link) and span.thing.kind == "web":
        return f"\x1b]8;;{span.thing.target}\x1b\\{text}\x1b]8;;\x1b\\"
    return text


def _code(word: str) -> str:
    kind, _, name = word.partition(":")
    if kind not in ("color", "background"):
        return _CODES.get(word, "")
    name = _ALIASES.get(name, name)
    base = 30 if kind == "color" else 40
    return str(base + _NAMED.index(name)) if name in _NAMED else ""
