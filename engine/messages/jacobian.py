"""The Jacobian as a kind of exercise: dy[k]/dx[j], and dy[k]/dx[k] where all else is 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import ClassVar

import numpy as np

from engine.formula.axes import Array
from engine.formula.unparse import tex_derivative
from engine.messages.judge import JudgedMessage
from engine.messages.model import Batch
from engine.messages.shapes import Survey, Variable
from engine.messages.targets import (
    SPARE,
    Derivative,
    KnownRule,
    Target,
    in_brackets,
    tex_indices,
    usual,
)
from engine.messages.vocabulary import Words
from engine.verdict import Mistake

# -- What is asked for: the slope of each entry by each; at equal indices only, if so written.


@dataclass(frozen=True, slots=True)
class Jacobian(Target):
    """The derivative of every entry of `above` by every entry of `below`."""

    upper: tuple[str, ...]
    """The index letters of `above`."""

    title: ClassVar[str] = "the Jacobian"
    called: ClassVar[frozenset[str]] = frozenset(("j", "jacobian", "df/dx"))

    @classmethod
    def of(cls, below: str, words: Words, survey: Survey) -> Jacobian | None:
        if words.loss:
            return None
        upper = tuple(variable.letter for variable in survey.parameters[words.output])
        return cls(words.output, below, usual(below, survey, upper), upper)

    @classmethod
    def read(cls, found: Derivative, words: Words) -> Jacobian | None:
        if not found.below or found.above in ("", words.loss):
            return None
        return cls(found.above, found.below, found.lower or (), found.upper or ())

    def also(self, batch: Batch) -> Iterator[Target]:
        """Beside dy[k]/dx[j] also dy[k]/dx[k], where no y depends on another x."""
        paired = None if self.diagonal else _paired(self, batch.model.survey)
        if paired is not None and self.is_paired(batch, paired):
            yield paired

    def is_paired(self, batch: Batch, paired: Jacobian) -> bool:
        """Whether the derivative is 0 wherever indices differ that are equal in `paired`."""
        numbers = self.numbers(self.reference(batch).jacobian, batch)
        grids = np.indices(numbers.shape[1:])
        apart = np.zeros(numbers.shape[1:], dtype=np.bool_)
        for place, letter in enumerate(paired.indices):
            apart |= grids[place] != grids[paired.indices.index(letter)]
        return bool((np.nan_to_num(numbers)[:, apart] == 0).all())

    @property
    def key(self) -> str:
        return f"d{self.above}/d{self.below}"

    @property
    def arrays(self) -> tuple[str, ...]:
        return self.above, self.below

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The index letters of each of its arrays."""
        return self.upper, self.lower

    @property
    def indices(self) -> tuple[str, ...]:
        return tuple(chain(*self.groups))

    def lettered(self, indices: tuple[str, ...]) -> Jacobian:
        upper, lower = self.grouped(indices)
        return replace(self, upper=upper, lower=lower)

    def at(self, indices: tuple[str, ...]) -> Target:
        """The whole, where one that is asked for at equal indices is given with all of them."""
        if not self.diagonal or len(indices) < len(self.indices):
            return self
        return self.lettered(indices)

    @property
    def whole(self) -> Target:
        spare = (letter for letter in SPARE if letter not in self.indices)
        done: list[str] = []
        for letter in self.indices:
            done.append(next(spare) if letter in done else letter)
        return self.lettered(tuple(done)) if self.diagonal else self

    def alone(self, targets: Sequence[Target]) -> Iterator[tuple[str, ...]]:
        """y[k] (1 - y[k]) is dy[k]/dx[k] by the indices of y, or else by those of x."""
        whole = [one for one in targets if isinstance(one, Jacobian) and one.key == self.key]
        for one in [one for one in whole if not one.diagonal][:1]:
            if self.diagonal and len(self.letters) == len(one.upper):
                yield one.upper
                if len(one.lower) == len(one.upper):
                    yield one.lower

    def grouped(self, indices: tuple[str, ...] | None) -> tuple[tuple[str, ...], ...]:
        """The indices of each array, from those of an answer; None: its own."""
        indices = self.indices if indices is None else indices
        if len(indices) < len(self.indices):
            indices = tuple(indices[self.letters.index(letter)] for letter in self.indices)
        rest = iter(indices)
        return tuple(tuple(islice(rest, len(group))) for group in self.groups)

    def written(self, indices: tuple[str, ...] | None = None) -> str:
        upper, lower = self.grouped(indices)
        return f"d{self.above}{in_brackets(upper)}/d{self.below}{in_brackets(lower)}"

    def tex(self, indices: tuple[str, ...]) -> str:
        upper, lower = self.grouped(indices)
        return tex_derivative(self.below, tex_indices(lower), self.above, tex_indices(upper))

    def named_by(self, found: Derivative) -> bool:
        own = (self.above,) if self.upper else ("", self.above)  # of one number dX is df/dX
        return found.below == self.below and found.above in own and not found.second

    def numbers(self, jacobian: Array, batch: Batch, trials: Array | slice = slice(None)) -> Array:  # noqa: ARG002
        sizes = (size for array in self.arrays for size in batch.shapes[array])
        found = jacobian.reshape(len(jacobian), *sizes)
        axis = {letter: n + 1 for n, letter in enumerate(self.letters)}
        into = [0, *(axis[letter] for letter in self.indices)]
        return np.asarray(np.einsum(found, into, [0, *axis.values()])) if self.diagonal else found

    def mistakes(self, few: object, others: Iterator[KnownRule]) -> Iterator[KnownRule]:
        del few
        yield from _unequal(self)
        yield from others


# -- Derivatives that are 0 wherever two indices differ: asked for at equal indices as well.


def _paired(target: Jacobian, survey: Survey) -> Jacobian | None:
    """The target with the indices of `below` named as those of `above` of the same range."""
    above = survey.parameters[target.above]
    if target.below in survey.parameters:
        below: list[Variable | None] = [*survey.parameters[target.below]]
    else:
        below = [survey.places.get((target.below, n)) for n in range(len(target.lower))]
    lower = list(target.lower)
    for place, variable in enumerate(below):
        for letter, other in zip(target.upper, above, strict=True):
            if variable is not None and variable.root is other.root and letter not in lower:
                lower[place] = letter
    return replace(target, lower=tuple(lower)) if tuple(lower) != target.lower else None


# -- A known wrong rule of Jacobians alone.


def _unequal(target: Jacobian) -> Iterator[KnownRule]:
    """Of a Jacobian the entries with equal indices, for all: [k = m] is forgotten."""
    letters, count = target.letters, len(target.upper)
    for first in range(0 if target.diagonal else count):
        for second in range(count, len(letters)):
            name = f"[{letters[first]} = {letters[second]}] is forgotten"
            teaching = f"Where {letters[first]} and {letters[second]} differ, the slope is another."
            yield (
                Mistake(name, teaching),
                lambda one, first=first, second=second: _spread(one, first, second),  # type: ignore[misc]
            )


def _spread(one: JudgedMessage, first: int, second: int) -> Array:
    whole = one.expected
    if whole.shape[first + 1] != whole.shape[second + 1]:
        return np.full(whole.shape, np.nan)
    diagonal = np.diagonal(whole, axis1=first + 1, axis2=second + 1)
    wide = np.expand_dims(np.moveaxis(diagonal, -1, first + 1), second + 1)
    return np.broadcast_to(wide, whole.shape)
