"""All figures about what was done, over a span of study days."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from deck.stats import activity
from deck.stats.activity import DayDone, Retention, Streak
from deck.stats.calibration import Calibration, calibration
from deck.stats.tally import Kind, Share, Tally


@dataclass(frozen=True, slots=True)
class Past:
    """`Statistics` says what each of these is."""

    days: tuple[DayDone, ...]
    hours: tuple[Share, ...]
    ratings: Mapping[Kind, tuple[int, int, int, int]]
    retention: tuple[Retention, ...]
    streak: Streak
    calibration: Calibration


def past(tally: Tally, first: date, today: date) -> Past:
    """Of the answers of a tally, from `first` to `today` where it is about a span."""
    cells = activity.since(tally.cells, first, today)
    classes = {place: p for place, p in tally.classes.items() if first <= place[0] <= today}
    hours = {place: share for place, share in tally.hours.items() if first <= place[0] <= today}
    return Past(
        tuple(activity.per_day(cells)),
        tuple(activity.per_hour(hours)),
        activity.ratings(cells),
        tuple(activity.retentions(tally.cells, today)),
        activity.streak(tally.cells, today),
        calibration(classes),
    )
