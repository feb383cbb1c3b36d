"""One random input of the lab with its windows and messages, as plain data for the screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.widgets.grids import Cell

if TYPE_CHECKING:
    from engine.pooling_exercise import PoolingExercise
    from engine.trials import Batch

Numbers = list[list[float]]


@dataclass(frozen=True, slots=True)
class Picture:
    """What the engine makes of one input, and what the learner's formula makes of it."""

    kernel: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[int, int]
    seed: int
    x: Numbers
    delta: Numbers
    dx: Numbers
    maxima: dict[Cell, Cell]
    """The (i, j) of the first maximum of each window (k, l), in the windows' order."""
    yours: Numbers | None = None
    """The learner's dx, where the answer is one and can be read."""
    yours_valid: bool = True
    """Whether `yours` is a right message: at a tie it need not be the engine's."""
    yours_of: dict[Cell, Numbers] | None = None
    """The learner's row df[k,l]/dx for each window, where the answer is a Jacobian."""


def draw(exercise: PoolingExercise, geometry: int, seed: int, answer: str) -> Picture:
    """One input of an exercise, with `answer` tried on it.

    `geometry` counts the exercise's geometries, round and round; the same numbers give the same
    input.
    """
    import numpy as np

    from engine import geometries, trials

    places = geometries.tried(exercise)
    rng = np.random.default_rng([seed, geometry])
    batch = trials.draw(places[geometry % len(places)], rng, 1)
    yours, yours_of = _tried(answer, batch)
    right = yours is None or batch.layer.valid(batch.x, dx=[yours], delta=batch.delta).all()
    return Picture(
        kernel=batch.kernel,
        stride=batch.stride,
        padding=batch.padding,
        seed=seed,
        x=batch.x[0].tolist(),
        delta=batch.delta[0].tolist(),
        dx=batch.layer.backward(batch.delta)[0].tolist(),
        maxima={
            (k, l): (int(i), int(j))
            for k, row in enumerate(batch.layer.argmax(batch.x)[0])
            for l, (i, j) in enumerate(row)  # noqa: E741
        },
        yours=yours,
        yours_valid=bool(right),
        yours_of=yours_of,
    )


def _tried(answer: str, batch: Batch) -> tuple[Numbers | None, dict[Cell, Numbers] | None]:
    from engine import formula

    try:
        read = formula.read(answer)
        found = formula.evaluate(read, batch)
    except formula.FormulaError:
        return None, None
    if found.ndim == 3:
        return found[0].tolist(), None
    rows = found[0]
    return None, {
        (k, l): row.tolist()
        for k, band in enumerate(rows)
        for l, row in enumerate(band)  # noqa: E741
    }
