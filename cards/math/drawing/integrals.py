r"""Integrals as high as what they are over: ⌠⎮⌡."""

from __future__ import annotations

from cards.math.box import Box
from cards.math.drawing.boxes import extent, text_box
from cards.math.drawing.kinds import core
from cards.math.drawing.parts import Part
from cards.math.drawing.rows import ADJUSTMENTS
from cards.math.drawing.scripts import attach, drawn_pair
from cards.math.drawing.setting import Setting
from cards.math.tree import Operator, Scripts

#: What stands in the middle of the stretched sign, and how many signs there are.
_MIDDLES = {"∫": ("⎮", 1), "∬": ("⎮", 2), "∭": ("⎮", 3), "⨌": ("⎮", 4), "∮": ("∮", 1)}


def _stretch_integrals(parts: list[Part], setting: Setting) -> list[Part]:
    """Redraw the integrals of a display whose operand, or whose limits, need more than a row."""
    if not setting.stack or not setting.limits:
        return parts
    if not any(_integral(part) for part in parts):
        return parts
    stretched: list[Part] = []
    # From the right, so that the operand is known: all to the next relation.
    reach = 0
    for part in reversed(parts):
        box = _drawn(part, reach, setting) if _integral(part) else None
        if box is not None:
            part = Part(box, part.kind, part.node)
        stretched.append(part)
        apart = part.kind == "rel" or (part.kind == "space" and part.box.width > 1)
        reach = 0 if apart else max(reach, *extent((part.box,)))
    return stretched[::-1]


def _integral(part: Part) -> Operator | None:
    if part.kind != "large":
        return None
    node = part.node
    base = core(node.base) if isinstance(node, Scripts) else node
    return base if isinstance(base, Operator) and base.text in _MIDDLES else None


def _drawn(part: Part, reach: int, setting: Setting) -> Box | None:
    node = part.node
    if not isinstance(node, Scripts):
        base = _integral(part)
        return _sign(base, reach) if reach and base is not None else None
    base = _integral(part)
    if base is None or node.limits:
        return None
    scripts = drawn_pair(node, setting)
    small = (scripts.sub is None or scripts.small_sub) and (
        scripts.sup is None or scripts.small_sup
    )
    if small and not reach:
        return None
    return attach(_sign(base, max(reach, 1)), scripts, setting)


def _sign(node: Operator, reach: int) -> Box:
    middle, count = _MIDDLES[node.text]
    if not reach:
        return text_box(node.text)
    stem = "⎮" * count
    rows = ["⌠" * count, *[stem] * (2 * reach - 1), "⌡" * count]
    rows[reach] = middle * count
    return Box(tuple(rows), count, reach)


ADJUSTMENTS.append(_stretch_integrals)
