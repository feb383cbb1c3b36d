"""The problems of a card that is being written, a line each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.content import Content

from cards.model import Problem
from tui.text import visible

#: More than these are counted only: the text is what is to be seen.
_MOST: Final = 5


def problem_lines(problems: Sequence[Problem]) -> Content:
    """The first of them, or that there is none."""
    if not problems:
        return Content.styled("✓ this card can be read", "$text-success")
    shown = [_line(problem) for problem in problems[:_MOST]]
    if len(problems) > _MOST:
        shown.append(Content.styled(f"and {len(problems) - _MOST} more", "dim"))
    return Content("\n").join(shown)


def _line(problem: Problem) -> Content:
    style = "bold $text-error" if problem.severity == "error" else "bold $text-warning"
    return Content.assemble(
        (f"line {problem.line}  ", style),
        f"{visible(problem.message)} ",
        (visible(problem.hint), "$foreground-muted"),
    )
