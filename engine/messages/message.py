"""The backward message as a kind of exercise: dL/dx[j], given delta[k] = dL/dy[k]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from engine.exercise import ExerciseError
from engine.formula.axes import Array
from engine.formula.rewrite import names_in
from engine.messages.forward import Forward
from engine.messages.judge import JudgedMessage
from engine.messages.model import Batch
from engine.messages.shapes import Survey
from engine.messages.targets import (
    Cells,
    Derivative,
    KnownRule,
    Target,
    usual,
)
from engine.messages.vocabulary import Words
from engine.verdict import Mistake

# -- What is asked for: the derivative of a loss that nobody knows, by an input or a parameter.


@dataclass(frozen=True, slots=True)
class Message(Target):
    """The slopes of the output `above`, summed against the message from above."""

    title: ClassVar[str] = "the backward message"
    called: ClassVar[frozenset[str]] = frozenset(("backward",))
    upstream: ClassVar[bool] = True

    @classmethod
    def of(cls, below: str, words: Words, survey: Survey) -> Message | None:
        return None if words.loss else cls(words.output, below, usual(below, survey, ()))

    @classmethod
    def read(cls, found: Derivative, words: Words) -> Message | None:
        return None if found.above else cls(words.output, found.below, found.lower or ())

    def given(self, cells: Cells) -> str:
        return f"{cells('delta', self.above)} = dL/d{cells(self.above, self.above)}"

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

    def likely(self, few: JudgedMessage) -> Iterator[KnownRule]:  # noqa: ARG002
        yield (
            Mistake(
                "upstream message forgotten",
                "By the chain rule each output's slope is multiplied by its delta before summing.",
            ),
            lambda one: one.reference.jacobian.sum(axis=1).reshape(one.expected.shape),
        )
        yield (
            Mistake(
                "the upstream message comes in twice",
                "The message from above is a factor once: the layer's own slope knows no delta.",
            ),
            _twice,
        )

    def mistakes(self, few: object, others: Iterator[KnownRule]) -> Iterator[KnownRule]:
        del few
        for name, teaching, rule in (
            (
                "the message of the wrong output",
                "The delta inside the sum has the output's index, that which is summed over.",
                _wrong_output,
            ),
            (
                "the sum over the messages is forgotten",
                "Every output pulls at every input: that term is multiplied by the sum of delta.",
                _unsummed,
            ),
            (
                f"{self.above} in place of the message delta",
                f"What comes from above is dL/d{self.above}, not {self.above} itself.",
                _output_for_message,
            ),
            (
                f"the derivative at delta in place of {self.below}",
                f"Where the slope is taken, {self.below} says; delta only multiplies it.",
                _at_message,
            ),
        ):
            yield Mistake(name, teaching), rule
        yield from others
        yield (
            Mistake(
                "every output counts everywhere",
                "Only the outputs that an input takes part in send it a message.",
            ),
            _everywhere,
        )


# -- What these wrong rules give, from the right slopes.


def _twice(one: JudgedMessage) -> Array:
    delta = one.batch.values["delta"].reshape(len(one.batch), 1, -1) ** 2
    return np.asarray((delta @ one.reference.jacobian).reshape(one.expected.shape))


def _wrong_output(one: JudgedMessage) -> Array:
    """The slopes summed, times the delta at the input's own index."""
    delta = one.batch.values["delta"]
    total = one.reference.jacobian.sum(axis=1).reshape(one.expected.shape)
    if delta.ndim != total.ndim:
        return np.full(total.shape, np.nan)
    wide = np.full(total.shape, np.nan)
    part = tuple(slice(0, min(a, b)) for a, b in zip(delta.shape, total.shape, strict=True))
    wide[part] = delta[part]
    return np.asarray(total * wide)


def _unsummed(one: JudgedMessage) -> Array:
    """delta_j - p_j for delta_j - p_j sum(delta): of slopes that are the same for all other k."""
    local = one.reference.jacobian
    rows, size = len(local), local.shape[1]
    if size != local.shape[2] or size < 2:
        return np.full(one.expected.shape, np.nan)
    column = np.take_along_axis(local, (np.arange(size)[None, None, :] + 1) % size, axis=1)[:, 0]
    same = (np.abs(local - column[:, None, :]) <= 1e-9) | np.eye(size, dtype=np.bool_)
    own = np.einsum("npp->np", local) - column
    delta = one.batch.values["delta"].reshape(rows, -1)
    found = np.where(same.all(axis=(1, 2))[:, None], delta * own + column, np.nan)
    return found.reshape(one.expected.shape)


def _output_for_message(one: JudgedMessage) -> Array:
    values = one.batch.values[one.target.above].reshape(len(one.batch), 1, -1)
    return np.asarray((values @ one.reference.jacobian).reshape(one.expected.shape))


def _at_message(one: JudgedMessage) -> Array:
    """The message of the same layer at an input that is delta."""
    batch, below = one.batch, one.target.below
    delta = batch.values["delta"]
    if below not in batch.inputs or delta.shape != batch.inputs[below].shape:
        return np.full(one.expected.shape, np.nan)
    other = Batch(batch.model, batch.length, batch.grown, {**batch.inputs, below: delta}, delta)
    found = other.reference(one.target.above, below)
    numbers = one.numbers(found.jacobian)
    return np.where(one.wide(found.met | found.left_out), np.nan, numbers)


def _everywhere(one: JudgedMessage) -> Array:
    """The slope, the same wherever there is one, times the sum of all messages."""
    local = one.reference.jacobian.reshape(len(one.batch), -1)
    largest = local.max(axis=1, initial=0.0)
    same = ((local == 0) | (np.abs(local - largest[:, None]) <= 1e-12)).all(axis=1)
    total = one.batch.values["delta"].reshape(len(one.batch), -1).sum(axis=1)
    sparse = same & (local == 0).any(axis=1)
    found = np.where(sparse, largest * total, np.nan)
    return np.broadcast_to(one.wide(found), one.expected.shape)
