"""Types and scopes: what is a number, a condition, a pair; which indices are bound."""

from __future__ import annotations

from collections.abc import Mapping

from engine.formula.kinds import membership, not_a_number, runs_over, unlike
from engine.formula.problem import OffsetError
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
)

#: Nodes, with every definition counted where it is used.
MAX_NODES = 1_000
#: Nodes inside one another, definitions where they are used: far below Python's recursion limit.
MAX_DEPTH = 150


class UndefinedError(OffsetError):
    """An index that neither a sum nor the left side names."""

    def __init__(self, message: str, hint: str, at: int, name: str) -> None:
        super().__init__(message, hint, at)
        self.name = name


class Checker:
    """One walk over a tree: `arities` of the names given, `definitions` of the learner's."""

    def __init__(
        self,
        arities: Mapping[str, int],
        definitions: tuple[Definition, ...],
        free: frozenset[str] = frozenset(),
    ) -> None:
        """`free` are the indices of the answer, which its definitions may speak of as well."""
        self.arities = arities
        self.free = free
        self.definitions = {name: d for d in definitions for name in d.names}
        self.used: set[str] = set()
        self._open: list[str] = []
        self._nodes = 0
        self._depth = 0

    def number(self, node: Node, scope: frozenset[str]) -> None:
        kind = self.type(node, scope)
        if kind != "number":
            raise not_a_number(node, kind)

    def condition(self, node: Node, scope: frozenset[str]) -> None:
        if self.type(node, scope) != "condition":
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
            case Cell(array, indices, at):
                self._indices(indices, scope)
                return self._called(array, len(indices), at, scope)
            case Apply(_, parts) | Pair(parts):
                self._numbers(parts, scope)
                return "pair" if isinstance(node, Pair) else "number"
            case Arithmetic(_, left, right) | Range(left, right):
                self._numbers((left, right), scope)
                return "numbers" if isinstance(node, Range) else "number"
            case Negative(operand):
                self.number(operand, scope)
                return "number"
            case Indicator(test):
                self.condition(test, scope)
                return "number"
            case Choice(test, then, otherwise):
                self.condition(test, scope)
                self._numbers((then, otherwise), scope)
                return "number"
        return self._other(node, scope)

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
            case Reduce():
                return self._reduce(node, scope)
            case Over(kind, region):
                return self._over(kind, region, scope)
        raise OffsetError("This has no meaning here.", "there are no windows here", node.at)

    def _numbers(self, nodes: tuple[Node, ...], scope: frozenset[str]) -> None:
        for node in nodes:
            self.number(node, scope)

    def _indices(self, nodes: tuple[Node, ...], scope: frozenset[str]) -> None:
        if len(nodes) == 1 and self.type(nodes[0], scope) in ("pair", "number"):
            return
        self._numbers(nodes, scope)

    def _name(self, name: str, at: int, scope: frozenset[str]) -> str:
        self.used.add(name)
        if name in scope:
            return "number"
        definition = self.definitions.get(name)
        if definition is not None and len(definition.names) == 2:
            self._body(definition, at, scope)
            return "number"
        return self._called(name, 0, at, scope)

    def _called(self, name: str, count: int, at: int, scope: frozenset[str]) -> str:
        self.used.add(name)
        definition = self.definitions.get(name)
        if definition is not None:
            if count != len(definition.parameters):
                raise OffsetError(f"{name} is defined with indices.", f"write {name}[...]", at)
            return self._body(definition, at, scope)
        arity = self.arities.get(name)
        if arity is not None and count == 0 < arity:
            return "array"
        if arity is not None:
            return "number"
        if len(name.rstrip("'*")) == 1:
            hint = f"name it on the left side, or bind it: sum(... for {name})"
            if name.isupper():
                hint = f"lengths have no names here: sum(... for {name.lower()}) runs over all, "
                hint += "how many they are is sum(1 for ...), and terms beyond an array count as 0"
            raise UndefinedError(f"The index {name} is not defined here.", hint, at, name)
        raise OffsetError(f"I do not know '{name}'.", "define it on a line of its own", at)

    def _body(self, definition: Definition, at: int, scope: frozenset[str]) -> str:
        name = definition.names[0]
        if name in self._open:
            raise OffsetError(f"'{name}' is defined by itself.", "define it by other names", at)
        self._open.append(name)
        self.used.update(definition.names)
        # Without indices of its own, a definition stands for what it says where it is used.
        around = self.free if definition.parameters else scope
        kind = self.type(definition.body, around | set(definition.parameters))
        self._open.pop()
        if len(definition.names) == 2 and kind != "pair":
            raise OffsetError(
                "A pair of names is defined by a pair.",
                "write (i*,j*) = argmax(...)",
                definition.at,
            )
        return kind

    def _reduce(self, node: Reduce, scope: frozenset[str]) -> str:
        inner = scope
        for binder in node.binders:
            if binder.domain is not None:
                runs_over(binder.domain, self.type(binder.domain, inner), len(binder.names))
            inner = inner | set(binder.names)
        if node.condition is not None:
            self.condition(node.condition, inner)
        if node.kind == "count":
            self.condition(node.body, inner)
        else:
            self.number(node.body, inner)
        return "pair" if node.kind in ("argmax", "argmin") and len(node.names) == 2 else "number"

    def _over(self, kind: str, region: Node, scope: frozenset[str]) -> str:
        if not isinstance(region, Name) or self.type(region, scope) != "array":
            raise OffsetError("There are no windows here.", f"write {kind}(x[k] for k)", region.at)
        if kind in ("argmax", "argmin") and self.arities[region.name] != 1:
            hint = f"write {kind}({region.name}[i,j] for i,j)"
            raise OffsetError(f"{region.name} has more than one index.", hint, region.at)
        return "number"

    def _comparison(self, node: Comparison, scope: frozenset[str]) -> None:
        kinds = [self.type(operand, scope) for operand in node.operands]
        for place, op in enumerate(node.ops):
            left, right = kinds[place], kinds[place + 1]
            second = node.operands[place + 1]
            if op in ("in", "not in"):
                tied = isinstance(second, Reduce) and second.kind in ("argmax", "argmin")
                if not (tied and left == right):
                    membership(left, right, node.operands[place], second)
            elif left == right == "number" or (left == right == "pair" and op in ("==", "!=")):
                continue
            else:
                raise unlike(node, place, left, right)
