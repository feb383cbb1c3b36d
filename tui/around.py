"""What home shows of the days around today.  Asked from threads, and kept, so plain values."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from tui.today import KNOWN_PACE

if TYPE_CHECKING:
    from deck.collection import Collection


class Around(NamedTuple):
    today: date
    """The study day."""
    ahead: tuple[int, ...]
    """What falls due today (with all that is overdue), tomorrow, and so on for a week."""
    recalled: int
    """Of `reviews`, those of the last month."""
    reviews: int
    asked: float
    """The desired retention, 0..1."""
    streak: int
    """Study days in a row, up to today or yesterday."""
    pace: float | None
    """Minutes that an answer takes; None where too few were given lately to tell."""
    days: tuple[int, ...]
    """Answers of each study day of the last year; the last is today's."""

    def counts(self) -> dict[date, int]:
        """Answers by study day."""
        last = len(self.days) - 1
        return {self.today - timedelta(days=last - n): count for n, count in enumerate(self.days)}


def around(collection: Collection, now: datetime) -> Around:
    """At 10,000 cards 2 ms, or 0.1 s before the statistics were first seen (deck/index/lately)."""
    from deck.lately import MONTH, YEAR

    found = collection.lately(now)
    dates = (found.today - timedelta(days=ago) for ago in range(YEAR - 1, -1, -1))
    days = tuple(found.answers.get(day, 0) for day in dates)
    return Around(
        found.today,
        found.ahead,
        found.recall.right,
        found.recall.of,
        collection.config.desired_retention,
        found.streak,
        found.pace if sum(days[-MONTH:]) >= KNOWN_PACE else None,
        days,
    )
