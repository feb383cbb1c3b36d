"""All figures, in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tui.plots.buttons import buttons
from tui.plots.calendar import calendar
from tui.plots.calibration import calibration
from tui.plots.coming import forecast
from tui.plots.derivations import misconceptions
from tui.plots.exam import exam
from tui.plots.figure import Figure
from tui.plots.given import Given
from tui.plots.history import added, work
from tui.plots.hours import hours
from tui.plots.memory import difficulty, intervals, retrievability, stability
from tui.plots.retention import retention
from tui.plots.workload import workload

#: What a figure needs beside the statistics, and which takes time of its own.
Need = Literal["", "added", "exam", "workload"]


@dataclass(frozen=True, slots=True)
class Entry:
    name: str
    """For the command line and settings: it never changes."""
    title: str
    """In a list: short."""
    make: Callable[[Given], Figure]
    spans: bool = True
    """Whether it is about a span of days, not about today."""
    need: Need = ""


ENTRIES: tuple[Entry, ...] = (
    Entry("forecast", "Due", forecast),
    Entry("calendar", "Calendar", calendar),
    Entry("retention", "Retention", retention),
    Entry("work", "Time", work),
    Entry("hours", "Hours", hours),
    Entry("buttons", "Buttons", buttons),
    Entry("recall", "Recall now", retrievability, spans=False),
    Entry("stability", "Stability", stability, spans=False),
    Entry("difficulty", "Difficulty", difficulty, spans=False),
    Entry("intervals", "Intervals", intervals, spans=False),
    Entry("calibration", "Calibration", calibration),
    Entry("misconceptions", "Derivations", misconceptions),
    Entry("added", "Added", added, need="added"),
    Entry("exam", "Exam", exam, spans=False, need="exam"),
    Entry("workload", "Workload", workload, spans=False, need="workload"),
)
