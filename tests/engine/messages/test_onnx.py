"""The forward messages of the built-in layers against the node tests of ONNX.

A layer takes one row of numbers; the axes that a node has besides are so many trials of one batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import prod
from typing import Any, TypeAlias

import numpy as np
import pytest

from engine.messages.exercise import GivenExercise
from engine.messages.layers import LAYERS
from engine.messages.model import Batch
from engine.messages.shapes import lengths
from engine.registry import exercise_for
from tests.engine.onnx_nodes import Array, Attributes, attributes, cases, expected, given, operator


@dataclass(frozen=True)
class Trial:
    """Inputs of one layer, and what its message must come to."""

    layer: str
    sizes: Mapping[str, int]
    inputs: Mapping[str, Array]
    expected: Mapping[str, Array]
    constants: Mapping[str, float] = field(default_factory=dict)
    divided: float | None = None
    """Where the expected loss is of all rows together: what their sum is divided by."""


Named: TypeAlias = dict[str, Array]
#: The trials that a case comes to, or why it does not fit the layer.
Fit: TypeAlias = list[Trial] | str


def values(trial: Trial) -> Mapping[str, Array]:
    """Every array of the layer's message, for each row."""
    layer = LAYERS[trial.layer]
    keys = {
        "given": layer.given,
        "find": "any",
        "sizes": layer.sizes,
        "inputs": layer.inputs,
        "constants": {**layer.constants, **trial.constants},
    }
    exercise = exercise_for(keys, [], "derivation")
    assert isinstance(exercise, GivenExercise)
    model = exercise.task.model
    inputs = {name: np.asarray(x, np.float64) for name, x in trial.inputs.items()}
    assert inputs.keys() == set(model.forward.inputs)
    return Batch(model, lengths(model.survey, trial.sizes), {}, inputs, None).values


def rows(x: Array, axis: int = -1) -> Array:
    return np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])


def unit(layer: str, alpha: float | None, i: Named, o: list[Array], a: Attributes) -> Fit:
    if a.get("approximate", "none") != "none":
        return "GELU by tanh"
    x = rows(i["x"])
    constants = {} if alpha is None else {"a": a.get("alpha", alpha)}
    return [Trial(layer, {"k": x.shape[1]}, {"x": x}, {"y": rows(o[0])}, constants)]


def prelu(i: Named, o: list[Array], _: Attributes) -> Fit:
    slope = np.broadcast_to(i["slope"], i["x"].shape).reshape(-1)
    inputs = {"x": i["x"].reshape(-1, 1), "a": slope}
    return [Trial("prelu", {"k": 1}, inputs, {"y": o[0].reshape(-1, 1)})]


def softmax(layer: str, i: Named, o: list[Array], a: Attributes) -> Fit:
    x, y = (rows(z, a.get("axis", -1)) for z in (i["x"], o[0]))
    if x.max() > 700:
        return "inputs whose exp is no number: a check leaves them out"
    return [Trial(layer, {"k": x.shape[1]}, {"x": x}, {"y": y})]


def gemm(i: Named, o: list[Array], a: Attributes) -> Fit:
    x = i["a"].T if a.get("transA") else i["a"]
    W = a.get("alpha", 1.0) * (i["b"] if a.get("transB") else i["b"].T)
    b = a.get("beta", 1.0) * i["c"] if "c" in i else None
    return linear(x, np.broadcast_to(W, (len(x), *W.shape)), b, o[0])


def matmul(i: Named, o: list[Array], _: Attributes) -> Fit:
    x = i["a"] if i["a"].ndim > 1 else i["a"][None, :]
    right = i["b"] if i["b"].ndim > 1 else i["b"][:, None]
    lead = np.broadcast_shapes(x.shape[:-2], right.shape[:-2])
    x = np.broadcast_to(x, lead + x.shape[-2:])
    W = np.broadcast_to(
        np.swapaxes(right, -1, -2)[..., None, :, :],
        (*x.shape[:-1], right.shape[-1], right.shape[-2]),
    )
    flat = W.reshape(-1, *W.shape[-2:])
    return linear(x.reshape(len(flat), -1), flat, None, o[0].reshape(len(flat), -1))


def linear(x: Array, W: Array, b: Array | None, y: Array) -> Fit:
    """A row at a time; and an output at a time, by the layer that has one alone."""
    k, j = W.shape[1:]
    weights = {"x": np.repeat(x, k, axis=0), "w": W.reshape(-1, j)}
    if b is None:
        one = Trial("linear-without-bias", {"j": j, "k": k}, {"x": x, "W": W}, {"y": y})
        each = Trial("linear-unit-without-bias", {"j": j}, weights, {"y": y.reshape(-1)})
    else:
        b = np.broadcast_to(b, y.shape)
        one = Trial("linear", {"j": j, "k": k}, {"x": x, "W": W, "b": b}, {"y": y})
        weights["b"] = b.reshape(-1)
        each = Trial("linear-unit", {"j": j}, weights, {"y": y.reshape(-1)})
    return [one, each]


def cross_entropy(i: Named, o: list[Array], a: Attributes) -> Fit:
    x, label = rows(i["x"], 1), i["y"].reshape(-1)
    weight = i.get("w", np.ones(x.shape[1]))
    t = (label[:, None] == np.arange(x.shape[1])) * weight
    t[label == a.get("ignore_index", None)] = 0
    whole = {"none": None, "sum": 1.0, "mean": float(t.sum())}[a.get("reduction", "mean")]
    wanted = {"L": o[0].reshape(-1)}
    if len(o) > 1:
        wanted["p"] = np.exp(rows(o[1], 1))
    inputs = {"x": x, "t": t}
    return [Trial("cross-entropy", {"k": x.shape[1]}, inputs, wanted, divided=whole)]


def average_pool(i: Named, o: list[Array], a: Attributes) -> Fit:
    if i["x"].ndim > 3:
        return "average pooling over more than one axis"
    x, y, (r,) = rows(i["x"]), rows(o[0]), a["kernel_shape"]
    return [Trial("average-pool", {"k": y.shape[1], "r": r}, {"x": x}, {"y": y}, {"s": 1})]


def global_average_pool(i: Named, o: list[Array], _: Attributes) -> Fit:
    c, height, width = i["x"].shape[1:]
    sizes = {"c": c, "i": height, "j": width, "H": height, "W": width}
    return [Trial("global-average-pool", sizes, {"x": i["x"]}, {"y": o[0].reshape(-1, c)})]


def convolution(i: Named, o: list[Array], a: Attributes) -> Fit:
    if a.get("strides", [1, 1]) != [1, 1]:
        return "a convolution with a stride over two axes"
    top, left, bottom, right = a.get("pads", [0] * 4)
    x = np.pad(i["x"][:, 0], ((0, 0), (top, bottom), (left, right)))
    y, W = o[0][:, 0], i["W"][0]
    sizes = dict(zip("klab", (*y.shape[1:], *W.shape[1:]), strict=True))
    return [Trial("convolution-2d", sizes, {"x": x, "W": W}, {"y": y})]


def layer_norm(i: Named, o: list[Array], a: Attributes) -> Fit:
    shape, axis, eps = i["X"].shape, a.get("axis", -1), a.get("epsilon", 1e-5)
    n = prod(shape[axis % len(shape) :])
    x = i["X"].reshape(-1, n)
    g, b = (np.broadcast_to(i[name].reshape(-1), x.shape) for name in "WB")
    wanted = {"y": o[0].reshape(-1, n), "m": o[1].reshape(-1), "v": o[2].reshape(-1) ** -2.0 - eps}
    return [Trial("layer-norm", {"j": n}, {"x": x, "g": g, "b": b}, wanted, {"eps": eps})]


def batch_norm(i: Named, o: list[Array], a: Attributes) -> Fit:
    if not a.get("training_mode"):
        return "batch normalisation by the statistics of other batches"
    kept = a.get("momentum", 0.9)
    x, y = (np.moveaxis(z, 1, 0).reshape(z.shape[1], -1) for z in (i["x"], o[0]))
    wanted = {
        "y": y,
        "m": (o[1] - kept * i["mean"]) / (1 - kept),
        "v": (o[2] - kept * i["var"]) / (1 - kept),
    }
    inputs = {"x": x, "g": i["s"], "b": i["bias"]}
    return [Trial("batch-norm", {"i": x.shape[1]}, inputs, wanted, {"eps": a.get("epsilon", 1e-5)})]


def dropout(i: Named, o: list[Array], _: Attributes) -> Fit:
    if not i.get("t", False):
        return "dropout that drops nothing"
    if len(o) < 2:
        return "dropout with a mask that it does not put out"
    inputs = {"x": rows(i["x"]), "r": rows(o[1])}
    constants = {"q": 1 - float(i["r"])}
    return [Trial("dropout", {"k": o[0].shape[-1]}, inputs, {"y": rows(o[0])}, constants)]


def attention(i: Named, o: list[Array], a: Attributes) -> Fit:
    if set(i) != set("QKV") or a.keys() - {"q_num_heads", "kv_num_heads"}:
        return "attention with a mask, a cache, a scale or a cap"
    q, k, v, y = (heads(z, a, of) for z, of in zip((*i.values(), o[0]), "qkkq", strict=True))
    k, v = (np.repeat(z, q.shape[1] // z.shape[1], axis=1) for z in (k, v))
    inputs = {name: z.reshape(-1, *z.shape[2:]) for name, z in zip("qkv", (q, k, v), strict=True)}
    depth = q.shape[-1]
    sizes = {"i": q.shape[2], "j": k.shape[2], "d": depth, "D": depth, "c": v.shape[-1]}
    return [Trial("attention", sizes, inputs, {"y": y.reshape(-1, *y.shape[2:])})]


def heads(z: Array, a: Attributes, of: str) -> Array:
    """(batch, heads, length, depth), whichever way the node has them."""
    if z.ndim == 4:
        return z
    count = a["q_num_heads" if of == "q" else "kv_num_heads"]
    return z.reshape(*z.shape[:2], count, -1).swapaxes(1, 2)


#: By operator: the module of its cases, and what makes trials of one.
OPERATORS: dict[str, tuple[str, Callable[[Named, list[Array], Attributes], Fit]]] = {
    "Attention": ("attention", attention),
    "AveragePool": ("averagepool", average_pool),
    "BatchNormalization": ("batch_normalization", batch_norm),
    "Conv": ("conv", convolution),
    "Dropout": ("dropout", dropout),
    "Elu": ("elu", partial(unit, "elu", 1.0)),
    "Gelu": ("gelu", partial(unit, "gelu", None)),
    "Gemm": ("gemm", gemm),
    "GlobalAveragePool": ("globalaveragepool", global_average_pool),
    "LayerNormalization": ("layernormalization", layer_norm),
    "LeakyRelu": ("leakyrelu", partial(unit, "leaky-relu", 0.01)),
    "LogSoftmax": ("logsoftmax", partial(softmax, "log-softmax")),
    "MatMul": ("matmul", matmul),
    "PRelu": ("prelu", prelu),
    "Relu": ("relu", partial(unit, "relu", None)),
    "Sigmoid": ("sigmoid", partial(unit, "sigmoid", None)),
    "Softmax": ("softmax", partial(softmax, "softmax")),
    "SoftmaxCrossEntropyLoss": ("softmax_cross_entropy_loss", cross_entropy),
    "Tanh": ("tanh", partial(unit, "tanh", None)),
}


def fit(case: Any) -> Fit:
    return OPERATORS[operator(case)][1](given(case), expected(case), attributes(case))


CASES = cases((module for module, _ in OPERATORS.values()), OPERATORS)
FITS = {case.name: fit(case) for case in CASES}
FITTING = [case for case in CASES if not isinstance(FITS[case.name], str)]


@pytest.mark.parametrize("case", FITTING, ids=lambda case: case.name)
def test_the_message_of_a_layer_gives_what_onnx_expects(case: Any) -> None:
    near = 1e-3 if expected(case)[0].dtype == np.float16 else 1e-5
    for trial in FITS[case.name]:
        assert isinstance(trial, Trial)
        got = values(trial)
        for name, wanted in trial.expected.items():
            ours = got[name]
            if name == "L" and trial.divided is not None:
                ours = ours.sum(keepdims=True) / trial.divided
            assert ours.shape == wanted.shape
            np.testing.assert_allclose(ours, wanted, rtol=near, atol=1e-6)


def test_no_case_goes_missing() -> None:
    assert len(FITTING) >= 117  # the count of onnx 1.23; a later version may add cases


def plain_convolution(x: Array, W: Array, b: Array) -> Array:
    return np.correlate(x, W)[::2] + b


def plain_average_pool(x: Array) -> Array:
    return np.correlate(x, np.full(3, 1 / 3))[::2]


def plain_linear_elu(x: Array, W: Array) -> Array:
    return np.asarray(np.maximum(W @ x, np.expm1(np.minimum(W @ x, 0))))


def plain_squared_error(x: Array, t: Array) -> Any:
    return np.linalg.norm(x - t) ** 2 / 2


def plain_cross_entropy(x: Array, t: Array) -> Any:
    return (np.logaddexp(0, x) - t * x).sum()


#: What ONNX has no operator or no fitting case for, one trial at a time: sizes, inputs' shapes,
#: and the layer in NumPy's own functions.
PLAIN: dict[str, tuple[dict[str, int], dict[str, tuple[int, ...]], str, Callable[..., Any]]] = {
    "convolution": ({"i": 4, "a": 3}, {"x": (9,), "W": (3,), "b": ()}, "y", plain_convolution),
    "average-pool": ({"k": 4, "r": 3}, {"x": (9,)}, "y", plain_average_pool),
    "linear-elu": ({"j": 3, "k": 4}, {"x": (3,), "W": (4, 3)}, "y", plain_linear_elu),
    "squared-error": ({"k": 5}, {"x": (5,), "t": (5,)}, "L", plain_squared_error),
    "binary-cross-entropy": ({"k": 5}, {"x": (5,), "t": (5,)}, "L", plain_cross_entropy),
}


@pytest.mark.parametrize("layer", PLAIN)
def test_the_message_of_a_layer_is_what_numpy_computes(layer: str) -> None:
    sizes, shapes, output, plain = PLAIN[layer]
    rng = np.random.default_rng(0)
    inputs = {name: rng.standard_normal((20, *shape)) for name, shape in shapes.items()}
    got = values(Trial(layer, sizes, inputs, {}))[output]
    wanted = [plain(*(x[n] for x in inputs.values())) for n in range(20)]
    np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12)


def test_every_layer_is_held_to_something() -> None:
    held = {trial.layer for fit in FITS.values() for trial in fit if isinstance(trial, Trial)}
    assert held | PLAIN.keys() == LAYERS.keys()
