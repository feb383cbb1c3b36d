"""How far each choice of a formula is from its border: comparisons, |x|, max and min of several."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from engine.formula import echo
from engine.formula.axes import Array
from engine.formula.tree import Node, Number

#: No more borders of one formula are looked at.
MOST: Final = 12


class Border(NamedTuple):
    off: Array
    """(B, P): left less right, at each place that the choice is made at."""
    left: Node
    right: Node

    def side(self, sign: int) -> str:
        return f"{echo.text(self.left)} {'>' if sign > 0 else '<'} {echo.text(self.right)}"

    @property
    def ends(self) -> Array:
        """(B, 2): the least and the largest of a row, which tell one border from another."""
        rows = np.where(np.isnan(self.off), 0.0, self.off)
        return np.stack([rows.min(axis=1), rows.max(axis=1)], axis=1)

    def same(self, other: Border) -> bool:
        """Whether it is the same border, by the numbers: x > 0, and -x < 0 as well."""
        one, two = self.ends, other.ends
        turned = -two[:, ::-1]
        return any(np.allclose(one, end, rtol=1e-9, atol=1e-12) for end in (two, turned))


@dataclass(eq=False, slots=True)
class Borders:
    """Takes what an evaluation meets; (B, ...) arrays, the batch first."""

    found: list[Border] = field(default_factory=list)

    def note(self, off: Array, left: Node, right: Node | None) -> None:
        if len(self.found) < MOST:
            flat = np.asarray(off, dtype=np.float64).reshape(len(off), -1)
            self.found.append(Border(flat, left, right or Number(0.0)))


def apart(found: list[Border], known: list[Border]) -> list[int]:
    """Which of them are the same as none before, nor as one that is `known`."""
    kept: list[int] = []
    for n, one in enumerate(found):
        if not any(one.same(other) for other in (*known, *(found[k] for k in kept))):
            kept.append(n)
    return kept
