"""The smallest input on which an answer fails: geometries from small to large, then values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import product
from typing import Final

import numpy as np

from engine import geometries
from engine.geometries import Geometry
from engine.grader import Search
from engine.judge import Judged
from engine.pooling_exercise import PoolingExercise
from engine.trials import Batch
from engine.verdict import Counterexample, Grid
from engine.windows import Array, Mask

#: Values from plain to odd; the last two are runners-up to 1 that "near-equal" takes for it.
VALUES: Final = (0.0, 1.0, -1.0, 2.0, 1.0 - 1e-9, 1.0 - 1e-12)
_PLAIN: Final = 4
#: At most so many inputs of a geometry are listed; of larger ones so many are drawn.
_LISTED: Final = 256

_TIE_NOTE: Final = (
    "At a tie, any weights of the tied inputs that are at least 0 and sum to 1 are right: "
    "the expected values are one choice."
)

_UNDEFINED = (
    "At ({},{}) the answer has no value: it asks for a window or a place that does not exist, or "
    "divides 0 by 0."
)

Fails = Callable[[Judged], Mask]


def smallest(
    exercise: PoolingExercise,
    judge: Callable[[Batch], Judged],
    fails: Fails,
    seen: Iterable[Judged],
) -> Search[Judged]:
    """Look for the smallest counterexample.

    `judge` gives the answer's numbers on a batch, `fails` says which of its inputs (B,) count.
    Where no small input fails, the smallest of those `seen` that fails is taken.
    """
    tried: list[Judged] = []
    for one in _small(exercise, judge):
        tried.append(one)
        bad = np.flatnonzero(fails(one))
        if bad.size:
            return Search(_shown(one, int(bad[0])), tuple(tried))
    failing = [(one, np.flatnonzero(fails(one))) for one in seen]
    failing = [(one, bad) for one, bad in failing if bad.size]
    if not failing:
        return Search(None, tuple(tried))
    one, bad = min(failing, key=lambda pair: pair[0].x[0].size)
    worst = int(min(bad, key=lambda n: np.abs(one.x[n]).max()))
    return Search(_shown(one, worst), tuple(tried))


def _small(exercise: PoolingExercise, judge: Callable[[Batch], Judged]) -> Iterator[Judged]:
    for geometry in geometries.smallest(exercise):
        yield judge(_listed(geometry))


@lru_cache(maxsize=64)
def _listed(geometry: Geometry) -> Batch:
    """Inputs of one geometry from plain to odd, each with two upstream messages."""
    x = _values(geometry.size)
    windows = geometry.windows
    count = windows[0] * windows[1]
    # Powers of ten can be told apart in any sum of them; the others show a sign, and a plain 1.
    plain = 10.0 ** np.arange(count)
    signed = np.where(np.arange(count) % 2, -1.0, 1.0) * np.arange(2, count + 2)
    delta = np.stack([plain, signed]).reshape(2, *windows)
    return Batch(
        kernel=geometry.kernel,
        stride=geometry.stride,
        padding=geometry.padding,
        x=np.concatenate([x, x]),
        delta=np.repeat(delta, len(x), axis=0),
        kinds=("small",) * (2 * len(x)),
    )


def _values(size: tuple[int, int]) -> Array:
    cells = size[0] * size[1]
    if _PLAIN**cells <= _LISTED:
        some = len(VALUES) if len(VALUES) ** cells <= _LISTED else _PLAIN
        picks = np.array(list(product(range(some), repeat=cells)))
    else:
        picks = np.random.default_rng(cells).integers(0, _PLAIN, (_LISTED, cells))
    # Stable: among equally plain inputs the first listed stays first.
    plainest = np.argsort((picks**2).sum(axis=1), kind="stable")
    ranks = np.arange(1.0, cells + 1).reshape(1, *size)
    x: Array = np.array(VALUES)[picks[plainest]].reshape(-1, *size)
    return np.concatenate([x, ranks, -ranks])


def _shown(one: Judged, n: int) -> Counterexample:
    batch = one.batch
    off = one.off[n] if one.off[n].any() else one.differs[n]
    got, expected, contested = one.got[n], one.expected[n], one.contested[n]
    window: tuple[int, int] | None = None
    if one.target == "J":
        worst = np.unravel_index(int(off.sum(axis=(2, 3)).argmax()), off.shape[:2])
        window = (int(worst[0]), int(worst[1]))
        off, got, expected, contested = (a[window] for a in (off, got, expected, contested))
    cells = _most_telling(off, np.abs(got - expected))
    undefined = [cell for cell in cells if np.isnan(got[cell])]
    notes = [_UNDEFINED.format(*undefined[0])] if undefined else []
    notes += [_TIE_NOTE] if contested.any() else []
    return Counterexample(
        kernel=batch.kernel,
        stride=batch.stride,
        padding=batch.padding,
        target=one.target,
        x=_grid(batch.x[n]),
        delta=_grid(batch.delta[n]) if one.target == "dx" else None,
        yours=_grid(got),
        expected=_grid(expected),
        cells=cells,
        window=window,
        note=" ".join(notes),
    )


def _most_telling(off: Mask, distance: Array) -> list[tuple[int, int]]:
    """The cells that are off, the farthest first; what is no number is farthest of all."""
    far = np.where(np.isnan(distance), np.inf, distance)
    cells = [(int(i), int(j)) for i, j in np.argwhere(off)]
    return sorted(cells, key=lambda cell: (-far[cell], cell))


def _grid(values: Array) -> Grid:
    rows: Grid = (values + 0.0).tolist()  # + 0.0 makes a plain zero of -0.0
    return rows
