"""A near miss says which entries are off, and on how many inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.checking import check
from engine.exercise import exercise_for
from engine.grading import Entries, nearness

POOL = {"layer": "max-pool"}
RIGHT = "sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l)"


@pytest.mark.parametrize(
    ("keys", "answer", "near"),
    [
        ({"layer": "softmax", "find": "J"}, "dy[k]/dx[j] = -y[k]*y[j]", "only the diagonal"),
        (
            {"layer": "softmax", "find": "J"},
            "dy[k]/dx[j] = y[k]*([k==j]+y[j]) - 2*[k==j]*y[k]^2",
            "only what is off the diagonal",
        ),
        (
            {"layer": "linear"},
            "dL/dx[j] = sum(delta[k]*W[k,j] for k) * (2 if j == 0 else 1)",
            "only the first j",
        ),
        ({"layer": "relu"}, "dL/dx[k] = delta[k]", "only where x[k] < 0, on "),
        ({"layer": "linear"}, "dL/dx[j] = 2 * sum(delta[k]*W[k,j] for k)", None),
        (POOL, f"{RIGHT} + [i == 0]", "only the first i"),
        (POOL, f"{RIGHT} + [i == 0 or j == 0 or i == H-1 or j == W-1]", "only the border"),
        (POOL, "delta[k,l] * [(i,j) == argmax(k,l)]", "only inputs of several windows, on "),
        (POOL, "df_kl/dx_ij = [x[i,j] == f[k,l]]", "only inputs outside the window, on "),
    ],
)
def test_a_near_miss_says_where(keys: dict[str, Any], answer: str, near: str | None) -> None:
    exercise = exercise_for(keys, [], "derivation")
    assert exercise is not None
    found = check(answer, exercise).near
    assert found is None if near is None else (found or "").startswith(near), found


def entries(*off: tuple[int, ...], rows: int = 40, shape: tuple[int, ...] = (2, 3)) -> Entries:
    mask = np.zeros((rows, *shape), dtype=np.bool_)
    for at in off:
        mask[at] = True
    return Entries(mask, np.ones_like(mask), ("i", "j")[: len(shape)])


def test_where_nothing_is_said_of_places_entries_are_counted() -> None:
    found = nearness([entries((0, 0, 1), (1, 1, 2), (2, 0, 0))])
    assert found == "1 of 6 entries, on 3 of 40 inputs"
    assert nearness([entries()]) is None


def test_a_region_is_named_only_where_enough_lies_outside_of_it() -> None:
    few = entries((0, 0, 0), (1, 0, 0), rows=2)
    assert nearness([few]) == "1 of 6 entries"
    many = entries(*((n, 0, 0) for n in range(40)))
    assert nearness([many]) == "only the diagonal"
