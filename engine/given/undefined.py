"""What a factor 0 hides: [false] * undefined is 0, and 0 * undefined is nothing to rely on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from engine.formula.axes import Array, Axed
from engine.formula.tree import Arithmetic, Cell, Definition, Indicator, Name, Negative, Node
from engine.given.arrays import BATCH


def guards(node: Node, definitions: Mapping[str, Definition]) -> bool:
    """Whether a 0 of this node means that a condition does not hold."""
    match node:
        case Indicator():
            return True
        case Arithmetic("*", left, right):
            return guards(left, definitions) or guards(right, definitions)
        case Arithmetic("/", part, _) | Negative(part):
            return guards(part, definitions)
        case Name(name) | Cell(name) if name in definitions:
            return guards(definitions[name].body, definitions)
    return False


def hidden(together: Callable[..., Axed], factor: Axed, slope: Axed) -> list[Array]:
    """Where a factor 0 hides that a slope does not exist: one (B,) mask, or none."""
    if np.isfinite(slope.data).all() or BATCH not in slope.axes:
        return []
    lost = together(lambda f, s: (f == 0) & ~np.isfinite(s), factor, slope)
    data = np.moveaxis(lost.data, lost.axes.index(BATCH), 0)
    mask: Any = data.reshape(len(data), -1).any(axis=1)
    return [mask]


def product(factor: Array, slope: Array) -> Array:
    """A partial times a slope; what a false condition multiplies by 0 stays hidden."""
    return np.asarray(np.where(factor == 0, 0.0, factor * slope))


def size_of_product(factor: Array, slope: Array) -> Array:
    return product(np.abs(factor), slope)
