"""Boxes of characters: rows of one width, set side by side on their baselines.

A `Box` holds plain text; what a terminal adds (bold, colours) stands beside it as `Mark`s.
"""

from __future__ import annotations

from typing import NamedTuple


class Mark(NamedTuple):
    """A style over some cells of one row."""

    row: int
    start: int
    """First cell."""
    end: int
    """Cell after the last."""
    style: str
    """"bold", "italic", "warning", "color:NAME", "color:#rrggbb" or "background:..."."""


class Box(NamedTuple):
    rows: tuple[str, ...]
    """Each exactly `width` cells, as `rich.cells.cell_len` counts."""
    width: int
    baseline: int
    """The row on which text beside the box stands, counted from 0."""
    marks: tuple[Mark, ...] = ()
    copy: str = ""
    """The LaTeX it was made of, for the clipboard; "" for a part of a formula."""
