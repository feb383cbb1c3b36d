"""What a tree of engine/formula means on one input, in plain loops, as docs/answers.md tells it.

Slow and obvious, and none of the evaluator's code: a number is a float, NaN where it is undefined;
a condition is True, False, or None where nobody can say.
"""

from __future__ import annotations

import math

from engine.formula import tree as t
from tests.engine.brute import roles
from tests.engine.brute.numbers import CALCULATIONS, FUNCTIONS, RELATIONS
from tests.engine.brute.pooling import Case, Jacobian, Message
from tests.engine.brute.sets import Place, Scope, Sets, Truth, conjunction, negated


def message(answer: t.Answer, case: Case) -> Message:
    """The dx of an answer.  Free k and l mean the one window that contains (i,j)."""
    run = Interpreter(answer, case)
    free = roles.free_names(answer) & {"k", "l"} - set(answer.indices) - set(run.definitions)
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


def jacobian(answer: t.Answer, case: Case) -> Jacobian:
    run = Interpreter(answer, case)
    found: Jacobian = {}
    for k, l in case.windows:  # noqa: E741
        found[k, l] = {}
        for i, j in case.cells:
            scope = dict(zip(answer.indices, map(float, (k, l, i, j)), strict=True))
            found[k, l][i, j] = run.number(answer.body, scope)
    return found


class Interpreter(Sets):
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
