"""What a sitting asks next: the collection's own queue, asked as seldom as can be."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from deck.collection import Collection
from deck.fsrs import Rating
from tests.tui.driving import basic, write
from tui.study.session import LiveQueue

NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)


def collection_of(folder: Path, count: int) -> Collection:
    folder.mkdir()
    for number in range(count):
        write(folder, f"card{number}", basic(f"card{number}"))
    return Collection.open(folder, now=NOW, device="desk")


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(list(Rating)), st.integers(0, 700)), max_size=12),
    st.integers(1, 4),
)
def test_it_asks_what_the_collections_queue_would_ask(
    answers: list[tuple[Rating, int]], count: int
) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as home:
        collection, now = collection_of(Path(home) / "cards", count), NOW
        waiting = LiveQueue(collection, None)
        for rating, seconds in answers:
            asked, queue = waiting.current(now), collection.queue(now)
            known = {entry.item_id for entry in queue.entries}
            assert (asked is None) == (not known)
            assert waiting.left == len(known)
            if asked is None:
                assert waiting.next_due == queue.next_due
            else:
                assert asked in known
                collection.rate(asked, rating, now, 1000)
                waiting.answered(asked, int(rating))
            now += timedelta(seconds=seconds)
        collection.close()


def test_what_another_program_did_is_seen_once_it_is_told(tmp_path: Path) -> None:
    collection = collection_of(tmp_path / "cards", 2)
    waiting = LiveQueue(collection, None)
    assert waiting.current(NOW) == "card0"
    collection.suspend("card0", NOW)
    waiting.invalidate()
    assert waiting.current(NOW) == "card1"
    assert waiting.left == 1
