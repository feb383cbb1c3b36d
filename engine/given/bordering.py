"""The borders of a forward message and of an answer, and batches of inputs about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from engine.formula.axes import Array, TooLargeError, TooMuchError
from engine.formula.problem import OffsetError
from engine.given.aiming import Measure, Rows, aim, of_numbers
from engine.given.batch import Batch
from engine.given.borders import Border, Borders, apart, untried
from engine.given.lengths import Lengths
from engine.given.model import Model

#: An answer, evaluated on a batch; it notes its borders.
Rule = Callable[[Batch, Borders], object]
#: So many inputs, each with entries of one size.
_SPREAD = 16
#: As far as entries go where the message bends them, and where it does not.
_GENTLE, _FAR = 12.0, 1e3
#: Inputs beside those about an answer's borders: what rounding is to be measured by.
_BESIDE = 40
#: So many numbers of a function are aimed at.
_HEARD = 4


def with_borders(model: Model, batch: Batch, rng: np.random.Generator) -> Batch:
    """The batch with inputs of every size, and about the borders of its message, behind it."""
    spread = _spread(model, batch, rng)
    rows = {name: np.concatenate([v, spread[name]]) for name, v in _rows(batch).items()}
    measure = _of_message(model, batch.length)
    try:
        which = apart(measure(rows), [])
        found = aim(rows, _kinds(model), measure, which)
    except (OffsetError, TooLargeError):
        return batch
    aimed = _finite(model, batch.length, found.rows)
    every = {name: np.concatenate([v, aimed[name]]) for name, v in rows.items()}
    return _batch(model, batch, every, found.unmet)


def about(rule: Rule, batch: Batch) -> Batch | None:
    """Inputs about the borders that an answer has and its exercise has not; None where none."""

    def measure(rows: Rows) -> list[Border]:
        met = Borders(equalities=True)
        with np.errstate(all="ignore"):
            rule(_batch(batch.model, batch, rows), met)
        return met.found

    return measured(measure, batch)


def about_numbers(numbers: tuple[float, ...], batch: Batch) -> Batch | None:
    """Inputs about the numbers that stand in a function."""
    found = measured(of_numbers(numbers[:_HEARD]), batch)
    return replace(found, unmet=untried(numbers)) if found else None


def measured(measure: Measure, batch: Batch) -> Batch | None:
    """Inputs about borders that the exercise has not; None where there are no such borders."""
    model, rows = batch.model, _rows(batch)
    try:
        first = measure(rows)
        which = apart(first, _of_message(model, batch.length)(rows) if first else [])
        if not which:
            return None
        found = aim(rows, _kinds(model), measure, which)
    except (OffsetError, TooLargeError, TooMuchError):
        return None
    aimed = _finite(model, batch.length, found.rows)
    beside = {name: value[:_BESIDE] for name, value in rows.items()}
    every = {name: np.concatenate([v, aimed[name]]) for name, v in beside.items()}
    return _batch(model, batch, every, found.unmet)


def _kinds(model: Model) -> dict[str, str]:
    return {**model.kinds, "delta": "real"}


def _rows(batch: Batch) -> dict[str, Array]:
    message = {} if batch.delta is None else {"delta": batch.delta}
    return {**batch.inputs, **message}


def _batch(model: Model, like: Batch, rows: Rows, unmet: tuple[str, ...] = ()) -> Batch:
    inputs = model.within({name: rows[name] for name in like.inputs})
    return Batch(model, like.length, like.grown, inputs, rows.get("delta"), unmet)


def _of_message(model: Model, length: Lengths) -> Measure:
    def measure(rows: Rows) -> list[Border]:
        met = Borders()
        given = {name: value for name, value in rows.items() if name in model.forward.inputs}
        with np.errstate(all="ignore"):
            tables = model.run(model.within(given), length, borders=met)
        finite = _has_values({name: table.value for name, table in tables.items()})
        return [b._replace(off=np.where(finite[:, None], b.off, np.nan)) for b in met.found]

    return measure


def _has_values(values: Mapping[str, Array]) -> Array:
    """(B,): where every array is finite."""
    found = np.ones(max(len(value) if value.ndim else 1 for value in values.values()), dtype=bool)
    for value in values.values():
        if value.ndim:
            found &= np.isfinite(value.reshape(len(value), -1)).all(axis=1)
    return found


def _finite(model: Model, length: Lengths, rows: Rows) -> dict[str, Array]:
    """Those of some inputs on which the message has a value."""
    if not len(next(iter(rows.values()))):
        return dict(rows)
    rows = model.within(rows)
    inputs = {name: value for name, value in rows.items() if name in model.forward.inputs}
    with np.errstate(all="ignore"):
        tables = model.run(inputs, length)
    kept = _has_values({name: table.value for name, table in tables.items()})
    return {name: value[kept] for name, value in rows.items()}


def _spread(model: Model, batch: Batch, rng: np.random.Generator) -> dict[str, Array]:
    """Inputs of all sizes, from a thousandth on."""
    count = min(_SPREAD, len(batch))
    rows = {name: value[:count].copy() for name, value in _rows(batch).items()}
    most = _GENTLE if model.gentle else _FAR
    sizes = np.minimum(np.geomspace(1e-3, 10 * most, count), most)
    for name, value in rows.items():
        if name != "delta" and model.kinds[name] in ("real", "positive"):
            size = sizes.reshape(count, *[1] * (value.ndim - 1))
            sign = np.where(rng.random(value.shape) < 0.5, -1.0, 1.0)
            some = size * rng.uniform(0.85, 1.0, value.shape) * sign
            rows[name] = np.abs(some) if model.kinds[name] == "positive" else some
    return _finite(model, batch.length, rows)
