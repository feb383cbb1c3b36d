"""The node tests that PyPI's `onnx` ships, run through our layers.

The package makes them in Python, operator by operator: importing a module of its
`backend.test.case.node` adds that operator's cases, inputs and expected outputs, to a list.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any, Final

import onnx
from onnx.backend.test.case import node as shipped

from engine import (
    ELU,
    GELU,
    AveragePool,
    BatchNorm,
    Conv2d,
    GlobalAveragePool,
    GlobalMaxPool,
    Layer,
    LayerNorm,
    LeakyReLU,
    LogSoftmax,
    MaxPool,
    PReLU,
    ReLU,
    Sigmoid,
    Softmax,
    Tanh,
)
from tests.engine.layers.gradients import Array

Attributes = Mapping[str, Any]
#: A layer made from the attributes and all inputs of a node.
Make = Callable[[Attributes, list[Array]], Layer]

MODULES: Final = (
    *("averagepool", "batch_normalization", "conv", "elu", "gelu", "globalaveragepool"),
    *("globalmaxpool", "layernormalization", "leakyrelu", "logsoftmax", "maxpool", "prelu"),
    *("relu", "sigmoid", "softmax", "tanh"),
)

#: Operators with a layer of ours.
OPERATORS: Final = (
    *("AveragePool", "BatchNormalization", "Conv", "Elu", "Gelu", "GlobalAveragePool"),
    *("GlobalMaxPool", "LayerNormalization", "LeakyRelu", "LogSoftmax", "MaxPool", "PRelu"),
    *("Relu", "Sigmoid", "Softmax", "Tanh"),
)


def cases() -> list[Any]:
    """Every case of our operators that the package ships, by name."""
    for module in MODULES:
        importlib.import_module(f"{shipped.__name__}.{module}")
    found = {case.name: case for case in shipped._NodeTestCases}
    return [found[name] for name in sorted(found)]


def why_not(case: Any) -> str | None:
    """Why a case cannot be run; None where it can."""
    nodes = case.model.graph.node
    if "_expanded" in case.name:
        return "the operator written out in others; its data run under its own name"
    if len(nodes) != 1 or nodes[0].op_type not in OPERATORS:
        return f"no layer of ours: {nodes[0].op_type}"
    attributes = read(nodes[0])
    pads, kernel = attributes.get("pads", [0]), attributes.get("kernel_shape", [2])
    if nodes[0].op_type == "MaxPool" and 2 * max(pads) > min(kernel):
        return "more padding than half the kernel, which our max pooling refuses (as PyTorch)"
    return None


def read(node: Any) -> dict[str, Any]:
    values = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    return {
        name: value.decode() if isinstance(value, bytes) else value
        for name, value in values.items()
    }


def run(case: Any) -> list[tuple[Array, Array]]:
    """Return our outputs beside the expected ones, for every data set of a case."""
    node = case.model.graph.node[0]
    attributes = read(node)
    pairs: list[tuple[Array, Array]] = []
    for inputs, expected in case.data_sets:
        layer = _LAYERS[node.op_type](attributes, inputs)
        got = [layer.forward(inputs[0]), *_further(layer, inputs[0], attributes)]
        pairs.extend(zip(got[: len(expected)], expected, strict=True))
    return pairs


def _further(layer: Layer, x: Array, attributes: Attributes) -> list[Array]:
    """What an operator puts out beside f."""
    if isinstance(layer, LayerNorm):
        return [layer.mean, layer.inverse_deviation]
    if isinstance(layer, BatchNorm):
        return [layer.running_mean, layer.running_variance]
    if isinstance(layer, MaxPool) and x.ndim == 4:
        at = layer.argmax(x)
        height, width = x.shape[-2:]
        row, column = at[..., 0], at[..., 1]
        plane = row + column * height if attributes.get("storage_order") else row * width + column
        return [plane]  # of the first image and channel, which are the only ones shipped
    return []


def _windows(attributes: Attributes, inputs: list[Array]) -> dict[str, Any]:
    """Stride, padding and dilation as our layers take them."""
    kernel = attributes["kernel_shape"]
    axes = len(kernel)
    strides = tuple(attributes.get("strides", [1] * axes))
    pads = attributes.get("pads", [0] * 2 * axes)
    margins = list(zip(pads[:axes], pads[axes:], strict=True))
    same = attributes.get("auto_pad", "NOTSET")
    if same != "NOTSET":
        sides = zip(inputs[0].shape[2:], kernel, strides, strict=True)
        margins = [_same(n, k, s, same == "SAME_UPPER") for n, k, s in sides]
    return {
        "stride": strides,
        "padding": tuple(margins),
        "dilation": tuple(attributes.get("dilations", [1] * axes)),
    }


def _same(size: int, kernel: int, stride: int, upper: bool) -> tuple[int, int]:
    """As much padding as leaves ceil(size / stride) windows; the odd one behind if `upper`."""
    total = max(0, (-(-size // stride) - 1) * stride + kernel - size)
    low, high = total // 2, total - total // 2
    return (low, high) if upper else (high, low)


def _max_pool(a: Attributes, i: list[Array]) -> Layer:
    ceil = bool(a.get("ceil_mode", 0))
    return MaxPool(tuple(a["kernel_shape"]), **_windows(a, i), ceil_mode=ceil)


def _average_pool(a: Attributes, i: list[Array]) -> Layer:
    return AveragePool(
        tuple(a["kernel_shape"]),
        **_windows(a, i),
        ceil_mode=bool(a.get("ceil_mode", 0)),
        count_padding=bool(a.get("count_include_pad", 0)),
    )


def _conv(a: Attributes, i: list[Array]) -> Layer:
    bias = i[2] if len(i) > 2 else None
    return Conv2d(i[1], bias, **_windows(a, i), groups=a.get("group", 1))


def _batch_norm(a: Attributes, i: list[Array]) -> Layer:
    return BatchNorm(
        *i[1:],
        training=bool(a.get("training_mode", 0)),
        epsilon=a.get("epsilon", 1e-5),
        momentum=1 - a.get("momentum", 0.9),
        unbiased=False,
    )


_LAYERS: Final[dict[str, Make]] = {
    "AveragePool": _average_pool,
    "BatchNormalization": _batch_norm,
    "Conv": _conv,
    "Elu": lambda a, _: ELU(a.get("alpha", 1.0)),
    "Gelu": lambda a, _: GELU(a.get("approximate", "none")),
    "GlobalAveragePool": lambda _, i: GlobalAveragePool(i[0].ndim - 2),
    "GlobalMaxPool": lambda _, i: GlobalMaxPool(i[0].ndim - 2),
    "LayerNormalization": lambda a, i: LayerNorm(i[1], i[2], a.get("epsilon", 1e-5)),
    "LeakyRelu": lambda a, _: LeakyReLU(a.get("alpha", 0.01)),
    "LogSoftmax": lambda a, _: LogSoftmax(a.get("axis", -1)),
    "MaxPool": _max_pool,
    "PRelu": lambda _, i: PReLU(i[1]),
    "Relu": lambda _, __: ReLU(),
    "Sigmoid": lambda _, __: Sigmoid(),
    "Softmax": lambda a, _: Softmax(a.get("axis", -1)),
    "Tanh": lambda _, __: Tanh(),
}
