"""Expected points on a day, and how far off they may be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from math import sqrt
from statistics import NormalDist

from deck.config import Config
from deck.exam.belief import Stake
from deck.scheduler import recall

#: Four times of five, the points lie between the two.
_LOW, _HIGH = 0.1, 0.9
#: Points are told apart to this, and sums are counted exactly while there are not more of them.
_GRAIN, _SUMS = 1e-6, 3000


@dataclass(frozen=True, slots=True)
class Outlook:
    day: date
    expected: float
    deviation: float
    """Standard deviation of the points: each item is recalled whole, or not."""
    low: float
    """In one exam of ten there are fewer points than this."""
    high: float
    """In one exam of ten there are more."""
    points: float
    """All points at stake."""
    items: int
    sums: tuple[tuple[float, float], ...] | None
    """(points, chance) of every outcome, ascending; None where there are too many to count."""

    def chance_of(self, target: float) -> float:
        """The chance of at least `target` points."""
        if self.sums is not None:
            return sum(chance for points, chance in self.sums if points >= target - _GRAIN)
        if self.deviation == 0:
            return float(self.expected >= target)
        return 1 - NormalDist(self.expected, self.deviation).cdf(target)


def outlook(stakes: Iterable[Stake], day: date, config: Config) -> Outlook:
    """What is expected on `day` if nothing is studied until then."""
    pairs = [(stake.points, recall(stake.state, day, config)) for stake in stakes]
    return outlook_of(pairs, day)


def outlook_of(pairs: Sequence[tuple[float, float]], day: date) -> Outlook:
    """Of items as (points, chance of recall), recalled independently."""
    expected = sum(points * chance for points, chance in pairs)
    deviation = sqrt(sum(points**2 * chance * (1 - chance) for points, chance in pairs))
    total = sum(points for points, _ in pairs)
    sums = _sums(pairs)
    if sums is not None:
        low, high = _quantile(sums, _LOW), _quantile(sums, _HIGH)
    elif deviation:
        normal = NormalDist(expected, deviation)
        low, high = max(normal.inv_cdf(_LOW), 0.0), min(normal.inv_cdf(_HIGH), total)
    else:
        low = high = expected
    return Outlook(day, expected, deviation, low, high, total, len(pairs), sums)


def _sums(pairs: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...] | None:
    """The distribution of the sum, by convolution."""
    found = {0: 1.0}
    for points, chance in pairs:
        step = round(points / _GRAIN)
        after: dict[int, float] = {}
        for at, weight in found.items():
            after[at] = after.get(at, 0.0) + weight * (1 - chance)
            after[at + step] = after.get(at + step, 0.0) + weight * chance
        if len(after) > _SUMS:
            return None
        found = after
    return tuple((at * _GRAIN, found[at]) for at in sorted(found) if found[at] > 0.0)


def _quantile(sums: Sequence[tuple[float, float]], share: float) -> float:
    """The least outcome that at least `share` of all outcomes do not exceed."""
    reached = 0.0
    for points, chance in sums:
        reached += chance
        if reached >= share - 1e-12:
            return points
    return sums[-1][0]
