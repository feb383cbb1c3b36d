"""The figures by their names, in the order in which they are shown.

Drawing is imported when the first figure is made: a shell that completes their names needs none of
it, and the screen loads it in a thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tui.plots.figure import Figure
    from tui.plots.given import Given

#: What a figure needs beside the statistics, and which takes time of its own.
Need = Literal["", "added", "exam", "workload"]


@dataclass(frozen=True, slots=True)
class Entry:
    name: str
    """For the command line: it never changes."""
    title: str
    """In a list: short."""
    need: Need = ""

    def make(self, given: Given) -> Figure:
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
def makers() -> Mapping[str, Callable[[Given], Figure]]:
    """What makes each figure of its data."""
    from tui.plots.buttons import buttons
    from tui.plots.calendar import calendar
    from tui.plots.calibration import calibration
    from tui.plots.coming import forecast
    from tui.plots.derivations import misconceptions
    from tui.plots.exam import exam
    from tui.plots.history import added, work
    from tui.plots.hours import hours
    from tui.plots.memory import difficulty, intervals, retrievability, stability
    from tui.plots.retention import retention
    from tui.plots.workload import workload

    return {
        "forecast": forecast,
        "calendar": calendar,
        "retention": retention,
        "work": work,
        "hours": hours,
        "buttons": buttons,
        "recall": retrievability,
        "stability": stability,
        "difficulty": difficulty,
        "intervals": intervals,
        "calibration": calibration,
        "misconceptions": misconceptions,
        "added": added,
        "exam": exam,
        "workload": workload,
    }
