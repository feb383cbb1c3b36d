"""All statistics at once, as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from typing import Any

from deck.config import Config, model_of
from deck.events import Event
from deck.stats.activity import DayDone, Retention, Streak
from deck.stats.calibration import Calibration
from deck.stats.checks import Checks, checks
from deck.stats.memory import Held, Memories, Present, Standing, present
from deck.stats.past import Past, past
from deck.stats.tally import Kind, Share, Tally
from deck.study_day import study_day


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
    overdue: int = 0
    """Of those that are due today, how many were due before."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON; the keys are stable."""
        plain: dict[str, Any] = asdict(self)
        plain["hours"] = [_share(share) for share in self.hours]
        plain["retention"] = [
            {"name": r.name, "young": _share(r.young), "mature": _share(r.mature)}
            for r in self.retention
        ]
        plain["today"], plain["since"] = self.today.isoformat(), self.since.isoformat()
        for day in plain["days"]:
            day["day"] = day["day"].isoformat()
            for kind in ("young", "mature"):
                day[kind] = _share(Share(*day[kind]))
        last = plain["checks"]["last"]
        plain["checks"]["last"] = {name: day.isoformat() for name, day in last.items()}
        return plain


def _share(share: Share) -> dict[str, float | None]:
    return {"right": share.right, "of": share.of, "share": share.share}


def statistics(
    items: Sequence[Held],
    tally: Tally,
    checked: Iterable[Event],
    now: datetime,
    config: Config,
    days: int = 365,
) -> Statistics:
    """`checked` are events, of which only verdicts count; `days` is the span, back and ahead."""
    first, today = span(now, config, days)
    known = present(items, model_of(config), days)
    return put_together(first, today, past(tally, first, today), known, checked)


def span(now: datetime, config: Config, days: int) -> tuple[date, date]:
    """The first and the last study day of the last `days` days."""
    today = study_day(now, config.rollover)
    return today - timedelta(days=days - 1), today


def put_together(
    first: date, today: date, past: Past, present: Present, checked: Iterable[Event]
) -> Statistics:
    return Statistics(
        today,
        first,
        past.days,
        past.hours,
        past.ratings,
        past.retention,
        past.streak,
        present.standing,
        present.memories,
        present.forecast,
        past.calibration,
        checks(event for event in checked if first <= event.day <= today),
        present.overdue,
    )
