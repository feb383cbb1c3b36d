"""Statistics as plain data: what was done, what it led to, and what comes.

`deck.index.stats` computes them, screens draw them, and `Statistics.as_dict()` is their JSON.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date
from typing import Any, Literal, NamedTuple, get_args

from deck.events import Checked, Event, Reviewed
from deck.replay import MASTERED_STABILITY

Kind = Literal["new", "learning", "relearning", "young", "mature"]
"""What an item was before an answer."""
KINDS: tuple[Kind, ...] = get_args(Kind)
#: Reviews proper, after at least a day: their rating says whether the model was right.
REVIEWS: frozenset[Kind] = frozenset({"young", "mature"})
#: Days of stability from which a memory is mature, and its card mastered.
MATURE = MASTERED_STABILITY

#: Where the classes of the histograms begin: stabilities and intervals in days, difficulties,
#: chances of recall.
DAYS = (0, 1, 3, 7, 14, 21, 30, 60, 90, 180, 365, 730)
DIFFICULTIES = tuple(range(1, 11))
CHANCES = tuple(step / 20 for step in range(20))

#: Study days that `RecentActivity` is about: 53 weeks, as a calendar of a year shows; those of
#: recall and pace; those ahead, today included.
YEAR, MONTH, WEEK = 53 * 7, 30, 7


class Share(NamedTuple):
    """So many of so many."""

    right: int
    of: int

    @property
    def share(self) -> float | None:
        """None of nothing."""
        return self.right / self.of if self.of else None


_NONE = Share(0, 0)


@dataclass(frozen=True, slots=True)
class DayDone:
    """The answers of a study day."""

    day: date
    answers: Mapping[Kind, int]
    minutes: float
    young: Share = _NONE
    """Reviews of young memories that were recalled; learning steps do not count."""
    mature: Share = _NONE

    @property
    def count(self) -> int:
        return sum(self.answers.values())


@dataclass(frozen=True, slots=True)
class Retention:
    """The true retention: of the reviews of a span, how many were recalled."""

    name: str
    young: Share
    mature: Share

    @property
    def all(self) -> Share:
        return Share(self.young.right + self.mature.right, self.young.of + self.mature.of)


@dataclass(frozen=True, slots=True)
class Streak:
    """Study days in a row; today may still be missing."""

    current: int
    longest: int
    studied: int
    """Study days with an answer, in all."""


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
class Class:
    """Reviews with about the same prediction."""

    predicted: float
    """Mean of the predictions, 0..1."""
    actual: float
    """Share that was recalled."""
    answers: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """Whether the model is right: what it had predicted against what happened."""

    classes: tuple[Class, ...]
    """By prediction, lowest first; empty ones are left out."""
    answers: int
    log_loss: float | None
    """Mean of -log of the chance given to what happened; None of nothing."""
    error: float | None
    """Root mean square of predicted minus actual over the classes, weighted by their answers."""
    predicted: float | None
    """Mean prediction of all."""
    actual: float | None
    """Share of all that was recalled."""


@dataclass(frozen=True, slots=True)
class Checks:
    """Derivations that were checked: their verdicts, and the misconceptions in them."""

    checked: int
    verdicts: Mapping[str, int]
    """How often each verdict was given, the most frequent first."""
    misconceptions: Mapping[str, int]
    """How often each misconception was seen, the most frequent first."""
    items: int
    """Items that were ever checked."""
    solved: int
    """Items whose derivation was correct at least once."""
    last: Mapping[str, date] = field(default_factory=dict)
    """The study day on which each misconception was seen last."""
    steps: Mapping[str, int] = field(default_factory=dict)
    """By what the first wrong step of a derivation does, how often, the most frequent first."""


def checks(events: Iterable[Event]) -> Checks:
    """Of checks, and of verdicts that came with an answer where no check stands for itself."""
    verdicts: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    steps: Counter[str] = Counter()
    items, solved = set(), set()
    last: dict[str, date] = {}
    for event in events:
        match event.what:
            case Checked(data=data) | Reviewed(check=data) if data is not None:
                pass
            case _:
                continue
        verdict = str(data.get("verdict", "unknown"))
        verdicts[verdict] += 1
        if misconception := data.get("misconception"):
            name = str(misconception)
            wrong[name] += 1
            last[name] = max(event.day, last.get(name, event.day))
        if step := data.get("step_kind"):
            steps[str(step)] += 1
        items.add(event.item)
        if verdict == "correct":
            solved.add(event.item)
    told, named, at = (dict(counter.most_common()) for counter in (verdicts, wrong, steps))
    return Checks(verdicts.total(), told, named, len(items), len(solved), last, at)


@dataclass(frozen=True, slots=True)
class Statistics:
    today: date
    since: date
    """The first day of all that is about a span of days."""
    days: tuple[DayDone, ...]
    """The study days with an answer, in order: also what a calendar draws."""
    hours: tuple[Share, ...]
    """By hour of the learner's clock, 0..23: reviews recalled, of all reviews."""
    ratings: Mapping[Kind, tuple[int, int, int, int]]
    """How often each rating was given, Again to Easy, by what the item was."""
    retention: tuple[Retention, ...]
    """Of spans of their own, from today to all."""
    streak: Streak
    standing: Standing
    memories: Memories
    forecast: tuple[int, ...]
    """What falls due today (with all that is overdue), tomorrow, and so on.

    Each item is counted once, where it stands: what its next answers will lead to is not known.
    """
    calibration: Calibration
    checks: Checks
    overdue: int = 0
    """Of those that are due today, how many were due before."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON; the keys are stable."""
        return {each.name: _plain(getattr(self, each.name)) for each in fields(self)}


def _plain(value: Any) -> Any:
    match value:
        case Share(right, of):
            return {"right": right, "of": of, "share": value.share}
        case date():
            return value.isoformat()
        case Mapping():
            return {key: _plain(each) for key, each in value.items()}
        case list() | tuple():
            return [_plain(each) for each in value]
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    return value


@dataclass(frozen=True, slots=True)
class RecentActivity:
    """The days around today in a few figures.  Law: `Statistics` says the same of them."""

    today: date
    answers: Mapping[date, int]
    """By study day, of the last `YEAR`; a day without one is left out."""
    streak: int
    """Study days in a row, up to today or, where nothing was answered today, up to yesterday."""
    recall: Share
    """Of the reviews of the last `MONTH`, those that were recalled; learning steps do not count."""
    pace: float | None
    """Minutes that an answer of the last `MONTH` took on average; None where there was none."""
    ahead: tuple[int, ...]
    """What falls due today (with all that is overdue), tomorrow, and so on for a `WEEK`."""
