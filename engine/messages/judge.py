"""An answer beside the derivative of its forward message."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from engine.exercise import Entries
from engine.formula.axes import Array
from engine.messages.dual import rounding_moves
from engine.messages.model import Batch, Reference
from engine.messages.targets import Target
from engine.verdict import Counterexample, Numbers

# -- Is a point a convex combination of others?  Decides which subgradients are right at a kink.


def contains(corners: Array, point: Array, slack: float) -> bool:
    """Whether `point` (P,) lies within a few `slack` of the convex hull of `corners` (N, P).

    Non-negative least squares by active sets (Lawson and Hanson, "Solving Least Squares
    Problems", 1974, chapter 23); that the weights sum to 1 is one more equation.
    """
    if not np.isfinite(point).all():
        return False
    if (np.abs(corners - point).max(axis=1, initial=0.0) <= slack).any():
        return True
    # Around the middle and of size 1, so that tiny and huge slopes are decided alike.
    middle = corners.mean(axis=0)
    size = float(np.abs(corners - middle).max(initial=0.0))
    if size == 0:
        return False
    unit, aim = (corners - middle) / size, (point - middle) / size
    system = np.vstack([unit.T, np.ones(len(corners))])
    weights = _nonnegative(system, np.append(aim, 1.0))
    total = weights.sum()
    if total <= 0:
        return False
    far = np.abs((weights / total) @ corners - point).max(initial=0.0)
    # Between corners a slack apart the search stops a slack early.
    return bool(far <= 4 * slack)


def _nonnegative(system: Array, right: Array) -> Array:
    """The weights >= 0 that bring system @ weights nearest to `right`."""
    count = system.shape[1]
    free = np.zeros(count, dtype=np.bool_)
    weights = np.zeros(count)
    small = 1e-14
    for _ in range(3 * count):
        pull = system.T @ (right - system @ weights)
        pull[free] = -np.inf
        if free.all() or pull.max() <= small:
            break
        free[pull.argmax()] = True
        weights = _stepped(system, right, weights, free)
    return weights


def _stepped(system: Array, right: Array, weights: Array, free: Array) -> Array:
    """Solve for the free weights; those that would turn negative are set to 0 and held."""
    while True:
        best = np.zeros_like(weights)
        best[free] = np.linalg.lstsq(system[:, free], right, rcond=None)[0]
        negative = free & (best <= 0)
        if not negative.any():
            return best
        gap = weights[negative] - best[negative]
        steps = np.where(gap > 0, weights[negative] / np.where(gap > 0, gap, 1.0), 0.0)
        weights = weights + steps.min() * (best - weights)
        free &= weights > 1e-15
        weights = np.where(free, weights, 0.0)
        if not free.any():
            return weights


# -- An answer's numbers against the exact derivative of the card's forward message.


#: Of a right value, and of the largest that the messages could have added up to.
TOLERANCE = 1e-9
#: So many times farther from the reference than two ways of rounding take it, no other is tried.
_PLAINLY = 1e3

#: An answer, as a function of a batch.
Rule: TypeAlias = Callable[[Batch], Array]

_KINK_NOTE = (
    "Here the derivative does not exist: any convex combination of the slopes on its sides is "
    "right, the expected values are one choice."
)


@dataclass(frozen=True, eq=False)
class JudgedMessage:
    """One batch with what the answer gives on it: (B, *shape of the target)."""

    batch: Batch
    target: Target
    got: Array
    rule: Rule | None = None
    """The answer, to be evaluated once more where rounding may be what it differs by."""

    @cached_property
    def reference(self) -> Reference:
        return self.target.reference(self.batch)

    @cached_property
    def left_out_mask(self) -> Array:
        """(B,): inputs on which nothing can be judged: rounding may be all that they differ by."""
        far, sure = (m.reshape(len(m), -1).any(axis=1) for m in (self.far, self.differs))
        return np.asarray(self.reference.left_out | (far & ~sure))

    @property
    def left_out(self) -> int:
        return int(self.left_out_mask.sum())

    @property
    def tried(self) -> int:
        return len(self.batch) - self.left_out

    @cached_property
    def expected(self) -> Array:
        """Of got's shape; at a kink, one valid choice."""
        return self.target.nearest(self.batch, self.got)

    def numbers(self, jacobian: Array, trials: Array | slice = slice(None)) -> Array:
        """The target's numbers from Jacobians (R, O, P) of some trials (R,), or of all."""
        return self.target.numbers(jacobian, self.batch, trials)

    @cached_property
    def slack(self) -> Array:
        """Of got's shape: how far from the reference still agrees."""
        gain = self.target.gain(self.batch).reshape(-1, *[1] * (self.expected.ndim - 1))
        return np.asarray(TOLERANCE * (np.abs(self.expected) + gain))

    @cached_property
    def far(self) -> Array:
        """Of got's shape: where the answer is farther from the reference than its slack."""
        return np.asarray(~(np.abs(self.got - self.expected) <= self.slack))

    @cached_property
    def differs(self) -> Array:
        """Of got's shape: where the answer differs from the reference by more than rounding."""
        # What is no number is within nothing but the infinite.
        within = np.abs(self.got - self.expected) <= self.slack + self.moves
        return np.asarray(self.far & ~(within | np.isinf(self.moves)))

    @cached_property
    def moves(self) -> Array:
        """Of got's shape: what rounding may have done to the reference and to the answer.

        It is looked for only where they are far from each other: a right answer costs no more.
        """
        known = self.far & ~self.wide(self.reference.left_out)
        if self.rule is None or not known.any():
            return np.zeros(self.got.shape)
        off = np.abs(self.got - self.expected)
        expected: list[Array] = []
        got: list[Array] = []
        for n, batch in enumerate(self.batch.rounded):
            expected.append(self.numbers(self.target.moved(self.batch, n)))
            got.append(self.rule(batch))
            found = rounding_moves(self.expected, expected) + rounding_moves(self.got, got)
            # In one evaluation two moves may cancel, as in 1/(1 + exp(-s)); hardly in another, too.
            if n and (off > _PLAINLY * (self.slack + found))[known].all():
                break
        return found

    @cached_property
    def contested(self) -> Array:
        """Of got's shape: where the derivative does not exist.

        Of a message that is so wherever one of the Jacobian's elements it sums has a kink: what
        comes from above may be 0 there, and still does not make a derivative exist.
        """
        found = np.zeros(self.got.shape, dtype=np.bool_)
        of = self.reference.branch_of
        if not of.size:
            return found
        moves = self.moves.reshape(len(found), -1).max(axis=1, initial=0.0)
        usual, along = self.reference.jacobian[of], self.reference.branches
        slack = TOLERANCE * (np.abs(usual) + self.reference.gain[of, None, None])
        far = np.abs(along - usual) > slack + moves[of, None, None]
        np.logical_or.at(found, of, self.target.touched(far, self.batch))
        # x/|x| has no value at 0: there a kink counts, however small it is beside all the rest.
        found[of] |= ~np.isfinite(self.got[of])
        return found

    @cached_property
    def off(self) -> Array:
        """Of got's shape: where the derivative exists and the answer differs from it."""
        return self.differs & ~self.contested & ~self.wide(self.left_out_mask)

    def wide(self, mask: Array) -> Array:
        return mask.reshape(-1, *[1] * (self.got.ndim - 1))

    @cached_property
    def astray(self) -> Array:
        """(B,): whether it is wrong somewhere that the derivative exists."""
        return np.asarray(self.off.reshape(len(self.got), -1).any(axis=1))

    @cached_property
    def valid(self) -> Array:
        """(B,): whether it is right, by any valid subgradient at kinks; true where left out."""
        differs = self.differs.reshape(len(self.got), -1).any(axis=1)
        valid = ~differs | self.left_out_mask
        rows = np.flatnonzero(~valid & self.reference.met & ~self.astray)
        valid[rows] = self.subgradient(rows)
        return np.asarray(valid)

    def subgradient(self, rows: Array) -> Array:
        """(R,): whether what the answer gives at the kinks of some inputs is any valid slope."""
        return np.array([self._is_between(int(n)) for n in rows], dtype=np.bool_)

    def _is_between(self, n: int) -> bool:
        """Whether it is a convex combination of the slopes along the branches."""
        of = np.flatnonzero(self.reference.branch_of == n)
        along = self.numbers(self.reference.branches[of], np.full(len(of), n)).reshape(len(of), -1)
        corners = np.unique(along, axis=0)
        slack = float((self.slack[n] + self.moves[n]).max())
        return bool(np.isinf(slack)) or contains(corners, self.got[n].ravel(), slack)

    @property
    def entries(self) -> Entries:
        """Which entries are off, with the regions that arrays of the same shape make by sign."""
        # Where only kinks are wrong, these count.
        kinks = self.wide(~self.valid & ~self.astray)
        known = (~self.contested | kinks) & ~self.wide(self.left_out_mask)
        letters = self.target.letters
        places: dict[str, Array] = {}
        for name, value in self.batch.values.items():
            if value.ndim > 1 and value.shape == self.got.shape:
                said = f"{name}[{','.join(letters)}]"
                places[f"where {said} = 0"] = value == 0
                places[f"where {said} < 0"] = value < 0
                places[f"where {said} > 0"] = value > 0
                places[f"where {said} <= 0"] = value <= 0
        return Entries(self.off | (self.differs & kinks), known, letters, places)

    def shown(self, n: int, part: tuple[int, ...] = ()) -> Counterexample:
        """One of its inputs, with the answer's numbers on it, or with `part` of them."""
        off = self.off[n] if self.off[n].any() else self.differs[n]
        every = off, self.got[n], self.expected[n], self.contested[n]
        off, got, expected, contested = (array[part] for array in every)
        far = np.abs(got - expected)
        # What is no number is farthest of all.
        far = np.where(np.isnan(far), np.inf, far)
        cells = [tuple(int(i) for i in cell) for cell in np.argwhere(off)]
        arrays = dict(self.batch.inputs)
        values = {**self.batch.computed, **self.target.beside(self.batch, self.got)}
        if self.target.upstream:
            arrays["delta"] = self.batch.values["delta"]
        return Counterexample(
            target=self.target.written(),
            indices=self.target.letters[len(part) :],
            inputs={name: plain_numbers(value[n]) for name, value in arrays.items()},
            values={name: plain_numbers(value[n]) for name, value in values.items()},
            yours=plain_numbers(got),
            expected=plain_numbers(expected),
            cells=sorted(cells, key=lambda cell: (-far[cell], cell)),
            note=_KINK_NOTE if contested.any() else "",
        )


def plain_numbers(values: Array) -> Numbers:
    plain: Any = (np.asarray(values) + 0.0).tolist()  # + 0.0 makes a plain zero of -0.0
    numbers: Numbers = plain
    return numbers
