"""Statistics of every kind, for laws about what is drawn of them."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import strategies as st

from deck.exam import Plan, PlanDay, Stand, outlook_of
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
AGO = st.integers(0, 900)


@st.composite
def histograms(draw: st.DrawFn, edges: tuple[float, ...]) -> Histogram:
    counts = tuple(draw(st.lists(COUNTS, min_size=len(edges), max_size=len(edges))))
    if not sum(counts):
        return Histogram(edges, counts, None, None)
    value = draw(st.floats(edges[0], edges[-1] + 1))
    return Histogram(edges, counts, value, value)


@st.composite
def days(draw: st.DrawFn, reach: int) -> tuple[DayDone, ...]:
    found = []
    for ago in sorted(
        draw(st.sets(st.integers(0, min(reach - 1, 900)), max_size=12)), reverse=True
    ):
        answers = dict(zip(KINDS, draw(st.tuples(*[COUNTS] * 5)), strict=True))
        if not sum(answers.values()):
            answers["new"] = 1
        young, mature = (draw(SHARES) for _ in range(2))
        minutes = draw(st.floats(0, 1e6))
        found.append(DayDone(TODAY - timedelta(days=ago), answers, minutes, young, mature))
    return tuple(found)


@st.composite
def calibrations(draw: st.DrawFn) -> Calibration:
    classes = tuple(
        draw(st.lists(st.builds(Class, UNIT, UNIT, st.integers(1, 10**6)), max_size=20))
    )
    if not classes:
        return Calibration((), 0, None, None, None, None)
    count = sum(c.answers for c in classes)
    return Calibration(classes, count, draw(st.floats(0, 9)), draw(UNIT), draw(UNIT), draw(UNIT))


@st.composite
def statistics(draw: st.DrawFn, reach: int) -> Statistics:
    memories = Memories(
        draw(histograms(DAYS)),
        draw(histograms(tuple(map(float, DIFFICULTIES)))),
        draw(histograms(CHANCES)),
        draw(histograms(DAYS)),
        draw(st.floats(0, 1e9)),
    )
    names = draw(st.lists(st.text(max_size=80), max_size=4, unique=True))
    seen = {name: draw(st.integers(1, 99)) for name in names}
    last = {name: TODAY - timedelta(days=draw(AGO)) for name in names if draw(st.booleans())}
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
        memories,
        tuple([*forecast, *[0] * ahead][:ahead]),
        draw(calibrations()),
        Checks(checked, verdicts, seen if checked else {}, checked, 0, last),
        draw(st.integers(0, forecast[0])),
    )


@st.composite
def exams(draw: st.DrawFn) -> ExamInput | str:
    if draw(st.booleans()):
        return draw(st.sampled_from(["", "There is none."]))
    left = draw(st.integers(-3, 90))
    pairs = draw(st.lists(st.tuples(st.floats(0, 50), UNIT), max_size=5))
    day = TODAY + timedelta(days=left)
    whole = outlook_of(pairs, day)
    ahead = [TODAY + timedelta(days=n) for n in range(max(left, 0))]
    stands = [
        Stand(each, whole.expected, whole.low, whole.high) for each in [*ahead, max(day, TODAY)]
    ]
    plan = Plan(day, tuple(PlanDay(each, (), 0, 5.0) for each in ahead), whole)
    target = draw(st.one_of(st.none(), st.floats(0, 1000)))
    return ExamInput("SML", TODAY, day, target, whole, plan, tuple(stands), "", 0.5)


@st.composite
def workloads(draw: st.DrawFn) -> Workload | str:
    numbers = st.floats(0, 1e6)
    steps = draw(st.integers(0, 15))
    points = [
        Point(round(0.7 + 0.02 * n, 2), *draw(st.tuples(numbers, numbers, numbers)))
        for n in range(steps)
    ]
    return Workload(tuple(points), 365, draw(COUNTS)) if points else "The extra is missing."


@st.composite
def givens(draw: st.DrawFn) -> StatsInput:
    reach = draw(st.sampled_from(REACHES))
    written = draw(
        st.dictionaries(AGO.map(lambda n: TODAY - timedelta(days=n)), st.integers(1, 99))
    )
    return StatsInput(
        draw(statistics(min(reach.days, EVER))),
        reach,
        draw(st.floats(0.7, 0.99)),
        added=written,
        exam=draw(exams()),
        workload=draw(workloads()),
    )
