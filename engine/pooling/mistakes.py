"""Known wrong rules of max pooling, and the conditions that failing inputs share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain, combinations
from operator import gt, lt
from typing import Final, TypeAlias, cast

import numpy as np

from engine.grading import Judge, separates
from engine.messages.judge import JudgedMessage
from engine.messages.mistakes import Known
from engine.pooling.inputs import Geometry, JudgedPooling, PoolingBatch, draw, moved_apart
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


# -- Wrong only when: the conditions that all failing inputs share, and that do matter.
#
# A condition that failing inputs happen to share is not yet their reason.  So each is also taken
# away: the same inputs without it, where windows overlap moved apart, ties broken, ...  Only
# where the answer is then right is it named.


@dataclass(frozen=True, slots=True)
class Condition:
    name: str
    met: Callable[[PoolingBatch], Mask]
    """(B,): on which inputs of a batch it holds."""
    apart: Callable[[PoolingBatch], Iterator[PoolingBatch]]
    """Inputs much like those of a batch on which it does not hold."""


# Kept, as the random inputs are: while an answer is typed they stay the same.


@lru_cache(maxsize=2048)
def _holds(condition: Condition, batch: PoolingBatch) -> Mask:
    return condition.met(batch)


@lru_cache(maxsize=512)
def _without(condition: Condition, batch: PoolingBatch) -> tuple[PoolingBatch, ...]:
    return tuple(condition.apart(batch))


def _same(of: Callable[[PoolingBatch], bool]) -> Callable[[PoolingBatch], Mask]:
    """A condition on the geometry, the same for every input of a batch."""
    return lambda batch: np.full(len(batch.x), of(batch))


def _tied(batch: PoolingBatch) -> Mask:
    shared = batch.tied.sum(axis=(-2, -1)) > 1
    return np.asarray(shared.any(axis=(-2, -1)))


def _distinct(batch: PoolingBatch) -> Iterator[PoolingBatch]:
    flat = batch.x.reshape(len(batch.x), -1)
    ranks = flat.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
    x = ranks.reshape(batch.x.shape).astype(np.float64)
    yield replace(batch, x=x - flat.shape[1] // 2)


def _not_negative(batch: PoolingBatch) -> Iterator[PoolingBatch]:
    least = np.floor(batch.x.min(axis=(1, 2), keepdims=True))
    yield replace(batch, x=batch.x - np.minimum(least, 0))


def _no_zero_message(batch: PoolingBatch) -> Iterator[PoolingBatch]:
    others = 5.25 + np.arange(batch.delta[0].size).reshape(batch.delta[0].shape)
    yield replace(batch, delta=np.where(batch.delta == 0, others, batch.delta))


def _moved_apart(batch: PoolingBatch) -> Iterator[PoolingBatch]:
    geometry = _geometry(batch)
    wider = tuple(max(s, k) for s, k in zip(geometry.stride, geometry.kernel, strict=True))
    yield from _drawn(batch, moved_apart(geometry))
    yield from _drawn(batch, replace(geometry, stride=(wider[0], wider[1])))


def _unpadded(batch: PoolingBatch) -> Iterator[PoolingBatch]:
    geometry = _geometry(batch)
    size = [max(n, k) for n, k in zip(geometry.size, geometry.kernel, strict=True)]
    yield from _drawn(batch, replace(geometry, padding=(0, 0), size=(size[0], size[1])))


def _no_gaps(batch: PoolingBatch) -> Iterator[PoolingBatch]:
    geometry = _geometry(batch)
    closer = [min(s, k) for s, k in zip(geometry.stride, geometry.kernel, strict=True)]
    yield from _drawn(batch, replace(geometry, stride=(closer[0], closer[1])))


def _none_left_over(batch: PoolingBatch) -> Iterator[PoolingBatch]:
    for closer in _no_gaps(batch):
        geometry = _geometry(closer)
        sides = zip(
            geometry.windows, geometry.stride, geometry.kernel, geometry.padding, strict=True
        )
        rows, columns = (max(1, (n - 1) * s + k - 2 * p) for n, s, k, p in sides)
        yield from _drawn(closer, replace(geometry, size=(rows, columns)))


def _geometry(batch: PoolingBatch) -> Geometry:
    size: Pair = (batch.x.shape[1], batch.x.shape[2])
    return Geometry(batch.kernel, batch.stride, batch.padding, size)


def _drawn(batch: PoolingBatch, geometry: Geometry) -> Iterator[PoolingBatch]:
    yield _some(geometry, len(batch.x))


@lru_cache(maxsize=256)
def _some(geometry: Geometry, count: int) -> PoolingBatch:
    return draw(geometry, np.random.default_rng(count), count)


def _strides(relation: Callable[[int, int], bool]) -> Callable[[PoolingBatch], Mask]:
    """How the stride stands to the kernel, along one axis at least."""
    return _same(lambda batch: any(map(relation, batch.stride, batch.kernel)))


#: In the order in which they are named.
CONDITIONS: Final = (
    Condition("windows overlap", _same(lambda batch: batch.overlaps), _moved_apart),
    Condition("there is padding", _same(lambda batch: any(batch.padding)), _unpadded),
    Condition("a value occurs twice in a window", _tied, _distinct),
    Condition("stride is larger than the kernel", _strides(gt), _no_gaps),
    Condition(
        "an input lies in no window",
        _same(lambda batch: not batch.inside.any(axis=(0, 1)).all()),
        _none_left_over,
    ),
    Condition(
        "an input is negative", lambda b: np.asarray((b.x < 0).any(axis=(1, 2))), _not_negative
    ),
    Condition(
        "an upstream message is 0",
        lambda b: np.asarray((b.delta == 0).any(axis=(1, 2))),
        _no_zero_message,
    ),
)


#: Those that may be named together.  A stride below the kernel is there for one window alone,
#: which overlaps with none.
_JOINED: Final = (
    CONDITIONS[0],
    Condition("stride is smaller than the kernel", _strides(lt), _moved_apart),
    *CONDITIONS[1:6],
)
#: So many inputs on which none of them holds must be right, before they are named together.
_EVIDENCE: Final = 40
#: So many of the batches that fail by one of them alone are tried without it.
_TRIED: Final = 4


def shared_by(
    seen: Sequence[tuple[PoolingBatch, Mask]],
    fresh: Sequence[tuple[PoolingBatch, Mask]],
    judge: Judge[PoolingBatch, JudgedPooling],
    fails: Callable[[JudgedPooling], Mask],
) -> tuple[str, ...]:
    """Return the conditions without which the answer is right, as far as it was tried.

    `seen` gives each batch with which of its inputs (B,) fail.  A condition is named if all of
    these meet it, of the `fresh` inputs too, some passing input does not, and the failing batches
    without it pass.  Where there is none, several are named as one, "windows overlap, or there is
    padding", if each failing input meets one of them.
    """
    failing = [batch for batch, failed in seen if failed.any()]
    if not failing:
        return ()
    every = (*seen, *fresh)
    failed = np.concatenate([failed for _, failed in every])
    alone = tuple(
        condition.name
        for condition in CONDITIONS
        if separates(_met(condition, every), failed)
        and not any(
            (fails(one) & ~condition.met(one.batch)).any()
            for one in judge.each(_apart(condition, failing))
        )
    )
    return alone or _together(every, failed, judge, fails)


def _together(
    seen: Sequence[tuple[PoolingBatch, Mask]],
    failed: Mask,
    judge: Judge[PoolingBatch, JudgedPooling],
    fails: Callable[[JudgedPooling], Mask],
) -> tuple[str, ...]:
    """The fewest conditions of which each failing input meets one, named as one."""
    met = {condition.name: _met(condition, seen) for condition in _JOINED}
    for some in (s for size in (2, 3) for s in combinations(_JOINED, size)):
        any_of_them = np.any([met[one.name] for one in some], axis=0)
        if not separates(any_of_them, failed) or (~any_of_them).sum() < _EVIDENCE:
            continue
        # Each must be the reason of failures of its own: where it alone is taken away, all is well.
        if all(_mends(one, some, seen, judge, fails) for one in some):
            return (", or ".join(one.name for one in some),)
    return ()


def _met(condition: Condition, seen: Sequence[tuple[PoolingBatch, Mask]]) -> Mask:
    return np.concatenate([_holds(condition, batch) for batch, _ in seen])


def _mends(
    one: Condition,
    some: Sequence[Condition],
    seen: Sequence[tuple[PoolingBatch, Mask]],
    judge: Judge[PoolingBatch, JudgedPooling],
    fails: Callable[[JudgedPooling], Mask],
) -> bool:
    """Whether inputs on which, of some conditions, this one alone holds are right without it."""
    others = [each for each in some if each is not one]
    alone = [batch for batch, failed in seen if (failed & _outside(others, batch)).any()][:_TRIED]
    apart = judge.each(_apart(one, alone))
    return bool(alone) and not any(
        (fails(each) & _outside(some, each.batch)).any() for each in apart
    )


def _apart(condition: Condition, batches: Iterable[PoolingBatch]) -> Iterable[PoolingBatch]:
    return dict.fromkeys(chain.from_iterable(_without(condition, batch) for batch in batches))


def _outside(some: Sequence[Condition], batch: PoolingBatch) -> Mask:
    """(B,): on which inputs none of the conditions holds."""
    return np.asarray(~np.any([_holds(one, batch) for one in some], axis=0))
