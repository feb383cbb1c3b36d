"""Slips of differentiation: a part of a formula, and another whose slope learners take for its.

Each slip is a formula of the same place: only the slope of it counts, the values stay those of the
message itself.  So a factor that is forgotten is the formula without it, and what is taken for
constant is held (`calculus.SLIPPED`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any, Final

from engine.formula import echo
from engine.formula.tree import (
    Apply,
    Arithmetic,
    Cell,
    Choice,
    Indicator,
    Name,
    Negative,
    Node,
    Not,
    Number,
    Reduce,
    children,
)
from engine.given.paper import names_in
from engine.given.slips_of_rules import (
    PRODUCT,
    WRONG_SIDE,
    branches,
    held,
    power,
    product_rule,
    quotient,
)
from engine.verdict import Mistake

_HALF: Final = Number(0.5)

#: Of each function the slopes that it is given by mistake, and what mends it.
_SLOPES: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "tanh": (
        ("tanh' = 1 - tanh: the square is missing", "tanh"),
        ("tanh itself in place of its derivative", "tanh itself"),
        ("tanh' taken for the sigmoid's: tanh (1 - tanh)", "tanh as sigmoid"),
        ("the derivative of tanh at its value in place of its argument", "tanh at its value"),
        ("the derivative of tanh is missing", "tanh 1"),
    ),
    "sigmoid": (
        ("σ' = 1 - σ: the factor σ is missing", "sigmoid"),
        ("σ itself in place of its derivative", "sigmoid itself"),
        ("σ' = σ²", "sigmoid squared"),
        ("σ' taken for that of tanh: 1 - σ²", "sigmoid as tanh"),
        ("the derivative of σ at its value in place of its argument", "sigmoid at its value"),
        ("the derivative of σ is missing", "sigmoid 1"),
    ),
    "exp": (
        ("the derivative of exp is missing", "exp 1"),
        ("the derivative of exp at its value in place of its argument", "exp at its value"),
    ),
    "log": (
        ("log itself in place of its derivative", "log itself"),
        ("the derivative of log is missing", "log 1"),
    ),
    "sqrt": (
        ("the 1/2 of the square root is missing", "sqrt"),
        ("the derivative of the square root is missing", "sqrt 1"),
    ),
    "sin": (("the sign of the derivative of sin", "sin"), ("the derivative of sin", "sin 1")),
    "cos": (("the sign of the derivative of cos", "cos"), ("the derivative of cos", "cos 1")),
    "softplus": (
        ("softplus itself in place of its derivative", "softplus"),
        ("the derivative of softplus is missing", "softplus 1"),
    ),
    "erf": (
        ("the 2/√π of the derivative of erf is missing", "erf"),
        ("the derivative of erf is missing", "erf 1"),
    ),
}
_RULES: Final = {
    "tanh": "tanh'(s) is 1 - tanh(s)².",
    "sigmoid": "σ'(s) is σ(s) (1 - σ(s)): both factors, at s itself.",
    "exp": "exp'(s) is exp(s) again, times the derivative of what is inside.",
    "log": "log'(s) is 1/s.",
    "sqrt": "The derivative of √s is 1/(2√s).",
    "sin": "sin' is cos.",
    "cos": "cos' is -sin.",
    "softplus": "The derivative of softplus is the sigmoid.",
    "erf": "erf'(s) is 2/√π exp(-s²).",
}


def slips(node: Node, moved: frozenset[str]) -> Iterator[tuple[Mistake, Node]]:
    """Every slip at one place of a formula, with the whole formula that has it.

    `moved` are the arrays that what is differentiated by moves.
    """

    def here(part: Node) -> Iterator[tuple[Mistake, Node]]:
        for mistake, other in _here(part, moved):
            # What stands around takes its slope at the value, and chooses its branch by it.
            stays = part is not node and not isinstance(part, Indicator | Cell | Reduce)
            yield mistake, Apply("~slope", (other, part)) if stays else other

    def left_out(part: Node) -> Iterator[tuple[Mistake, Node]]:
        """What is forgotten altogether is forgotten in the value, too."""
        return (
            (mistake, other) for mistake, other in _here(part, moved) if other in children(part)
        )

    yield from everywhere(node, here)
    yield from everywhere(node, left_out)


def everywhere(
    node: Node, here: Callable[[Node], Iterator[tuple[Mistake, Node]]]
) -> Iterator[tuple[Mistake, Node]]:
    """What `here` puts in the place of any part, with the whole formula."""
    yield from here(node)
    for name, place, part in _parts(node):
        for mistake, other in everywhere(part, here):
            yield mistake, _put(node, name, place, other)


def _parts(node: Node) -> Iterator[tuple[str, int | None, Node]]:
    for field in fields(node):
        value = getattr(node, field.name)
        if isinstance(value, tuple):
            for place, part in enumerate(value):
                if isinstance(part, Node) and not isinstance(part, Name | Number):
                    yield field.name, place, part
        elif isinstance(value, Node) and not isinstance(value, Name | Number):
            yield field.name, None, value


def _put(node: Any, name: str, place: int | None, part: Node) -> Node:
    value: Any = part
    if place is not None:
        old = getattr(node, name)
        value = (*old[:place], part, *old[place + 1 :])
    changed: Node = replace(node, **{name: value})
    return changed


def _here(node: Node, moved: frozenset[str]) -> Iterator[tuple[Mistake, Node]]:
    match node:
        case Apply(function, (part,)) if function in _SLOPES:
            for name, slipped in _SLOPES[function]:
                yield Mistake(name, _RULES[function]), Apply(f"~{slipped}", (part,))
        case Apply("max" | "min" as kind, (_, _) as parts):
            other = "min" if kind == "max" else "max"
            yield Mistake(f"{echo.text(node)} on the wrong side", WRONG_SIDE), Apply(other, parts)
            for part in parts:
                name = f"the condition of {echo.text(node)} is forgotten"
                yield Mistake(name, "Where the other one wins, the slope is that one's."), part
        case Apply("relu", (part,)):
            other_side = Apply("min", (part, Number(0.0)))
            yield Mistake(f"{echo.text(node)} on the wrong side", WRONG_SIDE), other_side
        case Choice():
            yield from branches(node)
        case Indicator(test):
            name = f"[{echo.text(test)}] the wrong way round"
            yield Mistake(name, WRONG_SIDE), Indicator(Not(test))
        case Negative(part):
            name = f"the minus of {echo.text(node)} is lost"
            yield Mistake(name, "The sign stays in front of what is differentiated."), part
        case Arithmetic():
            yield from _arithmetic(node, moved)
        case Cell():
            yield from _cell(node)
        case Reduce("sum" | "mean" as kind):
            yield from _reduced(node, kind)


def _arithmetic(node: Arithmetic, moved: frozenset[str]) -> Iterator[tuple[Mistake, Node]]:
    left, right = node.left, node.right
    both = all(moved.intersection(names_in(side)) for side in (left, right))
    if node.op == "*":
        for part, rest in ((left, right), (right, left)):
            said = echo.text(part)
            name = f"the factor {said} is forgotten"
            yield Mistake(name, f"A factor stays when the other is differentiated: {said}."), rest
        for part, rest in ((left, right), (right, left)):
            said = echo.text(part)
            name = f"{said} in place of the factor beside it"
            own = Arithmetic("*", _HALF, Arithmetic("^", part, Number(2.0)))
            teaching = (
                f"The derivative by {said} is what {said} is multiplied by: {echo.text(rest)}."
            )
            yield Mistake(name, teaching), own
        for part, rest in ((left, right), (right, left)):
            name = f"only {echo.text(rest)} is differentiated in the product with {echo.text(part)}"
            yield Mistake(name, PRODUCT), Arithmetic("*", held(part), rest)
        yield from product_rule(left, right, both)
    elif node.op == "/":
        yield from quotient(left, right, both)
    elif node.op in ("+", "-"):
        yield from _terms(node)
    elif node.op == "^" and isinstance(right, Number) and right.value not in (0.0, 1.0):
        yield from power(left, right)


def _terms(node: Arithmetic) -> Iterator[tuple[Mistake, Node]]:
    left, right = node.left, node.right
    for part, changed in (
        (right, replace(node, right=held(right))),
        (left, replace(node, left=held(left))),
    ):
        said = echo.text(part)
        teaching = f"{said} depends on what is differentiated by, too."
        yield Mistake(f"the term {said} is not differentiated", teaching), changed
    name = f"a sign inside {echo.text(node)}"
    other = Arithmetic("-" if node.op == "+" else "+", left, right)
    yield Mistake(name, "The derivative of a difference is the difference of derivatives."), other


def _cell(node: Cell) -> Iterator[tuple[Mistake, Node]]:
    match node.indices:
        case (Name(i), Name(j)) if i != j:
            said = f"{node.array}[{j},{i}] in place of {echo.text(node)}"
            teaching = "Follow each index: the one that is summed over is the output's."
            swapped = replace(node, indices=node.indices[::-1])
            yield Mistake(f"{node.array} is transposed: {said}", teaching), swapped


def _reduced(node: Reduce, kind: str) -> Iterator[tuple[Mistake, Node]]:
    """The wrong slope, and also where the value is that of the message, as inside of a root."""
    over = ", ".join(node.names)
    teaching = (
        f"The mean over {over} has a factor 1 over their number, which the derivative keeps."
        if kind == "mean"
        else f"It is the sum over {over} that counts: nothing is divided by their number."
    )
    other = "mean" if kind == "sum" else "sum"
    mistake = Mistake(f"{other} in place of {kind} over {over}", teaching)
    changed = replace(node, kind=other)
    yield mistake, changed
    yield mistake, Arithmetic("+", changed, held(Arithmetic("-", node, changed)))
