"""Statistics as plain data."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime, timedelta
from itertools import pairwise
from math import log, sqrt
from typing import Any, Literal, NamedTuple, get_args

from deck.config import Config, Model, model_of
from deck.events import Checked, Event, Reviewed
from deck.fsrs import Memory
from deck.replay import ItemState, Learning, New, ReplayCursor
from deck.study_day import study_day

# == stats: what was done, what it led to, and what comes, as plain data that a screen draws.
#
# tally.Tally             answers counted by day, hour, kind and rating: everything about the past
# report.statistics(...)  all figures at once; as_dict() for JSON


# == Answers, counted: by study day, kind and rating, by hour, and by what the model had predicted.
#
# A tally of a million answers is some thousand numbers, so that figures about the past cost no
# second
# replay: it can be kept, added to with each answer, and two of them can be put together.


Kind = Literal["new", "learning", "relearning", "young", "mature"]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: Reviews proper, after at least a day: their rating says whether the model was right.
REVIEWS: frozenset[Kind] = frozenset({"young", "mature"})
#: Days of stability from which a memory is mature.
MATURE = 21.0
#: Predictions are put together in so many classes of equal width.
CLASSES = 20
#: A prediction counts as at least this far from certain, so that one surprise is no infinity.
_SURE = 1e-4


class Cell(NamedTuple):
    day: date
    kind: Kind
    """What the item was before the answer."""
    rating: int


class Sum(NamedTuple):
    answers: int
    milliseconds: int


class Share(NamedTuple):
    """So many of so many."""

    right: int
    of: int

    @property
    def share(self) -> float | None:
        """None of nothing."""
        return self.right / self.of if self.of else None


class Predicted(NamedTuple):
    """Answers whose recall the model had predicted alike."""

    answers: int
    recalled: int
    predicted: float
    """The sum of the predictions."""
    loss: float
    """The sum of -log of the chance that the model gave to what happened."""


_NOTHING = Sum(0, 0)


@dataclass(slots=True)
class Tally:
    cells: dict[Cell, Sum] = field(default_factory=dict)
    hours: dict[tuple[date, int], Share] = field(default_factory=dict)
    """Reviews proper that were recalled, by study day and hour on the learner's clock."""
    classes: dict[tuple[date, int], Predicted] = field(default_factory=dict)
    """By study day and class of prediction."""

    def take(self, before: ItemState, event: Event, model: Model, sign: int = 1) -> None:
        """Counts an answer that met the item at `before`; with the sign -1, takes it back."""
        if isinstance(before, New):
            return self.count(event, "new", None, sign)
        elapsed = (event.day - before.day).days
        kind, chance = kind_of(before), None
        if kind in REVIEWS and elapsed > 0:
            chance = model.recall(before.memory, elapsed)
        return self.count(event, kind, chance, sign)

    def count(self, event: Event, kind: Kind, chance: float | None, sign: int = 1) -> None:
        """Counts a review of an item of this `kind`; `chance` is the recall that was predicted."""
        what = event.what
        assert isinstance(what, Reviewed)
        cell = Cell(event.day, kind, int(what.rating))
        known = self.cells.get(cell, _NOTHING)
        more = Sum(known.answers + sign, known.milliseconds + sign * what.milliseconds)
        self.cells[cell] = more
        if more.answers == 0:
            del self.cells[cell]
        if kind in REVIEWS:
            place = (event.day, hour_of(event.at, event.offset))
            right, of = self.hours.get(place, Share(0, 0))
            self.hours[place] = Share(right + sign * (what.rating > 1), of + sign)
            if self.hours[place].of == 0:
                del self.hours[place]
        if chance is not None:
            self._predict(event.day, chance, what.rating, sign)

    def _predict(self, day: date, chance: float, rating: int, sign: int) -> None:
        recalled = rating > 1
        place = (day, class_of(chance))
        known = self.classes.get(place, Predicted(0, 0, 0.0, 0.0))
        more = Predicted(
            known.answers + sign,
            known.recalled + sign * recalled,
            known.predicted + sign * chance,
            known.loss + sign * surprise(chance, recalled),
        )
        self.classes[place] = more
        if more.answers == 0:
            del self.classes[place]

    def merge(self, other: Tally) -> None:
        """Adds the answers of another tally."""
        for cell, more in other.cells.items():
            known = self.cells.get(cell, _NOTHING)
            self.cells[cell] = Sum(*(a + b for a, b in zip(known, more, strict=True)))
        for hour, share in other.hours.items():
            right, of = self.hours.get(hour, Share(0, 0))
            self.hours[hour] = Share(right + share.right, of + share.of)
        for place, predicted in other.classes.items():
            before = self.classes.get(place, Predicted(0, 0, 0.0, 0.0))
            self.classes[place] = Predicted(
                before.answers + predicted.answers,
                before.recalled + predicted.recalled,
                before.predicted + predicted.predicted,
                before.loss + predicted.loss,
            )


def kind_of(before: ItemState) -> Kind:
    if isinstance(before, New):
        return "new"
    if isinstance(before, Learning):
        return "relearning" if before.relearning else "learning"
    return "mature" if before.memory.stability >= MATURE else "young"


def hour_of(at: datetime, offset: int) -> int:
    """The hour on the learner's clock, `offset` minutes east of UTC."""
    return (at.hour * 60 + at.minute + offset) // 60 % 24


def sight(track: ReplayCursor, day: date) -> tuple[Kind, float | None]:
    """What an item is before an answer on `day`, and the recall that is predicted of a review."""
    memory = track.memory
    if memory is None:
        return "new", None
    if not track.in_review:
        return "relearning" if track.relearning else "learning", None
    elapsed = (day - track.day).days
    chance = track.model.recall(memory, elapsed) if elapsed > 0 else None
    return "mature" if memory[0] >= MATURE else "young", chance


def class_of(chance: float) -> int:
    return min(int(chance * CLASSES), CLASSES - 1)


def surprise(chance: float, recalled: bool) -> float:
    """-log of the chance given to what happened."""
    chance = min(max(chance, _SURE), 1 - _SURE)
    return -log(chance if recalled else 1 - chance)


# == What was done: per day, by hour, by rating; how much of it was recalled.


_NONE = Share(0, 0)


@dataclass(frozen=True, slots=True)
class DayDone:
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
    """Of the reviews of a span, how many were recalled."""

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


Cells = Mapping[Cell, Sum]


def since(cells: Cells, first: date, last: date) -> dict[Cell, Sum]:
    """The cells of the study days from `first` to `last`."""
    return {cell: s for cell, s in cells.items() if first <= cell.day <= last}


def per_day(cells: Cells) -> list[DayDone]:
    """The study days with an answer, in order: also what a calendar draws."""
    return days_of(
        (cell.day, cell.kind, s.answers, s.milliseconds, s.answers if cell.rating > 1 else 0)
        for cell, s in cells.items()
    )


def days_of(rows: Iterable[tuple[date, Kind, int, int, int]]) -> list[DayDone]:
    """Of rows with a study day, a kind, answers, their milliseconds, and how many were right."""
    answers: dict[date, dict[Kind, int]] = {}
    right: dict[date, dict[Kind, int]] = {}
    took: dict[date, int] = {}
    for day, kind, count, milliseconds, recalled in rows:
        if day not in took:
            answers[day], right[day] = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0)
            took[day] = 0
        answers[day][kind] += count
        right[day][kind] += recalled
        took[day] += milliseconds
    return [
        DayDone(
            day,
            of := answers[day],
            milliseconds / 60_000,
            Share(right[day]["young"], of["young"]),
            Share(right[day]["mature"], of["mature"]),
        )
        for day, milliseconds in sorted(took.items())
    ]


def per_hour(hours: Mapping[tuple[date, int], Share]) -> list[Share]:
    """By hour of the learner's clock, 0..23: reviews recalled, of all reviews."""
    right, of = [0] * 24, [0] * 24
    for (_, hour), share in hours.items():
        of[hour] += share.of
        right[hour] += share.right
    return [Share(*pair) for pair in zip(right, of, strict=True)]


def rating_counts(cells: Cells) -> dict[Kind, tuple[int, int, int, int]]:
    """How often each rating was given, Again to Easy, by what the item was."""
    counts = {kind: [0, 0, 0, 0] for kind in KINDS}
    for cell, s in cells.items():
        counts[cell.kind][cell.rating - 1] += s.answers
    return {kind: (c[0], c[1], c[2], c[3]) for kind, c in counts.items()}


def retention(name: str, cells: Cells) -> Retention:
    """The true retention: recalled reviews of all reviews; learning steps do not count."""
    found = {}
    for kind in ("young", "mature"):
        of = {cell: s.answers for cell, s in cells.items() if cell.kind == kind}
        right = sum(answers for cell, answers in of.items() if cell.rating > 1)
        found[kind] = Share(right, sum(of.values()))
    return Retention(name, found["young"], found["mature"])


def retentions(cells: Cells, today: date) -> list[Retention]:
    """Of each of `spans`."""
    return [retention(name, since(cells, first, last)) for name, first, last in spans(today)]


def spans(today: date) -> list[tuple[str, date, date]]:
    """Today, yesterday, the last week, month and year, and all: name, first and last study day."""
    yesterday = today - timedelta(days=1)
    found = [("today", today, today), ("yesterday", yesterday, yesterday)]
    for name, days in (("week", 7), ("month", 30), ("year", 365)):
        found.append((name, today - timedelta(days=days - 1), today))
    return [*found, ("all", date.min, date.max)]


def streak_of_cells(cells: Cells, today: date) -> Streak:
    return streak_of(sorted({cell.day for cell in cells}), today)


def streak_of(days: Sequence[date], today: date) -> Streak:
    """`days`: those with an answer, in order."""
    run = 0
    ends: dict[date, int] = {}
    before = 0
    for day in days:
        ordinal = day.toordinal()
        run = run + 1 if ordinal == before + 1 else 1
        before, ends[day] = ordinal, run
    longest = max(ends.values(), default=0)
    current = ends.get(today) or ends.get(today - timedelta(days=1), 0)
    return Streak(current, longest, len(days))


# == Where the items stand now, and what falls due.


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


# == Whether the model is right: what it had predicted against what happened.


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


def calibration(classes: Mapping[tuple[date, int], Predicted]) -> Calibration:
    """Of all days in `classes` (`Tally.classes`) together."""
    together: dict[int, Predicted] = {}
    for (_, number), more in classes.items():
        known = together.get(number, Predicted(0, 0, 0.0, 0.0))
        together[number] = Predicted(
            known.answers + more.answers,
            known.recalled + more.recalled,
            known.predicted + more.predicted,
            known.loss + more.loss,
        )
    found = [together[number] for number in sorted(together)]
    drawn = tuple(Class(p.predicted / p.answers, p.recalled / p.answers, p.answers) for p in found)
    count = sum(p.answers for p in found)
    if count == 0:
        return Calibration((), 0, None, None, None, None)
    square = sum((c.predicted - c.actual) ** 2 * c.answers for c in drawn) / count
    return Calibration(
        drawn,
        count,
        sum(p.loss for p in found) / count,
        sqrt(square),
        sum(p.predicted for p in found) / count,
        sum(p.recalled for p in found) / count,
    )


# == Derivations that were checked: their verdicts, and the misconceptions in them.


@dataclass(frozen=True, slots=True)
class Checks:
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


def checks(events: Iterable[Event]) -> Checks:
    """Of checks, and of verdicts that came with an answer where no check stands for itself."""
    verdicts: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    items, solved = set(), set()
    last: dict[str, date] = {}
    for event in events:
        data = _verdict(event)
        if data is None:
            continue
        verdict = str(data.get("verdict", "unknown"))
        verdicts[verdict] += 1
        if misconception := data.get("misconception"):
            name = str(misconception)
            wrong[name] += 1
            last[name] = max(event.day, last.get(name, event.day))
        items.add(event.item)
        if verdict == "correct":
            solved.add(event.item)
    frequent = [dict(counter.most_common()) for counter in (verdicts, wrong)]
    return Checks(verdicts.total(), frequent[0], frequent[1], len(items), len(solved), last)


def _verdict(event: Event) -> Mapping[str, Any] | None:
    match event.what:
        case Checked(data):
            return data
        case Reviewed(check=check):
            return check
    return None


# == All figures about what was done, over a span of study days.


@dataclass(frozen=True, slots=True)
class Past:
    """`Statistics` says what each of these is."""

    days: tuple[DayDone, ...]
    hours: tuple[Share, ...]
    ratings: Mapping[Kind, tuple[int, int, int, int]]
    retention: tuple[Retention, ...]
    streak: Streak
    calibration: Calibration


def past(tally: Tally, first: date, today: date) -> Past:
    """Of the answers of a tally, from `first` to `today` where it is about a span."""
    cells = since(tally.cells, first, today)
    classes = {place: p for place, p in tally.classes.items() if first <= place[0] <= today}
    hours = {place: share for place, share in tally.hours.items() if first <= place[0] <= today}
    return Past(
        tuple(per_day(cells)),
        tuple(per_hour(hours)),
        rating_counts(cells),
        tuple(retentions(tally.cells, today)),
        streak_of_cells(tally.cells, today),
        calibration(classes),
    )


# == All statistics at once, as plain data.


@dataclass(frozen=True, slots=True)
class Statistics:
    today: date
    since: date
    """The first day of all that is about a span of days."""
    days: tuple[DayDone, ...]
    hours: tuple[Share, ...]
    ratings: Mapping[Kind, tuple[int, int, int, int]]
    retention: tuple[Retention, ...]
    """Of spans of their own, from today to all."""
    streak: Streak
    standing: Standing
    memories: Memories
    forecast: tuple[int, ...]
    """Today first; today's holds what is overdue."""
    calibration: Calibration
    checks: Checks
    overdue: int = 0
    """Of those that are due today, how many were due before."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON; the keys are stable."""
        plain: dict[str, Any] = asdict(self)
        plain["hours"] = [_share(share) for share in self.hours]
        plain["retention"] = [
            {"name": r.name, "young": _share(r.young), "mature": _share(r.mature)}
            for r in self.retention
        ]
        plain["today"], plain["since"] = self.today.isoformat(), self.since.isoformat()
        for day in plain["days"]:
            day["day"] = day["day"].isoformat()
            for kind in ("young", "mature"):
                day[kind] = _share(Share(*day[kind]))
        last = plain["checks"]["last"]
        plain["checks"]["last"] = {name: day.isoformat() for name, day in last.items()}
        return plain


def _share(share: Share) -> dict[str, float | None]:
    return {"right": share.right, "of": share.of, "share": share.share}


def statistics(
    items: Sequence[Held],
    tally: Tally,
    checked: Iterable[Event],
    now: datetime,
    config: Config,
    days: int = 365,
) -> Statistics:
    """`checked` are events, of which only verdicts count; `days` is the span, back and ahead."""
    first, today = span(now, config, days)
    known = present(items, model_of(config), days)
    return put_together(first, today, past(tally, first, today), known, checked)


def span(now: datetime, config: Config, days: int) -> tuple[date, date]:
    """The first and the last study day of the last `days` days."""
    today = study_day(now, config.rollover)
    return today - timedelta(days=days - 1), today


def put_together(
    first: date, today: date, past: Past, present: Present, checked: Iterable[Event]
) -> Statistics:
    return Statistics(
        today,
        first,
        past.days,
        past.hours,
        past.ratings,
        past.retention,
        past.streak,
        present.standing,
        present.memories,
        present.forecast,
        past.calibration,
        checks(event for event in checked if first <= event.day <= today),
        present.overdue,
    )


# == The days around today in a few figures: what was done on the last, what falls due on the next.


#: Study days of which the answers are counted: 53 weeks, as a calendar of a year shows.
YEAR = 53 * 7
#: Study days that recall and pace are about.
MONTH = 30
#: Study days ahead, today included.
WEEK = 7


@dataclass(frozen=True, slots=True)
class Lately:
    """Law: `Statistics` says the same of them."""

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
