"""Operations on arrays that carry slopes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final, Protocol

import numpy as np

from engine.formula.axes import (
    BATCH,
    Array,
    Axed,
)
from engine.messages.special import OF_ONE, OF_SEVERAL

# -- A number with its derivatives, and arrays of them.


class BranchChoice(Protocol):
    def choose(self, alike: Array, usual: Array) -> Array: ...


@dataclass(frozen=True, slots=True)
class Dual:
    value: Axed
    slope: Axed | None = None
    """Over the value's axes and DIRECTION; None where it is constant."""
    off: Axed | None = None
    """Where a condition that is a factor of it does not hold; None where there is none."""


@dataclass(frozen=True, slots=True)
class DualArray:
    """An array that is known: `value` (B, ...), `slope` (B, D, ...) or None where constant."""

    value: Array
    slope: Array | None = None


Scope = Mapping[str, Dual]


# -- Functions of numbers with their derivatives, and the operators of arithmetic.


Function = Callable[[Array], Array]

_erf: Final[Function] = np.vectorize(math.erf, otypes=[np.float64])


def sigmoid(a: Array) -> Array:
    """1 / (1 + exp(-a)), without overflow on either side."""
    small = np.exp(-np.abs(a))
    return np.asarray(np.where(a >= 0, 1.0, small) / (1.0 + small))


def _softplus(a: Array) -> Array:
    return np.asarray(np.maximum(a, 0.0) + np.log1p(np.exp(-np.abs(a))))


def _sigmoid_slope(a: Array) -> Array:
    small = np.exp(-np.abs(a))
    return np.asarray(small / (1.0 + small) ** 2)


#: Smooth functions: the value and the derivative, each of the argument.
SMOOTH: Final[dict[str, tuple[Function, Function]]] = {
    "exp": (np.exp, np.exp),
    "log": (np.log, lambda a: 1.0 / a),
    "sqrt": (np.sqrt, lambda a: 0.5 / np.sqrt(a)),
    "sin": (np.sin, np.cos),
    "cos": (np.cos, lambda a: -np.sin(a)),
    "tanh": (np.tanh, lambda a: 1.0 / np.cosh(np.clip(a, -350, 350)) ** 2),
    "sinh": (np.sinh, np.cosh),
    "cosh": (np.cosh, np.sinh),
    "sech": (lambda a: 1.0 / np.cosh(a), lambda a: -np.tanh(a) / np.cosh(a)),
    "sigmoid": (sigmoid, _sigmoid_slope),
    "softplus": (_softplus, sigmoid),
    "erf": (_erf, lambda a: 2.0 / math.sqrt(math.pi) * np.exp(-a * a)),
}

SMOOTH.update(OF_ONE)

#: What is taken for constant, by a name that nobody can type: see `mutations`.
SMOOTH["~held"] = (lambda a: a, np.zeros_like)

#: Functions with a kink at 0: the value, and the derivative left and right of it.
KINKED: Final[dict[str, tuple[Function, float, float]]] = {
    "abs": (np.abs, -1.0, 1.0),
    "relu": (lambda a: np.maximum(a, 0.0), 0.0, 1.0),
}

#: Functions that stand still between jumps: the value left of a place, there, and right of it.
STEPS: Final[dict[str, tuple[Function, Function, Function]]] = {
    "sign": (lambda a: np.where(a > 0, 1.0, -1.0), np.sign, lambda a: np.where(a < 0, -1.0, 1.0)),
    "floor": (lambda a: np.ceil(a) - 1.0, np.floor, np.floor),
    "ceil": (np.ceil, np.ceil, lambda a: np.floor(a) + 1.0),
}


def partial_derivatives(op: str, left: Array, right: Array, value: Array) -> tuple[Array, Array]:
    """d value / d left and d value / d right of `left op right`."""
    one = np.ones(())
    match op:
        case "+":
            return one, one
        case "-":
            return one, -one
        case "*":
            return right, left
        case "/":
            return 1.0 / right, -value / right
        case "^":
            # 0^0 = 1 has slope 0, as a power of 0 does not move.
            base = np.where(right == 0, 0.0, right * np.power(left, right - 1.0))
            return base, value * np.log(np.where(left == 0, 1.0, left))
    raise AssertionError(op)


# -- What a factor 0 hides: [false] * undefined is 0, and 0 * undefined is nothing to rely on.


def hidden_by_zero(together: Callable[..., Axed], factor: Axed, slope: Axed) -> list[Array]:
    """Where a factor 0 hides that a slope does not exist: one (B,) mask, or none."""
    if np.isfinite(slope.data).all() or BATCH not in slope.axes:
        return []
    lost = together(lambda f, s: (f == 0) & ~np.isfinite(s), factor, slope)
    data = np.moveaxis(lost.data, lost.axes.index(BATCH), 0)
    mask: Any = data.reshape(len(data), -1).any(axis=1)
    return [mask]


def guarded_product(factor: Array, slope: Array) -> Array:
    """A partial times a slope; what a false condition multiplies by 0 stays hidden."""
    return np.asarray(np.where(factor == 0, 0.0, factor * slope))


def size_of_product(factor: Array, slope: Array) -> Array:
    return guarded_product(np.abs(factor), slope)


# -- What rounding may have done to a number: the same evaluation, its inexact results moved a
# little.
#
# Where 1 - sigmoid(s) has lost most of its digits, so has all that is computed from it, though no
# number looks odd.  An evaluation in which every result that was rounded is moved by a few of its
# last digits comes out elsewhere there, and only there.  (J. Vignes, "Discrete stochastic
# arithmetic for validating results of numerical software", 2004; D. S. Parker, "Monte Carlo
# arithmetic", 1997.)


#: As far as a result is moved, at most, of its size: hundreds of times what rounding does, so that
#: two moves that happen to cancel still leave more than rounding did; and hardly more than it does.
_FAR, _NEAR = 2.0**-44, 2.0**-50
#: What rounding may have done is at most so many times what moves of the size _FAR do.
_CAUTION: Final = 16.0
#: For their size, near moves do at most so many times as much as far ones, or no digit is right.
_UNEVEN: Final = 8.0
#: Of the largest entry, too little to look at.
_NOTHING: Final = 1e-9
#: Below and above its inverse no number is known to be right: it may have left float64's range.
_LEAST: Final = 2.0**-970
#: These round wherever they are not at 0, also to numbers that look exact: tanh(20) is 1.
_ROUNDING: Final = {one for pair in SMOOTH.values() for one in pair} - {np.sqrt}
#: So do these, at 0 as well.
_OF_SEVERAL: Final = {*OF_SEVERAL.values()}


@dataclass(frozen=True, slots=True)
class Rounding:
    """One way to move what is rounded.  Equal numbers move alike: what is a tie stays one."""

    salt: int
    most: float  # As far as a result is moved, of its size.

    def of(self, function: Callable[..., Any], parts: Sequence[Array], found: Array) -> Array:
        """`found`, which is function(*parts), moved where it is not exact."""
        if found.dtype != np.float64 or function in (np.where, np.negative):
            return found
        # A partial derivative need not depend on all of what it is of.
        shape = found.shape
        parts = [part for part in parts if np.broadcast_shapes(part.shape, shape) == shape]
        if function in (np.add, np.subtract):
            one, two = parts[0], parts[1] if function is np.add else -parts[1]
            back = found - one
            rounded = (one - (found - back)) + (two - back) != 0
        elif function in _OF_SEVERAL:
            rounded = found != 0
        elif function in _ROUNDING:
            # log(1) is 0 exactly, exp(-1000) is not.
            rounded = (parts[0] != 0) & ((found != 0) | (np.abs(parts[0]) > 1))
        else:
            rounded = ~_short(found)
            for part in parts:
                rounded = rounded | ~_short(part)
            for part in parts:
                rounded &= (np.abs(found) != np.abs(part)) & (part != 0)
        if not rounded.any():
            return found
        shift = self._shift(found)
        moved = np.where(rounded, found * (1.0 + self.most * shift), found)
        small, large = np.abs(found) < _LEAST, np.isinf(found)
        for part in parts:
            large &= np.isfinite(part)
        if function not in (np.add, np.subtract):  # no sum is too small to be told
            moved = np.where(rounded & small, _LEAST * shift, moved)
        return np.where(rounded & large, shift / _LEAST, moved)

    def nudged(self, values: Array, times: float = 1.0) -> Array:
        """Each number moved: what goes on with it is, or was, computed in many steps."""
        return np.asarray(values * (1.0 + times * self.most * self._shift(values)))

    def total(self, parts: Array) -> Array:
        """The sum along the last dimension, term by term."""
        found = np.zeros(parts.shape[:-1])
        for n in range(parts.shape[-1]):
            found = self.of(np.add, (found, parts[..., n]), found + parts[..., n])
        return found

    def matrices(self, value: Array) -> Array:
        """Matrices (..., n, n) of which what elimination comes to is right.

        Each entry moves by the size of the largest, however exact it is: elimination is as good as
        exact for a matrix so near (Higham, "Accuracy and Stability of Numerical Algorithms", 2002,
        theorem 9.3).
        """
        size = np.abs(value).max(axis=(-1, -2), initial=0.0, keepdims=True)
        place = np.sqrt(np.arange(1.0, value.shape[-1] ** 2 + 1)).reshape(value.shape[-2:])
        return np.asarray(value + self.most * size * self._shift(value + place))

    def _shift(self, found: Array) -> Array:
        """Between a quarter and 1, up or down, by a hash of the number's size."""
        bits = np.array(np.abs(found), order="C").view(np.uint64)
        bits = (bits ^ np.uint64(self.salt)) * np.uint64(0x9E3779B97F4A7C15)
        bits = (bits ^ (bits >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
        side = (bits >> np.uint64(11)) * 2.0**-52 - 1.0
        return np.asarray(0.75 * side + np.copysign(0.25, side))


def _short(value: Array) -> Array:
    """Where a number has few digits, as those have that are computed exactly."""
    return np.asarray(value == np.asarray(value, dtype=np.float32))


ROUNDINGS: Final = tuple(
    Rounding(salt, most)
    for most in (_FAR, _NEAR)
    for salt in (0x5851F42D4C957F2D, 0x14057B7EF767814F)
)


def rounding_moves(base: Array, moved: Sequence[Array]) -> Array:
    """(B, 1, ...): how far rounding may have moved an entry of `base`; `moved` is as ROUNDINGS are,
    or as the first of them are.

    It is infinite for an input where near moves do as much as far ones: what is computed from a
    number without a right digit may be off by any factor.
    """
    off = {most: np.zeros((len(base), base[:1].size)) for most in (_FAR, _NEAR)}
    for one, how in zip(moved, ROUNDINGS, strict=False):
        same = (one == base) | (np.isnan(one) & np.isnan(base))
        apart = np.where(same, 0.0, np.abs(one - base)).reshape(len(base), -1)
        off[how.most] = np.maximum(off[how.most], np.where(np.isnan(apart), np.inf, apart))
    far, near = off[_FAR], off[_NEAR] * (_FAR / _NEAR)
    size = np.abs(base).reshape(len(base), -1).max(axis=1, initial=0.0)
    found = _CAUTION * np.maximum(far, near)
    lost = ~(near <= _UNEVEN * far) & (found > _NOTHING * size[:, None])
    most = np.where(lost, np.inf, found).max(axis=1, initial=0.0)
    return np.asarray(most.reshape(-1, *[1] * (base.ndim - 1)))


# -- Where a forward message has no derivative: which trials meet a kink, and its branches there.
#
# A kink is a choice between alternatives that are equally good at the input: both sides of a
# comparison that holds with equality, the two slopes of |x| at 0, the inputs that share a
# maximum. The evaluation asks `choose` at each of them, always in the same order, so that a
# second run can be told to take the other branches.


#: Of so many combinations of branches each is tried; a trial with more is left out.
MOST_BRANCHES = 64
#: Rows of one run over all branches: bounds its time and memory.
MOST_ROWS = 6_000


@dataclass(slots=True)
class Record:
    """Takes the usual branch everywhere, and remembers where there was another one."""

    calls: list[tuple[Array, Array]] = field(default_factory=list)

    def choose(self, alike: Array, usual: Array) -> Array:
        """Return which alternative is taken: `usual` (B, ...), of `alike` (B, ..., n)."""
        self.calls.append((alike, usual))
        return usual

    def met(self, trials: int) -> Array:
        """(B,): which trials have a choice."""
        met = np.zeros(trials, dtype=np.bool_)
        for alike, _ in self.calls:
            several = alike.sum(axis=-1) > 1
            met |= several.reshape(trials, -1).any(axis=1)
        return met


@dataclass(slots=True)
class Replay:
    """Takes the branches it was told to."""

    told: list[Array]
    _next: int = 0

    def choose(self, alike: Array, usual: Array) -> Array:
        self._next += 1
        told = self.told[self._next - 1]
        # What a forced branch brings up further on has no choice of its own.
        return told if told.shape == usual.shape and alike.shape[-1] else usual


def branches(record: Record, trials: Array) -> tuple[Array, Replay]:
    """Lay out every combination of branches of some `trials`.

    Return the trial of each row, and the choices to take in these rows.  A trial with more than
    MOST_BRANCHES combinations has no row; its derivative is then not decided.
    """
    rows: list[int] = []
    changes: list[tuple[int, int, tuple[int, ...], int]] = []
    for trial in trials.tolist():
        sites = _sites(record, trial)
        count = int(np.prod([len(options) for _, _, options in sites], dtype=np.float64))
        if count > MOST_BRANCHES or len(rows) + count > MOST_ROWS:
            continue
        for combination in product(*(options for _, _, options in sites)):
            for (call, place, _), option in zip(sites, combination, strict=True):
                changes.append((call, len(rows), place, option))
            rows.append(trial)
    of = np.array(rows, dtype=np.intp)
    told = [usual[of].copy() for _, usual in record.calls]
    for call, row, place, option in changes:
        told[call][(row, *place)] = option
    return of, Replay(told)


def _sites(record: Record, trial: int) -> list[tuple[int, tuple[int, ...], list[int]]]:
    """The choices of one trial: call, place, and the alternatives there."""
    found = []
    for call, (alike, _) in enumerate(record.calls):
        for place in np.argwhere(alike[trial].sum(axis=-1) > 1):
            at = tuple(place.tolist())
            found.append((call, at, np.flatnonzero(alike[(trial, *at)]).tolist()))
    return found
