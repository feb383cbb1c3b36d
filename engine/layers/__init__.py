"""The layers: forward, backward and parameter messages, one class each, one file a kind.

layer.py says what a layer is; its docstring is where to start.  Every class derives its backward
message in its own docstring.  MaxPool is in engine/maxpool.py, the others are here.
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
    from engine.maxpool import MaxPool

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
    "MaxPool",
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

#: In which module each name lives; `import engine.layers` alone brings in none of them.
WHERE: Final = {
    "AveragePool": "engine.layers.average_pool",
    "BatchNorm": "engine.layers.batch_norm",
    "BinaryCrossEntropy": "engine.layers.binary_cross_entropy",
    "Conv2d": "engine.layers.convolution",
    "CrossEntropy": "engine.layers.cross_entropy",
    "Dropout": "engine.layers.dropout",
    "ELU": "engine.layers.rectifiers",
    "GELU": "engine.layers.gelu",
    "GlobalAveragePool": "engine.layers.global_pool",
    "GlobalMaxPool": "engine.layers.global_pool",
    "Layer": "engine.layers.layer",
    "LayerNorm": "engine.layers.layer_norm",
    "LeakyReLU": "engine.layers.rectifiers",
    "Linear": "engine.layers.linear",
    "LogSoftmax": "engine.layers.softmax",
    "Loss": "engine.layers.layer",
    "MaxPool": "engine.maxpool",
    "PReLU": "engine.layers.prelu",
    "Parametric": "engine.layers.layer",
    "ReLU": "engine.layers.rectifiers",
    "Sequential": "engine.layers.sequential",
    "Sigmoid": "engine.layers.squashing",
    "Softmax": "engine.layers.softmax",
    "SquaredError": "engine.layers.squared_error",
    "Tanh": "engine.layers.squashing",
    "jacobian": "engine.layers.layer",
}


def __getattr__(name: str) -> object:
    if name in WHERE:
        from importlib import import_module

        return getattr(import_module(WHERE[name]), name)
    raise AttributeError(f"module 'engine.layers' has no attribute {name!r}")
