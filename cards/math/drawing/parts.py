"""What a row is made of once its nodes are drawn."""

from __future__ import annotations

from typing import NamedTuple

from cards.math.box import Box
from cards.math.tree import Node


class Part(NamedTuple):
    """A node of a row, drawn."""

    box: Box
    kind: str
    """Of cards/math/spacing.py, or "space" (the box is then as wide as the space)."""
    node: Node | None


class Line(NamedTuple):
    """The parts of a row with the gaps found: `gaps[i]` cells before the i-th."""

    parts: list[Part]
    gaps: list[int]
