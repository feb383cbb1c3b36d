"""Terms of a sum whose index leaves its array's range: in print they count as 0.

The convolution gradient sum_{a,b} delta[i-a,j-b] W[a,b] is written so in every textbook.  Only a
shifted index says that: a plain one which runs too far, as in W[j,k] for W[k,j], is a mistake.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.formula.axes import Axed
from engine.formula.tree import Node
from engine.given.dual import Dual, Scope

if TYPE_CHECKING:
    from engine.given.duals import Duals


class Reach:
    """Where terms were left out, while an answer is evaluated."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        """Arrays that some term of a sum reads beyond their range."""
        self._terms: list[list[tuple[str, Axed]]] = []

    def read(self, on: Duals, name: str, at: tuple[Axed, ...], shape: tuple[int, ...]) -> None:
        """Take down where a term that is being evaluated reads `name` out of its range."""
        if not self._terms:
            return
        for place, size in zip(at, shape, strict=True):
            if not plain(place):
                outside = on.together(lambda v, s=size: (v < 0) | (v >= s), place)
                if outside.data.any():
                    self._terms[-1].append((name, outside))

    def term(self, on: Duals, body: Node, scope: Scope, counts: Axed) -> Dual:
        """The term of a sum: 0 where it is undefined because an index left its range."""
        self._terms.append([])
        found = on.dual(body, scope)
        value = found.value
        for name, outside in self._terms.pop():
            gone = on.together(lambda v, o: np.isnan(v) & o, value, outside)
            if on.together(np.logical_and, gone, counts).data.any():
                self.names.add(name)
            value = on.together(lambda v, g: np.where(g, 0.0, v), value, gone)
        return Dual(value, found.slope)


def plain(index: Axed) -> bool:
    """Whether it is an index by itself, which counts from 0."""
    data = index.data
    return len(index.axes) == 1 and bool((data == np.arange(data.shape[0])).all())
