r"""Delimiters of a given size, \big( ... \big): as high as what stands between them.

TeX makes them as high as their author says; of cells there are too few sizes for that, and what
the author meant is to span the content.
"""

from __future__ import annotations

from typing import NamedTuple

from cards.math.box import Box
from cards.math.drawing.boxes import extent
from cards.math.drawing.delimiters import is_centred, stretched
from cards.math.drawing.parts import Part
from cards.math.drawing.rows import ADJUSTMENTS
from cards.math.drawing.scripts import attach, drawn_pair
from cards.math.drawing.setting import Setting
from cards.math.tree import Scripts, Symbol


class _Pair(NamedTuple):
    """An opening delimiter that waits for its partner."""

    indexes: list[int]
    """Of itself, and of the bars between the two."""
    boxes: list[Box]
    """The tall ones after it."""


def _grow_sized(parts: list[Part], setting: Setting) -> list[Part]:
    """Redraw the sized delimiters: with a partner as high as what is between them, else as the
    whole row."""
    if setting.flat or not any(map(_sized, parts)):
        return parts
    heights: dict[int, tuple[int, int]] = {}
    whole = extent(part.box for part in parts)
    opened: list[_Pair] = []
    for index, part in enumerate(parts):
        sized = _sized(part)
        if sized and part.kind == "open":
            opened.append(_Pair([index], []))
        elif sized and part.kind == "close" and opened:
            pair = opened.pop()
            between = extent(pair.boxes)
            heights |= dict.fromkeys((*pair.indexes, index), between)
            if opened and sum(between):
                opened[-1].boxes.append(Box(("",) * (sum(between) + 1), 0, between[0]))
        elif sized and opened:
            opened[-1].indexes.append(index)
        elif sized:
            heights[index] = whole
        elif opened and len(part.box.rows) > 1:
            opened[-1].boxes.append(part.box)
    for pair in opened:
        heights |= dict.fromkeys(pair.indexes, whole)
    grown = list(parts)
    for index, (above, below) in heights.items():
        if above + below:
            grown[index] = _grown(parts[index], above, below, setting)
    return grown


def _sized(part: Part) -> Symbol | None:
    node = part.node.base if isinstance(part.node, Scripts) else part.node
    return node if isinstance(node, Symbol) and node.size else None


def _grown(part: Part, above: int, below: int, setting: Setting) -> Part:
    symbol = _sized(part)
    if symbol is None:
        return part
    if is_centred(symbol.char):
        above = below = max(above, below)
    box = stretched(symbol.char, above, below)
    if isinstance(part.node, Scripts):
        box = attach(box, drawn_pair(part.node, setting), setting)
    return Part(box, part.kind, part.node)


ADJUSTMENTS.append(_grow_sized)
