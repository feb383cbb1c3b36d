"""Exams: what is expected on the day, what to study for it, whether a target can be reached.

What will be known of an item after planned reviews is a mixture, not one guess.  A planned review
is recalled with the model's chance and forgotten with the rest, so that each review splits every
branch in two.  On the day of the exam the item is still recalled or not, with the mean of the
branches' chances: the mixture loses nothing.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from heapq import nsmallest
from math import exp, log, sqrt
from operator import itemgetter
from statistics import NormalDist, median
from typing import NamedTuple

from deck.config import Config, Model, model_of
from deck.fsrs import Memory, Rating
from deck.index.codec import STATE, plain_text, read_state
from deck.index.schedule import seen
from deck.queue import ENOUGH, PACE
from deck.replay import ItemState, New
from deck.replay import recall as recall_now
from deck.stats import KINDS

#: More branches than these are put together, the least likely ones first.
_MOST = 8


@dataclass(frozen=True, slots=True)
class ExamItem:
    """An item of the course, and what it is worth."""

    item_id: str
    points: float
    """Its share of its card's points; a card that names none is worth one."""
    state: ItemState


class Branch(NamedTuple):
    chance: float
    memory: Memory


class Belief(NamedTuple):
    """All branches were last reviewed on the same day; none for an item that is still new."""

    branches: tuple[Branch, ...]
    day: date


def belief(state: ItemState, today: date) -> Belief:
    if isinstance(state, New):
        return Belief((), today)
    return Belief((Branch(1.0, state.memory),), state.day)


def recall(model: Model, known: Belief, day: date) -> float:
    """The chance of recall on a day; 0 for what was never learnt."""
    elapsed = (day - known.day).days
    return sum(b.chance * model.recall(b.memory, elapsed) for b in known.branches)


def reviewed(model: Model, known: Belief, day: date) -> Belief:
    """After a review on `day` (or the first lesson)."""
    if not known.branches:
        learnt = model.after(model.initial(Rating.GOOD), Rating.GOOD, 0)
        return Belief((Branch(1.0, learnt),), day)
    elapsed = (day - known.day).days
    branches = []
    for chance, memory in known.branches:
        right = model.recall(memory, elapsed)
        branches.append(Branch(chance * right, model.after(memory, Rating.GOOD, elapsed)))
        forgotten = model.after(memory, Rating.AGAIN, elapsed)
        learnt = model.after(forgotten, Rating.GOOD, 0)
        branches.append(Branch(chance * (1 - right), learnt))
    return Belief(_fewer([b for b in branches if b.chance > 0]), day)


def _fewer(branches: list[Branch]) -> tuple[Branch, ...]:
    """Neighbours in stability are put together where their chances are least: at their mean in the
    logarithm of stability, in which recall is nearly straight."""
    branches.sort(key=lambda branch: branch.memory.stability)
    while len(branches) > _MOST:
        pairs = range(len(branches) - 1)
        least = min(pairs, key=lambda at: branches[at].chance + branches[at + 1].chance)
        pair = branches[least : least + 2]
        chance = sum(branch.chance for branch in pair)
        stability = exp(sum(b.chance * log(b.memory.stability) for b in pair) / chance)
        difficulty = sum(b.chance * b.memory.difficulty for b in pair) / chance
        memory = pair[0].memory._replace(stability=stability, difficulty=difficulty)
        branches[least : least + 2] = [Branch(chance, memory)]
    return tuple(branches)


# Expected points on a day, and how far off they may be.

#: Four times of five, the points lie between the two.
_LOW, _HIGH = 0.1, 0.9
#: Points are told apart to this, and sums are counted exactly while there are not more of them.
_GRAIN, _SUMS = 1e-6, 3000


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


# What to study on which day, so that each minute brings the most points on the day of the exam.

#: Items times days that are looked at anew; of more, each item only every few days.
_EFFORT = 40_000
#: Days before the exam with which a plan begins at the earliest: what is learnt before is mostly
#: forgotten, and ordinary reviews keep it.
HORIZON = 400
#: Points a minute that are not worth the minute.
_WORTHLESS = 1e-4
#: Nobody studies longer on a day, in minutes.
_LONGEST = 16 * 60.0
#: The minutes that are needed are found to this share.
_NEAR = 0.05


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
        gains = [self._gain(s, belief(s.state, self.today), self.today) for s in self.stakes]
        worth = [gain for gain in gains if gain.rate > _WORTHLESS]
        return sorted(worth, key=lambda gain: -gain.rate)

    @cached_property
    def plan(self) -> ExamPlan:
        """Each day takes what brings most per minute, until its minutes or limits are used up."""
        return self._plan(self.config.minutes_per_day, limited=True)

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
        best = self._plan(_LONGEST, limited=False)
        if max(best.outlook.expected, hoped.expected) < target:
            return Feasibility(target, False, chance, None, said + _hopeless(best, target))
        needed, found = self._least(target, best)
        new = max((day.new for day in found.days), default=0)
        said += f"It would take about {needed:.0f} minutes a day"
        said += f" and up to {new} new items on a day." if new > config.new_per_day else "."
        return Feasibility(target, False, chance, needed, said)

    def rise(self) -> tuple[Outlook, ...]:
        """For each day of the plan, what the exam would bring if the plan were kept up to its eve,
        and then dropped; last, on the day of the exam, if it were kept."""
        model = model_of(self.config)
        known = {stake.item_id: belief(stake.state, self.today) for stake in self.stakes}
        chances = (recall(model, each, self.day) for each in known.values())
        pairs = {s.item_id: (s.points, c) for s, c in zip(self.stakes, chances, strict=True)}
        outlooks = []
        for day in self.plan.days:
            outlooks.append(outlook_of([*pairs.values()], day.day, counted=False))
            for item in day.items:
                known[item] = reviewed(model, known[item], day.day)
                pairs[item] = pairs[item][0], recall(model, known[item], self.day)
        last = outlook_of([*pairs.values()], max(self.day, self.today), counted=False)
        return (*outlooks, last)

    def _plan(self, minutes: float, limited: bool) -> ExamPlan:
        """A plan of so many minutes a day; `limited` to the settings' new items and reviews."""
        model, stakes = model_of(self.config), self.stakes
        known = [belief(stake.state, self.today) for stake in stakes]
        count = min(max(self.days_left, 0), HORIZON)
        every = max(-(-len(stakes) * count // _EFFORT), 1)
        gains = [Gain("", 0.0, 1.0)] * len(stakes)
        stale = set(range(len(stakes)))
        days = []
        for number in range(count):
            day = self.day - timedelta(days=count - number)
            for at, stake in enumerate(stakes):
                if at in stale or (at + number) % every == 0:
                    gains[at] = self._gain(stake, known[at], day)
            chosen = self._chosen(gains, known, minutes, limited)
            ids = tuple(stakes[at].item_id for at in chosen)
            new = sum(not known[at].branches for at in chosen)
            days.append(PlanDay(day, ids, new, sum(gains[at].minutes for at in chosen)))
            for at in chosen:
                known[at] = reviewed(model, known[at], day)
            stale = set(chosen)
        pairs = [(s.points, recall(model, b, self.day)) for s, b in zip(stakes, known, strict=True)]
        return ExamPlan(self.day, tuple(days), outlook_of(pairs, self.day))

    def _gain(self, stake: ExamItem, known: Belief, day: date) -> Gain:
        """Nothing for an item that was studied on this day already."""
        model, pace = model_of(self.config), self.pace
        if not known.branches:
            seconds = pace["new"] + pace["learning"]
        elif known.day >= day:
            return Gain(stake.item_id, 0.0, 1.0)
        else:
            seconds = pace["review"] + (1 - recall(model, known, day)) * pace["learning"]
        after = recall(model, reviewed(model, known, day), self.day)
        more = after - recall(model, known, self.day)
        return Gain(stake.item_id, stake.points * more, max(seconds, 1.0) / 60)

    def _chosen(
        self, gains: Sequence[Gain], known: Sequence[Belief], minutes: float, limited: bool
    ) -> list[int]:
        """What one day takes, by its place, best first."""
        left = {True: self.config.new_per_day, False: self.config.reviews_per_day}
        chosen = []
        for at in sorted(range(len(gains)), key=lambda at: -gains[at].rate):
            gain, is_new = gains[at], not known[at].branches
            if gain.rate <= _WORTHLESS:
                break
            if gain.minutes <= minutes and (left[is_new] or not limited):
                minutes -= gain.minutes
                left[is_new] -= 1
                chosen.append(at)
        return chosen

    def _least(self, target: float, best: ExamPlan) -> tuple[float, ExamPlan]:
        """The fewest minutes a day whose plan reaches the target, by bisection."""
        low, high, found = 0.0, max((day.minutes for day in best.days), default=_LONGEST) + 1, best
        while high - low > max(_NEAR * high, 1.0):
            middle = (low + high) / 2
            plan = self._plan(middle, limited=False)
            if plan.outlook.expected >= target:
                high, found = middle, plan
            else:
                low = middle
        return high, found


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
        stands: ItemState = New() if state[0] is None else read_state(tuple(state))
        worth = 1.0 if points is None else points
        yield ExamItem(plain_text(item), worth / max(several, 1), stands)


def pace(db: sqlite3.Connection, course: str) -> dict[str, float]:
    """Median seconds of the course's last answers, by kind; `PACE` of a kind with few."""
    took: dict[str, list[float]] = {kind: [] for kind in PACE}
    answers = [
        (-day, kind, spent)
        for day, _, kind, _, spent, _ in seen(db, _ITEMS, _decks(db, course))
        if spent
    ]
    for _, kind, milliseconds in nsmallest(_ANSWERS, answers, key=itemgetter(0)):
        took[_ENTRY.get(KINDS[kind], "review")].append(milliseconds / 1000)
    return {kind: median(t) if len(t) >= ENOUGH else PACE[kind] for kind, t in took.items()}


def _decks(db: sqlite3.Connection, course: str) -> str:
    """The course's decks, as the JSON that the questions above take."""
    rows = db.execute("SELECT deck, course FROM deck")
    return json.dumps([deck for deck, name in rows if json.loads(name)[0] == course])
