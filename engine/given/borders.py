"""How far each choice of a formula is from its border: comparisons, |x|, max and min of several."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from math import isfinite
from operator import add, mul, sub, truediv
from typing import Final, NamedTuple

import numpy as np

from engine.formula import echo
from engine.formula.axes import Array
from engine.formula.tree import Node, Number

#: No more borders of one formula are looked at.
MOST: Final = 12
#: The largest size that an answer's own numbers ask for, and how many of them are heard.
LONGEST: Final = 48
_HEARD: Final = 3
_NUMBER: Final = r"\d[\d_]*\.?\d*(?:[eE][-+]?\d+)?"
#: Numbers with operators between them, and one of these: worked out from left to right.
_RUN: Final = re.compile(rf"-?(?<![\w.]){_NUMBER}(?:\s*(?:\*\*|[-+*/^])\s*{_NUMBER})*")
_TERM: Final = re.compile(rf"(\*\*|[-+*/^]|)\s*({_NUMBER})")
_APPLIED: Final[dict[str, Callable[[float, float], float]]] = {
    **{"": add, "+": add, "-": sub, "*": mul, "/": truediv, "**": pow, "^": pow}
}


class Border(NamedTuple):
    off: Array
    """(B, P): left less right, at each place that the choice is made at."""
    left: Node
    right: Node
    equal: bool = False
    """Whether the choice asks for equality."""

    def side(self, sign: int) -> str:
        return f"{echo.text(self.left)} {('==', '>', '<')[sign]} {echo.text(self.right)}"

    @property
    def lacking(self) -> tuple[int, ...]:
        """The sides on which there is no input."""
        met = {int(sign) for sign in (-1, 0, 1) if (np.sign(self.off) == sign).any()}
        if self.equal:
            return () if 0 in met and len(met) > 1 else tuple({-1, 0, 1} - met)
        return tuple({-1, 1} - met)

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


def numbers(text: str) -> tuple[float, ...]:
    """The numbers in an answer and what arithmetic of them may come to, without 0, 1 and 2."""
    found: dict[float, None] = {}
    for run in _RUN.findall(text):
        total = 0.0
        for op, said in _TERM.findall(run):
            with suppress(OverflowError, ZeroDivisionError):
                number = float(said.replace("_", ""))
                total = abs(_APPLIED[op](total, number))
                found.update({number: None, total: None})
        found.update({-total: None} if run.startswith("-") else {})
    return tuple(one for one in found if isfinite(one) and abs(one) not in (0, 1, 2))


def wholes(numbers: Iterable[float], most: int = LONGEST) -> tuple[int, ...]:
    """The first of those that may be sizes."""
    return tuple(int(c) for c in numbers if c.is_integer() and 2 < c <= most)[:_HEARD]


def untried(numbers: Iterable[float]) -> tuple[str, ...]:
    """The sizes that are too large to be tried, in words."""
    return tuple(f"sizes of {c:g}" for c in numbers if c.is_integer() and c > LONGEST)


@dataclass(eq=False, slots=True)
class Borders:
    """Takes what an evaluation meets; (B, ...) arrays, the batch first."""

    equalities: bool = False
    """Whether == and != are looked at, too."""
    found: list[Border] = field(default_factory=list)

    def note(self, off: Array, left: Node, right: Node | None, equal: bool = False) -> None:
        if len(self.found) < MOST * (1 + self.equalities):
            flat = np.asarray(off, dtype=np.float64).reshape(len(off), -1)
            self.found.append(Border(flat, left, right or Number(0.0), equal))


def apart(found: list[Border], known: list[Border]) -> list[int]:
    """Which of them are the same as none before, nor as one that is `known`."""
    kept: list[int] = []
    for n, one in enumerate(found):
        if not any(one.same(other) for other in (*known, *(found[k] for k in kept))):
            kept.append(n)
    return kept
