"""A million reviews folded anew, as after a change of the parameters."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from datetime import timedelta

from deck.config import Config
from deck.events import RANDOM_BYTES, Event, Interval, Reviewed, next_id
from deck.fsrs import MODEL, Rating
from deck.replay import replay
from tests.bench.figures import Figure
from tests.bench.large import NOW

#: Journals are folded one after the other: a million events at once would fill a gigabyte.
_JOURNALS, _ITEMS, _EACH = 5, 20_000, 10


def figures() -> Iterator[Figure]:
    took = sum(_fold(seed) for seed in range(_JOURNALS))
    yield Figure("1,000,000 reviews folded", took, 3, "s")


def _fold(seed: int) -> float:
    events, config = list(_events(random.Random(seed))), Config()
    start = time.perf_counter()
    states = replay(events, config)
    took = time.perf_counter() - start
    assert len(states) == _ITEMS
    return took


def _events(chance: random.Random) -> Iterator[Event]:
    """Each item answered ten times, in the order of time."""
    parameters, seen = Config().parameters_hash, ""
    for number in range(_EACH):
        at = NOW - timedelta(days=20 * (_EACH - number))
        for item in range(_ITEMS):
            seen = next_id(seen, at, item.to_bytes(RANDOM_BYTES))
            rating = Rating(chance.choice((1, 2, 3, 3, 3, 4)))
            what = Reviewed(rating, 5000, MODEL, parameters, "reviewing", None, Interval(20))
            yield Event(seen, f"card{item:05d}", at, 0, at.date(), what)


if __name__ == "__main__":
    for figure in figures():
        print(figure)
