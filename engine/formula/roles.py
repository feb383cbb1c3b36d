"""What an index runs over when its sum does not say: read off where it is used.

delta[a,b], f[a,b], Omega(a,b) make a and b a window's row and column; x[a,b], (a,b) in Omega(...),
(a,b) == argmax(...) make them an input's.  Where use does not decide, i,j are an input's and k,l a
window's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final

from engine.formula.problem import OffsetError
from engine.formula.tree import (
    Cell,
    Comparison,
    Definition,
    Name,
    Node,
    Over,
    Pair,
    Reduce,
    Role,
    Window,
    Windows,
    children,
)

_USUAL: Final[dict[str, Role]] = {
    "i": ("input", 0),
    "j": ("input", 1),
    "k": ("output", 0),
    "l": ("output", 1),
}
_CELLS: Final[dict[str, tuple[Role, ...]]] = {
    "x": (("input", 0), ("input", 1)),
    "delta": (("output", 0), ("output", 1)),
    "f": (("output", 0), ("output", 1)),
    "J": (("output", 0), ("output", 1), ("input", 0), ("input", 1)),
}


def role(name: str, place: int, node: Reduce, definitions: Mapping[str, Definition]) -> Role:
    """The role of `name`, the index at `place` among those of `node`.  Raises OffsetError."""
    found: set[Role] = set()
    for part in children(node):
        found.update(_uses(part, name, definitions, (), set()))
    if len(found) == 1:
        return found.pop()
    usual = _USUAL.get(name.rstrip("'"))
    if usual is not None and (not found or usual in found):
        return usual
    sides = {side for side, _ in found}
    if not found:
        raise OffsetError(
            f"I cannot tell what {name} runs over.",
            f"say it: for {name} in range(Ho), in range(kh), or for p,q in Omega(k,l)",
            node.at,
        )
    return ("output" if "output" in sides else "input", min(place, 1))


def _uses(
    node: Node,
    name: str,
    definitions: Mapping[str, Definition],
    opened: tuple[str, ...],
    seen: set[tuple[str, str]],
) -> Iterator[Role]:
    """The roles of `name`; `seen` are definitions looked through, each with the name in it."""

    def inside(defined: str, inner: str) -> Iterator[Role]:
        if (defined, inner) not in seen:
            seen.add((defined, inner))
            body = definitions[defined].body
            yield from _uses(body, inner, definitions, (*opened, defined), seen)

    match node:
        case Cell(array, indices):
            roles = _CELLS.get(array, ())
            if array in definitions and array not in opened:
                parameters = definitions[array].parameters
                for parameter, index in zip(parameters, indices, strict=False):
                    if index == Name(name):
                        yield from inside(array, parameter)
            else:
                yield from _positions(indices, name, roles)
        case Window(indices):
            yield from _positions(indices, name, _CELLS["f"])
        case Windows(indices):
            yield from _positions(indices, name, _CELLS["x"])
        case Comparison(_, operands):
            for first, second in pairwise(operands):
                yield from _compared(first, second, name, definitions)
                yield from _compared(second, first, name, definitions)
    if isinstance(node, Reduce) and name in node.names:
        return
    if isinstance(node, Name) and node.name in definitions and node.name not in opened:
        yield from inside(node.name, name)
    for child in children(node):
        yield from _uses(child, name, definitions, opened, seen)


def _positions(indices: tuple[Node, ...], name: str, roles: tuple[Role, ...]) -> Iterator[Role]:
    for index, found in zip(indices, roles, strict=False):
        if index == Name(name):
            yield found


def _compared(
    pair: Node, other: Node, name: str, definitions: Mapping[str, Definition]
) -> Iterator[Role]:
    if not isinstance(pair, Pair):
        return
    if isinstance(other, Name) and other.name in definitions:
        other = definitions[other.name].body
    if isinstance(other, Pair) and any(
        isinstance(item, Name) and item.name in definitions for item in other.items
    ):
        yield from _positions(pair.items, name, _CELLS["x"])
    if isinstance(other, Window | Over | Reduce):
        yield from _positions(pair.items, name, _CELLS["x"])
    if isinstance(other, Windows):
        yield from _positions(pair.items, name, _CELLS["f"])
