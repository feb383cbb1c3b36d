"""Known wrong rules that are made of the right numbers: signs, factors, sums, places."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from engine.formula.axes import Array
from engine.formula.tree import Arithmetic, Node, Number, children
from engine.given.judge import Judged
from engine.given.known import Mistake

#: What a wrong rule gives on a batch: of the answer's shape, NaN where it says nothing.
Rule: TypeAlias = Callable[[Judged], Array]


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
    yield from _lengths(judged)


def _letters(one: Judged) -> tuple[str, ...]:
    indices = one.target.indices
    return indices if one.full else tuple(dict.fromkeys(indices))


def _sign(one: Judged) -> Mistake:
    """The sign; of a difference of two arrays, which of them is taken off."""
    values, shape = one.batch.values, one.expected.shape
    known = [name for name in one.batch.shapes if values[name].shape == shape]
    for above in known:
        for below in known:
            if one.target.of_loss and _equal(one, values[above] - values[below]):
                return Mistake(
                    f"{below} - {above} in place of {above} - {below}",
                    f"Where {above} is larger than {below}, the loss grows with it: the slope is "
                    "positive there.",
                )
    return Mistake("sign", "The size is right: look for a minus that was lost or is one too many.")


def _equal(one: Judged, values: Array) -> bool:
    clear = ~one.wide(one.left_out_mask) & np.isfinite(values)
    return bool((np.abs(values - one.expected) <= one.slack)[clear].all())


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


def _lengths(judged: Sequence[Judged]) -> Iterator[tuple[Mistake, Rule]]:
    """Divided, or multiplied, by how many of an index there are."""
    for name in judged[0].batch.model.sized:
        if len({_size(one, name) for one in judged}) < 2:
            continue
        yield (
            Mistake(
                f"divided by the number of {name}",
                "Nothing is averaged here: the terms are added as they are.",
            ),
            lambda one, name=name: one.expected / _size(one, name),  # type: ignore[misc]
        )
        yield (
            Mistake(
                f"not divided by the number of {name}",
                f"The mean has a factor 1 over the number of {name}; the derivative keeps it.",
            ),
            lambda one, name=name: one.expected * _size(one, name),  # type: ignore[misc]
        )


def _size(one: Judged, name: str) -> float:
    return float(one.batch.letters.get(name, one.batch.length.numbers.get(name, 1)))


def factor(judged: Sequence[Judged]) -> Iterator[tuple[Mistake, Rule]]:
    """A number times what is right, whichever the answer has."""
    times = _ratio(judged)
    if times is None:
        return
    name = f"a constant factor: {times:g} times what is right"
    teaching = "Follow the factors in front: those of a power, a mean or a square."
    if times in (2.0, 0.5) and any(map(_squares, _bodies(judged[0]))):
        name = f"the 2 of the square is {'there once too often' if times == 2 else 'missing'}"
        teaching = "The square brings a factor 2 down, which a 1/2 in front takes away."
    yield Mistake(name, teaching), lambda one: times * one.expected


def _bodies(one: Judged) -> list[Node]:
    return [d.body for d in one.batch.model.forward.arrays]


def _squares(node: Node) -> bool:
    square = isinstance(node, Arithmetic) and node.op == "^" and node.right == Number(2.0)
    return square or any(map(_squares, children(node)))


def _ratio(judged: Sequence[Judged]) -> float | None:
    """The factor between the answer and what is right, taken where the latter is largest."""
    one = max(judged, key=lambda j: float(np.abs(_known(j)).max(initial=0.0)))
    known = np.abs(_known(one))
    if not known.size or not known.max(initial=0.0) > 0:
        return None
    at = np.unravel_index(int(known.argmax()), known.shape)
    factor = float(one.got[at] / one.expected[at])
    if not np.isfinite(factor) or factor in (0.0, 1.0):
        return None
    return float(f"{factor:.9g}")


def _known(one: Judged) -> Array:
    return np.where(one.wide(one.left_out_mask) | one.contested, 0.0, one.expected)
