"""The four ratings with the interval that each leads to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual.content import Content

from tui.suggest import Suggestion
from tui.text import interval

if TYPE_CHECKING:
    from deck import Schedule

Part = str | tuple[str, str]

NAMES = {1: "Again", 2: "Hard", 3: "Good", 4: "Easy"}
STYLES = {1: "$text-error", 2: "$text-warning", 3: "$text-success", 4: "$text-primary"}


def ratings_line(preview: Mapping[int, Schedule], suggestion: Suggestion | None) -> Content:
    """The four on one line; above it the suggestion, or nothing."""
    parts = _suggested(suggestion, "")
    for rating, schedule in sorted(preview.items()):
        parts += _rating(rating, suggestion)
        parts += [(f" {interval(schedule.interval)}", "dim"), "    "]
    return Content.assemble(*parts)


def practice_line(suggestion: Suggestion | None) -> Content:
    """The four where they change no schedule: what is not known comes again."""
    parts = _suggested(suggestion, "practice: the schedule stays as it is")
    for rating in NAMES:
        parts += [*_rating(rating, suggestion), "    "]
    return Content.assemble(*parts)


def _suggested(suggestion: Suggestion | None, otherwise: str) -> list[Part]:
    """The line above the ratings."""
    said = f"suggested: {suggestion.rating}, {suggestion.reason}" if suggestion else otherwise
    return [(said, "dim"), "\n"]


def _rating(rating: int, suggestion: Suggestion | None) -> list[Part]:
    style = STYLES[rating]
    if suggestion is not None and suggestion.rating == rating:
        style += " underline"
    return [(str(rating), "bold"), " ", (NAMES[rating], style)]
