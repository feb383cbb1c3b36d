"""Sums, maxima and places over bound indices: lay the body out, mask what does not count, fold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.formula.axes import Axed, constant
from engine.formula.problem import OffsetError
from engine.formula.regions import folded
from engine.formula.roles import role
from engine.formula.tree import (
    Binder,
    Range,
    Reduce,
    Role,
    Windows,
)
from engine.formula.truth import Truth, both, hidden, possibly

if TYPE_CHECKING:
    from engine.formula.values import Evaluation

Scope = Mapping[str, Axed]
_MAX_RANGE: Final = 4_096
#: The value whose place it is.
VALUE_OF: Final = {"argmax": "max", "argmin": "min"}


def as_value(node: Reduce) -> Reduce:
    return Reduce(VALUE_OF[node.kind], node.body, node.binders, node.condition, node.at)


def tests(on: Evaluation, node: Reduce, inner: Scope, outer: Scope) -> list[Truth]:
    """The conditions under which the bound indices count: their sets, and the one behind 'if'."""
    found: list[Truth] = []
    seen = dict(outer)
    for binder in node.binders:
        if binder.domain is not None:
            at = tuple(inner[name] for name in binder.names)
            found.append(on.places.holds(at, binder.domain, seen))
        seen.update({name: inner[name] for name in binder.names})
    if node.condition is not None:
        found.append(on.condition(node.condition, inner))
    return found


def _bound(on: Evaluation, node: Reduce, scope: Scope) -> tuple[dict[str, Axed], list[Axed]]:
    """A new axis for each bound index."""
    inner = dict(scope)
    found: list[Axed] = []
    for binder in node.binders:
        domain = on.places.resolved(binder.domain) if binder.domain is not None else None
        for place, name in enumerate(binder.names):
            if isinstance(domain, Range):
                index = _ranged(on, domain, inner)
            elif domain is None:
                side, along = _role(on, node, binder, name)
                index = on.axes.new(on.inputs.sizes[side][along])
            else:
                side = "output" if isinstance(domain, Windows) else "input"
                index = on.axes.new(on.inputs.sizes[side][place])
            inner[name] = index
            found.append(index)
    return inner, found


def _role(on: Evaluation, node: Reduce, binder: Binder, name: str) -> Role:
    known = (id(binder), name)
    if known not in on.roles:
        on.roles[known] = role(name, node.names.index(name), node, on.definitions)
    return on.roles[known]


def _ranged(on: Evaluation, domain: Range, scope: Scope) -> Axed:
    low = np.ceil(np.nanmin(on.number(domain.start, scope).data, initial=np.inf))
    high = np.ceil(np.nanmax(on.number(domain.stop, scope).data, initial=-np.inf))
    size = high - low
    if not size <= _MAX_RANGE or not np.isfinite(low):
        if size <= 0 or np.isnan(size):
            return on.axes.new(1)
        raise OffsetError("This range is too long.", f"at most {_MAX_RANGE} numbers", domain.at)
    return on.axes.new(max(1, int(size)), int(low))


def _laid_out(on: Evaluation, node: Reduce, scope: Scope) -> tuple[Axed, Axed, list[Axed]]:
    """The body and where it counts, both over the same axes, and which of these are bound."""
    inner, bound = _bound(on, node, scope)
    truth = Truth(constant(True))
    for test in tests(on, node, inner, scope):
        truth = both(on.together, truth, test)
    if node.kind == "count":
        body = constant(1.0)
        truth = both(on.together, truth, on.condition(node.body, inner))
    else:
        body = on.number(node.body, inner)
    # What may count but cannot be said to makes the whole undefined.
    body, counts = hidden(on.together, body, truth), possibly(on.together, truth)
    running = {axis for index in bound for axis in index.axes}
    union = tuple(sorted({*body.axes, *counts.axes, *running}))
    return on.axes.full(body, union), on.axes.full(counts, union), bound


def _folded(on: Evaluation, node: Reduce, scope: Scope) -> tuple[Axed, list[Axed]]:
    body, counts, bound = _laid_out(on, node, scope)
    running = tuple(axis for index in bound for axis in index.axes)
    kept = tuple(axis for axis in body.axes if axis not in running)
    on.axes.spent += body.data.size
    order = [body.axes.index(axis) for axis in (*kept, *running)]
    shape = (*(on.axes.sizes[axis] for axis in kept), -1)
    values = body.data.transpose(order).reshape(shape)
    exists = counts.data.transpose(order).reshape(shape)
    kind = "sum" if node.kind == "count" else node.kind
    return Axed(folded(kind, values, exists), kept), bound


def reduced(on: Evaluation, node: Reduce, scope: Scope) -> Axed:
    """The number that a sum, max, min, count or mean comes to."""
    return _folded(on, node, scope)[0]


def place(on: Evaluation, node: Reduce, scope: Scope) -> tuple[Axed, Axed]:
    """Row and column of the first best place, in the order in which the indices are named."""
    ahead, (rows, columns) = _folded(on, node, scope)
    undefined = ahead.data * 0
    step = np.nan_to_num(ahead.data).astype(np.intp)
    down, across = np.divmod(step, len(columns.data))
    return (
        Axed(rows.data[down] + undefined, ahead.axes),
        Axed(columns.data[across] + undefined, ahead.axes),
    )
