"""The lab's input: the current window drawn on x, the maxima lit, messages flowing back."""

from __future__ import annotations

from typing import Any

from textual.content import Content

from engine.verdict import Case
from tui import cases
from tui.lab_input import Cell, Picture, Pooling
from tui.verdict_text import window_at
from tui.widgets import grids

Titled = tuple[str, list[Content]]


def drawn(picture: Picture, at: int, stepping: bool, width: int) -> Content:
    """`at` counts windows, round and round; `stepping` shows what has flowed back up to it."""
    if picture.pooling is None:
        return grids.beside(_arrays(picture), width)
    windows = list(picture.pooling.maxima)
    number = at % len(windows)
    here = windows[number]
    columns = _forward(picture, picture.pooling, here)
    sent = set(windows[: number + 1]) if stepping else set(windows)
    columns += _messages(picture, picture.pooling, here, sent if stepping else None)
    caption = _caption(picture, picture.pooling, here, len(windows), stepping)
    return Content("\n").join([caption, grids.beside(columns, width)])


def _arrays(picture: Picture) -> list[Titled]:
    yours = picture.right if picture.yours is None else picture.yours
    case = Case(
        picture.target, (), picture.inputs, {}, yours, picture.right, cells=list(picture.off)
    )
    blocks = cases.blocks(case)
    columns = []
    for block in blocks[:-2]:
        columns.append((block.title, grids.rows(block.rows)))
    mine, right = blocks[-2:]
    columns.append((f"{picture.target}, engine", grids.rows(right.rows)))
    if picture.yours is not None:
        marks = dict.fromkeys(mine.marks, grids.OFF)
        columns.append((mine.title, grids.rows(mine.rows, marks)))
    return columns


def _forward(picture: Picture, pooling: Pooling, here: Cell) -> list[Titled]:
    window = window_at(*here, pooling.kernel, pooling.stride, pooling.padding)
    lit = dict.fromkeys(pooling.maxima.values(), grids.MAXIMUM)
    columns = [("x", grids.rows(_grid(picture.inputs["x"]), lit, window))]
    if picture.target == "dx":
        columns.append(("δ", grids.rows(_grid(picture.inputs["δ"]), {here: grids.MAXIMUM})))
    return columns


def _messages(
    picture: Picture, pooling: Pooling, here: Cell, sent: set[Cell] | None
) -> list[Titled]:
    """The engine's message and the learner's; of a Jacobian, the row of the window `here`."""
    right: Any = picture.right
    yours: Any = picture.yours
    off = set(picture.off)
    name = "dx"
    if picture.target != "dx":
        k, l = here  # noqa: E741  (the field's letters)
        name = f"df[{k},{l}]/dx"
        right, yours = right[k][l], yours and yours[k][l]
        off = {cell[2:] for cell in off if cell[:2] == here}
    columns = [(f"{name}, engine", grids.rows(right))]
    if sent is not None and picture.target == "dx":
        order = list(pooling.maxima)
        title = f"{name}, after {order.index(here) + 1} of {len(order)}"
        flowed = _flowed(picture, pooling, sent)
        columns = [(title, grids.rows(flowed, {pooling.maxima[here]: grids.MAXIMUM}))]
    if yours is not None:
        marks = {(cell[0], cell[1]): grids.OFF for cell in off}
        columns.append((f"{name}, yours", grids.rows(yours, marks)))
    return columns


def _flowed(picture: Picture, pooling: Pooling, sent: set[Cell]) -> list[list[float]]:
    """What the messages of some windows have added up to."""
    x, delta = _grid(picture.inputs["x"]), _grid(picture.inputs["δ"])
    found = [[0.0] * len(row) for row in x]
    for window in sent:
        i, j = pooling.maxima[window]
        found[i][j] += delta[window[0]][window[1]]
    return found


def _caption(picture: Picture, pooling: Pooling, here: Cell, count: int, stepping: bool) -> Content:
    i, j = pooling.maxima[here]
    said = f" window ({here[0]},{here[1]}) of {count}: its maximum is x[{i},{j}]"
    if stepping and picture.target == "dx":
        delta = _grid(picture.inputs["δ"])[here[0]][here[1]]
        said += f", so its message {delta:g} goes to dx[{i},{j}]"
    return Content.styled(said, "dim")


def _grid(values: Any) -> list[list[float]]:
    return cases.grid(values)
