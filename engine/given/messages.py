"""Known wrong rules that are made of the right numbers: signs, factors, sums, places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from engine.formula.axes import Array
from engine.given import differences, factors
from engine.given.batch import Batch
from engine.given.judge import Judged
from engine.given.known import Rule
from engine.verdict import Mistake


def first(few: Judged) -> Iterator[tuple[Mistake, Rule]]:
    """Rules that are looked for before any other."""
    yield _sign(few), lambda one: -one.expected
    if few.target.upstream:
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
    yield (
        Mistake("transposed", "Each index keeps its meaning: compare the sides letter by letter."),
        _transposed,
    )


def last(judged: Sequence[Judged]) -> Iterator[tuple[Mistake, Rule]]:
    """Rules that are looked for when no slip explains the numbers."""
    target = judged[0].target
    if target.upstream:
        yield (
            Mistake(
                "the message of the wrong output",
                "The delta inside the sum has the output's index, that which is summed over.",
            ),
            _wrong_output,
        )
        yield (
            Mistake(
                "the sum over the messages is forgotten",
                "Every output pulls at every input: that term is multiplied by the sum of delta.",
            ),
            _unsummed,
        )
        output = target.above
        yield (
            Mistake(
                f"{output} in place of the message delta",
                f"What comes from above is dL/d{output}, not {output} itself.",
            ),
            _output_for_message,
        )
        yield (
            Mistake(
                f"the derivative at delta in place of {target.below}",
                f"Where the slope is taken, {target.below} says; delta only multiplies it.",
            ),
            _at_message,
        )
    yield from differences.rules(judged[0])
    if target.jacobian:
        yield from _unequal(judged[0])
    yield (
        Mistake(
            f"{target.below} comes in as a factor",
            f"The slope by {target.below} is what {target.below} is multiplied by.",
        ),
        _own_factor,
    )
    yield from factors.lengths(judged)
    yield from factors.scalars(judged[0])
    count = judged[0].got.ndim - 1
    for axis in range(count):
        letter = _letters(judged[0])[axis]
        yield (
            Mistake(
                f"summed over {letter}",
                f"{letter} says which entry it is: nothing runs over it.",
            ),
            lambda one, axis=axis: _summed(one, axis),  # type: ignore[misc]
        )
        yield (
            Mistake(
                f"the entries are in reverse order along {letter}",
                "Each place is read where it was written: nothing is turned round.",
            ),
            lambda one, axis=axis: np.flip(one.expected, axis + 1),  # type: ignore[misc]
        )
    if target.upstream:
        yield (
            Mistake(
                "every output counts everywhere",
                "Only the outputs that an input takes part in send it a message.",
            ),
            _everywhere,
        )


def _output_for_message(one: Judged) -> Array:
    values = one.batch.values[one.target.above].reshape(len(one.batch), 1, -1)
    return np.asarray((values @ one.reference.jacobian).reshape(one.expected.shape))


def _at_message(one: Judged) -> Array:
    """The message of the same layer at an input that is delta."""
    batch, below = one.batch, one.target.below
    delta = batch.values["delta"]
    if below not in batch.inputs or delta.shape != batch.inputs[below].shape:
        return np.full(one.expected.shape, np.nan)
    other = Batch(batch.model, batch.length, batch.grown, {**batch.inputs, below: delta}, delta)
    found = other.reference(one.target.above, below)
    numbers = one.numbers(found.jacobian)
    return np.where(one.wide(found.met | found.left_out), np.nan, numbers)


def _everywhere(one: Judged) -> Array:
    """The slope, the same wherever there is one, times the sum of all messages."""
    local = one.reference.jacobian.reshape(len(one.batch), -1)
    largest = local.max(axis=1, initial=0.0)
    same = ((local == 0) | (np.abs(local - largest[:, None]) <= 1e-12)).all(axis=1)
    total = one.batch.values["delta"].reshape(len(one.batch), -1).sum(axis=1)
    sparse = same & (local == 0).any(axis=1)
    found = np.where(sparse, largest * total, np.nan)
    return np.broadcast_to(one.wide(found), one.expected.shape)


def _own_factor(one: Judged) -> Array:
    values = one.batch.values[one.target.below]
    if values.shape != one.expected.shape:
        return np.full(one.expected.shape, np.nan)
    return np.asarray(one.expected * values)


def _unequal(few: Judged) -> Iterator[tuple[Mistake, Rule]]:
    """Of a Jacobian the entries with equal indices, for all: [k = m] is forgotten."""
    letters = _letters(few)
    count = few.target.above_count
    for first in range(count if few.full or not few.target.diagonal else 0):
        for second in range(count, len(letters)):
            name = f"[{letters[first]} = {letters[second]}] is forgotten"
            teaching = f"Where {letters[first]} and {letters[second]} differ, the slope is another."
            yield (
                Mistake(name, teaching),
                lambda one, first=first, second=second: _spread(one, first, second),  # type: ignore[misc]
            )


def _spread(one: Judged, first: int, second: int) -> Array:
    whole = one.expected
    if whole.shape[first + 1] != whole.shape[second + 1]:
        return np.full(whole.shape, np.nan)
    diagonal = np.diagonal(whole, axis1=first + 1, axis2=second + 1)
    wide = np.expand_dims(np.moveaxis(diagonal, -1, first + 1), second + 1)
    return np.broadcast_to(wide, whole.shape)


def _letters(one: Judged) -> tuple[str, ...]:
    indices = one.target.indices
    return indices if one.full else tuple(dict.fromkeys(indices))


def _sign(one: Judged) -> Mistake:
    """The sign; of a difference of two arrays, which of them is taken off."""
    found = differences.parts(one)
    if found is not None:
        above, below = found
        return Mistake(
            f"{below} - {above} in place of {above} - {below}",
            f"Where {above} is larger than {below}, the loss grows with it: the slope is "
            "positive there.",
        )
    return Mistake("sign", "The size is right: look for a minus that was lost or is one too many.")


def _twice(one: Judged) -> Array:
    delta = one.batch.values["delta"].reshape(len(one.batch), 1, -1) ** 2
    return np.asarray((delta @ one.reference.jacobian).reshape(one.expected.shape))


def _transposed(one: Judged) -> Array:
    found = np.full(one.expected.shape, np.nan)
    if found.ndim >= 3:
        rows: int = min(found.shape[-2:])
        turned = np.swapaxes(one.expected, -1, -2)
        found[..., :rows, :rows] = turned[..., :rows, :rows]
    return found


def _wrong_output(one: Judged) -> Array:
    """The slopes summed, times the delta at the input's own index."""
    delta = one.batch.values["delta"]
    total = one.reference.jacobian.sum(axis=1).reshape(one.expected.shape)
    if delta.ndim != total.ndim:
        return np.full(total.shape, np.nan)
    wide = np.full(total.shape, np.nan)
    part = tuple(slice(0, min(a, b)) for a, b in zip(delta.shape, total.shape, strict=True))
    wide[part] = delta[part]
    return np.asarray(total * wide)


def _unsummed(one: Judged) -> Array:
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


def _summed(one: Judged, axis: int) -> Array:
    total = one.expected.sum(axis=axis + 1, keepdims=True)
    return np.broadcast_to(total, one.expected.shape)
