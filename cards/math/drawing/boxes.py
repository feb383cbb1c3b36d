"""Boxes set beside and above one another.

hcat   side by side on their baselines          vcat   above one another, one baseline kept
pad    blank cells around a box                 marked a style over a whole box
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from cards.math.box import Box, Mark
from cards.math.drawing.cells import cell_width, visible

Align = Literal["l", "c", "r"]

#: A formula of more cells than this is no formula; drawing it would stop the screen.
MOST_CELLS = 400_000

EMPTY = Box(("",), 0, 0)
TOO_LARGE = Box(("⋯",), 1, 0, (Mark(0, 0, 1, "warning"),))


def text_box(text: str, style: str = "") -> Box:
    """One row of `text`, made visible."""
    text = visible(text)
    width = cell_width(text)
    return Box((text,), width, 0, (Mark(0, 0, width, style),) if style and width else ())


def blank(width: int, height: int = 1, baseline: int = 0) -> Box:
    return Box((" " * width,) * height, width, baseline)


def hcat(boxes: Sequence[Box], gaps: Sequence[int] = ()) -> Box:
    """The boxes side by side on one baseline, `gaps[i]` cells before the i-th."""
    if len(boxes) == 1 and not (gaps and gaps[0]):
        return boxes[0]
    above = below = 0
    for box in boxes:
        if len(box.rows) > 1:
            above = max(above, box.baseline)
            below = max(below, len(box.rows) - 1 - box.baseline)
    if above + below == 0:
        return _one_row(boxes, gaps)
    return _many_rows(boxes, gaps, above, below)


def _one_row(boxes: Sequence[Box], gaps: Sequence[int]) -> Box:
    texts: list[str] = []
    marks: list[Mark] = []
    width = 0
    for index, box in enumerate(boxes):
        if gaps and gaps[index]:
            texts.append(" " * gaps[index])
            width += gaps[index]
        texts.append(box.rows[0])
        if box.marks:
            marks += _moved(box.marks, 0, width)
        width += box.width
    return Box(("".join(texts),), width, 0, tuple(marks))


def _many_rows(boxes: Sequence[Box], gaps: Sequence[int], above: int, below: int) -> Box:
    height = above + 1 + below
    width = sum(box.width for box in boxes) + sum(gaps)
    if width * height > MOST_CELLS:
        return TOO_LARGE
    lines: list[list[str]] = [[] for _ in range(height)]
    marks: list[Mark] = []
    column = 0
    # What stands on the baseline alone between two tall boxes goes into each row at once.
    run: list[str] = []
    run_width = 0

    def end_run() -> None:
        nonlocal run_width
        if run_width:
            space = " " * run_width
            for row, line in enumerate(lines):
                line.append("".join(run) if row == above else space)
        run.clear()
        run_width = 0

    for index, box in enumerate(boxes):
        gap = gaps[index] if gaps else 0
        if gap:
            run.append(" " * gap)
            run_width += gap
            column += gap
        top = above - box.baseline
        if box.marks:
            marks += _moved(box.marks, top, column)
        column += box.width
        if len(box.rows) == 1:
            run += box.rows
            run_width += box.width
            continue
        end_run()
        space = " " * box.width
        bottom = top + len(box.rows)
        for row, line in enumerate(lines):
            line.append(box.rows[row - top] if top <= row < bottom else space)
    end_run()
    return Box(tuple(map("".join, lines)), width, above, tuple(marks))


def vcat(boxes: Sequence[Box], keep: int, align: Align = "c") -> Box:
    """The boxes above one another; the baseline is that of `boxes[keep]`."""
    width = max(box.width for box in boxes)
    if width * sum(len(box.rows) for box in boxes) > MOST_CELLS:
        return TOO_LARGE
    rows: list[str] = []
    marks: list[Mark] = []
    baseline = 0
    for index, box in enumerate(boxes):
        if index == keep:
            baseline = len(rows) + box.baseline
        left = _indent(width - box.width, align)
        if box.marks:
            marks += _moved(box.marks, len(rows), left)
        if box.width == width:
            rows += box.rows
        else:
            before, after = " " * left, " " * (width - box.width - left)
            rows += [before + row + after for row in box.rows]
    return Box(tuple(rows), width, baseline, tuple(marks))


def _indent(free: int, align: Align) -> int:
    return free // 2 if align == "c" else free if align == "r" else 0


def pad(box: Box, left: int = 0, right: int = 0, above: int = 0, below: int = 0) -> Box:
    """Blank cells around a box; the baseline stays with its row."""
    if not (left or right or above or below):
        return box
    width = left + box.width + right
    before, after = " " * left, " " * right
    empty = (" " * width,)
    rows = empty * above + tuple(before + row + after for row in box.rows) + empty * below
    return Box(rows, width, box.baseline + above, tuple(_moved(box.marks, above, left)))


def widen(box: Box, width: int, align: Align) -> Box:
    """The box in a place of `width` cells."""
    left = _indent(width - box.width, align)
    return pad(box, left, width - box.width - left)


def with_baseline(box: Box, baseline: int) -> Box:
    return Box(box.rows, box.width, baseline, box.marks)


def marked(box: Box, style: str) -> Box:
    """`style` over all of a box, under the styles that its parts have."""
    over = tuple(Mark(row, 0, box.width, style) for row in range(len(box.rows)) if box.width)
    return Box(box.rows, box.width, box.baseline, over + box.marks)


def _moved(marks: Iterable[Mark], rows: int, cells: int) -> list[Mark]:
    return [Mark(m.row + rows, m.start + cells, m.end + cells, m.style) for m in marks]


def extent(boxes: Iterable[Box]) -> tuple[int, int]:
    """(rows above, rows below) the common baseline."""
    above = below = 0
    for box in boxes:
        above = max(above, box.baseline)
        below = max(below, len(box.rows) - 1 - box.baseline)
    return above, below
