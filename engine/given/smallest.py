"""The smallest inputs on which an answer fails: sizes from small to large, then plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from engine.formula.problem import OffsetError
from engine.given import inputs as kinds
from engine.given.batch import Batch
from engine.given.build import Task
from engine.given.judge import Judged
from engine.grader import Array, Mask, Search
from engine.verdict import Case, Numbers

#: So many inputs of one set of sizes.
_LISTED = 96


def search(
    task: Task,
    judge: Callable[[Batch], Judged],
    fails: Callable[[Judged], Mask],
    seen: Sequence[Judged],
) -> Search[Judged]:
    """Look among small inputs, then among those `seen`."""
    tried: list[Judged] = []
    for batch in small(task):
        one = judge(batch)
        tried.append(one)
        bad = np.flatnonzero(fails(one))
        if bad.size:
            return Search(_shown(task, one, int(bad[0])), tuple(tried))
    failing = [(one, np.flatnonzero(fails(one))) for one in seen]
    failing = [(one, bad) for one, bad in failing if bad.size]
    if not failing:
        return Search(None, tuple(tried))
    one, bad = min(failing, key=lambda pair: _cells(pair[0].batch))
    plainest = min(bad, key=lambda n: _size(one.batch, int(n)))
    return Search(_shown(task, one, int(plainest)), tuple(tried))


def _cells(batch: Batch) -> int:
    return sum(int(np.prod(value.shape[1:])) for value in batch.inputs.values())


def _size(batch: Batch, n: int) -> float:
    return max(float(np.abs(value[n]).max(initial=0.0)) for value in batch.inputs.values())


def small(task: Task) -> Iterator[Batch]:
    """Batches of small inputs, from the smallest sizes to the card's own."""
    for sizes in _sizes(task):
        batch = _listed(task, sizes)
        if batch is not None:
            yield batch


def _sizes(task: Task) -> list[tuple[tuple[str, int], ...]]:
    """Changes of the sizes: all 1, one of them 2, all 2, none."""
    model = task.model
    names = model.sized
    if model.rigid or not names:
        return [()]
    own = own_sizes(task)
    ones = dict.fromkeys(names, 1)
    wanted = [ones, *({**ones, name: 2} for name in names), dict.fromkeys(names, 2), own]
    changes = [tuple((n, size - own[n]) for n, size in one.items()) for one in wanted]
    return list(dict.fromkeys(changes))


def own_sizes(task: Task) -> dict[str, int]:
    """The card's own value of every size that may vary."""
    model = task.model
    length = model.lengths()
    now = {**model.letters(length), **{n: int(v) for n, v in length.numbers.items()}}
    return {name: now.get(name, 1) for name in model.sized}


@lru_cache(maxsize=128)
def _listed(task: Task, changes: tuple[tuple[str, int], ...]) -> Batch | None:
    """Inputs of one set of sizes from plain to odd; None where the message has no such sizes."""
    model = task.model
    try:
        length = model.lengths(dict(changes))
        values = {}
        for name in model.forward.inputs:
            kind = model.kinds[name]
            most = model.most(name, length) if kind == "index" else 0
            axis = model.axes.get(name, -1) % max(1, model.forward.inputs[name])
            values[name] = kinds.listed(kind, model.shape(name, length), most, axis)
        output = task.words.output
        shape = model.shape(output, length) if output else ()
        rows = _combined(model.within(values))
        deltas = None
        if output:
            cells = int(np.prod(shape))
            plain = 10.0 ** np.arange(cells) if cells <= 4 else np.arange(1.0, cells + 1)
            signed = np.where(np.arange(cells) % 2, -1.0, 1.0) * np.arange(2, cells + 2)
            pair = np.stack([plain, signed]).reshape(2, *shape)
            count = len(next(iter(rows.values())))
            deltas = np.repeat(pair, count, axis=0)
            rows = {name: np.concatenate([value, value]) for name, value in rows.items()}
        batch = Batch(model, length, dict(changes), rows, deltas)
        batch.shapes  # noqa: B018 (evaluates the message: sizes that cannot be show here)
    except (OffsetError, IndexError, ValueError):
        return None
    return batch


def _combined(values: dict[str, Array]) -> dict[str, Array]:
    """Every combination of the listed values, as far as there are not too many."""
    counts = [len(value) for value in values.values()]
    combinations: list[tuple[int, ...]] = []
    for total in range(sum(counts) - len(counts) + 1):
        if len(combinations) < _LISTED:
            level = _summing(counts, total)
            combinations += sorted(level, key=lambda picks: max(picks, default=0))
    picks = np.array(combinations[:_LISTED]).reshape(-1, len(values))
    return {name: value[picks[:, n]] for n, (name, value) in enumerate(values.items())}


def _summing(counts: Sequence[int], total: int) -> Iterator[tuple[int, ...]]:
    """Picks below each of `counts` that add up to `total`."""
    if not counts:
        yield ()
        return
    most = sum(counts[1:]) - len(counts) + 1
    for first in range(max(0, total - most), min(counts[0], total + 1)):
        for rest in _summing(counts[1:], total - first):
            yield (first, *rest)


def _shown(task: Task, one: Judged, n: int) -> Case:
    batch, target = one.batch, one.target
    off = one.off[n] if one.off[n].any() else one.differs[n]
    got, expected = one.got[n], one.expected[n]
    far = np.abs(got - expected)
    far = np.where(np.isnan(far), np.inf, far)
    cells = [tuple(int(i) for i in cell) for cell in np.argwhere(off)]
    inputs = {name: _numbers(value[n]) for name, value in batch.inputs.items()}
    if target.upstream:
        inputs["delta"] = _numbers(batch.values["delta"][n])
    constants = batch.length.numbers
    values = {
        d.names[0]: _numbers(batch.values[d.names[0]][n])
        for d in batch.model.forward.arrays
        if d.names[0] not in constants
    }
    letters = target.indices if one.full else tuple(dict.fromkeys(target.indices))
    return Case(
        target=target.written(loss=task.words.loss or "L"),
        indices=letters,
        inputs=inputs,
        values=values,
        yours=_numbers(got),
        expected=_numbers(expected),
        cells=sorted(cells, key=lambda cell: (-far[cell], cell)),
        note=one.note(n),
    )


def _numbers(values: Array) -> Numbers:
    plain: Any = (np.asarray(values) + 0.0).tolist()  # + 0.0 makes a plain zero of -0.0
    numbers: Numbers = plain
    return numbers
