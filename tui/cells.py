"""The numbers of a matrix as text, for the screens and the command line; no Textual here."""

from __future__ import annotations

from collections.abc import Sequence

Grid = Sequence[Sequence[float]]


def labels(grid: Grid) -> list[list[str]]:
    """The numbers as short as they can be while different numbers look different."""
    values = {value for row in grid for value in row if _is_number(value)}
    digits = next(
        (n for n in (4, 6, 9, 12) if len({f"{v:.{n}g}" for v in values}) == len(values)), 17
    )
    return [
        [_short(f"{value:.{digits}g}") if _is_number(value) else "?" for value in row]
        for row in grid
    ]


def _is_number(value: float | None) -> bool:
    # Undefined cells of a learner's formula: NaN, or None where they went through JSON.
    return value is not None and value == value


def _short(number: str) -> str:
    """Drop what a matrix does not need: "0.25" is ".25", "-0" is "0"."""
    if number == "-0":
        return "0"
    return number.replace("0.", ".", 1) if number.startswith(("0.", "-0.")) else number
