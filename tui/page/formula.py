"""A formula on a page: its box for a width, as rows of spans."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from tui.page.model import Source, Span, cells, crop

if TYPE_CHECKING:
    from cards.math.tree import Formula as Parsed
    from cards.math.tree import Macro
    from cards.math.typesetter.box import Box

Macros = Mapping[str, "str | Macro"]
#: What stands behind a formula that could not be read whole.
ODD = " (!)"
_SIGNS = {"\\(": "\\)", "\\[": "\\]", "```math\n": "\n```"}


class Drawn(NamedTuple):
    """A box whose rows are spans."""

    rows: tuple[tuple[Span, ...], ...]
    width: int
    baseline: int


class Formula:
    """One formula of a document; it is read and laid out when that is asked for, and kept.

    `sign` is what it begins with where it was written; what it ends with follows from that.
    """

    __slots__ = (
        "_boxes", "_natural", "_parsed", "_source", "_tagged", "copy", "display", "macros",
        "style", "tex",
    )  # fmt: skip

    def __init__(
        self,
        tex: str,
        display: bool,
        style: str = "",
        macros: Macros | None = None,
        sign: str = "$",
    ) -> None:
        self.tex = tex
        self.display = display
        self.style = f"{style} math".lstrip()
        self.macros = macros
        self.copy = f"{sign}{tex.strip()}{_SIGNS.get(sign, sign)}"
        # The number of an equation stands at the right end, wherever that is.
        self._tagged = display and "\\tag" in tex
        self._parsed: Parsed | None = None
        self._source: Source | None = None
        self._natural: Drawn | None = None
        self._boxes: dict[int, Drawn] = {}

    @property
    def parsed(self) -> Parsed:
        """What it says, and what in it could not be read."""
        if self._parsed is None:
            # Imported when the first formula is read: most of a deck's screens have none.
            from cards.math import parse

            self._parsed = parse(self.tex, self.macros)
        return self._parsed

    @property
    def source(self) -> Source:
        """What its spans belong to."""
        if self._source is None:
            problems = self.parsed.problems
            note = f"{problems[0].message} {problems[0].hint}" if problems else ""
            self._source = Source(self.copy, note)
        return self._source

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
        from cards.math.typesetter.typeset import layout_formula

        odd = len(ODD) if self.parsed.problems else 0
        room = None if width is None else max(1, width - odd)
        box = layout_formula(self.parsed, "display" if self.display else "inline", room)
        rows = rows_of(box, self.style, self.source)
        if odd:
            rows = tuple((*row, *self._mark(at == box.baseline)) for at, row in enumerate(rows))
        return Drawn(rows, box.width + odd, box.baseline)

    def _mark(self, here: bool) -> tuple[Span, ...]:
        """The sign of a fault, or the room that it takes on other rows."""
        if not here:
            return (Span(" " * len(ODD), "", self.source),)
        bare = ODD.lstrip()
        return Span(" " * (len(ODD) - len(bare)), "", self.source), Span(
            bare, "warning", self.source
        )


def rows_of(box: Box, style: str, source: Source) -> tuple[tuple[Span, ...], ...]:
    """The rows of a box as spans, cut where a mark begins or ends."""
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
    begun = sorted(range(len(marks)), key=lambda number: marks[number][0])
    spans: list[Span] = []
    here: list[int] = []
    at = 0
    for start, end in pairwise(cut for cut in cuts if 0 <= cut <= width):
        while at < len(begun) and marks[begun[at]][0] <= start:
            here.append(begun[at])
            at += 1
        here = [number for number in here if marks[number][1] >= end]
        words = dict.fromkeys(marks[number][2] for number in sorted(here))
        spans.append(Span(_cut(row, start, end), " ".join([style, *words]), source))
    return tuple(spans)


def _cut(row: str, start: int, end: int) -> str:
    if len(row) == cells(row):
        return row[start:end]
    return crop(row, start, end)
