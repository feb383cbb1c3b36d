"""Whether a target can be reached, said plainly, and what it would take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from deck.config import Config
from deck.exam.belief import Stake
from deck.exam.plan import Plan, make_plan
from deck.queue import PACE

#: Nobody studies longer on a day, in minutes.
_LONGEST = 16 * 60.0
#: The minutes that are needed are found to this share.
_NEAR = 0.05


@dataclass(frozen=True, slots=True)
class Reach:
    target: float
    plan: Plan
    """With the minutes and limits of the settings."""
    chance: float
    """Of at least the target, if the plan is kept."""
    minutes_needed: float | None
    """A day, so that the target is expected; None where no time would do."""
    new_needed: int | None
    """New items on the fullest day of the plan that reaches it."""
    most: float
    """Points that are expected at best, with all the time that a day has."""
    sentence: str

    @property
    def reached(self) -> bool:
        """Whether the plan's expected points are the target or more."""
        return self.plan.outlook.expected >= self.target


def reach(
    stakes: Sequence[Stake],
    exam: date,
    today: date,
    config: Config,
    target: float,
    pace: Mapping[str, float] = PACE,
) -> Reach:
    """The plan with the course's settings, and where it falls short, the least time that does."""
    plan = make_plan(stakes, exam, today, config, pace)
    expected, chance = plan.outlook.expected, plan.outlook.chance_of(target)
    if expected >= target:
        said = (
            f"{target:g} points are within reach: {_about(plan)} of {plan.outlook.points:g} are "
            f"expected, and {chance:.0%} is the chance of {target:g} or more."
        )
        most_new = max((day.new for day in plan.days), default=0)
        return Reach(target, plan, chance, config.minutes_per_day, most_new, expected, said)

    def tried(minutes: float) -> Plan:
        more = replace(config, minutes_per_day=minutes)
        return make_plan(stakes, exam, today, more, pace, unlimited=True)

    best = tried(_LONGEST)
    most = max(best.outlook.expected, expected)
    said = f"{target:g} points cannot be reached by {exam} {_with(config)}: {_about(plan)} are "
    said += "expected. "
    if most < target:
        said += _hopeless(best, target)
        return Reach(target, plan, chance, None, None, most, said)
    needed, found = _least(tried, target, best)
    new = max((day.new for day in found.days), default=0)
    said += f"It would take about {needed:.0f} minutes a day"
    said += f" and up to {new} new items on a day." if new > config.new_per_day else "."
    return Reach(target, plan, chance, needed, new, most, said)


def _least(tried: Callable[[float], Plan], target: float, best: Plan) -> tuple[float, Plan]:
    """The fewest minutes a day whose plan reaches the target, by bisection."""
    low, high, found = 0.0, max((day.minutes for day in best.days), default=_LONGEST) + 1, best
    while high - low > max(_NEAR * high, 1.0):
        middle = (low + high) / 2
        plan = tried(middle)
        if plan.outlook.expected >= target:
            high, found = middle, plan
        else:
            low = middle
    return high, found


def _hopeless(best: Plan, target: float) -> str:
    points, most = best.outlook.points, best.outlook.expected
    if not best.days:
        return "There is no day left to study. Move the exam, or lower the target."
    if points < target:
        return f"The cards hold only {points:g}: write cards for {target - points:g} more."
    return (
        f"With all the time of every day, {most:.1f} of {points:g} would be: lower the target to "
        f"{most:.0f}, or write cards for more points."
    )


def _about(plan: Plan) -> str:
    return f"{plan.outlook.expected:.1f} ± {plan.outlook.deviation:.1f}"


def _with(config: Config) -> str:
    return f"with {config.minutes_per_day:g} minutes and {config.new_per_day} new items a day"
