"""The figures by their names, in the order in which they are shown; drawing is not imported."""

from __future__ import annotations

from dataclasses import dataclass
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
        from tui.plots.makers import MAKERS

        return MAKERS[self.name](given)


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
