"""Random settings of every layer, each beside the same in PyTorch's own functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (its customary name)

import engine as e
from tests.bench.torch_draw import Against, Draw, Tensors, Trial


def relu(d: Draw) -> Trial:
    return Trial(e.ReLU(), d.edged(*d.shape()), lambda x, _: F.relu(x))


def leaky_relu(d: Draw) -> Trial:
    slope = float(d.rng.random())
    x = d.edged(*d.shape())
    return Trial(e.LeakyReLU(slope), x, lambda x, _: F.leaky_relu(x, slope))


def prelu(d: Draw) -> Trial:
    channels = d.whole(1, 4)
    x = d.large(d.whole(1, 4), channels, d.whole(1, 5), d.whole(1, 5))
    layer = e.PReLU(d.gaussian() if d.flip() else d.gaussian(channels, 1, 1))
    return Trial(layer, x, lambda x, p: F.prelu(x, p["slope"].reshape(-1)))


def elu(d: Draw) -> Trial:
    alpha = float(d.rng.random() * 3)
    return Trial(e.ELU(alpha), d.large(*d.shape()), lambda x, _: F.elu(x, alpha))


def sigmoid(d: Draw) -> Trial:
    return Trial(e.Sigmoid(), d.edged(*d.shape()), lambda x, _: torch.sigmoid(x))


def tanh(d: Draw) -> Trial:
    return Trial(e.Tanh(), d.edged(*d.shape()), lambda x, _: torch.tanh(x))


def gelu(d: Draw) -> Trial:
    layer = e.GELU("tanh") if d.flip() else e.GELU()
    x = d.gaussian(*d.shape(), scale=3)
    return Trial(layer, x, lambda x, _: F.gelu(x, approximate=layer.approximate))


def softmax(d: Draw) -> Trial:
    x = d.large(*d.shape())
    axis = d.whole(-x.ndim, x.ndim - 1)
    if d.flip():
        return Trial(e.Softmax(axis), x, lambda x, _: F.softmax(x, axis))
    return Trial(e.LogSoftmax(axis), x, lambda x, _: F.log_softmax(x, axis))


def linear(d: Draw) -> Trial:
    inputs, outputs = d.pair(1, 8)
    bias = d.gaussian(outputs) if d.flip() else None
    x = d.gaussian(*d.shape(), inputs)
    layer = e.Linear(d.gaussian(outputs, inputs), bias)
    return Trial(layer, x, lambda x, p: F.linear(x, p["weight"], p.get("bias")))


def convolution(d: Draw) -> Trial:
    groups = d.whole(1, 3)
    inner, outer = d.pair(1, 3)
    kernel, dilation = d.pair(1, 3), d.pair(1, 2)
    stride, padding = d.pair(1, 3), d.pair(0, 3)
    span = [(k - 1) * r + 1 for k, r in zip(kernel, dilation, strict=True)]
    size = [max(1, w - 2 * p) + d.whole(0, 5) for w, p in zip(span, padding, strict=True)]
    weight = d.gaussian(outer * groups, inner, *kernel)
    bias = d.gaussian(outer * groups) if d.flip() else None
    x = d.gaussian(d.whole(1, 3), inner * groups, *size)
    layer = e.Conv2d(weight, bias, stride, padding, dilation, groups)

    def theirs(x: Any, p: Tensors) -> Any:
        return F.conv2d(x, p["weight"], p.get("bias"), stride, padding, dilation, groups)

    return Trial(layer, x, theirs)


def windows(d: Draw) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
    kernel = d.pair(1, 4)
    padding = (d.whole(0, kernel[0] // 2), d.whole(0, kernel[1] // 2))
    return kernel, d.pair(1, 4), padding


def average_pool(d: Draw) -> Trial:
    kernel, stride, padding = windows(d)
    ceil, counted = d.flip(), d.flip()
    size = [max(1, k - 2 * p) + d.whole(0, 6) for k, p in zip(kernel, padding, strict=True)]
    layer = e.AveragePool(kernel, stride, padding, ceil_mode=ceil, count_padding=counted)

    def theirs(x: Any, _: Tensors) -> Any:
        return F.avg_pool2d(x, kernel, stride, padding, ceil, counted)

    return Trial(layer, d.gaussian(*d.pair(1, 3), *size), theirs)


def max_pool(d: Draw) -> Trial:
    kernel, stride, padding = windows(d)
    dilation, ceil = d.pair(1, 2), d.flip()
    size = [(k - 1) * r + 1 + d.whole(0, 6) for k, r in zip(kernel, dilation, strict=True)]
    layer = e.MaxPool(kernel, stride, padding, dilation=dilation, ceil_mode=ceil)

    def theirs(x: Any, _: Tensors) -> Any:
        return F.max_pool2d(x, kernel, stride, padding, dilation, ceil)

    return Trial(layer, d.edged(*d.pair(1, 3), *size), theirs)


def global_pool(d: Draw) -> Trial:
    shape = (*d.pair(1, 3), *d.pair(1, 5))
    if d.flip():
        x = d.gaussian(*shape)
        return Trial(e.GlobalAveragePool(), x, lambda x, _: F.adaptive_avg_pool2d(x, 1))
    return Trial(e.GlobalMaxPool(), d.edged(*shape), lambda x, _: F.adaptive_max_pool2d(x, 1))


def batch_norm(d: Draw) -> Trial:
    channels, training = d.whole(1, 4), d.flip()
    shape = (d.whole(2, 5), channels, *(d.pair(1, 4) if d.flip() else ()))
    mean, variance = d.gaussian(channels), np.abs(d.gaussian(channels)) + 1
    layer = e.BatchNorm(
        d.gaussian(channels), d.gaussian(channels), mean, variance, training=training
    )
    x = d.gaussian(*shape) + d.rng.integers(-3, 4)

    def theirs(x: Any, p: Tensors) -> Any:
        moved = torch.tensor(mean), torch.tensor(variance)
        f = F.batch_norm(x, *moved, p["weight"], p["bias"], training)
        for ours, there in zip((layer.running_mean, layer.running_variance), moved, strict=True):
            assert np.allclose(ours, there.numpy(), 1e-5, 1e-5)
        return f

    return Trial(layer, x.astype(d.dtype), theirs)


def layer_norm(d: Draw) -> Trial:
    # Of two nearly equal numbers float32 keeps no digits of the message, here or there.
    shape = tuple(d.whole(3, 6) for _ in range(d.whole(1, 2)))
    bias = d.gaussian(*shape) if d.flip() else None
    layer = e.LayerNorm(d.gaussian(*shape), bias)

    def theirs(x: Any, p: Tensors) -> Any:
        return F.layer_norm(x, shape, p["weight"], p.get("bias"))

    return Trial(layer, d.gaussian(*d.shape(), *shape), theirs)


def dropout(d: Draw) -> Trial:
    x = d.gaussian(*d.shape())
    layer = e.Dropout.drawn(x.shape, float(d.rng.random() * 0.9), d.rng)
    kept = torch.tensor(layer.mask)
    return Trial(layer, x, lambda x, _: torch.where(kept, x / (1 - layer.rate), 0))


def reduction(d: Draw) -> Any:
    return ("mean", "sum", "none")[d.whole(0, 2)]


def squared_error(d: Draw) -> Trial:
    x, kind = d.gaussian(*d.shape()), reduction(d)
    t = d.gaussian(*x.shape)
    layer = Against(e.SquaredError(kind), t)
    return Trial(layer, x, lambda x, _: F.mse_loss(x, torch.tensor(t), reduction=kind))


def binary_cross_entropy(d: Draw) -> Trial:
    shape, kind, logits = d.shape(), reduction(d), d.flip()
    t = d.rng.random(shape).astype(d.dtype)
    layer = Against(e.BinaryCrossEntropy(logits, kind), t)
    if logits:
        x = d.large(*shape) / 100
        theirs = F.binary_cross_entropy_with_logits
    else:
        x = (0.02 + 0.96 * d.rng.random(shape)).astype(d.dtype)
        theirs = F.binary_cross_entropy
    return Trial(layer, x.astype(d.dtype), lambda x, _: theirs(x, torch.tensor(t), reduction=kind))


def cross_entropy(d: Draw) -> Trial:
    classes, kind = d.whole(1, 6), reduction(d)
    shape = (d.whole(1, 4), classes, *(d.pair(1, 3) if d.flip() else ()))
    single = shape[:1] + shape[2:]
    if d.flip():
        t = d.rng.integers(0, classes, single)
    else:
        t = np.moveaxis(d.rng.dirichlet(np.ones(classes), single), -1, 1).astype(d.dtype)
    layer = Against(e.CrossEntropy(logits=True, axis=1, reduction=kind), t)
    x = d.large(*shape) / 100

    def theirs(x: Any, _: Tensors) -> Any:
        return F.cross_entropy(x, torch.tensor(t), reduction=kind)

    return Trial(layer, x.astype(d.dtype), theirs)


def module(d: Draw) -> Trial:
    """Linear + ELU + linear + log-softmax in a row."""
    sizes = [d.whole(1, 6) for _ in range(3)]
    first = e.Linear(d.gaussian(sizes[1], sizes[0]), d.gaussian(sizes[1]))
    last = e.Linear(d.gaussian(sizes[2], sizes[1]), d.gaussian(sizes[2]))
    layer = e.Sequential(first, e.ELU(), last, e.LogSoftmax())

    def theirs(x: Any, p: Tensors) -> Any:
        inner = F.elu(F.linear(x, p["0.weight"], p["0.bias"]))
        return F.log_softmax(F.linear(inner, p["2.weight"], p["2.bias"]), -1)

    return Trial(layer, d.gaussian(*d.shape(), sizes[0]), theirs)


KINDS: tuple[Callable[[Draw], Trial], ...] = (
    *(relu, leaky_relu, prelu, elu, sigmoid, tanh, gelu, softmax, linear, convolution),
    *(average_pool, max_pool, global_pool, batch_norm, layer_norm, dropout),
    *(squared_error, binary_cross_entropy, cross_entropy, module),
)
