"""A value as a kind of exercise: q[k], in other words than those that define it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from engine.formula.axes import Array
from engine.formula.unparse import tex_name
from engine.messages.model import Batch, Reference
from engine.messages.shapes import Survey
from engine.messages.targets import Derivative, Target, in_brackets, tex_indices
from engine.messages.vocabulary import Words


@dataclass(frozen=True, slots=True)
class Value(Target):
    """The entries of `above` itself; `below` is "", and `lower` has the letters of `above`."""

    title: ClassVar[str] = "the value"

    @classmethod
    def of(cls, below: str, words: Words, survey: Survey) -> Value | None:  # noqa: ARG003
        return None

    @classmethod
    def read(cls, found: Derivative, words: Words) -> Value | None:  # noqa: ARG003
        return None if found.below else cls(found.above, "", found.upper or ())

    @property
    def key(self) -> str:
        return self.above

    @property
    def arrays(self) -> tuple[str, ...]:
        return (self.above,)

    def written(self, indices: tuple[str, ...] | None = None) -> str:
        return self.above + in_brackets(self.lower if indices is None else indices)

    def tex(self, indices: tuple[str, ...]) -> str:
        return tex_name(self.above) + (f"_{{{tex_indices(indices)}}}" if indices else "")

    def named_by(self, found: Derivative) -> bool:
        return found.above == self.above and not found.below

    # What it comes to: the numbers stand where those of a derivative would.

    def reference(self, batch: Batch) -> Reference:
        found = batch.kept.get(("value", self.above))
        if found is None:
            values = self._laid_out(batch)
            known = np.asarray(np.isfinite(values).all(axis=(1, 2)))
            found = batch.kept["value", self.above] = Reference.of_values(values, known)
        assert isinstance(found, Reference)
        return found

    def moved(self, batch: Batch, n: int) -> Array:
        return self._laid_out(batch.rounded[n])

    def falsified(self, batch: Batch, **changes: Any) -> Array:
        """What it would be by definitions with a slip; a slope alone changes nothing."""
        instead = changes.get("instead") or changes.get("slipped")
        if instead is None:
            return np.full((len(batch), *self._laid_out(batch).shape[1:]), np.nan)
        with np.errstate(all="ignore"):
            tables = batch.model.run(batch.inputs, batch.length, instead=instead)
        return tables[self.above].value.reshape(len(batch), -1, 1)

    def _laid_out(self, batch: Batch) -> Array:
        """(B, O, 1)."""
        return batch.values[self.above].reshape(len(batch), -1, 1)
