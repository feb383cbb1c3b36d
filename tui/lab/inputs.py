"""Inputs shown in the lab."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.exercise import Exercise
    from engine.grading import Array
    from engine.pooling.exercise import PoolingExercise
    from engine.verdict import Numbers
    from tui.lab.server import Rule


# == Inputs of the lab as plain data for the screen, and what an answer makes of them.


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
    from engine.pooling.exercise import PoolingExercise

    grader = exercise.grader()
    found, named = None, f"input {look.seed}"
    if look.failing is not None and rule is not None:
        found, named = _failing(grader, rule, look.failing)
    if found is None:
        if isinstance(exercise, PoolingExercise):
            found = drawn(exercise, look)
        else:
            found = lab_given_drawn(exercise, look)
        named = f"input {look.seed}"
    target = rule.target if rule else next(iter(grader.handed(found).targets))
    return _shown(exercise, found, target, rule, named)


def _failing(grader: Any, rule: Rule, number: int) -> tuple[Any, str]:
    """The failing input of a number, plainest first; None where none fails."""
    import numpy as np

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

    from engine.pooling.inputs import PoolingBatch

    here = slice(row, row + 1)
    if isinstance(batch, PoolingBatch):
        return replace(batch, x=batch.x[here], delta=batch.delta[here], kinds=batch.kinds[here])

    return rows_of(batch, here)


def drawn(exercise: PoolingExercise, look: Look) -> Any:
    """One input of the windows asked for."""
    from dataclasses import replace

    import numpy as np

    from engine.pooling.inputs import KINDS, draw

    geometry = geometry_of(exercise, look)
    rng = np.random.default_rng([look.seed, *geometry.kernel, *geometry.stride])
    for _ in range(_DRAWN):
        batch = draw(geometry, rng, 1)
        if batch.delta.all() and batch.kinds[0] not in _UNREADABLE:
            break
    if look.values in KINDS:
        fill = KINDS[look.values][1]
        batch = replace(batch, x=fill(rng, (1, *geometry.size)), kinds=(look.values,))
    return batch


def geometry_of(exercise: PoolingExercise, look: Look) -> Any:
    """The exercise's own windows, else two by two of those that the sliders say."""
    from engine.pooling.inputs import Geometry, tried_geometries

    if exercise.kernel is not None or look.window is None:
        return tried_geometries(exercise)[0]
    k, s, p = look.window.kernel, look.window.stride, look.window.padding
    side = max(1, s + k - 2 * p)
    return Geometry((k, k), (s, s), (p, p), (side, side))


def _shown(exercise: Exercise, batch: Any, target: Any, rule: Rule | None, named: str) -> Picture:
    import numpy as np

    from engine.pooling.inputs import PoolingBatch

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
    if isinstance(batch, PoolingBatch):
        maxima = {
            (k, l): (int(i), int(j))
            for k, row in enumerate(batch.layer.argmax(batch.x)[0])
            for l, (i, j) in enumerate(row)  # noqa: E741
        }
        arrays = {"x": batch.x[0].tolist(), "δ": batch.delta[0].tolist()}
        windows = Pooling(batch.kernel, batch.stride, batch.padding, maxima)
        named_target = "dx" if target == "dx" else "df/dx"
        return Picture(named, arrays, named_target, right[0].tolist(), yours, off, windows)

    loss = grader.task.words.loss or "L"
    written = target.target.written(loss=loss)
    return Picture(named, arrays_of(batch, target), written, right[0].tolist(), yours, off)


# == How plain an input is to read: few numbers, short ones, small windows.


#: A number of many digits takes as long to read as so many short ones; padding, as so many cells.
_LONG, _PADDED = 5.0, 16.0
#: Numbers from here on are long, as are those that are not in quarters.
_LARGE = 100.0


def oddness(batch: Any) -> Array:
    """Of each input of a batch, how much there is to read: (B,)."""
    import numpy as np

    from engine.pooling.inputs import PoolingBatch

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


def plain_values(rng: Any, shape: tuple[int, ...], gentle: bool) -> Array:
    """Distinct halves or whole numbers around 0, none 0 while there are enough: (1, *shape).

    A number that stands twice, or that is 0, hides where a message comes from.
    """
    import numpy as np

    cells = int(np.prod(shape))
    most = max(3, (cells + 1) // 2)
    numbers = np.array([n for n in range(-most, most + 1) if n])
    values = rng.permutation(numbers)[:cells] * (min(0.5, 2 / most) if gentle else 1.0)
    return np.asarray(np.round(values * 8) / 8).reshape(1, *shape)


# == Inputs of a card's own forward message, drawn for the lab.


#: So many are drawn, for one of whose message something can be said.
_LAB_GIVEN_DRAWN = 8


def lab_given_drawn(exercise: Exercise, look: Look) -> Any:
    """One input of the card's own sizes: of short numbers, or of the kind that is asked for."""
    import numpy as np

    from engine.messages.exercise import GivenExercise
    from engine.messages.inputs import draw

    assert isinstance(exercise, GivenExercise)
    task = exercise.task
    model, output = task.model, task.words.output
    rng = np.random.default_rng(look.seed)
    for _ in range(_LAB_GIVEN_DRAWN):
        kind = None if look.values == "any" else look.values
        batch = draw(model, output, rng, 1, {}, kind)
        if look.values == "any":
            batch = _plainly(batch, rng)
        if _tells(exercise, batch):
            break
    return batch


def _plainly(batch: Any, rng: Any) -> Any:
    """The same with short numbers, wherever any number may stand."""
    from engine.messages.model import Batch

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
    from engine.messages.model import Batch

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


# == Which input the lab shows, and at which of its windows: a value, changed by keys.


@dataclass(frozen=True, slots=True)
class Step:
    """At which window an input is looked at."""

    at: int = 0
    """Counts windows, round and round."""
    stepping: bool = False
    """Whether only the messages that have flowed back up to it are shown."""


@dataclass(frozen=True, slots=True)
class Shown:
    seed: int = 1
    window: Window | None = None
    """As the sliders have it; None where the exercise says it, or has none."""
    values: str = "any"
    failing: int | None = None
    step: Step = Step()
    looking: bool = False
    """Whether the learner asked for an input since the last key."""

    @property
    def look(self) -> Look:
        return Look(self.seed, self.window, self.values, self.failing)

    def at_random(self) -> Shown:
        """After a key: the answer is another, and what failed is not known."""
        return replace(self, failing=None, looking=False)

    def not_looking(self) -> Shown:
        return replace(self, looking=False)

    def another(self) -> Shown:
        return self._changed(seed=self.seed + 1)

    def next_failing(self) -> Shown:
        return self._changed(failing=0 if self.failing is None else self.failing + 1)

    def stepped(self, step: int) -> Shown:
        """The first step begins where the window is; each later one goes on."""
        at = self.step.at + step if self.step.stepping else self.step.at
        return replace(self, step=Step(at, stepping=True), looking=True)

    def turned(self, values: Mapping[str, str]) -> Shown:
        window = self.window
        if "kernel" in values:
            names = ("kernel", "stride", "padding")
            window = Window(*(int(values[name]) for name in names))
        return self._changed(window=window, values=values.get("values", self.values))

    def _changed(self, **changes: object) -> Shown:
        first = replace(self, failing=None, step=Step(), looking=True)
        return replace(first, **changes)  # type: ignore[arg-type]
