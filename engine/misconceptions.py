"""Known wrong rules: an answer whose numbers agree with one on every trial is named by it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final

import numpy as np

from engine import wrong_weights as wrong
from engine.judge import Judged
from engine.trials import Batch
from engine.windows import Array


@dataclass(frozen=True, slots=True)
class Misconception:
    """A wrong rule, in the forms that it is met in.

    A form gives weights (B, Ho, Wo, H, W), wrong in place of the Jacobian, or a whole message
    (B, H, W), wrong in place of dL/dx; NaN where the form says nothing.
    """

    name: str
    teaching: str
    weights: tuple[Callable[[Batch], Array], ...] = ()
    messages: tuple[Callable[[Batch], Array], ...] = ()


_NO_ACTIVATION: Final = "Pooling has no activation: the slope at the maximum is 1, whatever x is."

#: Looked through in this order.
KNOWN: Final = (
    Misconception(
        "sign",
        "Where the maximum rises, f rises by as much: its slope is +1.",
        wrong.at_maxima(lambda _: np.array(-1.0)),
    ),
    Misconception(
        "multiplied by the input's value",
        "f is x at the arg max, and the derivative of x with respect to itself is 1, not x.",
        wrong.at_maxima(lambda batch: batch.x[:, None, None]),
    ),
    Misconception(
        "times the derivative of an activation (ReLU) that the layer does not have",
        _NO_ACTIVATION,
        (
            *wrong.at_maxima(lambda batch: batch.x[:, None, None] > 0),
            *wrong.at_maxima(lambda batch: batch.x[:, None, None] >= 0),
        ),
    ),
    Misconception(
        "times the derivative of an activation (sigmoid) that the layer does not have",
        _NO_ACTIVATION,
        wrong.at_maxima(lambda batch: wrong.sigmoid_slope(batch.x)[:, None, None]),
    ),
    Misconception(
        "times the derivative of an activation (tanh) that the layer does not have",
        _NO_ACTIVATION,
        wrong.at_maxima(lambda batch: (1 - np.tanh(batch.x) ** 2)[:, None, None]),
    ),
    Misconception(
        "every input of the window gets the gradient",
        "f depends only on the window's maximum: the slope of every other input is 0.",
        (wrong.everywhere,),
    ),
    Misconception(
        "average pooling",
        "Sharing the message over the window belongs to the mean; the maximum takes all of it.",
        (wrong.average, wrong.average_of_real_inputs, wrong.quarter),
    ),
    Misconception(
        "divided by the size of the window",
        "Nothing is averaged: the maximum gets the whole message of its window.",
        wrong.at_maxima(lambda batch: np.array(1 / (batch.kernel[0] * batch.kernel[1]))),
    ),
    Misconception(
        "the inputs that are not the maximum get the gradient",
        "It is the other way round: f follows the maximum and does not notice the others.",
        wrong.off_maxima(),
    ),
    Misconception(
        "minimum in place of maximum",
        "The window passes on its largest input, so that one gets its message.",
        wrong.minima(),
    ),
    Misconception(
        "output index in place of the input's",
        "The arg max is a place in the input: compare it with (i,j), not with the window's (k,l).",
        wrong.output_index(),
    ),
    Misconception(
        "transposed",
        "Rows stay rows: compare (i,j) with the arg max and take delta[k,l], in that order.",
        wrong.transposed_inputs(),
        (wrong.transposed_windows,),
    ),
    Misconception(
        "maximum of the whole input, not of the window",
        "Every window has a maximum of its own and sends its message there.",
        wrong.global_maximum(),
    ),
    Misconception(
        "no window test: an equal value elsewhere also gets the gradient",
        "An input outside Omega(k,l) has no part in f[k,l], even where its value is the same.",
        wrong.no_window_test(),
    ),
    Misconception(
        "near-equal counts as equal",
        "Only the maximum itself has a slope; the runner-up has none, however close it is.",
        wrong.near_equal(),
    ),
    Misconception(
        "softmax weights in place of the maximum",
        "The maximum is not softened: its weight is 1 and all others are 0.",
        (wrong.softmax, wrong.softmax_as_written, wrong.softmax_anywhere),
    ),
    Misconception(
        "pads with 0 in place of minus infinity",
        "Padding must never win: where all inputs of a window are negative, 0 would.",
        wrong.zero_padding(),
    ),
    Misconception(
        "stride forgotten: windows that start at (k,l)",
        "Window (k,l) starts at row k·sh − ph and column l·sw − pw.",
        wrong.stride_forgotten(),
    ),
    Misconception(
        "padding forgotten: windows that start at k·sh",
        "Window (k,l) starts at row k·sh − ph and column l·sw − pw.",
        wrong.padding_forgotten(),
    ),
    Misconception(
        "upstream message forgotten",
        "By the chain rule each window's slope is multiplied by its delta[k,l] before summing.",
        messages=wrong.upstream_forgotten(),
    ),
    Misconception(
        "multiplied by the upstream message once too often",
        "The Jacobian df/dx knows nothing of the loss; delta comes in once, by the chain rule.",
        wrong.at_maxima(lambda batch: batch.delta[..., None, None]),
    ),
    Misconception(
        "assigns where windows overlap, in place of adding",
        "An input that is the maximum of several windows gets the sum of their messages.",
        messages=wrong.assigned(),
    ),
)


def named(judged: Sequence[Judged]) -> Misconception | None:
    """Return the first known rule that the answer's numbers agree with on every trial."""
    for rule in KNOWN:
        forms = tuple(partial(_kept, weights) for weights in rule.weights)
        if judged[0].target == "dx":
            forms = tuple(partial(_message, weights) for weights in rule.weights)
            forms += tuple(partial(_kept, message) for message in rule.messages)
        if any(all(_agrees(one, *form(one.batch)) for one in judged) for form in forms):
            return rule
    return None


# Each rule's numbers, and the sum of the sizes of their terms: where large terms cancel, what is
# left may be rounding. Kept, as the random inputs are: while an answer is typed they stay the same.


@lru_cache(maxsize=512)
def _message(weights: Callable[[Batch], Array], batch: Batch) -> tuple[Array, Array]:
    each = batch.delta[..., None, None] * weights(batch)
    return each.sum(axis=(1, 2)), np.abs(each).sum(axis=(1, 2))


@lru_cache(maxsize=512)
def _kept(rule: Callable[[Batch], Array], batch: Batch) -> tuple[Array, Array]:
    found = rule(batch)
    return found, np.abs(found)


def _agrees(judged: Judged, rule: Array, sizes: Array) -> bool:
    said = ~np.isnan(rule)
    slack = 1e-9 * (sizes + np.abs(judged.batch.delta).max())
    return bool((np.abs(judged.got - rule)[said] <= slack[said]).all())
