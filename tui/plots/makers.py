"""What makes each figure of its data, by the figure's name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

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

MAKERS: Mapping[str, Callable[[Given], Figure]] = MappingProxyType(
    {
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
)
