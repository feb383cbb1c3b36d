"""`python -m tests.bench.torch_pooling [COUNT]`: max pooling as PyTorch has it, on random settings.

One to three axes, any kernel, stride, padding and dilation, ceil mode; values full of ties, with
NaN and infinities.  Forward, indices and backward must be equal, not nearly so.  Needs PyTorch
(`pip install -e .[bench]`, its CPU build will do).

Where a window's cells step over the input altogether, PyTorch returns an index that need not be in
the input, and its backward writes there: of such settings forward and indices alone are compared.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import torch

import engine
from engine.pooling.windows import PoolingWindows

POOLS = {1: torch.nn.functional.max_pool1d, 2: torch.nn.functional.max_pool2d}
POOLS[3] = torch.nn.functional.max_pool3d
VALUES = (
    (-2.0, -1.0, 0.0, 1.0),
    (-np.inf, np.inf, np.nan, 0.0, 1.0),
    (-np.inf, -np.inf, -np.inf, 1.0),
)
Setting = dict[str, Any]


def drawn(rng: np.random.Generator) -> tuple[np.ndarray, Setting]:
    """Draw an input of six planes and the arguments of a pooling, possible or not."""
    dims = int(rng.choice([1, 2, 2, 2, 3]))

    def numbers(least: int, most: int) -> tuple[int, ...]:
        return tuple(int(n) for n in rng.integers(least, most + 1, dims))

    kernel = numbers(1, 4)
    setting = {
        "kernel": kernel,
        "stride": numbers(1, 4),
        "padding": tuple(int(rng.integers(0, k // 2 + 1)) for k in kernel),
        "dilation": numbers(1, 3) if rng.random() < 0.5 else (1,) * dims,
        "ceil_mode": bool(rng.random() < 0.5),
    }
    shape = (2, 3, *numbers(1, 11 if dims < 3 else 6))
    kind = int(rng.integers(len(VALUES) + 1))
    x = rng.choice(VALUES[kind], shape) if kind < len(VALUES) else rng.standard_normal(shape)
    return x.astype(rng.choice(["float32", "float64"])), setting


def agrees(x: np.ndarray, setting: Setting, rng: np.random.Generator) -> bool | None:
    """Whether all three are equal; None for a setting that is refused."""
    try:
        f, indices = engine.max_pool(x, **setting, return_indices=True)
    except ValueError:
        return None
    there = torch.from_numpy(x).requires_grad_()
    output, places = POOLS[len(setting["kernel"])](there, *setting.values(), return_indices=True)
    delta = (rng.integers(-9, 10, f.shape) / 4).astype(x.dtype)
    ahead = np.array_equal(f, output.detach().numpy(), equal_nan=True)
    ahead = ahead and np.array_equal(indices, places.numpy())
    if PoolingWindows.of(**setting).over(x.shape[2:]).hollow is not None:
        return ahead
    output.backward(torch.from_numpy(delta))
    dx = engine.max_pool_backward(x, delta, **setting)
    known = engine.max_pool_backward(x, delta, **setting, indices=indices)
    return ahead and np.array_equal(dx, there.grad.numpy()) and np.array_equal(known, dx)


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    rng = np.random.default_rng(0)
    torch.set_num_threads(1)
    tried = refused = 0
    while tried < count:
        x, setting = drawn(rng)
        equal = agrees(x, setting, rng)
        refused += equal is None
        tried += equal is not None
        if equal is False:
            print(f"differs: {setting} on {x.shape} {x.dtype}")
            return 1
    print(f"{tried} settings equal PyTorch's; {refused} impossible ones refused and drawn anew")
    return 0


if __name__ == "__main__":
    sys.exit(main())
