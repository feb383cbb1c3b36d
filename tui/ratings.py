"""The four ratings with the interval that each leads to, and what a check speaks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual.content import Content

from tui.suggest import Suggestion
from tui.text import interval

if TYPE_CHECKING:
    from deck.replay import Schedule
    from tui.key_names import KeyOf

NAMES = {1: "Again", 2: "Hard", 3: "Good", 4: "Easy"}
ACTIONS = {1: "study.again", 2: "study.hard", 3: "study.good", 4: "study.easy"}
STYLES = {1: "$text-error", 2: "$text-warning", 3: "$text-success", 4: "$text-primary"}
PRACTICE = "practice: the schedule stays as it is"
#: Between two ratings; a smaller one where they would not fit.
_GAPS = ("    ", "  ", " ")


def ratings_line(
    preview: Mapping[int, Schedule], suggestion: Suggestion | None, width: int, key: KeyOf
) -> Content:
    """In two rows of so many cells: the ratings always in the lower one, what is suggested behind
    them, or above them where it does not fit.  `key` says which one an action has."""
    spans = {rating: f" {interval(preview[rating].interval)}" for rating in sorted(preview)}
    return _rows(spans, suggestion, "", width, _keys(key))


def practice_line(suggestion: Suggestion | None, width: int, key: KeyOf) -> Content:
    """The same where they change no schedule: what is not known comes again."""
    return _rows(dict.fromkeys(NAMES, ""), suggestion, PRACTICE, width, _keys(key))


def _keys(key: KeyOf) -> dict[int, str]:
    return {rating: key(action) for rating, action in ACTIONS.items()}


def _rows(
    spans: Mapping[int, str],
    suggestion: Suggestion | None,
    otherwise: str,
    width: int,
    keys: Mapping[int, str],
) -> Content:
    said = otherwise
    if suggestion is not None:
        said = f"suggested: {keys[suggestion.rating]}, {suggestion.reason}"
    four = [_rating(rating, keys[rating], span, suggestion) for rating, span in spans.items()]
    for gap in _GAPS[:2]:
        line = Content(gap).join(four)
        behind = Content.assemble(line, gap, (f"({said})", "dim")) if said else line
        if behind.cell_length <= width:
            return Content("\n") + behind
    lines = (Content(gap).join(four) for gap in _GAPS)
    bare = Content(" ").join(Content.assemble((keys[n], "bold"), span) for n, span in spans.items())
    fitting = next((line for line in lines if line.cell_length <= width), bare)
    return Content.assemble((said, "dim"), "\n", fitting)


def _rating(rating: int, key: str, span: str, suggestion: Suggestion | None) -> Content:
    style = STYLES[rating]
    if suggestion is not None and suggestion.rating == rating:
        style += " underline"
    return Content.assemble((key, "bold"), " ", (NAMES[rating], style), (span, "dim"))


def rating_at(line: str, column: int) -> int | None:
    """The rating that a click on the row of the four is meant for; None beside them all."""
    behind = line.find("(", max(0, line.find(NAMES[4])))
    end = len(line[:behind].rstrip()) if behind >= 0 else len(line.rstrip())
    begun = [rating for rating, name in NAMES.items() if _begins(line, name) <= column]
    return begun[-1] if begun and column < end else None


def _begins(line: str, name: str) -> int:
    """Where a rating's key stands."""
    at = line.find(name)
    return line.rfind(" ", 0, max(0, at - 1)) + 1 if at >= 0 else len(line)
