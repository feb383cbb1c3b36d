"""Names that print has for what is given: ŷ for the prediction, ε for eps, N for how many."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from engine.formula.tree import (
    Apply,
    Binder,
    Cell,
    Comparison,
    Name,
    Node,
    Number,
    Reduce,
    children,
)
from engine.given.paper import renamed

if TYPE_CHECKING:
    from engine.given.vocabulary import Words

_COUNTS: Final = ("N", "n", "m", "M", "B", "batch_size")
_EPSILON: Final = ("epsilon", "varepsilon")


def meant(name: str, words: Words) -> str | None:
    """The given name that `name`, which is none itself, is print's name of; None of no other."""
    if name in words.arities:
        return None
    if words.names.get(name) in (*words.arities, "delta"):
        return words.names[name]
    if name in _EPSILON:
        return "eps" if "eps" in words.arities else None
    base = name.removesuffix("hat").removesuffix("_")
    if base == name or not base:
        return None
    if base in words.arrays and (base not in words.fixed or "t" in words.arrays):
        return base
    made = [one for one in words.arrays if one not in words.fixed and words.arities[one] > 0]
    return made[0] if words.loss and base == "y" and len(made) == 1 else None


def counted(node: Node, words: Words, taken: Collection[str]) -> Node:
    """The formula with sum(1 for k) for an N that nothing else is called.

    Only where all arrays have one range in common, or all means of the forward message, so that
    there is one number to be meant.
    """
    ranges = {dim.partition("#")[0].partition(":")[0] for of in words.dims.values() for dim in of}
    if len(ranges) != 1:
        ranges = {*words.averaged}
    if len(ranges) != 1:
        return node
    letter = ranges.pop()
    for name in _COUNTS:
        if name not in {*taken, *words.sizes, *words.known} and not picks(node, name, words):
            binder = Binder((letter,), None)
            node = renamed(node, name, Reduce("sum", Number(1.0), (binder,), None))
    return node


def picks(node: Node, name: str, words: Words, inside: bool = False) -> bool:
    """Whether a name is used as an index."""
    if inside and node == Name(name):
        return True
    match node:
        case Reduce() if name in node.names:
            return False
        case Comparison(("==",) | ("!=",), operands) if Name(name) in operands:
            return True
        case Cell(array):
            inside = inside or not (array.endswith("'") or array in words.functions)
        case Apply("entry", (part, *at)):
            among = any(picks(index, name, words, True) for index in at)
            return among or picks(part, name, words, inside)
    return any(picks(part, name, words, inside) for part in children(node))
