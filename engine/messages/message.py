"""The backward message as a kind of exercise: dL/dx[j], given delta[k] = dL/dy[k]."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from engine.exercise import ExerciseError
from engine.formula.axes import Array
from engine.formula.rewrite import names_in
from engine.formula.tokens import Token
from engine.messages.forward import Forward
from engine.messages.model import Batch
from engine.messages.shapes import Survey
from engine.messages.targets import (
    Cells,
    Target,
    derivative_asked,
    in_brackets,
    usual,
)
from engine.messages.vocabulary import Words

# -- What is asked for: the derivative of a loss that nobody knows, by an input or a parameter.


@dataclass(frozen=True, slots=True)
class Message(Target):
    """The slopes of the output `above`, summed against the message from above."""

    called: ClassVar[frozenset[str]] = frozenset(("backward",))
    upstream: ClassVar[bool] = True

    @classmethod
    def of(cls, below: str, words: Words, survey: Survey) -> Message | None:
        return None if words.loss else cls(words.output, below, usual(below, survey, ()))

    @classmethod
    def read(cls, tokens: list[Token], words: Words, survey: Survey) -> Message | None:
        found = derivative_asked(tokens, words, survey)
        if found is None or found.above:
            return None
        return cls(words.output, found.below, found.lower or ())

    def given(self, cells: Cells) -> str:
        return f"{cells('delta', self.above)} = dL/d{cells(self.above, self.above)}"

    def guess(self, cells: Cells) -> str:
        delta, below = cells("delta", self.above), f"{self.below}{in_brackets(self.lower)}"
        letters = delta.removeprefix("delta").strip("[]").split(",")
        running = [letter for letter in letters if letter and letter not in self.lower]
        total = f"sum({delta} for {','.join(running)})" if running else delta
        return f"{total} * {below}"

    def vocabulary(self, words: Words, forward: Forward) -> Words:
        """The message from above, and the links of the chain: "dy/ds" where y is written with s."""
        if "delta" in words.arities:
            said = "delta is the message from above here: call yours by another name."
            raise ExerciseError(f"exercise: given: {said}")
        known = {*forward.defined, *forward.inputs}
        steps = frozenset(
            f"d{definition.names[0]}/d{below}"
            for definition in forward.arrays
            for below in names_in(definition.body)
            if below in known
        )
        return replace(words, output=self.above, local=steps)

    def numbers(self, jacobian: Array, batch: Batch, trials: Array | slice = slice(None)) -> Array:
        delta = batch.values["delta"][trials].reshape(len(jacobian), 1, -1)
        return np.asarray((delta @ jacobian).reshape(len(jacobian), *batch.shapes[self.below]))

    def touched(self, entries: Array, batch: Batch) -> Array:
        """Also where what comes from above is 0."""
        return np.asarray(entries.any(axis=1).reshape(len(entries), *batch.shapes[self.below]))

    def gain(self, batch: Batch) -> Array:
        delta = batch.values["delta"].reshape(len(batch), -1)
        return np.asarray(self.reference(batch).gain * np.abs(delta).max(axis=1, initial=0.0))
