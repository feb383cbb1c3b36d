"""The wrong rules themselves, over a batch: weights (B, Ho, Wo, H, W), or messages (B, H, W).

Most send something to a window's maxima, and agree with an answer under one reading of "the
maximum" at ties: so they come as one form for each tie policy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from engine.maxpool import POLICIES, MaxPool, Ties
from engine.trials import Batch
from engine.windows import Array, Mask, Pair

Rule: TypeAlias = Callable[[Batch], Array]
Rules: TypeAlias = tuple[Rule, ...]

#: Thresholds for "near": the trials tell these apart from one another, and from equality.
NEAR = (*(10.0**power for power in range(-12, 1)), 0.5)


def _each(rule: Callable[[Batch, Ties], Array]) -> Rules:
    """One form of the rule for each tie policy."""
    return tuple(lambda batch, ties=ties: rule(batch, ties) for ties in POLICIES)


def _to_one(weights: Array) -> Array:
    """Scale the weights so that each window's sum to 1."""
    shares: Array = weights / weights.sum(axis=(-2, -1), keepdims=True)
    return shares


# At the maxima, but not by the slope of 1.


def at_maxima(factor: Callable[[Batch], Array | Mask]) -> Rules:
    return _each(lambda batch, ties: batch.jacobian(ties) * factor(batch))


def sigmoid_slope(x: Array) -> Array:
    squeezed: Array = 1 / (1 + np.exp(-np.clip(x, -700, 700)))
    return squeezed * (1 - squeezed)


def upstream_forgotten() -> Rules:
    return _each(lambda batch, ties: batch.jacobian(ties).sum(axis=(1, 2)))


def assigned() -> Rules:
    """The last window to write to an input wins, or the first."""
    return tuple(
        lambda batch, ties=ties, step=step: _assign(batch, batch.jacobian(ties), step)
        for ties in POLICIES
        for step in (1, -1)
    )


def _assign(batch: Batch, weights: Array, step: int) -> Array:
    dx = np.zeros_like(batch.x)
    for k, l in list(np.ndindex(*batch.delta.shape[1:]))[::step]:  # noqa: E741
        sent = weights[:, k, l]
        dx = np.where(sent != 0, sent * batch.delta[:, k, l, None, None], dx)
    return dx


# All over the window.


def everywhere(batch: Batch) -> Array:
    return np.broadcast_to(batch.inside.astype(np.float64), batch.tied.shape)


def average(batch: Batch) -> Array:
    return everywhere(batch) / (batch.kernel[0] * batch.kernel[1])


def average_of_real_inputs(batch: Batch) -> Array:
    return _to_one(everywhere(batch))


def quarter(batch: Batch) -> Array:
    """The mean of a 2x2 window, whatever the window is."""
    return everywhere(batch) / 4


def softmax(batch: Batch) -> Array:
    below = batch.x[:, None, None] - batch.f[..., None, None]
    return _to_one(everywhere(batch) * np.exp(np.minimum(below, 0)))


def softmax_as_written(batch: Batch) -> Array:
    """exp(x) / sum(exp(x)): where that overflows, or all of it is 0, it says nothing."""
    return np.where(batch.inside, softmax_anywhere(batch), 0.0)


def softmax_anywhere(batch: Batch) -> Array:
    """The same with no window test: inputs outside of the window are divided by its sum too."""
    with np.errstate(all="ignore"):
        raised = np.exp(batch.x)[:, None, None]
        total = np.where(batch.inside, raised, 0.0).sum(axis=(-2, -1), keepdims=True)
        shares: Array = np.where(np.isfinite(raised / total), raised / total, np.nan)
    return shares


# At other places than the maxima.


def off_maxima() -> Rules:
    return _each(lambda batch, ties: everywhere(batch) * (batch.jacobian(ties) == 0))


def minima() -> Rules:
    def lowest(batch: Batch, ties: Ties) -> Array:
        return MaxPool(batch.kernel, batch.stride, batch.padding, ties).jacobian(-batch.x)

    return _each(lowest)


def output_index() -> Rules:
    """(k,l) = argmax Omega(k,l), for every (i,j) of the window or for all."""

    def at_output(batch: Batch) -> Array:
        k, l = np.indices(batch.delta.shape[1:])  # noqa: E741
        here = (batch.layer.argmax(batch.x) == np.stack([k, l], axis=-1)).all(axis=-1)
        return np.asarray(here[..., None, None], dtype=np.float64)

    return (
        lambda batch: at_output(batch) * everywhere(batch),
        lambda batch: np.broadcast_to(at_output(batch), batch.tied.shape),
    )


def transposed_inputs() -> Rules:
    """(j,i) = argmax Omega(k,l), for (i,j) of the window or for all."""

    def swapped(batch: Batch) -> Array:
        i, j = np.indices(batch.x.shape[1:])
        at = batch.layer.argmax(batch.x)[:, :, :, None, None, :]
        here: Mask = (at == np.stack([j, i], axis=-1)).all(axis=-1)
        return here.astype(np.float64)

    return (swapped, lambda batch: swapped(batch) * everywhere(batch))


def transposed_windows(batch: Batch) -> Array:
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

    def anywhere(batch: Batch, ties: Ties) -> Array:
        size: Pair = (batch.x.shape[1], batch.x.shape[2])
        return np.broadcast_to(MaxPool(size, ties=ties).jacobian(batch.x), batch.tied.shape)

    return (
        *_each(lambda batch, ties: anywhere(batch, ties) * everywhere(batch)),
        *_each(anywhere),
    )


def no_window_test() -> Rules:
    """x[i,j] = f[k,l] anywhere, or x[i,j] >= f[k,l]."""
    return (
        lambda batch: (batch.x[:, None, None] == batch.f[..., None, None]).astype(np.float64),
        lambda batch: (batch.x[:, None, None] >= batch.f[..., None, None]).astype(np.float64),
    )


def near_equal() -> Rules:
    """Within a threshold of the maximum, in the window or anywhere; each, or shared evenly."""

    def reaching(batch: Batch, threshold: float) -> Array:
        floor = batch.f[..., None, None] - threshold
        return everywhere(batch) * (batch.x[:, None, None] >= floor)

    def near(batch: Batch, threshold: float) -> Array:
        close: Mask = np.abs(batch.x[:, None, None] - batch.f[..., None, None]) < threshold
        return close.astype(np.float64)

    def shared(batch: Batch, threshold: float) -> Array:
        return _to_one(near(batch, threshold) * everywhere(batch))

    return (
        *(lambda batch, t=t: near(batch, t) * everywhere(batch) for t in NEAR),
        *(lambda batch, t=t: near(batch, t) for t in NEAR),
        *(lambda batch, t=t: shared(batch, t) for t in NEAR),
        *(lambda batch, t=t: reaching(batch, t) for t in NEAR),
    )


# Windows laid out wrongly.


def zero_padding() -> Rules:
    def padded(batch: Batch, ties: Ties) -> Array:
        (ph, pw), (height, width) = batch.padding, batch.x.shape[1:]
        x = np.pad(batch.x, ((0, 0), (ph, ph), (pw, pw)))
        weights = MaxPool(batch.kernel, batch.stride, 0, ties).jacobian(x)
        return weights[..., ph : ph + height, pw : pw + width]

    return _each(padded)


def stride_forgotten() -> Rules:
    def crowded(batch: Batch, ties: Ties) -> Array:
        rows, columns = batch.delta.shape[1:]
        every = MaxPool(batch.kernel, 1, batch.padding, ties).jacobian(batch.x)
        return every[:, :rows, :columns]

    return _each(crowded)


def padding_forgotten() -> Rules:
    def shifted(batch: Batch, ties: Ties) -> Array:
        (ph, pw), (height, width) = batch.padding, batch.x.shape[1:]
        # The last windows then reach past the input, where nothing may win.
        x = np.pad(batch.x, ((0, 0), (0, 2 * ph), (0, 2 * pw)), constant_values=-np.inf)
        weights = MaxPool(batch.kernel, batch.stride, 0, ties).jacobian(x)
        return weights[..., :height, :width]

    return _each(shifted)
