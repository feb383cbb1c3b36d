"""Read a formula about max pooling: scopes and types are checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Final

from engine.formula import tree as t
from engine.formula.binders import expanded
from engine.formula.names import INPUT_INDICES, OUTPUT_INDICES, SCALARS, canonical, unknown_hint
from engine.formula.notation import PoolingNames, put_kronecker, refuse, with_message
from engine.formula.parser import Parser
from engine.formula.rewrite import bound_in, inside, sums_over_all
from engine.formula.statements import (
    Statement,
    as_definition,
    definition,
    lines_of,
    names_defined,
    split,
)
from engine.formula.tokens import tokenize
from engine.formula.tree import OffsetError, children, located
from engine.formula.types import Checker, Scope, not_a_number
from engine.formula.unparse import echo

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
    "J": (("output", 0), ("output", 1), ("input", 0), ("input", 1)),
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


# -- Types and scopes where there are windows.  A definition's free indices are those of the place
# where it is used.


#: The indices that may stand free in an answer without a left side.
FREE: Final = (*INPUT_INDICES, *OUTPUT_INDICES)


class PoolingTypeChecker(Checker):
    """Remembers which free indices it met, too."""

    deepest = 90
    pair_hint = "write (i*,j*) = argmax(k,l)"

    def __init__(self, definitions: list[t.Definition], target: t.Target) -> None:
        super().__init__(definitions)
        self.target = target

    def name(self, name: str, at: int, scope: Scope) -> str:
        if name in scope:
            self.free.add(name)
            return "number"
        definition = self.definitions.get(name)
        if definition is not None:
            if definition.parameters:
                raise OffsetError(f"{name} is defined with indices.", f"write {name}[...]", at)
            return self._defined(definition, name, at, scope)
        if name in SCALARS:
            return "number"
        if name in ("x", "delta", "f"):
            return "array"
        if name in ("dx", "J"):
            raise OffsetError(f"{name} is what is asked for.", "write it with delta, x and f", at)
        if len(name.rstrip("'*")) == 1:
            raise self._unbound(name, at)
        raise OffsetError(
            f"I do not know '{name}'.", unknown_hint(name, tuple(self.definitions)), at
        )

    def _unbound(self, name: str, at: int) -> OffsetError:
        if name.endswith("*"):
            other = "j*" if name[0] == "i" else "q*"
            hint = f"define it on a line of its own: ({name},{other}) = argmax(k,l)"
        elif self.target == "J" or name not in FREE:
            hint = f"bind it: sum(... for {name}), or max(x[p,q] for p,q in Omega(k,l))"
        else:
            hint = f"name it on the left side, or bind it: sum(... for {name})"
        return OffsetError(f"The index {name} is not defined here.", hint, at)

    def _defined(self, definition: t.Definition, name: str, at: int, scope: Scope) -> str:
        kind = self.body(definition, name, at, scope)
        return "number" if len(definition.names) == 2 else kind

    def cell(self, node: t.Cell, scope: Scope) -> str:
        self._places(node.indices, scope)
        if node.array in self.definitions:
            return self._defined(self.definitions[node.array], node.array, node.at, scope)
        if node.array in ("dx", "J"):
            hint = "define df_kl/dx_ij on a line of its own" if node.array == "J" else ""
            raise OffsetError(
                f"{node.array} is what is asked for, it cannot be used.",
                hint or "write it with delta, x and f",
                node.at,
            )
        return "number"

    def _places(self, nodes: tuple[t.Node, ...], scope: Scope) -> None:
        """Two numbers, or one pair."""
        if len(nodes) > 1:
            self.numbers(nodes, scope)
        elif self.type(nodes[0], scope) != "pair":
            raise OffsetError("A pair is expected here.", "write two indices", nodes[0].at)

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


# -- From a parsed line to an answer: what it is the answer to, and that all of it has a meaning.


def checked_answer(line: Statement, definitions: list[t.Definition], body: t.Node) -> t.Answer:
    """The answer with its target, all types and scopes in order.  Raises OffsetError."""
    left = line.left
    refuse(left.names if left else (), definitions, body)
    if left is None:
        target = _target(definitions, body)
        indices: tuple[str, ...] = ()
    else:
        target = "dx" if left.kind == "dx" else "J"
        indices = left.names
    indices = indices or (INPUT_INDICES if target == "dx" else (*OUTPUT_INDICES, *INPUT_INDICES))
    defined = {name: d for d in definitions for name in d.names}
    for name in indices:
        if name in defined:
            at = defined[name].at
            raise OffsetError(
                f"{name} is an index of the answer, it cannot be defined.", "use another letter", at
            )
    free = {*indices, *(OUTPUT_INDICES if target == "dx" else ())} - {*defined}
    checker = PoolingTypeChecker(definitions, target)
    kind = checker.type(body, frozenset(free))
    if kind == "condition":
        raise OffsetError(
            "The answer is a condition, true or false, not a number.",
            "write [condition] to make it 1 or 0",
            line.right[0].at,
        )
    if kind != "number":
        raise not_a_number(body, kind)
    for each in definitions:
        if each.names[0] not in checker.used:
            checker.type(each.body, frozenset({*FREE, *indices} - {*defined} | {*each.parameters}))
    return t.Answer(target, indices, tuple(definitions), body)


def _target(definitions: list[t.Definition], body: t.Node) -> t.Target:
    """Without a left side: dx where delta occurs, or where only a sum runs over the windows."""
    checker = PoolingTypeChecker(definitions, "dx")
    checker.type(body, frozenset(FREE) - {*checker.definitions})
    if "delta" in checker.used:
        return "dx"
    summed = "sum" in checker.used and not checker.free & set(OUTPUT_INDICES)
    return "dx" if summed and checker.free & set(INPUT_INDICES) else "J"


# -- read(text): tokens, lines, trees, checks; what comes out is ready to be shown and evaluated.


def read(text: str, first: int = 0, step: int | None = None) -> t.Formula:
    """What `text` says, indices beginning at `first`.

    With `step`, the side of a chain at this offset stands in the place of its last side.

    Raises FormulaError with a hint and a place; never guesses.
    """
    try:
        answer, chains = with_message(
            lambda name: _answer(text, PoolingNames(message=name), step), text, canonical
        )
    except OffsetError as trouble:
        raise located(trouble, text) from None
    if not first:
        answer = _from_zero(answer)
    return t.Formula(answer.target, echo(answer), answer, text, chains=chains)


def _from_zero(answer: t.Answer) -> t.Answer:
    """Sums from 1 to Ho, as print has them, as sums over all windows."""
    defined = {name for one in answer.definitions for name in one.names}

    def put(node: t.Node) -> t.Node:
        known = {*SCALARS, *FREE, *answer.indices, *defined, *bound_in(node)}
        return sums_over_all(node, known, SCALARS, numbers={*SCALARS, *defined})

    definitions = tuple(replace(one, body=put(one.body)) for one in answer.definitions)
    return replace(answer, definitions=definitions, body=put(answer.body))


def _answer(text: str, vocabulary: PoolingNames, step: int | None) -> tuple[t.Answer, t.Chains]:
    split_lines = split(tokenize(text))
    if not split_lines:
        raise OffsetError(
            "There is no formula yet.",
            "write dx[i,j] = sum(delta[k,l] * [...] for k,l if (i,j) in Omega(k,l))",
            0,
        )
    lines = lines_of(split_lines, step)
    final = _final(lines)
    # A Jacobian on a line before the full message defines what the message may use.
    others = [as_definition(line, ("k", "l", "i", "j")) for line in lines if line is not final]
    defined = names_defined(others)
    pairs = {
        name: line.left.parameters
        for line in others
        if line.left is not None and len(line.left.names) == 2
        for name in line.left.names
    }

    def parsed(line: Statement) -> t.Node:
        parser = Parser(line.right, defined, vocabulary)
        parser.parameters = pairs
        return parser.whole()

    found = [definition(line, parsed(line)) for line in others]
    body = parsed(final)
    bodies = (body, *(one.body for one in found if one is not None))
    if (
        step is not None
        and "J" not in defined
        and any(t.name_of(part) == "J" for one in bodies for part in inside(one))
    ):
        # A step may leave df_kl/dx_ij as it is.
        (link,) = lines_of(split(tokenize("J[k,l,i,j] = [(i,j) = argmax(k,l)]")))
        found.append(definition(as_definition(link), parsed(link)))
    definitions, body = expanded([one for one in found if one is not None], body)
    names = final.left.names if final.left is not None else ()
    body = put_kronecker(names, definitions, body)
    definitions = [
        replace(one, body=put_kronecker((), definitions, one.body)) for one in definitions
    ]
    chains = (*(line.chain for line in others), final.chain)
    return checked_answer(final, definitions, body), chains


def _final(lines: list[Statement]) -> Statement:
    """The line that is the answer."""
    answers = [line for line in lines if line.left is None]
    asked = [line for line in lines if line.left is not None and line.left.kind != "definition"]
    if len(answers) + len([a for a in asked if a.left and a.left.kind == "dx"]) > 1:
        at = (answers + asked)[1].right[0].at
        raise OffsetError("There are two answers here.", "keep one; give the other a name", at)
    if answers:
        return answers[0]
    if not asked:
        for left in (line.left for line in lines):
            if left is not None and left.names == ("delta",):
                said = "delta is the message from above: delta[k,l] = dL/df[k,l] is given."
                raise OffsetError(said, "write dx[i,j] = ... for the answer", left.at)
        last = lines[-1]
        raise OffsetError(
            "These lines only define names; none is the answer.",
            "add a line dx[i,j] = ... or df_kl/dx_ij = ...",
            last.right[-1].at,
        )
    whole = [line for line in asked if line.left is not None and line.left.kind == "dx"]
    return whole[0] if whole else asked[-1]
