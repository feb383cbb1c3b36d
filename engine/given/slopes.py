"""The derivative of a function of one number, as a formula: f'(t) from f(t).

The rules are those of any first course: sums, products, quotients, powers, the chain rule.  What
comes out is only tidied (no factors 1, no summands 0), since the learner reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from math import gcd
from typing import Final

from engine.formula.problem import OffsetError
from engine.formula.tree import (
    Apply,
    Arithmetic,
    Cell,
    Choice,
    Comparison,
    Definition,
    Indicator,
    Name,
    Negative,
    Node,
    Number,
    Reduce,
)
from engine.given.paper import names_in, renamed

ZERO: Final = Number(0.0)
ONE: Final = Number(1.0)
_TWO: Final = Number(2.0)


def _number(value: float) -> Number:
    """0.3 for 3 * 0.1."""
    return Number(float(f"{value:.15g}"))


def times(left: Node, right: Node) -> Node:
    return _product((left, 1), (right, 1))


def over(above: Node, below: Node) -> Node:
    return _product((above, 1), (below, -1))


def _product(*parts: tuple[Node, int]) -> Node:
    """One fraction, with the sign outside, a number in front, and each factor once."""
    numbers, powers = {1: 1.0, -1: 1.0}, dict[Node, float]()
    for part, way in parts:
        _collect(part, way, numbers, powers)
    above, below = numbers.values()
    if above == 0:
        return ZERO
    size = abs(above), abs(below)
    shared = gcd(*map(int, size)) if all(one % 1 == 0 for one in size) else 1
    names_first = sorted(powers.items(), key=lambda one: not isinstance(one[0], Name))
    rows = []
    for number, way in zip(size, numbers, strict=True):
        row = [power(base, _number(n * way)) for base, n in names_first if n * way > 0]
        front = [_number(number / shared)] if number != shared else []
        rows.append(reduce(lambda a, b: Arithmetic("*", a, b), [*front, *row] or [ONE]))
    found = rows[0] if rows[1] == ONE else Arithmetic("/", rows[0], rows[1])
    return found if above * below > 0 else Negative(found)


def _collect(node: Node, way: int, numbers: dict[int, float], powers: dict[Node, float]) -> None:
    """Take a product apart: numbers above and below the line, and the power of each factor."""
    match node:
        case Number(value):
            numbers[way] *= value
        case Negative(part):
            numbers[way] *= -1
            _collect(part, way, numbers, powers)
        case Arithmetic("*" | "/" as op, left, right):
            _collect(left, way, numbers, powers)
            _collect(right, way if op == "*" else -way, numbers, powers)
        case Arithmetic("^", base, Number(n)):
            powers[base] = powers.get(base, 0) + way * n
        case Arithmetic("^", base, Negative(Number(n))):
            powers[base] = powers.get(base, 0) - way * n
        case _:
            powers[node] = powers.get(node, 0) + way


def plus(left: Node, right: Node) -> Node:
    match left, right:
        case (Number(0.0), other) | (other, Number(0.0)):
            return other
        case Number(one), Number(two):
            return _number(one + two)
        case _ if left == right:
            return times(_TWO, left)
        case (other, Negative(part)) | (Negative(part), other):
            return minus(other, part)
    return Arithmetic("+", left, right)


def minus(left: Node, right: Node) -> Node:
    match left, right:
        case _, Number(0.0):
            return left
        case Number(0.0), _:
            return negated(right)
        case Number(one), Number(two):
            return _number(one - two) if one >= two else Negative(_number(two - one))
        case _ if left == right:
            return ZERO
        case _, Negative(part):
            return plus(left, part)
        case _, Arithmetic("-", first, second) if first == left:
            return second
        case Negative(part), _:
            return negated(plus(part, right))
    return Arithmetic("-", left, right)


def negated(part: Node) -> Node:
    if isinstance(part, Negative):
        return part.operand
    return ZERO if part == ZERO else Negative(part)


def power(base: Node, exponent: Node) -> Node:
    return base if exponent == ONE else Arithmetic("^", base, exponent)


#: Of each function of one number: its derivative at u.
DERIVATIVES: Final[dict[str, Callable[[Node], Node]]] = {
    "exp": lambda u: Apply("exp", (u,)),
    "log": lambda u: over(ONE, u),
    "sqrt": lambda u: over(ONE, times(_TWO, Apply("sqrt", (u,)))),
    "sin": lambda u: Apply("cos", (u,)),
    "cos": lambda u: negated(Apply("sin", (u,))),
    "tanh": lambda u: minus(ONE, Arithmetic("^", Apply("tanh", (u,)), _TWO)),
    "sinh": lambda u: Apply("cosh", (u,)),
    "cosh": lambda u: Apply("sinh", (u,)),
    "sech": lambda u: Negative(times(Apply("tanh", (u,)), Apply("sech", (u,)))),
    "sigmoid": lambda u: times(Apply("sigmoid", (u,)), minus(ONE, Apply("sigmoid", (u,)))),
    "softplus": lambda u: Apply("sigmoid", (u,)),
    "erf": lambda u: times(
        over(_TWO, Apply("sqrt", (Name("pi"),))),
        Apply("exp", (Negative(Arithmetic("^", u, _TWO)),)),
    ),
    "abs": lambda u: Apply("sign", (u,)),
    "relu": lambda u: Indicator(Comparison((">",), (u, ZERO))),
    **dict.fromkeys(("sign", "floor", "ceil"), lambda _: ZERO),
}


def of_builtin(function: str) -> Definition:
    return Definition((f"{function}'",), ("t",), DERIVATIVES[function](Name("t")))


def of_function(
    function: Definition, functions: Mapping[str, Definition], name: str = ""
) -> Definition:
    """f'(t) of f(t).  Raises OffsetError where the rules do not reach."""
    parameter = function.parameters[0]
    body = slope(function.body, parameter, functions)
    return Definition((name or f"{function.names[0]}'",), function.parameters, body)


def slope(node: Node, by: str, functions: Mapping[str, Definition]) -> Node:
    """d node / d by."""
    if by not in set(names_in(node)):
        return ZERO

    def of(part: Node) -> Node:
        return slope(part, by, functions)

    match node:
        case Name():
            return ONE
        case Negative(part):
            return negated(of(part))
        case Arithmetic():
            return _arithmetic(node, of)
        case Choice(test, then, otherwise):
            return Choice(test, of(then), of(otherwise), node.at)
        case Indicator():
            return ZERO
        case Apply(function, (part,)) if function in DERIVATIVES:
            return times(DERIVATIVES[function](part), of(part))
        case Apply("max" | "min" as kind, (first, second)):
            test = Comparison((">" if kind == "max" else "<",), (first, second))
            return Choice(test, of(first), of(second), node.at)
        case Cell(array, (part,)) if array in functions:
            inner = functions[array]
            local = slope(inner.body, inner.parameters[0], functions)
            return times(renamed(local, inner.parameters[0], part), of(part))
        case Reduce("sum" | "mean" as kind, body, binders, condition):
            if by not in (set() if condition is None else set(names_in(condition))):
                return Reduce(kind, of(body), binders, condition, node.at)
    raise OffsetError(
        "I cannot differentiate this function by rules.", "write its derivative out", node.at
    )


def _arithmetic(node: Arithmetic, of: Callable[[Node], Node]) -> Node:
    left, right = node.left, node.right
    match node.op:
        case "+":
            return plus(of(left), of(right))
        case "-":
            return minus(of(left), of(right))
        case "*":
            return plus(times(of(left), right), times(left, of(right)))
        case "/":
            first = over(of(left), right)
            bent = over(times(left, of(right)), power(right, _TWO))
            return minus(first, bent)
        case "^":
            return _power(node, of)
    raise OffsetError(f"'{node.op}' has no derivative.", "write it out", node.at)


def _power(node: Arithmetic, of: Callable[[Node], Node]) -> Node:
    base, exponent = node.left, node.right
    moved = times(times(exponent, power(base, minus(exponent, ONE))), of(base))
    if of(exponent) == ZERO:
        return moved
    grown = times(node, of(exponent))
    return plus(grown if base == Name("e") else times(grown, Apply("log", (base,))), moved)
