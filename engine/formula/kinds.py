"""What goes with what: a number with a number, a place with a place, a place in a set."""

from __future__ import annotations

from typing import Final

from engine.formula.problem import OffsetError
from engine.formula.tree import Comparison, Name, Node, Over, Pair, Reduce

_WORDS: Final = {
    "pair": "a pair of coordinates, not a number",
    "condition": "a condition, not a number",
    "inputs": "a set of places, not a number",
    "outputs": "a set of windows, not a number",
    "numbers": "a range of numbers, not a number",
    "array": "a whole array, not a number",
}


def not_a_number(node: Node, kind: str) -> OffsetError:
    match node:
        case Over(name) | Reduce(name) if kind == "pair":
            return OffsetError(
                f"{name} is {_WORDS[kind]}.", f"compare it: [(i,j) == {name}(k,l)]", node.at
            )
        case Name(name) if kind == "array":
            return OffsetError(
                f"{name} is {_WORDS[kind]}.", f"give it indices: {name}[...]", node.at
            )
    hint = "write [condition] to make it 1 or 0" if kind == "condition" else "compare it in [ ]"
    return OffsetError(f"This is {_WORDS[kind]}.", hint, node.at)


def runs_over(domain: Node, kind: str, names: int) -> None:
    """Refuses a domain that `names` indices cannot run over."""
    settable = isinstance(domain, Over | Reduce) and kind == "pair"
    if kind == "numbers" and names == 1:
        return
    if (kind in ("inputs", "outputs") or settable) and names == 2:
        return
    hint = "write p,q in Omega(k,l), or k in range(Ho)"
    raise OffsetError("These indices cannot run over this.", hint, domain.at)


def membership(left: str, right: str, first: Node, second: Node) -> None:
    if left == "number" and right == "numbers":
        return
    if left == "pair" and right in ("inputs", "outputs"):
        return
    if left == "pair" and right == "pair" and not isinstance(second, Pair):
        return
    if right not in ("inputs", "outputs", "numbers", "pair"):
        raise OffsetError("What follows 'in' is not a set.", "write (i,j) in Omega(k,l)", second.at)
    raise OffsetError("Omega holds places.", "write (i,j) in Omega(k,l)", first.at)


def unlike(node: Comparison, place: int, left: str, right: str) -> OffsetError:
    words = {"number": "a number", "pair": "a pair"}
    names = [words.get(kind, _WORDS.get(kind, kind).split(",")[0]) for kind in (left, right)]
    return OffsetError(
        f"This compares {names[0]} with {names[1]} by '{node.ops[place]}'.",
        "compare a place with a place, (i,j) == argmax(k,l), or a value with a value",
        node.operands[place + 1].at if left in ("number", "pair") else node.operands[place].at,
    )
