"""Markdown to styled lines, with its mathematics left as LaTeX source.

A block is a run of text with an indent and a mark in front of its first line (a bullet, a
number); the widget that shows it wraps it to the width it has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content

from tui.text import visible

if TYPE_CHECKING:
    from markdown_it.token import Token

MATH = "$text-accent"
CODE = "$text-secondary"
MARKS = {
    "strong_open": "bold",
    "em_open": "italic",
    "s_open": "strike",
    "link_open": "underline",
}


@dataclass(frozen=True, slots=True)
class Block:
    content: Content
    indent: int = 0
    mark: str = ""
    """Stands at the right end of the indent, on the first line."""
    gap: bool = True
    """Whether an empty line stands above."""


def blocks(markdown: str) -> list[Block]:
    """The blocks of a Markdown text, top to bottom."""
    from cards.markdown import parser

    return list(_Walk().through(parser().parse(visible(markdown))))


def inline(markdown: str) -> Content:
    """One line of Markdown (an option, a title) as styled text."""
    return Content(" ").join(block.content for block in blocks(markdown))


class _Walk:
    """Goes through the tokens of a text, knowing in what they stand."""

    def __init__(self) -> None:
        self._counters: list[int | None] = []
        """Of the open lists: the next number, None for bullets."""
        self._marks: list[str] = []
        """Of the open list items; empty once the item's first block stands."""
        self._quotes = 0
        self._heading = ""
        self._row: list[Content] | None = None
        self._above = ""

    def through(self, tokens: list[Token]) -> Iterator[Block]:
        for token in tokens:
            if token.type == "tr_close":
                yield self._block(Content("  │  ").join(self._row or []), "row")
                self._row = None
            elif (content := _leaf(token)) is None:
                self._step(token)
            elif self._row is not None:
                self._row.append(content)
            else:
                kind = "heading" if self._heading else token.type
                yield self._block(content.stylize(self._heading), kind)

    def _step(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open":
                self._counters.append(None)
            case "ordered_list_open":
                self._counters.append(int(token.attrs.get("start", 1)))
            case "bullet_list_close" | "ordered_list_close":
                self._counters.pop()
            case "list_item_open":
                self._marks.append(self._next_mark())
            case "list_item_close":
                self._marks.pop()
            case "heading_open":
                self._heading = "bold $text-primary" if token.tag in ("h1", "h2") else "bold"
            case "heading_close":
                self._heading = ""
            case "blockquote_open":
                self._quotes += 1
            case "blockquote_close":
                self._quotes -= 1
            case "tr_open":
                self._row = []

    def _next_mark(self) -> str:
        number = self._counters[-1]
        if number is None:
            return "•"
        self._counters[-1] = number + 1
        return f"{number}."

    def _block(self, content: Content, kind: str) -> Block:
        mark = self._marks[-1] if self._marks else "▎" * bool(self._quotes)
        begins = bool(self._marks and self._marks[-1])
        if begins:
            self._marks[-1] = ""
        wide = 3 * len(self._marks) + 2 * self._quotes
        tight = (
            self._above == "heading"
            or (begins and self._above == "inline")
            or kind == self._above == "row"
        )
        self._above = kind
        return Block(content, wide + (2 if kind.startswith("math") else 0), mark, gap=not tight)


def _leaf(token: Token) -> Content | None:
    if token.type == "inline":
        return _inline(token.children or [])
    if token.type in ("fence", "code_block", "html_block"):
        return Content.styled(token.content.rstrip("\n"), CODE)
    if token.type.startswith("math_block"):
        return Content.styled(token.content.strip(), MATH)
    if token.type == "hr":
        return Content.styled("─" * 20, "dim")
    return None


def _inline(tokens: list[Token]) -> Content:
    styles: list[str] = []
    parts: list[Content | tuple[str, str]] = []
    for token in tokens:
        style = " ".join(styles)
        if token.type in MARKS:
            styles.append(MARKS[token.type])
        elif token.type.endswith("_close"):
            styles.pop()
        elif token.type in ("softbreak", "hardbreak"):
            parts.append((" " if token.type == "softbreak" else "\n", style))
        else:
            parts.append(_word(token, style))
    return Content.assemble(*parts)


def _word(token: Token, style: str) -> tuple[str, str]:
    if token.type.startswith("math_"):
        return token.content, f"{style} {MATH}".strip()
    if token.type == "code_inline":
        return token.content, f"{style} {CODE}".strip()
    if token.type == "wikilink":
        return str(token.meta.get("label") or token.content), f"{style} underline".strip()
    if token.type in ("image", "embed"):
        name = token.content or str(token.attrs.get("src", ""))
        return f"[picture: {name}]", f"{style} italic".strip()
    return token.content, style
