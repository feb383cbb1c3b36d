"""From a parsed line to an answer: what it is the answer to, and that all of it has a meaning."""

from __future__ import annotations

from engine.formula import kronecker
from engine.formula.kinds import not_a_number
from engine.formula.names import INPUT_INDICES, OUTPUT_INDICES
from engine.formula.problem import OffsetError
from engine.formula.scopes import FREE, Checker
from engine.formula.statements import Line
from engine.formula.tree import Answer, Definition, Node, Target


def check(line: Line, definitions: list[Definition], body: Node) -> Answer:
    """The answer with its target, all types and scopes in order.  Raises OffsetError."""
    left = line.left
    kronecker.refuse(left.names if left else (), definitions, body)
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
    checker = Checker(definitions, target)
    kind = checker.type(body, frozenset(free))
    if kind == "condition":
        raise OffsetError(
            "The answer is a condition, true or false, not a number.",
            "write [condition] to make it 1 or 0",
            line.right[0].at,
        )
    if kind != "number":
        raise not_a_number(body, kind)
    for definition in definitions:
        if definition.names[0] not in checker.used:
            checker.type(
                definition.body,
                frozenset({*FREE, *indices} - {*defined} | {*definition.parameters}),
            )
    return Answer(target, indices, tuple(definitions), body)


def _target(definitions: list[Definition], body: Node) -> Target:
    """Without a left side: dx where delta occurs, or where only a sum runs over the windows."""
    checker = Checker(definitions, "dx")
    checker.type(body, frozenset(FREE) - {*checker.definitions})
    if "delta" in checker.used:
        return "dx"
    summed = "sum" in checker.used and not checker.free & set(OUTPUT_INDICES)
    return "dx" if summed and checker.free & set(INPUT_INDICES) else "J"
