"""Places and sets of a tree on one input of max pooling: windows, ranges, arg max, in loops."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Final

from engine.formula import tree as t
from tests.engine.brute import roles
from tests.engine.brute.numbers import RELATIONS, folded
from tests.engine.brute.pooling import Case, Grid, Pair

Scope = Mapping[str, float]
#: None where nobody can say.
Truth = bool | None
Place = tuple[float, float]
NOWHERE: Final = (math.nan, math.nan)


class Sets:
    """What an interpreter of numbers and conditions needs of places, and what these need of it."""

    def __init__(self, answer: t.Answer, case: Case) -> None:
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

    def number(self, node: t.Node, scope: Scope) -> float:
        raise NotImplementedError

    def condition(self, node: t.Node, scope: Scope) -> Truth:
        raise NotImplementedError

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
                side, axis = roles.role(name, node, self.definitions)
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
            if isinstance(node, t.Cell) and node.array in self.definitions:
                scope, node = self.called(node, scope), self.definitions[node.array].body
            elif (
                isinstance(node, t.Name)
                and node.name in self.definitions
                and node.name not in scope
                and len(self.definitions[node.name].names) == 1
            ):
                node = self.definitions[node.name].body
            else:
                return node, scope

    def is_place(self, node: t.Node, scope: Scope) -> bool:
        while True:
            if isinstance(node, t.Cell) and node.array in self.definitions:
                if len(self.definitions[node.array].names) == 2:
                    return False
                node = self.definitions[node.array].body
            elif isinstance(node, t.Name) and node.name not in scope:
                definition = self.definitions.get(node.name)
                if definition is None or len(definition.names) == 2:
                    return False
                node = definition.body
            else:
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
