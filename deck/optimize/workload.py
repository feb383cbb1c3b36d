"""What a desired retention costs: the simulator's year, for one's own pace and ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from deck import fsrs
from deck.config import Config
from deck.optimize.job import OptimizeError, Progress, ignore, run
from deck.queue import PACE

RETENTIONS = tuple(round(0.70 + 0.02 * step, 2) for step in range(15))
_SEEDS = (1, 2, 3)
#: From so many reviews on, one's own ratings are believed.
_ENOUGH = 100


@dataclass(frozen=True, slots=True)
class Point:
    retention: float
    reviews: float
    """A day."""
    minutes: float
    """A day."""
    remembered: float
    """Items remembered at the end."""

    @property
    def minutes_per_item(self) -> float:
        """A day, for each item that is remembered."""
        return self.minutes / self.remembered if self.remembered else float("inf")


@dataclass(frozen=True, slots=True)
class Workload:
    points: tuple[Point, ...]
    days: int
    items: int

    @property
    def cheapest(self) -> float:
        """The retention at which a remembered item costs the least time."""
        return min(self.points, key=lambda point: point.minutes_per_item).retention


def workload(
    items: int,
    config: Config,
    ratings: Mapping[str, Sequence[int]],
    pace: Mapping[str, float] = PACE,
    days: int = 365,
    progress: Progress = ignore,
) -> Workload:
    """`ratings`: how often Again to Easy was given, by kind (`deck.stats.activity.ratings`).

    Raises:
        OptimizeError: there is nothing to simulate, or nothing to do it with.
    """
    if items == 0:
        raise OptimizeError("There is no item to simulate. Write cards first.")
    if config.model != fsrs.MODEL:
        raise OptimizeError(f"Only {fsrs.MODEL} can be simulated.")
    task = {
        "kind": "workload",
        "parameters": list(config.parameters),
        "retentions": RETENTIONS,
        "seeds": _SEEDS,
        "simulator": _simulator(items, config, ratings, pace, days),
    }
    points = (Point(**point) for point in run(task, progress)["points"])
    return Workload(tuple(points), days, items)


def _simulator(
    items: int,
    config: Config,
    ratings: Mapping[str, Sequence[int]],
    pace: Mapping[str, float],
    days: int,
) -> dict[str, object]:
    found: dict[str, object] = {
        "deck_size": items,
        "learn_span": days,
        "learn_limit": config.new_per_day,
        "review_limit": config.reviews_per_day,
        "max_cost_perday": 86400.0,
        "max_ivl": float(config.maximum_interval),
        "learning_step_count": len(config.learning_steps),
        "relearning_step_count": len(config.relearning_steps),
        "state_rating_costs": [[pace[kind]] * 4 for kind in ("new", "learning", "review")],
    }
    first = ratings.get("new", ())
    if sum(first) >= _ENOUGH:
        found["first_rating_prob"] = [count / sum(first) for count in first]
    kinds = [ratings.get(kind, (0, 0, 0, 0)) for kind in ("young", "mature")]
    recalled = [sum(counts) for counts in zip(*kinds, strict=True)][1:]
    if sum(recalled) >= _ENOUGH:
        found["review_rating_prob"] = [count / sum(recalled) for count in recalled]
    return found
