"""The layers: forward, backward and parameter messages, one class each, one file a kind.

layer.py says what a layer is; its docstring is where to start.  Every class derives its backward
message in its own docstring.  `engine.MaxPool` is a layer too, in engine/maxpool.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from engine.layers.average_pool import AveragePool
    from engine.layers.batch_norm import BatchNorm
    from engine.layers.binary_cross_entropy import BinaryCrossEntropy
    from engine.layers.convolution import Conv2d
    from engine.layers.cross_entropy import CrossEntropy
    from engine.layers.dropout import Dropout
    from engine.layers.gelu import GELU
    from engine.layers.global_pool import GlobalAveragePool, GlobalMaxPool
    from engine.layers.layer import Layer, Loss, Parametric, jacobian
    from engine.layers.layer_norm import LayerNorm
    from engine.layers.linear import Linear
    from engine.layers.prelu import PReLU
    from engine.layers.rectifiers import ELU, LeakyReLU, ReLU
    from engine.layers.sequential import Sequential
    from engine.layers.softmax import LogSoftmax, Softmax
    from engine.layers.squared_error import SquaredError
    from engine.layers.squashing import Sigmoid, Tanh

__all__ = [
    "ELU",
    "GELU",
    "AveragePool",
    "BatchNorm",
    "BinaryCrossEntropy",
    "Conv2d",
    "CrossEntropy",
    "Dropout",
    "GlobalAveragePool",
    "GlobalMaxPool",
    "Layer",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSoftmax",
    "Loss",
    "PReLU",
    "Parametric",
    "ReLU",
    "Sequential",
    "Sigmoid",
    "Softmax",
    "SquaredError",
    "Tanh",
    "jacobian",
]

#: In which file each name lives; `import engine.layers` alone brings in none of them.
WHERE: Final = {
    "AveragePool": "average_pool",
    "BatchNorm": "batch_norm",
    "BinaryCrossEntropy": "binary_cross_entropy",
    "Conv2d": "convolution",
    "CrossEntropy": "cross_entropy",
    "Dropout": "dropout",
    "ELU": "rectifiers",
    "GELU": "gelu",
    "GlobalAveragePool": "global_pool",
    "GlobalMaxPool": "global_pool",
    "Layer": "layer",
    "LayerNorm": "layer_norm",
    "LeakyReLU": "rectifiers",
    "Linear": "linear",
    "LogSoftmax": "softmax",
    "Loss": "layer",
    "PReLU": "prelu",
    "Parametric": "layer",
    "ReLU": "rectifiers",
    "Sequential": "sequential",
    "Sigmoid": "squashing",
    "Softmax": "softmax",
    "SquaredError": "squared_error",
    "Tanh": "squashing",
    "jacobian": "layer",
}


def __getattr__(name: str) -> object:
    if name in WHERE:
        from importlib import import_module

        return getattr(import_module(f"engine.layers.{WHERE[name]}"), name)
    raise AttributeError(f"module 'engine.layers' has no attribute {name!r}")
