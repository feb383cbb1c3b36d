"""How many steps a right function takes on larger and larger inputs.

Steps are counted (engine/sandbox/counting.py).  A polynomial whose terms are all added grows from
any size to the next by its degree at most; so what is measured is never too much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite, log
from operator import le
from typing import Final

import numpy as np

from engine.exercise import ExerciseError, GivenError
from engine.messages.spec import Task, task_of

#: The sizes that one letter is given, while the others have the size beside it: where too few of
#: them can be counted, the next.
_GROWING: Final = (
    (8, (2, 4, 8, 16, 32, 64, 128)),
    *((beside, (2, 3, 4, 5, 6, 8, 11)) for beside in (8, 4, 3, 2)),
)
#: An exponent that is so much larger than that of the card's cost is told, by the largest size that
#: was reached: on small ones (n - 1)^3 seems to grow faster than n^3.
_EXCESS: Final = ((16, 0.6), (8, 0.8), (0, 1.4))
#: So many points, at least, and so many steps make a growth.
_POINTS, _STEPS = 4, 200
#: Below this exponent nothing is called exponential; so near to a whole number, it is that.
_EXPONENTIAL, _NEARLY = 3.0, 0.4

SLOW: Final = "correct-but-slow"


@dataclass(frozen=True, slots=True)
class Cost:
    """A growth, n*K^2: a value of the card's own language, of sizes."""

    task: Task
    letters: tuple[str, ...]

    @classmethod
    def read(cls, text: str, letters: Sequence[str]) -> Cost:
        """Raises ExerciseError."""
        keys = {"given": f"cost = {text}", "find": "cost"}
        said = f"exercise: cost is {text!r}: sizes of the inputs ({', '.join(letters)}) are allowed"
        try:
            task = task_of({**keys, "inputs": {n: "positive" for n in letters if n in text}})
        except ExerciseError as error:
            why = f": {error.message}" if isinstance(error, GivenError) else ""
            raise ExerciseError(f"{said}, as in n*K^2 or n*log(n){why}") from None
        found = tuple(task.model.forward.inputs)
        if {*found} - {*letters} or any(task.model.forward.inputs.values()):
            raise ExerciseError(f"{said}, as in n*K^2 or n*log(n).")
        return cls(task, found)

    def of(self, sizes: Mapping[str, int]) -> float:
        """At sizes by letter, with "" for all others."""
        model = self.task.model
        inputs = {
            letter: np.array([float(sizes.get(letter, sizes[""]))]) for letter in self.letters
        }
        return float(model.run(inputs, model.lengths())["cost"].value.reshape(-1)[0])


@dataclass(frozen=True)
class Growth:
    """Steps by size."""

    letter: str
    """"" of all sizes together."""
    sizes: tuple[int, ...]
    steps: tuple[float, ...]
    allowed: tuple[float, ...]

    @property
    def known(self) -> bool:
        return len(self.sizes) >= _POINTS

    @property
    def excess(self) -> bool:
        if not self.known or self.steps[-1] < _STEPS:
            return False
        by = [self._exponent(self.steps) - self._exponent(self.allowed)]
        by.append(self._exponent(self.steps, -2) - self._exponent(self.allowed, -2))
        least = next(least for size, least in _EXCESS if self.sizes[-1] >= size)
        return by[0] >= least and by[1] >= least / 2

    def _exponent(self, of: Sequence[float], end: int = -1) -> float:
        """The slope on a log-log scale over the last doubling of the size."""
        n, sizes = len(self.sizes) + end, self.sizes
        start = max(m for m in range(n) if sizes[m] * 2 <= sizes[n] or m == 0)
        return log(of[n] / of[start]) / log(sizes[n] / sizes[start])

    @cached_property
    def exponential(self) -> bool:
        if not self.excess or self._exponent(self.steps) < _EXPONENTIAL:
            return False
        logs = [log(one) for one in self.steps]
        by_size, by_log = (_bend([fit(n) for n in self.sizes], logs) for fit in (float, log))
        return by_size < by_log

    @property
    def said(self) -> str:
        """n^2; of a power that is still growing, "at least n^2.5"."""
        power = self._exponent(self.steps)
        near = round(power)
        name = self.letter or "s"
        return f"{name}^{near}" if abs(power - near) <= _NEARLY else f"at least {name}^{power:.1f}"


def growths(cost: Cost, steps: Callable[[Mapping[str, int]], float]) -> Iterator[Growth]:
    """By each letter of the cost; `steps` is told sizes by letter, with "" for all others.

    Raises what `steps` raises.
    """
    # (n + m) n m is n^2 m, too; but that is seen only where n is far above m.
    together = ("",) if len(cost.letters) > 1 else ()
    known: dict[tuple[int, ...], float] = {}
    for letter in (*cost.letters, *together):
        points: list[tuple[int, float, float]] = []
        for beside, growing in _GROWING:
            points = []
            for size in growing:
                sizes = dict.fromkeys(("", *cost.letters), beside if letter else size)
                sizes |= {letter: size} if letter else {}
                taken = _taken(sizes, known, steps)
                if not isfinite(taken):
                    break
                points.append((size, max(1.0, taken), max(1.0, cost.of(sizes))))
            if len(points) >= _POINTS:
                break
        at, counted, allowed = zip(*points, strict=True) if points else ((), (), ())
        yield Growth(letter, at, counted, allowed)


def _taken(
    sizes: Mapping[str, int],
    known: dict[tuple[int, ...], float],
    steps: Callable[[Mapping[str, int]], float],
) -> float:
    """Counted once; where smaller sizes took too many steps, so do these."""
    key = tuple(sizes.values())
    if any(n == inf and all(map(le, small, key)) for small, n in known.items()):
        return inf
    if key not in known:
        known[key] = steps(sizes)
    return known[key]


def grows(fast: Sequence[Growth]) -> str:
    """As n^2 and K^3; exponentially in n, beside which no power of another size means much."""
    letters = [one.letter for one in fast if one.exponential]
    if any(letters):
        return f"exponentially in {' and '.join(filter(None, letters))}"
    if letters:
        return "exponentially"
    powers = [one.said for one in fast if one.letter]
    return f"as {' and '.join(powers)}" if powers else f"as {fast[0].said} where all sizes are s"


def _bend(along: Sequence[float], values: Sequence[float]) -> float:
    """How far the last values are from a straight line."""
    found = np.polyfit(along[-5:], values[-5:], 1, full=True)[1]
    return float(found[0]) if len(found) else 0.0
