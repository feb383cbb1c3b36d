"""The derivative of a function of one number, as a formula: f'(t) from f(t).

The rules are those of any first course: sums, products, quotients, powers, the chain rule.  What
comes out is only tidied (no factors 1, no summands 0), since the learner reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from engine.given.forward import names_in
from engine.given.paper import renamed

ZERO: Final = Number(0.0)
ONE: Final = Number(1.0)
_TWO: Final = Number(2.0)


def times(left: Node, right: Node) -> Node:
    """left * right, without a factor 1, and flat: a * b * c."""
    if ZERO in (left, right):
        return ZERO
    if left == ONE or right == ONE:
        return right if left == ONE else left
    if isinstance(right, Arithmetic) and right.op == "*":
        return times(times(left, right.left), right.right)
    return Arithmetic("*", left, right)


def plus(left: Node, right: Node) -> Node:
    if ZERO in (left, right):
        return right if left == ZERO else left
    return Arithmetic("+", left, right)


def minus(left: Node, right: Node) -> Node:
    if right == ZERO:
        return left
    return negated(right) if left == ZERO else Arithmetic("-", left, right)


def negated(part: Node) -> Node:
    return ZERO if part == ZERO else Negative(part)


def over(above: Node, below: Node) -> Node:
    return above if above == ZERO or below == ONE else Arithmetic("/", above, below)


def _sigmoid(u: Node) -> Node:
    return times(Apply("sigmoid", (u,)), minus(ONE, Apply("sigmoid", (u,))))


#: Of each function of one number: its derivative at u.
DERIVATIVES: Final[dict[str, Callable[[Node], Node]]] = {
    "exp": lambda u: Apply("exp", (u,)),
    "log": lambda u: over(ONE, u),
    "sqrt": lambda u: over(ONE, times(_TWO, Apply("sqrt", (u,)))),
    "sin": lambda u: Apply("cos", (u,)),
    "cos": lambda u: Negative(Apply("sin", (u,))),
    "tanh": lambda u: minus(ONE, Arithmetic("^", Apply("tanh", (u,)), _TWO)),
    "sinh": lambda u: Apply("cosh", (u,)),
    "cosh": lambda u: Apply("sinh", (u,)),
    "sech": lambda u: Negative(times(Apply("tanh", (u,)), Apply("sech", (u,)))),
    "sigmoid": _sigmoid,
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
            bent = over(times(left, of(right)), Arithmetic("^", right, _TWO))
            return minus(first, bent)
        case "^":
            return _power(node, of)
    raise OffsetError(f"'{node.op}' has no derivative.", "write it out", node.at)


def _power(node: Arithmetic, of: Callable[[Node], Node]) -> Node:
    base, exponent = node.left, node.right
    if of(exponent) == ZERO:
        lower = minus(exponent, ONE)
        if isinstance(exponent, Number):
            lower = Number(exponent.value - 1)
        power = base if lower == ONE else Arithmetic("^", base, lower)
        return times(times(exponent, power), of(base))
    grown = times(node, of(exponent))
    if base != Name("e"):
        grown = times(grown, Apply("log", (base,)))
    if of(base) == ZERO:
        return grown
    moved = times(times(exponent, Arithmetic("^", base, minus(exponent, ONE))), of(base))
    return plus(grown, moved)
