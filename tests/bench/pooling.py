"""Max pooling: how long, how much memory, and, where PyTorch is installed, how much faster.

All times are of allocating calls,
MaxPool.forward and MaxPool.backward, and medians.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from engine.pooling.layer import POLICIES, MaxPool, Ties, max_pool, max_pool_backward
from tests.bench.figures import Figure, MissingError, median_ms

#: One frame of a 60 Hz screen.
FRAME_MS = 1000 / 60


@dataclass(frozen=True, slots=True)
class Row:
    """One shape of planes and one pooling of it."""

    shape: tuple[int, ...]
    kernel: int
    stride: int
    padding: int = 0

    def __str__(self) -> str:
        padded = f" pad {self.padding}" if self.padding else ""
        shape = "x".join(str(n) for n in self.shape)
        return f"{shape} {self.kernel}x{self.kernel}/{self.stride}{padded}"

    @property
    def windows(self) -> tuple[int, int, int]:
        return self.kernel, self.stride, self.padding

    def layer(self, threads: int = 1, ties: Ties = "first") -> MaxPool:
        return MaxPool(self.kernel, self.stride, self.padding, ties, threads=threads)

    def given(self, dtype: str) -> tuple[np.ndarray, np.ndarray]:
        """Return a random x and a delta of its output's shape."""
        rng = np.random.default_rng(0)
        x = rng.standard_normal(self.shape).astype(dtype)
        return x, rng.standard_normal(self.layer().forward(x).shape).astype(dtype)


SMALL = (Row((10_000, 6, 6), 2, 2), Row((10_000, 6, 6), 3, 1), Row((10_000, 6, 6), 3, 2))
LARGE = (
    Row((32, 64, 56, 56), 2, 2),
    Row((32, 64, 56, 56), 3, 2, 1),
    Row((32, 64, 28, 28), 3, 1),
)


def figures() -> Iterator[Figure]:
    for row in SMALL:
        layer, (x, delta) = row.layer(), row.given("float64")
        time = median_ms(lambda layer=layer, x=x, d=delta: _both(layer, x, d))  # type: ignore[misc]
        yield Figure(f"pool {row}, forward + backward", time, FRAME_MS, "ms")
    every = [(row, dtype) for row in SMALL + LARGE for dtype in ("float32", "float64")]
    for ties in POLICIES:
        peaks = [_peak(row, dtype, ties) for row, dtype in every]
        yield Figure(f"pool, {ties}, most memory over the input's bytes", max(peaks), 3, "x")
    over = max(_indices_peak(row, dtype) for row, dtype in every)
    yield Figure("pool, beside f and indices, over the input's bytes", over, 1, "x")
    least = min(_known_ratio(row, dtype) for row, dtype in every)
    yield Figure("pool backward without indices / with", least, 1, "x", False)
    if find_spec("torch") is None:
        raise MissingError(
            "PyTorch is not installed (pip install -e .[bench]), so nothing is beside it."
        )
    from tests.bench import torch_speed

    yield from torch_speed.figures(SMALL + LARGE)


def _both(layer: MaxPool, x: np.ndarray, delta: np.ndarray) -> None:
    layer.forward(x)
    layer.backward(delta)


def _peak(row: Row, dtype: str, ties: Ties) -> float:
    """The most memory that forward and backward hold at once, f and dx included, over x's."""
    layer, (x, delta) = row.layer(ties=ties), row.given(dtype)
    return _most(lambda: (layer.forward(x), layer.backward(delta))) / x.nbytes


def _indices_peak(row: Row, dtype: str) -> float:
    """The most memory that max_pool holds beside f and the indices it returns, over x's."""
    x, delta = row.given(dtype)
    most = _most(lambda: max_pool(x, *row.windows, return_indices=True))
    return (most - delta.nbytes - 8 * delta.size) / x.nbytes


def _known_ratio(row: Row, dtype: str) -> float:
    """How many times the time with indices max_pool_backward takes without them."""
    x, delta = row.given(dtype)
    _, indices = max_pool(x, *row.windows, return_indices=True)
    without = median_ms(lambda: max_pool_backward(x, delta, *row.windows))
    return without / median_ms(lambda: max_pool_backward(x, delta, *row.windows, indices=indices))


def _most(work: Callable[[], object]) -> int:
    """The most bytes held at once, those of the result included."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
