"""A formula on a page: its box for a width, as rows of spans."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from tui.page.model import Source, Span, cells, crop

if TYPE_CHECKING:
    from cards.math.box import Box


class Drawn(NamedTuple):
    """A box whose rows are spans."""

    rows: tuple[tuple[Span, ...], ...]
    width: int
    baseline: int


class Formula:
    """One formula of a document; its boxes are laid out when they are asked for, and kept."""

    __slots__ = ("_boxes", "_natural", "_tagged", "display", "macros", "source", "style", "tex")

    def __init__(
        self, tex: str, display: bool, style: str, macros: Mapping[str, str] | None = None
    ) -> None:
        dollars = "$$" if display else "$"
        self.tex = tex
        self.display = display
        self.style = f"{style} math".lstrip()
        self.macros = macros
        self.source = Source(f"{dollars}{tex.strip()}{dollars}")
        # The number of an equation stands at the right end, wherever that is.
        self._tagged = display and "\\tag" in tex
        self._natural: Drawn | None = None
        self._boxes: dict[int, Drawn] = {}

    @property
    def natural(self) -> Drawn:
        """As wide as it is."""
        if self._natural is None:
            self._natural = self._drawn(None)
        return self._natural

    def at(self, width: int) -> Drawn:
        """Broken at its relations where it is wider than `width`; it may be wider even so."""
        if self.natural.width <= width and not self._tagged:
            return self.natural
        if width not in self._boxes:
            if len(self._boxes) > 8:
                self._boxes.clear()
            self._boxes[width] = self._drawn(width)
        return self._boxes[width]

    def _drawn(self, width: int | None) -> Drawn:
        # Imported when the first formula is drawn: most of a deck's screens have none.
        from cards.math import layout

        box = layout(self.tex, display=self.display, width=width, macros=self.macros)
        return Drawn(_rows(box, self.style, self.source), box.width, box.baseline)


def _rows(box: Box, style: str, source: Source) -> tuple[tuple[Span, ...], ...]:
    marks: dict[int, list[tuple[int, int, str]]] = {}
    for mark in box.marks:
        marks.setdefault(mark.row, []).append((mark.start, mark.end, mark.style))
    return tuple(
        _marked(row, marks[number], style, source)
        if number in marks
        else (Span(row, style, source),)
        for number, row in enumerate(box.rows)
    )


def _marked(
    row: str, marks: list[tuple[int, int, str]], style: str, source: Source
) -> tuple[Span, ...]:
    """The row cut where a mark begins or ends."""
    width = cells(row)
    cuts = sorted({0, width, *(m[0] for m in marks), *(m[1] for m in marks)})
    spans: list[Span] = []
    for start, end in pairwise(cut for cut in cuts if 0 <= cut <= width):
        words = dict.fromkeys(m[2] for m in marks if m[0] <= start and end <= m[1])
        spans.append(Span(_cut(row, start, end), " ".join([style, *words]), source))
    return tuple(spans)


def _cut(row: str, start: int, end: int) -> str:
    if len(row) == cells(row):
        return row[start:end]
    return crop(row, start, end)
