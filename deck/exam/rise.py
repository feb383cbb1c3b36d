"""How the points that are expected on the day of the exam rise while a plan is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from math import sqrt
from statistics import NormalDist

from deck.config import Config, Model, model_of
from deck.exam.belief import Belief, Stake, belief, recall, reviewed
from deck.exam.plan import Plan

#: Standard deviations on either side that four exams in five lie between.
_BAND = NormalDist().inv_cdf(0.9)


@dataclass(frozen=True, slots=True)
class Stand:
    """What the exam would bring if the plan were kept up to the eve of `day`, and then dropped."""

    day: date
    expected: float
    low: float
    """In about one exam of ten there are fewer points than this, and in one more than `high`."""
    high: float


def rise(stakes: Sequence[Stake], plan: Plan, today: date, config: Config) -> tuple[Stand, ...]:
    """A stand for each day of the plan and one for the day of the exam.

    The band is that of a normal distribution, within 0 and the points at stake; the outlook of
    the plan itself (`Plan.outlook`) counts the outcomes where it can.
    """
    model, total = model_of(config), sum(stake.points for stake in stakes)
    known = {stake.item_id: belief(stake.state, today) for stake in stakes}
    points = {stake.item_id: stake.points for stake in stakes}
    sums = _Sums(model, plan.exam)
    for item, its in known.items():
        sums.add(points[item], its)
    stands = []
    for day in plan.days:
        stands.append(sums.stand(day.day, total))
        for item in day.items:
            sums.add(-points[item], known[item])
            known[item] = reviewed(model, known[item], day.day)
            sums.add(points[item], known[item])
    stands.append(sums.stand(max(plan.exam, today), total))
    return tuple(stands)


class _Sums:
    """Expected points and their variance, kept while one item after the other is reviewed."""

    def __init__(self, model: Model, exam: date) -> None:
        self._model, self._exam = model, exam
        self._expected = self._variance = 0.0

    def add(self, points: float, its: Belief) -> None:
        """Counts an item; with points below 0, takes it out."""
        chance = recall(self._model, its, self._exam)
        self._expected += points * chance
        self._variance += points * abs(points) * chance * (1 - chance)

    def stand(self, day: date, total: float) -> Stand:
        off = _BAND * sqrt(max(self._variance, 0.0))
        expected = min(max(self._expected, 0.0), total)
        return Stand(day, expected, max(expected - off, 0.0), min(expected + off, total))
