"""Wrong only when: conditions that all failing inputs meet, and few of the passing ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from engine.formula import echo
from engine.formula.axes import Axes
from engine.formula.tree import (
    Apply,
    Choice,
    Comparison,
    Indicator,
    Node,
    Number,
    children,
)
from engine.given.batch import Batch
from engine.given.calculus import KINKED
from engine.given.dual import Dual, Table
from engine.given.duals import Duals
from engine.given.judge import Judged
from engine.given.model import Model
from engine.grader import Mask
from engine.near import separates

#: So many inputs must pass and not meet a condition: fewer may be chance.
_WITHOUT = 20


def shared_by(
    model: Model, seen: Sequence[tuple[Judged, Mask]], alone: Callable[[str], bool]
) -> tuple[str, ...]:
    """Return the conditions of all failing inputs that enough passing inputs do not meet.

    `alone` says of a size whether the answer is right while that size is 1.
    """
    found = [
        f"{name} runs over more than one"
        for name in model.sized
        if _split(seen, longer(name)) and alone(name)
    ]
    for ways in conditions(model):
        # Of one comparison a single side is named: two of them exclude each other.
        name = next((name for name, met in ways if _split(seen, met)), None)
        if name is not None:
            found.append(name)
    return tuple(found[:3])


def _split(seen: Sequence[tuple[Judged, Mask]], met: Callable[[Batch], Mask]) -> bool:
    """Whether all failing inputs meet a condition, and enough passing ones do not."""
    held = [(met(one.batch), fails, ~one.left_out_mask) for one, fails in seen]
    holds, failed = (np.concatenate([each[n][each[2]] for each in held]) for n in (0, 1))
    return separates(holds, failed) and int((~holds).sum()) >= _WITHOUT


def conditions(model: Model) -> Iterator[list[tuple[str, Callable[[Batch], Mask]]]]:
    """Conditions that may be named, each with others that say it less sharply."""
    for some, test, parameters in _tests(model):
        text = echo.text(test)
        ways = [
            (f"{text} does not hold{some}", _where(test, parameters, holds=False)),
            (f"{text}{some}", _where(test, parameters, holds=True)),
        ]
        if len(test.ops) == 1:
            tie = Comparison(("==",), test.operands)
            ways.insert(0, (f"{echo.text(tie)}{some}", _where(tie, parameters, holds=True)))
        yield list(dict(ways).items())
    for name, kind in model.kinds.items():
        if kind == "real":
            yield [(f"an entry of {name} is negative", _negative(name))]
    if model.kinds:
        yield [("the upstream message is 0 somewhere", _silent)]


def _tests(model: Model) -> Iterator[tuple[str, Comparison, tuple[str, ...]]]:
    """The comparisons on which the forward message branches."""
    done = set()
    for definition in model.forward.arrays:
        for test in _branching(definition.body):
            if test not in done:
                done.add(test)
                some = ", ".join(definition.parameters)
                yield f" for some {some}" if some else "", test, definition.parameters


def _branching(node: Node) -> Iterator[Comparison]:
    match node:
        case Choice(Comparison() as test, _, _) | Indicator(Comparison() as test):
            if not any(op in ("in", "not in") for op in test.ops):
                yield test
        case Apply(function, (argument,)) if function in KINKED:
            yield Comparison((">",), (argument, Number(0.0)))
    for part in children(node):
        yield from _branching(part)


def _where(test: Node, parameters: tuple[str, ...], holds: bool) -> Callable[[Batch], Mask]:
    def met(batch: Batch) -> Mask:
        axes = Axes(len(batch))
        letters = batch.letters
        tables = {name: Table(value) for name, value in batch.values.items()}
        extent = letters.__getitem__
        duals = Duals(axes, tables, lambda name, _: extent(name), batch.model.forward.functions)
        scope = {name: Dual(axes.new(letters[name])) for name in parameters}
        try:
            truth = duals.places.condition(test, scope)
        except KeyError:
            # The comparison hangs on an index that only its sum knows.
            return np.zeros(len(batch), dtype=np.bool_)
        data = axes.full(truth, (0,)).data.reshape(len(batch), -1)
        return np.asarray(data.any(axis=1) if holds else ~data.all(axis=1))

    return met


def longer(name: str) -> Callable[[Batch], Mask]:
    def met(batch: Batch) -> Mask:
        size = batch.letters.get(name, batch.length.numbers.get(name, 1))
        return np.full(len(batch), size > 1)

    return met


def _negative(name: str) -> Callable[[Batch], Mask]:
    return lambda batch: np.asarray((batch.inputs[name].reshape(len(batch), -1) < 0).any(axis=1))


def _silent(batch: Batch) -> Mask:
    if batch.delta is None:
        return np.zeros(len(batch), dtype=np.bool_)
    return np.asarray((batch.delta.reshape(len(batch), -1) == 0).any(axis=1))
