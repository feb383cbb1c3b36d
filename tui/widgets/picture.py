"""The lab's input: the current window drawn on x, its maximum lit, messages flowing back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from textual.content import Content

from engine.verdict import Case
from tui import cases
from tui.cells import labels
from tui.lab_input import Cell, Picture, Pooling
from tui.lab_state import Step
from tui.verdict_text import window_at
from tui.widgets import grids
from tui.widgets.grids import MAXIMUM, OFF
from tui.widgets.lattice import Lattice

Titled = tuple[str, list[Content]]


def drawn(picture: Picture, step: Step, width: int, height: int, outlines: bool = True) -> Content:
    """In `width` columns; with the outlines of windows where they fit into `height` rows, and
    without its caption where even plain grids do not.

    There is room for the learner's grid from the beginning, so that nothing moves when it comes.
    """
    if picture.pooling is None:
        return grids.beside(_arrays(picture), width)
    whole = picture if picture.yours is not None else replace(picture, yours=picture.right)
    measured = _Board(whole, picture.pooling, step)
    board = _Board(picture, picture.pooling, step)
    if outlines and _fits(measured.content(width, tall=True), height) and measured.bands == 1:
        return board.content(width, tall=True)
    plain = board.content(width, tall=False)
    if step.stepping or _fits(measured.content(width, tall=False), height):
        return plain
    return Content("\n").join(plain.split("\n")[1:])


def _fits(content: Content, height: int) -> bool:
    return content.plain.count("\n") < height


def _arrays(picture: Picture) -> list[Titled]:
    yours = picture.right if picture.yours is None else picture.yours
    case = Case(
        picture.target, (), picture.inputs, {}, yours, picture.right, cells=list(picture.off)
    )
    blocks = cases.blocks(case)
    columns = []
    for block in blocks[:-2]:
        columns.append((block.title, grids.rows(block.rows, shaded=block.title != "δ")))
    mine, right = blocks[-2:]
    columns.append((f"{picture.target}, engine", grids.rows(right.rows)))
    if picture.yours is not None:
        marks = dict.fromkeys(mine.marks, OFF)
        columns.append((mine.title, grids.rows(mine.rows, marks)))
    return columns


class _Board:
    """The grids of max pooling at one of its windows."""

    def __init__(self, picture: Picture, pooling: Pooling, step: Step) -> None:
        self._picture, self._pooling, self._stepping = picture, pooling, step.stepping
        self._order = list(pooling.maxima)
        self._number = step.at % len(self._order)
        self._here = self._order[self._number]
        self._jacobian = picture.target != "dx"
        self.bands = 0
        """How many rows of grids the last content has."""

    def content(self, width: int, tall: bool) -> Content:
        columns = [("x", self._lattice(_grid(self._picture.inputs["x"]), self._lit(), True, tall))]
        if not self._jacobian:
            delta = grids.rows(_grid(self._picture.inputs["δ"]), {self._here: MAXIMUM})
            columns.append(("δ", [Content("")] * tall + delta))
        columns += [
            (title, self._lattice(rows, marks, False, tall))
            for title, rows, marks in self._messages()
        ]
        body = grids.beside(columns, width)
        self.bands = len(body.plain.split("\n")) // (1 + max(len(rows) for _, rows in columns))
        return Content("\n").join([self._caption(width), body])

    def _lattice(
        self, rows: list[list[float]], marks: Mapping[Cell, str], is_x: bool, tall: bool
    ) -> list[Content]:
        if not is_x and not tall:
            return grids.rows(rows, marks)
        pooling = self._pooling
        shape = pooling.kernel, pooling.stride, pooling.padding
        windows = tuple(window_at(*window, *shape) for window in self._order)
        lit = pooling.maxima[self._here] if is_x else None
        return Lattice(rows, windows, windows[self._number], lit, marks, tall, is_x).rows()

    def _lit(self) -> dict[Cell, str]:
        return dict.fromkeys(self._pooling.maxima.values(), MAXIMUM)

    def _messages(self) -> list[tuple[str, list[list[float]], dict[Cell, str]]]:
        """The engine's message and the learner's; of a Jacobian, the row of the window here."""
        right: Any = self._picture.right
        yours: Any = self._picture.yours
        off = set(self._picture.off)
        name, home = "dx", {self._pooling.maxima[self._here]: MAXIMUM}
        if self._jacobian:
            k, l = self._here  # noqa: E741  (the field's letters)
            name = f"df[{k},{l}]/dx"
            right, yours = right[k][l], yours and yours[k][l]
            off = {cell[2:] for cell in off if cell[:2] == self._here}
        columns = [(f"{name}, engine", right, home)]
        if self._stepping and not self._jacobian:
            title = f"{name}, after {self._number + 1} of {len(self._order)}"
            columns = [(title, self._flowed(), home)]
        if yours is not None:
            marks = {(cell[0], cell[1]): OFF for cell in off}
            columns.append((f"{name}, yours", yours, marks))
        return columns

    def _flowed(self) -> list[list[float]]:
        """What the messages of the windows up to here have added up to."""
        x, delta = _grid(self._picture.inputs["x"]), _grid(self._picture.inputs["δ"])
        found = [[0.0] * len(row) for row in x]
        for window in self._order[: self._number + 1]:
            i, j = self._pooling.maxima[window]
            found[i][j] += delta[window[0]][window[1]]
        return found

    def _caption(self, width: int) -> Content:
        k, l = self._here  # noqa: E741  (the field's letters)
        i, j = self._pooling.maxima[self._here]
        window, home = f" window ({k},{l}) of {len(self._order)}:", f"[{i},{j}]"
        said = [f"{window} its maximum is x{home}"]
        if self._stepping and not self._jacobian:
            [[sent]] = labels([[_grid(self._picture.inputs["δ"])[k][l]]])
            short = f"{window} maximum x{home}, message {sent} to dx{home}"
            said = [f"{said[0]}, so its message {sent} goes to dx{home}", short]
        return Content.styled(next((s for s in said if len(s) <= width), said[-1]), "dim")


def _grid(values: Any) -> list[list[float]]:
    return cases.grid(values)
