"""Where the items stand now, and what falls due."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from deck.config import Config
from deck.days import study_day
from deck.models import model_of
from deck.state import ItemState, Learning, New, Review
from deck.stats.tally import MATURE

#: Days at which the classes of stabilities and intervals begin.
DAYS = (0, 1, 3, 7, 14, 21, 30, 60, 90, 180, 365, 730)
DIFFICULTIES = tuple(range(1, 11))
CHANCES = tuple(step / 20 for step in range(20))


@dataclass(frozen=True, slots=True)
class Histogram:
    """`counts[i]` values from `edges[i]` to below the next edge; the last class is open."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    median: float | None
    """None of nothing."""
    mean: float | None


@dataclass(frozen=True, slots=True)
class Standing:
    """How many items stand where; a suspended one is counted there alone."""

    new: int
    learning: int
    relearning: int
    young: int
    mature: int
    suspended: int


@dataclass(frozen=True, slots=True)
class Memories:
    """Of the items that were learnt and are not suspended."""

    stability: Histogram
    difficulty: Histogram
    retrievability: Histogram
    intervals: Histogram
    """Of those in review."""
    remembered: float
    """How many of them are expected to be recalled now: the sum of retrievabilities."""


def histogram(values: Sequence[float], edges: tuple[float, ...]) -> Histogram:
    counts = [0] * len(edges)
    for value in values:
        counts[max(bisect_right(edges, value) - 1, 0)] += 1
    ordered, half = sorted(values), len(values) // 2
    if not ordered:
        return Histogram(edges, tuple(counts), None, None)
    middle = ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
    return Histogram(edges, tuple(counts), middle, sum(values) / len(values))


def standing(items: Iterable[tuple[ItemState, bool]]) -> Standing:
    """`items` with whether each is suspended."""
    counts: Counter[str] = Counter()
    for state, suspended in items:
        counts["suspended" if suspended else _place(state)] += 1
    names = ("new", "learning", "relearning", "young", "mature", "suspended")
    return Standing(*(counts[name] for name in names))


def _place(state: ItemState) -> str:
    match state:
        case New():
            return "new"
        case Learning(relearning=relearning):
            return "relearning" if relearning else "learning"
    return "mature" if state.memory.stability >= MATURE else "young"


def memories(states: Iterable[ItemState], today: date, config: Config) -> Memories:
    model = model_of(config)
    stability: list[float] = []
    difficulty: list[float] = []
    chances: list[float] = []
    intervals: list[float] = []
    for state in states:
        if isinstance(state, New):
            continue
        stability.append(state.memory.stability)
        difficulty.append(state.memory.difficulty)
        chances.append(model.recall(state.memory, (today - state.day).days))
        if isinstance(state, Review):
            intervals.append(state.interval)
    return Memories(
        histogram(stability, DAYS),
        histogram(difficulty, DIFFICULTIES),
        histogram(chances, CHANCES),
        histogram(intervals, DAYS),
        sum(chances),
    )


def forecast(states: Iterable[ItemState], now: datetime, config: Config, days: int) -> list[int]:
    """What falls due today (with all that is overdue), tomorrow, and so on for `days` days.

    Each item is counted once, where it stands: what its next answers will lead to is not known.
    """
    today = study_day(now, config.rollover)
    counts = [0] * days
    for state in states:
        match state:
            case Review(due_day=day):
                ahead = (day - today).days
            case Learning(due=due):
                ahead = (study_day(due.astimezone(now.tzinfo), config.rollover) - today).days
            case _:
                continue
        if ahead < days:
            counts[max(ahead, 0)] += 1
    return counts
