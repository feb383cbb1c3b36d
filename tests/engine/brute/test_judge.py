"""Laws of the judge by brute force, and that the engine's subgradients are judged alike."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from engine.pooling import windows as subgradient
from tests.engine.brute.inputs import cases
from tests.engine.brute.pooling import Case, in_sum_of_simplices, valid_message


def test_sums_of_two_simplices_are_what_lists_of_weights_reach() -> None:
    simplices = [({0, 1}, 3.0), ({1, 2}, -2.0)]
    steps = [n / 4 for n in range(5)]
    for a, b in product(steps, steps):
        reached = [3 * a, 3 * (1 - a) - 2 * b, -2 * (1 - b)]
        assert in_sum_of_simplices(reached, simplices, 1e-12)
        assert not in_sum_of_simplices([reached[0] + 1, *reached[1:]], simplices, 1e-12)
    assert not in_sum_of_simplices([3.5, -2.5, 0.0], simplices, 1e-12)
    assert not in_sum_of_simplices([3.0, 0.5, -2.5], simplices, 1e-12)


def shared_out(case: Case, rng: random.Random) -> dict[tuple[int, int], float]:
    """A message by random weights over each window's maxima."""
    dx = dict.fromkeys(case.cells, 0.0)
    for window, tied in case.tied.items():
        weights = [rng.choice((0.0, 1.0, 2.0)) for _ in tied]
        weights[rng.randrange(len(tied))] += 1.0
        for at, weight in zip(tied, weights, strict=True):
            dx[at] += case.sent(window) * weight / sum(weights)
    return dx


@pytest.mark.parametrize("seed", range(3))
def test_the_engine_and_brute_force_judge_any_message_alike(seed: int) -> None:
    rng = random.Random(seed)
    for case in cases(seed, 60, None):
        tied = np.zeros((1, len(case.f), len(case.f[0]), len(case.x), len(case.x[0])), dtype=bool)
        for (k, l), places in case.tied.items():  # noqa: E741
            for i, j in places:
                tied[0, k, l, i, j] = True
        dx = shared_out(case, rng)
        assert valid_message(case, dx)
        moved = dict(dx)
        one, other = rng.choice(case.cells), rng.choice(case.cells)
        step = rng.choice((0.0, 0.25, 1.0, -3.0))
        moved[one] += step
        moved[other] -= step
        for message in (dx, moved):
            grid = np.array([list(message.values())]).reshape(1, len(case.x), len(case.x[0]))
            found = subgradient.valid_message(grid, np.array([case.delta]), tied)
            assert bool(found[0]) == valid_message(case, message)
