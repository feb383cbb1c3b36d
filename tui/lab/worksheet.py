"""A small case filled in by hand, and what its cells say.

The messages of max pooling's windows are 1, 10, 100, 1000, so that each digit of a cell is how
often one window's message was put there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from tui.lab.requests import Cell, ExerciseSpec, PoolingView, Request

if TYPE_CHECKING:
    from engine.verdict import Numbers

#: Terms of one cell of which subsets are looked at.
_MOST_TERMS = 8


@dataclass(frozen=True, slots=True)
class Term:
    """One summand of a cell's right value."""

    name: str
    """δ[1] · dy[1]/dx[0]"""
    written: str
    """10 · 3"""
    amount: float


@dataclass(frozen=True, slots=True)
class Worksheet:
    named: str
    inputs: dict[str, Numbers]
    target: str
    expected: list[list[float]]
    """Whole numbers, as rows, whatever the target's shape is."""
    places: list[list[str]]
    """Each cell by its indices: "dx[0,2]"."""
    terms: dict[Cell, tuple[Term, ...]]
    """Of each cell; empty for max pooling, whose windows say more."""
    pooling: PoolingView | None = None
    messages: dict[Cell, int] | None = None
    """Of max pooling: what each window sends, a power of ten."""

    @property
    def size(self) -> tuple[int, int]:
        return len(self.expected), len(self.expected[0])

    def right(self, filled: Mapping[Cell, int]) -> bool:
        return not self.off(filled)

    def off(self, filled: Mapping[Cell, int]) -> frozenset[Cell]:
        """The cells whose number is not the expected one; an empty cell is 0."""
        return frozenset(cell for cell in self.cells if filled.get(cell, 0) != self.at(cell))

    @property
    def cells(self) -> list[Cell]:
        rows, columns = self.size
        return [(i, j) for i in range(rows) for j in range(columns)]

    def at(self, cell: Cell) -> int:
        return round(self.expected[cell[0]][cell[1]])


@dataclass(frozen=True, slots=True)
class WorksheetRequest(Request["Worksheet | None"]):
    """The small input of a number, to be worked out by hand.

    None where no message of the exercise is in whole numbers.
    """

    task: ExerciseSpec
    seed: int


def windows_right(sheet: Worksheet, filled: Mapping[Cell, int]) -> dict[Cell, bool]:
    """For each window, whether its message is at its maximum, once, and nowhere else."""
    messages = sheet.messages or {}
    assert sheet.pooling is not None
    found = {}
    for window in messages:
        home = sheet.pooling.maxima[window]
        times = {cell: _times(sheet, window, filled.get(cell, 0)) for cell in sheet.cells}
        found[window] = all(times[cell] == (cell == home) for cell in sheet.cells)
    return found


def _times(sheet: Worksheet, window: Cell, value: int) -> int:
    """How often a window's message is in a number; -1 where it cannot be said."""
    messages = sheet.messages or {}
    if not 0 <= value < 10 * max(messages.values()):
        return -1
    # A window whose digit is not there has sent nothing here.
    return value // messages[window] % 10


def explained(sheet: Worksheet, cell: Cell, value: int) -> str:
    """One sentence about a cell: why its number is right, or what is wrong with it."""
    if sheet.messages is not None:
        return _by_windows(sheet, cell, value)
    return _by_terms(sheet, cell, value)


def _by_windows(sheet: Worksheet, cell: Cell, value: int) -> str:
    place, wanted = sheet.places[cell[0]][cell[1]], sheet.at(cell)
    messages = sheet.messages or {}
    assert sheet.pooling is not None
    homes = sheet.pooling.maxima
    here = [window for window in messages if homes[window] == cell]
    if value == wanted:
        if not here:
            return f"{place}: 0, it is the maximum of no window"
        return f"{place}: {value}, the maximum of {_windows(here)}"
    said = f"{place}: {value}, expected {wanted}"
    times = {window: _times(sheet, window, value) for window in messages}
    if -1 in times.values():
        sums = ", ".join(str(message) for message in messages.values())
        return f"{said}: a sum of some of {sums}, each at most once"
    missing = [window for window in here if not times[window]]
    foreign = [window for window in messages if window not in here and times[window]]
    often = [window for window in here if times[window] > 1]
    reasons = []
    if missing:
        are = "s of {} are missing" if len(missing) > 1 else " of {} is missing"
        reasons.append(f"the message{are.format(_windows(missing))}")
    if foreign:
        window = foreign[0]
        i, j = homes[window]
        reasons.append(f"window {_at(window)} has its maximum at x[{i},{j}], not here")
    if often:
        window = often[0]
        reasons.append(f"the message of window {_at(window)} is counted {times[window]} times")
    return f"{said}: {'; '.join(reasons)}"


def _windows(windows: list[Cell]) -> str:
    names = [_at(window) for window in windows]
    if len(names) == 1:
        return f"window {names[0]}"
    return f"windows {', '.join(names[:-1])} and {names[-1]}"


def _at(window: Cell) -> str:
    return f"({window[0]},{window[1]})"


def _by_terms(sheet: Worksheet, cell: Cell, value: int) -> str:
    place, wanted = sheet.places[cell[0]][cell[1]], sheet.at(cell)
    terms = sheet.terms.get(cell, ())
    total = " + ".join(term.written for term in terms) or str(wanted)
    if value == wanted:
        return f"{place} = {total}" + (f" = {value}" if terms else "")
    said = f"{place}: {value}, expected {wanted}"
    if not terms:
        return said
    left_out = _left_out(terms, value)
    if left_out:
        return f"{said} = {total}: {' and '.join(t.name for t in left_out)} is missing"
    if value == -wanted:
        return f"{said} = {total}: the sign"
    return f"{said} = {total}"


def _left_out(terms: tuple[Term, ...], value: int) -> tuple[Term, ...]:
    """The fewest terms without which the sum is `value`; none where no choice gives it."""
    told = [term for term in terms if term.amount]
    if len(told) > _MOST_TERMS:
        return ()
    total = sum(term.amount for term in told)
    for count in range(1, len(told) + (value != 0)):
        for some in combinations(told, count):
            if abs(total - sum(term.amount for term in some) - value) < 1e-9:
                return some
    return ()
