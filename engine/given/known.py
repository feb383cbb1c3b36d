"""A known wrong rule: its name, the sentence that mends it, and what it gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from engine.formula.axes import Array
    from engine.given.judge import Judged

#: What a wrong rule gives on a batch: of the answer's shape, NaN where it says nothing.
Rule: TypeAlias = "Callable[[Judged], Array]"
