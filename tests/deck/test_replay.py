"""The schedule is a pure function of the journal."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from deck.events import Event, Reviewed, Suspended, Undone, Unknown, is_event_id, next_id
from deck.fsrs import Rating
from deck.replay import replay
from tests.deck.given import CONFIG, NOON, event, later, review

STEPS = st.tuples(
    st.sampled_from(["review", "review", "review", "undo", "suspend", "news"]),
    st.sampled_from("abc"),
    st.sampled_from(Rating),
    st.integers(-30, 60),
)


@st.composite
def journals(draw: st.DrawFn) -> list[Event]:
    """Events of two devices, whose clocks jump about, with undos of earlier reviews."""
    events: list[Event] = []
    now, seen = NOON, {0: "", 1: ""}
    for number, (kind, item, rating, days) in enumerate(draw(st.lists(STEPS, max_size=14))):
        device = draw(st.integers(0, 1))
        now += timedelta(days=days, minutes=number)
        reviews = [known for known in events if isinstance(known.what, Reviewed)]
        if kind == "undo" and reviews:
            target = draw(st.sampled_from(reviews))
            new = event(Undone(target.id), target.item, now, seen[device], number)
        elif kind == "suspend":
            new = event(Suspended(bool(days % 2)), item, now, seen[device], number)
        elif kind == "news":
            new = event(Unknown("dream"), item, now, seen[device], number)
        else:
            new = review(rating, item, now, seen[device], number)
        seen[device] = new.id
        events.append(new)
    return events


@given(journals(), st.randoms(use_true_random=False))
def test_the_order_of_reading_changes_nothing(events: list[Event], rng: object) -> None:
    mixed = [*events, *events[:3]]
    getattr(rng, "shuffle")(mixed)  # noqa: B009
    assert replay(mixed, CONFIG) == replay(events, CONFIG)


@given(journals(), st.data())
def test_an_undone_review_was_never_given(events: list[Event], data: st.DataObject) -> None:
    reviews = [known for known in events if isinstance(known.what, Reviewed)]
    if not reviews:
        return
    target = data.draw(st.sampled_from(reviews))
    undo = event(Undone(target.id), target.item, later(days=999), random=77)
    without = [known for known in events if known != target]
    assert replay([*events, undo], CONFIG) == replay(without, CONFIG)


def test_two_events_under_one_id_give_the_same_choice_in_either_order() -> None:
    good, easy = review(Rating.GOOD), review(Rating.EASY)
    assert good.id == easy.id
    assert replay([good, easy], CONFIG) == replay([easy, good], CONFIG)


def test_dates_far_apart_do_not_break_the_fold() -> None:
    far = review(Rating.EASY, at=NOON.replace(year=2999, month=12))
    back = review(Rating.EASY, at=NOON.replace(year=1970), seen=far.id)
    assert len(replay([review(Rating.EASY), far, back], CONFIG)) == 1


@given(st.lists(st.integers(-(10**8), 10**8), min_size=1, max_size=30), st.binary(min_size=8))
def test_a_later_id_always_sorts_later_whatever_the_clock_says(
    clock: list[int], random: bytes
) -> None:
    ids = [""]
    for seconds in clock:
        ids.append(next_id(ids[-1], later(seconds=seconds), random))
    assert ids == sorted(set(ids))
    assert all(map(is_event_id, ids[1:]))


def test_more_ids_than_the_counter_holds_in_one_millisecond_still_ascend() -> None:
    ids = [next_id("", NOON, bytes(8))]
    for _ in range(5000):
        ids.append(next_id(ids[-1], NOON, bytes(8)))
    assert ids == sorted(set(ids))
