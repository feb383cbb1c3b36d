"""The figures by their names, in the order in which they are shown.

Drawing is imported when the first figure is made: a shell that completes their names needs none of
it, and the screen loads it in a thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tui.plots.figure import Figure, StatsInput


#: What a figure needs beside the statistics, and which takes time of its own.
Need = Literal["", "added", "exam", "workload"]


@dataclass(frozen=True, slots=True)
class Entry:
    name: str
    """For the command line: it never changes."""
    title: str
    """In a list: short."""
    need: Need = ""

    def make(self, given: StatsInput) -> Figure:
        """The figure of this data."""
        return makers()[self.name](given)


ENTRIES: tuple[Entry, ...] = (
    Entry("forecast", "Due"),
    Entry("calendar", "Calendar"),
    Entry("retention", "Retention"),
    Entry("work", "Time"),
    Entry("hours", "Hours"),
    Entry("buttons", "Buttons"),
    Entry("recall", "Recall now"),
    Entry("stability", "Stability"),
    Entry("difficulty", "Difficulty"),
    Entry("intervals", "Intervals"),
    Entry("calibration", "Calibration"),
    Entry("misconceptions", "Derivations"),
    Entry("added", "Added", need="added"),
    Entry("exam", "Exam", need="exam"),
    Entry("workload", "Workload", need="workload"),
)


@cache
def makers() -> Mapping[str, Callable[[StatsInput], Figure]]:
    """What makes each figure of its data."""
    from tui.plots import bars, lines

    return {
        "forecast": bars.forecast,
        "calendar": lines.calendar,
        "retention": lines.retention,
        "work": lines.work,
        "hours": bars.hours,
        "buttons": bars.buttons,
        "recall": bars.retrievability,
        "stability": bars.stability,
        "difficulty": bars.difficulty,
        "intervals": bars.intervals,
        "calibration": lines.calibration,
        "misconceptions": bars.misconceptions,
        "added": lines.added,
        "exam": lines.exam,
        "workload": bars.workload,
    }
