"""Wrong slopes of one array by another of the same shape, as a softmax has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from engine.formula.axes import Array
from engine.given.known import Rule
from engine.given.model import Model
from engine.given.target import Target
from engine.verdict import Mistake

#: The wrong slope (B, P, P) from the right one and the values (B, P); NaN where there is none.
Change: TypeAlias = Callable[[Array, Array], Array]


def softmaxes(model: Model, target: Target) -> Iterator[tuple[Mistake, Rule]]:
    """Wrong slopes of whatever turns out to be a softmax."""
    for later, earlier in model.links_of_chain(target.above, target.below):
        for mistake, change in _softmax(later, earlier):
            yield mistake, _by(later, earlier, change)


def rules(model: Model, target: Target) -> Iterator[tuple[Mistake, Rule]]:
    for later, earlier in model.links_of_chain(target.above, target.below):
        for mistake, change in _changes(later, earlier):
            yield mistake, _by(later, earlier, change)


def _by(later: str, earlier: str, change: Change) -> Rule:
    return lambda one: one.numbers(one.batch.linked(one.target, later, earlier, change))


def _softmax(y: str, x: str) -> Iterator[tuple[Mistake, Change]]:
    whole = f"The slope of {y}[k] by {x}[j] is {y}[k] ([k = j] - {y}[j])"
    yield (
        Mistake(f"softmax taken entry by entry: {y} (1 - {y})",
                f"Every {y} depends on all {x}: {whole}, summed over k."),
        lambda local, y: _if_softmax(local, y, lambda d, p: _diagonal(d - p)),
    )  # fmt: skip
    yield (
        Mistake("the sign of the softmax's second term", f"{whole}, with a minus."),
        lambda local, y: _if_softmax(local, y, lambda d, p: d + p),
    )
    yield (
        Mistake("the diagonal of the softmax's derivative is forgotten", f"{whole}."),
        lambda local, y: _if_softmax(local, y, lambda d, p: 0 * d - p),
    )
    yield (
        Mistake("the softmax's second term is forgotten", f"{whole}: the sum below moves too."),
        lambda local, y: _if_softmax(local, y, lambda d, p: d + 0 * p),
    )
    yield (
        Mistake(f"the {y} inside the softmax's sum is forgotten", f"{whole}."),
        lambda local, y: _if_softmax(local, y, lambda d, p: d - (p != 0) * d.sum(2)[:, None, :]),
    )

    yield (
        Mistake("the mean in place of the sum in the softmax's second term", f"{whole}."),
        lambda local, y: _if_softmax(local, y, lambda d, p: d - p / _width(local)),
    )
    yield (
        Mistake(f"the {y} in front of the softmax's bracket is forgotten", f"{whole}."),
        lambda local, y: _if_softmax(local, y, lambda d, p: _ones(d) - _rows(y, p)),
    )
    yield (
        Mistake(f"the identity in place of diag({y})", f"{whole}."),
        lambda local, y: _if_softmax(local, y, lambda d, p: _ones(d) - p),
    )
    yield (
        Mistake(f"{y}^T {y} in place of {y} {y}^T", f"{whole}: an entry for each k and j."),
        lambda local, y: _if_softmax(local, y, _less_square),
    )
    yield (
        Mistake("1 in place of [k = j] in the softmax's derivative", f"{whole}."),
        lambda local, y: _if_softmax(local, y, lambda d, p: _rows(y, d + p) - p),
    )


def _ones(diagonal: Array) -> Array:
    return np.broadcast_to(np.eye(diagonal.shape[1]), diagonal.shape)


def _rows(y: Array, pattern: Array) -> Array:
    """y_k at every j of each row of the softmax, which is where `pattern` is not 0."""
    return np.asarray(np.where(pattern != 0, y[:, :, None], 0.0))


def _width(local: Array) -> Array:
    """(B, P, 1): how many entries each row of a softmax has."""
    return np.asarray((local != 0).sum(axis=2, keepdims=True))


def _less_square(diagonal: Array, outer: Array) -> Array:
    """diag(y) - y^T y, the inner product of each row with itself, taken off every entry."""
    eye = np.eye(outer.shape[1])
    square = np.asarray((outer * eye).sum(axis=2))
    rows = np.einsum("bpq,bq->bp", (outer != 0) * 1.0, square)
    return np.asarray(diagonal - rows[:, :, None] * eye)


def _changes(y: str, x: str) -> Iterator[tuple[Mistake, Change]]:
    yield (
        Mistake(f"each {y} taken to depend on its own {x} alone",
                f"Every entry of {y} depends on all entries of {x}: sum over them."),
        _own,
    )  # fmt: skip
    yield (
        Mistake(f"the slope of {y} by {x} is missing",
                f"{y} is a function of {x}: the chain rule multiplies by its derivative."),
        _one,
    )  # fmt: skip
    yield (
        Mistake(f"the slope of {y} by {x} comes in twice",
                "The chain rule has each step once."),
        _squared,
    )  # fmt: skip
    yield (
        Mistake(f"the slope of {y} by {x} is transposed",
                "The message goes back along the output's index: that one is summed over."),
        _turned,
    )  # fmt: skip


def _own(local: Array, y: Array) -> Array:
    del y
    return _diagonal(local)


def _one(local: Array, y: Array) -> Array:
    del y
    return np.broadcast_to(np.eye(local.shape[-1]), local.shape)


def _squared(local: Array, y: Array) -> Array:
    del y
    return np.asarray(local @ local)


def _turned(local: Array, y: Array) -> Array:
    del y
    return local.transpose(0, 2, 1)


def _diagonal(local: Array) -> Array:
    return np.asarray(local * np.eye(local.shape[-1]))


def _if_softmax(local: Array, y: Array, made: Callable[[Array, Array], Array]) -> Array:
    """From diag(y) and y y^T, the latter within each row that sums to 1."""
    diagonal = y[:, :, None] * np.eye(y.shape[1])
    outer = y[:, :, None] * y[:, None, :] * (local != 0)
    right = np.abs(local - (diagonal - outer)).max(initial=0.0) <= 1e-9
    # Where every y depends on its own x alone, there is no sum to speak of.
    right &= bool((local != 0).sum() > y.size)
    return made(diagonal, outer) if right else np.full_like(local, np.nan)
