"""The pages of the documentation: blocks of code, headings, links and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.paths import ROOT

DOCS = ROOT / "docs"
AT_THE_TOP = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
PAGES = sorted([*(ROOT / name for name in AT_THE_TOP), *DOCS.glob("*.md")])


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of code."""

    page: Path
    line: int
    """1-based, of its opening fence."""
    language: str
    text: str

    @property
    def place(self) -> str:
        return f"{name(self.page)}:{self.line}"


@dataclass(frozen=True, slots=True)
class Link:
    page: Path
    line: int
    target: str

    @property
    def place(self) -> str:
        return f"{name(self.page)}:{self.line}: {self.target}"


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@cache
def tokens(page: Path) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(page.read_text("utf-8"))


def blocks(page: Path, *languages: str) -> list[Block]:
    """The fenced blocks of a page in some languages (all, where none is named), in order."""
    return [
        Block(page, token.map[0] + 1, token.info.strip(), token.content)
        for token in tokens(page)
        if token.type == "fence" and token.map and (not languages or token.info in languages)
    ]


def links(page: Path) -> Iterator[Link]:
    """Where links and pictures lead."""
    for token in tokens(page):
        for child in token.children or ():
            target = child.attrGet("href") if child.type == "link_open" else child.attrGet("src")
            if isinstance(target, str) and child.type in ("link_open", "image"):
                yield Link(page, (token.map or [0])[0] + 1, target)


@cache
def anchors(page: Path) -> frozenset[str]:
    """What a link into the page may name: its headings, as forges and MyST spell them."""
    found: list[str] = []
    for heading, inline in zip(tokens(page), tokens(page)[1:], strict=False):
        if heading.type == "heading_open":
            said = "".join(
                c.content for c in inline.children or () if c.type in ("text", "code_inline")
            )
            slug = re.sub(r"[^\w\- ]", "", said.lower()).replace(" ", "-")
            found.append(f"{slug}-{found.count(slug)}" if slug in found else slug)
    return frozenset(found)


def rows(page: Path, heading: str) -> list[list[str]]:
    """The cells of every table whose first column is headed `heading`, its head left out."""
    found: list[list[str]] = []
    wanted = False
    for token, inline in zip(tokens(page), tokens(page)[1:], strict=False):
        if token.type == "thead_open":
            wanted, head = False, True
            row: list[str] = []
        elif token.type == "tr_open":
            row = []
        elif token.type in ("th_open", "td_open"):
            row.append(inline.content)
        elif token.type == "tr_close" and head:
            wanted, head = row[0] == heading, False
        elif token.type == "tr_close" and wanted:
            found.append(row)
    return found


def code(cell: str) -> str:
    """What stands in the backticks of a cell."""
    found = re.search(r"(`+) ?(.+?) ?\1(?!`)", cell)
    assert found, cell
    return found[2].replace("\\|", "|")
