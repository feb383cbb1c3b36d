"""A tree to numbers, over a whole batch at once.

Each index is an axis, each node an array over the axes it depends on.  Undefined values (cells
outside of an array, 0/0) are NaN; a false indicator, an untaken branch and a condition that a sum
does not meet hide them.
"""

from __future__ import annotations

from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from engine.formula.axes import Array, Axed, Axes, TooLargeError, TooMuchError
from engine.formula.problem import FormulaError, OffsetError, located
from engine.formula.regions import Batch, Inputs, covers
from engine.formula.tree import Formula
from engine.formula.values import Evaluation

#: What windows hold (Places), for as long as their batch is kept.
_TABLES: Final[WeakKeyDictionary[Batch, dict[tuple[str, str], tuple[Array, ...]]]] = (
    WeakKeyDictionary()
)
_TOO_LARGE: Final = "This formula takes too many steps to be tried on random inputs."


def evaluate(formula: Formula, batch: Batch) -> Array:
    """Target dx: (B,H,W); J: (B,Ho,Wo,H,W); float64, NaN where the formula is undefined.

    Raises FormulaError where the formula needs too much memory or time.
    """
    f, tables = np.asarray(batch.f), _TABLES.setdefault(batch, {})
    sides = (batch.kernel, batch.stride, batch.padding)
    inputs = Inputs(*sides, batch.x, batch.delta, f, tables)
    try:
        with np.errstate(all="ignore"):
            return _filled(formula, inputs, _parts(formula, inputs))
    except OffsetError as trouble:
        raise located(trouble, formula.source) from None
    except (TooLargeError, TooMuchError):
        raise FormulaError(_TOO_LARGE, "use fewer sums inside sums", 1, 1) from None


def _filled(formula: Formula, inputs: Inputs, found: Array) -> Array:
    """A message that is undefined at pixels that are left over, with 0 for products that have one.

    There delta[i//2,j//2] asks for a window that does not exist, which has no message.
    """
    if formula.tree.target == "J" or not np.isnan(found).any():
        return found
    axes = Axes(1)
    high, wide = (axes.new(size) for size in inputs.sizes["output"])
    rows, columns = (axes.new(size) for size in inputs.sizes["input"])
    mask = covers(inputs, axes, (rows, columns), (high, wide))
    covered = axes.full(mask, (1, 2, 3, 4)).data.any((0, 1))
    gaps = np.isnan(found) & ~covered
    if not gaps.any():
        return found
    again = _parts(formula, inputs, absent=True)
    if (gaps & ~np.isnan(again)).any():
        formula.beyond.add("delta (where there is no window)")
    return np.where(gaps, again, found)


def _parts(formula: Formula, inputs: Inputs, absent: bool = False) -> Array:
    """The whole batch at once, or in smaller parts where that needs too much memory."""
    total = inputs.x.shape[0]
    step = total
    spent = 0
    done: list[Array] = []
    start = 0
    while start < total or not done:
        part = slice(start, start + step)
        fewer = inputs if step == total else inputs.some(part)
        axes = Axes(fewer.x.shape[0], spent)
        try:
            done.append(_whole(formula, fewer, axes, absent))
        except TooLargeError:
            if step <= 1:
                raise
            step = max(1, step // 4)
            continue
        finally:
            spent = axes.spent
        start += step
    return np.concatenate(done) if len(done) > 1 else done[0]


def _whole(formula: Formula, inputs: Inputs, axes: Axes, absent: bool) -> Array:
    answer = formula.tree
    evaluation = Evaluation(inputs, axes, formula, absent)
    high, wide = (axes.new(size) for size in inputs.sizes["output"])
    rows, columns = (axes.new(size) for size in inputs.sizes["input"])
    if answer.target == "J":
        indices = dict(zip(answer.indices, (high, wide, rows, columns), strict=True))
        order = (0, *high.axes, *wide.axes, *rows.axes, *columns.axes)
        value = evaluation.number(answer.body, indices)
        return np.ascontiguousarray(axes.full(value, order).data, dtype=np.float64)
    # Free k,l in a dx: the window that contains (i,j).  The learner may define them instead.
    windows = {"k": high, "l": wide}
    free = {name: windows[name] for name in windows if name not in evaluation.definitions}
    indices = {**free, **dict(zip(answer.indices, (rows, columns), strict=True))}
    value = evaluation.number(answer.body, indices)
    order = (0, *rows.axes, *columns.axes)
    if not {*value.axes} & {*high.axes, *wide.axes}:
        return np.ascontiguousarray(axes.full(value, order).data, dtype=np.float64)
    return _in_its_window(axes, inputs, value, ((rows, columns), (high, wide)))


def _in_its_window(
    axes: Axes, inputs: Inputs, value: Axed, at: tuple[tuple[Axed, Axed], tuple[Axed, Axed]]
) -> Array:
    """The value at the one window of each input: 0 in none, NaN in several."""
    mask = covers(inputs, axes, *at)
    order = (0, 1, 2, 3, 4)
    full, within = axes.full(value, order), axes.full(mask, order[1:])
    total: Array = np.where(within.data, full.data, 0.0).sum((1, 2))
    several = within.data.sum((0, 1)) > 1
    return np.where(several, np.nan, total)
