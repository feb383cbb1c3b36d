"""FSRS-6: how a memory changes with each answer, as pure functions.

A memory is a stability S (days until recall has fallen to 90 %) and a difficulty D (1..10).
`w` below are the model's 21 parameters w0..w20, `rating` is G = 1..4, and elapsed time is in whole
study days.  Source of every formula: "The Algorithm" of the open-spaced-repetition project,
section FSRS-6; what follows its reference implementations beyond that text says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from math import exp, log
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

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


class Memory(NamedTuple):
    stability: float
    """Days after which recall has fallen to 90 %."""
    difficulty: float
    """1 (easy) to 10."""


Met = tuple[float, float | None]
"""What an answer met: the stability, and the chance of recall (None on the same study day)."""


class Fsrs6:
    """The model with its parameters; what its formulas share is computed once."""

    name = MODEL
    defaults: tuple[float, ...] = DEFAULT_PARAMETERS
    bounds: tuple[tuple[float, float], ...] = BOUNDS

    def __init__(self, parameters: Sequence[float]) -> None:
        w = self.parameters = tuple(parameters)
        self.same_day = w[17] > 0 and w[18] > 0
        self._factor: float = 0.9 ** (-1 / w[20]) - 1
        self._same_day = tuple(exp(w[17] * (g - 3 + w[18])) for g in range(5))
        self._gain = tuple(exp(w[8]) * {2: w[15], 4: w[16]}.get(g, 1.0) for g in range(5))
        self._after_lapse = exp(w[17] * w[18])
        mean = w[7] * _initial_difficulty(w, Rating.EASY)
        #: One look-up for a whole history: w10, w11, w13, w14, exponents, and what is shared.
        powers = (-w[9], -w[12], -w[19], -w[20])
        self._shared = (w[10], w[11], w[13], w[14], *powers, self._factor, mean, 1 - w[7])
        self._tilt = tuple(w[6] * (g - 3) / 9 for g in range(5))

    def initial(self, rating: int) -> Memory:
        """The memory after a first answer: S0(G) = w[G-1], D0(G) = w4 - e^(w5 (G-1)) + 1."""
        w = self.parameters
        stability = min(max(w[rating - 1], STABILITY_MIN), STABILITY_MAX)
        difficulty = min(max(_initial_difficulty(w, rating), DIFFICULTY_MIN), DIFFICULTY_MAX)
        return Memory(stability, difficulty)

    def after(self, memory: Memory, rating: int, elapsed: int) -> Memory:
        """The memory after an answer `elapsed` study days later than the one before."""
        return self.follow(memory, (rating,), (elapsed,))[0]

    def follow(
        self, memory: Memory, ratings: Iterable[int], elapsed: Iterable[int]
    ) -> tuple[Memory, list[Met]]:
        """The memory after some answers, and what each of them met.

        Same day, S' = S e^(w17 (G - 3 + w18)) S^-w19: an item that was recalled never loses by it
        (the text says so for Good and Easy; both reference implementations also for Hard).
        Recalled, S' = S (1 + e^w8 (11-D) S^-w9 (e^(w10 (1-R)) - 1) w15[Hard] w16[Easy]).
        Forgotten, S' = w11 D^-w12 ((S+1)^w13 - 1) e^(w14 (1-R)), at most S / e^(w17 w18) (the
        reference implementations' bound: what forgetting on the same day would leave).
        Difficulty, D' = w7 D0(4) + (1 - w7) (D - w6 (G - 3) (10 - D)/9): damped, then to the mean.
        """
        (s, d), met = memory, list[Met]()
        w10, w11, w13, w14, n9, n12, n19, n20, factor, mean, keep = self._shared
        tilt, gains, same_day = self._tilt, self._gain, self._same_day
        for rating, days in zip(ratings, elapsed, strict=True):
            if days <= 0:
                met.append((s, None))
                increase = same_day[rating] * s**n19
                s *= increase if rating == 1 or increase > 1.0 else 1.0
            else:
                recall = (1.0 + factor * days / s) ** n20
                met.append((s, recall))
                if rating == 1:
                    most = s / self._after_lapse
                    s = w11 * d**n12 * ((s + 1.0) ** w13 - 1.0) * exp(w14 * (1.0 - recall))
                    s = min(s, most)
                else:
                    gain = gains[rating] * (11.0 - d) * s**n9
                    s *= 1.0 + gain * (exp(w10 * (1.0 - recall)) - 1.0)
            d = mean + keep * (d - tilt[rating] * (10.0 - d))
            if not STABILITY_MIN <= s <= STABILITY_MAX:  # calls would take half of the time
                s = min(max(s, STABILITY_MIN), STABILITY_MAX)
            if not DIFFICULTY_MIN <= d <= DIFFICULTY_MAX:
                d = min(max(d, DIFFICULTY_MIN), DIFFICULTY_MAX)
        return Memory(s, d), met

    def recall(self, memory: Memory, elapsed: float) -> float:
        """The chance of recall, R(t, S) = (1 + factor t/S)^-w20; factor makes R(S, S) = 0.9."""
        elapsed = max(elapsed, 0.0)
        return float((1 + self._factor * elapsed / memory[0]) ** -self.parameters[20])

    def recalls(self, stabilities: Iterable[float], elapsed: float) -> list[float]:
        """`recall` of many, to the bit."""
        spent, power = self._factor * max(elapsed, 0.0), -self.parameters[20]
        return [(1 + spent / stability) ** power for stability in stabilities]

    def recall_of(self, stability: Floats, elapsed: Floats | float) -> Floats:
        """`recall` of many, as arrays."""
        import numpy as np

        if type(self).recall is not Fsrs6.recall:
            each = [
                self.recall(Memory(s, DIFFICULTY_MIN), t)
                for s, t in np.broadcast(stability, elapsed)
            ]
            return np.array(each, float).reshape(stability.shape)
        # Much faster than a power, and as exact.
        return np.exp(-self.parameters[20] * np.log(1 + self._factor * elapsed / stability))

    def after_of(
        self, stability: Floats, difficulty: Floats, rating: int, elapsed: Floats | float
    ) -> tuple[Floats, Floats]:
        """`after` of many, as arrays."""
        import numpy as np

        s, d = stability, difficulty
        if (type(self).after, type(self).follow) != (Fsrs6.after, Fsrs6.follow):
            after = [
                self.after(Memory(*each), rating, int(t))
                for *each, t in np.broadcast(s, d, elapsed)
            ]
            s, d = np.array(after, float).reshape(*s.shape, 2).T
            return s.T, d.T
        w10, w11, w13, w14, n9, n12, n19, _, _, mean, keep = self._shared
        same_day = np.less_equal(elapsed, 0)
        increase = self._same_day[rating] * np.exp(n19 * np.log(s)) if same_day.any() else 1.0
        left = s * (increase if rating == 1 else np.maximum(increase, 1.0))
        if not same_day.all():
            forgotten = 1 - self.recall_of(s, elapsed)
            if rating == 1:
                later = w11 * np.exp(w14 * forgotten + n12 * np.log(d))
                later = np.minimum(later * ((s + 1) ** w13 - 1), s / self._after_lapse)
            else:
                gain = self._gain[rating] * (11 - d) * np.exp(n9 * np.log(s))
                later = s * (1 + gain * (np.exp(w10 * forgotten) - 1))
            left = np.where(same_day, left, later)
        d = mean + keep * (d - self._tilt[rating] * (10 - d))
        s = np.minimum(np.maximum(left, STABILITY_MIN), STABILITY_MAX)
        return s, np.minimum(np.maximum(d, DIFFICULTY_MIN), DIFFICULTY_MAX)

    def interval(self, memory: Memory, desired_retention: float) -> float:
        """Days until recall falls to `desired_retention`: the inverse of `recall`."""
        power = -1 / self.parameters[20]
        return float(memory[0] / self._factor * (desired_retention**power - 1))

    def spent(self, chance: float) -> float | None:
        """The elapsed time, in stabilities, at which recall has fallen to `chance`."""
        return self.interval(Memory(1.0, DIFFICULTY_MIN), chance)


def _initial_difficulty(w: Sequence[float], rating: int) -> float:
    return w[4] - exp(w[5] * (rating - 1)) + 1


#: A prediction counts as at least this far from certain, so that one surprise is no infinity.
_SURE = 1e-4


def surprise(chance: float, recalled: bool) -> float:
    """-log of the chance given to what happened."""
    chance = min(max(chance, _SURE), 1 - _SURE)
    return -log(chance if recalled else 1 - chance)
