"""The four ratings with the interval that each leads to, and what a check speaks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual.content import Content

from tui.suggest import Suggestion
from tui.text import interval

if TYPE_CHECKING:
    from deck import Schedule

NAMES = {1: "Again", 2: "Hard", 3: "Good", 4: "Easy"}
STYLES = {1: "$text-error", 2: "$text-warning", 3: "$text-success", 4: "$text-primary"}
PRACTICE = "practice: the schedule stays as it is"
#: Between two ratings; a smaller one where they would not fit.
_GAPS = ("    ", "  ", " ")


def ratings_line(
    preview: Mapping[int, Schedule], suggestion: Suggestion | None, width: int
) -> Content:
    """In two rows of so many cells: the ratings always in the lower one, what is suggested behind
    them, or above them where it does not fit."""
    spans = {rating: f" {interval(preview[rating].interval)}" for rating in sorted(preview)}
    return _rows(spans, suggestion, "", width)


def practice_line(suggestion: Suggestion | None, width: int) -> Content:
    """The same where they change no schedule: what is not known comes again."""
    return _rows(dict.fromkeys(NAMES, ""), suggestion, PRACTICE, width)


def _rows(
    spans: Mapping[int, str], suggestion: Suggestion | None, otherwise: str, width: int
) -> Content:
    said = f"suggested: {suggestion.rating}, {suggestion.reason}" if suggestion else otherwise
    four = [_rating(rating, span, suggestion) for rating, span in spans.items()]
    for gap in _GAPS[:2]:
        line = Content(gap).join(four)
        behind = Content.assemble(line, gap, (f"({said})", "dim")) if said else line
        if behind.cell_length <= width:
            return Content("\n") + behind
    lines = (Content(gap).join(four) for gap in _GAPS)
    bare = Content(" ").join(Content.assemble((str(n), "bold"), span) for n, span in spans.items())
    fitting = next((line for line in lines if line.cell_length <= width), bare)
    return Content.assemble((said, "dim"), "\n", fitting)


def _rating(rating: int, span: str, suggestion: Suggestion | None) -> Content:
    style = STYLES[rating]
    if suggestion is not None and suggestion.rating == rating:
        style += " underline"
    return Content.assemble((str(rating), "bold"), " ", (NAMES[rating], style), (span, "dim"))
