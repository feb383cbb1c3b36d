"""The four intervals: their laws, and Anki's own beside them."""

from __future__ import annotations

import json
import os
import random
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deck.collection import Collection
from deck.config import Config
from deck.events import Interval, LearningStep, Reviewed
from deck.fsrs import Fsrs6, Memory, Rating
from deck.replay import (
    ItemState,
    Learning,
    Load,
    New,
    ReplayCursor,
    Review,
    Schedule,
    fuzz_range,
    preview,
    replay,
)
from deck.study_day import day_start, study_day
from tests.deck.given import NOON, configure, review, write_card

HARD, GOOD, EASY = Rating.HARD, Rating.GOOD, Rating.EASY
DAY = timedelta(days=1)
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


def test_a_step_of_a_day_is_asked_from_the_next_roll_over_on(root: Path) -> None:
    write_card(root, "a")
    configure(root, 'learning_steps = ["1d"]\n')
    evening = NOON + timedelta(hours=10)
    collection = Collection.open(root, evening, "desk")
    shown = collection.preview("a", evening)[Rating.AGAIN]
    event = collection.rate("a", Rating.AGAIN, evening, 0)
    assert isinstance(event.what, Reviewed)
    assert event.what.promise == LearningStep(0, timedelta(hours=6))
    assert shown.state == collection.state("a") == Collection.open(root, evening).state("a")
    assert collection.queue(evening, None).next_due == evening + timedelta(hours=6)
    assert collection.queue(evening + timedelta(hours=5, minutes=59)).entries == ()
    assert len(collection.queue(evening + timedelta(hours=6)).entries) == 1


@pytest.mark.parametrize("steps", ["[]", '["1m", "10m"]', '["1d", "3d"]', '["10h"]'])
def test_what_a_key_shows_is_what_is_recorded(root: Path, steps: str) -> None:
    write_card(root, "a")
    configure(
        root,
        f"desired_retention = 0.95\nlearning_steps = {steps}\nrelearning_steps = {steps}\n",
    )
    chance, now = random.Random(7), NOON
    collection = Collection.open(root, now, "desk")
    for _ in range(25):
        rating = Rating(chance.choices([1, 2, 3, 4], [4, 3, 6, 1])[0])
        shown = collection.preview("a", now)[rating]
        collection.rate("a", rating, now, 0)
        assert collection.state("a") == shown.state
        now = shown.due + timedelta(minutes=chance.randint(0, 2000))
    assert Collection.open(root, now).state("a") == shown.state


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


# Anki itself.

_SCRIPT = Path(__file__).parent / "anki_states.py"
#: Days until it is due, and the seconds of a step.
Offered = tuple[int, int | None]
_RETENTIONS = (0.8, 0.85, 0.9, 0.93, 0.95, 0.97)


def cases(seed: int, count: int) -> list[dict[str, Any]]:
    chance = random.Random(seed)
    found = []
    for _ in range(count):
        kind = chance.choice(["new", "learning", "review", "review", "relearning"])
        steps, relearning = chance.choice(STEPS), chance.choice(STEPS[:6])
        own = relearning if kind == "relearning" else steps
        interval = chance.choice((1, 2, chance.randint(1, 20), chance.randint(1, 400)))
        found.append(
            {
                "kind": kind,
                "steps": steps,
                "relearning": relearning,
                "retention": chance.choice(_RETENTIONS),
                # In learning, Anki 26.9 panics where Good comes to the longest interval.
                "longest": chance.choice((36_500, 60)) if kind == "review" else 36_500,
                "stability": round(10 ** chance.uniform(-1.5, 3), 4),
                "difficulty": round(chance.uniform(1, 10), 3),
                "interval": interval,
                "elapsed": chance.choice((0, 1, interval, chance.randint(0, 2 * interval))),
                "left": chance.randint(1, len(own)) if own else 0,
            }
        )
    return found


def ours(case: dict[str, Any], until: timedelta) -> list[Offered]:
    """As `anki_states.py` says it."""
    config = Config(
        desired_retention=case["retention"],
        learning_steps=spans(case["steps"]),
        relearning_steps=spans(case["relearning"]),
        maximum_interval=case["longest"],
        fuzz=False,
    )
    now = day_start(NOON.date() + DAY, config.rollover, NOON) - until
    memory = Memory(case["stability"], case["difficulty"])
    state: ItemState = New()
    if case["kind"] == "review":
        state = in_review(memory, case["interval"], case["elapsed"])
    elif case["kind"] != "new":
        own = case["relearning"] if case["kind"] == "relearning" else case["steps"]
        at = now - case["elapsed"] * DAY
        rest = (at, at, study_day(at, config.rollover), 3, 1, case["kind"] == "relearning")
        state = Learning(memory, max(len(own) - case["left"], 0), *rest)
    found: list[Offered] = []
    for schedule in preview(state, now, "a", config).values():
        after = schedule.state
        if isinstance(after, Review):
            found.append((after.interval, None))
        else:
            days = (study_day(after.due, config.rollover) - after.day).days
            found.append((days, round(schedule.interval.total_seconds())))
    return found


@pytest.mark.skipif("ANKI_PYTHON" not in os.environ, reason="ANKI_PYTHON names no Python with anki")
def test_the_four_intervals_are_ankis(tmp_path: Path) -> None:
    given = cases(int(os.environ.get("ANKI_SEED", "1")), int(os.environ.get("ANKI_CASES", "2500")))
    # A zone in which it is 11:17: near its roll-over, Anki shifts its clock in this mode.
    at = datetime.now(UTC)
    east = (11 - at.hour) * 60 + 17 - at.minute
    zone = {"TZ": f"XXX{'-' if east > 0 else '+'}{abs(east) // 60}:{abs(east) % 60:02d}"}
    done = subprocess.run(
        [os.environ["ANKI_PYTHON"], str(_SCRIPT), str(tmp_path)],
        input=json.dumps(given),
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | zone | {"ANKI_TEST_MODE": "1"},
    )
    said = json.loads(done.stdout.splitlines()[-1])
    until = timedelta(seconds=round(said["until"]))
    odd = [
        (case, theirs, here)
        for case, theirs in zip(given, said["found"], strict=True)
        if not alike(here := ours(case, until), theirs, case["longest"])
    ]
    # Of 24 bits, too: a half may be rounded the other way.
    assert len(odd) <= len(given) // 1000, odd


def alike(here: list[Offered], theirs: list[Offered], longest: int) -> bool:
    """Anki cuts seconds from a number of 24 bits, and holds no lapse to the longest interval."""
    for (days, seconds), (their_days, their_seconds) in zip(here, theirs, strict=True):
        if days != min(their_days, longest):
            return False
        if not days and abs((seconds or 0) - (their_seconds or 0)) > 1:
            return False
    return True
