"""The four ratings with the interval that each leads to."""

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


def ratings_line(preview: Mapping[int, Schedule], suggestion: Suggestion | None) -> Content:
    """The four on one line; above it the suggestion, or nothing."""
    parts: list[str | tuple[str, str]] = []
    if suggestion is not None:
        parts.append((f"suggested: {suggestion.rating}, {suggestion.reason}", "dim"))
    parts.append("\n")
    for rating, schedule in sorted(preview.items()):
        style = STYLES[rating]
        if suggestion is not None and suggestion.rating == rating:
            style += " underline"
        parts += [(str(rating), "bold"), " ", (NAMES[rating], style)]
        parts += [(f" {interval(schedule.interval)}", "dim"), "    "]
    return Content.assemble(*parts)
