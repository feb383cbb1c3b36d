"""One input of max pooling in plain lists, and which messages are right on it, by definition.

Independent of the engine: no NumPy, loops over windows and cells.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from math import isfinite
from typing import TypeAlias

Pair: TypeAlias = tuple[int, int]
Grid: TypeAlias = list[list[float]]
#: A message by the input's cell, or a Jacobian by window and cell.
Message: TypeAlias = dict[Pair, float]
Jacobian: TypeAlias = dict[Pair, Message]

#: Of the largest that the messages could add up to; answers differ from right ones by far more.
TOLERANCE = 1e-9


@dataclass
class Case:
    kernel: Pair
    stride: Pair
    padding: Pair
    x: Grid
    delta: Grid
    cells: list[Pair] = field(init=False)
    windows: list[Pair] = field(init=False)
    omega: dict[Pair, list[Pair]] = field(init=False)
    """The cells of each window, row by row."""
    tied: dict[Pair, list[Pair]] = field(init=False)
    """Those of them that hold the window's maximum."""
    f: Grid = field(init=False)

    def __post_init__(self) -> None:
        height, width = len(self.x), len(self.x[0])
        high, wide = output_size(self.kernel, self.stride, self.padding, (height, width))
        self.cells = list(product(range(height), range(width)))
        self.windows = list(product(range(high), range(wide)))
        self.omega, self.tied, self.f = {}, {}, [[0.0] * wide for _ in range(high)]
        for k, l in self.windows:  # noqa: E741
            top, left = k * self.stride[0] - self.padding[0], l * self.stride[1] - self.padding[1]
            self.omega[k, l] = [
                (i, j)
                for i, j in self.cells
                if top <= i < top + self.kernel[0] and left <= j < left + self.kernel[1]
            ]
            best = max(self.x[i][j] for i, j in self.omega[k, l])
            self.tied[k, l] = [(i, j) for i, j in self.omega[k, l] if self.x[i][j] == best]
            self.f[k][l] = best

    @property
    def overlaps(self) -> bool:
        return any(sum(at in held for held in self.omega.values()) > 1 for at in self.cells)

    def sent(self, window: Pair) -> float:
        return self.delta[window[0]][window[1]]

    @property
    def slack(self) -> float:
        largest = max(abs(self.sent(window)) for window in self.windows)
        most = max(sum(at in held for held in self.tied.values()) for at in self.cells)
        return TOLERANCE * largest * most


def output_size(kernel: Pair, stride: Pair, padding: Pair, size: Pair) -> Pair:
    high, wide = (
        (n + 2 * p - k) // s + 1 for n, p, k, s in zip(size, padding, kernel, stride, strict=True)
    )
    return high, wide


def valid_jacobian(case: Case, J: Jacobian) -> bool:
    """Each window's row: at least 0, nothing off its maxima, and 1 in all."""
    for window in case.windows:
        row, tied = J[window], case.tied[window]
        least = min(row[at] for at in tied)
        off = max((abs(row[at]) for at in case.cells if at not in tied), default=0.0)
        finite = all(map(isfinite, row.values()))
        if not finite or least < -TOLERANCE or max(off, abs(sum(row.values()) - 1)) > TOLERANCE:
            return False
    return True


def valid_message(case: Case, dx: Message) -> bool:
    """Whether dx is a sum of delta[w] times some weights over the maxima of w.

    The sum of scaled simplices is a generalised permutohedron: dx lies in it exactly if its total
    is right and no set of cells has more than the windows can give it (Postnikov 2009, section 6).
    A window with one maximum gives it everything, so only cells that tie need their subsets.
    """
    if not all(isfinite(value) for value in dx.values()):
        return False
    rest = dict(dx)
    shared = [window for window in case.windows if len(case.tied[window]) > 1]
    for window in case.windows:
        if window not in shared:
            rest[case.tied[window][0]] -= case.sent(window)
    slack = case.slack * (1 + len(case.cells))
    loose = sorted({at for window in shared for at in case.tied[window]})
    if any(abs(rest[at]) > slack for at in case.cells if at not in loose):
        return False
    return in_sum_of_simplices(
        [rest[at] for at in loose],
        [({loose.index(at) for at in case.tied[w]}, case.sent(w)) for w in shared],
        slack,
    )


def in_sum_of_simplices(
    point: list[float], simplices: list[tuple[set[int], float]], slack: float
) -> bool:
    """Whether `point` is a sum of `scale` times a point of the simplex over `corners`, of each."""
    count = len(point)
    masks = [(sum(1 << at for at in corners), scale) for corners, scale in simplices]
    if abs(sum(point) - sum(scale for _, scale in masks)) > slack:
        return False
    for subset in range(1, 1 << count):
        has = sum(point[at] for at in range(count) if subset >> at & 1)
        most = 0.0
        for mask, scale in masks:
            # The best corner for this subset: in it, where that pays, or outside.
            inside, outside = bool(mask & subset), bool(mask & ~subset)
            most += max(([scale] if inside else []) + ([0.0] if outside else []))
        if has > most + slack:
            return False
    return True


def message_where_it_exists(case: Case, dx: Message) -> bool:
    """Whether dx is right at every cell that ties with no other."""
    ties = {at for tied in case.tied.values() if len(tied) > 1 for at in tied}
    for at in case.cells:
        right = sum(case.sent(window) for window in case.windows if case.tied[window][0] == at)
        if at not in ties and not abs(dx[at] - right) <= case.slack + TOLERANCE * abs(right):
            return False
    return True


def jacobian_where_it_exists(case: Case, J: Jacobian) -> bool:
    return all(
        abs(J[window][at] - float(at in tied)) <= 2 * TOLERANCE
        for window, tied in case.tied.items()
        for at in case.cells
        if at not in tied or len(tied) == 1
    )
