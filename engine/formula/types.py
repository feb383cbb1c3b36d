"""What is a number, a condition, a place or a set in a tree, and which indices are bound.

Types: "number", "condition", "pair", "inputs" and "outputs" (sets of pairs), "numbers" (a range),
"array".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from engine.formula import tree as t
from engine.formula.tree import OffsetError, UnknownError

_WORDS: Final = {
    "pair": "a pair of coordinates, not a number",
    "condition": "a condition, not a number",
    "inputs": "a set of places, not a number",
    "outputs": "a set of windows, not a number",
    "numbers": "a range of numbers, not a number",
    "array": "a whole array, not a number",
}
#: Nodes, with every definition counted where it is used.
MAX_NODES: Final = 1_000
#: Nodes inside one another, definitions where they are used: far below Python's recursion limit.
_DEEPEST: Final = 150

Scope = frozenset[str]


class UndefinedError(OffsetError):
    """An index that neither a sum nor the left side names."""

    def __init__(self, message: str, hint: str, at: int, name: str) -> None:
        super().__init__(message, hint, at)
        self.name = name


class TypeChecker:
    """One walk over a tree; remembers which names it met.

    `arities` are of the names given, `definitions` the learner's: each is read where it is used.
    `around` are the indices of the answer, which its definitions may speak of as well.
    """

    def __init__(
        self,
        arities: Mapping[str, int],
        definitions: Iterable[t.Definition],
        around: Scope = frozenset(),
    ) -> None:
        self.arities = arities
        self.definitions = {name: d for d in definitions for name in d.names}
        self.around = around
        self.used: set[str] = set()
        self.free: set[str] = set()
        """The indices met that nothing in what was walked binds, where a subclass notes them."""
        self._open: list[str] = []
        self._nodes = 0
        self._depth = 0

    # The walk.

    def number(self, node: t.Node, scope: Scope) -> None:
        kind = self.type(node, scope)
        if kind != "number":
            raise not_a_number(node, kind)

    def numbers(self, nodes: Iterable[t.Node], scope: Scope) -> None:
        for node in nodes:
            self.number(node, scope)

    def condition(self, node: t.Node, scope: Scope) -> None:
        if self.type(node, scope) != "condition":
            raise OffsetError(
                "A condition is expected here, this is not one.", "write a == b, or a < b", node.at
            )

    def type(self, node: t.Node, scope: Scope) -> str:
        self._nodes += 1
        self._depth += 1
        if self._nodes > MAX_NODES or self._depth > _DEEPEST:
            raise OffsetError("The formula is too large.", "write it shorter", node.at)
        kind = self._type(node, scope)
        self._depth -= 1
        return kind

    def _type(self, node: t.Node, scope: Scope) -> str:
        match node:
            case t.Number():
                return "number"
            case t.Name(name, at):
                self.used.add(name)
                return self.name(name, at, scope)
            case t.Cell(array):
                self.used.add(array)
                return self.cell(node, scope)
            case t.Apply(_, parts) | t.Pair(parts):
                self.numbers(parts, scope)
                return "pair" if isinstance(node, t.Pair) else "number"
            case t.Arithmetic(_, left, right) | t.Range(left, right):
                self.numbers((left, right), scope)
                return "numbers" if isinstance(node, t.Range) else "number"
            case t.Negative(operand):
                self.number(operand, scope)
                return "number"
            case t.Indicator(test):
                self.condition(test, scope)
                return "number"
            case t.Choice(test, then, otherwise):
                self.condition(test, scope)
                self.numbers((then, otherwise), scope)
                return "number"
            case t.Comparison():
                self._comparison(node, scope)
                return "condition"
            case t.Logic(_, parts):
                for part in parts:
                    self.condition(part, scope)
                return "condition"
            case t.Not(operand):
                self.condition(operand, scope)
                return "condition"
            case t.Reduce():
                return self._reduce(node, scope)
            case t.Over():
                return self.over(node, scope)
        return self.windows(node, scope)

    def body(self, definition: t.Definition, name: str, at: int, scope: Scope) -> str:
        """The type of what a name of the learner's stands for; `scope` is that of its body."""
        if definition.names[0] in self._open:
            raise OffsetError(f"'{name}' is defined by itself.", "define it by other names", at)
        self._open.append(definition.names[0])
        self.used.update(definition.names)
        kind = self.type(definition.body, scope | set(definition.parameters))
        self._open.pop()
        if len(definition.names) == 2 and kind != "pair":
            raise OffsetError(
                "A pair of names is defined by a pair.",
                "write (i*,j*) = argmax(...)",
                definition.at,
            )
        return kind

    def _reduce(self, node: t.Reduce, scope: Scope) -> str:
        self.used.add(node.kind)
        own = set(node.names)
        inner = scope
        for binder in node.binders:
            if binder.domain is not None:
                runs_over(binder.domain, self.type(binder.domain, inner), len(binder.names))
            else:
                self.unranged(binder.names, node)
            inner = inner | set(binder.names)
        before = set(self.free)
        if node.condition is not None:
            self.condition(node.condition, inner)
        if node.kind == "count":
            self.condition(node.body, inner)
        else:
            self.number(node.body, inner)
        self.free = before | (self.free - own)
        return "pair" if node.kind in ("argmax", "argmin") and len(node.names) == 2 else "number"

    def _comparison(self, node: t.Comparison, scope: Scope) -> None:
        kinds = [self.type(operand, scope) for operand in node.operands]
        for place, op in enumerate(node.ops):
            left, right = kinds[place], kinds[place + 1]
            first, second = node.operands[place], node.operands[place + 1]
            if op in ("in", "not in"):
                # j in argmax(z[m] for m), a number as it is one.
                tied = isinstance(second, t.Reduce) and second.kind in ("argmax", "argmin")
                if not (tied and left == right):
                    _membership(left, right, first, second)
            elif not (
                left == right == "number" or (left == right == "pair" and op in ("==", "!="))
            ):
                words = {"number": "a number", "pair": "a pair"}
                one, two = (words.get(k, _WORDS.get(k, k).split(",")[0]) for k in (left, right))
                raise OffsetError(
                    f"This compares {one} with {two} by '{op}'.",
                    "compare a place with a place, or a value with a value",
                    second.at if left in ("number", "pair") else first.at,
                )

    # What a name and a cell are, and what there is beside numbers and conditions.

    def name(self, name: str, at: int, scope: Scope) -> str:
        if name in scope:
            return "number"
        return self._called(name, 0, at, scope)

    def cell(self, node: t.Cell, scope: Scope) -> str:
        if len(node.indices) != 1 or self.type(node.indices[0], scope) not in ("pair", "number"):
            self.numbers(node.indices, scope)
        return self._called(node.array, len(node.indices), node.at, scope)

    def _called(self, name: str, count: int, at: int, scope: Scope) -> str:
        definition = self.definitions.get(name)
        if definition is not None:
            if count != len(definition.parameters):
                raise OffsetError(f"{name} is defined with indices.", f"write {name}[...]", at)
            kind = self.defined(definition, at, scope)
            return "number" if len(definition.names) == 2 else kind
        arity = self.arities.get(name)
        if arity is not None:
            return "array" if count == 0 < arity else "number"
        if len(name.rstrip("'*")) == 1:
            said = f"The index {name} is not defined here."
            raise UndefinedError(said, self.way_out(name), at, name)
        raise UnknownError(name, "define it on a line of its own", at)

    def way_out(self, name: str) -> str:
        """What to do about an index that nothing names."""
        if name.isupper():
            return (
                f"lengths have no names here: sum(... for {name.lower()}) runs over all, how many "
                "they are is sum(1 for ...), and terms beyond an array count as 0"
            )
        return f"name it on the left side, or bind it: sum(... for {name})"

    def defined(self, definition: t.Definition, at: int, scope: Scope) -> str:
        # Without indices of its own, a definition stands for what it says where it is used.
        scope = self.around if definition.parameters else scope
        return self.body(definition, definition.names[0], at, scope)

    def over(self, node: t.Over, scope: Scope) -> str:
        kind, region = node.kind, node.region
        if not isinstance(region, t.Name) or self.type(region, scope) != "array":
            raise OffsetError("There are no windows here.", f"write {kind}(x[k] for k)", region.at)
        if kind in ("argmax", "argmin") and self.arities[region.name] != 1:
            hint = f"write {kind}({region.name}[i,j] for i,j)"
            raise OffsetError(f"{region.name} has more than one index.", hint, region.at)
        return "number"

    def windows(self, node: t.Node, scope: Scope) -> str:  # noqa: ARG002 - as its base's
        raise OffsetError("This has no meaning here.", "there are no windows here", node.at)

    def unranged(self, names: tuple[str, ...], node: t.Reduce) -> None:
        """Looks at indices of which a sum does not say over what they run."""


# What goes with what: a place in a set, and what indices may run over.


def not_a_number(node: t.Node, kind: str) -> OffsetError:
    match node:
        case t.Over(name) | t.Reduce(name) if kind == "pair":
            hint = "compare it with a place: [condition]"
            return OffsetError(f"{name} is {_WORDS[kind]}.", hint, node.at)
        case t.Name(name) if kind == "array":
            hint = f"give it indices: {name}[...]"
            return OffsetError(f"{name} is {_WORDS[kind]}.", hint, node.at)
    hint = "write [condition] to make it 1 or 0" if kind == "condition" else "compare it in [ ]"
    return OffsetError(f"This is {_WORDS[kind]}.", hint, node.at)


def runs_over(domain: t.Node, kind: str, names: int) -> None:
    """Refuses a domain that `names` indices cannot run over."""
    settable = isinstance(domain, t.Over | t.Reduce) and kind == "pair"
    pairs = kind in ("inputs", "outputs") or settable
    if not ((kind == "numbers" and names == 1) or (pairs and names == 2)):
        hint = "write p,q in Omega(k,l), or k in range(Ho)"
        raise OffsetError("These indices cannot run over this.", hint, domain.at)


def _membership(left: str, right: str, first: t.Node, second: t.Node) -> None:
    if left == "number" and right == "numbers":
        return
    if left == "pair" and right in ("inputs", "outputs"):
        return
    if left == "pair" and right == "pair" and not isinstance(second, t.Pair):
        return
    if right not in ("inputs", "outputs", "numbers", "pair"):
        raise OffsetError("What follows 'in' is not a set.", "write (i,j) in Omega(k,l)", second.at)
    raise OffsetError("Omega holds places.", "write (i,j) in Omega(k,l)", first.at)
