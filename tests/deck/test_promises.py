"""What an answer promised holds: courses, loads, easy days, leeches, resets, reschedules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck import fsrs
from deck.collection import Collection
from deck.config import MODELS, Config, ModelSpec
from deck.events import Rescheduled, Reset, Undone
from deck.fsrs import Fsrs6, Memory, Rating
from deck.replay import Learning, New, Review, balanced, fuzz_range, replay, rescheduled
from tests.deck.given import EXACT, NOON, configure, event, later, opened, review, write_card

GOOD, EASY, AGAIN = Rating.GOOD, Rating.EASY, Rating.AGAIN


def reviewed(collection: Collection, item: str) -> Review:
    state = collection.state(item)
    assert isinstance(state, Review)
    return state


def test_a_due_day_once_shown_stays_when_settings_change(root: Path) -> None:
    write_card(root, "a")
    collection = opened(root)
    promised = collection.preview("a", NOON)[EASY]
    collection.rate("a", EASY, NOON, 0)
    configure(root, "desired_retention = 0.75\nfuzz = false\nlearning_steps = []\n")
    collection.reload(NOON)
    assert collection.state("a") == opened(root).state("a") == promised.state


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
    assert reviewed(collection, "a").memory == reviewed(collection, "b").memory
    assert reviewed(collection, "a").interval < reviewed(collection, "b").interval
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
    days: list[date] = []
    for number in range(120):
        collection.rate(f"card{number}", EASY, NOON, 0)
        days.append(reviewed(collection, f"card{number}").due_day)
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

    def __init__(self, parameters: Sequence[float]) -> None:
        super().__init__(fsrs.DEFAULT_PARAMETERS)
        self.first = parameters[0]

    def initial(self, rating: int) -> Memory:  # noqa: ARG002
        return Memory(self.first, 5.0)

    def after(self, memory: Memory, rating: int, elapsed: int) -> Memory:  # noqa: ARG002
        return Memory(memory.stability * (2 if rating > 1 else 0.5), 5.0)


@pytest.fixture
def half_life() -> Iterator[Config]:
    MODELS["half-life"] = ModelSpec(HalfLife, (4.0,), ((1.0, 9.0),))
    yield Config(model="half-life", parameters=(4.0,), fuzz=False)
    del MODELS["half-life"]


def test_another_model_folds_the_same_journal(half_life: Config) -> None:
    events = [review(EASY), review(GOOD, at=later(days=4)), review(GOOD, at=later(days=12))]
    states = replay(events, half_life)
    assert states["a"].memory == Memory(16.0, 5.0)  # type: ignore[union-attr]
    assert isinstance(states["a"], Review)
    assert states["a"].interval == 16
