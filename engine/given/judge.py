"""An answer's numbers against the exact derivative of the card's forward message."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from engine.formula.axes import Array
from engine.given import hull, rounding
from engine.given.batch import Batch, Reference
from engine.given.target import Target
from engine.near import Entries

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
class Judged:
    """One batch with what the answer gives on it: (B, *shape of the target)."""

    batch: Batch
    target: Target
    full: bool
    """Whether a diagonal target is given with all of its indices."""
    got: Array
    rule: Rule | None = None
    """The answer, to be evaluated once more where rounding may be what it differs by."""

    @cached_property
    def reference(self) -> Reference:
        return self.batch.reference(self.target.above, self.target.below)

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
        return self.numbers(self.reference.jacobian)

    def numbers(self, jacobian: Array, trials: Array | slice = slice(None)) -> Array:
        """The target's numbers from Jacobians (R, O, P) of some trials (R,), or of all."""
        shapes = self.batch.shapes
        above, below = shapes[self.target.above], shapes[self.target.below]
        if self.target.upstream:
            delta = self.batch.values["delta"][trials].reshape(len(jacobian), 1, -1)
            return np.asarray((delta @ jacobian).reshape(len(jacobian), *below))
        found = jacobian.reshape(len(jacobian), *above, *below)
        if not self.target.diagonal or self.full:
            return found
        letters = dict.fromkeys(self.target.indices)
        axis = {letter: n + 1 for n, letter in enumerate(letters)}
        into = [0, *(axis[letter] for letter in self.target.indices)]
        return np.asarray(np.einsum(found, into, [0, *axis.values()]))

    @cached_property
    def slack(self) -> Array:
        """Of got's shape: how far from the reference still agrees."""
        gains = self.reference.gain
        if self.target.upstream:
            delta = self.batch.values["delta"].reshape(len(self.batch), -1)
            gains = gains * np.abs(delta).max(axis=1, initial=0.0)
        wide = gains.reshape(-1, *[1] * (self.expected.ndim - 1))
        return np.asarray(TOLERANCE * (np.abs(self.expected) + wide))

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
        at = self.target.above, self.target.below
        off = np.abs(self.got - self.expected)
        expected: list[Array] = []
        got: list[Array] = []
        for n, batch in enumerate(self.batch.rounded):
            expected.append(self.numbers(self.batch.moved(n, *at)))
            got.append(self.rule(batch))
            found = rounding.moves(self.expected, expected) + rounding.moves(self.got, got)
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
        if self.target.upstream:
            usual, along = self.reference.jacobian[of], self.reference.branches
            slack = TOLERANCE * (np.abs(usual) + self.reference.gain[of, None, None])
            far = (
                (np.abs(along - usual) > slack + moves[of, None, None])
                .any(axis=1)
                .reshape(len(of), *found.shape[1:])
            )
        else:
            along = self.numbers(self.reference.branches, of)
            far = np.abs(along - self.expected[of]) > (self.slack + self.wide(moves))[of]
        np.logical_or.at(found, of, far)
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
        for n in np.flatnonzero(~valid & self.reference.met & ~self.astray):
            valid[n] = self._subgradient(int(n))
        return np.asarray(valid)

    def _subgradient(self, n: int) -> bool:
        of = np.flatnonzero(self.reference.branch_of == n)
        along = self.numbers(self.reference.branches[of], np.full(len(of), n)).reshape(len(of), -1)
        corners = np.unique(along, axis=0)
        slack = float((self.slack[n] + self.moves[n]).max())
        return bool(np.isinf(slack)) or hull.contains(corners, self.got[n].ravel(), slack)

    @property
    def entries(self) -> Entries:
        """Which entries are off, with the regions that arrays of the same shape make by sign."""
        # Where only kinks are wrong, these count.
        kinks = self.wide(~self.valid & ~self.astray)
        known = (~self.contested | kinks) & ~self.wide(self.left_out_mask)
        letters = self.target.indices if self.full else tuple(dict.fromkeys(self.target.indices))
        places: dict[str, Array] = {}
        for name, value in self.batch.values.items():
            if value.ndim > 1 and value.shape == self.got.shape:
                said = f"{name}[{','.join(letters)}]"
                places[f"where {said} = 0"] = value == 0
                places[f"where {said} < 0"] = value < 0
                places[f"where {said} > 0"] = value > 0
                places[f"where {said} <= 0"] = value <= 0
        return Entries(self.off | (self.differs & kinks), known, letters, places)

    def note(self, n: int) -> str:
        return _KINK_NOTE if self.contested[n].any() else ""
