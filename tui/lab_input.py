"""Inputs of the lab as plain data for the screen, and what an answer makes of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine import Exercise
    from engine.pooling_exercise import PoolingExercise
    from engine.verdict import Numbers
    from tui.lab_answer import Rule

Rows = list[list[float]]
Cell = tuple[int, int]
Pair = tuple[int, int]

#: Kinds of values that can be asked for, as the screen names them; "any" is the check's mixture.
VALUES = ("any", "distinct", "repeats", "negative", "gaussian", "constant")

#: Kinds that the check tries and that no one can read; and how often another is drawn for them.
_UNREADABLE = ("gaps", "large")
_DRAWN = 20


@dataclass(frozen=True, slots=True)
class Window:
    """A pooling window of equal sides, as the sliders set it."""

    kernel: int
    stride: int
    padding: int


@dataclass(frozen=True, slots=True)
class Look:
    """Which input is shown: a random one, or the failing one of a number."""

    seed: int = 1
    window: Window | None = None
    """Of max pooling, where the exercise leaves it free."""
    values: str = "any"
    failing: int | None = None
    """Counts the inputs on which the answer failed, round and round; None for a random input."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One input with the engine's message and the answer's."""

    named: str
    """Which input it is: "input 3", "failing input 2 of 80"."""
    inputs: dict[str, Numbers]
    """x and delta, or whatever the forward message takes, and what it comes to."""
    target: str
    """dx, df/dx, dL/dW[k,j]: what `right` and `yours` are."""
    right: Numbers
    yours: Numbers | None = None
    off: tuple[tuple[int, ...], ...] = ()
    """Where `yours` is not a right value."""
    pooling: Pooling | None = None


@dataclass(frozen=True, slots=True)
class Pooling:
    """The windows of a max pooling's input."""

    kernel: Pair
    stride: Pair
    padding: Pair
    maxima: dict[Cell, Cell] = field(default_factory=dict)
    """The (i, j) of the first maximum of each window (k, l), in the windows' order."""


def picture(exercise: Exercise, look: Look, rule: Rule | None) -> Picture:
    """The input asked for, with `rule` tried on it.  Raises what the rule raises."""
    from engine.pooling_exercise import PoolingExercise

    grader = exercise.grader()
    found, named = None, f"input {look.seed}"
    if look.failing is not None and rule is not None:
        found, named = _failing(grader, rule, look.failing)
    if found is None:
        if isinstance(exercise, PoolingExercise):
            found = drawn(exercise, look)
        else:
            from tui.lab_given import drawn as drawn_given

            found = drawn_given(exercise, look)
        named = f"input {look.seed}"
    target = rule.target if rule else next(iter(grader.handed(found).targets))
    return _shown(exercise, found, target, rule, named)


def _failing(grader: Any, rule: Rule, number: int) -> tuple[Any, str]:
    """The failing input of a number, plainest first; None where none fails."""
    import numpy as np

    from tui.lab_plain import oddness

    places = []
    for batch in grader.drawn(0, 300):
        judged = grader.judged(batch, rule.target, rule.run(batch))
        # Those at a tie come last: there the answer is nearly right.
        bad = np.flatnonzero(~judged.valid)
        odd = oddness(batch)
        places += [(not judged.astray[n], float(odd[n]), batch, int(n)) for n in bad]
    if not places:
        return None, ""
    places.sort(key=lambda place: place[:2])
    at = number % len(places)
    *_, batch, row = places[at]
    return one_of(batch, row), f"failing input {at + 1} of {len(places)}"


def one_of(batch: Any, row: int) -> Any:
    """A batch of one of its inputs."""
    from dataclasses import replace

    from engine.trials import Batch

    here = slice(row, row + 1)
    if isinstance(batch, Batch):
        return replace(batch, x=batch.x[here], delta=batch.delta[here], kinds=batch.kinds[here])
    from tui.lab_given import rows_of

    return rows_of(batch, here)


def drawn(exercise: PoolingExercise, look: Look) -> Any:
    """One input of the windows asked for."""
    from dataclasses import replace

    import numpy as np

    from engine import trials

    geometry = geometry_of(exercise, look)
    rng = np.random.default_rng([look.seed, *geometry.kernel, *geometry.stride])
    for _ in range(_DRAWN):
        batch = trials.draw(geometry, rng, 1)
        if batch.delta.all() and batch.kinds[0] not in _UNREADABLE:
            break
    if look.values in trials.KINDS:
        fill = trials.KINDS[look.values][1]
        batch = replace(batch, x=fill(rng, (1, *geometry.size)), kinds=(look.values,))
    return batch


def geometry_of(exercise: PoolingExercise, look: Look) -> Any:
    """The exercise's own windows, else two by two of those that the sliders say."""
    from engine import geometries
    from engine.geometries import Geometry

    if exercise.kernel is not None or look.window is None:
        return geometries.tried(exercise)[0]
    k, s, p = look.window.kernel, look.window.stride, look.window.padding
    side = max(1, s + k - 2 * p)
    return Geometry((k, k), (s, s), (p, p), (side, side))


def _shown(exercise: Exercise, batch: Any, target: Any, rule: Rule | None, named: str) -> Picture:
    import numpy as np

    from engine.trials import Batch

    grader: Any = exercise.grader()
    got = rule.run(batch) if rule else np.zeros((1, *grader.handed(batch).targets[target]))
    with np.errstate(all="ignore"):
        judged = grader.judged(batch, target, got)
        right = judged.expected
        differs = judged.differs[0]
    wrong = differs & (rule is not None and not judged.valid[0])
    off = tuple(tuple(int(n) for n in place) for place in np.argwhere(wrong))
    # What rounding alone sets apart is shown as the same number.
    yours: Any = np.where(differs, got[0], right[0]).tolist() if rule else None
    if isinstance(batch, Batch):
        maxima = {
            (k, l): (int(i), int(j))
            for k, row in enumerate(batch.layer.argmax(batch.x)[0])
            for l, (i, j) in enumerate(row)  # noqa: E741
        }
        arrays = {"x": batch.x[0].tolist(), "δ": batch.delta[0].tolist()}
        windows = Pooling(batch.kernel, batch.stride, batch.padding, maxima)
        named_target = "dx" if target == "dx" else "df/dx"
        return Picture(named, arrays, named_target, right[0].tolist(), yours, off, windows)
    from tui.lab_given import arrays_of

    loss = grader.task.words.loss or "L"
    written = target.target.written(loss=loss)
    return Picture(named, arrays_of(batch, target), written, right[0].tolist(), yours, off)
