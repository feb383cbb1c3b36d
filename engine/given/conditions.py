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
#: So many batches that fail are tried without a condition.
_TRIED = 4


def shared_by(
    model: Model,
    seen: Sequence[tuple[Judged, Mask]],
    single: Callable[[str], Batch | None],
    right: Callable[[Batch], bool],
) -> tuple[str, ...]:
    """Return the conditions of all failing inputs that enough passing inputs do not meet.

    Each tells them apart where those before it hold, and where the failing inputs can be made
    without it, these are right.  `single` gives inputs with a size of 1, None where there are none.
    """
    found: list[str] = []
    known = np.concatenate([~one.left_out_mask for one, _ in seen])
    failed = np.concatenate([fails for _, fails in seen])
    failing = [one.batch for one, fails in seen if fails.any()][:_TRIED]
    sizes = [[(f"{name} runs over more than one", longer(name))] for name in model.sized]
    apart: dict[str, list[Batch | None]] = {
        ways[0][0]: [single(name)] for ways, name in zip(sizes, model.sized, strict=True)
    }
    for name in model.kinds:
        apart[f"an entry of {name} is negative"] = [_not_negative(name, one) for one in failing]
    for ways in (*sizes, *conditions(model)):
        # Of one comparison a single side is named: two of them exclude each other.
        for said, met in ways:
            holds = np.concatenate([met(one.batch) for one, _ in seen])
            enough = int((known & ~holds).sum()) >= _WITHOUT
            if (
                enough
                and separates(holds[known], failed[known])
                and all(one is not None and right(one) for one in apart.get(said, ()))
            ):
                found.append(said)
                known &= holds
                break
    return tuple(found[:3])


def _not_negative(name: str, batch: Batch) -> Batch:
    inputs = {**batch.inputs, name: np.abs(batch.inputs[name])}
    return Batch(batch.model, batch.length, batch.grown, inputs, batch.delta)


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
        case Apply("max" | "min", (one, other)):
            yield Comparison((">",), (other, one) if isinstance(one, Number) else (one, other))
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
