"""What rounding may have done to a number: the same evaluation, its inexact results moved a little.

Where 1 - sigmoid(s) has lost most of its digits, so has all that is computed from it, though no
number looks odd.  An evaluation in which every result that was rounded is moved by a few of its
last digits comes out elsewhere there, and only there.  (J. Vignes, "Discrete stochastic arithmetic
for validating results of numerical software", 2004; D. S. Parker, "Monte Carlo arithmetic", 1997.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from engine.formula.axes import Array
from engine.given.calculus import SMOOTH

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

    def total(self, parts: Array) -> Array:
        """The sum along the last dimension, term by term."""
        found = np.zeros(parts.shape[:-1])
        for n in range(parts.shape[-1]):
            found = self.of(np.add, (found, parts[..., n]), found + parts[..., n])
        return found

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


def moves(base: Array, moved: Sequence[Array]) -> Array:
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
