"""Max pooling beside PyTorch's, in one run: each round times both and a copy, one after the other.

PyTorch is called below its autograd (`aten`), which is its fastest way.  Between rounds there is a
pause, because its idle threads spin for a while on the cores that ours would use.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator

import torch

from engine import check, exercise_for
from engine.geometries import GENERAL
from engine.trials import batches
from tests.bench.figures import Figure, median_ms
from tests.bench.pooling import Row

ROUNDS = 9
PAUSE_S = 0.01


def figures(rows: tuple[Row, ...]) -> Iterator[Figure]:
    for threads in (1, 2):
        torch.set_num_threads(threads)
        for dtype in ("float32", "float64"):
            for row in rows:
                theirs, copies = _ratios(row, dtype, threads)
                name = f"{row} {dtype}, {threads} thr, {copies:.1f} copies"
                yield Figure(name, theirs, 2, "x", False)
    torch.set_num_threads(1)
    yield Figure("300 hard trials / gradcheck of as many", _gradcheck_ratio(), 100, "x", False)


def _ratios(row: Row, dtype: str, threads: int) -> tuple[float, float]:
    """How many times our time PyTorch takes, and how many times a copy's time we take.

    The copy moves the bytes that forward and backward must: x, f, delta and dx.
    """
    layer, (x, delta) = row.layer(threads), row.given(dtype)
    planes = torch.from_numpy(x if x.ndim == 4 else x[:, None])
    upstream = torch.from_numpy(delta if x.ndim == 4 else delta[:, None])
    pooling = ([row.kernel] * 2, [row.stride] * 2, [row.padding] * 2, [1, 1], False)

    def ours() -> None:
        layer.forward(x)
        layer.backward(delta)

    def theirs() -> None:
        _, indices = torch.ops.aten.max_pool2d_with_indices(planes, *pooling)
        torch.ops.aten.max_pool2d_with_indices_backward(upstream, planes, *pooling, indices)

    def copy() -> None:
        x.copy()
        delta.copy()

    rounds = [[_seconds(work) for work in (theirs, ours, copy)] for _ in range(ROUNDS + 1)][1:]
    return (
        statistics.median(peer / own for peer, own, _ in rounds),
        statistics.median(own / floor for _, own, floor in rounds),
    )


def _seconds(work: Callable[[], object]) -> float:
    time.sleep(PAUSE_S)
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _gradcheck_ratio() -> float:
    """The time of torch.autograd.gradcheck on 300 of our inputs, over that of one check."""
    exercise = exercise_for(None, ("max-pooling", "backpropagation"), "derivation")
    assert exercise is not None
    answer = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if (i,j) in Omega(k,l))"
    seeds = iter(range(1, 100))  # the inputs of a seed are kept: each check has its own
    ours = median_ms(lambda: check(answer, exercise, next(seeds), trials=300), runs=9)
    start = time.perf_counter()
    for batch in batches(GENERAL, seed=0, trials=300):
        pool = torch.nn.MaxPool2d(batch.kernel, batch.stride, batch.padding)
        for x in batch.x:
            given = torch.tensor(x[None, None], requires_grad=True)
            # At a tie central differences are wrong; the time is what counts here.
            torch.autograd.gradcheck(pool, (given,), raise_exception=False)
    return (time.perf_counter() - start) * 1000 / ours
