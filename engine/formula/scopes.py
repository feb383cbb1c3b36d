"""Types and scopes: what is a number, a condition, a pair, a set; which indices are bound.

Types: "number", "condition", "pair", "inputs" and "outputs" (sets of pairs), "numbers" (a range),
"array".  A definition is read where it is used: its free indices are those of that place.
"""

from __future__ import annotations

from typing import Final

from engine.formula.kinds import membership, not_a_number, runs_over, unlike
from engine.formula.names import INPUT_INDICES, OUTPUT_INDICES, SCALARS, unknown_hint
from engine.formula.problem import OffsetError
from engine.formula.roles import role
from engine.formula.tree import (
    Apply,
    Arithmetic,
    Cell,
    Choice,
    Comparison,
    Definition,
    Indicator,
    Logic,
    Name,
    Negative,
    Node,
    Not,
    Number,
    Over,
    Pair,
    Range,
    Reduce,
    Target,
    Window,
    Windows,
)

#: Nodes, with every definition counted where it is used.
MAX_NODES: Final = 1_000
MAX_DEPTH: Final = 90
#: The indices that may stand free in an answer without a left side.
FREE: Final = (*INPUT_INDICES, *OUTPUT_INDICES)


class Checker:
    """One walk; remembers which names and which free indices it met."""

    def __init__(self, definitions: list[Definition], target: Target) -> None:
        self.definitions = {name: d for d in definitions for name in d.names}
        self.target = target
        self.used: set[str] = set()
        self.free: set[str] = set()
        self._open: list[str] = []
        self._nodes = 0
        self._depth = 0

    def number(self, node: Node, scope: frozenset[str]) -> None:
        kind = self.type(node, scope)
        if kind != "number":
            raise not_a_number(node, kind)

    def condition(self, node: Node, scope: frozenset[str]) -> None:
        kind = self.type(node, scope)
        if kind != "condition":
            raise OffsetError(
                "A condition is expected here, this is not one.", "write a == b, or a < b", node.at
            )

    def type(self, node: Node, scope: frozenset[str]) -> str:
        self._nodes += 1
        self._depth += 1
        if self._nodes > MAX_NODES or self._depth > MAX_DEPTH:
            raise OffsetError("The formula is too large.", "write it shorter", node.at)
        kind = self._type(node, scope)
        self._depth -= 1
        return kind

    def _type(self, node: Node, scope: frozenset[str]) -> str:
        match node:
            case Number():
                return "number"
            case Name(name, at):
                return self._name(name, at, scope)
            case Cell():
                return self._cell(node, scope)
            case Apply(_, parts):
                self._numbers(parts, scope)
            case Arithmetic(_, left, right):
                self._numbers((left, right), scope)
            case Negative(operand):
                self.number(operand, scope)
            case Indicator(test):
                self.condition(test, scope)
            case Choice(test, then, otherwise):
                self.condition(test, scope)
                self._numbers((then, otherwise), scope)
            case Reduce():
                return self._reduce(node, scope)
            case _:
                return self._other(node, scope)
        return "number"

    def _other(self, node: Node, scope: frozenset[str]) -> str:
        match node:
            case Comparison():
                self._comparison(node, scope)
                return "condition"
            case Logic(_, parts):
                for part in parts:
                    self.condition(part, scope)
                return "condition"
            case Not(operand):
                self.condition(operand, scope)
                return "condition"
            case Pair(items):
                self._numbers(items, scope)
                return "pair"
            case Range(start, stop):
                self._numbers((start, stop), scope)
                return "numbers"
            case Window(indices):
                self._numbers_or_pair(indices, scope)
                return "inputs"
            case Windows(indices):
                self._numbers_or_pair(indices, scope)
                return "outputs"
            case Over(kind, region):
                if self.type(region, scope) == "outputs" and kind != "count":
                    raise OffsetError(
                        f"windows(...) holds windows, not values; {kind} needs values.",
                        f"write {kind}(window(k,l))",
                        region.at,
                    )
                return "pair" if kind in ("argmax", "argmin") else "number"
        raise AssertionError(node)

    def _numbers(self, nodes: tuple[Node, ...], scope: frozenset[str]) -> None:
        for node in nodes:
            self.number(node, scope)

    def _numbers_or_pair(self, nodes: tuple[Node, ...], scope: frozenset[str]) -> None:
        if len(nodes) == 1:
            if self.type(nodes[0], scope) != "pair":
                raise OffsetError("A pair is expected here.", "write two indices", nodes[0].at)
        else:
            self._numbers(nodes, scope)

    def _name(self, name: str, at: int, scope: frozenset[str]) -> str:
        self.used.add(name)
        if name in scope:
            self.free.add(name)
            return "number"
        if name in self.definitions:
            if self.definitions[name].parameters:
                raise OffsetError(f"{name} is defined with indices.", f"write {name}[...]", at)
            return self._definition(name, at, scope)
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

    def _definition(self, name: str, at: int, scope: frozenset[str]) -> str:
        if name in self._open:
            raise OffsetError(f"'{name}' is defined by itself.", "define it by other names", at)
        definition = self.definitions[name]
        self.used.update(definition.names)
        self._open.append(name)
        kind = self.type(definition.body, scope | set(definition.parameters))
        self._open.pop()
        if len(definition.names) == 2:
            if kind != "pair":
                raise OffsetError(
                    "A pair of names is defined by a pair.",
                    "write (i*,j*) = argmax(k,l)",
                    definition.at,
                )
            return "number"
        return kind

    def _cell(self, node: Cell, scope: frozenset[str]) -> str:
        self.used.add(node.array)
        self._numbers_or_pair(node.indices, scope)
        if node.array in self.definitions:
            return self._definition(node.array, node.at, scope)
        if node.array in ("dx", "J"):
            hint = "define df_kl/dx_ij on a line of its own" if node.array == "J" else ""
            raise OffsetError(
                f"{node.array} is what is asked for, it cannot be used.",
                hint or "write it with delta, x and f",
                node.at,
            )
        return "number"

    def _reduce(self, node: Reduce, scope: frozenset[str]) -> str:
        self.used.add(node.kind)
        inner = scope
        for binder in node.binders:
            if binder.domain is not None:
                kind = self.type(binder.domain, inner)
                runs_over(binder.domain, kind, len(binder.names))
            else:
                for name in binder.names:
                    role(name, 0, node, self.definitions)
            inner = inner | set(binder.names)
        outside = self.free - set(node.names)
        kept = self.free & set(node.names)
        if node.condition is not None:
            self.condition(node.condition, inner)
        if node.kind == "count":
            self.condition(node.body, inner)
        else:
            self.number(node.body, inner)
        self.free = outside | (self.free - set(node.names)) | kept
        return "pair" if node.kind in ("argmax", "argmin") else "number"

    def _comparison(self, node: Comparison, scope: frozenset[str]) -> None:
        kinds = [self.type(operand, scope) for operand in node.operands]
        for place, op in enumerate(node.ops):
            left, right = kinds[place], kinds[place + 1]
            second = node.operands[place + 1]
            if op in ("in", "not in"):
                membership(left, right, node.operands[place], second)
            elif left == right == "number" or (left == right == "pair" and op in ("==", "!=")):
                continue
            else:
                raise unlike(node, place, left, right)
