"""Known wrong rules of max pooling: the maximum over a window, or its derivative, put wrongly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias, cast

import numpy as np

from engine.messages.judge import JudgedMessage
from engine.messages.mistakes import Known, transposed
from engine.pooling.inputs import PoolingBatch
from engine.pooling.windows import Array, Mask, Pair
from engine.verdict import Mistake

# -- What wrong rules are made of: parts of the right one, and the slopes of other maxima.


@dataclass(frozen=True, eq=False)
class PoolingParts:
    """What the right rule speaks of, each of a shape that broadcasts to (B, Ho, Wo, H, W)."""

    batch: PoolingBatch

    @property
    def right(self) -> Array:
        """[(i,j) = argmax Omega(k,l)]"""
        return self.batch.jacobian("first")

    @property
    def inside(self) -> Array:
        """[(i,j) in Omega(k,l)]"""
        return self.batch.inside.astype(np.float64)

    @property
    def x(self) -> Array:
        return self.batch.x[:, None, None]

    @property
    def f(self) -> Array:
        return self.batch.f[..., None, None]

    @property
    def delta(self) -> Array:
        return self.batch.delta[..., None, None]

    @property
    def cells(self) -> int:
        """kh * kw"""
        return self.batch.kernel[0] * self.batch.kernel[1]

    @property
    def indices(self) -> list[Array]:
        """k, l, i and j."""
        shape = (*self.batch.delta.shape[1:], *self.batch.x.shape[1:])
        return list(np.ogrid[tuple(map(slice, shape))])

    def at_best(self, row: int, column: int) -> Mask:
        """[(row, column) = argmax Omega(k,l)], each of them one of the indices by its number."""
        best = self.batch.layer.argmax(self.batch.x)[:, :, :, None, None]
        pair = self.indices[row], self.indices[column]
        return np.asarray((best[..., 0] == pair[0]) & (best[..., 1] == pair[1]))

    def windows(self, stride: Pair, padding: Pair) -> Mask:
        """[(i,j) in Omega(k,l)] of windows with another stride or padding."""
        k, l, i, j = self.indices  # noqa: E741
        row, column = (
            at - of * s + p for at, of, s, p in zip((i, j), (k, l), stride, padding, strict=True)
        )
        (kh, kw) = self.batch.kernel
        return np.asarray((row >= 0) & (row < kh) & (column >= 0) & (column < kw))

    def maximum(self, x: Array, windows: Array | Mask, least: Array | float = -np.inf) -> Array:
        """The slopes of max(least, max of x over each window), NaN where several are largest."""
        best = np.where(windows, x, -np.inf).max(axis=(-2, -1), keepdims=True)
        at = (x == np.maximum(best, least)) & (np.asarray(windows) != 0)
        several = (at.sum(axis=(-2, -1), keepdims=True) > 1) | (best == least)
        return np.where(at & several, np.nan, at)


def _shares(weights: Array) -> Array:
    """The weights scaled so that each window's sum to 1."""
    return np.asarray(weights / weights.sum(axis=(-2, -1), keepdims=True))


def _sigmoid_slope(x: Array) -> Array:
    squeezed = 1 / (1 + np.exp(-np.clip(x, -700, 700)))
    return np.asarray(squeezed * (1 - squeezed))


def _in_windows(of: PoolingParts, weights: Array) -> Array:
    return np.where(of.inside, weights, 0.0)


def _near(of: PoolingParts, threshold: float) -> Mask:
    return np.asarray(np.abs(of.x - of.f) < threshold)


def _softmax(of: PoolingParts) -> Array:
    """exp(x) / sum(exp(x)) as written: where that overflows, or all of it is 0, NaN."""
    raised = np.exp(of.x)
    shares = raised / (raised * of.inside).sum(axis=(-2, -1), keepdims=True)
    return np.where(np.isfinite(shares), shares, np.nan)


def _to_the_window_of(of: PoolingParts) -> Array:
    """delta[l,k] for delta[k,l]."""
    swapped = transposed(of.batch.delta)[..., None, None]
    return np.asarray(np.where(of.right > 0, swapped, 0.0).sum(axis=(1, 2)))


def _assigned(of: PoolingParts, step: int) -> Array:
    """The message of the last window that writes to an input, or of the first."""
    rows, cells = len(of.batch.x), of.batch.x[0].size
    writes = (of.right != 0).reshape(rows, -1, cells)[:, ::step]
    delta = of.batch.delta.reshape(rows, -1)[:, ::step]
    sent = np.take_along_axis(delta, writes.argmax(axis=1), axis=1)
    return np.where(writes.any(axis=1), sent, 0.0).reshape(of.batch.x.shape)


# -- The catalogue: an answer whose numbers agree with a rule on every trial is named by it.
#
# Inputs that tie are not looked at: there a rule would have a form for each reading of "the
# maximum".


Form: TypeAlias = Callable[[PoolingParts], Array | Mask]


@dataclass(frozen=True, slots=True)
class Misconception(Mistake):
    """A wrong rule, in the forms that it is met in.

    A form gives weights (B, Ho, Wo, H, W), wrong in place of the Jacobian, or a whole message
    (B, H, W), wrong in place of dL/dx; NaN where the form says nothing.
    """

    weights: tuple[Form, ...] = ()
    messages: tuple[Form, ...] = ()


#: Thresholds for "near": the trials tell these apart from one another, and from equality.
NEAR: Final = (*(10.0**power for power in range(-12, 1)), 0.5)

_NO_ACTIVATION: Final = "Pooling has no activation: the slope at the maximum is 1, whatever x is."
_K, _L, _I, _J = range(4)

#: Looked through in this order.
KNOWN: Final = (
    Misconception(
        "sign",
        "Where the maximum rises, f rises by as much: its slope is +1.",
        (lambda of: -of.right,),
    ),
    Misconception(
        "multiplied by the input's value",
        "f is x at the arg max, and the derivative of x with respect to itself is 1, not x.",
        (lambda of: of.right * of.x,),
    ),
    Misconception(
        "times the derivative of an activation (ReLU) that the layer does not have",
        _NO_ACTIVATION,
        (lambda of: of.right * (of.x > 0), lambda of: of.right * (of.x >= 0)),
    ),
    Misconception(
        "times the derivative of an activation (sigmoid) that the layer does not have",
        _NO_ACTIVATION,
        (lambda of: of.right * _sigmoid_slope(of.x),),
    ),
    Misconception(
        "times the derivative of an activation (tanh) that the layer does not have",
        _NO_ACTIVATION,
        (lambda of: of.right * (1 - np.tanh(of.x) ** 2),),
    ),
    Misconception(
        "every input of the window gets the gradient",
        "f depends only on the window's maximum: the slope of every other input is 0.",
        (lambda of: of.inside,),
    ),
    Misconception(
        "average pooling",
        "Sharing the message over the window belongs to the mean; the maximum takes all of it.",
        (
            lambda of: of.inside / of.cells,
            lambda of: _shares(of.inside),
            lambda of: of.inside / 4,  # that of a 2x2 window, whatever the window is
        ),
    ),
    Misconception(
        "divided by the size of the window",
        "Nothing is averaged: the maximum gets the whole message of its window.",
        (lambda of: of.right / of.cells,),
    ),
    Misconception(
        "the inputs that are not the maximum get the gradient",
        "It is the other way round: f follows the maximum and does not notice the others.",
        (lambda of: of.inside * (of.right == 0),),
    ),
    Misconception(
        "minimum in place of maximum",
        "The window passes on its largest input, so that one gets its message.",
        (lambda of: of.maximum(-of.x, of.inside),),
    ),
    Misconception(
        "output index in place of the input's",
        "The arg max is a place in the input: compare it with (i,j), not with the window's (k,l).",
        (lambda of: of.at_best(_K, _L) * of.inside, lambda of: of.at_best(_K, _L)),
    ),
    Misconception(
        "transposed",
        "Rows stay rows: compare (i,j) with the arg max and take delta[k,l], in that order.",
        (lambda of: of.at_best(_J, _I), lambda of: of.at_best(_J, _I) * of.inside),
        (_to_the_window_of,),
    ),
    Misconception(
        "maximum of the whole input, not of the window",
        "Every window has a maximum of its own and sends its message there.",
        (
            lambda of: _in_windows(of, of.maximum(of.x, np.array(True))),
            lambda of: of.maximum(of.x, np.array(True)),
        ),
    ),
    Misconception(
        "no window test: an equal value elsewhere also gets the gradient",
        "An input outside Omega(k,l) has no part in f[k,l], even where its value is the same.",
        (lambda of: of.x == of.f, lambda of: of.x >= of.f),
    ),
    Misconception(
        "near-equal counts as equal",
        "Only the maximum itself has a slope; the runner-up has none, however close it is.",
        (
            *(lambda of, t=t: _near(of, t) * of.inside for t in NEAR),
            *(lambda of, t=t: _near(of, t) for t in NEAR),
            *(lambda of, t=t: _shares(_near(of, t) * of.inside) for t in NEAR),
            *(lambda of, t=t: of.inside * (of.x >= of.f - t) for t in NEAR),
        ),
    ),
    Misconception(
        "softmax weights in place of the maximum",
        "The maximum is not softened: its weight is 1 and all others are 0.",
        (
            lambda of: _shares(of.inside * np.exp(np.minimum(of.x - of.f, 0))),
            lambda of: _in_windows(of, _softmax(of)),
            _softmax,
        ),
    ),
    Misconception(
        "pads with 0 in place of minus infinity",
        "Padding must never win: where all inputs of a window are negative, 0 would.",
        (
            lambda of: of.maximum(
                of.x,
                of.inside,
                least=np.where(of.inside.sum((-2, -1), keepdims=True) < of.cells, 0.0, -np.inf),
            ),
        ),
    ),
    Misconception(
        "stride forgotten: windows that start at (k,l)",
        "Window (k,l) starts at row k·sh − ph and column l·sw − pw.",
        (lambda of: of.maximum(of.x, of.windows((1, 1), of.batch.padding)),),
    ),
    Misconception(
        "padding forgotten: windows that start at k·sh",
        "Window (k,l) starts at row k·sh − ph and column l·sw − pw.",
        (lambda of: of.maximum(of.x, of.windows(of.batch.stride, (0, 0))),),
    ),
    Misconception(
        "upstream message forgotten",
        "By the chain rule each window's slope is multiplied by its delta[k,l] before summing.",
        messages=(lambda of: of.right.sum(axis=(1, 2)),),
    ),
    Misconception(
        "multiplied by the upstream message once too often",
        "The Jacobian df/dx knows nothing of the loss; delta comes in once, by the chain rule.",
        (lambda of: of.right * of.delta,),
    ),
    Misconception(
        "assigns where windows overlap, in place of adding",
        "An input that is the maximum of several windows gets the sum of their messages.",
        messages=(lambda of: _assigned(of, -1), lambda of: _assigned(of, 1)),
    ),
)


def rules(few: JudgedMessage, _: object) -> Iterator[Known]:
    """Each known wrong rule in each of its forms."""
    for known in KNOWN:
        for weights in known.weights:
            yield known, partial(_weighted, weights)
        for message in known.messages if few.target.upstream else ():
            yield known, partial(_whole, message)


def _whole(form: Form, one: JudgedMessage) -> Array:
    return np.asarray(form(PoolingParts(cast("PoolingBatch", one.batch))))


def _weighted(form: Form, one: JudgedMessage) -> Array:
    """The Jacobian that some weights are, or the message that they make of the one from above."""
    of = PoolingParts(cast("PoolingBatch", one.batch))
    if not one.target.upstream:
        return np.broadcast_to(form(of), of.right.shape)
    each = of.delta * form(of)
    total, sizes = each.sum(axis=(1, 2)), np.abs(each).sum(axis=(1, 2))
    # What is left of large terms that cancel may be rounding: nothing is said of it.
    return np.where(np.abs(total) < 1e-9 * sizes, np.nan, total)
