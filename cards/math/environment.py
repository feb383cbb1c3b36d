"""The node of a formula that has rows and columns, and what it is made of (see tree.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from cards.math.tree import Row, Span


class Line(NamedTuple):
    """A horizontal rule of an environment, above its row `before` (0 is the top)."""

    before: int
    dashed: bool


class Insert(NamedTuple):
    r"""What a column specification puts between columns: `@{=}`, `!{\to}`."""

    before: int
    """The column that it stands before; that after the last one for the right end."""
    body: Row
    tight: bool
    """Whether it takes the place of the gap between the columns, as `@{...}` does."""


class Environment(NamedTuple):
    r"""Rows and columns: matrices, cases, aligned, array, \substack, CD."""

    name: str
    """Without its star, and one name for what means the same: "aligned" (align, flalign),
    "alignat", "split", "eqnarray", "gathered" (gather), "multline", "cases", "dcases", "rcases",
    "drcases", "matrix", "pmatrix", ..., "smallmatrix", "array" (darray, tabular), "substack",
    "CD".  An equation or a gathered row alone is no environment: its content stands in the row."""
    rows: tuple[tuple[Row, ...], ...]
    r"""Cells; rows may be of different lengths.  \intertext is a row of one cell of Text."""
    columns: str
    r"""A letter a column: l, c or r; with `|` and `:` for upright rules, as `array` has them.
    Aligned environments: "rlrl..."; cases: "ll"; gathered: "c"."""
    joined: bool
    """True where columns touch (aligned: the right one of a pair sets no gap before `=`)."""
    lines: tuple[Line, ...]
    left: str
    right: str
    """Delimiters, stretched: pmatrix "(" and ")", cases "{" and "", "" for none."""
    small: bool
    """smallmatrix, substack: set as scripts are."""
    tags: tuple[Row | None, ...]
    r"""\tag of each row, or ()."""
    span: Span
    inserts: tuple[Insert, ...] = ()
    r"""What each row has between columns, as `@{=}` asks; `>{...}` and `<{...}` are in cells."""
