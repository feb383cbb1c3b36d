"""f' of a function that the exercise gives, or that everyone knows: worked out where it is used."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from engine.formula.problem import OffsetError
from engine.formula.tree import Cell, Definition, Name, Node, children
from engine.given.slopes import DERIVATIVES, of_builtin, of_function
from engine.given.vocabulary import Words

#: Functions whose derivative may be called by a prime, each by the names that they have.
_KNOWN: Final = {
    **{name: name for name in DERIVATIVES},
    **{"sigma": "sigmoid", "ReLU": "relu", "ln": "log"},
}


def arities(words: Words) -> dict[str, int]:
    """f', tanh', ...: every primed name that has a meaning, with its one argument."""
    return {f"{name}'": 1 for name in (*words.functions, *_KNOWN) if name not in words.arrays}


def used(bodies: Iterable[Node], words: Words, defined: Collection[str]) -> list[Definition]:
    """Definitions of the primed functions that are spoken of and not defined by the learner."""
    found: dict[str, Definition] = {}
    for body in bodies:
        for name, at in _primed(body):
            if name not in defined and name not in found and name in arities(words):
                found[name] = _derived(name, at, words)
    return list(found.values())


def _derived(name: str, at: int, words: Words) -> Definition:
    base = name.removesuffix("'")
    if base in words.functions:
        try:
            made = of_function(words.functions[base], words.functions)
        except OffsetError as trouble:
            hint = f"define it on a line of its own: {name}(t) = ..."
            raise OffsetError(trouble.message, hint, at) from None
    else:
        made = of_builtin(_KNOWN[base])
    return Definition((name,), made.parameters, made.body, at)


def _primed(node: Node) -> Iterator[tuple[str, int]]:
    if isinstance(node, Cell) and node.array.endswith("'"):
        yield node.array, node.at
    if isinstance(node, Name) and node.name.endswith("'"):
        yield node.name, node.at
    for part in children(node):
        yield from _primed(part)
