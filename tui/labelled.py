"""Rows of a label and what is said of it; what does not fit goes on below its own beginning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tui.text import visible

if TYPE_CHECKING:
    from textual.content import Content

_LEAST = 20


def labelled(
    rows: Sequence[tuple[str, str]], width: int, style: str = "$foreground-muted"
) -> Content:
    """In at most `width` cells; the labels stand in a column of their own, in their own style."""
    from textual.content import Content

    column = max((len(label) for label, _ in rows), default=0) + 3
    lines: list[Content] = []
    for label, said in rows:
        parts = Content(visible(said)).wrap(max(_LEAST, width - column))
        for number, part in enumerate(parts or [Content("")]):
            head = label if number == 0 else ""
            lines.append(Content.assemble((f"{head:{column}}", style), part))
    return Content("\n").join(lines)
