"""How far each index runs, and how large each array is."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from engine.formula import tree as t
from engine.formula.rewrite import inside, names_in
from engine.formula.tree import OffsetError, children, make_arithmetic
from engine.messages.forward import Forward

# -- What an index of an answer runs over: as far as the places it is used at reach.


def extent(
    name: str,
    node: t.Reduce,
    shapes: Mapping[str, tuple[int, ...]],
    letters: Mapping[str, int],
    definitions: Mapping[str, t.Definition],
) -> int:
    """How long the bound index `name` of `node` runs.

    Where its uses differ, its usual range counts, or else the longest: a formula that reads past
    the end of an array is then undefined there.  Raises OffsetError where no use tells.
    """
    found: set[int] = set()
    for part in children(node):
        found.update(_uses(part, name, shapes, letters, definitions, ()))
    if len(found) == 1:
        return found.pop()
    if name in letters and (not found or letters[name] in found):
        return letters[name]
    if not found:
        raise OffsetError(
            f"I cannot tell what {name} runs over.", f"say it: for {name} in range(3)", node.at
        )
    return max(found)


def _uses(
    node: t.Node,
    name: str,
    shapes: Mapping[str, tuple[int, ...]],
    letters: Mapping[str, int],
    definitions: Mapping[str, t.Definition],
    opened: tuple[str, ...],
) -> Iterator[int]:
    if isinstance(node, t.Reduce) and name in node.names:
        return
    if isinstance(node, t.Cell):
        definition = definitions.get(node.array)
        if definition is None:
            for place, index in enumerate(node.indices):
                if index == t.Name(name) and place < len(shapes.get(node.array, ())):
                    yield shapes[node.array][place]
        elif node.array not in opened:
            for parameter, index in zip(definition.parameters, node.indices, strict=False):
                if index == t.Name(name):
                    inner = (*opened, node.array)
                    yield from _uses(
                        definition.body, parameter, shapes, letters, definitions, inner
                    )
    if isinstance(node, t.Name) and node.name in definitions and node.name not in opened:
        body = definitions[node.name].body
        yield from _uses(body, name, shapes, letters, definitions, (*opened, node.name))
    if isinstance(node, t.Comparison):
        for first, second in pairwise(node.operands):
            for one, other in ((first, second), (second, first)):
                if one == t.Name(name) and isinstance(other, t.Name) and other.name in letters:
                    yield letters[other.name]
    for child in children(node):
        yield from _uses(child, name, shapes, letters, definitions, opened)


# -- How long each index runs under one choice of sizes.


#: Lengths of the ranges that `sizes` does not name; different ones, so that a swap shows.
USUAL = (3, 2, 4, 3, 2)


LARGEST = 8


@dataclass(eq=False, slots=True)
class Variable:
    """An index: a parameter of a definition, a bound index, or one dimension of an input."""

    letter: str
    domain: t.Range | None = None
    scope: dict[str, Variable] = field(default_factory=dict)
    """Of a domain: what its names stand for."""
    joined: Variable | None = None

    @property
    def root(self) -> Variable:
        found = self
        while found.joined is not None:
            found = found.joined
        return found


@dataclass(frozen=True, eq=False)
class Lengths:
    """The length of every range under one choice of sizes."""

    of_range: Mapping[int, int]
    numbers: Mapping[str, float]
    """Constants, and sizes that are used as numbers."""
    place_of: Callable[[t.Node], Variable | None] = lambda _: None
    """The index that an arg max is a value of."""

    def of(self, variable: Variable) -> int:
        if variable.domain is not None:
            low, high = self._domain(variable)
            return max(1, int(high - low + 1))
        return self.of_range[id(variable.root)]

    def _domain(self, variable: Variable) -> tuple[float, float]:
        assert variable.domain is not None
        low, _ = self.interval(variable.domain.start, variable.scope)
        _, stop = self.interval(variable.domain.stop, variable.scope)
        return low, stop - 1

    def interval(self, node: t.Node, scope: Mapping[str, Variable]) -> tuple[float, float]:
        """The least and the largest value of an index expression."""
        match node:
            case t.Number(value):
                return value, value
            case t.Name(name) if name in scope:
                variable = scope[name]
                return self._reach(variable)
            case t.Name(name) if name in self.numbers:
                return self.numbers[name], self.numbers[name]
            case t.Negative(part):
                low, high = self.interval(part, scope)
                return -high, -low
            case t.Arithmetic(op, left, right):
                return self._arithmetic(op, self.interval(left, scope), self.interval(right, scope))
            case t.Apply("floor" | "ceil" as kind, (part,)):
                low, high = self.interval(part, scope)
                to = math.floor if kind == "floor" else math.ceil
                return float(to(low)), float(to(high))
        chosen = self.place_of(node)
        return self._reach(chosen) if chosen is not None else (0.0, 0.0)

    def _reach(self, variable: Variable) -> tuple[float, float]:
        if variable.domain is not None:
            return self._domain(variable)
        return 0.0, float(self.of(variable) - 1)

    def _arithmetic(
        self, op: str, one: tuple[float, float], two: tuple[float, float]
    ) -> tuple[float, float]:
        if op == "%":
            return 0.0, max(0.0, two[1] - 1)
        ends = [_APPLY[op](a, b) for a in one for b in two]
        return min(ends), max(ends)


_APPLY: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b if b else 0.0,
    "//": lambda a, b: a // b if b else 0.0,
    "^": lambda a, b: a**b if a >= 0 or float(b).is_integer() else 0.0,
}


# -- Ranges that no plain reading of an array tells: of sum(1 for k), and of the place of a largest.
#
# In sum(x[k]^2 for k)/sum(1 for k) both letters k run equally far.  In w[argmax(x[k] for k)] the
# index is one of those that k runs over.


_PLACES = ("argmax", "argmin")


def join_unread(
    variables: Sequence[Variable], read: Collection[Variable], home: Mapping[int, str]
) -> None:
    """Make a letter at which no array is read run as far as the same letter does elsewhere.

    `home` tells in which definition each variable is, by its id; the same one goes first.
    """
    roots = {id(variable.root) for variable in read}
    known = [v for v in variables if v.domain is None and id(v.root) in roots]
    for one in variables:
        if one.domain is not None or id(one.root) in roots:
            continue
        same = [v for v in known if v.letter == one.letter]
        if same:
            near = min(same, key=lambda v: home.get(id(v)) != home.get(id(one)))
            one.root.joined = near.root
        else:
            known.append(one)
            roots.add(id(one.root))


def place_of(node: t.Node, survey: Survey) -> Variable | None:
    """The index that argmax(x[k] for k), argmax(x) or a name of such a one is a value of."""
    match node:
        case t.Reduce(kind) if kind in _PLACES and len(node.names) == 1:
            return survey.bound[id(node)][node.names[0]]
        case t.Over(kind, t.Name(name)) if kind in _PLACES:
            own = survey.parameters.get(name)
            return own[0] if own else survey.places.get((name, 0))
        case t.Name(name) | t.Cell(name):
            definition = survey.forward.defined.get(name)
            return place_of(definition.body, survey) if definition is not None else None
    return None


# -- What a condition says of an index: 0 <= i - p < n lets i - p run from 0 to n - 1.


#: The least value, and what the value stays below; None where nothing is said.
Limit = tuple[t.Node | None, t.Node | None]


def limits(index: t.Node, guards: Iterable[t.Node]) -> Iterator[Limit]:
    """What conditions that all hold say of an index expression, as it is written."""
    for guard in guards:
        match guard:
            case t.Logic("and", parts):
                yield from limits(index, parts)
            case t.Comparison(ops, operands):
                for left, op, right in zip(operands, ops, operands[1:], strict=False):
                    if left == index:
                        yield from _said(op, right)
                    elif right == index:
                        yield from _said(_TURNED.get(op, ""), left)


_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _said(op: str, other: t.Node) -> Iterator[Limit]:
    """What `index op other` says."""
    one = t.Number(1.0)
    match op, other:
        case "in", t.Range(start, stop):
            yield start, stop
        case "<", _:
            yield None, other
        case "<=", _:
            yield None, make_arithmetic("+", other, one, 0)
        case ">", _:
            yield make_arithmetic("+", other, one, 0), None
        case ">=", _:
            yield other, None


def indicated(node: t.Node) -> Iterator[t.Node]:
    """The conditions of the indicators that a product has as factors."""
    match node:
        case t.Indicator(condition):
            yield condition
        case t.Arithmetic("*", left, right):
            yield from indicated(left)
            yield from indicated(right)


# -- How long each index runs and how large each array is, read off the formulas and `sizes`.
#
# Two letters that read the same place of an array run equally long: in exp(z[k])/sum(exp(z[m])
# for m), k and m do.  Each set of such letters is a *range*; its length comes from `sizes`, or is
# small. Where an index is computed, as in x[i*s+a], the array is as large as the index can
# become.


@dataclass(frozen=True, slots=True)
class Use:
    """One reading of an array: its index expressions, and what their names stand for."""

    indices: tuple[t.Node, ...]
    scope: dict[str, Variable]
    at: int
    guards: tuple[t.Node, ...] = ()
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
        # Letters of what is defined besides come last: the ranges of the others stay as they are.
        every = [v for vs in self.parameters.values() for v in vs]
        self.variables: list[Variable] = [v for v in every if "~" not in v.letter]
        self._functions = {d.names[0]: d for d in forward.functions}
        self._open: list[str] = []
        self.labels: dict[str, Variable] = {}
        """Of each input that is compared with an index, as t in [t = k]: that index."""
        home: dict[int, str] = {}
        for definition in forward.arrays:
            own = self.parameters[definition.names[0]]
            before = len(self.variables)
            self._walk(definition.body, dict(zip(definition.parameters, own, strict=True)))
            inside = (*own, *self.variables[before:])
            home.update((id(variable), definition.names[0]) for variable in inside)
        self.variables += [v for v in every if "~" in v.letter]
        self._join()
        self._join_compared()
        parameters = [v for vs in self.parameters.values() for v in vs]
        join_unread(self.variables, [*parameters, *self.places.values()], home)
        self.indexers = frozenset(self._index_inputs())

    # The walk.

    def _walk(
        self, node: t.Node, scope: dict[str, Variable], guards: tuple[t.Node, ...] = ()
    ) -> None:
        match node:
            case t.Cell(array, indices, at):
                self.uses.setdefault(array, []).append(Use(indices, scope, at, guards))
                self._call(array, scope)
            case t.Reduce():
                self._reduce(node, scope, guards)
                return
            case t.Comparison(("==",) | ("!=",), (one, other)):
                self._label(one, other, scope)
                self._label(other, one, scope)
            case t.Choice(condition, then, otherwise):
                self._walk(condition, scope, guards)
                self._walk(then, scope, (*guards, condition))
                self._walk(otherwise, scope, guards)
                return
            case t.Arithmetic("*", left, right):
                self._walk(left, scope, (*guards, *indicated(right)))
                self._walk(right, scope, (*guards, *indicated(left)))
                return
        for child in children(node):
            self._walk(child, scope, guards)
        match node:
            case t.Apply("entry", (t.Reduce("inv") as matrix, *places)):
                row = self.bound[id(matrix)][matrix.names[0]]
                for index in places:
                    own = scope.get(t.name_of(index) or "")
                    if own is not None and own.domain is None and own.root is not row.root:
                        own.root.joined = row.root

    def _label(self, label: t.Node, index: t.Node, scope: dict[str, Variable]) -> None:
        name = t.name_of(label)
        given = name in self.forward.inputs and name not in scope
        if given and isinstance(index, t.Name) and index.name in scope:
            self.labels.setdefault(name, scope[index.name])

    def _call(self, name: str, scope: dict[str, Variable]) -> None:
        function = self._functions.get(name)
        if function is not None and name not in self._open:
            self._open.append(name)
            inner = {k: v for k, v in scope.items() if k not in function.parameters}
            self._walk(function.body, inner)
            self._open.pop()

    def _reduce(
        self, node: t.Reduce, scope: dict[str, Variable], guards: tuple[t.Node, ...]
    ) -> None:
        inner = dict(scope)
        own = self.bound.setdefault(id(node), {})
        for binder in node.binders:
            domain = binder.domain if isinstance(binder.domain, t.Range) else None
            for name in binder.names:
                variable = own.get(name) or Variable(name, domain, dict(inner))
                own[name] = inner[name] = variable
                self.variables.append(variable)
        if node.kind in (*t.OF_MATRICES, "inv"):
            row, column = (own[name] for name in node.names)
            if row.domain is column.domain is None and row.root is not column.root:
                column.root.joined = row.root
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
        for array in self.forward.square:
            ends = [self.places.get((array, self.forward.inputs[array] - n)) for n in (2, 1)]
            if ends[0] and ends[1] and ends[0].root is not ends[1].root:
                ends[1].root.joined = ends[0].root

    def _join_place(self, array: str, place: int, index: t.Node, use: Use) -> None:
        found = use.scope.get(index.name) if isinstance(index, t.Name) else None
        if found is None or found.domain is not None:
            return
        own = self.parameters.get(array)
        known = own[place] if own else self.places.get((array, place))
        if known is None:
            self.places[array, place] = found
        elif known.root is not found.root:
            found.root.joined = known.root

    def _join_compared(self) -> None:
        """An index of a learner's R[n,k] = p[n]*[n = k] at which nothing is read runs as far."""
        spoken = {
            id(use.scope[name].root)
            for uses in self.uses.values()
            for use in uses
            for index in use.indices
            for name in names_in(index)
            if name in use.scope
        }
        for name in self.forward.asides & self.parameters.keys():
            own = {v.letter: v for v in self.parameters[name]}
            for test in inside(self.forward.defined[name].body):
                match test:
                    case t.Comparison(("==",), (t.Name(one), t.Name(other))) if (
                        one in own and other in own and own[one].root is not own[other].root
                    ):
                        free = next((a for a in (one, other) if id(own[a].root) not in spoken), "")
                        if free:
                            own[free].root.joined = own[other if free == one else one].root

    def _index_inputs(self) -> Iterator[str]:
        """Inputs that serve as an index, as the class t in p[t]."""
        functions = {definition.names[0] for definition in self.forward.functions}
        for array, uses in self.uses.items():
            for use in uses if array not in functions else ():
                for index in use.indices:
                    name = t.name_of(index)
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
        return [letter for letter in dict.fromkeys(same) if "~" not in letter]

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
        labels = [self._label_at(use, place) for use in self.uses[array]]
        if all(labels):
            return max(self._limit(name, lengths) or USUAL[0] for name in labels)
        most = max(int(self.reach(use, place, lengths)[1]) + 1 for use in self.uses[array])
        if not 1 <= most <= 64:
            raise OffsetError(
                f"{array} would need {most} entries along its index {place + 1}.",
                "at least 1 and at most 64 are possible: give smaller sizes",
                self.uses[array][0].at,
            )
        return most

    def _label_at(self, use: Use, place: int) -> str:
        """The input whose number an index is, as t in p[t]; "" where it is no such."""
        name = t.name_of(use.indices[place])
        return name if name in self.forward.inputs and name not in use.scope else ""

    def _limit(self, name: str, lengths: Lengths) -> int:
        """How many entries the card says that such an input counts; 0 where it says nothing."""
        said = self.forward.limits.get(name, "0")
        own = next((v for v in self.variables if v.letter == said), None)
        return int(lengths.of(own) if own else lengths.numbers.get(said, 0) or float(said))

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
        least = self._limit(name, lengths) or 64
        if name in self.labels:
            least = min(least, lengths.of(self.labels[name]))
        for array, uses in self.uses.items():
            for use in uses:
                for place, index in enumerate(use.indices):
                    word = t.name_of(index)
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
