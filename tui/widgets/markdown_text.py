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

Part = str | tuple[str, str]

MATH = "$accent"
CODE = "$secondary"
MARKS = {"strong_open": "bold", "em_open": "italic", "s_open": "strike", "link_open": "underline"}


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

    return list(_walk(parser().parse(visible(markdown))))


def inline(markdown: str) -> Content:
    """One line of Markdown (an option, a title) as styled text."""
    found = blocks(markdown)
    return Content(" ").join(block.content for block in found) if found else Content("")


def _walk(tokens: list[Token]) -> Iterator[Block]:
    marks: list[str] = []  # of the list items that are open, "" once its first block stands
    counters: list[int | None] = []
    heading, quote, fresh = "", 0, False
    row: list[Content] = []
    for token in tokens:
        if token.type == "bullet_list_open":
            counters.append(None)
        elif token.type == "ordered_list_open":
            counters.append(int(token.attrs.get("start", 1)))
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            counters.pop()
        elif token.type == "list_item_open":
            marks.append(_next_mark(counters))
            fresh = True
        elif token.type == "list_item_close":
            marks.pop()
        elif token.type == "heading_open":
            heading = "bold $primary" if token.tag in ("h1", "h2") else "bold"
        elif token.type == "heading_close":
            heading = ""
        elif token.type in ("blockquote_open", "blockquote_close"):
            quote += 1 if token.type.endswith("open") else -1
        elif token.type in ("th_close", "td_close"):
            row.append(Content("  │  "))
        elif token.type == "tr_close":
            yield Block(Content("").join(row[:-1]), gap=False)
            row = []
        elif token.type == "inline" and token.level and _in_cell(tokens, token):
            row.append(_inline(token.children or []))
        else:
            content = _leaf(token)
            if content is None:
                continue
            if heading:
                content = content.stylize(heading)
            indent = 3 * len(marks) + 2 * quote + (2 if token.type.startswith("math_block") else 0)
            mark = marks[-1] if marks else ("▎" if quote else "")
            if marks:
                marks[-1] = ""
            yield Block(content, indent, mark, gap=not (fresh and mark and len(marks) > 0))
            fresh = False


def _in_cell(tokens: list[Token], token: Token) -> bool:
    return tokens[tokens.index(token) - 1].type in ("th_open", "td_open")


def _next_mark(counters: list[int | None]) -> str:
    number = counters[-1]
    if number is None:
        return "•"
    counters[-1] = number + 1
    return f"{number}."


def _leaf(token: Token) -> Content | None:
    if token.type == "inline":
        return _inline(token.children or [])
    if token.type in ("fence", "code_block", "html_block"):
        return Content.styled(token.content.rstrip("\n"), CODE)
    if token.type.startswith("math_block"):
        return Content.styled(token.content.strip("\n"), MATH)
    if token.type == "hr":
        return Content.styled("─" * 20, "dim")
    return None


def _inline(tokens: list[Token]) -> Content:
    styles: list[str] = []
    parts: list[Part] = []
    for token in tokens:
        if token.type in MARKS:
            styles.append(MARKS[token.type])
        elif token.type.endswith("_close") and styles:
            styles.pop()
        elif token.type.startswith("math_"):
            parts.append((token.content, " ".join([*styles, MATH])))
        elif token.type == "code_inline":
            parts.append((token.content, " ".join([*styles, CODE])))
        elif token.type == "softbreak":
            parts.append(" ")
        elif token.type == "hardbreak":
            parts.append("\n")
        elif token.type == "image":
            parts.append((f"[image: {token.content or token.attrs.get('src', '')}]", "italic dim"))
        elif token.content:
            parts.append((token.content, " ".join(styles)))
    return Content.assemble(*parts)
