"""What each rating leads to: its laws, the promise that it leaves, Anki and py-fsrs beside it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import fsrs as py_fsrs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deck import fsrs
from deck.config import MODELS, Config
from deck.events import Interval, LearningStep, Rescheduled, Reset, Undone
from deck.fsrs import Fsrs6, Memory, Met, Rating
from deck.replay import (
    ItemState,
    Learning,
    Load,
    New,
    ReplayCursor,
    Review,
    Schedule,
    balanced,
    fuzz_range,
    fuzzed,
    preview,
    recall,
    replay,
    rescheduled,
)
from deck.study_day import day_start, study_day
from tests.deck.given import EXACT, NOON, configure, event, later, opened, review, write_card

AGAIN, HARD, GOOD, EASY = Rating
DAY = timedelta(days=1)
PRAGUE = ZoneInfo("Europe/Prague")
FOUR = time(4)
STEPS: list[tuple[int, ...]] = [
    *((), (60,), (60, 600), (36_000,), (86_400,)),
    *((60, 600, 86_400), (60, 259_200), (86_400, 691_200)),
]


def spans(steps: tuple[int, ...]) -> tuple[timedelta, ...]:
    return tuple(timedelta(seconds=step) for step in steps)


CONFIGS = st.builds(
    Config,
    desired_retention=st.floats(0.7, 0.99),
    learning_steps=st.sampled_from(STEPS).map(spans),
    relearning_steps=st.sampled_from(STEPS).map(spans),
    maximum_interval=st.integers(1, 36500),
    fuzz=st.booleans(),
    easy_days=st.dictionaries(st.integers(0, 6), st.sampled_from([0.0, 0.5])),
)
MEMORIES = st.builds(Memory, st.floats(0.001, 36500), st.floats(1, 10))
TIMES = st.integers(0, 86_399).map(lambda seconds: NOON + timedelta(seconds=seconds))
LOADS = st.none() | st.dictionaries(
    st.integers(0, 400).map(lambda day: NOON.toordinal() + day), st.integers(1, 50), max_size=40
)


def learning(memory: Memory, step: int, relearning: bool) -> Learning:
    at = NOON - timedelta(minutes=10)
    return Learning(memory, step, NOON, at, at.date(), 3, 1, relearning)


def in_review(memory: Memory, interval: int, elapsed: int) -> Review:
    at = NOON - timedelta(days=elapsed)
    due = at.date() + timedelta(days=interval)
    return Review(memory, interval, due, at, at.date(), 3, 1)


REVIEWS = st.builds(in_review, MEMORIES, st.integers(1, 400), st.integers(0, 800))
STATES = st.one_of(
    st.builds(New),
    st.builds(learning, MEMORIES, st.integers(0, 2), st.booleans()),
    REVIEWS,
)


def whole_days(schedule: Schedule) -> int | None:
    return schedule.state.interval if isinstance(schedule.state, Review) else None


# Laws.


@given(STATES, TIMES, CONFIGS, LOADS, st.text(max_size=5))
def test_a_better_rating_never_comes_back_earlier(
    state: ItemState, now: datetime, config: Config, load: Load | None, item: str
) -> None:
    offered = preview(state, now, item, config, load)
    days = [whole_days(offered[rating]) for rating in Rating]
    known = [each for each in days if each is not None]
    assert known == sorted(known)
    assert all(1 <= each <= config.maximum_interval for each in known)
    assert offered == preview(state, now, item, config, load), "each time the same"
    assert days[3] is not None, "easy ends the steps"
    if days[2] is not None:
        assert days[3] > days[2] or days[3] == config.maximum_interval


@given(REVIEWS, TIMES, CONFIGS, LOADS, st.text(max_size=5))
@example(in_review(Memory(3.0, 5.0), 3, 3), NOON, Config(desired_retention=0.95), None, "a")
@example(in_review(Memory(0.5, 10.0), 1, 1), NOON, Config(fuzz=False), None, "a")
def test_in_review_hard_good_and_easy_are_a_day_apart_up_to_the_longest_interval(
    state: Review, now: datetime, config: Config, load: Load | None, item: str
) -> None:
    offered = preview(state, now, item, config, load)
    hard, good, easy = (whole_days(offered[rating]) or 0 for rating in (HARD, GOOD, EASY))
    most = config.maximum_interval
    assert hard >= 1
    assert hard < good or hard == good == most
    assert good < easy or good == easy == most


@given(REVIEWS, TIMES, CONFIGS, LOADS, st.text(max_size=5))
def test_fuzz_and_load_move_an_interval_within_its_range_or_to_where_the_order_begins(
    state: Review, now: datetime, config: Config, load: Load | None, item: str
) -> None:
    offered = preview(state, now, item, config, load)
    most, worse = config.maximum_interval, 0
    for rating in (HARD, GOOD, EASY):
        after = offered[rating].state
        assert isinstance(after, Review)
        exact = min(Fsrs6(config.parameters).interval(after.memory, config.desired_retention), most)
        lowest, highest = fuzz_range(max(round(exact), 1), most)
        begins = max(worse + 1, min(state.interval + 1, highest))
        if not config.fuzz:
            assert after.interval in (round(exact), min(begins, most), state.interval, worse + 1)
        longest = max(highest, fuzz_range(min(max(begins, 1), most), most)[1])
        assert min(lowest, most) <= after.interval <= longest
        worse = after.interval


@given(STATES, TIMES, CONFIGS, st.sampled_from(Rating), st.text(max_size=5))
def test_what_is_shown_is_what_the_fold_makes_of_the_line(
    state: ItemState, now: datetime, config: Config, rating: Rating, item: str
) -> None:
    """The line holds the promise alone, and is folded under any settings."""
    shown = preview(state, now, item, config)[rating].state
    if isinstance(shown, Review):
        promise: Interval | LearningStep = Interval(shown.interval)
    else:
        promise = LearningStep(shown.step, shown.due - shown.reviewed)
    track = ReplayCursor(item, Config(), state)
    track.answer(rating, now, now.date() if now.hour >= 4 else now.date() - DAY, promise)
    assert track.state() == shown


# Steps that end on a later study day.


@given(st.integers(1, 20), st.integers(0, 86_399), st.sampled_from([HARD, GOOD]), st.booleans())
def test_a_step_of_days_ends_where_a_study_day_begins(
    days: int, seconds: int, rating: Rating, relearns: bool
) -> None:
    now = NOON + timedelta(seconds=seconds)
    steps = (timedelta(minutes=1), timedelta(days=days), timedelta(days=days))
    config = Config(learning_steps=steps, relearning_steps=steps)
    state = learning(Memory(2.0, 5.0), 1, relearns)
    offered = preview(state, now, "a", config)[rating]
    day = study_day(now, config.rollover) + timedelta(days=days)
    assert offered.due == day_start(day, config.rollover, now)
    assert offered.interval == timedelta(days=days)
    assert isinstance(offered.state, Learning)
    assert offered.state.due == offered.due


@given(st.integers(1, 86_399), st.integers(0, 86_399))
def test_a_shorter_step_that_would_end_on_the_next_study_day_ends_where_that_begins(
    step: int, seconds: int
) -> None:
    now = NOON + timedelta(seconds=seconds)
    config = Config(learning_steps=(timedelta(seconds=step),))
    offered = preview(New(), now, "a", config)[Rating.AGAIN]
    tomorrow = day_start(study_day(now, config.rollover) + DAY, config.rollover, now)
    ends = now + timedelta(seconds=step)
    assert offered.due == min(ends, tomorrow)
    assert offered.interval == (timedelta(seconds=step) if ends < tomorrow else DAY)


@pytest.mark.parametrize("steps", ["[]", '["1m", "10m"]', '["1d", "10h"]'])
def test_what_a_key_shows_is_what_is_recorded(root: Path, steps: str) -> None:
    write_card(root, "a")
    text = f"desired_retention = 0.95\nlearning_steps = {steps}\nrelearning_steps = {steps}\n"
    configure(root, text)
    chance, now = random.Random(7), NOON
    collection = opened(root)
    for _ in range(15):
        rating = Rating(chance.choices([1, 2, 3, 4], [4, 3, 6, 1])[0])
        shown = collection.preview("a", now)[rating]
        collection.rate("a", rating, now, 0)
        assert collection.state("a") == shown.state
        now = shown.due + timedelta(minutes=chance.randint(0, 2000))
    assert opened(root, now).state("a") == shown.state


# Without steps.


def test_without_steps_a_weak_memory_comes_back_on_the_same_day() -> None:
    bare = Config(learning_steps=(), relearning_steps=(), fuzz=False)
    offered = preview(New(), NOON, "a", bare)
    seconds = int(bare.parameters[0] * 86_400)
    assert offered[Rating.AGAIN].interval == timedelta(seconds=seconds)
    assert [whole_days(offered[rating]) for rating in Rating] == [None, 1, 2, 8]
    lapsed = preview(in_review(Memory(0.6, 9.0), 1, 1), NOON, "a", bare)[Rating.AGAIN]
    assert isinstance(lapsed.state, Learning)
    assert lapsed.state.relearning
    assert timedelta() < lapsed.interval < DAY / 2


@pytest.mark.parametrize("zero", [17, 18])
def test_without_growth_within_a_day_all_intervals_are_in_days(zero: int) -> None:
    parameters = tuple(0.0 if n == zero else w for n, w in enumerate(Config().parameters))
    bare = Config(learning_steps=(), relearning_steps=(), parameters=parameters)
    offered = preview(New(), NOON, "a", bare)
    assert None not in [whole_days(offered[rating]) for rating in Rating]


def test_a_line_without_a_promise_is_scheduled_as_before() -> None:
    """So a journal of imports, or of an older program, leads to the days that it led to."""
    bare = Config(learning_steps=(), relearning_steps=(), desired_retention=0.95, fuzz=False)
    events = [review(Rating.AGAIN), review(HARD, at=NOON + 3 * DAY, random=1)]
    state = replay(events, bare)["a"]
    assert isinstance(state, Review)
    exact = Fsrs6(bare.parameters).interval(state.memory, 0.95)
    assert state.interval == max(round(exact), 1)


# Anki itself: what its own scheduler (26.9, fuzz off) offered for random cards, recorded in
# anki_states.json with the time that was left of the day.

RECORDED = json.loads((Path(__file__).parent / "anki_states.json").read_text())


def state_of(case: dict[str, Any], now: datetime) -> ItemState:
    memory, relearning = Memory(case["stability"], case["difficulty"]), case["kind"] == "relearning"
    if case["kind"] == "new":
        return New()
    if case["kind"] == "review":
        return in_review(memory, case["interval"], case["elapsed"])
    own = case["relearning"] if relearning else case["steps"]
    at = now - case["elapsed"] * DAY
    step = max(len(own) - case["left"], 0)
    return Learning(memory, step, at, at, study_day(at, FOUR), 3, 1, relearning)


@pytest.mark.parametrize("kind", ["new", "learning", "review", "relearning"])
def test_the_four_intervals_are_ankis(kind: str) -> None:
    """Anki cuts seconds from a number of 24 bits, and holds no lapse to the longest interval."""
    now = day_start(NOON.date() + DAY, FOUR, NOON) - timedelta(seconds=RECORDED["until"])
    known = zip(RECORDED["cases"], RECORDED["found"], strict=True)
    for case, found in ((case, found) for case, found in known if case["kind"] == kind):
        config = Config(
            desired_retention=case["retention"],
            learning_steps=spans(case["steps"]),
            relearning_steps=spans(case["relearning"]),
            maximum_interval=case["longest"],
            fuzz=False,
        )
        offered = preview(state_of(case, now), now, "a", config)
        for schedule, (days, seconds) in zip(offered.values(), found, strict=True):
            after = schedule.state
            if isinstance(after, Review):
                assert after.interval == min(days, case["longest"]), case
            else:
                assert (study_day(after.due, FOUR) - after.day).days == days, case
                assert days or abs(schedule.interval.total_seconds() - seconds) <= 1.5, case


# What the fold makes of lines that promise nothing.


def advance(
    state: ItemState, rating: Rating, at: datetime, day: date, item: str, config: Config
) -> Learning | Review:
    """What the fold makes of an answer whose line promises nothing."""
    track = ReplayCursor(item, config, state)
    track.answer(rating, at, day)
    after = track.state()
    assert not isinstance(after, New)
    return after


def answered(*ratings: Rating, config: Config = EXACT) -> ItemState:
    """The state after answers ten minutes apart."""
    state: ItemState = New()
    for number, rating in enumerate(ratings):
        at = later(minutes=10 * number)
        state = advance(state, rating, at, study_day(at, FOUR), "a", config)
    return state


# Learning steps.


def test_forgetting_in_review_is_a_lapse_and_relearns_and_fewer_steps_strand_no_item() -> None:
    state = answered(Rating.EASY, Rating.AGAIN)
    assert isinstance(state, Learning)
    assert (state.relearning, state.lapses) == (True, 1)
    back = answered(Rating.EASY, Rating.AGAIN, Rating.GOOD)
    assert isinstance(back, Review)
    assert back.lapses == 1
    fewer = Config(learning_steps=(timedelta(minutes=1),))
    assert isinstance(advance(answered(GOOD), HARD, NOON, NOON.date(), "a", fewer), Review)


@pytest.mark.parametrize("steps", [(), (1,), (1, 10), (1, 10, 60)])
def test_intervals_agree_with_py_fsrs(steps: tuple[int, ...]) -> None:
    spans = tuple(timedelta(minutes=step) for step in steps)
    config = Config(learning_steps=spans, fuzz=False, maximum_interval=300)
    scheduler = py_fsrs.Scheduler(learning_steps=spans, enable_fuzzing=False, maximum_interval=300)
    rng = random.Random(3)
    for _ in range(60):
        card, at = py_fsrs.Card(), NOON
        state: ItemState = New()
        for _ in range(rng.randint(1, 10)):
            rating = Rating(rng.randint(1, 4))
            card, _ = scheduler.review_card(card, py_fsrs.Rating(int(rating)), at)
            state = advance(state, rating, at, study_day(at, FOUR), "a", config)
            if isinstance(state, Learning):
                assert state.due == card.due
            else:
                assert state.interval == (card.due - at).days
            at += timedelta(days=rng.choice((0, 1, 3, 30)))


# Study days.


def test_ten_in_the_evening_to_eight_in_the_morning_is_one_day() -> None:
    evening = datetime(2026, 11, 21, 22, tzinfo=PRAGUE)
    morning = datetime(2026, 11, 22, 8, tzinfo=PRAGUE)
    first = advance(New(), Rating.EASY, evening, study_day(evening, FOUR), "a", EXACT)
    second = advance(first, Rating.GOOD, morning, study_day(morning, FOUR), "a", EXACT)
    same = advance(first, Rating.GOOD, morning, first.day, "a", EXACT)
    assert second.memory.stability > same.memory.stability == first.memory.stability


def test_a_time_without_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        study_day(datetime(2026, 11, 21, 12), FOUR)


def test_a_clock_set_back_counts_as_the_same_day() -> None:
    first = advance(New(), Rating.EASY, NOON, NOON.date(), "a", EXACT)
    back = later(days=-400)
    state = advance(first, Rating.GOOD, back, back.date(), "a", EXACT)
    assert state.memory.stability == first.memory.stability
    assert recall(state, back.date() - timedelta(days=9), EXACT) == 1


# Fuzz.


@given(st.integers(1, 36500), st.integers(1, 36500), st.text(max_size=9), st.integers(1, 99))
def test_fuzz_stays_in_its_range_below_the_maximum_and_never_turns_two_intervals_round(
    interval: int, maximum: int, item: str, repetitions: int
) -> None:
    interval = min(interval, maximum)
    lowest, highest = fuzz_range(interval, maximum)
    result = fuzzed(interval, maximum, item, repetitions)
    assert 1 <= lowest <= result <= highest <= maximum
    assert lowest <= interval <= highest
    assert result <= fuzzed(min(interval + 1, maximum), maximum, item, repetitions)


def test_fuzz_uses_its_whole_range() -> None:
    lowest, highest = fuzz_range(10, 36500)
    found = {fuzzed(10, 36500, f"card{number}", 3) for number in range(200)}
    assert found == set(range(lowest, highest + 1))


# What an answer promised holds: courses, loads, easy days, leeches, resets, reschedules.


def test_a_course_has_its_own_retention_and_steps(root: Path) -> None:
    write_card(root, "a", course="Hard one")
    write_card(root, "b")
    configure(
        root,
        'fuzz = false\n[courses."Hard one"]\ndesired_retention = 0.97\nlearning_steps = ["3m"]\n',
    )
    collection = opened(root)
    for item in "ab":
        collection.rate(item, GOOD, NOON, 0)
        collection.rate(item, EASY, later(minutes=20), 0)
    own, other = (collection.state(item) for item in "ab")
    assert isinstance(own, Review)
    assert isinstance(other, Review)
    assert own.memory == other.memory
    assert own.interval < other.interval
    assert opened(root).state("a") == collection.state("a")
    again = collection.preview("a", later(days=9))[AGAIN]
    assert again.interval == timedelta(minutes=10)


@given(st.integers(1, 400), st.text(max_size=5), st.integers(1, 9), st.data())
def test_balanced_days_stay_in_the_range_and_in_the_order_of_the_ratings(
    interval: int, item: str, repetitions: int, data: st.DataObject
) -> None:
    shares = data.draw(st.lists(st.sampled_from([0.0, 0.1, 1.0]), min_size=500, max_size=500))

    def weight(days: int) -> float:
        return shares[days]

    longer = interval + data.draw(st.integers(0, 30))
    first, second = (balanced(i, 36500, item, repetitions, weight) for i in (interval, longer))
    lowest, highest = fuzz_range(interval, 36500)
    assert lowest <= first <= highest
    if any(shares[lowest : highest + 1]):
        assert shares[first] > 0
        if any(shares[slice(*fuzz_range(longer, 36500))]):
            assert first <= second


def test_full_days_are_avoided_and_easy_days_take_their_share(root: Path) -> None:
    configure(root, "easy_days = {sat = 0, sun = 0}\nnew_per_day = 999\n")
    for number in range(120):
        write_card(root, f"card{number}")
    collection = opened(root)
    for number in range(120):
        collection.rate(f"card{number}", EASY, NOON, 0)
    states = [collection.state(f"card{number}") for number in range(120)]
    days = [state.due_day for state in states if isinstance(state, Review)]
    assert len(days) == 120
    assert not {day.weekday() for day in days} & {5, 6}
    counts = [days.count(day) for day in set(days)]
    assert max(counts) - min(counts) <= len(days) // len(counts) // 2


@pytest.mark.parametrize(("action", "aside"), [("mark", False), ("suspend", True)])
def test_a_leech_is_found_and_put_aside_if_so_wished(root: Path, action: str, aside: bool) -> None:
    write_card(root, "a")
    configure(root, f'leech_lapses = 2\nleech_action = "{action}"\nrelearning_steps = []\n')
    collection = opened(root)
    collection.rate("a", EASY, NOON, 0)
    for day in (30, 60):
        assert not collection.is_suspended("a")
        collection.rate("a", AGAIN, later(days=day), 0)
    assert collection.is_suspended("a") == opened(root).is_suspended("a") == aside
    assert collection.search("is:leech", NOON) == ["a"]
    if aside:
        collection.suspend("a", later(days=61), on=False)
        assert not opened(root).is_suspended("a")
        collection.undo(later(days=62))
        assert not collection.is_suspended("a")


def test_a_reset_makes_an_item_new_and_keeps_its_history(root: Path) -> None:
    write_card(root, "a")
    collection = opened(root)
    collection.rate("a", EASY, NOON, 0)
    collection.record("a", Reset(), later(days=1))
    assert collection.state("a") == opened(root).state("a") == New()
    collection.rate("a", GOOD, later(days=2), 0)
    state = collection.state("a")
    assert isinstance(state, Learning)
    assert state.repetitions == 1
    assert len(collection.search("rated:9", later(days=2))) == 1


def test_items_are_moved_at_once_and_an_undo_puts_them_back() -> None:
    events = [review(EASY, "a"), review(EASY, "b", random=1), review(GOOD, "c", random=2)]
    day = later(days=50).date()
    move = event(Rescheduled({"a": day, "c": day, "z": day}), "", later(days=1))
    before, after = replay(events, EXACT), replay([*events, move], EXACT)
    assert isinstance(after["a"], Review)
    assert after["a"].due_day == day
    assert (after["b"], after["c"]) == (before["b"], before["c"])
    undo = event(Undone(move.id), "", later(days=2))
    assert replay([*events, move, undo], EXACT) == before


@given(st.floats(0.5, 400), st.integers(0, 60), st.floats(0.75, 0.97))
def test_a_new_due_day_is_what_the_settings_promise_but_never_in_the_past(
    stability: float, since: int, wanted: float
) -> None:
    config = Config(fuzz=False, desired_retention=wanted)
    day = NOON.date()
    state = Review(Memory(stability, 5.0), 10, day + timedelta(10), NOON, day, 3, 0)
    today = day + timedelta(days=since)
    due = rescheduled(state, "a", config, today)
    exact = max(round(fsrs.Fsrs6(config.parameters).interval(Memory(stability, 5.0), wanted)), 1)
    assert due == max(today, day + timedelta(days=exact))


class HalfLife(Fsrs6):
    """Another model: each recall doubles the stability."""

    name = "half-life"
    defaults: tuple[float, ...] = (4.0,)
    bounds: tuple[tuple[float, float], ...] = ((1.0, 9.0),)

    def __init__(self, parameters: Sequence[float]) -> None:
        super().__init__(fsrs.DEFAULT_PARAMETERS)
        self.first = parameters[0]

    def initial(self, rating: int) -> Memory:  # noqa: ARG002
        return Memory(self.first, 5.0)

    def follow(
        self, memory: Memory, ratings: Iterable[int], elapsed: Iterable[int]
    ) -> tuple[Memory, list[Met]]:
        met: list[Met] = []
        for rating, days in zip(ratings, elapsed, strict=True):
            met.append((memory.stability, self.recall(memory, days) if days > 0 else None))
            memory = Memory(memory.stability * (2 if rating > 1 else 0.5), 5.0)
        return memory, met


def test_another_model_folds_the_same_journal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MODELS, "half-life", HalfLife)
    half_life = Config(model="half-life", parameters=(4.0,), fuzz=False)
    events = [review(EASY), review(GOOD, at=later(days=4)), review(GOOD, at=later(days=12))]
    state = replay(events, half_life)["a"]
    assert isinstance(state, Review)
    assert (state.memory, state.interval) == (Memory(16.0, 5.0), 16)
