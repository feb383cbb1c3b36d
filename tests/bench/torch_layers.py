"""`python -m tests.bench.torch_layers [COUNT]`: each layer's message beside PyTorch's functions.

COUNT inputs of each layer of `deltadeck layers` (default 1,000), drawn as a check draws them: the
forward message, and dL/d of its input and of each parameter, for a random message from above.
Needs PyTorch, which the checks do not install (`pip install -e .[bench]`, its CPU build will do).
Inputs at a kink, and those that a check leaves out, are counted and not compared.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (its customary name)

from engine.formula.axes import Array
from engine.messages.exercise import GivenExercise
from engine.messages.inputs import drawn
from engine.messages.layers import LAYERS
from engine.registry import exercise_for

#: So many inputs are drawn from a seed: of more at once, a batch would be too large.
AT_ONCE = 1000
#: Of the largest number of an array; of a value, also of what it is where nothing cancels.
TOLERANCE = 1e-11


#: Each layer in PyTorch, of one trial's inputs by name; `r` of average pooling is its kernel.
THEIRS: dict[str, Callable[..., Any]] = {
    "linear": lambda x, W, b: F.linear(x, W, b),
    "relu": lambda x: F.relu(x),
    "leaky-relu": lambda x: F.leaky_relu(x),
    "prelu": lambda x, a: F.prelu(x, a[None]),
    "elu": lambda x: F.elu(x),
    "linear-elu": lambda x, W: F.elu(F.linear(x, W)),
    "sigmoid": lambda x: torch.sigmoid(x),
    "tanh": lambda x: torch.tanh(x),
    "gelu": lambda x: F.gelu(x),
    "softmax": lambda x: F.softmax(x, -1),
    "log-softmax": lambda x: F.log_softmax(x, -1),
    "squared-error": lambda x, t: F.mse_loss(x, t, reduction="sum") / 2,
    "cross-entropy": lambda x, t: F.cross_entropy(x, t),
    "binary-cross-entropy": lambda x, t: F.binary_cross_entropy_with_logits(x, t, reduction="sum"),
    "average-pool": lambda x, r: F.avg_pool1d(x[None], r, 2)[0],
    "global-average-pool": lambda x: F.adaptive_avg_pool2d(x, 1)[:, 0, 0],
    "convolution": lambda x, W, b: F.conv1d(x[None, None], W[None, None], b[None], 2)[0, 0],
    "convolution-2d": lambda x, W: F.conv2d(x[None, None], W[None, None])[0, 0],
    "layer-norm": lambda x, g, b: F.layer_norm(x, x.shape, g, b),
    "batch-norm": lambda x, g, b: F.batch_norm(
        x[:, None], None, None, g[None], b[None], training=True
    )[:, 0],
    "dropout": lambda x, r: torch.where(r > 0, x / 0.8, 0.0),
    "attention": lambda q, k, v: F.scaled_dot_product_attention(q[None], k[None], v[None])[0],
    "linear-without-bias": lambda x, W: F.linear(x, W),
    "linear-unit": lambda x, w, b: x @ w + b,
    "linear-unit-without-bias": lambda x, w: x @ w,
}


def compared(name: str, count: int) -> tuple[int, int, float]:
    """How many inputs were compared and left out, and the largest distance, in tolerances."""
    exercise = exercise_for(name, [], "derivation")
    assert isinstance(exercise, GivenExercise)
    rng = np.random.default_rng(0)
    tried, left_out, worst = 0, 0, 0.0
    seeds = range(-(-count // AT_ONCE))
    for batch in chain(*(drawn(exercise.task.model, "", n, min(count, AT_ONCE)) for n in seeds)):
        above = batch.model.forward.outputs[-1]
        asked = [name for name in LAYERS[exercise.layer].below if name in batch.inputs]
        slopes = {below: batch.reference(above, below) for below in asked}
        judged = ~np.any([one.met | one.left_out for one in slopes.values()], axis=0)
        tried, left_out = tried + int(judged.sum()), left_out + int((~judged).sum())
        kernel = {"r": int(batch.length.numbers["r"])} if "r" in batch.length.numbers else {}
        for n in np.flatnonzero(judged):
            given = {key: torch.tensor(x[n], requires_grad=True) for key, x in batch.inputs.items()}
            f = THEIRS[name](**given, **kernel)
            ours = batch.values[above][n]
            delta = rng.standard_normal(ours.shape)
            f.backward(torch.tensor(delta))
            sizes = {key: x.detach().abs() for key, x in given.items()}
            size = float(THEIRS[name](**sizes, **kernel).abs().max())
            worst = max(worst, distance(ours, f.detach().numpy(), size))
            for below, one in slopes.items():
                slope = delta.reshape(-1) @ one.jacobian[n]
                worst = max(worst, distance(slope, given[below].grad.reshape(-1).numpy()))
    return tried, left_out, worst


def distance(ours: Array, theirs: Array, size: float = 1.0) -> float:
    assert ours.shape == theirs.shape
    largest = max(1.0, size, float(np.abs(theirs).max()))
    return float(np.abs(ours - theirs).max()) / largest / TOLERANCE


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    torch.set_num_threads(1)
    short = 0
    for name in LAYERS:
        tried, left_out, off = compared(name, count)
        short += off > 1
        print(
            f"{name:26}{tried:6} inputs, {left_out:4} left out   "
            f"at most {off:8.2g} tolerances   {'ok' if off <= 1 else 'short'}"
        )
    print(f"{short} layers off, PyTorch {torch.__version__}")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
