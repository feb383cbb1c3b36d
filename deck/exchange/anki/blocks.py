"""Blocks of Markdown: lines one under the other, lists, quotes, tables, code."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from cards.outline import title_name

_PARTS = ("question", "solution", "options")
_TICKS = re.compile(r"`+")


@dataclass(slots=True)
class Box:
    """An element that holds blocks, while it is read."""

    kind: str
    entries: list[tuple[str, bool, bool]] = field(default_factory=list)
    """Text, whether a blank line stands before it, whether it is a line of words."""
    children: list[Box] = field(default_factory=list)
    """Items of a list, rows of a table, cells of a row."""
    extra: list[str] = field(default_factory=list)
    """Elements that were too deep to have a box of their own."""
    start: int = 1
    """Of a numbered list."""

    def put(self, text: str, gap: bool, line: bool) -> None:
        self.entries.append((text, gap, line))


def joined(box: Box) -> str:
    """The blocks of a box, one under the other; words that stray beside items come first."""
    parts: list[str] = []
    after_line = False
    for text, gap, line in box.entries:
        if parts:
            parts.append("\n\n" if gap or not (line and after_line) else "\\\n")
        parts.append(text)
        after_line = line
    return "".join(parts)


def listed(box: Box) -> str:
    """A list; one in an item of another stands right under its words."""
    lines = [joined(box)] if box.entries else []
    for number, item in enumerate(box.children, box.start):
        sign = f"{number}. " if box.kind == "ol" else "- "
        words = _tight(item)
        lines.append(sign + words.replace("\n", "\n" + " " * len(sign)))
    return "\n".join(line.rstrip() for line in "\n".join(lines).split("\n"))


def _tight(item: Box) -> str:
    parts: list[str] = []
    after_line = False
    for text, gap, line in item.entries:
        if parts:
            is_list = not line and not gap
            parts.append("\n" if is_list else "\\\n" if line and after_line and not gap else "\n\n")
        parts.append(text)
        after_line = line
    return "".join(parts)


def quoted(box: Box) -> str:
    return "\n".join(f"> {line}".rstrip() for line in joined(box).split("\n"))


def table(box: Box) -> str:
    """A table of GitHub's kind; its first row is the header."""
    rows = [[_cell(cell) for cell in row.children] for row in box.children if row.kind == "tr"]
    rows = [row for row in rows if row]
    if not rows:
        return joined(box)
    width = max(map(len, rows))
    rows = [row + [""] * (width - len(row)) for row in rows]
    rows.insert(1, ["---"] * width)
    before = joined(box) + "\n\n" if box.entries else ""
    return before + "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cell(cell: Box) -> str:
    text = re.sub(r"\\\n|\n+", " ", joined(cell))
    return " ".join(text.split()).replace("|", "\\|")


def heading(words: str, level: int) -> str:
    """A heading; in bold where it would begin a part of the card, or be warned of."""
    name = title_name(words)
    if name not in _PARTS:
        return f"{'#' * level} {words}"
    return words if "**" in words else f"**{words}**"


def fenced(text: str) -> str:
    """A code block whose fence is longer than any in it."""
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    body = text.strip("\n").replace("\xa0", " ")
    return f"{fence}\n{body}\n{fence}"
