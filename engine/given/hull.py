"""Is a point a convex combination of others?  Decides which subgradients are right at a kink."""

from __future__ import annotations

import numpy as np

from engine.formula.axes import Array


def contains(corners: Array, point: Array, slack: float) -> bool:
    """Whether `point` (P,) lies within a few `slack` of the convex hull of `corners` (N, P).

    Non-negative least squares by active sets (Lawson and Hanson, "Solving Least Squares
    Problems", 1974, chapter 23); that the weights sum to 1 is one more equation.
    """
    if not np.isfinite(point).all():
        return False
    if (np.abs(corners - point).max(axis=1, initial=0.0) <= slack).any():
        return True
    # Around the middle and of size 1, so that tiny and huge slopes are decided alike.
    middle = corners.mean(axis=0)
    size = float(np.abs(corners - middle).max(initial=0.0))
    if size == 0:
        return False
    unit, aim = (corners - middle) / size, (point - middle) / size
    system = np.vstack([unit.T, np.ones(len(corners))])
    weights = _nonnegative(system, np.append(aim, 1.0))
    total = weights.sum()
    if total <= 0:
        return False
    far = np.abs((weights / total) @ corners - point).max(initial=0.0)
    # Between corners a slack apart the search stops a slack early.
    return bool(far <= 4 * slack)


def _nonnegative(system: Array, right: Array) -> Array:
    """The weights >= 0 that bring system @ weights nearest to `right`."""
    count = system.shape[1]
    free = np.zeros(count, dtype=np.bool_)
    weights = np.zeros(count)
    small = 1e-14
    for _ in range(3 * count):
        pull = system.T @ (right - system @ weights)
        pull[free] = -np.inf
        if free.all() or pull.max() <= small:
            break
        free[pull.argmax()] = True
        weights = _stepped(system, right, weights, free)
    return weights


def _stepped(system: Array, right: Array, weights: Array, free: Array) -> Array:
    """Solve for the free weights; those that would turn negative are set to 0 and held."""
    while True:
        best = np.zeros_like(weights)
        best[free] = np.linalg.lstsq(system[:, free], right, rcond=None)[0]
        negative = free & (best <= 0)
        if not negative.any():
            return best
        gap = weights[negative] - best[negative]
        steps = np.where(gap > 0, weights[negative] / np.where(gap > 0, gap, 1.0), 0.0)
        weights = weights + steps.min() * (best - weights)
        free &= weights > 1e-15
        weights = np.where(free, weights, 0.0)
        if not free.any():
            return weights
