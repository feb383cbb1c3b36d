"""A NumPy function as an exercise: it is to equal a brute-force definition, and may grow so fast.

The definition comes with the card, and decks are shared: it is run like a learner's function, in a
confined process, and a process of its own: an answer never sees it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from itertools import product
from math import isfinite, log
from typing import Any, Final, NoReturn

import numpy as np

from engine.exercise import (
    Condition,
    Conditions,
    Entries,
    Exercise,
    ExerciseError,
    GivenError,
    Grader,
    Handed,
    Reading,
    refuse_others,
)
from engine.formula.axes import Array, Mask
from engine.formula.tree import FormulaError
from engine.messages.borders import wholes
from engine.messages.inputs import KINDS as COMMON
from engine.messages.spec import Task, task_of
from engine.sandbox.function_answer import plain, shared_worker
from engine.sandbox.wire import FunctionBatch, FunctionError
from engine.verdict import Counterexample, Mistake, Numbers, Verdict

# -- What a card says of an input: a kind and its dimensions, "index(M)[n]".


#: Each with what it means.
KINDS: Final[dict[str, str]] = {
    **{kind: COMMON[kind] for kind in ("real", "unit", "one-hot", "binary")},
    "positive": "above 0",
    "large": "any number, of a size up to some thousands",
    "distribution": "above 0, summing to 1",
    "stochastic": "above 0, each row summing to 1",
    "symmetric": "a symmetric matrix",
    "posdef": "a symmetric matrix, positive definite",
    "sign": "1 or -1",
    "integer": "a whole number",
    "counts": "a whole number of at least 0",
    "permutation": "the numbers from 0 on, each once, in any order",
    "index": "a whole number from 0 on",
}
#: NumPy has them as whole numbers.
_WHOLE: Final = frozenset(("integer", "counts", "permutation", "index", "size"))
_SUMMING: Final = frozenset(("distribution", "stochastic"))
_SQUARE: Final = frozenset(("symmetric", "posdef"))
#: What the last digits of may be moved.
_MOVABLE: Final = frozenset(("real", "unit", "positive", "large")) | _SUMMING | _SQUARE
_MAY_BE_ZERO: Final = frozenset(("real", "large", "symmetric"))
_DIMENSION: Final = re.compile(r"([A-Za-z]\w*)?\s*([+-]?\s*\d+)?")
_INPUT: Final = re.compile(r"([a-z-]+)\s*(?:\(([^()]*)\))?\s*(?:\[([^\[\]]*)\])?")


@dataclass(frozen=True, slots=True)
class Dimension:
    """A size letter with a number added, as in n+1, or a number alone."""

    letter: str
    more: int = 0

    def of(self, sizes: Mapping[str, int]) -> int:
        return sizes.get(self.letter, 0) + self.more

    def __str__(self) -> str:
        return (
            f"{self.letter}{self.more:+d}"
            if self.letter and self.more
            else self.letter or (str(self.more))
        )


@dataclass(frozen=True, slots=True)
class Input:
    kind: str
    dimensions: tuple[Dimension, ...] = ()
    most: Dimension | None = None
    """Of an index, what it is below."""

    @property
    def every(self) -> tuple[Dimension, ...]:
        return (*self.dimensions, *((self.most,) if self.most else ()))

    def shape(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        return tuple(one.of(sizes) for one in self.dimensions)

    @property
    def told(self) -> str:
        if self.kind == "size":
            return "a size: a whole number from 1 on"
        return KINDS[self.kind] + (f" to {self.most} - 1" if self.most else "")


#: What is drawn: numbers in general; whole ones, so that some are equal; with zeros; short ones.
_STYLES: Final = ("general", "general", "whole", "zeros")
_SHORT: Final = "short"


def _values(
    rng: np.random.Generator, given: Input, rows: int, sizes: Mapping[str, int], style: str
) -> Array:
    """(rows, ...) of an input."""
    shape = (rows, *given.shape(sizes))
    whole = style == "whole"
    found: Any
    match given.kind:
        case "size":
            found = np.full(rows, given.dimensions[0].of(sizes))
        case "real" | "symmetric":
            scale = rng.choice((0.3, 1.0, 3.0), size=(rows, *[1] * (len(shape) - 1)))
            found = rng.integers(-2, 3, shape) * 1.0 if whole else rng.normal(size=shape) * scale
            if style == "zeros":
                found = found * (rng.random(shape) < 0.7)
                found[rng.random(rows) < 0.3] = 0.0
        case "large":
            size = 10.0 ** rng.uniform(0, 3.3, size=(rows, *[1] * (len(shape) - 1)))
            found = np.round(rng.normal(size=shape) * size, 1)
        case "positive":
            found = rng.integers(1, 4, shape) * 1.0 if whole else np.exp(rng.normal(size=shape))
        case "unit":
            found = rng.integers(1, 4, shape) / 4 if whole else rng.uniform(0.02, 0.98, shape)
        case "distribution" | "stochastic":
            share = rng.choice((0.4, 1.0, 3.0), size=(rows, *[1] * (len(shape) - 1)))
            found = rng.integers(1, 4, shape) * 1.0 if whole else rng.gamma(share, 1, shape) + 0.01
        case "posdef":
            root = rng.integers(-1, 2, shape) * 1.0 if whole else rng.normal(size=shape)
            found = root @ root.swapaxes(-1, -2) + (0.5 + whole / 2) * np.eye(shape[-1])
        case "sign":
            found = rng.choice((-1.0, 1.0), shape)
        case "one-hot":
            found = np.eye(shape[-1])[rng.integers(shape[-1], size=shape[:-1])]
        case "binary":
            found = rng.integers(0, 2, shape) * 1.0
        case "integer":
            found = rng.integers(-4, 10, shape)
        case "counts":
            found = rng.integers(0, 6, shape)
        case "permutation":
            found = rng.permuted(np.broadcast_to(np.arange(shape[-1]), shape), axis=-1)
        case _:
            assert given.most is not None
            found = rng.integers(0, given.most.of(sizes), shape)
    if given.kind == "symmetric":
        found = (found + found.swapaxes(-1, -2)) / 2
    if style == _SHORT and given.kind in ("real", "positive", "symmetric"):
        found = np.round(found, 1) + (given.kind == "positive") * 0.1
    return np.asarray(_summing(given, found))


def _summing(given: Input, found: Array) -> Array:
    return found / found.sum(axis=-1, keepdims=True) if given.kind in _SUMMING else found


#: Relative, and of a 0 absolute: far more than rounding does, and less than any input means.
_MOVE: Final = 1e-10


def _moved(rng: np.random.Generator, given: Input, values: Array, zeros: bool) -> list[Array]:
    """An input with its digits moved this way and just as far the other: at a tie of two cases,
    one of these is on each side."""
    if given.kind not in _MOVABLE or (zeros and given.kind not in _MAY_BE_ZERO):
        return [values, values]
    by = _MOVE * rng.choice((-1, 1), values.shape) * rng.uniform(0.5, 1.0, values.shape)
    if given.kind in _SQUARE:
        by = np.triu(by) + np.triu(by, 1).swapaxes(-1, -2)
    size = values == 0 if zeros else values
    return [_summing(given, values + sign * by * size) for sign in (1, -1)]


# -- A batch of inputs with what the definition gives on it, and an answer's results beside that.


#: A change so much larger than that of the inputs is a jump: of the largest entry.
_JUMP: Final = 1e-5
_TOLERANCE: Final = 1e-9
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

    def __len__(self) -> int:
        return len(self.expected)

    def one(self, row: int) -> AlgorithmBatch:
        """A batch of one of its inputs."""
        at = slice(row, row + 1)
        inputs = {name: value[at] for name, value in self.inputs.items()}
        results = self.expected[at], self.moves[at], self.tied[at]
        return AlgorithmBatch(self.sizes, inputs, *results)


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
        """Of the definition's shape."""
        return ~_near(self.got, self.expected, self.batch.moves)

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
            inputs={name: _numbers(value[n]) for name, value in self.batch.inputs.items()},
            values={},
            yours=_numbers(self.got[n]),
            expected=_numbers(self.expected[n]),
            cells=sorted(cells, key=lambda cell: (-far[cell], cell)),
            note=_TIE_NOTE if self.batch.tied[n] else "",
        )


def _near(got: Array, wanted: Array, moves: Array | float = 0.0) -> Mask:
    """Where results agree but for rounding; (B, ...)."""
    finite = np.where(np.isfinite(wanted), np.abs(wanted), 0.0)
    largest = finite.reshape(len(wanted), -1).max(axis=1, initial=0.0)
    largest = largest.reshape(-1, *[1] * (wanted.ndim - 1))
    slack = _TOLERANCE * (finite + 0.01 * largest) + moves
    return np.asarray((got == wanted) | (np.abs(got - wanted) <= slack))


def _apart(one: Array, other: Array) -> Array:
    """How far results are from each other; infinite ones of a sign, not at all."""
    return np.where(one == other, 0.0, np.abs(one - other))


def _numbers(values: Array) -> Numbers:
    plain: Any = (np.asarray(values) + 0.0).tolist()  # + 0.0 makes a plain zero of -0.0
    numbers: Numbers = plain
    return numbers


# -- Known mistakes: what the definition's results become by each.  None, or NaN: not known.


#: (B, ...) of what an answer with the mistake gives on a batch.
Slip = Callable[[JudgedResult], Array | None]
#: On so many inputs at least a mistake must give something else than what is right.
_TELLING: Final = 8


def _slips(axes: Sequence[str]) -> Iterator[tuple[Mistake, Slip]]:
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
    if one.expected.ndim < 2 or not one.fits or one.expected.shape[-1] < 2:
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


def _agrees(every: Sequence[JudgedResult], slip: Slip) -> bool:
    """Whether an answer gives what a mistake does, wherever that is known."""
    telling = 0
    for one in every:
        with np.errstate(all="ignore"):
            wrong = slip(one)
        if wrong is None or wrong.shape != one.given.shape:
            if wrong is not None and one.astray.any():
                return False
            continue
        known = ~np.isnan(wrong)
        if (known & ~_near(one.given, wrong, 10 * one.batch.moves.max(initial=0.0))).any():
            return False
        other = known if wrong.shape != one.expected.shape else known & ~_near(wrong, one.expected)
        telling += int(other.reshape(len(other), -1).any(axis=1).sum())
    return telling >= _TELLING


_NO_NUMBER: Final = Mistake(
    "not a number",
    "It gives inf or nan where the definition has numbers: look at what is divided by (a sum or a "
    "count may be 0) and at what is taken exp of.",
)
_OVERFLOW: Final = Mistake(
    "overflow",
    "exp of a large number is infinite: take the largest off before, which leaves quotients as "
    "they are.",
)


# -- Growth: how many steps a right function takes on larger and larger inputs.
#
# Steps are counted (engine/sandbox/counting.py).  A polynomial whose terms are all added grows from
# any size to the next by its degree at most; so what is measured is never too much.


#: The sizes that one letter is given, while the others have the size beside it: where too few of
#: them can be counted, the next.
_GROWING: Final = (
    (8, (4, 8, 16, 32, 64)),
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


@dataclass(frozen=True)
class Growth:
    """Steps by size."""

    letter: str
    """"" of all sizes together."""
    sizes: tuple[int, ...]
    steps: tuple[float, ...]
    allowed: tuple[float, ...]

    @property
    def excess(self) -> bool:
        if len(self.sizes) < _POINTS or self.steps[-1] < _STEPS:
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
        """n^2"""
        power = self._exponent(self.steps)
        near = round(power)
        told = near if abs(power - near) <= _NEARLY else round(power, 1)
        return f"{self.letter or 's'}^{told}"


def _grows(fast: Sequence[Growth]) -> str:
    """As n^2 and K^3; exponentially in n, beside which no power of another size means much."""
    letters = [one.letter for one in fast if one.exponential and one.letter]
    if letters:
        return f"exponentially in {' and '.join(letters)}"
    powers = [one.said for one in fast if one.letter]
    return f"as {' and '.join(powers)}" if powers else f"as {fast[0].said} where all sizes are s"


def _bend(along: Sequence[float], values: Sequence[float]) -> float:
    """How far the last values are from a straight line."""
    found = np.polyfit(along[-5:], values[-5:], 1, full=True)[1]
    return float(found[0]) if len(found) else 0.0


# -- The exercise.


_KEYS: Final = ("function", "inputs", "sizes", "cost")
_LARGEST: Final = 8
_USUAL: Final = 3
_ROWS: Final = 12
_PARAMETERS: Final = re.compile(r"^def\s+(\w+)\s*\(([^()]*)\)", re.MULTILINE)


@dataclass(eq=False)
class AlgorithmExercise(Exercise, Grader[AlgorithmBatch, Result, JudgedResult]):
    """Which function, on which inputs; two made of the same keys are the same object."""

    source: str
    """The definition's."""
    name: str
    inputs: Mapping[str, Input]
    """In the order of the definition's parameters."""
    usual: Mapping[str, int]
    """Of each size letter."""
    cost: str = ""
    layer: str = ""
    answer: str = ""
    unconfined: bool = False
    _drawn: dict[Any, tuple[AlgorithmBatch, ...]] = field(default_factory=dict)

    @property
    def head(self) -> str:
        return f"{self.name}({', '.join(self.inputs)})"

    @property
    def about(self) -> str:
        return f"the card's function {self.name}"

    @property
    def description(self) -> str:
        grows = f"; it may grow as {self.cost}" if self.cost else ""
        return f"Write a NumPy function that equals {self.head}{grows}."

    @property
    def symbols(self) -> tuple[tuple[str, str], ...]:
        return tuple((self._cell(name), f"given, {one.told}") for name, one in self.inputs.items())

    def _cell(self, name: str) -> str:
        one = self.inputs[name]
        told = ",".join(map(str, one.dimensions))
        return f"{name}[{told}]" if told and one.kind != "size" else name

    @property
    def indices(self) -> tuple[tuple[str, str], ...]:
        return tuple(
            (letter, f"a size: {least} to {most} are tried")
            for letter, (least, most) in self._ranges.items()
        )

    @property
    def example(self) -> str:
        return f"def {self.head}:\n    return 0"

    @property
    def called(self) -> str:
        return self.name

    def grader(self) -> AlgorithmExercise:
        return self

    def allow(self, unconfined: bool) -> None:
        self.unconfined = unconfined

    # Answers.

    def read(self, answer: str, part: str = "", step: int | None = None) -> NoReturn:  # noqa: ARG002
        said = "A NumPy function is asked for here."
        raise FormulaError(said, f"write it as `def {self.head}: ...`", 1, 1)

    def evaluate(self, reading: Reading[Result], batch: AlgorithmBatch) -> NoReturn:  # noqa: ARG002
        self.read("")

    def handed(self, batch: AlgorithmBatch) -> Handed:
        whole = tuple(name for name, one in self.inputs.items() if one.kind in _WHOLE)
        shapes: dict[Any, tuple[int, ...]] = {self.target: batch.expected.shape[1:]}
        arrays = dict(batch.inputs)
        return Handed(arrays, {}, shapes, len(arrays), whole=whole, open=True)

    def judged(
        self,
        batch: AlgorithmBatch,
        target: Result,
        got: Array,
        rule: Any = None,  # noqa: ARG002
    ) -> JudgedResult:
        return JudgedResult(batch, target, got)

    @cached_property
    def target(self) -> Result:
        """The axes of the result are known by sizes that they always have."""
        batches = self.drawn(0, 60)
        axes = []
        for axis in range(1, batches[0].expected.ndim):
            shared = (
                letter
                for letter in self.usual
                if all(b.expected.shape[axis] == b.sizes[letter] for b in batches)
            )
            axes.append(f"entry along {next(shared, f'axis {axis - 1}')}")
        return Result(self.head, tuple(axes))

    # Inputs.

    @cached_property
    def _ranges(self) -> dict[str, tuple[int, int]]:
        """Of each size letter the least and the most that is drawn."""
        least = dict.fromkeys(self.usual, 1)
        for dimension in (each for one in self.inputs.values() for each in one.every):
            if dimension.letter:
                least[dimension.letter] = max(least[dimension.letter], 1 - dimension.more)
        return {n: (least[n], max(least[n], usual) + 1) for n, usual in self.usual.items()}

    def drawn(self, seed: int, trials: int) -> Sequence[AlgorithmBatch]:
        if (seed, trials) not in self._drawn:
            if len(self._drawn) > 8:
                self._drawn.clear()
            count = max(1, -(-trials // _ROWS))
            rows = [min(_ROWS, trials - n * _ROWS) for n in range(count)]
            rng = np.random.default_rng([seed, 1])
            found = [
                self._batch(seed, self._some(rng, n), _STYLES[n % len(_STYLES)], some)
                for n, some in enumerate(rows)
            ]
            self._drawn[seed, trials] = _of_any(found, self.head)
        return self._drawn[seed, trials]

    def fresh(self, seed: int) -> Sequence[AlgorithmBatch]:
        rng = np.random.default_rng([seed, 2])
        found = [
            self._batch(seed + 1000, self._some(rng, n), _STYLES[n % len(_STYLES)], _ROWS)
            for n in range(12)
        ]
        return _of_any(found, self.head)

    def aimed(
        self,
        reading: Reading[Result],
        drawn: Sequence[AlgorithmBatch],  # noqa: ARG002
    ) -> Sequence[AlgorithmBatch]:
        found = []
        for letter, number in product(self.usual, wholes(reading.numbers)[:6]):
            for size in (number, number + 1):
                if self._ranges[letter][0] <= size <= _LARGEST:
                    sizes = {n: min(most, 2) for n, (_, most) in self._ranges.items()}
                    found.append(self._batch(7, {**sizes, letter: size}, _STYLES[0], 4))
        return [batch for batch in found if len(batch)]

    def small(self) -> Iterator[AlgorithmBatch]:
        ways = product(*(range(least, least + 3) for least, _ in self._ranges.values()))
        for way in sorted(ways, key=lambda sizes: (sum(sizes), sizes))[:40]:
            for style in ("whole", _SHORT):
                batch = self._batch(11, dict(zip(self.usual, way, strict=True)), style, 5)
                if len(batch):
                    yield batch

    def _some(self, rng: np.random.Generator, n: int) -> dict[str, int]:
        """Sizes; every fourth time one is larger, and the others are small."""
        sizes = {
            letter: int(rng.integers(least, most + 1))
            for letter, (least, most) in self._ranges.items()
        }
        if n % 4 == 3 and sizes:
            letter = [*sizes][int(rng.integers(len(sizes)))]
            sizes = {other: min(size, self._ranges[other][0] + 1) for other, size in sizes.items()}
            sizes[letter] = min(_LARGEST, self._ranges[letter][1] + 2)
        return sizes

    def _inputs(
        self, seed: int, sizes: Mapping[str, int], style: str, rows: int
    ) -> dict[str, Array]:
        rng = np.random.default_rng([seed, rows, *sizes.values()])
        return {name: _values(rng, one, rows, sizes, style) for name, one in self.inputs.items()}

    def _batch(self, seed: int, sizes: Mapping[str, int], style: str, rows: int) -> AlgorithmBatch:
        """Inputs on which it is known what is right.  Raises FormulaError, and UnconfinedError."""
        inputs = self._inputs(seed, sizes, style, rows)
        rng = np.random.default_rng(5)
        parts = [inputs]
        for zeros in (False, True)[: 1 + (style in ("zeros", "whole"))]:
            ways = {n: _moved(rng, one, inputs[n], zeros) for n, one in self.inputs.items()}
            parts += [{name: way[n] for name, way in ways.items()} for n in (0, 1)]
        every = {name: np.concatenate([part[name] for part in parts]) for name in inputs}
        results, whole = self.defined(every)
        base, one, other, *zeroed = np.split(results, len(parts))
        axes = tuple(range(1, base.ndim))
        size = np.where(np.isfinite(base), np.abs(base), 0.0).max(axis=axes, initial=0.0)
        most = np.zeros(rows) if whole else _JUMP * size

        def jumps(*moved: Array) -> tuple[Array, Mask]:
            moves = np.max([_apart(each, base) for each in moved], axis=0)
            return moves, ~(moves.max(axis=axes, initial=0.0) <= most)

        moves, left_out = jumps(one, other)
        tied = jumps(*zeroed)[1] if zeroed else np.zeros(rows, dtype=np.bool_)
        at = ~(left_out | np.isnan(base).any(axis=axes))
        inputs = {name: value[at] for name, value in inputs.items()}
        return AlgorithmBatch(sizes, inputs, base[at], moves[at], tied[at], int((~at).sum()))

    def defined(self, inputs: Mapping[str, Array]) -> tuple[Array, bool]:
        """The definition's results (B, ...), NaN where arithmetic fails; whether they are whole.

        Raises FormulaError where it gives none, and UnconfinedError as for an answer.
        """
        whole = tuple(name for name, one in self.inputs.items() if one.kind in _WHOLE)
        asked = FunctionBatch(inputs, {}, [], whole=whole, called=self.name, partial=True)
        worker = shared_worker("definitions")
        try:
            with worker.session(self.source, unconfined=self.unconfined) as session:
                return session.call(asked)[1], session.whole
        except FunctionError as error:
            line = f" (line {error.fault.line})" if error.fault.line else ""
            said = f"The card's own function {self.name} gives no result: {error.fault.message}"
            hint = f"look at `function`{line}; smaller `sizes` make it quicker"
            raise FormulaError(said, hint, 1, 1) from None

    # What is wrong with an answer.

    def named(
        self, judged: Sequence[JudgedResult], fresh: Sequence[JudgedResult]
    ) -> Mistake | None:
        every = (*judged, *fresh)
        axes = [axis.removeprefix("entry along ") for axis in self.target.axes]
        for mistake, slip in (*_slips(axes), *self._other_inputs()):
            if _agrees(every, slip):
                return mistake
        odd = next((one for one in every if not one.fits), None)
        if odd is not None:
            shapes = f"{odd.given.shape[1:]}, where {odd.expected.shape[1:]} is right"
            sizes = ", ".join(f"{name} = {size}" for name, size in odd.batch.sizes.items())
            return Mistake("the shape of the result", f"It is {shapes}: with {sizes}.")
        off = [one.got[one.differs] for one in every]
        if all(not np.isfinite(values).any() for values in off):
            large = any(one.kind == "large" for one in self.inputs.values())
            return _OVERFLOW if large else _NO_NUMBER
        return None

    def _other_inputs(self) -> Iterator[tuple[Mistake, Slip]]:
        """Mistakes that the definition makes, too, where its inputs are changed."""
        for name, one in self.inputs.items():
            if len(one.dimensions) == 2 and one.dimensions[0] == one.dimensions[1]:
                teaching = f"Rows and columns of {name} are exchanged: see which index comes first."
                if one.kind not in _SQUARE:
                    yield Mistake(f"{name} is transposed", teaching), partial(self._turned, name)
        for letter in self.usual:
            for first in (True, False):
                end = "first" if first else "last"
                teaching = f"See where the loop over {letter} begins and ends."
                slip = partial(self._trimmed, letter, first)
                yield Mistake(f"the {end} entry along {letter} is left out", teaching), slip

    def _turned(self, name: str, one: JudgedResult) -> Array:
        changed = one.batch.inputs[name].swapaxes(-1, -2)
        return self._slipped(one, {**one.batch.inputs, name: changed})

    def _trimmed(self, letter: str, first: bool, one: JudgedResult) -> Array | None:
        if one.batch.sizes[letter] <= self._ranges[letter][0]:
            return None
        changed = dict(one.batch.inputs)
        for name, given in self.inputs.items():
            if given.kind == "size" and given.dimensions[0].letter == letter:
                changed[name] = changed[name] - 1
            elif given.most is not None and given.most.letter == letter:
                return None
            else:
                for axis, dimension in enumerate(given.dimensions, 1):
                    if dimension.letter == letter:
                        at = range(int(first), changed[name].shape[axis] - (not first))
                        changed[name] = changed[name].take(at, axis)
        return self._slipped(one, changed)

    def _slipped(self, one: JudgedResult, inputs: Mapping[str, Array]) -> Array:
        """NaN where the definition has no result for inputs that are none of its own."""
        try:
            return self.defined(inputs)[0]
        except FormulaError:
            return np.full(one.given.shape, np.nan)

    @cached_property
    def conditions(self) -> Conditions[AlgorithmBatch]:
        ways: list[Condition[AlgorithmBatch]] = []
        for letter, (least, _) in self._ranges.items():
            for size in (least, least + 1):
                ways.append(Condition(f"{letter} is above {size}", partial(_above, letter, size)))
        for name, one in self.inputs.items():
            if one.kind in ("real", "large", "integer", "symmetric"):
                said = (
                    f"an entry of {name} is negative" if one.dimensions else f"{name} is negative"
                )
                ways.append(Condition(said, partial(_negative, name)))
        return Conditions([(way,) for way in ways])

    # How fast a right answer grows.

    def refined(self, verdict: Verdict, steps: Callable[[AlgorithmBatch], float]) -> Verdict:
        if not self.cost:
            return verdict
        try:
            found = list(self._growths(steps))
        except FunctionError as error:
            said = f"How fast it grows could not be counted: {error.fault.message}"
            remark = " ".join(filter(None, (verdict.remark, said)))
            return replace(verdict, remark=remark)
        fast = [one for one in found if one.excess]
        if not fast:
            return verdict
        return replace(
            verdict, verdict=SLOW, remark=f"It grows {_grows(fast)}; {self.cost} would do."
        )

    def _growths(self, steps: Callable[[AlgorithmBatch], float]) -> Iterator[Growth]:
        cost = Cost.read(self.cost, tuple(self.usual))
        # Within one product, what no size alone brings beyond it, all together do not either.
        together = ("",) if "+" in self.cost else ()
        for letter in (*cost.letters, *together):
            points: list[tuple[int, float, float]] = []
            for beside, growing in _GROWING:
                points = list(self._points(letter, beside, growing, cost, steps))
                if len(points) >= _POINTS:
                    break
            at, taken, allowed = zip(*points, strict=True) if points else ((), (), ())
            yield Growth(letter, at, taken, allowed)

    def _points(
        self,
        letter: str,
        beside: int,
        growing: Sequence[int],
        cost: Cost,
        steps: Callable[[AlgorithmBatch], float],
    ) -> Iterator[tuple[int, float, float]]:
        """Sizes, each with what the function takes and what the cost is, as far as it is counted."""
        for size in growing:
            sizes = {
                name: max(least, size if name == letter or not letter else beside)
                for name, (least, _) in self._ranges.items()
            }
            taken = steps(self._unjudged(sizes))
            if not isfinite(taken):
                return
            yield size, max(1.0, taken), max(1.0, cost.of(sizes))

    def _unjudged(self, sizes: Mapping[str, int]) -> AlgorithmBatch:
        """Inputs of any size, of which it is not asked what is right."""
        inputs = self._inputs(3, sizes, _STYLES[0], 1)
        nothing = np.zeros((1, 0))
        return AlgorithmBatch(sizes, inputs, nothing, nothing, np.zeros(1, dtype=np.bool_))


def _of_any(found: Sequence[AlgorithmBatch], head: str) -> tuple[AlgorithmBatch, ...]:
    """Those batches that have inputs; what was left out of the others is counted with the first."""
    some = [batch for batch in found if len(batch)]
    if not some:
        said = f"The card's own function {head} has no result that stays where inputs are moved."
        raise FormulaError(said, "look at what it divides by, and at ties", 1, 1)
    lost = sum(batch.left_out for batch in found if not len(batch))
    return (replace(some[0], left_out=some[0].left_out + lost), *some[1:])


def _above(letter: str, size: int, batch: AlgorithmBatch) -> Mask:
    return np.full(len(batch), batch.sizes[letter] > size)


def _negative(name: str, batch: AlgorithmBatch) -> Mask:
    return np.asarray((batch.inputs[name].reshape(len(batch), -1) < 0).any(axis=1))


# -- The keys of a card.


def from_mapping(card: Mapping[str, object]) -> AlgorithmExercise:
    """Read {function: ..., inputs: ..., sizes: ..., cost: ...}.  Raises ExerciseError."""
    return _made(json.dumps(card, default=str))


@lru_cache(maxsize=16)
def _made(keys: str) -> AlgorithmExercise:
    card = json.loads(keys)
    refuse_others(card, _KEYS, "a function")
    if not isinstance(card["function"], str) or not isinstance(card.get("inputs"), dict):
        raise ExerciseError(
            "exercise: function is a text, and inputs says what it is given: "
            "{p: 'distribution[K]', n: size}."
        )
    source = plain(card["function"])
    inputs = {str(name): _input(str(name), str(said)) for name, said in card["inputs"].items()}
    name, parameters = _definition(source, tuple(inputs))
    letters = (each.letter for one in inputs.values() for each in one.every if each.letter)
    usual = _usual(tuple(dict.fromkeys(letters)), card.get("sizes"))
    cost = str(card.get("cost") or "").strip()
    cost = re.sub(r"^O\s*\((.*)\)$", r"\1", cost)
    if cost:
        Cost.read(cost, tuple(usual))
    return AlgorithmExercise(source, name, {n: inputs[n] for n in parameters}, usual, cost)


def _input(name: str, said: str) -> Input:
    if said.strip() == "size":
        return Input("size", (Dimension(name),))
    found = _INPUT.fullmatch(said.strip())
    kinds = ", ".join(("size", *KINDS))
    if found is None or found[1] not in KINDS:
        raise ExerciseError(
            f"exercise: inputs: {name} is {said!r}: one of {kinds} is allowed, with dimensions "
            "as in real[N,D], and index(M)[n] for numbers below M."
        )
    kind, most, told = found.groups()
    dimensions = tuple(_dimension(name, one) for one in told.split(",")) if told else ()
    if (most is None) != (kind != "index"):
        raise ExerciseError(
            f"exercise: inputs: {name} is {said!r}: index(M) says below which number it is, "
            "and no other kind does."
        )
    square = len(dimensions) == 2 and dimensions[0] == dimensions[1]
    if kind in _SQUARE and not square:
        raise ExerciseError(f"exercise: inputs: {name} is {said!r}: {kind}[D,D] is allowed.")
    if not dimensions and kind in ("distribution", "stochastic", "one-hot", "permutation"):
        raise ExerciseError(f"exercise: inputs: {name} is {said!r}: {kind}[K] is allowed.")
    return Input(kind, dimensions, _dimension(name, most) if most else None)


def _dimension(name: str, said: str) -> Dimension:
    found = _DIMENSION.fullmatch(said.strip())
    number = int((found[2] or "0").replace(" ", "")) if found else 0
    if found is None or abs(number) > _LARGEST or not (found[1] or number >= 1):
        raise ExerciseError(
            f"exercise: inputs: {name} has the dimension {said.strip()!r}: a letter, n+1, or a "
            f"number up to {_LARGEST} is allowed."
        )
    return Dimension(found[1] or "", number)


def _definition(source: str, inputs: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The name of the definition and its parameters: told without running it."""
    for found in _PARAMETERS.finditer(source):
        told = [re.split(r"[:=]", one)[0].strip() for one in found[2].split(",")]
        parameters = tuple(one for one in told if one and one not in ("/", "*"))
        if {*parameters} == {*inputs}:
            return found[1], parameters
    listed = ", ".join(inputs)
    raise ExerciseError(
        f"exercise: function: nothing begins with `def name({listed}):`, with the names that "
        "inputs has."
    )


def _usual(letters: Sequence[str], sizes: object) -> dict[str, int]:
    if sizes is not None and not isinstance(sizes, Mapping):
        raise ExerciseError(f"exercise: sizes is {sizes!r}: a mapping like {{K: 2}} is allowed.")
    given = {str(name): str(size) for name, size in (sizes or {}).items()}
    for name, size in given.items():
        if name not in letters:
            known = ", ".join(letters)
            raise ExerciseError(f"exercise: sizes: {name!r} is no size of the inputs: {known} are.")
        if not re.fullmatch(r"[1-9]", size) or int(size) > _LARGEST:
            raise ExerciseError(f"exercise: sizes: {name} is {size!r}: 1 to {_LARGEST} is allowed.")
    return {letter: int(given.get(letter, _USUAL)) for letter in letters}


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
        model = self.task.model
        inputs = {letter: np.array([float(sizes[letter])]) for letter in self.letters}
        return float(model.run(inputs, model.lengths())["cost"].value.reshape(-1)[0])
