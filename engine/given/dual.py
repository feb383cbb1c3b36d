"""A number with its derivatives, and arrays of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from engine.formula.axes import Array, Axed


class Chooser(Protocol):
    def choose(self, alike: Array, usual: Array) -> Array: ...


@dataclass(frozen=True, slots=True)
class Dual:
    value: Axed
    slope: Axed | None = None
    """Over the value's axes and DIRECTION; None where it is constant."""


@dataclass(frozen=True, slots=True)
class Table:
    """An array that is known: `value` (B, ...), `slope` (B, D, ...) or None where constant."""

    value: Array
    slope: Array | None = None


Scope = Mapping[str, Dual]
