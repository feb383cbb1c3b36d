"""Pictures: where their files are, and the titled frame that stands for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from tui.page.blocks import Picture
from tui.page.model import PAD, Painting, Row, Span, cells, chop, settled

_ADDRESSES = ("http:", "https:", "data:")


@dataclass(frozen=True, slots=True)
class Found:
    """A picture's file, or the sentence that says why there is none to show."""

    path: Path | None
    why: str = ""


Finder = Callable[[str], Found]
Measure = Callable[[Path, int], tuple[int, int] | None]
"""The columns and rows of a picture that the terminal can draw, at most so wide; else None."""


def finder(card: Path | None, root: Path | None) -> Finder:
    """Looks for pictures beside a card, then in its collection's folder, never outside of it."""

    def find(target: str) -> Found:
        from cards.files import leads_out
        from cards.links import leaves

        name = unquote(target).split("#", 1)[0]
        if name.lower().startswith(_ADDRESSES):
            return Found(None, "not fetched: it is not on this disk")
        if leaves(target) and leaves(name):
            return Found(None, "not opened: it is outside the collection")
        folders = [folder for folder in (card.parent if card else None, root) if folder]
        for folder in folders:
            if _is_file(folder / name):
                if root and leads_out(folder / name, root):
                    return Found(None, "not opened: it is a link out of the collection")
                return Found(folder / name)
        return Found(None, "missing: there is no such file beside the card")

    return find


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def picture_rows(
    block: Picture, width: int, find: Finder | None, measure: Measure | None = None
) -> list[Row]:
    """Rows left free for the picture, where it can be drawn; else a frame with its title."""
    found = find(block.target) if find else Found(None)
    size = measure(found.path, width) if measure and found.path else None
    if found.path is None or size is None:
        return _frame(block, width, found)
    painting = Painting(block.source.copy, found.path, *size)
    rows = [_line(Span(" " * size[0], "", painting), size[0]) for _ in range(size[1])]
    title = chop(settled(block.title), width, width)
    return rows + [_line(Span(line, "picture", PAD), cells(line)) for line in title]


def _frame(block: Picture, width: int, found: Found) -> list[Row]:
    """The picture's title, its file, and what is wrong with it."""
    file = block.target if block.target != block.title else ""
    told = [settled(block.title), settled(file), found.why]
    lines = [piece for text in told if text for piece in chop(" ".join(text.split()), width, width)]
    if width < 12:
        return [_line(Span(line, "picture", block.source), cells(line)) for line in lines]
    inner = min(width - 4, max(24, *map(cells, lines)))
    lines = [piece for text in told if text for piece in chop(text, inner, inner)]
    title = " picture "
    rule = "─" * (inner + 2 - len(title))
    top = _line(Span(f"╭{title}{rule}╮", "picture", block.source), inner + 4)
    bottom = _line(Span(f"╰{'─' * (inner + 2)}╯", "picture", PAD), inner + 4)
    middle = [_framed(line, inner, line == found.why) for line in lines]
    return [top, *middle, bottom]


def _framed(text: str, inner: int, odd: bool) -> Row:
    side = Span("│", "picture", PAD)
    words = Span(f" {text}{' ' * (inner - cells(text))} ", "warning" if odd else "", PAD)
    return Row((side, words, side), inner + 4)


def _line(span: Span, width: int) -> Row:
    return Row((span,), width)
