"""Sums, maxima and places over bound indices: lay the body out, mask what does not count, fold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.formula.axes import Array, Axed, constant
from engine.formula.problem import OffsetError
from engine.formula.regions import folded
from engine.formula.roles import role
from engine.formula.tree import (
    Binder,
    Range,
    Reduce,
    Role,
    Window,
    Windows,
)
from engine.formula.truth import Truth, both, hidden, possibly

if TYPE_CHECKING:
    from engine.formula.values import Evaluation

Scope = Mapping[str, Axed]
#: Axes by number.
Axes = tuple[int, ...]
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


def _bound(on: Evaluation, node: Reduce, scope: Scope) -> tuple[dict[str, Axed], list[Axed], Axes]:
    """The bound indices, and the new axes along which they run, in the order named."""
    inner = dict(scope)
    found: list[Axed] = []
    running: list[int] = []
    for binder in node.binders:
        domain = on.places.resolved(binder.domain) if binder.domain is not None else None
        start = inner
        for place, name in enumerate(binder.names):
            if isinstance(domain, Range):
                index = _ranged(on, domain, inner)
            elif domain is None:
                side, along = _role(on, node, binder, name)
                index = on.axes.new(on.inputs.sizes[side][along])
            elif isinstance(domain, Window) and on.inputs.roomy:
                index = on.axes.new(on.inputs.kernel[place])
            else:
                side = "output" if isinstance(domain, Windows) else "input"
                index = on.axes.new(on.inputs.sizes[side][place])
            running.extend(index.axes)
            if isinstance(domain, Window) and on.inputs.roomy:
                index = _within(on, domain, place, index, start)
            inner = {**inner, name: index}
            found.append(index)
    return inner, found, tuple(running)


def _within(on: Evaluation, window: Window, side: int, step: Axed, scope: Scope) -> Axed:
    """The row or the column of a window, so many steps from its first one."""
    of = on.places.indices(window.indices, scope)[side]
    stride, padding = on.inputs.stride[side], on.inputs.padding[side]
    return on.together(lambda k, a: k * stride - padding + a, of, step)


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


def _laid_out(on: Evaluation, node: Reduce, scope: Scope) -> tuple[Axed, Axed, list[Axed], Axes]:
    """The body and where it counts, both over the same axes; what is bound, and how it runs."""
    inner, bound, running = _bound(on, node, scope)
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
    used = {axis for index in bound for axis in index.axes}
    union = tuple(sorted({*body.axes, *counts.axes, *used}))
    return on.axes.full(body, union), on.axes.full(counts, union), bound, running


def _folded(on: Evaluation, node: Reduce, scope: Scope) -> tuple[Axed, list[Axed], Axes]:
    body, counts, bound, running = _laid_out(on, node, scope)
    kept = tuple(axis for axis in body.axes if axis not in running)
    on.axes.spent += body.data.size
    values, exists = (_flat(on, part, kept, running) for part in (body, counts))
    kind = "sum" if node.kind == "count" else node.kind
    return Axed(folded(kind, values, exists), kept), bound, running


def _flat(on: Evaluation, value: Axed, kept: Axes, running: Axes) -> Array:
    """`value`, which has all of these axes, with those that run as its last one."""
    order = [value.axes.index(axis) for axis in (*kept, *running)]
    shape = (*(on.axes.sizes[axis] for axis in kept), -1)
    flat: Array = value.data.transpose(order).reshape(shape)
    return flat


def reduced(on: Evaluation, node: Reduce, scope: Scope) -> Axed:
    """The number that a sum, max, min, count or mean comes to."""
    return _folded(on, node, scope)[0]


def place(on: Evaluation, node: Reduce, scope: Scope) -> tuple[Axed, Axed]:
    """Row and column of the first best place, in the order in which the indices are named."""
    ahead, bound, running = _folded(on, node, scope)
    undefined = ahead.data * 0
    step = np.nan_to_num(ahead.data).astype(np.intp)
    along = np.unravel_index(step, [on.axes.sizes[axis] for axis in running])
    found: list[Axed] = []
    for index, axis, ahead_along in zip(bound, running, along, strict=True):
        if index.axes == (axis,):
            picked = index.data[ahead_along]
        else:
            whole = on.axes.full(index, (*ahead.axes, *running))
            flat = _flat(on, whole, ahead.axes, running)
            picked = np.take_along_axis(flat, step[..., None], -1)[..., 0]
        found.append(Axed(picked + undefined, ahead.axes))
    return found[0], found[1]
