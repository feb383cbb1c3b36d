"""How long each index runs and how large each array is, read off the formulas and `sizes`.

Two letters that read the same place of an array run equally long: in exp(z[k])/sum(exp(z[m]) for
m), k and m do.  Each set of such letters is a *range*; its length comes from `sizes`, or is small.
Where an index is computed, as in x[i*s+a], the array is as large as the index can become.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.formula.problem import OffsetError
from engine.formula.tree import (
    Arithmetic,
    Cell,
    Choice,
    Name,
    Node,
    Range,
    Reduce,
    children,
)
from engine.given.forward import Forward
from engine.given.guards import indicated, limits
from engine.given.lengths import USUAL, Lengths, Variable
from engine.given.ranges import join_unread, place_of


@dataclass(frozen=True, slots=True)
class Use:
    """One reading of an array: its index expressions, and what their names stand for."""

    indices: tuple[Node, ...]
    scope: dict[str, Variable]
    at: int
    guards: tuple[Node, ...] = ()
    """Conditions that hold where it is read."""


class Survey:
    """One walk over a forward message.

    After it, `lengths(sizes)` gives the length of every range, and `shapes` that of the arrays.
    """

    def __init__(self, forward: Forward) -> None:
        self.forward = forward
        self.uses: dict[str, list[Use]] = {}
        self.parameters = {
            d.names[0]: tuple(Variable(p) for p in d.parameters) for d in forward.arrays
        }
        self.bound: dict[int, dict[str, Variable]] = {}
        """Of each Reduce, by its id: the variables of its indices."""
        self.variables: list[Variable] = [v for vs in self.parameters.values() for v in vs]
        self._functions = {d.names[0]: d for d in forward.functions}
        self._open: list[str] = []
        home: dict[int, str] = {}
        for definition in forward.arrays:
            own = self.parameters[definition.names[0]]
            before = len(self.variables)
            self._walk(definition.body, dict(zip(definition.parameters, own, strict=True)))
            inside = (*own, *self.variables[before:])
            home.update((id(variable), definition.names[0]) for variable in inside)
        self._join()
        parameters = [v for vs in self.parameters.values() for v in vs]
        join_unread(self.variables, [*parameters, *self.places.values()], home)
        self.indexers = frozenset(self._index_inputs())

    # The walk.

    def _walk(self, node: Node, scope: dict[str, Variable], guards: tuple[Node, ...] = ()) -> None:
        match node:
            case Cell(array, indices, at):
                self.uses.setdefault(array, []).append(Use(indices, scope, at, guards))
                self._call(array, scope)
            case Reduce():
                self._reduce(node, scope, guards)
                return
            case Choice(condition, then, otherwise):
                self._walk(condition, scope, guards)
                self._walk(then, scope, (*guards, condition))
                self._walk(otherwise, scope, guards)
                return
            case Arithmetic("*", left, right):
                self._walk(left, scope, (*guards, *indicated(right)))
                self._walk(right, scope, (*guards, *indicated(left)))
                return
        for child in children(node):
            self._walk(child, scope, guards)

    def _call(self, name: str, scope: dict[str, Variable]) -> None:
        function = self._functions.get(name)
        if function is not None and name not in self._open:
            self._open.append(name)
            inner = {k: v for k, v in scope.items() if k not in function.parameters}
            self._walk(function.body, inner)
            self._open.pop()

    def _reduce(self, node: Reduce, scope: dict[str, Variable], guards: tuple[Node, ...]) -> None:
        inner = dict(scope)
        own = self.bound.setdefault(id(node), {})
        for binder in node.binders:
            domain = binder.domain if isinstance(binder.domain, Range) else None
            for name in binder.names:
                variable = own.get(name) or Variable(name, domain, dict(inner))
                own[name] = inner[name] = variable
                self.variables.append(variable)
        tests = (node.condition,) if node.condition is not None else ()
        self._walk(node.body, inner, (*guards, *tests))
        for test in tests:
            self._walk(test, inner, guards)

    def _join(self) -> None:
        """Letters that read the same place run equally long."""
        self.places: dict[tuple[str, int], Variable] = {}
        for array, uses in self.uses.items():
            if array in self._functions:
                continue
            for use in uses:
                for place, index in enumerate(use.indices):
                    self._join_place(array, place, index, use)

    def _join_place(self, array: str, place: int, index: Node, use: Use) -> None:
        found = use.scope.get(index.name) if isinstance(index, Name) else None
        if found is None or found.domain is not None:
            return
        own = self.parameters.get(array)
        known = own[place] if own else self.places.get((array, place))
        if known is None:
            self.places[array, place] = found
        elif known.root is not found.root:
            found.root.joined = known.root

    def _index_inputs(self) -> Iterator[str]:
        """Inputs that serve as an index, as the class t in p[t]."""
        functions = {definition.names[0] for definition in self.forward.functions}
        for array, uses in self.uses.items():
            for use in uses if array not in functions else ():
                for index in use.indices:
                    name = index.array if isinstance(index, Cell) else getattr(index, "name", "")
                    if name in self.forward.inputs and name not in use.scope:
                        yield name

    # Lengths.

    def ranges(self) -> list[Variable]:
        """The ranges, each by one of its letters, in the order of the text."""
        found: dict[int, Variable] = {}
        for variable in self.variables:
            if variable.domain is None:
                found.setdefault(id(variable.root), variable)
        return list(found.values())

    def letters(self, variable: Variable) -> list[str]:
        """The letters that run over the same range."""
        same = [v.letter for v in self.variables if v.root is variable.root]
        return list(dict.fromkeys(same))

    def shape(
        self, array: str, lengths: Lengths, given: Mapping[str, tuple[int, ...]]
    ) -> tuple[int, ...]:
        """The shape of an input or of a defined array."""
        if array in self.parameters:
            return tuple(lengths.of(v) for v in self.parameters[array])
        if array in given:
            return given[array]
        return tuple(
            self._extent(array, place, lengths) for place in range(self.forward.inputs[array])
        )

    def _extent(self, array: str, place: int, lengths: Lengths) -> int:
        known = self.places.get((array, place))
        if known is not None:
            return lengths.of(known)
        if array not in self.uses:
            raise OffsetError(f"{array} is never read with its indices.", f"write {array}[...]", 0)
        most = max(int(self.reach(use, place, lengths)[1]) + 1 for use in self.uses[array])
        if not 1 <= most <= 64:
            raise OffsetError(
                f"{array} would need {most} entries along its index {place + 1}.",
                "at least 1 and at most 64 are possible: give smaller sizes",
                self.uses[array][0].at,
            )
        return most

    def reach(self, use: Use, place: int, lengths: Lengths) -> tuple[float, float]:
        """The least and the largest value of an index, as far as its guards let it."""
        index = use.indices[place]
        low, high = lengths.interval(index, use.scope)
        for least, most in limits(index, use.guards):
            if least is not None:
                low = max(low, lengths.interval(least, use.scope)[0])
            if most is not None:
                high = min(high, lengths.interval(most, use.scope)[1] - 1)
        return low, high

    def indices_of(self, array: str) -> int:
        own = self.parameters.get(array)
        return len(own) if own is not None else self.forward.inputs[array]

    def serves(self, name: str, lengths: Lengths, given: Mapping[str, tuple[int, ...]]) -> int:
        """Of an input that serves as an index: how many values it may take."""
        least = 64
        for array, uses in self.uses.items():
            for use in uses:
                for place, index in enumerate(use.indices):
                    word = index.array if isinstance(index, Cell) else getattr(index, "name", "")
                    if word == name and name not in use.scope:
                        least = min(least, self.shape(array, lengths, given)[place])
        return least


def lengths(
    survey: Survey, sizes: Mapping[str, int], grown: Mapping[str, int] | None = None
) -> Lengths:
    """The lengths under `sizes` (letters and size names); `grown` adds to some of them.

    Raises OffsetError where two letters of one range are given different sizes.
    """
    more = grown or {}
    found: dict[int, int] = {}
    usual = iter(USUAL * 4)
    for variable in survey.ranges():
        letters = survey.letters(variable)
        said = {letter: sizes[letter] for letter in letters if letter in sizes}
        if len(set(said.values())) > 1:
            one, two = list(said)[:2]
            raise OffsetError(
                f"{one} and {two} index the same place, but their sizes are {said[one]} and "
                f"{said[two]}.",
                "give them the same size",
                0,
            )
        length = next(iter(said.values())) if said else next(usual)
        extra = max((more.get(letter, 0) for letter in letters), default=0)
        found[id(variable.root)] = max(1, length + extra)
    numbers = dict(survey.forward.constants)
    for name in survey.forward.scalars:
        numbers[name] = float(max(1, sizes[name] + more.get(name, 0)))
    return Lengths(found, numbers, lambda node: place_of(node, survey))
