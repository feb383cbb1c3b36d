"""The queue of what the index selects is the queue of everything."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck.cards import CardStore
from deck.config import Config, Course, NewOrder, ReviewOrder
from deck.decks import count_decks
from deck.events import Buried, Event, LimitsRaised, Suspended
from deck.fsrs import Rating
from deck.history import History
from deck.index import candidates as select
from deck.index.candidates import all_decks, inside
from deck.index.cards import summaries_of
from deck.index.store import Store
from deck.queue import Counts, TodaysAnswer, build_queue, room
from deck.study_day import day_start
from tests.deck.given import CLOZE, NOON, append_events, event, later, review, write_card

#: Cards of two courses in three folders; every third one has two items.
CARDS = [(f"card{number:02d}", number) for number in range(18)]
ITEMS = [
    item
    for card, number in CARDS
    for item in ([f"{card}/c1", f"{card}/c2"] if number % 3 == 0 else [card])
]
DAY = NOON.date()

ORDERS: list[NewOrder] = ["easy", "path", "random"]
REVIEW_ORDERS = get_args(ReviewOrder)
CONFIGS = st.builds(
    Config,
    new_per_day=st.integers(0, 5),
    reviews_per_day=st.integers(0, 5),
    bury_siblings=st.booleans(),
    new_order=st.sampled_from(ORDERS),
    review_order=st.sampled_from(REVIEW_ORDERS),
    interleave=st.booleans(),
    courses=st.fixed_dictionaries(
        {},
        optional={
            "B": st.builds(
                Course,
                new_per_day=st.integers(0, 3),
                reviews_per_day=st.none() | st.integers(0, 3),
            )
        },
    ),
)
ANSWERS = st.tuples(st.sampled_from(ITEMS), st.sampled_from(Rating), st.integers(-40, 0))
WORDS = st.tuples(st.sampled_from(ITEMS), st.booleans())


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("select")
    for card, number in CARDS:
        folder = root / ("one", "two", "two/three")[number // 2 % 3]
        fields = {"course": "AB"[number % 2], "difficulty": number * 7 % 5 + 1}
        kind = "cloze" if number % 3 == 0 else "basic"
        write_card(folder, card, CLOZE if kind == "cloze" else "Why?", type=kind, **fields)
    return root


@given(
    CONFIGS, st.lists(ANSWERS, max_size=15), st.lists(WORDS, max_size=3), st.integers(-2, 3),
    st.lists(st.sampled_from(ITEMS), max_size=3),
)  # fmt: skip
def test_the_queue_of_a_selection_is_the_queue_of_all(
    tmp_path_factory: pytest.TempPathFactory, cards: Path, config: Config,
    answers: list[tuple[str, Rating, int]], words: list[tuple[str, bool]], more: int,
    today: list[str],
) -> None:  # fmt: skip
    private = tmp_path_factory.mktemp("select") / ".deltadeck"
    append_events(private, _events(answers, words))
    store = Store(private / "index.sqlite")
    CardStore(cards, store).scan()
    History(store, private, config).refresh()
    done = [_done(store, item) for item in today]
    raised = [LimitsRaised(more, -more), LimitsRaised(0, 1, "B")]
    found = all_decks(store.db)
    for key in [None, "A", "B", "A › one", "B › two", "A › two › three"]:
        these = inside(found, key)
        some = select.select(store.db, these, DAY, config, done, raised)
        every = select.everything(store.db, these, DAY)
        queues = [build_queue(these, done, NOON, config, raised) for these in (some, every)]
        assert queues[0] == queues[1]
    new, reviews = (room(kind, done, config, raised) for kind in ("new", "review"))
    ends = day_start(DAY + timedelta(days=1), config.rollover, NOON)
    folders = select.available(store.db, DAY, ends, config, done, max(new.overall, 0) + 1)
    for deck in count_decks(folders, new, reviews):
        every = select.everything(store.db, inside(found, deck.key), DAY)
        queue = build_queue(every, done, NOON, config, raised)
        assert Counts(deck.new, deck.learning, deck.due) == queue.counts
        assert deck.held == queue.held
    store.close()


def _events(answers: list[tuple[str, Rating, int]], words: list[tuple[str, bool]]) -> list[Event]:
    events = [
        review(rating, item, later(days=days), random=number)
        for number, (item, rating, days) in enumerate(answers)
    ]
    for number, (item, on) in enumerate(words):
        what = Suspended(on) if number % 2 else Buried(DAY + timedelta(days=int(on)))
        events.append(event(what, item, random=100 + number))
    return events


def _done(store: Store, item: str) -> TodaysAnswer:
    where = summaries_of(store.db, [item])[item]
    return TodaysAnswer(item, *where[:2], "new")
