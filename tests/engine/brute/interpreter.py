"""What a tree of engine/formula means on one input, in plain loops, as docs/answers.md tells it.

Slow and obvious, and none of the evaluator's code: a number is a float, NaN where it is undefined;
a condition is True, False, or None where nobody can say.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Final

from engine.formula import tree as t
from engine.messages.answer import Read
from tests.engine.brute.numbers import CALCULATIONS, FUNCTIONS, RELATIONS, folded
from tests.engine.brute.pooling import Case, Grid, Jacobian, Message, Pair

Scope = Mapping[str, float]
#: None where nobody can say.
Truth = bool | None
Place = tuple[float, float]
Role = tuple[str, int]
NOWHERE: Final = (math.nan, math.nan)


def message(answer: Read, case: Case) -> Message:
    """The dx of an answer.  Free k and l mean the one window that contains (i,j)."""
    run = Interpreter(answer, case)
    free = free_names(answer) & {"k", "l"} - set(answer.indices) - set(run.definitions)
    found: Message = {}
    for i, j in case.cells:
        scope = dict(zip(answer.indices, (float(i), float(j)), strict=True))
        if not free:
            found[i, j] = run.number(answer.body, scope)
            continue
        holding = [window for window in case.windows if (i, j) in case.omega[window]]
        inner = [
            {**{n: float(v) for n, v in zip("kl", w, strict=True) if n in free}, **scope}
            for w in holding
        ]
        several = math.nan if len(holding) > 1 else 0.0
        found[i, j] = run.number(answer.body, inner[0]) if len(inner) == 1 else several
    return found


def jacobian(answer: Read, case: Case) -> Jacobian:
    run = Interpreter(answer, case)
    found: Jacobian = {}
    for k, l in case.windows:  # noqa: E741
        found[k, l] = {}
        for i, j in case.cells:
            scope = dict(zip(answer.indices, map(float, (k, l, i, j)), strict=True))
            found[k, l][i, j] = run.number(answer.body, scope)
    return found


class Interpreter:
    """The numbers, conditions, places and sets of one answer on one input."""

    def __init__(self, answer: Read, case: Case) -> None:
        self.case = case
        self.definitions = {name: d for d in answer.definitions for name in d.names}
        self.size = {
            "input": (len(case.x), len(case.x[0])),
            "output": (len(case.f), len(case.f[0])),
        }
        pairs = (*case.kernel, *case.stride, *case.padding, *self.size["input"])
        names = ("kh", "kw", "sh", "sw", "ph", "pw", "H", "W", "Ho", "Wo")
        numbers = map(float, (*pairs, *self.size["output"]))
        self.scalars = dict(zip(names, numbers, strict=True))
        self.arrays: dict[str, Grid] = {"x": case.x, "delta": case.delta, "f": case.f}

    # Numbers

    def number(self, node: t.Node, scope: Scope) -> float:
        match node:
            case t.Number(value):
                return value
            case t.Name(name) if name in scope:
                return scope[name]
            case t.Name(name) if name not in self.definitions:
                return self.scalars[name]
            case t.Name(name) if len(self.definitions[name].names) == 2:
                pair = self.definitions[name]
                return self.place(pair.body, scope)[pair.names.index(name)]
            case t.Name(name):
                return self.number(self.definitions[name].body, scope)
            case t.Cell(array, indices):
                if array in self.definitions:
                    pair = self.definitions[array]
                    if len(pair.names) == 2:
                        at = self.place(pair.body, self.called(node, scope))
                        return at[pair.names.index(array)]
                    return self.number(self.definitions[array].body, self.called(node, scope))
                return self.cell(array, self.indices(indices, scope))
            case t.Apply(function, arguments):
                return FUNCTIONS[function](*(self.number(a, scope) for a in arguments))
            case t.Arithmetic():
                return self.arithmetic(node, scope)
            case t.Negative(operand):
                return -self.number(operand, scope)
            case t.Indicator(condition):
                truth = self.condition(condition, scope)
                return math.nan if truth is None else float(truth)
            case t.Choice(condition, then, otherwise):
                truth = self.condition(condition, scope)
                if truth is None:
                    return math.nan
                return self.number(then if truth else otherwise, scope)
            case t.Over(kind, region):
                return self.over(kind, region, scope)
            case t.Reduce():
                return self.reduced(node.kind, node, scope)
        raise AssertionError(node)

    def cell(self, array: str, at: Place) -> float:
        values = self.arrays[array]
        if not (at[0] == at[0] // 1 and at[1] == at[1] // 1):
            return math.nan
        if 0 <= at[0] < len(values) and 0 <= at[1] < len(values[0]):
            return values[int(at[0])][int(at[1])]
        (down, across), (height, width) = self.case.padding, (len(values), len(values[0]))
        padded = -down <= at[0] < height + down and -across <= at[1] < width + across
        return -math.inf if array == "x" and padded else math.nan

    def arithmetic(self, node: t.Arithmetic, scope: Scope) -> float:
        if self.switched_off(node, scope):
            return 0.0
        left, right = self.number(node.left, scope), self.number(node.right, scope)
        return CALCULATIONS[node.op](left, right)

    def switched_off(self, node: t.Node, scope: Scope) -> bool:
        """Whether a false condition in [ ] is a factor: [false] times undefined is 0."""
        match node:
            case t.Indicator(condition):
                return self.condition(condition, scope) is False
            case t.Arithmetic("*", left, right):
                return self.switched_off(left, scope) or self.switched_off(right, scope)
            case t.Arithmetic("/", part, _) | t.Negative(part):
                return self.switched_off(part, scope)
            case t.Name(name) if name in self.definitions and name not in scope:
                return self.switched_off(self.definitions[name].body, scope)
            case t.Cell(name) if name in self.definitions:
                if len(self.definitions[name].names) == 2:
                    return False
                return self.switched_off(self.definitions[name].body, self.called(node, scope))
        return False

    # Conditions

    def condition(self, node: t.Node, scope: Scope) -> Truth:
        match node:
            case t.Comparison(ops, operands):
                steps = zip(operands, ops, operands[1:], strict=False)
                return conjunction([self.compared(*step, scope) for step in steps])
            case t.Logic("and", operands):
                return conjunction([self.condition(part, scope) for part in operands])
            case t.Logic("or", operands):
                return negated(
                    conjunction([negated(self.condition(part, scope)) for part in operands])
                )
            case t.Not(operand):
                return negated(self.condition(operand, scope))
        node, scope = self.unfolded(node, scope)
        return self.condition(node, scope)

    def compared(self, left: t.Node, op: str, right: t.Node, scope: Scope) -> Truth:
        if op in ("in", "not in"):
            found = self.member(left, right, scope)
            return found if op == "in" else negated(found)
        if self.is_place(left, scope):
            pairs = zip(self.place(left, scope), self.place(right, scope), strict=True)
            found = conjunction([RELATIONS["=="](one, two) for one, two in pairs])
            return found if op == "==" else negated(found)
        return RELATIONS[op](self.number(left, scope), self.number(right, scope))

    # Places and sets

    def called(self, node: t.Cell, scope: Scope) -> Scope:
        """The scope inside a definition that is used with indices."""
        parameters = self.definitions[node.array].parameters
        if len(node.indices) == len(parameters):
            values = tuple(self.number(index, scope) for index in node.indices)
        else:
            values = self.indices(node.indices, scope)
        return {**scope, **dict(zip(parameters, values, strict=True))}

    def over(self, kind: str, region: t.Node, scope: Scope) -> float:
        held = self.held(region, scope)
        if held is None:
            return math.nan
        array, places = held
        return folded(kind, [1.0 if array is None else array[i][j] for i, j in places])

    def reduced(self, kind: str, node: t.Reduce, scope: Scope) -> float:
        values = [value for _, value in self.counted(node, scope)]
        return folded("sum" if kind == "count" else kind, values)

    def counted(self, node: t.Reduce, scope: Scope) -> Iterator[tuple[Scope, float]]:
        """The body wherever it counts, undefined where nobody can say whether it does."""
        for inner, there in self.bound(node, node.binders, scope):
            truths = [there]
            if node.condition is not None and there is not False:
                truths.append(self.condition(node.condition, inner))
            if node.kind == "count" and False not in truths:
                truths.append(self.condition(node.body, inner))
            if False in truths:
                continue
            if None in truths:
                yield inner, math.nan
            else:
                yield inner, 1.0 if node.kind == "count" else self.number(node.body, inner)

    def bound(
        self, node: t.Reduce, binders: tuple[t.Binder, ...], scope: Scope
    ) -> Iterator[tuple[Scope, Truth]]:
        """Every combination of the bound indices, and whether it belongs to their sets."""
        if not binders:
            yield scope, True
            return
        first, later = binders[0], binders[1:]
        for values, there in self.run(node, first, scope):
            inner = {**scope, **dict(zip(first.names, values, strict=True))}
            for innermost, also in self.bound(node, later, inner):
                yield innermost, conjunction([there, also])

    def run(
        self, node: t.Reduce, binder: t.Binder, scope: Scope
    ) -> Iterator[tuple[tuple[float, ...], Truth]]:
        if binder.domain is None:
            sizes = []
            for name in binder.names:
                side, axis = role(name, node, self.definitions)
                sizes.append(range(self.size[side][axis]))
            yield from (((*map(float, at),), True) for at in product(*sizes))
            return
        domain, inner = self.unfolded(binder.domain, scope)
        if isinstance(domain, t.Range):
            start, stop = self.number(domain.start, inner), self.number(domain.stop, inner)
            if math.isnan(start) or math.isnan(stop):
                yield (0.0,), None
            elif start < stop:
                steps = range(math.ceil(start), math.ceil(stop))
                yield from (((float(n),), True) for n in steps)
            return
        over = domain.region if isinstance(domain, t.Over) else domain
        windows = isinstance(over, t.Windows) or over in (t.Name("delta"), t.Name("f"))
        for row, column in self.case.windows if windows else self.case.cells:
            at = (float(row), float(column))
            yield at, self.belongs(at, domain, inner)

    def unfolded(self, node: t.Node, scope: Scope) -> tuple[t.Node, Scope]:
        """What a name or a call of a definition stands for."""
        while True:
            name = node.array if isinstance(node, t.Cell) else getattr(node, "name", "")
            bound = isinstance(node, t.Name) and name in scope
            definition = self.definitions.get(name)
            if bound or definition is None or len(definition.names) == 2:
                return node, scope
            scope = self.called(node, scope) if isinstance(node, t.Cell) else scope
            node = definition.body

    def is_place(self, node: t.Node, scope: Scope) -> bool:
        node, _ = self.unfolded(node, scope)
        arg = isinstance(node, t.Over | t.Reduce) and node.kind in ("argmax", "argmin")
        return isinstance(node, t.Pair) or arg

    def indices(self, nodes: tuple[t.Node, ...], scope: Scope) -> Place:
        if len(nodes) == 1:
            return self.place(nodes[0], scope)
        return self.number(nodes[0], scope), self.number(nodes[1], scope)

    def place(self, node: t.Node, scope: Scope) -> Place:
        node, scope = self.unfolded(node, scope)
        if isinstance(node, t.Pair):
            return self.number(node.items[0], scope), self.number(node.items[1], scope)
        if isinstance(node, t.Over):
            held = self.held(node.region, scope)
            if not held or not held[1]:
                return NOWHERE
            array, places = held
            assert array is not None
            found = [((float(i), float(j)), array[i][j]) for i, j in places]
        else:
            assert isinstance(node, t.Reduce)
            names = node.names
            found = [((s[names[0]], s[names[1]]), v) for s, v in self.counted(node, scope)]
        if not found or any(math.isnan(value) for _, value in found):
            return NOWHERE
        best = folded(node.kind[3:], [value for _, value in found])
        return next(at for at, value in found if value == best)

    def held(self, region: t.Node, scope: Scope) -> tuple[Grid | None, list[Pair]] | None:
        """An array and its places in a region; no array for windows; None: it does not exist."""
        region, scope = self.unfolded(region, scope)
        if isinstance(region, t.Window):
            at = self.indices(region.indices, scope)
            window = next((w for w in self.case.windows if w == at), None)
            return None if window is None else (self.case.x, self.case.omega[window])
        if isinstance(region, t.Windows):
            at = self.indices(region.indices, scope)
            return None, [w for w in self.case.windows if at in self.case.omega[w]]
        assert isinstance(region, t.Name)
        return self.arrays[region.name], (
            self.case.cells if region.name == "x" else self.case.windows
        )

    def belongs(self, at: tuple[float, ...], domain: t.Node, scope: Scope) -> Truth:
        """Whether a place is in a set that an index runs over; None of no window."""
        domain, scope = self.unfolded(domain, scope)
        if isinstance(domain, t.Range):
            start, stop = self.number(domain.start, scope), self.number(domain.stop, scope)
            return RELATIONS["<="](start, at[0]) if at[0] < stop else RELATIONS["<"](at[0], stop)
        if isinstance(domain, t.Window | t.Windows):
            held = self.held(domain, scope)
            return None if held is None else at in held[1]
        if isinstance(domain, t.Over):
            held = self.held(domain.region, scope)
            if held is None:
                return None
            best = self.over(domain.kind[3:], domain.region, scope)
            array = held[0]
            assert array is not None
            return any(at == (i, j) and array[i][j] == best for i, j in held[1])
        assert isinstance(domain, t.Reduce)
        best = self.reduced(domain.kind[3:], domain, scope)
        inner = {**scope, **dict(zip(domain.names, at, strict=True))}
        tests = [RELATIONS["=="](self.number(domain.body, inner), best)]
        tests += [
            self.belongs(tuple(inner[name] for name in binder.names), binder.domain, inner)
            for binder in domain.binders
            if binder.domain is not None
        ]
        if domain.condition is not None:
            tests.append(self.condition(domain.condition, inner))
        return conjunction(tests)

    def member(self, left: t.Node, right: t.Node, scope: Scope) -> Truth:
        domain, inner = self.unfolded(right, scope)
        if isinstance(domain, t.Range):
            return self.belongs((self.number(left, scope),), domain, inner)
        found = self.belongs(self.place(left, scope), domain, inner)
        # A window that does not exist has no inputs.
        return False if found is None and isinstance(domain, t.Window) else found


def conjunction(truths: list[Truth]) -> Truth:
    if False in truths:
        return False
    return None if None in truths else True


def negated(truth: Truth) -> Truth:
    return None if truth is None else not truth


# What an index runs over that a sum does not say, and which names stand free in an answer.
# docs/answers.md: read off its use; where that does not decide, i,j are an input's, k,l a window's.

_ROWS_AND_COLUMNS = {
    "x": [("input", 0), ("input", 1)],
    "delta": [("output", 0), ("output", 1)],
    "f": [("output", 0), ("output", 1)],
    "df/dx": [("output", 0), ("output", 1), ("input", 0), ("input", 1)],
}
_USUAL = {"i": ("input", 0), "j": ("input", 1), "k": ("output", 0), "l": ("output", 1)}


def role(name: str, node: t.Reduce, definitions: Mapping[str, t.Definition]) -> Role:
    used = {r for part in t.children(node) for r in _uses(part, name, definitions)}
    if len(used) == 1:
        return used.pop()
    usual = _USUAL.get(name[0])
    if usual is not None and (not used or usual in used):
        return usual
    side = "output" if any(side == "output" for side, _ in used) else "input"
    return side, min(node.names.index(name), 1)


def _uses(node: t.Node, name: str, definitions: Mapping[str, t.Definition]) -> Iterator[Role]:
    match node:
        case t.Cell(array, indices) if array in definitions:
            definition = definitions[array]
            for parameter, index in zip(definition.parameters, indices, strict=False):
                if index == t.Name(name):
                    yield from _uses(definition.body, parameter, definitions)
        case t.Cell(array, indices):
            yield from _placed(indices, name, array)
        case t.Window(indices):
            yield from _placed(indices, name, "f")
        case t.Windows(indices):
            yield from _placed(indices, name, "x")
        case t.Comparison(_, operands):
            for n, one in enumerate(operands):
                for other in operands[max(0, n - 1) : n + 2]:
                    yield from _beside(one, other, name, definitions)
        case t.Name(used) if used in definitions:
            yield from _uses(definitions[used].body, name, definitions)
    if not (isinstance(node, t.Reduce) and name in node.names):
        for child in t.children(node):
            yield from _uses(child, name, definitions)


def _placed(indices: tuple[t.Node, ...], name: str, array: str) -> Iterator[Role]:
    for index, found in zip(indices, _ROWS_AND_COLUMNS[array], strict=False):
        if index == t.Name(name):
            yield found


def _beside(
    pair: t.Node, other: t.Node, name: str, definitions: Mapping[str, t.Definition]
) -> Iterator[Role]:
    """(a,b) in Omega(...), (a,b) == argmax(...), (a,b) == (i*,j*): a place of the input."""
    if not isinstance(pair, t.Pair):
        return
    if isinstance(other, t.Name) and other.name in definitions:
        other = definitions[other.name].body
    starred = isinstance(other, t.Pair) and any(
        isinstance(item, t.Name) and item.name in definitions for item in other.items
    )
    if starred or isinstance(other, t.Window | t.Over | t.Reduce):
        yield from _placed(pair.items, name, "x")
    if isinstance(other, t.Windows):
        yield from _placed(pair.items, name, "f")


def free_names(answer: Read) -> set[str]:
    """The names that nothing binds where they stand, with those of the definitions used."""
    definitions = {name: d for d in answer.definitions for name in d.names}
    return _free(answer.body, definitions)


def _free(node: t.Node, definitions: Mapping[str, t.Definition]) -> set[str]:
    if isinstance(node, t.Reduce):
        parts = [part for part in (node.body, node.condition) if part is not None]
        found = {name for part in parts for name in _free(part, definitions)} - set(node.names)
        seen: set[str] = set()
        for binder in node.binders:
            # A set is read before the indices that run over it are bound.
            if binder.domain is not None:
                found |= _free(binder.domain, definitions) - seen
            seen |= set(binder.names)
        return found
    found = {name for part in t.children(node) for name in _free(part, definitions)}
    used = node.name if isinstance(node, t.Name) else ""
    used = node.array if isinstance(node, t.Cell) else used
    if used in definitions:
        body = _free(definitions[used].body, definitions)
        return found | (body - set(definitions[used].parameters))
    return found | ({node.name} if isinstance(node, t.Name) else set())
