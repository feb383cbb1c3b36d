"""Where the items stand now, and what falls due."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Literal, NamedTuple

from deck.config import Config, Model
from deck.fsrs import Memory
from deck.replay import ItemState, Learning, New
from deck.stats.tally import MATURE
from deck.study_day import study_day

#: Days at which the classes of stabilities and intervals begin.
DAYS = (0, 1, 3, 7, 14, 21, 30, 60, 90, 180, 365, 730)
DIFFICULTIES = tuple(range(1, 11))
CHANCES = tuple(step / 20 for step in range(20))


Phase = Literal["new", "learning", "relearning", "review"]


class Held(NamedTuple):
    """An item, as far as figures need it; a tuple, because there are a hundred thousand."""

    phase: Phase
    suspended: bool
    stability: float = 0.0
    difficulty: float = 0.0
    elapsed: int = 0
    """Study days since the last answer."""
    interval: int = 0
    ahead: int = 0
    """Study days until it is due, below 0 when it is overdue."""


def held(state: ItemState, suspended: bool, now: datetime, config: Config) -> Held:
    if isinstance(state, New):
        return Held("new", suspended)
    today = study_day(now, config.rollover)
    memory, elapsed = state.memory, (today - state.day).days
    if isinstance(state, Learning):
        due = study_day(state.due.astimezone(now.tzinfo), config.rollover)
        phase: Phase = "relearning" if state.relearning else "learning"
        ahead = (due - today).days
        return Held(phase, suspended, memory[0], memory[1], elapsed, 0, ahead)
    ahead = (state.due_day - today).days
    interval = state.interval
    return Held("review", suspended, memory[0], memory[1], elapsed, interval, ahead)


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


@dataclass(frozen=True, slots=True)
class Present:
    """All figures about where the items stand."""

    standing: Standing
    memories: Memories
    forecast: tuple[int, ...]
    overdue: int


def present(items: Sequence[Held], model: Model, days: int) -> Present:
    """Of these items; `days` is how far the forecast looks."""
    counts = tuple(forecast(items, days))
    return Present(standing(items), memories(items, model), counts, overdue(items))


def histogram(values: Sequence[float], edges: tuple[float, ...]) -> Histogram:
    ordered, half = sorted(values), len(values) // 2
    if not ordered:
        return Histogram(edges, (0,) * len(edges), None, None)
    # The first class takes what is below it, too.
    begins = [0, *(bisect_left(ordered, edge) for edge in edges[1:]), len(ordered)]
    counts = tuple(end - begin for begin, end in pairwise(begins))
    middle = ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
    return Histogram(edges, counts, middle, sum(ordered) / len(ordered))


def standing(items: Iterable[Held]) -> Standing:
    counts = dict.fromkeys(("new", "learning", "relearning", "young", "mature", "suspended"), 0)
    for item in items:
        if item.suspended:
            counts["suspended"] += 1
        elif item.phase == "review":
            counts["mature" if item.stability >= MATURE else "young"] += 1
        else:
            counts[item.phase] += 1
    return Standing(**counts)


def memories(items: Iterable[Held], model: Model) -> Memories:
    """Of those that were learnt and are not suspended."""
    learnt = [item for item in items if item.phase != "new" and not item.suspended]
    recall = model.recall
    chances = [recall(Memory(item[2], item[3]), item[4]) for item in learnt]
    return Memories(
        histogram([item[2] for item in learnt], DAYS),
        histogram([item[3] for item in learnt], DIFFICULTIES),
        histogram(chances, CHANCES),
        histogram([item[5] for item in learnt if item[0] == "review"], DAYS),
        sum(chances),
    )


def overdue(items: Iterable[Held]) -> int:
    """How many of those that are due today were due on a day before."""
    return sum(i.ahead < 0 and i.phase != "new" and not i.suspended for i in items)


def forecast(items: Iterable[Held], days: int) -> list[int]:
    """What falls due today (with all that is overdue), tomorrow, and so on for `days` days.

    Each item is counted once, where it stands: what its next answers will lead to is not known.
    """
    counts = [0] * days
    for item in items:
        if item.phase != "new" and not item.suspended and item.ahead < days:
            counts[max(item.ahead, 0)] += 1
    return counts
