"""Every figure equals what a slow, obvious reading of the journal gives."""

from __future__ import annotations

from datetime import date, timedelta
from math import log
from statistics import mean, median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck import Collection
from deck.config import model_of
from deck.events import Checked, Event
from deck.fsrs import Rating
from deck.replay import Answer, ItemState, New, Review, answers_of, replay
from deck.stats import Statistics, checks
from tests.deck.given import EXACT, NOON, append_events, configure, event, later, review, write_card

TODAY = NOON.date()
ANSWERS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(Rating), st.integers(0, 60 * 24 * 40)),
    max_size=25,
)
SEARCHES = st.sampled_from(["", "id:*"])
"""All items, and the same as some that a search found: two ways through the index."""
Given = list[tuple[str, Rating, int]]
Folders = pytest.TempPathFactory


def journal(given_answers: Given) -> list[Event]:
    """Answers so many minutes after each other, the last one now."""
    at = NOON - timedelta(minutes=sum(wait for *_, wait in given_answers))
    events = []
    for number, (item, rating, wait) in enumerate(given_answers):
        at += timedelta(minutes=wait)
        events.append(review(rating, item, at, random=number))
    return sorted(events, key=lambda known: known.id)


def answers(events: list[Event]) -> list[Answer]:
    found: list[Answer] = []
    for item in "abc":
        found += answers_of(item, [e for e in events if e.item == item], set(), EXACT)
    return found


def counted(folders: Folders, events: list[Event], days: int = 365, search: str = "") -> Statistics:
    """Of the items a, b and c, of which c is suspended."""
    root = folders.mktemp("cards")
    configure(root, "fuzz = false\n")
    for item in "abc":
        write_card(root, item, status="suspended" if item == "c" else "to_learn")
    append_events(root / ".deltadeck", events)
    collection = Collection.open(root, NOON, "desk")
    found = collection.statistics(NOON, search, days)
    collection.close()
    return found


def is_review(answer: Answer) -> bool:
    return isinstance(answer.before, Review)


def recalled(answer: Answer) -> bool:
    return answer.event.rating != Rating.AGAIN


@given(ANSWERS, st.sampled_from([1, 30, 365]), SEARCHES)
def test_days_hours_ratings_and_retention_are_those_of_the_journal(
    tmp_path_factory: Folders, given_answers: Given, days: int, search: str
) -> None:
    events = journal(given_answers)
    span = [a for a in answers(events) if TODAY - timedelta(days=days) < a.event.day <= TODAY]
    stats = counted(tmp_path_factory, events, days, search)
    assert {d.day: d.count for d in stats.days} == {
        day: sum(a.event.day == day for a in span) for day in {a.event.day for a in span}
    }
    assert sum(d.minutes for d in stats.days) == pytest.approx(len(span) / 60)
    for hour, share in enumerate(stats.hours):
        then = [a for a in span if is_review(a) and a.event.at.hour == hour]
        assert (share.right, share.of) == (sum(map(recalled, then)), len(then))
    for place, rating in enumerate(Rating):
        given_so = sum(a.event.rating == rating for a in span)
        assert sum(counts[place] for counts in stats.ratings.values()) == given_so
    of = [a for a in answers(events) if is_review(a)]
    assert stats.retention[-1].all.of == len(of)
    assert stats.retention[-1].all.right == sum(map(recalled, of))
    span_reviews = [a for a in span if is_review(a)]
    shares = [share for day in stats.days for share in (day.young, day.mature)]
    assert sum(share.of for share in shares) == len(span_reviews)
    assert sum(share.right for share in shares) == sum(map(recalled, span_reviews))
    today = [a for a in of if a.event.day == TODAY]
    assert stats.retention[0].all.right == sum(map(recalled, today))


@given(ANSWERS, SEARCHES)
def test_calibration_is_predicted_against_actual(
    tmp_path_factory: Folders, given_answers: Given, search: str
) -> None:
    events = journal(given_answers)
    pairs, loss = [], 0.0
    for answer in answers(events):
        before = answer.before
        if not isinstance(before, Review) or answer.event.day <= before.day:
            continue
        elapsed = (answer.event.day - before.day).days
        chance = model_of(EXACT).recall(before.memory, elapsed)
        pairs.append((chance, recalled(answer)))
        loss -= log(chance if recalled(answer) else 1 - chance)
    found = counted(tmp_path_factory, events, 100_000, search).calibration
    assert found.answers == len(pairs)
    if pairs:
        assert found.predicted == pytest.approx(sum(p for p, _ in pairs) / len(pairs))
        assert found.actual == pytest.approx(sum(r for _, r in pairs) / len(pairs))
        assert found.log_loss == pytest.approx(loss / len(pairs))
        square = 0.0
        for low in range(20):
            inside = [(p, r) for p, r in pairs if low / 20 <= p < (low + 1) / 20]
            if inside:
                gap = sum(p for p, _ in inside) - sum(r for _, r in inside)
                square += gap**2 / len(inside)
        assert found.error == pytest.approx((square / len(pairs)) ** 0.5)


@given(ANSWERS, SEARCHES)
def test_memories_standing_and_forecast_are_those_of_the_states(
    tmp_path_factory: Folders, given_answers: Given, search: str
) -> None:
    events = journal(given_answers)
    states = replay(events, EXACT)
    studied = [states[item] for item in "ab" if item in states]
    stats = counted(tmp_path_factory, events, search=search)
    expected = [model_of(EXACT).recall(s.memory, (TODAY - s.day).days)
                for s in studied if not isinstance(s, New)]  # fmt: skip
    assert stats.memories.remembered == pytest.approx(sum(expected))
    assert sum(stats.memories.stability.counts) == len(studied)
    for drawn, values in (
        (stats.memories.stability, [s.memory.stability for s in studied if not isinstance(s, New)]),
        (stats.memories.retrievability, expected),
        (stats.memories.intervals, [s.interval for s in studied if isinstance(s, Review)]),
    ):
        edges = [*drawn.edges[1:], float("inf")]
        inside = [sum(value < edge for value in values) for edge in edges]
        assert [sum(drawn.counts[: n + 1]) for n in range(len(edges))] == inside
        assert drawn.median == (pytest.approx(median(values)) if values else None)
        assert drawn.mean == (pytest.approx(mean(values)) if values else None)
    assert stats.standing.suspended == 1
    assert stats.standing.new == 2 - len(studied)
    for ahead, count in enumerate(stats.forecast):
        assert count == sum(falls_due(state, ahead) for state in studied)
    assert stats.overdue == sum(due_day(state) < TODAY for state in studied)


def falls_due(state: ItemState, ahead: int) -> bool:
    if isinstance(state, New):
        return False
    return (max(due_day(state), TODAY) - TODAY).days == ahead


def due_day(state: ItemState) -> date:
    if isinstance(state, New):
        return date.max
    return state.due_day if isinstance(state, Review) else (state.due - timedelta(hours=4)).date()


@given(st.sets(st.integers(0, 30)))
def test_a_streak_is_the_days_in_a_row(tmp_path_factory: Folders, days: set[int]) -> None:
    events = [review(at=later(days=-ago)) for ago in sorted(days, reverse=True)]
    found = counted(tmp_path_factory, events, days=9).streak
    start = 0 if 0 in days else 1
    current = next(n for n in range(33) if start + n not in days)
    assert (found.current, found.studied) == (current, len(days))
    runs = [n for n in range(32) for d in days if all(d + k in days for k in range(n))]
    assert found.longest == max(runs, default=0)


def test_checks_are_counted_with_their_misconceptions() -> None:
    wrong = {"verdict": "wrong", "misconception": "sums instead of picking"}
    events = [
        event(Checked(wrong), "a"),
        event(Checked(wrong), "a", later(days=-3), random=1),
        event(Checked({"verdict": "correct"}), "a", random=2),
        event(Checked({"verdict": "unreadable"}), "b", random=3),
        review(random=4),
    ]
    found = checks(events)
    assert (found.checked, found.items, found.solved) == (4, 2, 1)
    assert next(iter(found.verdicts.items())) == ("wrong", 2)
    assert found.misconceptions == {"sums instead of picking": 2}
    assert found.last == {"sums instead of picking": TODAY}


def test_all_of_it_is_plain_data(tmp_path_factory: Folders) -> None:
    events = journal([("a", Rating.EASY, 0), ("a", Rating.GOOD, 90000), ("b", Rating.HARD, 5)])
    plain = counted(tmp_path_factory, events).as_dict()

    def check(value: object) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                assert isinstance(key, str)
                check(inner)
        elif isinstance(value, list | tuple):
            for inner in value:
                check(inner)
        else:
            assert value is None or isinstance(value, str | int | float)
            assert not isinstance(value, date)

    check(plain)
