"""By convention, the targets of a cross-entropy are a distribution: which inputs they are."""

from __future__ import annotations

from collections.abc import Iterator

from engine.formula.tree import Apply, Arithmetic, Cell, Name, Negative, Node, Reduce
from engine.given.forward import Forward
from engine.given.paper import inside


def targets_of_cross_entropy(forward: Forward) -> Iterator[tuple[str, int]]:
    """Inputs t in sum(t[k] * log(...) for k): by convention they sum to 1 along k."""
    for definition in forward.arrays:
        for node in inside(definition.body):
            if isinstance(node, Reduce) and node.kind == "sum":
                yield from _weights_of_logs(node, forward)


def _weights_of_logs(node: Reduce, forward: Forward) -> Iterator[tuple[str, int]]:
    factors = list(_factors(node.body))
    if not any(isinstance(factor, Apply) and factor.function == "log" for factor in factors):
        return
    for factor in factors:
        if isinstance(factor, Cell) and factor.array in forward.inputs:
            for place, index in enumerate(factor.indices):
                if isinstance(index, Name) and index.name in node.names:
                    yield factor.array, place


def _factors(node: Node) -> Iterator[Node]:
    match node:
        case Arithmetic("*", left, right):
            yield from _factors(left)
            yield from _factors(right)
        case Negative(part):
            yield from _factors(part)
        case _:
            yield node
