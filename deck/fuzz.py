"""Fuzz: spreads items that were learnt together, the same way in every replay.

The place inside the range comes from a hash of the item and of how often it was answered, so a
schedule stays a function of the journal.  All four ratings of one answer share that place: a
better rating never leads to a shorter interval.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b

#: (from day, to day, share): each band adds its share of the days inside it to the half-width.
BANDS = ((2.5, 7.0, 0.15), (7.0, 20.0, 0.10), (20.0, float("inf"), 0.05))

#: How welcome an item is so many days from its answer, 0 or more.
Weight = Callable[[int], float]


def fuzz_range(interval: float, maximum: int, least: int = 1) -> tuple[int, int]:
    """The shortest and longest interval that may stand for `interval`, in days, both included.

    Bands as in the FSRS reference implementations; below 2.5 days nothing is spread.
    1 <= `least` <= `interval` <= `maximum`.
    """
    if interval < BANDS[0][0]:
        return round(interval), round(interval)
    spread = 1.0 + sum(share * max(min(interval, high) - low, 0.0) for low, high, share in BANDS)
    highest = min(round(interval + spread), maximum)
    return min(max(2, least, round(interval - spread)), highest), highest


def fuzzed(interval: int, maximum: int, item_id: str, repetitions: int) -> int:
    """`interval` moved inside its `fuzz_range`, by a place that only the arguments decide."""
    lowest, highest = fuzz_range(interval, maximum)
    return lowest + _place(item_id, repetitions) * (highest - lowest + 1) // 2**64


def balanced(
    interval: int, maximum: int, item_id: str, repetitions: int, weight: Weight, least: int = 1
) -> int:
    """`fuzzed`, where the days of the range are taken as often as they are welcome; `least` days
    at least.

    As a day's weight is the same in every range that holds it, ranges that lie later lead, at one
    place, to days that lie no earlier (their distributions are ordered by likelihood ratio).
    Where no day is welcome, all are alike.
    """
    lowest, highest = fuzz_range(interval, maximum, least)
    weights = [weight(days) for days in range(lowest, highest + 1)]
    total = sum(weights)
    if total <= 0.0:
        weights, total = [1.0] * len(weights), float(len(weights))
    left = _place(item_id, repetitions) / 2**64 * total
    for days, share in enumerate(weights, lowest):
        left -= share
        if left < 0.0:
            return days
    return max(days for days, share in enumerate(weights, lowest) if share > 0.0)


def _place(item_id: str, repetitions: int) -> int:
    """0 <= place < 2^64."""
    seed = f"{repetitions}\0{item_id}".encode(errors="surrogatepass")
    return int.from_bytes(blake2b(seed, digest_size=8).digest())
