"""Conditions on values that may be undefined: true, false, or unknown (Kleene's three values).

A comparison with something undefined is unknown.  A false part of an "and", or a true part of an
"or", decides it all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from engine.formula.axes import Axed

#: Applies a function to arrays that are first laid out along their common axes.
Together: TypeAlias = Callable[..., Axed]


@dataclass(frozen=True, slots=True)
class Truth:
    """Where a condition `holds`, and where nobody can say; None: it can be said everywhere."""

    holds: Axed
    unknown: Axed | None = None


def compared(together: Together, function: Callable[..., Any], *values: Axed) -> Truth:
    """The comparison of numbers, unknown wherever one of them is undefined."""
    holds = together(function, *values)
    gaps = [value for value in map(_undefined, values) if value is not None]
    if not gaps:
        return Truth(holds)
    unknown = gaps[0] if len(gaps) == 1 else together(np.logical_or, *gaps)
    return Truth(together(lambda a, b: a & ~b, holds, unknown), unknown)


def both(together: Together, one: Truth, two: Truth) -> Truth:
    holds = together(np.logical_and, one.holds, two.holds)
    if one.unknown is None and two.unknown is None:
        return Truth(holds)
    possible = together(np.logical_and, possibly(together, one), possibly(together, two))
    return Truth(holds, together(lambda a, b: a & ~b, possible, holds))


def either(together: Together, one: Truth, two: Truth) -> Truth:
    return negated(together, both(together, negated(together, one), negated(together, two)))


def negated(together: Together, truth: Truth) -> Truth:
    return Truth(together(np.logical_not, possibly(together, truth)), truth.unknown)


def possibly(together: Together, truth: Truth) -> Axed:
    """Where the condition holds or is unknown."""
    if truth.unknown is None:
        return truth.holds
    return together(np.logical_or, truth.holds, truth.unknown)


def hidden(together: Together, value: Axed, truth: Truth) -> Axed:
    """`value`, undefined where the condition that it hangs on is unknown."""
    if truth.unknown is None:
        return value
    return together(lambda a, b: np.where(b, np.nan, a), value, truth.unknown)


def _undefined(value: Axed) -> Axed | None:
    gaps = np.isnan(value.data)
    return Axed(gaps, value.axes) if gaps.any() else None
