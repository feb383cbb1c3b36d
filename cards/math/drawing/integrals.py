r"""Integrals as high as what they are over: ⌠⎮⌡."""

from __future__ import annotations

from cards.math.box import Box
from cards.math.drawing.boxes import extent, text_box
from cards.math.drawing.rows import ADJUSTMENTS, Part
from cards.math.drawing.scripts import attach, core, drawn_pair
from cards.math.drawing.setting import Setting
from cards.math.tree import Operator, Scripts

#: What stands in the middle of the stretched sign, and how many signs there are.
_MIDDLES = {"∫": ("⎮", 1), "∬": ("⎮", 2), "∭": ("⎮", 3), "⨌": ("⎮", 4), "∮": ("∮", 1)}


def _stretch_integrals(parts: list[Part], setting: Setting) -> list[Part]:
    """Redraw the integrals of a display whose operand, or whose limits, need more than a row."""
    if not setting.stack or not setting.limits:
        return parts
    found = [index for index, part in enumerate(parts) if _integral(part) is not None]
    if not found:
        return parts
    parts = list(parts)
    for index in reversed(found):
        reach = _reach(parts, index + 1)
        box = _drawn(parts[index], reach, setting)
        if box is not None:
            parts[index] = Part(box, parts[index].kind, parts[index].node)
    return parts


def _integral(part: Part) -> Operator | None:
    if part.kind != "large":
        return None
    node = part.node
    base = core(node.base) if isinstance(node, Scripts) else node
    return base if isinstance(base, Operator) and base.text in _MIDDLES else None


def _reach(parts: list[Part], start: int) -> int:
    """The rows above and below the baseline of what is integrated, to the next relation."""
    end = next((i for i in range(start, len(parts)) if parts[i].kind == "rel"), len(parts))
    return max(extent(part.box for part in parts[start:end]))


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
