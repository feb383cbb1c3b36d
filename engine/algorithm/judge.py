"""An answer's results beside the definition's, the known mistakes that may set them apart, and how
fast a right answer grows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import inf, isfinite, log
from operator import le
from typing import Any, Final

import numpy as np

from engine.exercise import Entries, ExerciseError, GivenError
from engine.formula.axes import Array, Mask
from engine.messages.judge import plain_numbers
from engine.messages.spec import Task, task_of
from engine.verdict import Counterexample, Mistake

# -- A batch of inputs with what the definition gives on it, and an answer's results beside that.


#: A change so much larger than that of the inputs is a jump: of the largest entry.
JUMP: Final = 1e-5
_TOLERANCE: Final = 1e-9
#: What rounding leaves of a 0 among numbers about 1.
_UNIT: Final = 1e-15
_TIE_NOTE: Final = "Here cases are tied: where an input of 0 is moved ever so little, this jumps."


@dataclass(frozen=True, eq=False, slots=True)
class AlgorithmBatch:
    """Inputs of the same sizes."""

    sizes: Mapping[str, int]
    inputs: Mapping[str, Array]
    expected: Array
    """(B, ...): the definition's results."""
    moves: Array
    """Of the same shape: how far they go where the last digits of the inputs are moved."""
    tied: Mask
    """(B,): whether they jump where an entry is no longer 0."""
    left_out: int = 0
    """So many more inputs were drawn, on which the definition has no result, or any of several."""
    kept: dict[Any, Any] = field(default_factory=dict)
    unmet: tuple[str, ...] = ()
    whole: bool = False
    """Whether the results are whole numbers: choices, as that of an arg max, are."""

    def __len__(self) -> int:
        return len(self.expected)

    def one(self, row: int) -> AlgorithmBatch:
        """A batch of one of its inputs."""
        at = slice(row, row + 1)
        inputs = {name: value[at] for name, value in self.inputs.items()}
        results = self.expected[at], self.moves[at], self.tied[at]
        return AlgorithmBatch(self.sizes, inputs, *results, whole=self.whole)


@dataclass(frozen=True, slots=True)
class Result:
    """What is asked for: there is one of each exercise."""

    head: str
    axes: tuple[str, ...] = ()
    upstream: bool = False
    jacobian: bool = False

    @property
    def key(self) -> str:
        return self.head

    def written(self) -> str:
        return self.head


@dataclass(frozen=True, eq=False)
class JudgedResult:
    """A batch with an answer's results (B, ...), of whatever shape."""

    batch: AlgorithmBatch
    target: Result
    given: Array
    nearby: Callable[[AlgorithmBatch, Array], Array] | None = None
    """What the definition gives where some inputs (R,) are moved, in many ways: (ways, R, ...)."""

    @property
    def expected(self) -> Array:
        return self.batch.expected

    @property
    def fits(self) -> bool:
        return self.given.shape == self.expected.shape

    @cached_property
    def got(self) -> Array:
        """Of the definition's shape: NaN where the answer's is another."""
        return self.given if self.fits else np.full(self.expected.shape, np.nan)

    @property
    def tried(self) -> int:
        return len(self.batch)

    @property
    def left_out(self) -> int:
        return self.batch.left_out

    @property
    def left_out_mask(self) -> Mask:
        return np.zeros(len(self.batch), dtype=np.bool_)

    @cached_property
    def differs(self) -> Mask:
        """Of the definition's shape.

        Of two paths that always are as good, as 0010 and 0100 of a chain may be, rounding alone
        chooses: what the definition itself chooses nearby is right.
        """
        found = ~_near(self.got, self.expected, self.batch.moves)
        rows = np.flatnonzero(found.reshape(len(found), -1).any(axis=1))
        if self.nearby is None or not self.fits or not self.batch.whole:
            return found
        # What is wrong is so on the first of them, too: then the others need no look.
        for some in (rows[:1], rows[1:]):
            if len(some):
                others = self.nearby(self.batch, some)
                same = (others == self.got[some]).reshape(*others.shape[:2], -1).all(axis=2)
                found[some[same.any(axis=0)]] = False
                if not same.any(axis=0).all():
                    break
        return found

    @property
    def contested(self) -> Mask:
        tied = self.batch.tied.reshape(-1, *[1] * (self.expected.ndim - 1))
        return np.broadcast_to(tied, self.expected.shape)

    @cached_property
    def valid(self) -> Mask:
        rows = self.differs.reshape(len(self.batch), -1)
        # Results without entries can only be of another shape.
        return np.asarray(~rows.any(axis=1) & (self.fits or rows.shape[1] > 0))

    @cached_property
    def astray(self) -> Mask:
        return np.asarray(~self.valid & ~self.batch.tied)

    @property
    def entries(self) -> Entries:
        letters = self.target.axes[: self.expected.ndim - 1]
        return Entries(self.differs & ~self.contested, ~self.contested, letters)

    def shown(self, n: int) -> Counterexample:
        far = np.abs(self.got[n] - self.expected[n])
        far = np.where(np.isnan(far), np.inf, far)
        cells = [tuple(int(i) for i in cell) for cell in np.argwhere(self.differs[n])]
        return Counterexample(
            target=self.target.written(),
            indices=tuple(f"axis {axis}" for axis in range(self.expected.ndim - 1)),
            inputs={name: plain_numbers(value[n]) for name, value in self.batch.inputs.items()},
            values={},
            yours=plain_numbers(self.got[n]),
            expected=plain_numbers(self.expected[n]),
            cells=sorted(cells, key=lambda cell: (-far[cell], cell)),
            note=_TIE_NOTE if self.batch.tied[n] else "",
        )


def _near(got: Array, wanted: Array, moves: Array | float = 0.0) -> Mask:
    """Where results agree but for rounding; (B, ...)."""
    finite = np.where(np.isfinite(wanted), np.abs(wanted), 0.0)
    size = largest(wanted).reshape(-1, *[1] * (wanted.ndim - 1))
    slack = _TOLERANCE * (finite + 0.01 * size) + moves + _UNIT
    return np.asarray((got == wanted) | (np.abs(got - wanted) <= slack))


def largest(results: Array) -> Array:
    """(B,): the largest entry of each result, or that of a usual one that is not 0, if larger.

    What is 0 may have been added up of such entries.
    """
    finite = np.where(np.isfinite(results), np.abs(results), 0.0)
    found = finite.reshape(len(results), -1).max(axis=1, initial=0.0)
    some = found[found > 0]
    return np.asarray(np.maximum(found, np.median(some)) if len(some) else found)


def apart(one: Array, other: Array) -> Array:
    """How far results are from each other; infinite ones of a sign, not at all."""
    return np.where(one == other, 0.0, np.abs(one - other))


# -- Known mistakes: what the definition's results become by each.


#: (B, ...) of what an answer with the mistake gives on a batch, NaN where that is not known; None
#: where it cannot be made.
Slip = Callable[[JudgedResult], Array | None]
#: On so many inputs at least a mistake must give something else than what is right.
_TELLING: Final = 8


def slips(axes: Sequence[str]) -> Iterator[tuple[Mistake, Slip]]:
    """Mistakes that the results alone tell."""
    yield (
        Mistake("the logarithm is returned", "Take exp of what you return, or add no logarithms."),
        lambda one: np.log(one.expected),
    )
    yield Mistake("the sign", "Return it with the other sign."), lambda one: -one.expected
    yield Mistake("not normalised", "Divide by the sum: it must come to 1."), _unnormalised
    yield (
        Mistake("the result is transposed", "Rows and columns of what you return are exchanged."),
        lambda one: one.expected.swapaxes(-1, -2) if one.expected.ndim > 2 else None,
    )
    for axis, name in enumerate(axes, 1):
        along = f" along {name}" if len(axes) > 1 else ""
        yield (
            Mistake(f"reversed{along}", "It is in reverse order: turn it round at the end."),
            partial(_flipped, axis=axis),
        )
        for by, where in ((1, "late"), (-1, "early")):
            teaching = "Indices count from 0: look at where the first entry is set."
            yield Mistake(f"one place too {where}{along}", teaching), partial(_rolled, axis, by)
    for by in (1, -1):
        yield (
            Mistake("off by one", "Each number differs by 1: indices and counts begin at 0."),
            partial(_shifted, by=by),
        )


def _unnormalised(one: JudgedResult) -> Array | None:
    if one.expected.ndim < 2 or not one.fits:
        return None
    for axes in (-1, tuple(range(1, one.expected.ndim))):
        if np.allclose(one.expected.sum(axis=axes), 1.0):
            # An answer that sums to 1, too, is no nearer for it.
            total = one.got.sum(axis=axes, keepdims=True)
            return np.where(np.isclose(total, 1.0), one.expected, one.expected * total)
    return None


def _flipped(one: JudgedResult, axis: int) -> Array | None:
    return np.flip(one.expected, axis) if one.expected.ndim > axis else None


def _rolled(axis: int, by: int, one: JudgedResult) -> Array | None:
    if one.expected.ndim <= axis:
        return None
    moved = np.roll(one.expected * 1.0, by, axis)
    np.moveaxis(moved, axis, 0)[0 if by > 0 else -1] = np.nan
    return moved


def _shifted(one: JudgedResult, by: int) -> Array:
    return one.expected + by


def agrees(every: Sequence[JudgedResult], slip: Slip) -> bool:
    """Whether an answer gives what a mistake does, wherever that is known."""
    telling = 0
    for one in every:
        with np.errstate(all="ignore"):
            wrong = slip(one)
        if wrong is None or wrong.shape != one.given.shape:
            if one.astray.any():
                return False
            continue
        known = ~np.isnan(wrong)
        if (known & ~_near(one.given, wrong, 10 * one.batch.moves.max(initial=0.0))).any():
            return False
        other = known if wrong.shape != one.expected.shape else known & ~_near(wrong, one.expected)
        telling += int(other.reshape(len(other), -1).any(axis=1).sum())
    return telling >= _TELLING


NO_NUMBER: Final = Mistake(
    "not a number",
    "It gives inf or nan where the definition has numbers: look at what is divided by (a sum or a "
    "count may be 0) and at what is taken exp of.",
)
OVERFLOW: Final = Mistake(
    "overflow",
    "exp of a large number is infinite: take the largest off before, which leaves quotients as "
    "they are.",
)


# -- How many steps a right function takes on larger and larger inputs.
#
# Steps are counted (engine/sandbox/counting.py).  A polynomial whose terms are all added grows from
# any size to the next by its degree at most; so what is measured is never too much.


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
