"""Known wrong rules of max pooling."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias, cast

import numpy as np

from engine.messages.judge import JudgedMessage
from engine.messages.mistakes import Known
from engine.pooling.inputs import PoolingBatch
from engine.pooling.layer import POLICIES, MaxPool, Ties
from engine.pooling.windows import Array, Mask, Pair
from engine.verdict import Mistake

# -- The wrong rules themselves, over a batch: weights (B, Ho, Wo, H, W), or messages (B, H, W).
#
# Inputs that tie are not looked at: there a rule would have a form for each reading of "the
# maximum".


Rule: TypeAlias = Callable[[PoolingBatch], Array]
Rules: TypeAlias = tuple[Rule, ...]

#: Thresholds for "near": the trials tell these apart from one another, and from equality.
NEAR = (*(10.0**power for power in range(-12, 1)), 0.5)


def _to_one(weights: Array) -> Array:
    """Scale the weights so that each window's sum to 1."""
    shares: Array = weights / weights.sum(axis=(-2, -1), keepdims=True)
    return shares


# At the maxima, but not by the slope of 1.


def at_maxima(factor: Callable[[PoolingBatch], Array | Mask]) -> Rules:
    return (lambda batch: batch.jacobian("first") * factor(batch),)


def sigmoid_slope(x: Array) -> Array:
    squeezed: Array = 1 / (1 + np.exp(-np.clip(x, -700, 700)))
    return squeezed * (1 - squeezed)


def upstream_forgotten(batch: PoolingBatch) -> Array:
    total: Array = batch.jacobian("first").sum(axis=(1, 2))
    return total


def assigned() -> Rules:
    """The last window to write to an input wins, or the first."""
    return tuple(
        lambda batch, step=step: _assign(batch, batch.jacobian("first"), step) for step in (1, -1)
    )


def _assign(batch: PoolingBatch, weights: Array, step: int) -> Array:
    dx = np.zeros_like(batch.x)
    for k, l in list(np.ndindex(*batch.delta.shape[1:]))[::step]:  # noqa: E741
        sent = weights[:, k, l]
        dx = np.where(sent != 0, sent * batch.delta[:, k, l, None, None], dx)
    return dx


# All over the window.


def everywhere(batch: PoolingBatch) -> Array:
    return np.broadcast_to(batch.inside.astype(np.float64), batch.tied.shape)


def average(batch: PoolingBatch) -> Array:
    return everywhere(batch) / (batch.kernel[0] * batch.kernel[1])


def average_of_real_inputs(batch: PoolingBatch) -> Array:
    return _to_one(everywhere(batch))


def quarter(batch: PoolingBatch) -> Array:
    """The mean of a 2x2 window, whatever the window is."""
    return everywhere(batch) / 4


def softmax(batch: PoolingBatch) -> Array:
    below = batch.x[:, None, None] - batch.f[..., None, None]
    return _to_one(everywhere(batch) * np.exp(np.minimum(below, 0)))


def softmax_as_written(batch: PoolingBatch) -> Array:
    """exp(x) / sum(exp(x)): where that overflows, or all of it is 0, it says nothing."""
    return np.where(batch.inside, softmax_anywhere(batch), 0.0)


def softmax_anywhere(batch: PoolingBatch) -> Array:
    """The same with no window test: inputs outside of the window are divided by its sum too."""
    with np.errstate(all="ignore"):
        raised = np.exp(batch.x)[:, None, None]
        total = np.where(batch.inside, raised, 0.0).sum(axis=(-2, -1), keepdims=True)
        shares: Array = np.where(np.isfinite(raised / total), raised / total, np.nan)
    return shares


# At other places than the maxima.


def off_maxima(batch: PoolingBatch) -> Array:
    return np.asarray(everywhere(batch) * (batch.jacobian("first") == 0))


def minima(ties: Ties) -> Rule:
    """Minima may tie where no maximum does."""
    return lambda batch: MaxPool(batch.kernel, batch.stride, batch.padding, ties).jacobian(-batch.x)


def output_index() -> Rules:
    """(k,l) = argmax Omega(k,l), for every (i,j) of the window or for all."""

    def at_output(batch: PoolingBatch) -> Array:
        k, l = np.indices(batch.delta.shape[1:])  # noqa: E741
        here = (batch.layer.argmax(batch.x) == np.stack([k, l], axis=-1)).all(axis=-1)
        return np.asarray(here[..., None, None], dtype=np.float64)

    return (
        lambda batch: at_output(batch) * everywhere(batch),
        lambda batch: np.broadcast_to(at_output(batch), batch.tied.shape),
    )


def transposed_inputs() -> Rules:
    """(j,i) = argmax Omega(k,l), for (i,j) of the window or for all."""

    def swapped(batch: PoolingBatch) -> Array:
        i, j = np.indices(batch.x.shape[1:])
        at = batch.layer.argmax(batch.x)[:, :, :, None, None, :]
        here: Mask = (at == np.stack([j, i], axis=-1)).all(axis=-1)
        return here.astype(np.float64)

    return (swapped, lambda batch: swapped(batch) * everywhere(batch))


def transposed_windows(batch: PoolingBatch) -> Array:
    """delta[l,k] for delta[k,l]; it says nothing where there is no such window."""
    rows, columns = batch.delta.shape[1:]
    side = max(rows, columns)
    square = np.full((len(batch.x), side, side), np.nan)
    square[:, :rows, :columns] = batch.delta
    swapped = square.transpose(0, 2, 1)[:, :rows, :columns, None, None]
    sent = np.where(batch.layer.jacobian(batch.x) > 0, swapped, 0.0)
    total: Array = sent.sum(axis=(1, 2))
    return total


def global_maximum() -> Rules:
    """The maximum of all of x, the first or every one, in this window or in any."""

    def anywhere(batch: PoolingBatch, ties: Ties) -> Array:
        size: Pair = (batch.x.shape[1], batch.x.shape[2])
        return np.broadcast_to(MaxPool(size, ties=ties).jacobian(batch.x), batch.tied.shape)

    # Of all inputs several may tie where no window does.
    return tuple(
        lambda batch, ties=ties, inside=inside: (
            anywhere(batch, ties) * (everywhere(batch) if inside else 1.0)
        )
        for ties in POLICIES
        for inside in (True, False)
    )


def no_window_test() -> Rules:
    """x[i,j] = f[k,l] anywhere, or x[i,j] >= f[k,l]."""
    return (
        lambda batch: (batch.x[:, None, None] == batch.f[..., None, None]).astype(np.float64),
        lambda batch: (batch.x[:, None, None] >= batch.f[..., None, None]).astype(np.float64),
    )


def near_equal() -> Rules:
    """Within a threshold of the maximum, in the window or anywhere; each, or shared evenly."""

    def reaching(batch: PoolingBatch, threshold: float) -> Array:
        floor = batch.f[..., None, None] - threshold
        return everywhere(batch) * (batch.x[:, None, None] >= floor)

    def near(batch: PoolingBatch, threshold: float) -> Array:
        close: Mask = np.abs(batch.x[:, None, None] - batch.f[..., None, None]) < threshold
        return close.astype(np.float64)

    def shared(batch: PoolingBatch, threshold: float) -> Array:
        return _to_one(near(batch, threshold) * everywhere(batch))

    return (
        *(lambda batch, t=t: near(batch, t) * everywhere(batch) for t in NEAR),
        *(lambda batch, t=t: near(batch, t) for t in NEAR),
        *(lambda batch, t=t: shared(batch, t) for t in NEAR),
        *(lambda batch, t=t: reaching(batch, t) for t in NEAR),
    )


# Windows laid out wrongly.


def zero_padding(ties: Ties) -> Rule:
    def padded(batch: PoolingBatch) -> Array:
        (ph, pw), (height, width) = batch.padding, batch.x.shape[1:]
        x = np.pad(batch.x, ((0, 0), (ph, ph), (pw, pw)))
        weights = MaxPool(batch.kernel, batch.stride, 0, ties).jacobian(x)
        return weights[..., ph : ph + height, pw : pw + width]

    return padded


def stride_forgotten(ties: Ties) -> Rule:
    def crowded(batch: PoolingBatch) -> Array:
        rows, columns = batch.delta.shape[1:]
        every = MaxPool(batch.kernel, 1, batch.padding, ties).jacobian(batch.x)
        return every[:, :rows, :columns]

    return crowded


def padding_forgotten(ties: Ties) -> Rule:
    def shifted(batch: PoolingBatch) -> Array:
        (ph, pw), (height, width) = batch.padding, batch.x.shape[1:]
        # The last windows then reach past the input, where nothing may win.
        x = np.pad(batch.x, ((0, 0), (0, 2 * ph), (0, 2 * pw)), constant_values=-np.inf)
        weights = MaxPool(batch.kernel, batch.stride, 0, ties).jacobian(x)
        return weights[..., :height, :width]

    return shifted


# -- Known wrong rules: an answer whose numbers agree with one on every trial is named by it.


@dataclass(frozen=True, slots=True)
class Misconception(Mistake):
    """A wrong rule, in the forms that it is met in.

    A form gives weights (B, Ho, Wo, H, W), wrong in place of the Jacobian, or a whole message
    (B, H, W), wrong in place of dL/dx; NaN where the form says nothing.
    """

    weights: tuple[Callable[[PoolingBatch], Array], ...] = ()
    messages: tuple[Callable[[PoolingBatch], Array], ...] = ()


_NO_ACTIVATION: Final = "Pooling has no activation: the slope at the maximum is 1, whatever x is."

#: Looked through in this order.
KNOWN: Final = (
    Misconception(
        "sign",
        "Where the maximum rises, f rises by as much: its slope is +1.",
        at_maxima(lambda _: np.array(-1.0)),
    ),
    Misconception(
        "multiplied by the input's value",
        "f is x at the arg max, and the derivative of x with respect to itself is 1, not x.",
        at_maxima(lambda batch: batch.x[:, None, None]),
    ),
    Misconception(
        "times the derivative of an activation (ReLU) that the layer does not have",
        _NO_ACTIVATION,
        (
            *at_maxima(lambda batch: batch.x[:, None, None] > 0),
            *at_maxima(lambda batch: batch.x[:, None, None] >= 0),
        ),
    ),
    Misconception(
        "times the derivative of an activation (sigmoid) that the layer does not have",
        _NO_ACTIVATION,
        at_maxima(lambda batch: sigmoid_slope(batch.x)[:, None, None]),
    ),
    Misconception(
        "times the derivative of an activation (tanh) that the layer does not have",
        _NO_ACTIVATION,
        at_maxima(lambda batch: (1 - np.tanh(batch.x) ** 2)[:, None, None]),
    ),
    Misconception(
        "every input of the window gets the gradient",
        "f depends only on the window's maximum: the slope of every other input is 0.",
        (everywhere,),
    ),
    Misconception(
        "average pooling",
        "Sharing the message over the window belongs to the mean; the maximum takes all of it.",
        (average, average_of_real_inputs, quarter),
    ),
    Misconception(
        "divided by the size of the window",
        "Nothing is averaged: the maximum gets the whole message of its window.",
        at_maxima(lambda batch: np.array(1 / (batch.kernel[0] * batch.kernel[1]))),
    ),
    Misconception(
        "the inputs that are not the maximum get the gradient",
        "It is the other way round: f follows the maximum and does not notice the others.",
        (off_maxima,),
    ),
    Misconception(
        "minimum in place of maximum",
        "The window passes on its largest input, so that one gets its message.",
        tuple(map(minima, POLICIES)),
    ),
    Misconception(
        "output index in place of the input's",
        "The arg max is a place in the input: compare it with (i,j), not with the window's (k,l).",
        output_index(),
    ),
    Misconception(
        "transposed",
        "Rows stay rows: compare (i,j) with the arg max and take delta[k,l], in that order.",
        transposed_inputs(),
        (transposed_windows,),
    ),
    Misconception(
        "maximum of the whole input, not of the window",
        "Every window has a maximum of its own and sends its message there.",
        global_maximum(),
    ),
    Misconception(
        "no window test: an equal value elsewhere also gets the gradient",
        "An input outside Omega(k,l) has no part in f[k,l], even where its value is the same.",
        no_window_test(),
    ),
    Misconception(
        "near-equal counts as equal",
        "Only the maximum itself has a slope; the runner-up has none, however close it is.",
        near_equal(),
    ),
    Misconception(
        "softmax weights in place of the maximum",
        "The maximum is not softened: its weight is 1 and all others are 0.",
        (softmax, softmax_as_written, softmax_anywhere),
    ),
    Misconception(
        "pads with 0 in place of minus infinity",
        "Padding must never win: where all inputs of a window are negative, 0 would.",
        tuple(map(zero_padding, POLICIES)),
    ),
    Misconception(
        "stride forgotten: windows that start at (k,l)",
        "Window (k,l) starts at row k·sh − ph and column l·sw − pw.",
        tuple(map(stride_forgotten, POLICIES)),
    ),
    Misconception(
        "padding forgotten: windows that start at k·sh",
        "Window (k,l) starts at row k·sh − ph and column l·sw − pw.",
        tuple(map(padding_forgotten, POLICIES)),
    ),
    Misconception(
        "upstream message forgotten",
        "By the chain rule each window's slope is multiplied by its delta[k,l] before summing.",
        messages=(upstream_forgotten,),
    ),
    Misconception(
        "multiplied by the upstream message once too often",
        "The Jacobian df/dx knows nothing of the loss; delta comes in once, by the chain rule.",
        at_maxima(lambda batch: batch.delta[..., None, None]),
    ),
    Misconception(
        "assigns where windows overlap, in place of adding",
        "An input that is the maximum of several windows gets the sum of their messages.",
        messages=assigned(),
    ),
)


def rules(few: JudgedMessage, _: object) -> Iterator[Known]:
    """Each known wrong rule in each of its forms."""
    for known in KNOWN:
        for weights in known.weights:
            yield known, partial(_sent if few.target.upstream else _plain, weights)
        for message in known.messages if few.target.upstream else ():
            yield known, partial(_plain, message)


def _plain(form: Rule, one: JudgedMessage) -> Array:
    return form(cast("PoolingBatch", one.batch))


def _sent(weights: Rule, one: JudgedMessage) -> Array:
    """The message that some weights make of the one from above."""
    batch = cast("PoolingBatch", one.batch)
    each = batch.delta[..., None, None] * weights(batch)
    total, sizes = each.sum(axis=(1, 2)), np.abs(each).sum(axis=(1, 2))
    # What is left of large terms that cancel may be rounding: nothing is said of it.
    return np.where(np.abs(total) < 1e-9 * sizes, np.nan, total)
