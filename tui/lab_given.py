"""Inputs of a card's own forward message, drawn for the lab."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine import Exercise
    from engine.verdict import Numbers
    from tui.lab_input import Look

#: So many are drawn, for the one that is shortest to read.
_DRAWN = 8


def drawn(exercise: Exercise, look: Look) -> Any:
    """One input of the card's own sizes, of short numbers where there is such a one."""
    import numpy as np

    batch = exercise.grader().drawn(look.seed, 2 * _DRAWN)[0]

    def digits(row: int) -> int:
        values = [value[row].ravel() for value in batch.inputs.values()]
        return sum(len(f"{v:.9g}") for value in values for v in np.asarray(value))

    row = min(range(len(batch)), key=digits)
    return rows_of(batch, slice(row, row + 1))


def rows_of(batch: Any, here: slice) -> Any:
    """A batch of some of its inputs."""
    from engine.given.batch import Batch

    inputs = {name: value[here] for name, value in batch.inputs.items()}
    delta = None if batch.delta is None else batch.delta[here]
    return Batch(batch.model, batch.length, batch.grown, inputs, delta)


def arrays_of(batch: Any, asked: Any) -> dict[str, Numbers]:
    """Inputs and definitions by name, with the message from above where it is used."""
    constants = batch.length.numbers
    found: dict[str, Numbers] = {name: plain(value[0]) for name, value in batch.inputs.items()}
    for definition in batch.model.forward.arrays:
        name = definition.names[0]
        if name not in constants:
            found[name] = plain(batch.values[name][0])
    if asked.target.upstream:
        found["δ"] = plain(batch.values["delta"][0])
    return found


def plain(values: Any) -> Numbers:
    import numpy as np

    # + 0.0 makes a plain zero of -0.0.
    numbers: Numbers = (np.asarray(values, dtype=np.float64) + 0.0).tolist()
    return numbers
