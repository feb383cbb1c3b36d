r"""\sideset: scripts at the four corners of an operator, all of one size."""

from __future__ import annotations

from cards.math.box import Box
from cards.math.drawing.boxes import EMPTY, Align, blank, hcat, text_box, vcat
from cards.math.drawing.rows import draw, draw_row, draws
from cards.math.drawing.scripts import Pair, attach, drawn_pair
from cards.math.drawing.setting import Setting
from cards.math.tree import Classed, Operator, Row, Scripts


@draws(Classed)
def _classed(node: Classed, setting: Setting) -> Box:
    if node.kind == "op" and has_corners(node.body):
        return _cornered(node.body, setting)
    return draw_row(node.body, setting)


def has_corners(row: Row) -> bool:
    """Whether a row is an operator with scripts that stand at nothing, before or after it."""
    alone = [isinstance(item, Scripts) and item.base is None for item in row.items]
    return sum(alone) == len(alone) - 1 > 0 and any(isinstance(i, Operator) for i in row.items)


def _cornered(row: Row, setting: Setting) -> Box:
    pairs = [drawn_pair(i, setting) if isinstance(i, Scripts) else None for i in row.items]
    small = all(pair is None or _is_small(pair) for pair in pairs)
    boxes: list[Box] = []
    align: Align = "r"
    for item, pair in zip(row.items, pairs, strict=True):
        if pair is None:
            boxes.append(draw(item, setting))
            align = "l"
        elif small or setting.flat:
            boxes.append(attach(EMPTY, pair, setting))
        else:
            boxes.append(_corner(pair, align))
    return hcat(boxes)


def _is_small(pair: Pair) -> bool:
    return bool((pair.sub is None or pair.small_sub) and (pair.sup is None or pair.small_sup))


def _corner(pair: Pair, align: Align) -> Box:
    """The high script a row over the baseline, the low one a row under it."""
    primes = [text_box(pair.primes)] if pair.primes else []
    high = hcat([*primes, pair.sup or EMPTY])
    return vcat((high, blank(0), pair.sub or EMPTY), 1, align)
