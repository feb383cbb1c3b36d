"""The days around today in a few figures: what was done on the last, what falls due on the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from deck.stats.tally import Share

#: Study days of which the answers are counted: 53 weeks, as a calendar of a year shows.
YEAR = 53 * 7
#: Study days that recall and pace are about.
MONTH = 30
#: Study days ahead, today included.
WEEK = 7


@dataclass(frozen=True, slots=True)
class Lately:
    """Law: `Statistics` says the same of them."""

    today: date
    answers: Mapping[date, int]
    """By study day, of the last `YEAR`; a day without one is left out."""
    streak: int
    """Study days in a row, up to today or, where nothing was answered today, up to yesterday."""
    recall: Share
    """Of the reviews of the last `MONTH`, those that were recalled; learning steps do not count."""
    pace: float | None
    """Minutes that an answer of the last `MONTH` took on average; None where there was none."""
    ahead: tuple[int, ...]
    """What falls due today (with all that is overdue), tomorrow, and so on for a `WEEK`."""
