"""Exams: what is expected on the day, what to study for it, whether a target can be reached.

What will be known of an item after planned reviews is a mixture, not one guess.  A planned review
is recalled with the model's chance and forgotten with the rest, so that each review splits every
branch in two.  On the day of the exam the item is still recalled or not, with the mean of the
branches' chances: the mixture loses nothing.  All items are reckoned at once, by NumPy.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cached_property
from heapq import nsmallest
from itertools import count
from math import exp, inf, log, sqrt
from operator import itemgetter
from statistics import NormalDist, median
from typing import TYPE_CHECKING, NamedTuple

from deck.config import Config, model_of
from deck.errors import refusal
from deck.fsrs import Memory, Rating
from deck.index.candidates import all_decks
from deck.index.codec import STATE, plain_text, read_state
from deck.index.schedule import seen
from deck.queue import ENOUGH, PACE
from deck.replay import ItemState, New
from deck.replay import recall as recall_now
from deck.stats import KINDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from deck.fsrs import Floats

    #: Items by their place in the exam.
    Places = NDArray[np.intp]
    Bools = NDArray[np.bool_]

#: Branches of an item, by its reviews since it was last forgotten; the two last are put together.
_BRANCHES = 4
#: Keeps the mean of branches that have no chance.
_TINY = 1e-300


@dataclass(frozen=True, slots=True)
class ExamItem:
    """An item of the course, and what it is worth."""

    item_id: str
    points: float
    """Its share of its card's points; a card that names none is worth one."""
    state: ItemState


class _Known:
    """What is known of each item: the chance, stability and difficulty of its branches, as arrays
    of branches by items.  Days are counted down to the exam's."""

    def __init__(self, exam: Exam) -> None:
        import numpy as np

        self._model, self._pace, size = model_of(exam.config), exam.pace, len(exam.stakes)
        self.points = np.array([stake.points for stake in exam.stakes], float)
        self.is_new = np.ones(size, bool)
        self._learnt = self._model.after(self._model.initial(Rating.GOOD), Rating.GOOD, 0)
        if type(self._learnt) is not Memory:
            raise refusal(
                None,
                f"exams cannot be planned with the model {exam.config.model}.",
                "They need one whose memories are a stability and a difficulty, such as FSRS-6.",
            )
        self._last = np.full(size, inf)
        self._branches = np.ones((3, _BRANCHES, size))
        self._branches[0] = 0.0
        for at, stake in enumerate(exam.stakes):
            if not isinstance(state := stake.state, New):
                self.is_new[at], self._last[at] = False, (exam.day - state.day).days
                self._branches[:, -1, at] = 1.0, *state.memory[:2]
        #: Of recall on the day of the exam, with the reviews so far.
        self.chance = self._recall(self._branches, np.maximum(self._last, 0.0))

    def outlook(self, day: date, counted: bool = False) -> Outlook:
        pairs = list(zip(self.points.tolist(), self.chance.tolist(), strict=True))
        return outlook_of(pairs, day, counted)

    def waited(self, day: int) -> Floats:
        """How much of the time from its last review to the exam an item has waited."""
        import numpy as np

        share: Floats = np.maximum(1 - day / np.maximum(self._last, 1.0), 0.0)
        return share

    def gains(self, items: Places, day: int) -> tuple[Floats, Floats]:
        """Points and minutes of a review; no points for what was studied on this day already."""
        import numpy as np

        pace, (chance,) = self._pace, self._model.recall_of(np.array([self._learnt[0]]), day)
        more = np.full(len(items), chance)
        seconds = np.full(len(items), pace["new"] + pace["learning"])
        (known,) = np.nonzero(~self.is_new[items])
        after = self._reviewed(items[known], day)
        more[known] = self._recall(after, day) - self.chance[items[known]]
        more[self._last[items] <= day] = 0.0
        seconds[known] = pace["review"] + after[0, 0] * pace["learning"]
        return self.points[items] * more, np.maximum(seconds, 1.0) / 60

    def review(self, items: Places, day: int) -> None:
        """Or the first lesson."""
        self._branches[:, :, items] = after = _fewer(self._reviewed(items, day))
        self._last[items], self.is_new[items] = day, False
        self.chance[items] = self._recall(after, day)

    def _recall(self, branches: Floats, elapsed: Floats | int) -> Floats:
        found: Floats = (branches[0] * self._model.recall_of(branches[1], elapsed)).sum(0)
        return found

    def _reviewed(self, items: Places, day: int) -> Floats:
        """One branch more than before: first what was forgotten, and learnt again on the day."""
        import numpy as np

        model, (chance, s, d) = self._model, self._branches[:, :, items]
        elapsed = np.where(self.is_new[items], 0.0, np.maximum(self._last[items] - day, 0.0))
        right = model.recall_of(s, elapsed)
        after = np.empty((3, _BRANCHES + 1, len(items)))
        after[0, 1:] = chance * right
        after[1:, 1:] = model.after_of(s, d, Rating.GOOD, elapsed)
        again = model.after_of(*model.after_of(s, d, Rating.AGAIN, elapsed), Rating.GOOD, 0.0)
        after[:, 0] = _joined(np.stack((chance - after[0, 1:], *again)))
        after[:, -1, self.is_new[items]] = np.array([(1.0, *self._learnt[:2])]).T
        return after


def _fewer(branches: Floats) -> Floats:
    """By one: of all neighbours those are put together that are the least loss."""
    import numpy as np

    chance, apart = branches[0] + _TINY, np.diff(np.log(branches[1]), axis=0)
    loss = chance[:-1] * chance[1:] / (chance[:-1] + chance[1:]) * apart**2
    first, items = loss.argmin(0), np.arange(branches.shape[2])
    kept = np.arange(len(loss))[:, None]
    fewer: Floats = branches[:, kept + (kept > first), items]
    fewer[:, first, items] = _joined(
        np.stack((branches[:, first, items], branches[:, first + 1, items]), 1)
    )
    return fewer


def _joined(branches: Floats) -> Floats:
    """As one, at their mean in the logarithm of stability, in which recall is nearly straight."""
    import numpy as np

    weight = branches[0] + _TINY
    chance = weight.sum(0)
    share = weight / chance
    stability = np.exp((share * np.log(branches[1])).sum(0))
    return np.stack((chance, stability, (share * branches[2]).sum(0)))


# Expected points on a day, and how far off they may be.

#: Four times of five, the points lie between the two.
_LOW, _HIGH = 0.1, 0.9
#: Points are told apart to this, so that a third, or a tenth of 2.5, is a whole number of grains;
#: sums are counted exactly while there are not more of them.
_GRAIN, _SUMS = 1 / 2_520_000, 10_000


@dataclass(frozen=True, slots=True)
class Outlook:
    """What the exam would bring, as it looks on a day."""

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


def outlook_of(pairs: Sequence[tuple[float, float]], day: date, counted: bool = True) -> Outlook:
    """Of items as (points, chance of recall), recalled independently.

    Low and high are `counted` where that can be done in time, else those of a normal distribution.
    """
    total = sum(points for points, _ in pairs)
    expected = min(sum(points * chance for points, chance in pairs), total)
    deviation = sqrt(sum(points**2 * chance * (1 - chance) for points, chance in pairs))
    sums = _sums(pairs) if counted else None
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
    import numpy as np

    if sum(points for points, _ in pairs) > _SUMS:
        return None
    steps = np.rint(np.array([points for points, _ in pairs]) / _GRAIN).astype(np.int64)
    grain = max(int(np.gcd.reduce(steps, initial=0)), 1)
    steps //= grain
    if (most := int(steps.sum())) > _SUMS:
        return None
    found, end = np.zeros(most + 1), 1
    found[0] = 1.0
    for step, (_, chance) in zip(steps.tolist(), pairs, strict=True):
        recalled = found[:end] * chance
        found[:end] -= recalled
        end += step
        found[step:end] += recalled
    (kept,) = np.nonzero(found)
    return tuple(zip((kept * (grain * _GRAIN)).tolist(), found[kept].tolist(), strict=True))


def _quantile(sums: Sequence[tuple[float, float]], share: float) -> float:
    """The least outcome that at least `share` of all outcomes do not exceed."""
    reached = 0.0
    for points, chance in sums:
        reached += chance
        if reached >= share - 1e-12:
            return points
    return sums[-1][0]


# What to study on which day, so that each minute brings the most points on the day of the exam.

#: Items times days that are looked at anew; of more, what is far from being chosen only every few
#: days.
_EFFORT = 20_000
#: Days before the exam with which a plan begins at the earliest: what is learnt before is mostly
#: forgotten, and ordinary reviews keep it.
HORIZON = 400
#: Points a minute that are not worth the minute.
_WORTHLESS = 1e-4
#: Nobody studies longer on a day, in minutes.
_LONGEST = 16 * 60.0
#: The minutes that are needed are found to this share.
_NEAR = 0.05
#: How much more a review counts that comes long after the one before: the best of some plans is
#: taken, of fewer where there are more than so many items times days.
_PATIENCE, _TRIED = (0.0, 0.3), 200_000


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
class ExamPlan:
    exam: date
    days: tuple[PlanDay, ...]
    """Every day from today, or `HORIZON` days before the exam, to its eve, empty ones included."""
    outlook: Outlook
    """On the day of the exam, if the plan is kept."""

    @property
    def minutes(self) -> float:
        return sum(day.minutes for day in self.days)


@dataclass(frozen=True, slots=True)
class Feasibility:
    """Whether a target can be reached."""

    target: float
    reached: bool
    """Whether the plan's expected points are the target or more."""
    chance: float
    """Of at least the target, if the plan is kept."""
    minutes_needed: float | None
    """A day, so that the target is expected; None where no time would do."""
    sentence: str


@dataclass(frozen=True)
class Exam:
    """The exam of one course, as it looks on the study day `today`."""

    course: str
    day: date
    today: date
    stakes: Sequence[ExamItem]
    config: Config
    """The course's: its `minutes_per_day`, `new_per_day` and `reviews_per_day` bound a plan."""
    pace: Mapping[str, float] = field(default_factory=lambda: PACE)
    """Seconds an answer takes, by its kind."""
    target: float | None = None

    @property
    def days_left(self) -> int:
        """0 on the day of the exam, below 0 after it."""
        return (self.day - self.today).days

    def if_stopped(self) -> Outlook:
        """What is expected if nothing more is studied."""
        pairs = [(s.points, recall_now(s.state, self.day, self.config)) for s in self.stakes]
        return outlook_of(pairs, self.day)

    def next(self) -> list[Gain]:
        """What to study now, most points per minute first; what brings nothing is left out."""
        import numpy as np

        points, costs = _Known(self).gains(np.arange(len(self.stakes)), self.days_left)
        each = zip(self.stakes, points.tolist(), costs.tolist(), strict=True)
        gains = [Gain(stake.item_id, more, minutes) for stake, more, minutes in each]
        worth = [gain for gain in gains if gain.rate > _WORTHLESS]
        return sorted(worth, key=lambda gain: -gain.rate)

    @cached_property
    def plan(self) -> ExamPlan:
        """Each day takes what brings most per minute, until its minutes or limits are used up."""
        return self._planned[0]

    @cached_property
    def _planned(self) -> tuple[ExamPlan, float]:
        """The plan, and the patience that it is best with."""
        tries = _TRIED // max(len(self.stakes) * self.days_left, 1)
        minutes = self.config.minutes_per_day
        found = [(*self._plan(minutes, True, p), p) for p in _PATIENCE[: max(tries, 1)]]
        plan, known, patience = max(found, key=lambda each: each[0].outlook.expected)
        return replace(plan, outlook=known.outlook(self.day, counted=True)), patience

    @cached_property
    def reach(self) -> Feasibility | None:
        """Whether the target can be reached, said plainly, and the least time that does; None where
        the settings name none."""
        if (target := self.target) is None:
            return None
        config, hoped = self.config, self.plan.outlook
        chance, about = hoped.chance_of(target), f"{hoped.expected:.1f} ± {hoped.deviation:.1f}"
        if hoped.expected >= target:
            said = (
                f"{target:g} points are within reach: {about} of {hoped.points:g} are "
                f"expected, and {chance:.0%} is the chance of {target:g} or more."
            )
            return Feasibility(target, True, chance, config.minutes_per_day, said)
        said = (
            f"{target:g} points cannot be reached by {self.day} with {config.minutes_per_day:g} "
            f"minutes and {config.new_per_day} new items a day: {about} are expected. "
        )
        if hoped.points < target or not self.plan.days:
            return Feasibility(target, False, chance, None, said + _hopeless(self.plan, target))
        needed, found = self._least(target)
        if needed == inf:
            return Feasibility(target, False, chance, None, said + _hopeless(found, target))
        new = max((day.new for day in found.days), default=0)
        said += f"It would take about {needed:.0f} minutes a day"
        said += f" and up to {new} new items on a day." if new > config.new_per_day else "."
        return Feasibility(target, False, chance, needed, said)

    def rise(self) -> tuple[Outlook, ...]:
        """For each day of the plan, what the exam would bring if the plan were kept up to its eve,
        and then dropped; last, on the day of the exam, if it were kept."""
        import numpy as np

        known, outlooks = _Known(self), []
        places = {stake.item_id: at for at, stake in enumerate(self.stakes)}
        for day in self.plan.days:
            outlooks.append(known.outlook(day.day))
            items = np.array([places[item] for item in day.items], int)
            known.review(items, (self.day - day.day).days)
        return (*outlooks, known.outlook(max(self.day, self.today)))

    def _plan(self, minutes: float, limited: bool, patience: float) -> tuple[ExamPlan, _Known]:
        """A plan of so many minutes a day; `limited` to the settings' new items and reviews."""
        import numpy as np

        known, size = _Known(self), len(self.stakes)
        left = min(max(self.days_left, 0), HORIZON)
        every = max(-(-size * left // _EFFORT), 1)
        turn = np.arange(size) % every
        points, costs, rates = np.zeros(size), np.ones(size), np.full(size, inf)
        near, days = 0.0, []
        for to in range(left, 0, -1):
            items = np.flatnonzero((turn == to % every) | (rates >= near))
            points[items], costs[items] = known.gains(items, to)
            rates = points / costs
            if patience:
                rates *= known.waited(to) ** patience
            chosen = self._chosen(rates, costs, known.is_new, minutes, limited)
            ids = tuple(self.stakes[at].item_id for at in chosen.tolist())
            new = int(known.is_new[chosen].sum())
            days.append(PlanDay(self.day - timedelta(to), ids, new, float(costs[chosen].sum())))
            known.review(chosen, to)
            near = 0.75 * float(rates[chosen[len(chosen) // 2]]) if len(chosen) else 0.0
            rates[chosen] = inf
        return ExamPlan(self.day, tuple(days), known.outlook(self.day)), known

    def _chosen(
        self, rates: Floats, costs: Floats, is_new: Bools, minutes: float, limited: bool
    ) -> Places:
        """What one day takes, by its place, best first."""
        import numpy as np

        order = np.flatnonzero(rates > _WORTHLESS)
        order = order[np.argsort(-rates[order], kind="stable")]
        config, most = self.config, len(rates)
        left = (config.reviews_per_day, config.new_per_day) if limited else (most, most)
        return _filled(order, costs, is_new, minutes, left)

    def _least(self, target: float) -> tuple[float, ExamPlan]:
        """The fewest minutes a day whose plan reaches the target; infinite, with the plan that
        takes all time, where none does.

        What is missing falls about as a power of the minutes: from the last two plans follows the
        next, which is made just beside the bound to be expected, to close in from both sides.
        """
        hoped, patience = self.plan.outlook, self._planned[1]
        goal = log(max(hoped.points - target, _GRAIN))
        before = log(max(self.config.minutes_per_day, 1.0)), _missing(hoped)
        at = exp(before[0] + min(max(before[1] - goal, 0.05), 1.5))
        low, high, found = 0.0, inf, self.plan
        for number in count():
            at = min(at, _LONGEST)
            plan, _ = self._plan(at, False, patience)
            if reached := plan.outlook.expected >= target:
                high, found = min(at, max(day.minutes for day in plan.days) + _GRAIN), plan
            elif at == _LONGEST:
                return inf, plan
            else:
                low = at
            near = max(_NEAR * high, 1.0)
            if high < inf and high - low <= near:
                break
            here = log(at), _missing(plan.outlook)
            slope = (here[1] - before[1]) / (here[0] - before[0]) if here[0] != before[0] else -1.0
            guess = exp(here[0] + (goal - here[1]) / min(slope, -0.2))
            before = here
            if high == inf:
                at = min(max(guess * 1.01, at * 1.05), at * 4)
            elif number > 6:
                at = (low + high) / 2
            else:
                at = min(guess, high - 0.9 * near) if reached else max(guess, low + 0.9 * near)
                at = min(max(at, low + (high - low) / 10), high - (high - low) / 10)
        return high, found


def _filled(
    order: Places, costs: Floats, is_new: Bools, minutes: float, left: tuple[int, int]
) -> Places:
    """Of some items in order what fits, with so many reviews and new items left."""
    import numpy as np

    chosen = [order[:0]]
    while order.size:
        new = is_new[order]
        order = order[np.where(new, left[1] > 0, left[0] > 0) & (costs[order] <= minutes)]
        new = is_new[order]
        within = np.where(new, new.cumsum() <= left[1], (~new).cumsum() <= left[0])
        spent = np.where(within, costs[order], 0.0).cumsum()
        fits = int(np.searchsorted(spent, minutes, "right"))
        taken = order[:fits][within[:fits]]
        chosen.append(taken)
        minutes -= float(costs[taken].sum())
        news = int(is_new[taken].sum())
        left = left[0] - (len(taken) - news), left[1] - news
        order = order[fits + 1 :]
    return np.concatenate(chosen)


def _missing(outlook: Outlook) -> float:
    """The logarithm of the points that are not expected."""
    return log(max(outlook.points - outlook.expected, _GRAIN))


def _hopeless(best: ExamPlan, target: float) -> str:
    points, most = best.outlook.points, best.outlook.expected
    if not best.days:
        return "There is no day left to study. Move the exam, or lower the target."
    if points < target:
        return f"The cards hold only {points:g}: write cards for {target - points:g} more."
    return (
        f"With all the time of every day, {most:.1f} of {points:g} would be: lower the target to "
        f"{most:.0f}, or write cards for more points."
    )


# What an exam of a course is about, out of the index: no card is parsed for it.

_STAKES = f"""
SELECT t.id, c.points, (SELECT count(*) FROM item o WHERE o.card = i.card), {STATE} FROM item i
JOIN thing t ON t.item = i.item JOIN card c ON c.card = i.card LEFT JOIN state s ON s.item = i.item
WHERE NOT i.aside AND i.deck IN (SELECT value FROM json_each(?)) ORDER BY i.key, i.place
"""
_ITEMS = "IN (SELECT item FROM item WHERE deck IN (SELECT value FROM json_each(?)))"
#: So many answers of a course say how fast it goes.
_ANSWERS = 2000
#: By `KINDS`: what a session calls them.
_ENTRY = {"new": "new", "learning": "learning", "relearning": "learning"}


def stakes(db: sqlite3.Connection, course: str) -> Iterator[ExamItem]:
    """The items of a course that are not put aside, in the order of their files."""
    for item, points, several, *state in db.execute(_STAKES, (_decks(db, course),)):
        worth = 1.0 if points is None else points
        yield ExamItem(plain_text(item), worth / max(several, 1), read_state(state))


def pace(db: sqlite3.Connection, course: str) -> dict[str, float]:
    """Median seconds of the course's last answers, by kind; `PACE` of a kind with few."""
    took: dict[str, list[float]] = {kind: [] for kind in PACE}
    every = seen(db, _ITEMS, _decks(db, course))
    answers = ((-day, kind, spent) for day, _, kind, _, spent, _ in every if spent)
    for _, kind, milliseconds in nsmallest(_ANSWERS, answers, key=itemgetter(0)):
        took[_ENTRY.get(KINDS[kind], "review")].append(milliseconds / 1000)
    return {kind: median(t) if len(t) >= ENOUGH else PACE[kind] for kind, t in took.items()}


def _decks(db: sqlite3.Connection, course: str) -> str:
    """The course's decks, as the JSON that the questions above take."""
    return json.dumps([deck.number for deck in all_decks(db) if deck.course == course])
