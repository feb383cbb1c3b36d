"""A small case filled in by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from tui.lab.inputs import Cell, Pooling
from tui.lab.server import Task
from tui.lab.text import grid

if TYPE_CHECKING:
    from engine.exercise import Exercise
    from engine.pooling.exercise import PoolingExercise
    from engine.pooling.inputs import Geometry
    from engine.verdict import Numbers


# == A grid filled in by hand, and what its cells say: pure values, no NumPy.
#
# The messages of max pooling's windows are 1, 10, 100, 1000, so that each digit of a cell is how
# often one window's message was put there.


#: Terms of one cell of which subsets are looked at.
_MOST_TERMS = 8


@dataclass(frozen=True, slots=True)
class Term:
    """One summand of a cell's right value."""

    name: str
    """δ[1] · dy[1]/dx[0]"""
    written: str
    """10 · 3"""
    amount: float


@dataclass(frozen=True, slots=True)
class Sheet:
    named: str
    inputs: dict[str, Numbers]
    target: str
    expected: list[list[float]]
    """Whole numbers, as rows, whatever the target's shape is."""
    places: list[list[str]]
    """Each cell by its indices: "dx[0,2]"."""
    terms: dict[Cell, tuple[Term, ...]]
    """Of each cell; empty for max pooling, whose windows say more."""
    pooling: Pooling | None = None
    messages: dict[Cell, int] | None = None
    """Of max pooling: what each window sends, a power of ten."""

    @property
    def size(self) -> tuple[int, int]:
        return len(self.expected), len(self.expected[0])

    def right(self, filled: Mapping[Cell, int]) -> bool:
        return not self.off(filled)

    def off(self, filled: Mapping[Cell, int]) -> frozenset[Cell]:
        """The cells whose number is not the expected one; an empty cell is 0."""
        return frozenset(cell for cell in self.cells if filled.get(cell, 0) != self.at(cell))

    @property
    def cells(self) -> list[Cell]:
        rows, columns = self.size
        return [(i, j) for i in range(rows) for j in range(columns)]

    def at(self, cell: Cell) -> int:
        return round(self.expected[cell[0]][cell[1]])


def windows_right(sheet: Sheet, filled: Mapping[Cell, int]) -> dict[Cell, bool]:
    """For each window, whether its message is at its maximum, once, and nowhere else."""
    messages = sheet.messages or {}
    assert sheet.pooling is not None
    found = {}
    for window in messages:
        home = sheet.pooling.maxima[window]
        times = {cell: _times(sheet, window, filled.get(cell, 0)) for cell in sheet.cells}
        found[window] = all(times[cell] == (cell == home) for cell in sheet.cells)
    return found


def _times(sheet: Sheet, window: Cell, value: int) -> int:
    """How often a window's message is in a number; -1 where it cannot be said."""
    messages = sheet.messages or {}
    if not 0 <= value < 10 * max(messages.values()):
        return -1
    # A window whose digit is not there has sent nothing here.
    return value // messages[window] % 10


def explained(sheet: Sheet, cell: Cell, value: int) -> str:
    """One sentence about a cell: why its number is right, or what is wrong with it."""
    if sheet.messages is not None:
        return _by_windows(sheet, cell, value)
    return _by_terms(sheet, cell, value)


def _by_windows(sheet: Sheet, cell: Cell, value: int) -> str:
    place, wanted = sheet.places[cell[0]][cell[1]], sheet.at(cell)
    messages = sheet.messages or {}
    assert sheet.pooling is not None
    homes = sheet.pooling.maxima
    here = [window for window in messages if homes[window] == cell]
    if value == wanted:
        if not here:
            return f"{place}: 0, it is the maximum of no window"
        return f"{place}: {value}, the maximum of {_windows(here)}"
    said = f"{place}: {value}, expected {wanted}"
    times = {window: _times(sheet, window, value) for window in messages}
    if -1 in times.values():
        sums = ", ".join(str(message) for message in messages.values())
        return f"{said}: a sum of some of {sums}, each at most once"
    missing = [window for window in here if not times[window]]
    foreign = [window for window in messages if window not in here and times[window]]
    often = [window for window in here if times[window] > 1]
    reasons = []
    if missing:
        are = "s of {} are missing" if len(missing) > 1 else " of {} is missing"
        reasons.append(f"the message{are.format(_windows(missing))}")
    if foreign:
        window = foreign[0]
        i, j = homes[window]
        reasons.append(f"window {_at(window)} has its maximum at x[{i},{j}], not here")
    if often:
        window = often[0]
        reasons.append(f"the message of window {_at(window)} is counted {times[window]} times")
    return f"{said}: {'; '.join(reasons)}"


def _windows(windows: list[Cell]) -> str:
    names = [_at(window) for window in windows]
    if len(names) == 1:
        return f"window {names[0]}"
    return f"windows {', '.join(names[:-1])} and {names[-1]}"


def _at(window: Cell) -> str:
    return f"({window[0]},{window[1]})"


def _by_terms(sheet: Sheet, cell: Cell, value: int) -> str:
    place, wanted = sheet.places[cell[0]][cell[1]], sheet.at(cell)
    terms = sheet.terms.get(cell, ())
    total = " + ".join(term.written for term in terms) or str(wanted)
    if value == wanted:
        return f"{place} = {total}" + (f" = {value}" if terms else "")
    said = f"{place}: {value}, expected {wanted}"
    if not terms:
        return said
    left_out = _left_out(terms, value)
    if left_out:
        return f"{said} = {total}: {' and '.join(t.name for t in left_out)} is missing"
    if value == -wanted:
        return f"{said} = {total}: the sign"
    return f"{said} = {total}"


def _left_out(terms: tuple[Term, ...], value: int) -> tuple[Term, ...]:
    """The fewest terms without which the sum is `value`; none where no choice gives it."""
    told = [term for term in terms if term.amount]
    if len(told) > _MOST_TERMS:
        return ()
    total = sum(term.amount for term in told)
    for count in range(1, len(told) + (value != 0)):
        for some in combinations(told, count):
            if abs(total - sum(term.amount for term in some) - value) < 1e-9:
                return some
    return ()


# == Small inputs to be worked out by hand, made from an exercise.


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
    from engine.pooling.exercise import PoolingExercise

    exercise = asked.task.made()
    if isinstance(exercise, PoolingExercise):
        return _pooling(exercise, asked.seed)
    return _given(exercise, asked.seed)


def _pooling(exercise: PoolingExercise, seed: int) -> Sheet:
    import numpy as np

    from engine.pooling.layer import MaxPool

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
    from engine.pooling.inputs import Geometry, smallest_geometries

    if exercise.kernel is None:
        return (
            Geometry((2, 2), (1, 1), (0, 0), (3, 3)),
            Geometry((2, 2), (2, 2), (0, 0), (4, 4)),
            Geometry((3, 3), (2, 2), (0, 0), (5, 5)),
            Geometry((2, 2), (2, 2), (1, 1), (3, 3)),
        )
    every = smallest_geometries(exercise)
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

    from engine.messages.exercise import GivenExercise
    from engine.messages.grader import small

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

    from tui.lab.inputs import arrays_of, one_of

    one = one_of(batch, row)
    grader: Any = exercise.grader()
    shape = grader.handed(one).targets[asked]
    right = grader.judged(one, asked, np.zeros((1, *shape))).expected[0]
    target, loss = asked.target, grader.task.words.loss or "L"
    name = target.written(loss=loss)
    head = name.partition("[")[0] if not target.jacobian else name
    letters = [tuple(int(n) for n in place) for place in np.ndindex(*right.shape)]
    rows = grid((right + 0.0).tolist())
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
