"""The derivative of a formula, as a formula: f'(t) from f(t), dL/dx[m] from L.

The rules are those of any first course: sums, products, quotients, powers, the chain rule.  What
comes out is only tidied, since the learner may read it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import reduce
from typing import Final

from engine.formula import tree as t
from engine.formula.rewrite import (
    ONE,
    TWO,
    ZERO,
    exchanged,
    minus,
    names_in,
    negated,
    over,
    plus,
    power,
    rebound,
    substituted,
    times,
)
from engine.formula.tree import OffsetError

# -- The derivatives of functions.


#: Of each function of one number: its derivative at u.
DERIVATIVES: Final[dict[str, Callable[[t.Node], t.Node]]] = {
    "exp": lambda u: t.Apply("exp", (u,)),
    "log": lambda u: over(ONE, u),
    "sqrt": lambda u: over(ONE, times(TWO, t.Apply("sqrt", (u,)))),
    "sin": lambda u: t.Apply("cos", (u,)),
    "cos": lambda u: negated(t.Apply("sin", (u,))),
    "tanh": lambda u: minus(ONE, t.Arithmetic("^", t.Apply("tanh", (u,)), TWO)),
    "sinh": lambda u: t.Apply("cosh", (u,)),
    "cosh": lambda u: t.Apply("sinh", (u,)),
    "sech": lambda u: t.Negative(times(t.Apply("tanh", (u,)), t.Apply("sech", (u,)))),
    "sigmoid": lambda u: times(t.Apply("sigmoid", (u,)), minus(ONE, t.Apply("sigmoid", (u,)))),
    "softplus": lambda u: t.Apply("sigmoid", (u,)),
    "erf": lambda u: times(
        over(TWO, t.Apply("sqrt", (t.Name("pi"),))),
        t.Apply("exp", (t.Negative(t.Arithmetic("^", u, TWO)),)),
    ),
    "abs": lambda u: t.Apply("sign", (u,)),
    "relu": lambda u: t.Indicator(t.Comparison((">",), (u, ZERO))),
    **dict.fromkeys(("sign", "floor", "ceil"), lambda _: ZERO),
    "lgamma": lambda u: t.Apply("digamma", (u,)),
    "digamma": lambda u: t.Apply("trigamma", (u,)),
    "trigamma": lambda u: t.Apply("tetragamma", (u,)),
    "gamma": lambda u: times(t.Apply("gamma", (u,)), t.Apply("digamma", (u,))),
    "factorial": lambda u: times(
        t.Apply("factorial", (u,)), t.Apply("digamma", (t.Arithmetic("+", u, ONE),))
    ),
    "logit": lambda u: over(ONE, times(u, minus(ONE, u))),
}


def _psi(*ends: t.Node) -> t.Node:
    one, two = (t.Apply("digamma", (end,)) for end in ends)
    return t.Arithmetic("-", one, two)


def _of_beta(a: t.Node, b: t.Node) -> tuple[t.Node, ...]:
    both, whole = t.Arithmetic("+", a, b), t.Apply("beta", (a, b))
    return times(whole, _psi(a, both)), times(whole, _psi(b, both))


def _of_binom(n: t.Node, k: t.Node) -> tuple[t.Node, ...]:
    whole = t.Apply("binom", (n, k))
    many, some, rest = (t.Arithmetic("+", one, ONE) for one in (n, k, t.Arithmetic("-", n, k)))
    return times(whole, _psi(many, rest)), times(whole, _psi(rest, some))


def _of_normal(x: t.Node, m: t.Node, v: t.Node) -> tuple[t.Node, ...]:
    whole, off = t.Apply("normal", (x, m, v)), t.Arithmetic("-", x, m)
    by_m = times(whole, over(off, v))
    bent = minus(over(t.Arithmetic("^", off, TWO), v), ONE)
    return negated(by_m), by_m, times(whole, over(bent, times(TWO, v)))


def _of_poisson(k: t.Node, rate: t.Node) -> tuple[t.Node, ...]:
    whole = t.Apply("poisson", (k, rate))
    by_k = minus(t.Apply("log", (rate,)), t.Apply("digamma", (t.Arithmetic("+", k, ONE),)))
    return times(whole, by_k), times(whole, minus(over(k, rate), ONE))


#: Of each function of several numbers: its derivatives by each of them.
PARTIALS: Final[dict[str, Callable[..., tuple[t.Node, ...]]]] = {
    "beta": _of_beta,
    "binom": _of_binom,
    "normal": _of_normal,
    "poisson": _of_poisson,
}


# -- The derivative of a formula.


def of_builtin(function: str) -> t.Definition:
    return t.Definition((f"{function}'",), ("t",), DERIVATIVES[function](t.Name("t")))


def of_function(function: t.Definition, functions: Mapping[str, t.Definition]) -> t.Definition:
    """f'(t) of f(t).  Raises OffsetError where the rules do not reach."""
    parameter = function.parameters[0]
    body = derivative_of(function.body, parameter, functions)
    return t.Definition((f"{function.names[0]}'",), function.parameters, body)


def derivative_of(node: t.Node, by: str, functions: Mapping[str, t.Definition]) -> t.Node:
    """d node / d by."""
    return slope_of(node, {by}, lambda _: ONE, functions)


def slope_of(
    node: t.Node,
    moving: Collection[str],
    leaf: Callable[[t.Name | t.Cell], t.Node],
    functions: Mapping[str, t.Definition],
) -> t.Node:
    """The derivative of a formula in which the names `moving` move; `leaf` is that of such a one.

    Almost everywhere: a condition, and an index, is taken to stay.  Raises OffsetError where the
    rules do not reach.
    """

    def of(part: t.Node) -> t.Node:
        return slope_of(part, moving, leaf, functions)

    if isinstance(node, t.Cell) and node.array in functions:
        inner = functions[node.array]
        return of(substituted(inner.body, dict(zip(inner.parameters, node.indices, strict=True))))
    used = {*names_in(node)}
    if used.isdisjoint(moving) and used.isdisjoint(functions):
        return ZERO
    match node:
        case t.Name() | t.Cell():
            return leaf(node) if t.name_of(node) in moving else ZERO
        case t.Negative(part):
            return negated(of(part))
        case t.Arithmetic():
            return _arithmetic(node, of)
        case t.Choice(test, then, otherwise):
            return t.Choice(test, of(then), of(otherwise), node.at)
        case t.Indicator() | t.Apply("kron"):
            return ZERO
        case t.Apply(function, (part,)) if function in DERIVATIVES:
            return times(DERIVATIVES[function](part), of(part))
        case t.Apply(function, parts) if function in PARTIALS:
            slopes = (
                times(by, of(one))
                for by, one in zip(PARTIALS[function](*parts), parts, strict=True)
            )
            return reduce(plus, slopes)
        case t.Apply("max" | "min" as kind, (first, *others)):
            rest = others[0] if len(others) == 1 else t.Apply(kind, tuple(others), node.at)
            test = t.Comparison((">" if kind == "max" else "<",), (first, rest))
            return t.Choice(test, of(first), of(rest), node.at)
        case t.Over("argmax" | "argmin") | t.Reduce("count" | "argmax" | "argmin"):
            return ZERO
        case t.Reduce():
            return _of_reduce(node, of)
    raise OffsetError(
        "I cannot differentiate this function by rules.", "write its derivative out", node.at
    )


def _of_reduce(node: t.Reduce, of: Callable[[t.Node], t.Node]) -> t.Node:
    """The derivative of what runs over indices."""
    slope = of(node.body)
    if slope == ZERO:
        return ZERO
    match node.kind:
        case "sum":
            return _summed(slope, node)
        case "mean":
            return replace(node, body=slope)
        case "max" | "min":
            best = replace(node, kind=f"arg{node.kind}")
            names = tuple(map(t.Name, node.names))
            here = names[0] if len(names) == 1 else t.Pair(names)
            if len(names) <= 2:
                body = times(slope, t.Indicator(t.Comparison(("==",), (here, best))))
                return replace(node, kind="sum", body=body)
        case "prod" if all(binder.domain is None for binder in node.binders):
            # Each factor's slope, times all other factors.
            other = rebound(node, {name: f"{name}~" for name in node.names})
            apart = [
                t.Comparison(("!=",), (t.Name(f"{name}~"), t.Name(name))) for name in node.names
            ]
            test = apart[0] if len(apart) == 1 else t.Logic("or", tuple(apart))
            assert isinstance(other, t.Reduce)
            rest = replace(other, condition=t.conjunction([other.condition, test]))
            return replace(node, kind="sum", body=times(slope, rest))
    raise OffsetError(
        f"I cannot differentiate this {node.kind} by rules.", "write its derivative out", node.at
    )


def _summed(body: t.Node, node: t.Reduce) -> t.Node:
    """The sum of a slope over the indices of `node`, term by term, without [i = m] where i runs."""
    match body:
        case t.Arithmetic("+" | "-" as op, left, right):
            one, two = _summed(left, node), _summed(right, node)
            return plus(one, two) if op == "+" else minus(one, two)
        case t.Negative(part):
            return negated(_summed(part, node))
    plain = node.condition is None and all(binder.domain is None for binder in node.binders)
    names = list(node.names)
    for test in _kroneckers(body) if plain else ():
        left, right = test.operands
        name = next((one for one in (left, right) if t.name_of(one) in names), None)
        other = right if name is left else left
        if isinstance(name, t.Name) and isinstance(other, t.Name) and "~" in other.name:
            names.remove(name.name)
            body = exchanged(body, t.Indicator(test), ONE)
            body = _tidied(substituted(body, {name.name: other}))
    if body == ZERO or not names:
        return body
    if len(names) == len(node.names):
        return replace(node, body=body)
    return replace(node, body=body, binders=(t.Binder(tuple(names), None, node.at),))


def _kroneckers(node: t.Node) -> Iterator[t.Comparison]:
    """The [i = m] that are factors."""
    match node:
        case t.Arithmetic("*", left, right):
            yield from (*_kroneckers(left), *_kroneckers(right))
        case t.Arithmetic("/", left, _):
            yield from _kroneckers(left)
        case t.Indicator(t.Comparison(("==",), (t.Name(), t.Name())) as test):
            yield test


def _tidied(node: t.Node) -> t.Node:
    """Without factors 1."""
    match node:
        case t.Arithmetic("*", left, right):
            return times(_tidied(left), _tidied(right))
        case t.Arithmetic("/", left, right):
            return over(_tidied(left), right)
    return node


def _arithmetic(node: t.Arithmetic, of: Callable[[t.Node], t.Node]) -> t.Node:
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
            bent = over(times(left, of(right)), power(right, TWO))
            return minus(first, bent)
        case "^":
            return _power(node, of)
    raise OffsetError(f"'{node.op}' has no derivative.", "write it out", node.at)


def _power(node: t.Arithmetic, of: Callable[[t.Node], t.Node]) -> t.Node:
    base, exponent = node.left, node.right
    moved = times(times(exponent, power(base, minus(exponent, ONE))), of(base))
    if of(exponent) == ZERO:
        return moved
    grown = times(node, of(exponent))
    return plus(grown if base == t.Name("e") else times(grown, t.Apply("log", (base,))), moved)
