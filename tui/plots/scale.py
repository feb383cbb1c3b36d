"""Scales whose lines stand at round numbers and at the edges of cells."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, isfinite, log10
from typing import NamedTuple

#: Round numbers, as parts of ten; whole ones are preferred where counts are drawn.
_ROUND = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
#: Rows between two lines.
_APART = (3, 4, 2, 5)
#: What is smaller or larger has no lines: near the ends of its range a float loses its digits.
_LEAST, _MOST = 1e-200, 1e200


class Scale(NamedTuple):
    top: float
    """What a full bar stands for."""
    lines: tuple[tuple[int, float], ...]
    """(rows above the ground, value there), ascending."""


def scale(highest: float, rows: int, whole: bool = True) -> Scale:
    """The scale that leaves the least empty above `highest`; with `whole`, lines are counts."""
    rows = max(rows, 1)
    if not isfinite(highest) or highest <= 0:
        return Scale(1.0, ())
    if not _LEAST < highest < _MOST:
        return Scale(highest, ())
    best: tuple[float, int, float] | None = None
    for apart in _APART:
        if rows // apart == 0 and apart != _APART[-1]:
            continue
        step = round_up(highest * apart / rows, whole)
        top = step * rows / apart
        if best is None or top < best[0] * 0.98:
            best = (top, apart, step)
    assert best is not None
    top, apart, step = best
    count = rows // apart
    return Scale(max(top, highest), tuple((apart * n, step * n) for n in range(1, count + 1)))


def round_up(number: float, whole: bool, parts: Sequence[float] = _ROUND) -> float:
    """The least round number that is not below `number`."""
    power = 10.0 ** floor(log10(number))
    if whole and number <= 1:
        return 1.0
    for part in parts:
        found = part * power
        if found >= number * (1 - 1e-9) and not (whole and found % 1):
            return found
    return 10 * power


def short(number: float) -> str:
    """A number in at most five characters, while it is below a billion: 950, 1.2k, 34k, 5M."""
    if not isfinite(number):
        return "-"
    if abs(number) < 1 and number % 1:
        return f"{number:.2g}" if abs(number) >= 0.001 else "0"
    if abs(number) < 10 and number % 1:
        return f"{number:.1f}"
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= size * 0.9995:
            part = number / size
            return f"{part:.1f}{letter}".replace(".0", "") if part < 10 else f"{part:.0f}{letter}"
    return f"{number:.0f}"
