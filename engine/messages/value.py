"""A value as a kind of exercise: q[k], in other words than those that define it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from engine.formula.axes import Array, Mask
from engine.formula.unparse import tex_name
from engine.messages.model import Batch, Reference
from engine.messages.shapes import Survey
from engine.messages.targets import Derivative, Target, in_brackets, tex_indices
from engine.messages.vocabulary import Words


@dataclass(frozen=True, slots=True)
class ArrayTarget(Target):
    """The entries of `above` itself; `below` is "", and `lower` has the letters of `above`."""

    @classmethod
    def of(cls, below: str, words: Words, survey: Survey) -> Target | None:  # noqa: ARG003
        return None

    @classmethod
    def read(cls, found: Derivative, words: Words) -> Target | None:  # noqa: ARG003
        return None

    @property
    def key(self) -> str:
        return self.above

    @property
    def arrays(self) -> tuple[str, ...]:
        return (self.key,)

    def written(self, indices: tuple[str, ...] | None = None) -> str:
        return self.above + in_brackets(self.lower if indices is None else indices)

    def tex(self, indices: tuple[str, ...]) -> str:
        return tex_name(self.above) + (f"_{{{tex_indices(indices)}}}" if indices else "")

    def named_by(self, found: Derivative) -> bool:
        return found.above == self.above and not found.below

    # What it comes to: the numbers stand where those of a derivative would.

    @abstractmethod
    def values(self, batch: Batch) -> Array:
        """(B, O, 1): its numbers."""

    def known(self, batch: Batch, values: Array) -> Mask:
        """(B,): where they are known, and every name of the learner's own has a value."""
        own = (batch.values[name] for name in batch.model.forward.asides & {*batch.values})
        rows = (np.isfinite(each.reshape(len(batch), -1)).all(axis=1) for each in own)
        every = [np.isfinite(values).all(axis=(1, 2)), *rows]
        return np.asarray(np.logical_and.reduce(every))

    def reference(self, batch: Batch) -> Reference:
        found = batch.kept.get(("entries", self))
        if found is None:
            values = self.values(batch)
            found = Reference.of_values(values, self.known(batch, values))
            batch.kept["entries", self] = found
        assert isinstance(found, Reference)
        return found

    def moved(self, batch: Batch, n: int) -> Array:
        return self.values(batch.rounded[n])

    def falsified(self, batch: Batch, **changes: Any) -> Array:  # noqa: ARG002
        """Nothing: a slope alone changes none of these."""
        return np.full(self.values(batch).shape, np.nan)


@dataclass(frozen=True, slots=True)
class Value(ArrayTarget):
    """What a card's own definitions say."""

    title: ClassVar[str] = "the value"

    @classmethod
    def read(cls, found: Derivative, words: Words) -> Value | None:  # noqa: ARG003
        return None if found.below else cls(found.above, "", found.upper or ())

    def values(self, batch: Batch) -> Array:
        return batch.values[self.above].reshape(len(batch), -1, 1)

    def falsified(self, batch: Batch, **changes: Any) -> Array:
        """What it would be by definitions with a slip."""
        instead = changes.get("instead") or changes.get("slipped")
        if instead is None:
            return ArrayTarget.falsified(self, batch)
        with np.errstate(all="ignore"):
            tables = batch.model.run(batch.inputs, batch.length, instead=instead)
        return tables[self.above].value.reshape(len(batch), -1, 1)
