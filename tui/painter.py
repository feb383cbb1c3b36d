"""Pictures in terminals that draw them."""

from __future__ import annotations

import fcntl
import struct
import sys
import termios
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from textual.widget import Widget

#: Terminals that are known to draw; every other one would pay for the question.
_PROGRAMS = {"WezTerm", "iTerm.app", "ghostty", "contour", "mintty", "rio"}
_TERMS = ("xterm-kitty", "xterm-ghostty", "foot", "mlterm", "contour", "yaft", "wezterm")
_TALLEST = 24
_MOST_PIXELS = 50_000_000
#: Where the terminal does not say: the VT340's.
_CELL = (10, 20)


class Painter(Protocol):
    """Draws pictures over rows of a page that are left free for them."""

    def cells(self, path: Path, width: int) -> tuple[int, int] | None:
        """Columns and rows of a picture on a page of `width`; None where it is none."""

    def widget(self, path: Path) -> Widget:
        """What shows it, in a place of that size."""


def painter(environment: Mapping[str, str]) -> Painter | None:
    """The one for this terminal; None where it draws no pictures or the extra is not there."""
    term = environment.get("TERM", "")
    draws = (
        term.startswith(_TERMS)
        or environment.get("TERM_PROGRAM", "") in _PROGRAMS
        or "KITTY_WINDOW_ID" in environment
    )
    if not draws or "TMUX" in environment or term.startswith(("screen", "tmux")):
        return None
    try:
        import textual_image.renderable as renderable
        from textual_image.widget import Image
    except ImportError:
        return None
    # Without either protocol the library draws half blocks, which say less than a title.
    if renderable.Image not in (renderable.TGPImage, renderable.SixelImage):
        return None
    return _Terminal(Image)


class _Terminal:
    """A terminal that speaks one of the protocols."""

    def __init__(self, image: Callable[[str], Widget]) -> None:
        self._image = image
        self._sizes: dict[Path, tuple[int, int] | None] = {}

    def cells(self, path: Path, width: int) -> tuple[int, int] | None:
        if path not in self._sizes:
            self._sizes[path] = _pixels(path)
        size = self._sizes[path]
        return fitted(size, cell_pixels(), width) if size else None

    def widget(self, path: Path) -> Widget:
        return self._image(str(path))


def fitted(pixels: tuple[int, int], cell: tuple[int, int], width: int) -> tuple[int, int]:
    """Columns and rows of a picture: its own size, made smaller until it fits."""
    columns, rows = pixels[0] / cell[0], pixels[1] / cell[1]
    scale = min(1.0, width / columns, _TALLEST / rows)
    return max(1, min(width, round(columns * scale))), max(1, round(rows * scale))


def cell_pixels() -> tuple[int, int]:
    """The size of a cell in pixels, as the terminal says it."""
    try:
        answer = fcntl.ioctl(sys.__stdout__ or 1, termios.TIOCGWINSZ, b"\0" * 8)
    except (OSError, ValueError):
        return _CELL
    rows, columns, wide, high = struct.unpack("HHHH", answer)
    return (wide // columns, high // rows) if wide >= columns > 0 and high >= rows > 0 else _CELL


def _pixels(path: Path) -> tuple[int, int] | None:
    from PIL import Image

    try:
        with Image.open(path) as image:
            width, height = image.size
            image.verify()
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    return (width, height) if 0 < width * height <= _MOST_PIXELS else None
