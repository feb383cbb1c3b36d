"""What the roles of a plot look like on the screen: colours of the theme, nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from tui.plots.rows import Row

_STYLES = {
    "title": "bold",
    "number": "bold $text-primary",
    "dim": "$foreground 65%",
    "axis": "$foreground 55%",
    "grid": "$foreground 18%",
    "value": "$foreground",
    "bar": "$primary",
    "time": "$accent",
    "today": "$success",
    "second": "$warning",
    "asked": "$foreground 75%",
    "target": "$warning",
    "young": "$accent",
    "mature": "$primary",
    "new": "$text-secondary",
    "learning": "$warning",
    "relearning": "$error",
    "again": "$error",
    "hard": "$warning",
    "good": "$success",
    "easy": "$primary",
    "point": "$primary",
    "line": "bold $primary",
    "band": "$primary 40%",
    "heat0": "$foreground 35%",
    "heat1": "$success 45%",
    "heat2": "$success 65%",
    "heat3": "$success 85%",
    "heat4": "$success",
}


def content_of(rows: Sequence[Row]) -> Content:
    """The rows as a text of the screen."""
    return Content("\n").join(
        Content.assemble(*((text, style_of(role)) for text, role in row)) for row in rows
    )


def style_of(role: str) -> str:
    """The style of a role's first word; today's cell in a calendar is underlined."""
    words = role.split()
    if not words:
        return ""
    style = _STYLES.get(words[0], "")
    return f"{style} underline".strip() if "today" in words[1:] else style
