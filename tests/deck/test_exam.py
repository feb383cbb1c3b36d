"""Exams: expected points and their uncertainty are those of simulated exams; plans and targets."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date, timedelta
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck.config import MODELS, Config, model_of
from deck.errors import CollectionError
from deck.exam import HORIZON, Exam, ExamItem, ExamPlan, Outlook, outlook_of
from deck.fsrs import Fsrs6, Memory, Rating
from deck.queue import PACE
from deck.replay import ItemState, New, Review
from tests.deck.given import NOON

TODAY = NOON.date()
CONFIG = Config(minutes_per_day=6, new_per_day=5)
MODEL = model_of(CONFIG)


def learnt(stability: float, ago: int, difficulty: float = 5.0) -> Review:
    day = TODAY - timedelta(days=ago)
    return Review(Memory(stability, difficulty), 5, day, NOON - timedelta(ago), day, 3, 0)


def course(count: int) -> list[ExamItem]:
    """Half of the items new, the others learnt at some time."""
    rng = random.Random(1)
    stakes = []
    for number in range(count):
        state: ItemState = New()
        if number % 2:
            state = learnt(rng.uniform(0.5, 40), rng.randint(0, 30), rng.uniform(1, 10))
        stakes.append(ExamItem(f"i{number}", rng.choice((1.0, 2.0, 3.0, 5.0)), state))
    return stakes


def exam_in(
    days: int, stakes: list[ExamItem], config: Config = CONFIG, target: float | None = None
) -> Exam:
    day = TODAY + timedelta(days=days)
    return Exam("Networks", day, TODAY, stakes, config, target=target)


def sat(stakes: list[ExamItem], plan: ExamPlan, rng: random.Random) -> float:
    """One exam: the plan is kept, every answer and the exam itself left to chance."""
    memories = {s.item_id: (s.state.memory, s.state.day)
                for s in stakes if not isinstance(s.state, New)}  # fmt: skip
    for planned in plan.days:
        for item in planned.items:
            if item not in memories:
                memory = MODEL.after(MODEL.initial(Rating.GOOD), Rating.GOOD, 0)
            else:
                before, last = memories[item]
                elapsed = (planned.day - last).days
                if rng.random() < MODEL.recall(before, elapsed):
                    memory = MODEL.after(before, Rating.GOOD, elapsed)
                else:
                    memory = MODEL.after(MODEL.after(before, Rating.AGAIN, elapsed), 3, 0)
            memories[item] = (memory, planned.day)
    points = 0.0
    for stake in stakes:
        if stake.item_id in memories:
            memory, last = memories[stake.item_id]
            if rng.random() < MODEL.recall(memory, (plan.exam - last).days):
                points += stake.points
    return points


def agrees(found: Outlook, exams: list[float]) -> None:
    mean = sum(exams) / len(exams)
    spread = (sum((e - mean) ** 2 for e in exams) / len(exams)) ** 0.5
    assert found.expected == pytest.approx(mean, abs=4 * spread / len(exams) ** 0.5)
    assert found.deviation == pytest.approx(spread, rel=0.1)
    assert sum(e < found.low for e in exams) / len(exams) <= 0.13
    assert sum(e > found.high for e in exams) / len(exams) <= 0.13
    middle = sum(e >= mean for e in exams) / len(exams)
    assert found.chance_of(mean) == pytest.approx(middle, abs=0.05)


def test_expected_points_and_their_uncertainty_are_those_of_simulated_exams() -> None:
    stakes, rng = course(30), random.Random(3)
    exam = exam_in(25, stakes)
    plan = exam.plan
    assert sum(len(day.items) for day in plan.days) > 60
    agrees(plan.outlook, [sat(stakes, plan, rng) for _ in range(1500)])
    idle = ExamPlan(exam.day, (), plan.outlook)
    agrees(exam.if_stopped(), [sat(stakes, idle, rng) for _ in range(1500)])


PAIRS = st.lists(st.tuples(st.sampled_from([0.5, 1.0, 3.0]), st.floats(0, 1)), max_size=9)


@given(PAIRS)
def test_every_outcome_is_counted(pairs: list[tuple[float, float]]) -> None:
    found = outlook_of(pairs, TODAY)
    assert found.sums is not None
    assert sum(chance for _, chance in found.sums) == pytest.approx(1)
    assert sum(p * chance for p, chance in found.sums) == pytest.approx(found.expected, abs=1e-6)
    square = sum((p - found.expected) ** 2 * chance for p, chance in found.sums)
    assert square == pytest.approx(found.deviation**2, abs=1e-6)
    assert 0 <= found.low <= found.high <= found.points + 1e-6


def test_many_uneven_points_are_still_counted_in_time() -> None:
    rng = random.Random(5)
    pairs = [(rng.uniform(0.5, 5), rng.random()) for _ in range(500)]
    found = outlook_of(pairs, TODAY)
    assert found.sums is None
    agrees(found, [sum(p for p, chance in pairs if rng.random() < chance) for _ in range(1500)])


def test_what_to_study_next_brings_most_points_per_minute() -> None:
    stakes = [
        ExamItem("worth more", 5, learnt(3, 5)),
        ExamItem("worth less", 1, learnt(3, 5)),
        ExamItem("known anyway", 5, learnt(3000, 5)),
        ExamItem("asked today", 5, learnt(3, 0)),
        ExamItem("new", 5, New()),
    ]
    gains = exam_in(10, stakes).next()
    order = [gain.item_id for gain in gains]
    assert order.index("worth more") < order.index("worth less")
    assert "asked today" not in order
    assert order[-1] == "known anyway" or "known anyway" not in order
    assert [gain.rate for gain in gains] == sorted((g.rate for g in gains), reverse=True)


STATES: st.SearchStrategy[ItemState] = st.one_of(
    st.just(New()), st.builds(learnt, st.floats(0.5, 100), st.integers(1, 60))
)


@given(
    st.lists(st.tuples(st.floats(0.5, 10), STATES), max_size=10),
    st.integers(0, 12),
    st.floats(0, 20),
    st.integers(0, 4),
)
def test_a_plan_keeps_to_its_days_minutes_and_limits_and_rises_from_stopping_to_its_outlook(
    worth: list[tuple[float, ItemState]], days: int, minutes: float, new: int
) -> None:
    stakes = [ExamItem(f"i{n}", points, state) for n, (points, state) in enumerate(worth)]
    exam = exam_in(days, stakes, replace(CONFIG, minutes_per_day=minutes, new_per_day=new))
    plan, stopped, stands = exam.plan, exam.if_stopped(), exam.rise()
    assert [day.day for day in plan.days] == [TODAY + timedelta(days=n) for n in range(days)]
    for day in plan.days:
        assert day.minutes <= minutes
        assert day.new <= new
        assert len(set(day.items)) == len(day.items)
    assert plan.outlook.expected >= stopped.expected - 1e-9
    assert [stand.day for stand in stands] == [*(day.day for day in plan.days), exam.day]
    assert stands[0].expected == pytest.approx(stopped.expected)
    assert stands[-1].expected == pytest.approx(plan.outlook.expected)
    for stand in stands:
        assert 0 <= stand.low <= stand.expected <= stand.high <= stopped.points + 1e-9


def test_a_target_within_reach_says_so_with_its_chance() -> None:
    found = exam_in(30, course(20), target=20).reach
    assert found is not None
    assert found.reached
    assert found.sentence.startswith("20 points are within reach")
    assert found.chance > 0.5


def test_what_cannot_be_reached_is_said_with_what_it_would_take() -> None:
    stakes, tight = course(100), replace(CONFIG, minutes_per_day=2)
    target = round(sum(stake.points for stake in stakes) * 0.8)
    found = exam_in(10, stakes, tight, target).reach
    assert found is not None
    assert not found.reached
    assert "cannot be reached" in found.sentence
    assert found.minutes_needed is not None
    assert f"about {found.minutes_needed:.0f} minutes a day" in found.sentence
    for share, enough in ((1, True), (0.8, False)):
        minutes = found.minutes_needed * share
        config = replace(tight, minutes_per_day=minutes, new_per_day=999)
        assert (exam_in(10, stakes, config).plan.outlook.expected >= target) is enough


@pytest.mark.parametrize(
    ("days", "target", "says"),
    [(0, 40, "no day left"), (9, 10_000, "write cards for"), (1, 53, "lower the target")],
)
def test_what_no_time_can_reach_says_why(days: int, target: float, says: str) -> None:
    stakes = [ExamItem(f"i{n}", 5, learnt(0.1, 30, 9)) for n in range(11)]
    found = exam_in(days, stakes, target=target).reach
    assert found is not None
    assert found.minutes_needed is None
    assert says in found.sentence


def test_a_plan_begins_at_most_so_many_days_before_the_exam_and_ends_with_it() -> None:
    far = exam_in(300_000, course(4))
    days = [day.day for day in far.plan.days]
    assert (days[0], days[-1], len(days)) == (
        far.day - timedelta(days=HORIZON),
        far.day - timedelta(days=1),
        HORIZON,
    )
    assert exam_in(HORIZON, course(4)).plan.days[0].day == TODAY
    assert Exam("over", date.min, TODAY, course(4), CONFIG).plan.days == ()


def kept(stakes: list[ExamItem], chosen: tuple[int | None, ...]) -> float:
    """The points of one review a day, every answer followed both ways."""
    known = [
        [] if isinstance(s.state, New) else [(1.0, s.state.memory, (TODAY - s.state.day).days)]
        for s in stakes
    ]
    for day, at in enumerate(chosen):
        if at is None:
            continue
        after = []
        for chance, memory, ago in known[at]:
            right = MODEL.recall(memory, ago + day)
            good = MODEL.after(memory, Rating.GOOD, ago + day)
            again = MODEL.after(MODEL.after(memory, Rating.AGAIN, ago + day), Rating.GOOD, 0)
            after += [(chance * right, good, -day), (chance * (1 - right), again, -day)]
        learnt_now = MODEL.after(MODEL.initial(Rating.GOOD), Rating.GOOD, 0)
        known[at] = after or [(1.0, learnt_now, -day)]
    return sum(
        stake.points * sum(c * MODEL.recall(m, ago + len(chosen)) for c, m, ago in branches)
        for stake, branches in zip(stakes, known, strict=True)
    )


@given(st.lists(st.tuples(st.sampled_from([1.0, 2.0, 5.0]), STATES), min_size=1, max_size=3))
def test_a_plan_of_few_reviews_is_near_the_best_of_all_and_the_same_each_time(
    worth: list[tuple[float, ItemState]],
) -> None:
    stakes = [ExamItem(f"i{n}", points, state) for n, (points, state) in enumerate(worth)]
    pace = {**PACE, "learning": 0.0, "new": 60.0, "review": 60.0}
    config = replace(CONFIG, minutes_per_day=1.0, reviews_per_day=1, new_per_day=1)

    def made() -> ExamPlan:
        day = TODAY + timedelta(days=4)
        return Exam("Networks", day, TODAY, stakes, config, pace).plan

    plan = made()
    assert plan == made()
    best = max(kept(stakes, each) for each in product([None, *range(len(stakes))], repeat=4))
    idle = kept(stakes, (None,) * 4)
    assert plan.outlook.expected <= best + 1e-3 * best
    assert plan.outlook.expected - idle >= 0.8 * (best - idle)


class More(Memory):
    """A memory that carries more."""


class Carrying(Fsrs6):
    def after(self, memory: Memory, rating: int, elapsed: int) -> Memory:
        return More(*super().after(memory, rating, elapsed))


def test_a_model_whose_memories_hold_more_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MODELS, "carrying", Carrying)
    exam = exam_in(5, course(4), replace(CONFIG, model="carrying"))
    with pytest.raises(CollectionError, match="cannot be planned with the model carrying"):
        _ = exam.plan
