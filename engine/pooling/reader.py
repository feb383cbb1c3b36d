"""Answers about max pooling read: the names and types that windows add to those of any message."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Final

from engine.formula import tree as t
from engine.formula.names import INPUT_INDICES, OUTPUT_INDICES, SCALARS, canonical, unknown_hint
from engine.formula.notation import Grammar, exponential
from engine.formula.tokens import Token
from engine.formula.tree import OffsetError, children
from engine.formula.types import Scope
from engine.messages.answer import Read, read_answer
from engine.messages.vocabulary import TypeChecker, Words
from engine.pooling.inputs import JACOBIAN, MESSAGE

# -- What an index runs over when its sum does not say: read off where it is used.
#
# delta[a,b], f[a,b], Omega(a,b) make a and b a window's row and column; x[a,b], (a,b) in
# Omega(...), (a,b) == argmax(...) make them an input's.  Where use does not decide, i,j are an
# input's and k,l a window's.


_USUAL: Final[dict[str, t.Role]] = {
    "i": ("input", 0),
    "j": ("input", 1),
    "k": ("output", 0),
    "l": ("output", 1),
}
_CELLS: Final[dict[str, tuple[t.Role, ...]]] = {
    "x": (("input", 0), ("input", 1)),
    "delta": (("output", 0), ("output", 1)),
    "f": (("output", 0), ("output", 1)),
    "df/dx": (("output", 0), ("output", 1), ("input", 0), ("input", 1)),
}


def role(name: str, place: int, node: t.Reduce, definitions: Mapping[str, t.Definition]) -> t.Role:
    """The role of `name`, the index at `place` among those of `node`.  Raises OffsetError."""
    found: set[t.Role] = set()
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
    node: t.Node,
    name: str,
    definitions: Mapping[str, t.Definition],
    opened: tuple[str, ...],
    seen: set[tuple[str, str]],
) -> Iterator[t.Role]:
    """The roles of `name`; `seen` are definitions looked through, each with the name in it."""

    def looked_into(defined: str, inner: str) -> Iterator[t.Role]:
        if (defined, inner) not in seen:
            seen.add((defined, inner))
            body = definitions[defined].body
            yield from _uses(body, inner, definitions, (*opened, defined), seen)

    match node:
        case t.Cell(array, indices):
            roles = _CELLS.get(array, ())
            if array in definitions and array not in opened:
                parameters = definitions[array].parameters
                for parameter, index in zip(parameters, indices, strict=False):
                    if index == t.Name(name):
                        yield from looked_into(array, parameter)
            else:
                yield from _positions(indices, name, roles)
        case t.Window(indices):
            yield from _positions(indices, name, _CELLS["f"])
        case t.Windows(indices):
            yield from _positions(indices, name, _CELLS["x"])
        case t.Comparison(_, operands):
            for first, second in pairwise(operands):
                yield from _compared(first, second, name, definitions)
                yield from _compared(second, first, name, definitions)
    if isinstance(node, t.Reduce) and name in node.names:
        return
    if isinstance(node, t.Name) and node.name in definitions and node.name not in opened:
        yield from looked_into(node.name, name)
    for child in children(node):
        yield from _uses(child, name, definitions, opened, seen)


def _positions(
    indices: tuple[t.Node, ...], name: str, roles: tuple[t.Role, ...]
) -> Iterator[t.Role]:
    for index, found in zip(indices, roles, strict=False):
        if index == t.Name(name):
            yield found


def _compared(
    pair: t.Node, other: t.Node, name: str, definitions: Mapping[str, t.Definition]
) -> Iterator[t.Role]:
    if not isinstance(pair, t.Pair):
        return
    if isinstance(other, t.Name) and other.name in definitions:
        other = definitions[other.name].body
    if isinstance(other, t.Pair) and any(
        isinstance(item, t.Name) and item.name in definitions for item in other.items
    ):
        yield from _positions(pair.items, name, _CELLS["x"])
    if isinstance(other, t.Window | t.Over | t.Reduce):
        yield from _positions(pair.items, name, _CELLS["x"])
    if isinstance(other, t.Windows):
        yield from _positions(pair.items, name, _CELLS["f"])


# -- The names of max pooling, and the types of what is made of windows.


class WindowWords(Words):
    windows = True

    def canonical(self, name: str) -> str | None:
        found = canonical(name)
        if name in self.names:
            return self.names[name]
        if found in ("df", "dx", "J"):
            return {"df": "df", "dx": "dx", "J": "df/dx"}[found]
        return found or super().canonical(name)

    def special(self, parser: Grammar, name: str, subscript: str, token: Token) -> t.Node | None:
        """e^x and softmax of a window, too."""
        found = exponential(parser, name, token)
        return found or super().special(parser, name, subscript, token)

    def dimensions(self, name: str) -> tuple[str, ...]:
        """Of a step of a chain alone: arrays that stand whole are not read."""
        return JACOBIAN.indices if name == JACOBIAN.key else ()

    @property
    def known(self) -> dict[str, int]:
        return {**super().known, **dict.fromkeys(SCALARS, 0)}

    def hint(self, name: str, defined: tuple[str, ...]) -> str:
        return unknown_hint(name, defined)

    def free(self, upstream: bool) -> frozenset[str]:
        """The one window that holds (i,j)."""
        return frozenset(OUTPUT_INDICES if upstream else ())

    def sends(self, checker: TypeChecker, indices: tuple[str, ...]) -> bool:
        """It also is where only a sum runs over the windows."""
        if super().sends(checker, indices):
            return True
        summed = "sum" in checker.used and not checker.free & {*OUTPUT_INDICES}
        return summed and bool(checker.free & {*INPUT_INDICES})

    def checker(
        self, definitions: tuple[t.Definition, ...], around: Collection[str]
    ) -> TypeChecker:
        return WindowTypeChecker(self.known, definitions, frozenset(around))


WORDS: Final = WindowWords(
    {"x": 2, "f": 2},
    frozenset(("x", "f", "delta")),
    "f",
    asked=frozenset((MESSAGE.key, JACOBIAN.key)),
    fixed=frozenset(("x", *SCALARS)),
    letters=frozenset((*INPUT_INDICES, *OUTPUT_INDICES)),
    places=(2,),
    sizes=frozenset(SCALARS),
)


class WindowTypeChecker(TypeChecker):
    """A definition's free indices are those of the place where it is used."""

    def name(self, name: str, at: int, scope: Scope) -> str:
        if name in scope:
            self.free.add(name)
        return super().name(name, at, scope)

    def cell(self, node: t.Cell, scope: Scope) -> str:
        if len(node.indices) == 1 and self.arities.get(node.array) == 2:
            self._places(node.indices, scope)
            return "number"
        return super().cell(node, scope)

    def _places(self, nodes: tuple[t.Node, ...], scope: Scope) -> None:
        """Two numbers, or one pair."""
        if len(nodes) > 1:
            self.numbers(nodes, scope)
        elif self.type(nodes[0], scope) != "pair":
            raise OffsetError("A pair is expected here.", "write two indices", nodes[0].at)

    def way_out(self, name: str) -> str:
        if name.endswith("*"):
            other = "j*" if name[0] == "i" else "q*"
            return f"define it on a line of its own: ({name},{other}) = argmax(k,l)"
        if name not in WORDS.letters:
            return f"bind it: sum(... for {name}), or max(x[p,q] for p,q in Omega(k,l))"
        return super().way_out(name)

    def defined(self, definition: t.Definition, at: int, scope: Scope) -> str:
        return self.body(definition, definition.names[0], at, scope)

    def over(self, node: t.Over, scope: Scope) -> str:
        if self.type(node.region, scope) == "outputs" and node.kind != "count":
            raise OffsetError(
                f"windows(...) holds windows, not values; {node.kind} needs values.",
                f"write {node.kind}(window(k,l))",
                node.region.at,
            )
        return "pair" if node.kind in ("argmax", "argmin") else "number"

    def windows(self, node: t.Node, scope: Scope) -> str:
        assert isinstance(node, t.Window | t.Windows)
        self._places(node.indices, scope)
        return "inputs" if isinstance(node, t.Window) else "outputs"

    def unranged(self, names: tuple[str, ...], node: t.Reduce) -> None:
        for name in names:
            role(name, 0, node, self.definitions)


def read(text: str, first: int = 0, step: int | None = None) -> Read:
    """What `text` says, indices beginning at `first`.

    With `step`, the side of a chain at this offset stands in the place of its last side.

    Raises FormulaError with a hint and a place; never guesses.
    """
    words = replace(WORDS, first=first)
    if step is not None:
        words = replace(words, local=frozenset((JACOBIAN.key,)), is_step=True)
    example = "dx[i,j] = sum(delta[k,l] * [...] for k,l if (i,j) in Omega(k,l))"
    return read_answer(text, words, (MESSAGE, JACOBIAN), example, step)
