"""Fractions on one line among their neighbours: (1/2)x, not 1/2x."""

from __future__ import annotations

from cards.math.box import Box
from cards.math.drawing.boxes import hcat, text_box
from cards.math.drawing.parts import Part
from cards.math.tree import Fraction


def bracket_ratios(parts: list[Part], kinds: list[str]) -> tuple[list[Part], list[str]]:
    """Put brackets around a fraction on one line where its neighbours would join it."""
    if "ratio" not in kinds:
        return parts, kinds
    solid = [i for i, kind in enumerate(kinds) if kind != "space" or parts[i].box.width > 1]
    parts, kinds = list(parts), list(kinds)
    for place, index in enumerate(solid):
        if kinds[index] != "ratio":
            continue
        before = solid[place - 1] if place else None
        after = solid[place + 1] if place + 1 < len(solid) else None
        if _joins_before(parts, kinds, before) or _joins_after(parts, kinds, after):
            parts[index] = Part(bracketed(parts[index].box), "fence", parts[index].node)
            kinds[index] = "fence"
    return parts, kinds


def _joins_before(parts: list[Part], kinds: list[str], index: int | None) -> bool:
    if index is None:
        return False
    text = parts[index].box.rows[0]
    if kinds[index] == "ord":
        return text.isdigit() or text.endswith("/")
    return kinds[index] in ("op", "ratio") or isinstance(parts[index].node, Fraction)


def _joins_after(parts: list[Part], kinds: list[str], index: int | None) -> bool:
    if index is None:
        return False
    if kinds[index] == "close":
        return parts[index].box.rows[0].startswith("!")
    return kinds[index] in ("ord", "op", "large", "open", "inner", "fence", "ratio")


def bracketed(box: Box) -> Box:
    return hcat((text_box("("), box, text_box(")")))
