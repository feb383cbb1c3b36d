"""Comparisons, kinks and jumps: where the two sides are equal, either may be taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.formula.axes import Axed
from engine.formula.tree import Node
from engine.given import arrays, calculus
from engine.given.dual import Dual

if TYPE_CHECKING:
    from engine.given.duals import Duals


def slope(on: Duals, part: Dual, left: float, right: float) -> Axed | float:
    """The slope of a function with a kink at 0."""
    if part.slope is None:
        return 0.0
    above = on.together(lambda a: (a > 0).astype(np.intp), part.value)
    alike = on.together(lambda a, m: (a == 0) & m, part.value, on.moving(part.slope))
    taken = _either(on, above, alike)
    return on.together(lambda t: np.where(t == 1, right, left), taken)


def step(on: Duals, part: Dual, sides: tuple[calculus.Function, ...]) -> Axed:
    """A function that jumps: where it does, its value on either side may be taken."""
    values = [on.together(side, part.value) for side in sides]
    if part.slope is None or on.kinks is None:
        return values[1]
    moving = on.moving(part.slope)
    axes = tuple(sorted({*part.value.axes, *moving.axes}))
    moves = on.axes.full(moving, axes).data
    laid = [on.axes.full(value, axes).data for value in values]
    alike = np.stack([(one != laid[1]) & moves for one in laid], axis=-1)
    alike[..., 1] = True
    taken = on.pick(Axed(alike, axes), Axed(np.ones(moves.shape, dtype=np.intp), axes))
    return arrays.picked(on.axes, np.stack(laid, axis=-1), axes, taken)


def compared(on: Duals, ends: tuple[Node, Node], left: Dual, op: str, right: Dual) -> Axed:
    """The truth of a comparison of two nodes; where it hangs in the balance, either."""
    truth = on.together(calculus.RELATIONS[op], left.value, right.value)
    truth = on.tied(left.value, right.value, truth)
    if on.borders is not None and (on.borders.equalities or op not in ("==", "!=")):
        off = on.together(np.subtract, left.value, right.value)
        on.bordering(off, *ends, op in ("==", "!="))
    if on.kinks is None:
        return truth
    apart = on.chained([left, right], [1.0, -1.0])
    if apart is None:
        return truth
    alike = on.together(lambda a, b, m: (a == b) & m, left.value, right.value, on.moving(apart))
    taken = _either(on, Axed(truth.data.astype(np.intp), truth.axes), alike)
    return Axed(taken.data == 1, taken.axes)


def _either(on: Duals, usual: Axed, alike: Axed) -> Axed:
    index = on.axes.full(usual, alike.axes)
    return on.pick(arrays.either(on.axes.full(alike, index.axes), index), index)
