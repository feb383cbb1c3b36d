"""Inputs of the lab: drawn, or found among those that fail; and small ones to work out by hand.

Only the helper process imports this: it needs NumPy. What only a card's own forward message needs
of the engine is imported where it is used: it takes 0.3 s, for which max pooling need not wait.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from engine.algorithm.exercise import AlgorithmExercise
from engine.algorithm.judge import AlgorithmBatch
from engine.pooling.exercise import PoolingExercise
from engine.pooling.inputs import (
    Geometry,
    PoolingBatch,
    draw,
    holding,
    smallest_geometries,
    tried_geometries,
)
from engine.pooling.layer import MaxPool
from tui.lab.requests import InputRequest, InputView, PoolingView
from tui.lab.text import grid
from tui.lab.worksheet import Term, Worksheet

if TYPE_CHECKING:
    from engine.exercise import Exercise
    from engine.formula.axes import Array
    from engine.messages.exercise import GivenExercise
    from engine.messages.model import Batch as GivenBatch
    from engine.verdict import Numbers

#: Nearer numbers, which the check tries, no one can tell apart; how often others are drawn then.
_NEAR, _DRAWN = 1e-3, 20
#: So many are drawn of another forward message, for one of which something can be said.
_GIVEN_DRAWN = 8
#: A number of many digits takes as long to read as so many short ones; padding, as so many cells.
_LONG, _PADDED = 5.0, 16.0
#: Numbers from here on are long, as are those that are not in quarters.
_LARGE = 100.0
#: By hand: windows of four messages at most: 1, 10, 100, 1000.
_MOST_WINDOWS, _MOST_CELLS = 4, 36
#: A cell with several terms is worth so many different numbers.
_SEVERAL = 8


# The input that is shown.


@dataclass(frozen=True, slots=True)
class Rule:
    """An answer as it is tried on one input, in whichever language it is written."""

    target: Any
    """What the answer is the answer to, as the exercise's grader has it."""
    run: Callable[[Any], Array]
    """From a batch of the exercise to the answer's numbers."""


def picture(exercise: Exercise, look: InputRequest, rule: Rule | None) -> InputView:
    """The input asked for, with `rule` tried on it.  Raises what the rule raises."""
    grader: Any = exercise.grader()
    batch, named = None, f"input {look.seed}"
    if look.failing is not None and rule is not None:
        batch, named = _failing(grader, rule, look.failing) or (None, named)
    if batch is None:
        if isinstance(exercise, PoolingExercise):
            batch = _drawn_pooling(exercise, look)
        elif isinstance(exercise, AlgorithmExercise):
            batch = exercise.nth(look.seed)
        else:
            batch = _drawn_given(cast("GivenExercise", exercise), look)
    targets = grader.handed(batch).targets
    asked = (one for one in targets if grader.parts(one)[0] == (look.part,))
    target = rule.target if rule else next(asked, next(iter(targets)))
    batch = cast("Any", batch)
    got = rule.run(batch) if rule else np.zeros((1, *targets[target]))
    with np.errstate(all="ignore"):
        judged = grader.judged(batch, target, got)
        right, differs = judged.expected[0], judged.differs[0]
    wrong = differs & (rule is not None and not judged.valid[0])
    off = tuple(tuple(int(n) for n in place) for place in np.argwhere(wrong))
    # What rounding alone sets apart is shown as the same number.
    yours: Any = np.where(differs, got[0], right).tolist() if rule else None
    if isinstance(batch, PoolingBatch):
        arrays = {"x": batch.x[0].tolist(), "δ": batch.delta[0].tolist()}
        written = "dx" if target.upstream else "df/dx"
        windows = _windows(batch, batch.x)
        return InputView(named, arrays, written, right.tolist(), yours, off, windows)
    written = target.written()
    arrays = (
        {name: (value[0] + 0.0).tolist() for name, value in batch.inputs.items()}
        if isinstance(batch, AlgorithmBatch)
        else _arrays(batch, target)
    )
    return InputView(named, arrays, written, right.tolist(), yours, off)


def _windows(of: PoolingBatch | Geometry, x: Array) -> PoolingView:
    """The windows, and where each has its first maximum in the first input."""
    layer = MaxPool(of.kernel, of.stride, of.padding)
    maxima = {
        (k, l): (int(i), int(j))
        for k, row in enumerate(layer.argmax(x)[0])
        for l, (i, j) in enumerate(row)  # noqa: E741
    }
    return PoolingView(of.kernel, of.stride, of.padding, maxima)


def _failing(grader: Any, rule: Rule, number: int) -> tuple[Any, str] | None:
    """The failing input of a number, plainest first, and its name; None where none fails."""
    places = []
    for batch in grader.drawn(0, 300):
        judged = grader.judged(batch, rule.target, rule.run(batch))
        odd = _oddness(batch)
        # Those at a tie come last: there the answer is nearly right.
        places += [
            (not judged.astray[n], float(odd[n]), batch, int(n))
            for n in np.flatnonzero(~judged.valid)
        ]
    if not places:
        return None
    places.sort(key=lambda place: place[:2])
    at = number % len(places)
    *_, batch, row = places[at]
    return _one_of(batch, row), f"failing input {at + 1} of {len(places)}"


def _oddness(batch: Any) -> Array:
    """Of each input of a batch, how much there is to read: (B,)."""
    if isinstance(batch, PoolingBatch):
        arrays, windows = [batch.x, batch.delta], 2.0 * float(np.prod(batch.kernel))
        windows += _PADDED * any(batch.padding)
    else:
        arrays, windows = list(batch.inputs.values()), 0.0
    count = len(arrays[0])
    found = np.full(count, windows)
    for values in arrays:
        row = np.asarray(values, dtype=np.float64).reshape(count, -1)
        long = (row * 4 % 1 != 0) | (np.abs(row) >= _LARGE)
        found += row.shape[1] + _LONG * long.sum(axis=1)
    return np.asarray(found)


def _one_of(batch: Any, row: int) -> Any:
    """A batch of one of its inputs."""
    if isinstance(batch, AlgorithmBatch):
        return batch.one(row)
    here = slice(row, row + 1)
    if isinstance(batch, PoolingBatch):
        return replace(batch, x=batch.x[here], delta=batch.delta[here])
    inputs = {name: value[here] for name, value in batch.inputs.items()}
    delta = None if batch.delta is None else batch.delta[here]
    return type(batch)(batch.model, batch.length, batch.grown, inputs, delta)


def _arrays(batch: GivenBatch, asked: Any) -> dict[str, Numbers]:
    """Inputs and definitions by name, with the message from above where it is used."""
    names = [definition.names[0] for definition in batch.model.forward.arrays]
    shown = {name: value[0] for name, value in batch.inputs.items()}
    shown |= {name: batch.values[name][0] for name in names if name not in batch.length.numbers}
    if asked.upstream:
        shown["δ"] = batch.values["delta"][0]
    # + 0.0 makes a plain zero of -0.0.
    return {name: (np.asarray(value, np.float64) + 0.0).tolist() for name, value in shown.items()}


# Random inputs.


def _drawn_pooling(exercise: PoolingExercise, look: InputRequest) -> PoolingBatch:
    """One input of the exercise's own windows, else two by two of those that the sliders say."""
    window = exercise.window
    if window is None and look.window is not None:
        k, s, p = look.window.kernel, look.window.stride, look.window.padding
        window = (k, k), (s, s), (p, p)
    side = 2 + look.more
    geometry = holding(window, (side, side)) if window else tried_geometries(None)[0]
    rng = np.random.default_rng([look.seed, *geometry.kernel, *geometry.stride])
    kind = None if look.values == "any" else look.values
    for _ in range(_DRAWN):
        batch = draw(geometry, rng, 1, kind)
        numbers = np.unique(batch.x)
        plain = np.diff(numbers).min(initial=1) > _NEAR and np.abs(numbers).max() < _LARGE
        if plain and batch.delta.all():
            break
    return batch


def _drawn_given(exercise: GivenExercise, look: InputRequest) -> GivenBatch:
    """One input of the card's own sizes: of short numbers, or of the kind that is asked for."""
    from engine.messages.inputs import draw as draw_given

    model, output = exercise.task.model, exercise.task.words.output
    rng = np.random.default_rng(look.seed)
    grown = {} if model.rigid else dict.fromkeys(model.sized, look.more)
    for _ in range(_GIVEN_DRAWN):
        kind = None if look.values == "any" else look.values
        batch = draw_given(model, output, rng, 1, grown, kind)
        if look.values == "any":
            short = {
                name: _plain_values(rng, value.shape[1:], model.gentle)
                for name, value in batch.inputs.items()
                if model.kinds[name] == "real"
            }
            inputs = {**batch.inputs, **short}
            batch = type(batch)(model, batch.length, batch.grown, inputs, batch.delta)
        if _tells(exercise, batch):
            break
    return batch


def _plain_values(rng: Any, shape: tuple[int, ...], gentle: bool) -> Array:
    """Distinct halves or whole numbers around 0, none 0 while there are enough: (1, *shape).

    A number that stands twice, or that is 0, hides where a message comes from.
    """
    cells = int(np.prod(shape))
    most = max(3, (cells + 1) // 2)
    numbers = np.array([n for n in range(-most, most + 1) if n])
    values = rng.permutation(numbers)[:cells] * (min(0.5, 2 / most) if gentle else 1.0)
    return np.asarray(np.round(values * 8) / 8).reshape(1, *shape)


def _tells(exercise: GivenExercise, batch: GivenBatch) -> bool:
    """Whether no message from above is 0, and what is asked for is known and not all 0."""
    grader: Any = exercise.grader()
    if batch.delta is not None and not batch.delta.all():
        return False
    asked, shape = next(iter(grader.handed(batch).targets.items()))
    with np.errstate(all="ignore"):
        judged = grader.judged(batch, asked, np.zeros((1, *shape)))
    steep = judged.contested.any() or judged.left_out_mask.any()
    right = judged.expected
    return bool(np.isfinite(right).all() and right.any() and not steep)


# Small inputs to be worked out by hand.


def worksheet(exercise: Exercise, seed: int) -> Worksheet | None:
    """The small input of a number; None where no message of the exercise is in whole numbers."""
    if isinstance(exercise, PoolingExercise):
        return _pooling_sheet(exercise, seed)
    if isinstance(exercise, AlgorithmExercise):
        return None
    found: dict[Any, list[tuple[int, Any, int]]] = {}
    for rich, batch, row, asked in _whole_inputs(cast("GivenExercise", exercise)):
        found.setdefault(asked, []).append((rich, batch, row))
    # A message is added up of several; a slope by itself only says one number a cell.
    wanted = [asked for asked in found if asked.upstream] or list(found)
    if not wanted:
        return None
    grader: Any = exercise.grader()
    keys = [target.key for target in grader.task.targets]
    wanted.sort(key=lambda asked: keys.index(asked.key))
    turn, which = divmod(seed - 1, len(wanted))
    # The richest first: those with the most different numbers to find out.
    places = sorted(found[wanted[which]], key=lambda place: -place[0])
    best = places[: max(1, len(places) // 3)]
    _, batch, row = best[turn % len(best)]
    return _given_sheet(grader, _one_of(batch, row), wanted[which], f"input {seed}")


def _pooling_sheet(exercise: PoolingExercise, seed: int) -> Worksheet:
    places = _hand_geometries(exercise)
    geometry = places[(seed - 1) % len(places)]
    rows, columns = geometry.size
    rng = np.random.default_rng(seed)
    for _ in range(_DRAWN):
        values = rng.permutation(rows * columns).reshape(1, rows, columns)
        x = values.astype(np.float64) - rows * columns // 3
        pooling = _windows(geometry, x)
        windows = list(pooling.maxima)
        # Where windows overlap, some input should have something to add up.
        if not geometry.overlaps or len(set(pooling.maxima.values())) < len(windows):
            break
    jacobian = exercise.find == "J"
    asked = [windows[seed % len(windows)]] if jacobian else windows
    messages = {window: 10**n for n, window in enumerate(asked)}
    expected = np.zeros((rows, columns))
    for window, message in messages.items():
        expected[pooling.maxima[window]] += message
    name = f"df[{asked[0][0]},{asked[0][1]}]/dx" if jacobian else "dx"
    inputs: dict[str, Any] = {"x": x[0].tolist()}
    if not jacobian:
        inputs["δ"] = np.reshape([*map(float, messages.values())], geometry.windows).tolist()
    return Worksheet(
        f"input {seed}",
        inputs,
        name,
        expected.tolist(),
        [[f"{name}[{i},{j}]" for j in range(columns)] for i in range(rows)],
        {},
        pooling,
        messages,
    )


def _hand_geometries(exercise: PoolingExercise) -> tuple[Geometry, ...]:
    if exercise.kernel is None:
        return (
            Geometry((2, 2), (1, 1), (0, 0), (3, 3)),
            Geometry((2, 2), (2, 2), (0, 0), (4, 4)),
            Geometry((3, 3), (2, 2), (0, 0), (5, 5)),
            Geometry((2, 2), (2, 2), (1, 1), (3, 3)),
        )
    every = smallest_geometries(exercise.window)
    few = [g for g in every if g.windows[0] * g.windows[1] <= _MOST_WINDOWS]
    told = [g for g in few if g.windows != (1, 1) and g.size[0] * g.size[1] <= _MOST_CELLS]
    # The most windows first: an input of one window has nothing to add up.
    told.sort(key=lambda g: (-g.windows[0] * g.windows[1], g.size[0] * g.size[1]))
    return tuple(told or few[:1])


def _whole_inputs(exercise: GivenExercise) -> Iterator[tuple[int, Any, int, Any]]:
    """Inputs whose message is in whole numbers: how rich each is, its batch, row and target."""
    grader = exercise.grader()
    for batch in grader.small():
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
    if not asked.upstream:
        return 0
    slopes = asked.reference(batch).jacobian[row]
    several = (slopes != 0).sum(axis=0).max() > 1
    return int(2 * len(slopes) + _SEVERAL * several)


def _given_sheet(grader: Any, batch: Any, asked: Any, named: str) -> Worksheet:
    shape = grader.handed(batch).targets[asked]
    right = grader.judged(batch, asked, np.zeros((1, *shape))).expected[0]
    name = asked.written()
    head = name if asked.jacobian else name.partition("[")[0]
    rows = grid((right + 0.0).tolist())
    width = len(rows[0])
    places = [f"{head}{_at(place)}" for place in np.ndindex(*right.shape)]
    terms = _terms(batch, asked) if asked.upstream else {}
    return Worksheet(
        named,
        _arrays(batch, asked),
        name,
        rows,
        [places[n : n + width] for n in range(0, len(places), width)],
        {(n // width, n % width): found for n, found in terms.items()},
    )


def _terms(batch: Any, target: Any) -> dict[int, tuple[Term, ...]]:
    """For each entry asked for, what every entry above sends to it."""
    jacobian = batch.reference(target.above, target.below).jacobian[0]
    delta = batch.values["delta"][0]
    above = [_at(place) for place in np.ndindex(*delta.shape)]
    found = {}
    for entry in range(jacobian.shape[1]):
        terms = []
        for n, at in enumerate(above):
            slope, sent = jacobian[n, entry] + 0.0, delta.ravel()[n]
            if slope:
                name = f"δ{at} · d{target.above}{at}/d{target.below}"
                shown = f"({slope:g})" if slope < 0 else f"{slope:g}"
                terms.append(Term(name, f"{sent:g} · {shown}", float(sent * slope)))
        found[entry] = tuple(terms)
    return found


def _at(place: tuple[int, ...]) -> str:
    """ "[0,2]"; nothing for a number."""
    return f"[{','.join(str(int(n)) for n in place)}]" if place else ""
