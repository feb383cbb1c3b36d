"""An answer's numbers against the reference: where they are off, and what that makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from engine import subgradient
from engine.near import Entries
from engine.trials import Batch
from engine.windows import Array, Mask

Target: TypeAlias = Literal["dx", "J"]


@dataclass(frozen=True, eq=False)
class Judged:
    """One batch with what the answer gives on it: dx (B, H, W) or J (B, Ho, Wo, H, W)."""

    batch: Batch
    target: Target
    got: Array

    @cached_property
    def expected(self) -> Array:
        """Of got's shape: the reference, which takes the first maximum at ties."""
        if self.target == "dx":
            return self.batch.dx
        return self.batch.jacobian("first")

    @property
    def x(self) -> Array:
        return self.batch.x

    @property
    def tried(self) -> int:
        return len(self.x)

    @property
    def left_out(self) -> int:
        """None: a maximum has subgradients everywhere."""
        return 0

    @cached_property
    def valid(self) -> Mask:
        """(B,): whether it is right, by any valid subgradient at ties."""
        if self.target == "J":
            return subgradient.valid_jacobian(self.got, self.batch.tied)
        return subgradient.valid_message(self.got, self.batch.delta, self.batch.tied)

    @cached_property
    def off(self) -> Mask:
        """Of got's shape: where the derivative exists and the answer differs from it."""
        return ~self.contested & self.differs

    @cached_property
    def differs(self) -> Mask:
        """Of got's shape: where the answer differs from the reference."""
        slack = subgradient.TOLERANCE * (np.abs(self.expected) + self._scale)
        return ~(np.abs(self.got - self.expected) <= slack)

    @cached_property
    def contested(self) -> Mask:
        """Of got's shape: where the derivative does not exist, because an input ties."""
        shared = self.batch.contested
        return np.asarray(shared.any(axis=(1, 2))) if self.target == "dx" else shared

    @cached_property
    def astray(self) -> Mask:
        """(B,): whether it is wrong somewhere that the derivative exists."""
        return np.asarray(self.off.reshape(len(self.x), -1).any(axis=1))

    @property
    def _scale(self) -> Array | float:
        """The largest that the messages could have added up to; 1 for a Jacobian."""
        return 1.0 if self.target == "J" else self.batch.largest[:, None, None]

    @property
    def entries(self) -> Entries:
        """Which entries are off, with the regions that a window makes of the input."""
        windows = self.batch.inside.sum(axis=(0, 1))
        places = {
            "inputs of several windows": windows > 1,
            "inputs of one window": windows == 1,
            "inputs of no window": windows == 0,
        }
        if self.target == "J":
            places = {"inputs outside the window": ~self.batch.inside}
        letters = ("i", "j") if self.target == "dx" else ("k", "l", "i", "j")
        return Entries(self.off, ~self.contested, letters, places)
