"""What to study on which day, so that each minute brings the most points on the day of the exam."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from deck.config import Config, Model, model_of
from deck.exam.belief import Belief, Stake, belief, recall, reviewed
from deck.exam.outlook import Outlook, outlook_of
from deck.queue import PACE

#: Items times days that are looked at anew; of more, each item only every few days.
_EFFORT = 40_000
#: Days before the exam with which a plan begins at the earliest: what is learnt before is mostly
#: forgotten, and ordinary reviews keep it.
HORIZON = 400
#: Points a minute that are not worth the minute.
_WORTHLESS = 1e-4


class Gain(NamedTuple):
    """What studying an item on a day brings on the day of the exam."""

    item_id: str
    points: float
    """More points expected than without."""
    minutes: float

    @property
    def rate(self) -> float:
        """Points a minute."""
        return self.points / self.minutes


@dataclass(frozen=True, slots=True)
class PlanDay:
    day: date
    items: tuple[str, ...]
    """In the order of their gain per minute."""
    new: int
    """How many of them are new."""
    minutes: float


@dataclass(frozen=True, slots=True)
class Plan:
    exam: date
    days: tuple[PlanDay, ...]
    """Every day from today, or `HORIZON` days before the exam, to its eve, empty ones included."""
    outlook: Outlook
    """On the day of the exam, if the plan is kept."""

    @property
    def minutes(self) -> float:
        return sum(day.minutes for day in self.days)


def best_next(
    stakes: Sequence[Stake],
    exam: date,
    today: date,
    config: Config,
    pace: Mapping[str, float] = PACE,
) -> list[Gain]:
    """What to study today, most points per minute first; what brings nothing is left out.

    `pace` is in seconds by the kind of answer.
    """
    model = model_of(config)
    gains = [_gain(model, stake, belief(stake.state, today), today, exam, pace) for stake in stakes]
    worth = [gain for gain in gains if gain.rate > _WORTHLESS]
    return sorted(worth, key=lambda gain: -gain.rate)


def make_plan(
    stakes: Sequence[Stake],
    exam: date,
    today: date,
    config: Config,
    pace: Mapping[str, float] = PACE,
    unlimited: bool = False,
) -> Plan:
    """Each day takes what brings most per minute, until its minutes or limits are used up.

    `config` is the course's: `minutes_per_day`, `new_per_day` and `reviews_per_day` hold unless
    `unlimited` (then only the minutes do).
    """
    model = model_of(config)
    known = [belief(stake.state, today) for stake in stakes]
    count = min(max((exam - today).days, 0), HORIZON)
    first = exam - timedelta(days=count) if count else today
    every = max(-(-len(stakes) * count // _EFFORT), 1)
    gains: list[Gain | None] = [None] * len(stakes)
    days = []
    for number in range(count):
        day = first + timedelta(days=number)
        for at, stake in enumerate(stakes):
            if gains[at] is None or (at + number) % every == 0:
                gains[at] = _gain(model, stake, known[at], day, exam, pace)
        current = [gain for gain in gains if gain is not None]
        chosen = _chosen(current, known, config, unlimited)
        ids = tuple(stakes[at].item_id for at in chosen)
        new = sum(not known[at].branches for at in chosen)
        days.append(PlanDay(day, ids, new, sum(current[at].minutes for at in chosen)))
        for at in chosen:
            known[at], gains[at] = reviewed(model, known[at], day), None
    pairs = [(s.points, recall(model, b, exam)) for s, b in zip(stakes, known, strict=True)]
    return Plan(exam, tuple(days), outlook_of(pairs, exam))


def _gain(
    model: Model, stake: Stake, known: Belief, day: date, exam: date, pace: Mapping[str, float]
) -> Gain:
    """Nothing for an item that was studied on this day already."""
    if not known.branches:
        seconds = pace["new"] + pace["learning"]
    elif known.day >= day:
        return Gain(stake.item_id, 0.0, 1.0)
    else:
        seconds = pace["review"] + (1 - recall(model, known, day)) * pace["learning"]
    after = recall(model, reviewed(model, known, day), exam)
    more = after - recall(model, known, exam)
    return Gain(stake.item_id, stake.points * more, max(seconds, 1.0) / 60)


def _chosen(
    gains: Sequence[Gain], known: Sequence[Belief], config: Config, unlimited: bool
) -> list[int]:
    minutes = config.minutes_per_day
    new_left, reviews_left = config.new_per_day, config.reviews_per_day
    chosen = []
    for at in sorted(range(len(gains)), key=lambda at: -gains[at].rate):
        gain = gains[at]
        if gain.rate <= _WORTHLESS:
            break
        is_new = not known[at].branches
        if gain.minutes > minutes or (not unlimited and not (new_left if is_new else reviews_left)):
            continue
        minutes -= gain.minutes
        new_left, reviews_left = new_left - is_new, reviews_left - (not is_new)
        chosen.append(at)
    return chosen
