"""Fuzz: spreads items that were learnt together, the same way in every replay.

The place inside the range comes from a hash of the item and of how often it was answered, so a
schedule stays a function of the journal.  All four ratings of one answer share that place: a
better rating never leads to a shorter interval.
"""

from __future__ import annotations

from hashlib import blake2b

#: (from day, to day, share): each band adds its share of the days inside it to the half-width.
BANDS = ((2.5, 7.0, 0.15), (7.0, 20.0, 0.10), (20.0, float("inf"), 0.05))


def fuzz_range(interval: int, maximum: int) -> tuple[int, int]:
    """The shortest and longest interval that may stand for `interval`, in days, both included.

    Bands as in the FSRS reference implementations; below 2.5 days nothing is spread.
    """
    if interval < BANDS[0][0]:
        return interval, interval
    spread = 1.0 + sum(
        share * max(min(float(interval), high) - low, 0.0) for low, high, share in BANDS
    )
    highest = min(round(interval + spread), maximum)
    return min(max(2, round(interval - spread)), highest), highest


def fuzzed(interval: int, maximum: int, item_id: str, repetitions: int) -> int:
    """`interval` moved inside its `fuzz_range`, by a place that only the arguments decide."""
    lowest, highest = fuzz_range(interval, maximum)
    seed = f"{repetitions}\0{item_id}".encode(errors="surrogatepass")
    place = int.from_bytes(blake2b(seed, digest_size=8).digest())
    return lowest + place * (highest - lowest + 1) // 2**64
