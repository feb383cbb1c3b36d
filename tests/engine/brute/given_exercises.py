"""Forward messages that cards give, in plain Python, with right answers to them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Final

#: An array by its indices; of a scalar the only key is ().
Table = dict[tuple[int, ...], float]
Tables = dict[str, Table]


@dataclass(frozen=True, slots=True)
class Given:
    name: str
    exercise: Mapping[str, object]
    target: str
    """The input whose derivative is asked."""
    sizes: tuple[Mapping[str, int], ...]
    inputs: Callable[[random.Random, Mapping[str, int]], Tables]
    forward: Callable[[Tables, Mapping[str, int]], Tables]
    """The values of the definitions; "L" is the loss that is differentiated."""
    right: tuple[str, ...]
    words: tuple[str, ...]
    """Names of which one may stand for another."""


def grid(rng: random.Random, *sizes: int) -> Table:
    return {at: rng.uniform(-1.5, 1.5) for at in product(*map(range, sizes))}


def _linear(a: Tables, n: Mapping[str, int]) -> Table:
    return {(k,): sum(a["W"][k, j] * a["x"][j,] for j in range(n["j"])) for k in range(n["k"])}


def _elu(a: Tables, n: Mapping[str, int]) -> Tables:
    s: Table = _linear(a, n)
    y: Table = {at: v if v > 0 else math.exp(v) - 1 for at, v in s.items()}
    return {"s": s, "y": y, "L": {(): sum(a["delta"][at] * y[at] for at in y)}}


def _softmax(a: Tables, _: Mapping[str, int]) -> Tables:
    total = sum(math.exp(v) for v in a["z"].values())
    p = {at: math.exp(v) / total for at, v in a["z"].items()}
    return {"p": p, "L": {(): -sum(a["t"][at] * math.log(p[at]) for at in p)}}


def _squares(a: Tables, n: Mapping[str, int]) -> Tables:
    y: Table = {(k,): v + a["b"][k,] for (k,), v in _linear(a, n).items()}
    return {"y": y, "L": {(): sum((y[at] - a["t"][at]) ** 2 for at in y) / 2}}


def _sigmoid(a: Tables, n: Mapping[str, int]) -> Tables:
    s: Table = _linear(a, n)
    y = {at: 1 / (1 + math.exp(-v)) for at, v in s.items()}
    return {"s": s, "y": y, "L": {(): sum(a["delta"][at] * y[at] for at in y)}}


def _drawn(**shapes: str) -> Callable[[random.Random, Mapping[str, int]], Tables]:
    def draw(rng: random.Random, n: Mapping[str, int]) -> Tables:
        found = {name: grid(rng, *(n[x] for x in letters)) for name, letters in shapes.items()}
        if "z" in found:
            weights = {at: rng.random() + 0.1 for at in found["t"]}
            total = sum(weights.values())
            found["t"] = {at: weight / total for at, weight in weights.items()}
        return found

    return draw


_KJ: Final = ({"k": 2, "j": 3}, {"k": 3, "j": 3}, {"k": 3, "j": 2}, {"k": 1, "j": 2})
_LINEAR: Final = "s[k] = sum(W[k,j] * x[j] for j)\n"
_SIZES: Final = {"j": 3, "k": 2}
EXERCISES: Final = (
    Given(
        "linear and ELU",
        {
            "given": _LINEAR + "y[k] = s[k] if s[k] > 0 else exp(s[k]) - 1",
            "find": "dL/dx[j]",
            "sizes": _SIZES,
        },
        "x",
        _KJ,
        _drawn(W="kj", x="j", delta="k"),
        _elu,
        (
            "dL/dx[j] = sum(delta[k] * (1 if s[k] > 0 else exp(s[k])) * W[k,j] for k)",
            "dx[j] = sum(delta[k] * min(1, y[k] + 1) * W[k,j] for k)",
            r"\frac{\partial L}{\partial x_j} = \sum_k \delta_k W_{kj}"
            r" \begin{cases} 1 & s_k > 0 \\ e^{s_k} & \text{otherwise} \end{cases}",
        ),
        ("W x s y delta",),
    ),
    Given(
        "softmax and cross-entropy",
        {
            "given": "p[k] = exp(z[k]) / sum(exp(z[m]) for m)\nL = -sum(t[k] * log(p[k]) for k)",
            "find": "dL/dz[k]",
            "sizes": {"k": 3},
        },
        "z",
        ({"k": 3}, {"k": 4}, {"k": 2}),
        _drawn(z="k", t="k"),
        _softmax,
        (
            "dL/dz[k] = p[k] - t[k]",
            "-sum(t[m] * ([m == k] - p[k]) for m)",
            "dL/dz[k] = exp(z[k]) / sum(exp(z[m]) for m) - t[k]",
        ),
        ("p t z",),
    ),
    Given(
        "linear and squared error",
        {
            "given": "y[k] = sum(W[k,j] * x[j] for j) + b[k]\n"
            "L = sum((y[k] - t[k])^2 for k) / 2",
            "find": "dL/dW[k,j]",
            "sizes": _SIZES,
        },
        "W",
        _KJ,
        _drawn(W="kj", x="j", b="k", t="k"),
        _squares,
        (
            "dL/dW[k,j] = (y[k] - t[k]) * x[j]",
            "dL/dW[k,j] = x[j] * (sum(W[k,m] * x[m] for m) + b[k] - t[k])",
        ),
        ("W x y t b",),
    ),
    Given(
        "linear and sigmoid",
        {
            "given": _LINEAR + "y[k] = 1 / (1 + exp(-s[k]))",
            "find": "dL/dW[k,j]",
            "sizes": _SIZES,
        },
        "W",
        _KJ,
        _drawn(W="kj", x="j", delta="k"),
        _sigmoid,
        (
            "dL/dW[k,j] = delta[k] * y[k] * (1 - y[k]) * x[j]",
            "dL/dW[k,j] = delta[k] * exp(-s[k]) / (1 + exp(-s[k]))^2 * x[j]",
        ),
        ("W x s y delta",),
    ),
)  # fmt: skip
