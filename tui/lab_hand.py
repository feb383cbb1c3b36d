"""Small inputs to be worked out by hand, made from an exercise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tui import cases
from tui.lab_input import Pooling
from tui.lab_sheet import Sheet, Term
from tui.lab_work import Task

if TYPE_CHECKING:
    from engine import Exercise
    from engine.geometries import Geometry
    from engine.pooling_exercise import PoolingExercise

#: Windows of four messages at most: 1, 10, 100, 1000.
_MOST_WINDOWS = 4
_MOST_CELLS = 36
_DRAWN = 20
#: A cell with several terms is worth so many different numbers.
_SEVERAL = 8


@dataclass(frozen=True, slots=True)
class HandAsked:
    task: Task
    seed: int


def sheet(asked: HandAsked) -> Sheet | None:
    """The small input of a number; None where no message of the exercise is in whole numbers."""
    from engine.pooling_exercise import PoolingExercise

    exercise = asked.task.made()
    if isinstance(exercise, PoolingExercise):
        return _pooling(exercise, asked.seed)
    return _given(exercise, asked.seed)


def _pooling(exercise: PoolingExercise, seed: int) -> Sheet:
    import numpy as np

    from engine.maxpool import MaxPool

    places = _geometries(exercise)
    geometry = places[(seed - 1) % len(places)]
    rows, columns = geometry.size
    layer = MaxPool(geometry.kernel, geometry.stride, geometry.padding)
    rng = np.random.default_rng(seed)
    down, across = geometry.windows
    windows = [(k, l) for k in range(down) for l in range(across)]  # noqa: E741
    for _ in range(_DRAWN):
        values = rng.permutation(rows * columns).reshape(1, rows, columns)
        x = values.astype(np.float64) - rows * columns // 3
        layer.forward(x)
        found = layer.argmax(x)[0]
        maxima = {window: (int(found[window][0]), int(found[window][1])) for window in windows}
        # Where windows overlap, some input should have something to add up.
        if not geometry.overlaps or len(set(maxima.values())) < len(windows):
            break
    asked = [windows[seed % len(windows)]] if exercise.find == "J" else windows
    messages = {window: 10**n for n, window in enumerate(asked)}
    expected = np.zeros((rows, columns))
    for window, message in messages.items():
        expected[maxima[window]] += message
    name = "dx" if exercise.find != "J" else f"df[{asked[0][0]},{asked[0][1]}]/dx"
    inputs: dict[str, Any] = {"x": x[0].tolist()}
    if exercise.find != "J":
        inputs["δ"] = [[float(messages[k, l]) for l in range(across)] for k in range(down)]  # noqa: E741
    return Sheet(
        f"input {seed}",
        inputs,
        name,
        expected.tolist(),
        [[f"{name}[{i},{j}]" for j in range(columns)] for i in range(rows)],
        {},
        Pooling(geometry.kernel, geometry.stride, geometry.padding, maxima),
        messages,
    )


def _geometries(exercise: PoolingExercise) -> tuple[Geometry, ...]:
    from engine import geometries
    from engine.geometries import Geometry

    if exercise.kernel is None:
        return (
            Geometry((2, 2), (1, 1), (0, 0), (3, 3)),
            Geometry((2, 2), (2, 2), (0, 0), (4, 4)),
            Geometry((3, 3), (2, 2), (0, 0), (5, 5)),
            Geometry((2, 2), (2, 2), (1, 1), (3, 3)),
        )
    every = geometries.smallest(exercise)
    few = [g for g in every if g.windows[0] * g.windows[1] <= _MOST_WINDOWS]
    told = [g for g in few if g.windows != (1, 1) and g.size[0] * g.size[1] <= _MOST_CELLS]
    # The most windows first: an input of one window has nothing to add up.
    told.sort(key=lambda g: (-g.windows[0] * g.windows[1], g.size[0] * g.size[1]))
    return tuple(told or few[:1])


def _given(exercise: Exercise, seed: int) -> Sheet | None:
    found: dict[Any, list[tuple[int, Any, int]]] = {}
    for rich, batch, row, asked in _whole(exercise):
        found.setdefault(asked, []).append((rich, batch, row))
    # A message is added up of several; a slope by itself only says one number a cell.
    wanted = [asked for asked in found if asked.target.upstream] or list(found)
    if not wanted:
        return None
    grader: Any = exercise.grader()
    order = grader.task.targets
    wanted.sort(key=lambda asked: order.index(asked.target))
    turn, which = divmod(seed - 1, len(wanted))
    # The richest first: those with the most different numbers to find out.
    places = sorted(found[wanted[which]], key=lambda place: -place[0])
    best = places[: max(1, len(places) // 3)]
    _, batch, row = best[turn % len(best)]
    return _sheet(exercise, batch, row, wanted[which], f"input {seed}")


def _whole(exercise: Exercise) -> Iterator[tuple[int, Any, int, Any]]:
    """Inputs whose message is in whole numbers: how rich each is, its batch, row and target."""
    import numpy as np

    from engine.given.exercise import GivenExercise
    from engine.given.smallest import small

    assert isinstance(exercise, GivenExercise)
    grader = exercise.grader()
    for batch in small(exercise.task):
        for asked, shape in grader.handed(batch).targets.items():
            cells = int(np.prod(shape))
            if not 1 < cells <= _MOST_CELLS:
                continue
            judged = grader.judged(batch, asked, np.zeros((len(batch), *shape)))
            right = judged.expected.reshape(len(batch), -1)
            steep = judged.contested.reshape(len(batch), -1).any(axis=1) | judged.left_out_mask
            for row in range(len(batch)):
                numbers = right[row]
                whole = np.isfinite(numbers).all() and (numbers == np.round(numbers)).all()
                if whole and not steep[row] and 0 < np.abs(numbers).max() < 1e6:
                    rich = len(np.unique(numbers)) + _added(batch, row, asked)
                    yield rich, batch, row, asked


def _added(batch: Any, row: int, asked: Any) -> int:
    """How much there is to add up: of how many messages, and whether any cell gets several."""
    if not asked.target.upstream:
        return 0
    slopes = batch.reference(asked.target.above, asked.target.below).jacobian[row]
    several = (slopes != 0).sum(axis=0).max() > 1
    return int(2 * len(slopes) + _SEVERAL * several)


def _sheet(exercise: Exercise, batch: Any, row: int, asked: Any, named: str) -> Sheet:
    import numpy as np

    from tui.lab_given import arrays_of
    from tui.lab_input import one_of

    one = one_of(batch, row)
    grader: Any = exercise.grader()
    shape = grader.handed(one).targets[asked]
    right = grader.judged(one, asked, np.zeros((1, *shape))).expected[0]
    target, loss = asked.target, grader.task.words.loss or "L"
    name = target.written(loss=loss)
    head = name.partition("[")[0] if not target.jacobian else name
    letters = [tuple(int(n) for n in place) for place in np.ndindex(*right.shape)]
    rows = cases.grid((right + 0.0).tolist())
    width = len(rows[0])
    places = [f"{head}{list(place)}".replace(" ", "").replace("[]", "") for place in letters]
    terms = _terms(one, target) if target.upstream else {}
    return Sheet(
        named,
        arrays_of(one, asked),
        name,
        rows,
        [places[n : n + width] for n in range(0, len(places), width)],
        {(n // width, n % width): found for n, found in terms.items()},
    )


def _terms(batch: Any, target: Any) -> dict[int, tuple[Term, ...]]:
    """For each entry asked for, what every entry above sends to it."""
    import numpy as np

    jacobian = batch.reference(target.above, target.below).jacobian[0]
    delta = batch.values["delta"][0]
    above = [list(map(int, place)) for place in np.ndindex(*delta.shape)]
    found = {}
    for entry in range(jacobian.shape[1]):
        terms = []
        for n, place in enumerate(above):
            slope, sent = jacobian[n, entry] + 0.0, delta.ravel()[n]
            if slope:
                at = str(place).replace(" ", "") if place else ""
                name = f"δ{at} · d{target.above}{at}/d{target.below}"
                shown = f"({slope:g})" if slope < 0 else f"{slope:g}"
                terms.append(Term(name, f"{sent:g} · {shown}", float(sent * slope)))
        found[entry] = tuple(terms)
    return found
