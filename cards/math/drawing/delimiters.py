r"""Delimiters as high as what they hold: \left( \right), matrices."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from cards.math.box import Box
from cards.math.drawing.boxes import EMPTY, extent, hcat, pad, text_box
from cards.math.drawing.rows import draw, draw_row, draws
from cards.math.drawing.setting import Setting
from cards.math.environment import Environment
from cards.math.tree import Delimited, Row

#: Top, middle and bottom piece (one, repeated middle, one).
_PIECES = {
    "(": "⎛⎜⎝", ")": "⎞⎟⎠", "[": "⎡⎢⎣", "]": "⎤⎥⎦",
    "⌈": "⎡⎢⎢", "⌉": "⎤⎥⎥", "⌊": "⎢⎢⎣", "⌋": "⎥⎥⎦",
    "|": "│││", "∣": "│││", "‖": "║║║", "∥": "║║║",
    "↑": "↑││", "↓": "││↓", "↕": "↑│↓", "⇑": "⇑║║", "⇓": "║║⇓", "⇕": "⇑║⇓",
    "⟦": "╓║╙", "⟧": "╖║╜", "⟮": "⎛⎜⎝", "⟯": "⎞⎟⎠", "⎰": "⎰⎪⎱", "⎱": "⎱⎪⎰",
    "⌜": "⌜  ", "⌝": "⌝  ", "⌞": "  ⌞", "⌟": "  ⌟",
}  # fmt: skip
#: Those with a point, which belongs on the axis: top, extension, point, bottom.
_BRACES = {"{": "⎧⎪⎨⎩", "}": "⎫⎪⎬⎭"}
_ANGLES = {"⟨": "⟨", "<": "⟨", "⟩": "⟩", ">": "⟩"}
_SLASHES = {"/": "╱", "\\": "╲", "∖": "╲"}
#: An angle or a slash higher than this is drawn at its middle only.
_HIGHEST_SLANT = 9


def is_centred(char: str) -> bool:
    """Whether a delimiter has a point or a middle that belongs on the axis."""
    return char in _BRACES or char in _ANGLES or char in _SLASHES


@lru_cache(maxsize=1024)
def stretched(char: str, above: int, below: int) -> Box:
    """The delimiter over `above` rows over the baseline and `below` under it."""
    if not char:
        return EMPTY
    height = above + 1 + below
    if height == 1:
        return text_box(_ANGLES.get(char, char))
    if char in _BRACES:
        return _brace(_BRACES[char], above, below)
    if char in _ANGLES:
        return _angle(_ANGLES[char], above, below)
    if char in _SLASHES:
        return _slash(_SLASHES[char], above, below)
    if char not in _PIECES:
        return pad(text_box(char), above=above, below=below)
    top, middle, bottom = tuple(_PIECES[char])
    return Box((top, *(middle * (height - 2)), bottom), 1, above)


def _brace(pieces: str, above: int, below: int) -> Box:
    top, extension, point, bottom = tuple(pieces)
    above, below = max(above, 1), max(below, 1)
    rows = (top, *(extension * (above - 1)), point, *(extension * (below - 1)), bottom)
    return Box(rows, 1, above)


def _angle(point: str, above: int, below: int) -> Box:
    """Strokes that meet in a point on the axis, a cell further at each row."""
    reach = max(above, below)
    if 2 * reach + 1 > _HIGHEST_SLANT:
        return pad(text_box(point), above=above, below=below)
    upper, lower = ("╱", "╲") if point == "⟨" else ("╲", "╱")
    columns = [*range(reach, -1, -1), *range(1, reach + 1)]
    if point == "⟩":
        columns = [reach - column for column in columns]
    strokes = [*upper * reach, point, *lower * reach]
    rows = tuple(
        " " * column + stroke + " " * (reach - column)
        for column, stroke in zip(columns, strokes, strict=True)
    )
    return Box(rows, reach + 1, reach)


def _slash(stroke: str, above: int, below: int) -> Box:
    height = above + 1 + below
    if height > _HIGHEST_SLANT:
        return pad(text_box(stroke), above=above, below=below)
    columns = range(height - 1, -1, -1) if stroke == "╱" else range(height)
    rows = tuple(" " * c + stroke + " " * (height - 1 - c) for c in columns)
    return Box(rows, height, above)


def fenced(left: str, body: Box, right: str, padding: int = 0) -> Box:
    """`body` between delimiters as high as it; `padding` blank cells inside tall ones."""
    if not (left or right):
        return body
    if len(body.rows) == 1:
        return hcat((stretched(left, 0, 0), body, stretched(right, 0, 0)))
    above, below = reach((left, right), (body,))
    gaps = (0, padding if left else 0, padding if right else 0)
    return hcat((stretched(left, above, below), body, stretched(right, above, below)), gaps)


def reach(delimiters: Sequence[str], boxes: Sequence[Box]) -> tuple[int, int]:
    above, below = extent(boxes)
    if any(map(is_centred, delimiters)):
        above = below = max(above, below)
    return above, below


@draws(Delimited)
def _delimited(node: Delimited, setting: Setting) -> Box:
    if holds_grid(node.parts):
        grid = node.parts[0].items[0]
        if isinstance(grid, Environment) and not (grid.left or grid.right):
            return draw(grid._replace(left=node.left, right=node.right), setting)
    boxes = [draw_row(part, setting) for part in node.parts]
    above, below = reach((node.left, *node.middles, node.right), boxes)
    pieces, gaps = [stretched(node.left, above, below)], [0]
    for index, box in enumerate(boxes):
        gap = 0
        if index:
            middle = node.middles[index - 1]
            gap = middle_gap(middle, setting)
            pieces.append(stretched(middle, above, below))
            gaps.append(gap)
        pieces.append(box)
        gaps.append(gap)
    pieces.append(stretched(node.right, above, below))
    gaps.append(0)
    return hcat(pieces, gaps)


def middle_gap(middle: str, setting: Setting) -> int:
    r"""The cells on both sides of \middle|, which reads as a relation; a slash does not."""
    return 0 if setting.script or middle in _SLASHES else 1


def holds_grid(parts: tuple[Row, ...]) -> bool:
    items = parts[0].items if parts else ()
    return len(parts) == 1 and len(items) == 1 and isinstance(items[0], Environment)
