"""A page: one document, laid out for the widths it is asked for."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property

from tui.page.blocks import Document
from tui.page.lay import Layout, Look
from tui.page.lighting import hits, lighted
from tui.page.model import Fold, Link, Painting, Piece, Row, Thing, cells

#: A width below this is laid out as if it were this: nobody reads there.
NARROWEST = 4
_KEPT = 4


@dataclass(frozen=True, slots=True)
class Stop:
    """Something that a key can go to: a link, or a heading that folds."""

    thing: Link | Fold
    row: int


@dataclass(frozen=True, slots=True)
class Hung:
    """Where a picture's place is."""

    painting: Painting
    row: int
    left: int


class Sheet:
    """The rows of a document at one width."""

    def __init__(self, rows: list[Row], width: int, wide: int) -> None:
        self.rows = rows
        self.width = width
        self.wide = wide
        """How many parts are too wide and scroll."""

    @cached_property
    def stops(self) -> list[Stop]:
        """From top to bottom, each once."""
        found: dict[int, Stop] = {}
        for number, row in enumerate(self.rows):
            for span in row.spans:
                if isinstance(span.thing, Link | Fold):
                    found.setdefault(id(span.thing), Stop(span.thing, number))
        return list(found.values())

    @cached_property
    def hits(self) -> list[int]:
        """The rows where something is lit up, from top to bottom."""
        return hits(self.rows)

    @cached_property
    def paintings(self) -> list[Hung]:
        """The places that are left free for pictures."""
        found: dict[int, Hung] = {}
        for number, row in enumerate(self.rows):
            left = 0
            for span in row.spans:
                if isinstance(span.thing, Painting):
                    found.setdefault(id(span.thing), Hung(span.thing, number, left))
                left += cells(span.text)
        return list(found.values())

    @cached_property
    def pieces(self) -> dict[Piece, range]:
        """The rows of what is copied as one text."""
        found: dict[Piece, range] = {}
        for number, row in enumerate(self.rows):
            if row.piece is not None:
                start = found[row.piece].start if row.piece in found else number
                found[row.piece] = range(start, number + 1)
        return found

    @cached_property
    def lengths(self) -> dict[Thing, int]:
        """How many characters each link has."""
        found: Counter[Thing] = Counter()
        for row in self.rows:
            for span in row.spans:
                if isinstance(span.thing, Link):
                    found[span.thing] += len(span.text)
        return found

    @cached_property
    def parts(self) -> list[range]:
        """The rows of each part that is too wide."""
        first: dict[int, int] = {}
        last: dict[int, int] = {}
        for number, row in enumerate(self.rows):
            if row.wide >= 0:
                first.setdefault(row.wide, number)
                last[row.wide] = number
        return [range(first[part], last[part] + 1) for part in sorted(first)]

    def hidden(self, part: int) -> int:
        """How many cells of a part do not fit: its greatest offset."""
        return max(0, max(self.rows[y].width for y in self.parts[part]) - self.width)


class Page:
    """Keeps the last few sheets, so that only a new width or fold costs."""

    def __init__(self, document: Document, look: Look | None = None) -> None:
        self.document = document
        self.look = look or Look()
        self._sheets: dict[tuple[int, frozenset[int]], Sheet] = {}

    def at(self, width: int, folded: frozenset[int] = frozenset()) -> Sheet:
        """The rows for a width, the sections of the folded headings left out."""
        width = max(NARROWEST, width)
        key = (width, folded)
        if key not in self._sheets:
            while len(self._sheets) >= _KEPT:
                del self._sheets[next(iter(self._sheets))]
            layout = Layout(replace(self.look, folded=folded))
            rows = layout.rows(self.document.blocks, width)
            if self.look.light is not None:
                rows = lighted(rows, self.look.light)
            self._sheets[key] = Sheet(rows, width, layout.wide)
        return self._sheets[key]
