"""A figure: the sentence with the number that matters, the plot below it, and what goes with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.cells import cell_len

from tui.plots.ink import Ink
from tui.plots.rows import Row, Span, beside, fitted, in_ascii, numbered, wrapped

#: width, height, ink -> rows of that width, as many at most
Draw = Callable[[int, int, Ink], list[Row]]

_BESIDE = 23
"""Columns of the facts that stand beside a plot."""


class Fact(NamedTuple):
    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Figure:
    title: str
    sentence: str
    """Where there is nothing to draw: what will be here, and the way to it."""
    key: str = ""
    """The number that matters, in a few signs."""
    draw: Draw | None = None
    natural: Callable[[int], int] | None = None
    """Of so many columns, how many the plot makes use of; right of them only legends stand."""
    least: int = 7
    most: int = 16
    """Rows of the plot."""
    facts: tuple[Fact, ...] = ()
    table: tuple[tuple[str, ...], ...] = ()
    """The first row is its head."""
    note: str = ""
    """What the figure means."""


def legend(items: Sequence[tuple[str, str, str]], width: int) -> Row:
    """(sign, role, words) in one row; what does not fit is left out."""
    found: list[Span] = []
    left = width
    for sign, role, words in items:
        cells = cell_len(sign) + 1 + cell_len(words) + (3 if found else 0)
        if cells > left:
            break
        left -= cells
        found += [Span("   ")] if found else []
        found += [Span(sign, role), Span(" "), *numbered(words, "dim")]
    return fitted(found, width)


def flowing(facts: Sequence[Fact], width: int) -> list[Row]:
    """Facts one after the other, in as many rows as they need."""
    rows: list[list[Span]] = [[]]
    used = 0
    for label, value in facts:
        cells = cell_len(label) + 1 + cell_len(value)
        if rows[-1] and used + 3 + cells > width:
            rows.append([])
            used = 0
        if rows[-1]:
            rows[-1].append(Span("   "))
            used += 3
        rows[-1] += [Span(label, "dim"), Span(" "), Span(value, "number")]
        used += cells
    return [fitted(row, width) for row in rows if row]


def stacked(facts: Sequence[Fact], width: int) -> list[Row]:
    """Facts below each other, their values at the right edge."""
    rows = []
    for label, value in facts:
        room = width - cell_len(value) - 1
        if room < cell_len(label):
            rows.append(fitted([Span(label, "dim")], width))
            label = ""
        name = fitted([Span(label, "dim")], max(room, 0))
        rows.append(fitted((*name, Span(" "), Span(value, "number")), width))
    return rows


def tabled(table: Sequence[Sequence[str]], width: int) -> list[Row]:
    """The first column at the left, numbers at the right of theirs."""
    if not table:
        return []
    columns = max(map(len, table))
    lines = [[*row, *[""] * (columns - len(row))] for row in table]
    sizes = [max(cell_len(line[column]) for line in lines) for column in range(columns)]
    rows = []
    for number, line in enumerate(lines):
        spans: list[Span] = []
        for column, text in enumerate(line):
            padding = " " * (sizes[column] - cell_len(text))
            role = "dim" if not (number and column) else "number"
            spans += [Span("   ")] if column else []
            spans += [Span(padding), Span(text, role)] if column else [Span(text + padding, role)]
        rows.append(fitted(spans, width))
    return rows


def compose(figure: Figure, width: int, height: int, ink: Ink, explain: bool = False) -> list[Row]:
    """At most `height` rows of `width` cells; what is less important gives way first.

    With `explain`, what the figure means stands in the place of the plot.
    """
    said = [fitted(numbered(line), width) for line in wrapped(figure.sentence, width)]
    note = [fitted([Span(line, "dim")], width) for line in wrapped(figure.note, width)]
    blank = fitted((), width)
    if explain or figure.draw is None:
        rows = [*said, blank, *note]
    else:
        said = said[: max(height - figure.least - 1, 1)]
        plot = _with_facts(figure, note, width, height - len(said) - 1, ink)
        rows = [*said, blank, *plot]
    rows = rows[: max(height, 0)]
    return rows if ink.braille else in_ascii(rows)


def _with_facts(figure: Figure, note: list[Row], width: int, height: int, ink: Ink) -> list[Row]:
    """The plot, with facts beside or below it, as far as there is room."""
    assert figure.draw is not None
    used = figure.natural(width) if figure.natural else width
    facts = figure.facts
    if facts and used + _BESIDE <= width:
        column = [fitted((), _BESIDE - 3), *stacked(facts, _BESIDE - 3)]
        below = _below(figure, [tabled(figure.table, width), note], height)
        rows = max(min(height - len(below), figure.most), 1)
        plot = figure.draw(width, rows, ink)
        # A legend may be wider than the plot: it stands where no fact does.
        column = column[: max(len(plot) - 1, 0)]
        whole = beside([fitted(row, used) for row in plot[: len(column)]], column, used, 3)
        whole = [fitted(row, width) for row in [*whole, *plot[len(column) :]]]
    else:
        blocks = [flowing(facts, width), tabled(figure.table, width), note]
        below = _below(figure, blocks, height)
        whole = figure.draw(width, max(min(height - len(below), figure.most), 1), ink)
    return [*whole, *(fitted(row, width) for row in below)]


def _below(figure: Figure, blocks: list[list[Row]], height: int) -> list[Row]:
    """The blocks for which there is room, a blank row before each."""
    rows: list[Row] = []
    left = height - figure.least - 1
    enough = height - max((figure.least + figure.most) // 2, figure.least)
    for number, block in enumerate(blocks):
        # The first one is short and says most; for the others the plot does not shrink much.
        room = left if number == 0 else enough
        if block and len(rows) + len(block) + 1 <= room:
            rows += [(), *block]
    return rows
