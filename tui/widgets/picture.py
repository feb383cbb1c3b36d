"""The lab's input: the current window drawn on x, its maximum lit, messages flowing back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from textual.content import Content

from engine.verdict import Case
from tui import cases
from tui.cells import labels
from tui.lab_input import Cell, Picture, Pooling, Rows
from tui.lab_state import Step
from tui.verdict_text import window_at
from tui.widgets import grids
from tui.widgets.grids import MAXIMUM, OFF
from tui.widgets.lattice import Lattice

Titled = tuple[str, list[Content]]
Marked = tuple[str, Rows, dict[Cell, str]]


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
    if outlines:
        count, rows = measured.size(width, tall=True)
        if count == 1 and rows < height:
            return board.content(width, True, measured.gap(width, tall=True))
    captioned = step.stepping or measured.size(width, tall=False)[1] < height
    return board.content(width, False, measured.gap(width, tall=False), captioned)


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
        columns.append((mine.title, grids.rows(mine.rows, marks, crossed=True)))
    return columns


def _is_yours(title: str) -> bool:
    """Whether a grid may have crosses: there is room for them from the beginning."""
    return title.endswith(", yours")


class _Board:
    """The grids of max pooling at one of its windows."""

    def __init__(self, picture: Picture, pooling: Pooling, step: Step) -> None:
        self._picture, self._pooling, self._stepping = picture, pooling, step.stepping
        self._order = list(pooling.maxima)
        self._number = step.at % len(self._order)
        self._here = self._order[self._number]
        self._jacobian = picture.target != "dx"
        # As wide as it comes to be: nothing moves while messages flow back.
        right: Any = picture.right
        whole = (
            [row for window in right for of in window for row in of] if self._jacobian else right
        )
        self._least = grids.widest(labels(whole), 1)

    def content(self, width: int, tall: bool, gap: int, captioned: bool = True) -> Content:
        columns: list[Titled] = []
        for title, rows, marks in self._grids():
            lattice = self._lattice(title, rows, marks, tall)
            drawn = (
                lattice.rows()
                if lattice
                else grids.rows(rows, marks, least=self._wide(title), crossed=_is_yours(title))
            )
            columns.append((title, [Content("")] * (tall and title == "δ") + drawn))
        body = grids.beside(columns, width, gap)
        return Content("\n").join([self._caption(width), body]) if captioned else body

    def size(self, width: int, tall: bool) -> tuple[int, int]:
        """How many rows of grids the content has, and how many rows of text below its caption."""
        return grids.bands(self._blocks(tall), width)

    def gap(self, width: int, tall: bool) -> int:
        """The columns between its grids."""
        return grids.gap_for([wide for _, wide in self._blocks(tall)], width)

    def _blocks(self, tall: bool) -> list[tuple[int, int]]:
        """The rows and columns of each grid with its title."""
        blocks = []
        for title, rows, marks in self._grids():
            if lattice := self._lattice(title, rows, marks, tall):
                high, wide = lattice.size
            else:
                high = len(rows) + (tall and title == "δ")
                wide = len(rows[0]) * (1 + grids.widest(labels(rows), self._wide(title)))
                wide += (len(rows[0]) - 1) * _is_yours(title)
            blocks.append((high + 1, max(wide, len(title) + 1)))
        return blocks

    def _grids(self) -> list[Marked]:
        """Every grid with the styles of its cells."""
        found = [("x", _grid(self._picture.inputs["x"]), self._lit())]
        if not self._jacobian:
            found.append(("δ", _grid(self._picture.inputs["δ"]), {self._here: MAXIMUM}))
        return [*found, *self._messages()]

    def _lattice(
        self, title: str, rows: Rows, marks: Mapping[Cell, str], tall: bool
    ) -> Lattice | None:
        """With the windows over it, where they are drawn: on x, and where there is room on dx."""
        is_x = title == "x"
        if title == "δ" or not (is_x or tall):
            return None
        pooling = self._pooling
        shape = pooling.kernel, pooling.stride, pooling.padding
        windows = tuple(window_at(*window, *shape) for window in self._order)
        lit = pooling.maxima[self._here] if is_x else None
        least = self._wide(title)
        return Lattice(rows, windows, windows[self._number], lit, marks, tall, is_x, least)

    def _wide(self, title: str) -> int:
        return 1 if title in ("x", "δ") else self._least

    def _lit(self) -> dict[Cell, str]:
        return dict.fromkeys(self._pooling.maxima.values(), MAXIMUM)

    def _messages(self) -> list[Marked]:
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

    def _flowed(self) -> Rows:
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


def _grid(values: Any) -> Rows:
    return cases.grid(values)
