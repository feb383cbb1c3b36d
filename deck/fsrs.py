"""FSRS-6: how a memory changes with each answer, as pure functions.

A memory is a stability S (days until recall has fallen to 90 %) and a difficulty D (1..10).
`w` below are the model's 21 parameters w0..w20, `rating` is G = 1..4, and elapsed time is in whole
study days.  Source of every formula: "The Algorithm" of the open-spaced-repetition project,
section FSRS-6; what follows its reference implementations beyond that text says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from math import exp

MODEL = "FSRS-6"

#: Fitted by the project on several hundred million reviews (FSRS-6 defaults).
DEFAULT_PARAMETERS = (
    *(0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796),
    *(1.4835, 0.0614, 0.2629, 1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542),
)
#: (lowest, highest) of each parameter: outside them the formulas lose their meaning.
BOUNDS = (
    *((0.001, 100.0),) * 4,
    *((1.0, 10.0), (0.001, 4.0), (0.001, 4.0), (0.001, 0.75), (0.0, 4.5), (0.0, 0.8)),
    *((0.001, 3.5), (0.001, 5.0), (0.001, 0.25), (0.001, 0.9), (0.0, 4.0), (0.0, 1.0)),
    *((1.0, 6.0), (0.0, 2.0), (0.0, 2.0), (0.0, 0.8), (0.1, 0.8)),
)
#: Days; the limits of the reference implementation (fsrs-rs).
STABILITY_MIN, STABILITY_MAX = 0.001, 36500.0
DIFFICULTY_MIN, DIFFICULTY_MAX = 1.0, 10.0


class Rating(IntEnum):
    """How an item was recalled."""

    AGAIN = 1
    HARD = 2
    GOOD = 3
    EASY = 4


@dataclass(frozen=True, slots=True)
class Memory:
    stability: float
    """Days after which recall has fallen to 90 %."""
    difficulty: float
    """1 (easy) to 10."""


def initial(w: Sequence[float], rating: Rating) -> Memory:
    """The memory after a first answer: S0(G) = w[G-1], D0(G) = w4 - e^(w5 (G-1)) + 1."""
    return Memory(_stability(w[rating - 1]), _difficulty(_initial_difficulty(w, rating)))


def after(w: Sequence[float], memory: Memory, rating: Rating, elapsed: int) -> Memory:
    """The memory after an answer `elapsed` study days later than the one before."""
    if elapsed <= 0:
        stability = _same_day(w, memory.stability, rating)
    elif rating == Rating.AGAIN:
        stability = _forgotten(w, memory, retrievability(w, memory.stability, elapsed))
    else:
        stability = _recalled(w, memory, retrievability(w, memory.stability, elapsed), rating)
    return Memory(_stability(stability), _next_difficulty(w, memory.difficulty, rating))


def retrievability(w: Sequence[float], stability: float, elapsed: float) -> float:
    """The chance of recall, R(t, S) = (1 + factor t/S)^-w20, with R(S, S) = 0.9 by its factor."""
    return float((1 + _factor(w) * max(elapsed, 0.0) / stability) ** -w[20])


def interval(w: Sequence[float], stability: float, desired_retention: float) -> float:
    """Days until recall falls to `desired_retention`: the inverse of `retrievability`."""
    return float(stability / _factor(w) * (desired_retention ** (-1 / w[20]) - 1))


def _factor(w: Sequence[float]) -> float:
    """0.9^(-1/w20) - 1."""
    return float(0.9 ** (-1 / w[20]) - 1)


def _same_day(w: Sequence[float], stability: float, rating: Rating) -> float:
    """S' = S e^(w17 (G - 3 + w18)) S^-w19; an item that was recalled never loses by it.

    The text keeps the increase >= 1 for Good and Easy; both reference implementations also do so
    for Hard, which recalls as well.
    """
    increase: float = exp(w[17] * (rating - 3 + w[18])) * stability ** -w[19]
    return stability * (increase if rating == Rating.AGAIN else max(increase, 1.0))


def _recalled(w: Sequence[float], memory: Memory, recall: float, rating: Rating) -> float:
    """S' = S (1 + e^w8 (11-D) S^-w9 (e^(w10 (1-R)) - 1) w15[Hard] w16[Easy])."""
    hard = w[15] if rating == Rating.HARD else 1.0
    easy = w[16] if rating == Rating.EASY else 1.0
    gain: float = exp(w[8]) * (11 - memory.difficulty) * memory.stability ** -w[9]
    return memory.stability * (1 + gain * (exp(w[10] * (1 - recall)) - 1) * hard * easy)


def _forgotten(w: Sequence[float], memory: Memory, recall: float) -> float:
    """S' = w11 D^-w12 ((S+1)^w13 - 1) e^(w14 (1-R)), at most S / e^(w17 w18).

    The bound (what forgetting on the same day would leave) is the reference implementations'.
    """
    s = memory.stability
    left = w[11] * memory.difficulty ** -w[12] * ((s + 1) ** w[13] - 1) * exp(w[14] * (1 - recall))
    return float(min(left, s / exp(w[17] * w[18])))


def _initial_difficulty(w: Sequence[float], rating: Rating) -> float:
    return w[4] - exp(w[5] * (rating - 1)) + 1


def _next_difficulty(w: Sequence[float], difficulty: float, rating: Rating) -> float:
    """D' = w7 D0(4) + (1 - w7) (D - w6 (G - 3) (10 - D)/9): damped, then drawn to the mean."""
    damped = difficulty - w[6] * (rating - 3) * (10 - difficulty) / 9
    return _difficulty(w[7] * _initial_difficulty(w, Rating.EASY) + (1 - w[7]) * damped)


def _stability(value: float) -> float:
    return min(max(value, STABILITY_MIN), STABILITY_MAX)


def _difficulty(value: float) -> float:
    return min(max(value, DIFFICULTY_MIN), DIFFICULTY_MAX)
