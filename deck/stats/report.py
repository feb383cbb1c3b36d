"""All statistics at once, as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from typing import Any

from deck.config import Config
from deck.days import study_day
from deck.event import Event
from deck.state import ItemState
from deck.stats import activity, memory
from deck.stats.activity import DayDone, Retention, Share, Streak
from deck.stats.calibration import Calibration, calibration
from deck.stats.checks import Checks, checks
from deck.stats.memory import Memories, Standing
from deck.stats.tally import Kind, Tally


@dataclass(frozen=True, slots=True)
class Statistics:
    today: date
    since: date
    """The first day of all that is about a span of days."""
    days: tuple[DayDone, ...]
    hours: tuple[Share, ...]
    ratings: Mapping[Kind, tuple[int, int, int, int]]
    retention: tuple[Retention, ...]
    """Of spans of their own, from today to all."""
    streak: Streak
    standing: Standing
    memories: Memories
    forecast: tuple[int, ...]
    """Today first; today's holds what is overdue."""
    calibration: Calibration
    checks: Checks

    def as_dict(self) -> dict[str, Any]:
        """For JSON; the keys are stable."""
        plain: dict[str, Any] = asdict(self)
        for shares in (plain["hours"], *([r["young"], r["mature"]] for r in plain["retention"])):
            for share in shares:
                share["share"] = share["right"] / share["of"] if share["of"] else None
        plain["today"], plain["since"] = self.today.isoformat(), self.since.isoformat()
        for day in plain["days"]:
            day["day"] = day["day"].isoformat()
        return plain


def statistics(
    items: Sequence[tuple[ItemState, bool]],
    tally: Tally,
    checked: Iterable[Event],
    now: datetime,
    config: Config,
    days: int = 365,
) -> Statistics:
    """`items` are states with whether each is suspended; `days` is the span, back and ahead."""
    today = study_day(now, config.rollover)
    first = today - timedelta(days=days - 1)
    cells = activity.since(tally.cells, first, today)
    classes = {place: p for place, p in tally.classes.items() if first <= place[0] <= today}
    studied = [state for state, suspended in items if not suspended]
    return Statistics(
        today,
        first,
        tuple(activity.per_day(cells)),
        tuple(activity.per_hour(cells)),
        activity.ratings(cells),
        tuple(activity.retentions(tally.cells, today)),
        activity.streak(tally.cells, today),
        memory.standing(items),
        memory.memories(studied, today, config),
        tuple(memory.forecast(studied, now, config, days)),
        calibration(classes),
        checks(event for event in checked if first <= event.day <= today),
    )
