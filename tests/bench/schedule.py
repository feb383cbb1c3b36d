"""The schedule beside the two FSRS libraries it is pinned to, and the time that exam plans take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import fsrs as py_fsrs
import fsrs_rs_python as fsrs_rs

from deck.fsrs import DEFAULT_PARAMETERS, Fsrs6
from tests.bench.figures import Figure, median_ms
from tests.deck.test_exam import course, exam_in
from tests.deck.test_fsrs import History, histories, remembered

Peer = Callable[[History], tuple[float, float]]
"""The stability and difficulty that a library gives after a history."""


def figures() -> Iterator[Figure]:
    given = histories(seed=2026, count=10_000)
    peers: dict[str, Peer] = {"py-fsrs": _py_fsrs, "fsrs-rs-python": _fsrs_rs}
    for name, peer in peers.items():
        worst = max(_difference(history, peer) for history in given)
        yield Figure(f"FSRS-6 against {name}, 10,000 histories", worst, 1e-5, "")
    for count, asked in ((1_000, 300), (10_000, 3_000)):
        stakes = course(count)
        target = round(sum(stake.points for stake in stakes) * 0.9)
        name = f"exam plan of {count:,} items, target out of reach"
        taken = median_ms(lambda: exam_in(30, stakes, target=target).reach, runs=5)  # noqa: B023
        yield Figure(name, taken, asked, "ms")


def _difference(history: History, peer: Peer) -> float:
    ours = remembered(Fsrs6(DEFAULT_PARAMETERS), history)
    stability, difficulty = peer(history)
    return max(
        abs(ours.stability - stability) / stability, abs(ours.difficulty - difficulty) / difficulty
    )


def _fsrs_rs(history: History) -> tuple[float, float]:
    reviews = [fsrs_rs.FSRSReview(int(rating), days) for rating, days in history]
    state = fsrs_rs.FSRS(list(DEFAULT_PARAMETERS)).memory_state(fsrs_rs.FSRSItem(reviews))
    return state.stability, state.difficulty


def _py_fsrs(history: History) -> tuple[float, float]:
    scheduler = py_fsrs.Scheduler(parameters=DEFAULT_PARAMETERS, enable_fuzzing=False)
    card, at = py_fsrs.Card(), datetime(2026, 1, 1, 12, tzinfo=UTC)
    for rating, elapsed in history:
        at += timedelta(days=elapsed)
        card, _ = scheduler.review_card(card, py_fsrs.Rating(int(rating)), at)
    return float(card.stability or 0), float(card.difficulty or 0)
