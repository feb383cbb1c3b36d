"""Statistics of every kind, for laws about what is drawn of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from hypothesis import strategies as st

from deck.exam import ExamPlan, PlanDay, outlook_of
from deck.optimize import Point, Workload
from deck.stats import (
    CHANCES,
    DAYS,
    DIFFICULTIES,
    KINDS,
    Calibration,
    Checks,
    Class,
    DayDone,
    Histogram,
    Memories,
    Retention,
    Share,
    Standing,
    Statistics,
    Streak,
)
from tui.plots.figure import EVER, REACHES, ExamInput, StatsInput

TODAY = date(2026, 11, 20)
COUNTS = st.one_of(st.integers(0, 3), st.integers(0, 500), st.just(10**9))
SHARES = st.tuples(COUNTS, COUNTS).map(lambda pair: Share(min(pair), max(pair)))
UNIT = st.floats(0, 1)
NUMBERS = st.floats(0, 1e6)
AGO = st.integers(0, 900).map(lambda days: TODAY - timedelta(days=days))


def histograms(edges: tuple[float, ...]) -> st.SearchStrategy[Histogram]:
    def made(counts: list[int], value: float) -> Histogram:
        found = value if sum(counts) else None
        return Histogram(edges, tuple(counts), found, found)

    counts = st.lists(COUNTS, min_size=len(edges), max_size=len(edges))
    return st.builds(made, counts, st.floats(edges[0], edges[-1] + 1))


MEMORIES = st.builds(
    Memories,
    histograms(DAYS),
    histograms(tuple(map(float, DIFFICULTIES))),
    histograms(CHANCES),
    histograms(DAYS),
    st.floats(0, 1e9),
)


def calibrated(classes: list[Class], loss: float, units: tuple[float, ...]) -> Calibration:
    count = sum(each.answers for each in classes)
    if not classes:
        return Calibration((), 0, None, None, None, None)
    return Calibration(tuple(classes), count, loss, *units)


CLASSES = st.lists(st.builds(Class, UNIT, UNIT, st.integers(1, 10**6)), max_size=20)
CALIBRATIONS = st.builds(calibrated, CLASSES, st.floats(0, 9), st.tuples(UNIT, UNIT, UNIT))


@st.composite
def days(draw: st.DrawFn, reach: int) -> tuple[DayDone, ...]:
    found = []
    ago = draw(st.sets(st.integers(0, min(reach - 1, 900)), max_size=12))
    for day in (TODAY - timedelta(days=each) for each in sorted(ago, reverse=True)):
        answers = dict(zip(KINDS, draw(st.tuples(*[COUNTS] * 5)), strict=True))
        answers["new"] += not sum(answers.values())
        found.append(DayDone(day, answers, draw(NUMBERS), draw(SHARES), draw(SHARES)))
    return tuple(found)


@st.composite
def statistics(draw: st.DrawFn, reach: int) -> Statistics:
    names = draw(st.lists(st.text(max_size=80), max_size=4, unique=True))
    seen = {name: draw(st.integers(1, 99)) for name in names}
    last = {name: draw(AGO) for name in names if draw(st.booleans())}
    checked = draw(st.integers(0, 50))
    verdicts = {"wrong": checked, "correct": draw(st.integers(0, 5))} if checked else {}
    forecast = draw(st.lists(COUNTS, min_size=1, max_size=12))
    ahead = min(reach, 2000)
    return Statistics(
        TODAY,
        TODAY - timedelta(days=reach - 1),
        draw(days(reach)),
        tuple(draw(st.lists(SHARES, min_size=24, max_size=24))),
        {kind: draw(st.tuples(*[COUNTS] * 4)) for kind in KINDS},
        tuple(Retention(name, draw(SHARES), draw(SHARES)) for name in ("today", "all")),
        Streak(draw(COUNTS), draw(COUNTS), draw(COUNTS)),
        Standing(*draw(st.tuples(*[COUNTS] * 6))),
        draw(MEMORIES),
        tuple([*forecast, *[0] * ahead][:ahead]),
        draw(CALIBRATIONS),
        Checks(checked, verdicts, seen if checked else {}, checked, 0, last),
        draw(st.integers(0, forecast[0])),
    )


def planned(left: int, pairs: list[tuple[float, float]], target: float | None) -> ExamInput:
    day = TODAY + timedelta(days=left)
    whole = outlook_of(pairs, day)
    ahead = [TODAY + timedelta(days=n) for n in range(max(left, 0))]
    stands = tuple(replace(whole, day=each) for each in [*ahead, max(day, TODAY)])
    plan = ExamPlan(day, tuple(PlanDay(each, (), 0, 5.0) for each in ahead), whole)
    return ExamInput("SML", TODAY, day, target, whole, plan, stands, "", 0.5)


def costing(points: list[tuple[float, ...]], items: int) -> Workload | str:
    found = (Point(round(0.7 + 0.02 * n, 2), *point) for n, point in enumerate(points))
    return Workload(tuple(found), 365, items) if points else "The extra is missing."


EXAMS = st.builds(
    planned,
    st.integers(-3, 90),
    st.lists(st.tuples(st.floats(0, 50), UNIT), max_size=5),
    st.none() | st.floats(0, 1000),
)
WORKLOADS = st.builds(costing, st.lists(st.tuples(*[NUMBERS] * 3), max_size=15), COUNTS)


@st.composite
def givens(draw: st.DrawFn) -> StatsInput:
    reach = draw(st.sampled_from(REACHES))
    return StatsInput(
        draw(statistics(min(reach.days, EVER))),
        reach,
        draw(st.floats(0.7, 0.99)),
        added=draw(st.dictionaries(AGO, st.integers(1, 99))),
        exam=draw(st.sampled_from(["", "There is none."]) | EXAMS),
        workload=draw(WORKLOADS),
    )
