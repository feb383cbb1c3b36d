"""`python -m tests.bench.torch_layers [COUNT]`: every layer against PyTorch on random settings.

Needs PyTorch, which the checks do not install (`pip install -e .[bench]`, its CPU build will do).
It prints a line a layer: how many settings, and the largest distance of a forward, backward or
parameter message from PyTorch's, in units of the tolerance: 1e-11 of the largest entry in
float64, 1e-5 in float32.
"""

from __future__ import annotations

import sys

import numpy as np
import torch

import engine as e
from tests.bench.torch_draw import Array, Draw, Tensors, Trial
from tests.bench.torch_settings import KINDS

TOLERANCE = {"float32": 1e-5, "float64": 1e-11}


def worst(trial: Trial, rng: np.random.Generator) -> float:
    """The largest distance from PyTorch over all messages, in units of the tolerance."""
    layer, x = trial.layer, trial.x
    f = np.asarray(layer.forward(x))
    delta = rng.standard_normal(f.shape).astype(x.dtype)
    ours = {"f": f, "dx": layer.backward(delta)}
    parameters: Tensors = {}
    if isinstance(layer, e.Parametric):
        ours |= layer.messages
        for name, value in layer.parameters.items():
            parameters[name] = torch.tensor(value, requires_grad=True)
    there = torch.tensor(x, requires_grad=True)
    output = trial.theirs(there, parameters)
    output.backward(torch.tensor(delta))
    theirs = {"f": output.detach(), "dx": there.grad}
    theirs |= {name: tensor.grad for name, tensor in parameters.items()}
    assert ours.keys() == theirs.keys()
    return max(distance(ours[name], theirs[name].numpy()) for name in ours)


def distance(ours: Array, theirs: Array) -> float:
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return np.inf
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    finite = np.isfinite(theirs)
    largest = np.abs(theirs[finite]).max(initial=1.0)
    with np.errstate(invalid="ignore"):
        off = np.where(same, 0, np.abs(ours - theirs))
    off = np.where(np.isnan(off), np.inf, off)
    return float(off.max(initial=0.0)) / float(largest) / TOLERANCE[ours.dtype.name]


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    rng = np.random.default_rng(0)
    torch.set_num_threads(1)
    most = dict.fromkeys((kind.__name__ for kind in KINDS), 0.0)
    short = 0
    for n in range(count):
        kind = KINDS[n % len(KINDS)]
        dtype = np.dtype("float32" if rng.random() < 0.5 else "float64")
        off = worst(kind(Draw(rng, dtype)), rng)
        most[kind.__name__] = max(most[kind.__name__], off)
        if off > 1:
            short += 1
            print(f"setting {n}: {kind.__name__} {dtype} is off by {off:.3g} tolerances")
    for n, (name, off) in enumerate(most.items()):
        tried = len(range(n, count, len(KINDS)))
        print(f"{name:22}{tried:6} settings   at most {off:8.2g} tolerances   {_ok(off <= 1)}")
    print(f"{count} settings, {short} off, PyTorch {torch.__version__}")
    return 1 if short else 0


def _ok(ok: bool) -> str:
    return "ok" if ok else "short"


if __name__ == "__main__":
    sys.exit(main())
