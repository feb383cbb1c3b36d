"""What the reader asks of the parser's tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.page.blocks import Align, Picture
from tui.page.model import Source

if TYPE_CHECKING:
    from markdown_it.token import Token


def bare(tokens: list[Token]) -> list[Token]:
    """Without the line breaks at its ends."""
    start, end = 0, len(tokens)
    while start < end and tokens[start].type.endswith("break"):
        start += 1
    while end > start and tokens[end - 1].type.endswith("break"):
        end -= 1
    return tokens[start:end]


def still_open(tokens: list[Token]) -> list[Token]:
    """What is still open behind them: bold text goes on below a formula that cuts it."""
    still: list[Token] = []
    for token in tokens:
        if token.nesting > 0:
            still.append(token)
        elif token.nesting < 0 and still:
            still.pop()
    return still


def align_of(style: str) -> Align:
    return "right" if "right" in style else "center" if "center" in style else "left"


def picture_of(token: Token) -> Picture:
    if token.type == "embed":
        label = str(token.meta.get("label") or token.content)
        return Picture(label, token.content, Source(f"![[{token.content}]]"))
    target = str(token.attrs.get("src", ""))
    return Picture(token.content or target, target, Source(f"![{token.content}]({target})"))
