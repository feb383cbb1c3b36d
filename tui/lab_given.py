"""Inputs of a card's own forward message, drawn for the lab."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tui.lab_plain import plain_values

if TYPE_CHECKING:
    from engine import Exercise
    from engine.verdict import Numbers
    from tui.lab_input import Look

#: So many are drawn, for one of whose message something can be said.
_DRAWN = 8


def drawn(exercise: Exercise, look: Look) -> Any:
    """One input of the card's own sizes: of short numbers, or of the kind that is asked for."""
    import numpy as np

    from engine.given import drawing
    from engine.given.exercise import GivenExercise

    assert isinstance(exercise, GivenExercise)
    task = exercise.task
    model, output = task.model, task.words.output
    rng = np.random.default_rng(look.seed)
    for _ in range(_DRAWN):
        kind = None if look.values == "any" else look.values
        batch = drawing.draw(model, output, rng, 1, {}, kind)
        if look.values == "any":
            batch = _plainly(batch, rng)
        if _tells(exercise, batch):
            break
    return batch


def _plainly(batch: Any, rng: Any) -> Any:
    """The same with short numbers, wherever any number may stand."""
    from engine.given.batch import Batch

    kinds, gentle = batch.model.kinds, batch.model.gentle
    short = {
        name: plain_values(rng, value.shape[1:], gentle)
        for name, value in batch.inputs.items()
        if kinds[name] == "real"
    }
    return Batch(batch.model, batch.length, batch.grown, {**batch.inputs, **short}, batch.delta)


def _tells(exercise: Exercise, batch: Any) -> bool:
    """Whether no message from above is 0, and what is asked for is known and not all 0."""
    import numpy as np

    grader: Any = exercise.grader()
    if batch.delta is not None and not batch.delta.all():
        return False
    asked, shape = next(iter(grader.handed(batch).targets.items()))
    with np.errstate(all="ignore"):
        judged = grader.judged(batch, asked, np.zeros((1, *shape)))
    steep = judged.contested.any() or judged.left_out_mask.any()
    right = judged.expected
    return bool(np.isfinite(right).all() and right.any() and not steep)


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
