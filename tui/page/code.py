"""A code block: its lines as written, with syntax colours where the language is known."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator

from tui.page.blocks import Code
from tui.page.model import Piece, Row, Span, cells, pad, settled

#: Longer code is shown in one colour: some lexers take seconds for a megabyte.
_LONGEST = 4_000
_INDENT = 2
_ROLES = (
    ("Comment", "syntax-comment"),
    ("Keyword", "syntax-keyword"),
    ("Operator.Word", "syntax-keyword"),
    ("Literal.String", "syntax-string"),
    ("Literal.Number", "syntax-number"),
    ("Name.Function", "syntax-name"),
    ("Name.Class", "syntax-name"),
    ("Name.Decorator", "syntax-name"),
    ("Name.Tag", "syntax-keyword"),
    ("Name.Builtin", "syntax-builtin"),
    ("Name.Attribute", "syntax-builtin"),
    ("Generic.Inserted", "syntax-string"),
    ("Generic.Deleted", "syntax-number"),
)


def code_rows(block: Code, width: int) -> list[Row]:
    """A row a line; they are as wide as the longest, and no narrower than `width` asks."""
    text = block.text.rstrip("\n").expandtabs(4)
    lines: list[list[Span]] = [[]]
    for piece, role in _coloured(text, block.language):
        for number, part in enumerate(piece.split("\n")):
            if number:
                lines.append([])
            if part := settled(part):
                lines[-1].append(Span(part, f"codeblock {role}".rstrip()))
    indent = _INDENT if width > 20 else 0
    longest = max(sum(cells(s.text) for s in line) for line in lines) + indent
    whole = Piece(lambda: _fenced(block), greedy=False)
    rows = (_row(line, indent, max(longest, min(width, 1))) for line in lines)
    return [row._replace(piece=whole) for row in rows]


def _fenced(block: Code) -> str:
    runs = (len(run) for run in re.findall("`+", block.text))
    fence = "`" * max(3, max(runs, default=0) + 1)
    return f"{fence}{block.language}\n{block.text.rstrip()}\n{fence}"


def _row(line: list[Span], indent: int, width: int) -> Row:
    used = indent + sum(cells(span.text) for span in line)
    spans = [pad(indent, "codeblock")] * (indent > 0) + line
    return Row((*spans, *[pad(width - used, "codeblock")] * (width > used)), width)


def _coloured(text: str, language: str) -> Iterator[tuple[str, str]]:
    if not language or len(text) > _LONGEST:
        yield text, ""
        return
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        yield text, ""
        return
    for kind, piece in lexer.get_tokens(text):
        yield piece, _role(str(kind).removeprefix("Token."))


def _role(kind: str) -> str:
    return next((role for name, role in _ROLES if kind.startswith(name)), "")
