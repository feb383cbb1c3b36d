"""The figures by their names, in the order in which they are shown.

Drawing is imported when the first figure is made: a shell that completes their names needs none of
it, and the screen loads it in a thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
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
    note: str
    """What the figure means."""
    heading: str = ""
    """Above the figure, where it is not the title."""
    need: Need = ""

    def make(self, given: StatsInput) -> Figure:
        """The figure of this data."""
        return replace(makers()[self.name](given), title=self.heading or self.title, note=self.note)


ENTRIES: tuple[Entry, ...] = (
    Entry(
        "forecast",
        "Due",
        "An item is counted once, on the day it falls due; what its next answers lead to is not "
        "known yet, and new items are not counted. What was due before today stands on today's "
        "bar.",
    ),
    Entry(
        "calendar",
        "Calendar",
        "A column is a week, a row a weekday. The shades are quarters of your studied days: a "
        "full block is a day among your busiest. A study day ends at the roll-over (04:00), so a "
        "late evening belongs to its own day.",
    ),
    Entry(
        "retention",
        "Retention",
        "A review counts as recalled unless it was rated Again; learning steps do not count. A "
        "memory is mature from 21 days of stability on. A line well above what you ask for means "
        "that you study more than you wanted to; one below it, that intervals are too long for "
        "you.",
        heading="True retention",
    ),
    Entry(
        "work",
        "Time",
        "Every answer counts, learning steps and several answers to one item too; the minutes are "
        "the time until the answer. The strip shows what the items were before: mature from 21 "
        "days of stability on, relearning after a lapse.",
        heading="Reviews and time",
    ),
    Entry(
        "hours",
        "Hours",
        "Hours of the clock you were looking at; learning steps do not count. An hour with few "
        "reviews says little: a filled point stands for 20 or more.",
    ),
    Entry(
        "buttons",
        "Buttons",
        "The shares of Again, Hard, Good and Easy (keys 1 to 4) among the answers to items that "
        "were new, being learnt, learnt again after a lapse, young or mature. Hard is for what "
        "was recalled with effort: as a milder Again it makes intervals too long.",
        heading="Answer buttons",
    ),
    Entry(
        "recall",
        "Recall now",
        "The chance that each item would be recalled if it were asked today. What lies below your "
        "desired retention is due.",
    ),
    Entry(
        "stability",
        "Stability",
        "Stability is the number of days after which the chance of recall has fallen to 90 %. It "
        "grows with each review that you recall; from 21 days on a memory counts as mature.",
    ),
    Entry(
        "difficulty",
        "Difficulty",
        "Difficulty runs from 1 to 10: the higher, the less a review adds to the stability. Again "
        "and Hard raise it, Easy lowers it. Many at 10 are worth splitting or rewriting.",
    ),
    Entry(
        "intervals",
        "Intervals",
        "The days between the last review of an item and its next; fuzz spreads them a little.",
    ),
    Entry(
        "calibration",
        "Calibration",
        "Reviews are put together by the recall that was predicted; a point on the dotted "
        "diagonal was predicted exactly, one above it was recalled more often. Log loss is the "
        "mean surprise (0 is perfect, 0.69 a coin); RMSE is how far the points lie from the "
        "diagonal. `deltadeck optimize` fits the model to your answers.",
    ),
    Entry(
        "misconceptions",
        "Derivations",
        "Each check of a derivation counts, those on the way to a right answer too. A "
        "misconception is named where a known wrong rule gives the very numbers that yours gave.",
        heading="Misconceptions",
    ),
    Entry(
        "added",
        "Added",
        "A card counts on the day that it names (created, or a date at the head of its id); "
        "otherwise on the day its file last changed or it was first answered, whichever is "
        "earlier.",
        heading="Added cards",
        need="added",
    ),
    Entry(
        "exam",
        "Exam",
        "Each day stands for what the exam would bring if you kept to the plan until then and "
        "stopped. Four exams in five end inside the band: items are taken as independent, and "
        "recalled whole or not at all. The plan takes what brings most points a minute, within "
        "your minutes and limits; a search does not change it.",
        heading="Exam plan",
        need="exam",
    ),
    Entry(
        "workload",
        "Workload",
        "A year of study is simulated for each desired retention: with your cards, limits, pace "
        "and ratings. Above 90 % the minutes grow fast for few items more; below the cheapest "
        "retention, forgetting costs more than it saves.",
        need="workload",
    ),
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
