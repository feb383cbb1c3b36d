"""The smallest input on which an answer fails: geometries from small to large, then values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Final

import numpy as np

from engine import geometries
from engine.grader import Judge, Search
from engine.judge import Judged
from engine.pooling_exercise import PoolingExercise
from engine.small_inputs import few, many
from engine.trials import Batch
from engine.verdict import Counterexample, Grid
from engine.windows import Array, Mask

_TIE_NOTE: Final = (
    "At a tie, any weights of the tied inputs that are at least 0 and sum to 1 are right: "
    "the expected values are one choice."
)

_UNDEFINED = (
    "At ({},{}) the answer has no value: it asks for a window or a place that does not exist, or "
    "divides 0 by 0."
)
#: Free k and l are the one window that holds (i,j), see engine/formula/evaluator.py.
_SEVERAL: Final = (
    "({},{}) lies in {} windows, and the answer does not say which (k,l) it means: it is read as "
    "the one window that holds (i,j). Sum over the windows."
)

Fails = Callable[[Judged], Mask]


def smallest(
    exercise: PoolingExercise,
    judge: Judge[Batch, Judged],
    fails: Fails,
    seen: Iterable[Judged],
) -> Search[Judged]:
    """Look for the smallest counterexample.

    `judge` gives the answer's numbers on a batch, `fails` says which of its inputs (B,) count.
    A few telling inputs of each small geometry come first, then all that are listed.  Where no
    small input fails, the smallest of those `seen` that fails is taken.
    """
    tried: list[Judged] = []
    small = geometries.smallest(exercise)
    for one in judge.each(chain(map(few, small), map(many, small))):
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
    notes = [_undefined(one, n, undefined[0])] if undefined else []
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


def _undefined(one: Judged, n: int, cell: tuple[int, int]) -> str:
    """Why there is no value: where it is missing just at inputs of several windows, these."""
    holding = one.batch.inside.sum(axis=(0, 1))
    if one.target == "dx" and (np.isnan(one.got[n]) == (holding > 1)).all():
        return _SEVERAL.format(*cell, int(holding[cell]))
    return _UNDEFINED.format(*cell)


def _most_telling(off: Mask, distance: Array) -> list[tuple[int, int]]:
    """The cells that are off, the farthest first; what is no number is farthest of all."""
    far = np.where(np.isnan(distance), np.inf, distance)
    cells = [(int(i), int(j)) for i, j in np.argwhere(off)]
    return sorted(cells, key=lambda cell: (-far[cell], cell))


def _grid(values: Array) -> Grid:
    rows: Grid = (values + 0.0).tolist()  # + 0.0 makes a plain zero of -0.0
    return rows
