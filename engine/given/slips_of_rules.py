"""Slips of the rules of differentiation: of cases, products, quotients and powers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from engine.formula import echo
from engine.formula.tree import Apply, Arithmetic, Cell, Choice, Negative, Node, Number
from engine.verdict import Mistake

PRODUCT: Final = "A product is differentiated factor by factor, and the two terms are added."
WRONG_SIDE: Final = "Put a number on each side in: the slope is that of the branch it falls into."


def held(node: Node) -> Node:
    """A part whose slope is 0: the value stays."""
    return Apply("~held", (node,))


def branches(node: Choice) -> Iterator[tuple[Mistake, Node]]:
    test, then, other = node.condition, node.then, node.otherwise
    said = echo.text(test)
    name = f"the slopes of the two cases are swapped: {said}"
    yield Mistake(name, WRONG_SIDE), replace(node, then=other, otherwise=then)
    for where, changed in (
        (f"not {said}", replace(node, otherwise=Negative(other))),
        (said, replace(node, then=Negative(then))),
    ):
        yield Mistake(f"the sign of the slope where {where}", WRONG_SIDE), changed
    for alone in (other, then):
        name = f"the slope of {echo.text(alone)} everywhere"
        yield Mistake(name, f"Each case has a slope of its own: test {said}."), alone
    for where, flat in (
        (f"not {said}", replace(node, otherwise=held(other))),
        (said, replace(node, then=held(then))),
    ):
        name = f"the slope where {where} is forgotten"
        yield (
            Mistake(name, "Each case has a slope of its own; it is 0 only where it is flat."),
            flat,
        )


def product_rule(left: Node, right: Node, both: bool) -> Iterator[tuple[Mistake, Node]]:
    """The two terms of the product rule put wrongly, if `both` move, and 1 - z for a factor z."""
    for part, rest in ((left, right), (right, left)):
        said = echo.text(part)
        if both:
            first = Arithmetic("*", part, held(rest))
            name = f"the factor {said} is forgotten in one term of the product rule"
            yield Mistake(name, PRODUCT), Arithmetic("+", first, rest)
            second = Arithmetic("*", held(part), rest)
            name = f"a minus between the two terms of the product rule for {said}"
            yield Mistake(name, PRODUCT), Arithmetic("-", first, second)
        if isinstance(part, Cell):
            name = f"1 - {said} in place of {said}"
            other = Arithmetic("*", Arithmetic("-", Number(1.0), part), rest)
            yield Mistake(name, f"What is multiplied here is {said} itself."), other
        elif isinstance(part, Arithmetic) and part.op == "-" and part.left == Number(1.0):
            name = f"{echo.text(part.right)} in place of {said}"
            other = Arithmetic("*", part.right, rest)
            yield Mistake(name, f"What is multiplied here is {said}."), other


def quotient(left: Node, right: Node, both: bool) -> Iterator[tuple[Mistake, Node]]:
    below, inverse = echo.text(right), echo.text(Arithmetic("/", Number(1.0), right))
    yield Mistake(f"not divided by {below}", f"What divides stays: {inverse} is a factor."), left
    turned = Arithmetic("*", left, right)
    name = f"multiplied by {below} in place of divided"
    yield Mistake(name, f"What divides stays: {inverse} is a factor."), turned
    teaching = f"{below} moves as well: the quotient rule has a second term."
    name = f"the denominator {below} taken for constant"
    yield Mistake(name, teaching), Arithmetic("/", left, held(right))
    first = Arithmetic("/", left, held(right))
    second = Arithmetic("/", held(left), right)
    name = f"a plus between the two terms of the quotient rule for {inverse}"
    teaching = f"{inverse} falls where {below} grows: the second term has a minus."
    if both:
        yield Mistake(name, teaching), Arithmetic("-", first, second)
    name = f"the numerator {echo.text(left)} taken for constant"
    yield Mistake(name, "The quotient rule has two terms."), Arithmetic("/", held(left), right)


def power(base: Node, exponent: Number) -> Iterator[tuple[Mistake, Node]]:
    said, n = echo.text(base), echo.text(exponent)
    whole = Arithmetic("^", base, exponent)
    teaching = f"The derivative of ({said})^{n} is {n} times one power less, times the inner one."
    name = f"the factor {n} of the power is forgotten"
    yield Mistake(name, teaching), Arithmetic("/", whole, exponent)
    grown = Arithmetic("*", held(Arithmetic("*", exponent, whole)), base)
    yield Mistake(f"the exponent {n} is not lowered", teaching), grown
