"""δ_{i,i*} is Kronecker's delta in print, 1 where i = i*; here δ is the upstream message.

Which of the two is meant shows in the indices: the upstream message takes a row and a column,
Kronecker's delta two rows, or two columns.  Of i and i* that is certain, they are of one axis; of
other letters it is refused, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from engine.formula.problem import OffsetError
from engine.formula.substitute import mapped
from engine.formula.tree import (
    Binder,
    Cell,
    Comparison,
    Definition,
    Indicator,
    Logic,
    Name,
    Node,
    Number,
    Over,
    Pair,
    Reduce,
    children,
)

_USUAL: Final = {"i": 0, "k": 0, "j": 1, "l": 1}
_INPUT: Final = {"i": 0, "j": 1}

#: Along which axis each index runs: 0 rows, 1 columns.
Sides = Mapping[str, int]


def starred(indices: Sequence[Node]) -> bool:
    """Whether these are an index and the same one with a star, or a prime."""
    names = [
        index.name if isinstance(index, Name) else index.array
        for index in indices
        # i*(k,l) is a number with indices, x[i,j] is none of an index.
        if isinstance(index, Name) or (isinstance(index, Cell) and index.array.endswith("*"))
    ]
    bare = [name.rstrip("'*") for name in names]
    return len(indices) == len(names) == 2 and bare[0] == bare[1] and names[0] != names[1]


def of_places(indices: Sequence[Node]) -> bool:
    """Whether these are two places, which delta never takes: δ_{(i,j),(i*,j*)}."""
    return len(indices) == 2 and all(
        isinstance(index, Pair)
        or (isinstance(index, Over | Reduce) and index.kind in ("argmax", "argmin"))
        for index in indices
    )


def put(indices: Iterable[str], definitions: Iterable[Definition], node: Node) -> Node:
    """δ_{i,m} as [i == m], where (m, n) = ... is a place: upstream takes no two rows."""
    own = {name: side for side, name in enumerate(tuple(indices)[-2:])} or _INPUT
    pairs = {
        name: side
        for one in definitions
        if len(one.names) == 2
        for side, name in enumerate(one.names)
    }
    return _put(node, own, pairs) if pairs else node


def _put(node: Node, own: Sides, pairs: Sides) -> Node:
    if isinstance(node, Cell) and node.array == "delta" and len(node.indices) == 2:
        first, second = (_named(index) for index in node.indices)
        one, two = (first, second) if first in own else (second, first)
        if one in own and two in pairs and own[one] == pairs[two]:
            return equal(*node.indices, node.at)
    if isinstance(node, Reduce):
        own = {name: side for name, side in own.items() if name not in node.names}
    return mapped(node, lambda part: _put(part, own, pairs))


def _named(index: Node) -> str:
    """The name of an index, also of one with indices of its own, i*(k,l)."""
    if isinstance(index, Cell):
        return index.array
    return index.name if isinstance(index, Name) else ""


def equal(one: Node, other: Node, at: int) -> Indicator:
    """Kronecker's delta: [one == other]."""
    return Indicator(Comparison(("==",), (one, other), at), at)


def of_itself(upper: Sequence[Node], lower: Sequence[Node], at: int) -> Node:
    """dx_m/dx_j: 1 where the indices agree."""
    tests = tuple(Comparison(("==",), pair, at) for pair in zip(upper, lower, strict=True))
    if not tests:
        return Number(1.0, at)
    return Indicator(tests[0] if len(tests) == 1 else Logic("and", tests, at), at)


def refuse(indices: Iterable[str], definitions: Iterable[Definition], body: Node) -> None:
    """Raise OffsetError at the first delta whose two indices run along the same axis."""
    definitions = tuple(definitions)
    sides: dict[str, int] = dict(_USUAL)
    for place, name in enumerate(indices):
        sides[name] = place % 2
    for definition in definitions:
        if len(definition.names) == 2:
            sides.update({name: side for side, name in enumerate(definition.names)})
    for definition in definitions:
        count = len(definition.parameters)
        named = {name: at % 2 for at, name in enumerate(definition.parameters)}
        _walk(definition.body, {**sides, **(named if count in (2, 4) else {})})
    _walk(body, sides)


def _walk(node: Node, sides: Sides) -> None:
    if isinstance(node, Cell) and node.array == "delta" and len(node.indices) == 2:
        first, second = map(_named, node.indices)
        if first and second:
            _look(first, second, sides, node.at)
    if isinstance(node, Reduce):
        sides = {**sides, **_bound(node.binders)}
    for child in children(node):
        _walk(child, sides)


def _bound(binders: Iterable[Binder]) -> Sides:
    """Pairs of bound indices are a row and a column."""
    pairs = [binder.names for binder in binders if len(binder.names) == 2]
    return {name: side for names in pairs for side, name in enumerate(names)}


def _look(first: str, second: str, sides: Sides, at: int) -> None:
    one, two = (sides.get(name, sides.get(name.rstrip("'*"))) for name in (first, second))
    if one is None or one != two:
        return
    raise OffsetError(
        f"delta[{first},{second}] takes two {('rows', 'columns')[one]}: delta is the upstream "
        "message dL/df, a row and a column of the output.",
        f"for Kronecker's delta write [{first} == {second + '*' * (first == second)}]",
        at,
    )
