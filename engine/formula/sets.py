"""Sets of one's own, S(i,j) = {(k,l) : C}: put in place where they are used, and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from engine.formula import build
from engine.formula.problem import OffsetError
from engine.formula.substitute import free, mapped, substituted
from engine.formula.tree import (
    Apply,
    Binder,
    Cell,
    Comparison,
    Definition,
    Name,
    Node,
    Not,
    Number,
    Over,
    Pair,
    Places,
    Reduce,
    Window,
    Windows,
)


@dataclass(slots=True)
class Sets:
    """The sets that lines define, and how many parts were looked through for them so far."""

    named: Mapping[str, Definition]
    steps: int = 0


_MOST: Final = 20
MAX_DEPTH: Final = 90
MAX_STEPS: Final = 2_000


def expanded(definitions: list[Definition], body: Node) -> tuple[list[Definition], Node]:
    """The definitions that are no sets, and the body, with the sets in their places."""
    named = {one.names[0]: one for one in definitions if isinstance(one.body, Places)}
    sets = Sets(named)
    rest = [one for one in definitions if one.names[0] not in named]
    return [replace(one, body=_put(one.body, sets)) for one in rest], _put(body, sets)


def _set(node: Node | None, sets: Sets, depth: int = 0) -> Places | None:
    """The set that a node is, or names; its own domain put in place as well."""
    found: Node | None = node
    if isinstance(node, Name | Cell):
        name = node.name if isinstance(node, Name) else node.array
        if name not in sets.named:
            return None
        one = sets.named[name]
        indices = node.indices if isinstance(node, Cell) else ()
        found = substituted(one.body, dict(zip(one.parameters, indices, strict=False)))
    if not isinstance(found, Places):
        return None
    if depth > _MOST:
        raise OffsetError("This set is defined by itself.", "define it by others", found.at)
    inner = _set(found.domain, sets, depth + 1)
    if inner is None:
        return found
    tests = [*_tests(found), *_tests(_of(inner, [Name(name, found.at) for name in found.names]))]
    return Places(found.names, inner.domain, _all(tests), found.at)


def _of(found: Places, items: list[Node]) -> Places:
    """The set with its indices put by these."""
    if len(items) != len(found.names):
        raise OffsetError("This set holds pairs.", "write (i,j) in it", found.at)
    by = dict(zip(found.names, items, strict=True))
    condition = None if found.condition is None else substituted(found.condition, by)
    return replace(found, condition=condition)


def _tests(found: Places) -> list[Node]:
    return [] if found.condition is None else [found.condition]


def _all(tests: list[Node]) -> Node | None:
    return build.logic("and", tests, tests[0].at) if tests else None


def _put(node: Node, sets: Sets, depth: int = 0) -> Node:
    depth += 1
    sets.steps += 1
    if depth > MAX_DEPTH or sets.steps > MAX_STEPS:
        raise OffsetError("The formula is too large.", "write it shorter", node.at)
    if isinstance(node, Reduce):
        node = _ranged(node, sets)
    elif isinstance(node, Comparison) and node.ops[-1] in ("in", "not in"):
        found = _set(node.operands[-1], sets)
        if found is not None and len(node.ops) == 1:
            return _put(_member(node, found), sets, depth)
    elif isinstance(node, Apply) and node.function == "abs":
        # |S| is the number of its places.
        held = node.arguments[0]
        found = _set(held, sets)
        if found is not None:
            binder = Binder(found.names, found.domain, found.at)
            test = found.condition or _same(node.at)
            return _put(Reduce("count", test, (binder,), None, node.at), sets, depth)
        if isinstance(held, Over | Reduce) and held.kind in ("argmax", "argmin"):
            used = free(held)
            pair = tuple(next(a for a in letters if a not in used) for letters in ("pmau", "qnbv"))
            binder = Binder(pair, mapped(held, lambda part: _put(part, sets, depth)), node.at)
            return Reduce("count", _same(node.at), (binder,), None, node.at)
        if isinstance(held, Window | Windows):
            return Over("count", mapped(held, lambda part: _put(part, sets, depth)), node.at)
    elif isinstance(node, Places):
        raise OffsetError(
            "A set stands where a number belongs.",
            "compare with it, (i,j) in {...}, sum over it, or count it: |{...}|",
            node.at,
        )
    elif _set(node, sets) is not None:
        raise OffsetError(
            "This is a set, not a number.",
            "compare with it, (i,j) in S, sum over it, or count it: |S|",
            node.at,
        )
    return mapped(node, lambda part: _put(part, sets, depth))


def _same(at: int) -> Node:
    return Comparison(("==",), (Number(1.0, at), Number(1.0, at)), at)


def _ranged(node: Reduce, sets: Sets) -> Reduce:
    """A sum over a set of one's own: over the set's own range, where its condition holds."""
    binders: list[Binder] = []
    tests: list[Node] = []
    for binder in node.binders:
        found = _set(binder.domain, sets)
        if found is None:
            binders.append(binder)
            continue
        tests += _tests(_of(found, [Name(name, binder.at) for name in binder.names]))
        binders.append(replace(binder, domain=found.domain))
    if not tests and tuple(binders) == node.binders:
        return node
    if node.condition is not None:
        tests.append(node.condition)
    return replace(node, binders=tuple(binders), condition=_all(tests))


def _member(node: Comparison, found: Places) -> Node:
    pair = node.operands[0]
    if not isinstance(pair, Pair):
        raise OffsetError("A set holds places.", "write (i,j) in it", pair.at)
    tests = _tests(_of(found, list(pair.items)))
    if found.domain is not None:
        tests.insert(0, Comparison(("in",), (pair, found.domain), node.at))
    whole = _all(tests) or _same(node.at)
    return whole if node.ops == ("in",) else Not(whole, node.at)
