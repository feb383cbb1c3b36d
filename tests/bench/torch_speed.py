"""Max pooling beside PyTorch's, in one run: each round times both and a copy, one after the other.

PyTorch is called below its autograd (`aten`), which is its fastest way.  What takes little time is
called several times in a round.  Before ours there is a pause, because PyTorch's idle threads
spin for a while on the cores that ours would use, and then a call that is not timed.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator

import torch

from engine.checking import check
from engine.pooling.inputs import GENERAL, batches
from engine.registry import exercise_for
from tests.bench.figures import Figure, median_ms
from tests.bench.pooling import Row

ROUNDS = 7
ROUND_S = 0.02
PAUSE_S = 0.02


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

    calls = [(work, _calls(work)) for work in (theirs, ours, copy)]
    rounds = [[_seconds(work, count) for work, count in calls] for _ in range(ROUNDS)]
    return (
        statistics.median(peer / own for peer, own, _ in rounds),
        statistics.median(own / floor for _, own, floor in rounds),
    )


def _calls(work: Callable[[], object]) -> int:
    """How many calls fill a round."""
    work()
    return max(1, int(ROUND_S / _seconds(work, 1)))


def _seconds(work: Callable[[], object], calls: int) -> float:
    """The time of one of so many calls."""
    time.sleep(PAUSE_S)
    work()
    start = time.perf_counter()
    for _ in range(calls):
        work()
    return (time.perf_counter() - start) / calls


def _gradcheck_ratio() -> float:
    """The time of torch.autograd.gradcheck on 300 of our inputs, over that of one check."""
    exercise = exercise_for(None, ("max-pooling", "backpropagation"), "derivation")
    assert exercise is not None
    answer = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if (i,j) in Omega(k,l))"
    # Neither time is of drawing the inputs: check keeps those of a seed, as while one types.
    ours = median_ms(lambda: check(answer, exercise, seed=0, trials=300))
    start = time.perf_counter()
    for batch in batches(GENERAL, seed=0, trials=300):
        pool = torch.nn.MaxPool2d(batch.kernel, batch.stride, batch.padding)
        for x in batch.x:
            given = torch.tensor(x[None, None], requires_grad=True)
            # At a tie central differences are wrong; the time is what counts here.
            torch.autograd.gradcheck(pool, (given,), raise_exception=False)
    return (time.perf_counter() - start) * 1000 / ours
