"""Wrong derivatives: formulas changed as students change them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from typing import Any, Final

from engine.formula import tree as t
from engine.formula.rewrite import (
    derivative_of,
    exchanged,
    inside,
    names_in,
    rebuilt,
    renamed,
    replaced,
)
from engine.formula.tree import OffsetError, children
from engine.formula.unparse import unparse
from engine.messages.model import Model
from engine.verdict import Mistake

# -- Slips of the rules of differentiation: of cases, products, quotients and powers.


PRODUCT: Final = "A product is differentiated factor by factor, and the two terms are added."
WRONG_SIDE: Final = "Put a number on each side in: the slope is that of the branch it falls into."


def held(node: t.Node) -> t.Node:
    """A part whose slope is 0: the value stays."""
    return t.Apply("~held", (node,))


def branches(node: t.Choice) -> Iterator[tuple[Mistake, t.Node]]:
    test, then, other = node.condition, node.then, node.otherwise
    said = unparse(test)
    name = f"the slopes of the two cases are swapped: {said}"
    yield Mistake(name, WRONG_SIDE), replace(node, then=other, otherwise=then)
    for where, changed in (
        (f"not {said}", replace(node, otherwise=t.Negative(other))),
        (said, replace(node, then=t.Negative(then))),
    ):
        yield Mistake(f"the sign of the slope where {where}", WRONG_SIDE), changed
    for alone in (other, then):
        name = f"the slope of {unparse(alone)} everywhere"
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


def product_rule(left: t.Node, right: t.Node, both: bool) -> Iterator[tuple[Mistake, t.Node]]:
    """The two terms of the product rule put wrongly, if `both` move, and 1 - z for a factor z."""
    for part, rest in ((left, right), (right, left)):
        said = unparse(part)
        if both:
            first = t.Arithmetic("*", part, held(rest))
            name = f"the factor {said} is forgotten in one term of the product rule"
            yield Mistake(name, PRODUCT), t.Arithmetic("+", first, rest)
            second = t.Arithmetic("*", held(part), rest)
            name = f"a minus between the two terms of the product rule for {said}"
            yield Mistake(name, PRODUCT), t.Arithmetic("-", first, second)
        if isinstance(part, t.Cell):
            name = f"1 - {said} in place of {said}"
            other = t.Arithmetic("*", t.Arithmetic("-", t.Number(1.0), part), rest)
            yield Mistake(name, f"What is multiplied here is {said} itself."), other
        elif isinstance(part, t.Arithmetic) and part.op == "-" and part.left == t.Number(1.0):
            name = f"{unparse(part.right)} in place of {said}"
            other = t.Arithmetic("*", part.right, rest)
            yield Mistake(name, f"What is multiplied here is {said}."), other


def quotient(left: t.Node, right: t.Node, both: bool) -> Iterator[tuple[Mistake, t.Node]]:
    below, inverse = unparse(right), unparse(t.Arithmetic("/", t.Number(1.0), right))
    yield Mistake(f"not divided by {below}", f"What divides stays: {inverse} is a factor."), left
    turned = t.Arithmetic("*", left, right)
    name = f"multiplied by {below} in place of divided"
    yield Mistake(name, f"What divides stays: {inverse} is a factor."), turned
    teaching = f"{below} moves as well: the quotient rule has a second term."
    name = f"the denominator {below} taken for constant"
    yield Mistake(name, teaching), t.Arithmetic("/", left, held(right))
    first = t.Arithmetic("/", left, held(right))
    second = t.Arithmetic("/", held(left), right)
    name = f"a plus between the two terms of the quotient rule for {inverse}"
    teaching = f"{inverse} falls where {below} grows: the second term has a minus."
    if both:
        yield Mistake(name, teaching), t.Arithmetic("-", first, second)
    name = f"the numerator {unparse(left)} taken for constant"
    yield Mistake(name, "The quotient rule has two terms."), t.Arithmetic("/", held(left), right)


def power(base: t.Node, exponent: t.Number) -> Iterator[tuple[Mistake, t.Node]]:
    said, n = unparse(base), unparse(exponent)
    whole = t.Arithmetic("^", base, exponent)
    teaching = f"The derivative of ({said})^{n} is {n} times one power less, times the inner one."
    name = f"the factor {n} of the power is forgotten"
    yield Mistake(name, teaching), t.Arithmetic("/", whole, exponent)
    grown = t.Arithmetic("*", held(t.Arithmetic("*", exponent, whole)), base)
    yield Mistake(f"the exponent {n} is not lowered", teaching), grown


# -- Slips of differentiation: a part of a formula, and another whose slope learners take for its.
#
# Each slip is a formula of the same place: only the slope of it counts, the values stay those of
# the message itself.  So a factor that is forgotten is the formula without it, and what is taken
# for constant is held (`calculus.SLIPPED`).


_HALF: Final = t.Number(0.5)

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


def mutations(node: t.Node, moved: frozenset[str]) -> Iterator[tuple[Mistake, t.Node]]:
    """Every slip at one place of a formula, with the whole formula that has it.

    `moved` are the arrays that what is differentiated by moves.
    """

    def here(part: t.Node) -> Iterator[tuple[Mistake, t.Node]]:
        for mistake, other in _here(part, moved):
            # What stands around takes its slope at the value, and chooses its branch by it.
            stays = part is not node and not isinstance(part, t.Indicator | t.Cell | t.Reduce)
            yield mistake, t.Apply("~slope", (other, part)) if stays else other

    def left_out(part: t.Node) -> Iterator[tuple[Mistake, t.Node]]:
        """What is forgotten altogether is forgotten in the value, too."""
        return (
            (mistake, other) for mistake, other in _here(part, moved) if other in children(part)
        )

    yield from everywhere(node, here)
    yield from everywhere(node, left_out)


def everywhere(
    node: t.Node, here: Callable[[t.Node], Iterator[tuple[Mistake, t.Node]]]
) -> Iterator[tuple[Mistake, t.Node]]:
    """What `here` puts in the place of any part, with the whole formula."""
    yield from here(node)
    for name, place, part in _parts(node):
        for mistake, other in everywhere(part, here):
            yield mistake, _put(node, name, place, other)


def _parts(node: t.Node) -> Iterator[tuple[str, int | None, t.Node]]:
    for field in fields(node):
        value = getattr(node, field.name)
        if isinstance(value, tuple):
            for place, part in enumerate(value):
                if isinstance(part, t.Node) and not isinstance(part, t.Name | t.Number):
                    yield field.name, place, part
        elif isinstance(value, t.Node) and not isinstance(value, t.Name | t.Number):
            yield field.name, None, value


def _put(node: Any, name: str, place: int | None, part: t.Node) -> t.Node:
    value: Any = part
    if place is not None:
        old = getattr(node, name)
        value = (*old[:place], part, *old[place + 1 :])
    changed: t.Node = replace(node, **{name: value})
    return changed


def _here(node: t.Node, moved: frozenset[str]) -> Iterator[tuple[Mistake, t.Node]]:
    match node:
        case t.Apply(function, (part,)) if function in _SLOPES:
            for name, slipped in _SLOPES[function]:
                yield Mistake(name, _RULES[function]), t.Apply(f"~{slipped}", (part,))
        case t.Apply("max" | "min" as kind, (_, _) as parts):
            other = "min" if kind == "max" else "max"
            yield Mistake(f"{unparse(node)} on the wrong side", WRONG_SIDE), t.Apply(other, parts)
            for part in parts:
                name = f"the condition of {unparse(node)} is forgotten"
                yield Mistake(name, "Where the other one wins, the slope is that one's."), part
        case t.Apply("relu", (part,)):
            other_side = t.Apply("min", (part, t.Number(0.0)))
            yield Mistake(f"{unparse(node)} on the wrong side", WRONG_SIDE), other_side
        case t.Choice():
            yield from branches(node)
        case t.Indicator(test):
            name = f"[{unparse(test)}] the wrong way round"
            yield Mistake(name, WRONG_SIDE), t.Indicator(t.Not(test))
        case t.Negative(part):
            name = f"the minus of {unparse(node)} is lost"
            yield Mistake(name, "The sign stays in front of what is differentiated."), part
        case t.Arithmetic():
            yield from _arithmetic(node, moved)
        case t.Cell():
            yield from _cell(node)
        case t.Reduce("sum" | "mean" as kind):
            yield from _reduced(node, kind)


def _arithmetic(node: t.Arithmetic, moved: frozenset[str]) -> Iterator[tuple[Mistake, t.Node]]:
    left, right = node.left, node.right
    both = all(moved.intersection(names_in(side)) for side in (left, right))
    if node.op == "*":
        for part, rest in ((left, right), (right, left)):
            said = unparse(part)
            name = f"the factor {said} is forgotten"
            yield Mistake(name, f"A factor stays when the other is differentiated: {said}."), rest
        for part, rest in ((left, right), (right, left)):
            said = unparse(part)
            name = f"{said} in place of the factor beside it"
            own = t.Arithmetic("*", _HALF, t.Arithmetic("^", part, t.Number(2.0)))
            teaching = f"The derivative by {said} is what {said} is multiplied by: {unparse(rest)}."
            yield Mistake(name, teaching), own
        for part, rest in ((left, right), (right, left)):
            name = f"only {unparse(rest)} is differentiated in the product with {unparse(part)}"
            yield Mistake(name, PRODUCT), t.Arithmetic("*", held(part), rest)
        yield from product_rule(left, right, both)
    elif node.op == "/":
        yield from quotient(left, right, both)
    elif node.op in ("+", "-"):
        yield from _terms(node)
    elif node.op == "^" and isinstance(right, t.Number) and right.value not in (0.0, 1.0):
        yield from power(left, right)


def _terms(node: t.Arithmetic) -> Iterator[tuple[Mistake, t.Node]]:
    left, right = node.left, node.right
    for part, changed in (
        (right, replace(node, right=held(right))),
        (left, replace(node, left=held(left))),
    ):
        said = unparse(part)
        teaching = f"{said} depends on what is differentiated by, too."
        yield Mistake(f"the term {said} is not differentiated", teaching), changed
    name = f"a sign inside {unparse(node)}"
    other = t.Arithmetic("-" if node.op == "+" else "+", left, right)
    yield Mistake(name, "The derivative of a difference is the difference of derivatives."), other


def _cell(node: t.Cell) -> Iterator[tuple[Mistake, t.Node]]:
    match node.indices:
        case (t.Name(i), t.Name(j)) if i != j:
            said = f"{node.array}[{j},{i}] in place of {unparse(node)}"
            teaching = "Follow each index: the one that is summed over is the output's."
            swapped = replace(node, indices=node.indices[::-1])
            yield Mistake(f"{node.array} is transposed: {said}", teaching), swapped


def _reduced(node: t.Reduce, kind: str) -> Iterator[tuple[Mistake, t.Node]]:
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
    yield mistake, t.Arithmetic("+", changed, held(t.Arithmetic("-", node, changed)))


# -- Slips of where a layer reads: stride, padding, direction, in every place that says so.


def place_mutations(node: t.Node) -> Iterator[tuple[Mistake, t.Node]]:
    """Each computed index x[i*s+a-p] put wrongly, with the conditions that speak of it."""
    computed = dict.fromkeys(index for index in _indices(node) if isinstance(index, t.Arithmetic))
    ways = {index: [*_index(index, unparse(index))] for index in computed}
    for index, found in ways.items():
        for mistake, other in found:
            yield mistake, exchanged(node, index, other)
    if len(computed) > 1:
        # In both dimensions of an image at once.
        for alike in zip(*ways.values(), strict=False):
            changed = node
            for index, (_, other) in zip(ways, alike, strict=True):
                changed = exchanged(changed, index, other)
            yield alike[0][0], changed
    if computed:
        yield from everywhere(node, _place_mutations_here)


def _indices(node: t.Node) -> Iterator[t.Node]:
    return (index for one in inside(node) if isinstance(one, t.Cell) for index in one.indices)


def _index(index: t.Node, whole: str) -> Iterator[tuple[Mistake, t.Node]]:
    match index:
        case t.Arithmetic("*", (t.Name() | t.Number()) as one, (t.Name() | t.Number()) as two):
            pairs: tuple[tuple[t.Node, t.Node], ...] = ((one, two), (two, one))
            for kept, other in pairs:
                name = f"the stride {unparse(other)} is forgotten"
                yield Mistake(name, f"The place that is read is {whole}, all of it."), kept
        case t.Arithmetic("-" | "+" as op, left, right):
            name = "the padding" if op == "-" else "the place inside the window"
            teaching = f"The place that is read is {whole}, all of it."
            yield Mistake(f"{name} {unparse(right)} is forgotten", teaching), left
            turned = t.Arithmetic("+" if op == "-" else "-", left, right)
            said = f"{unparse(turned)} in place of {unparse(index)}"
            yield Mistake(f"the index runs the other way: {said}", teaching), turned
            for mistake, inside in _index(left, whole):
                yield mistake, t.Arithmetic(op, inside, right)
            if isinstance(left, t.Arithmetic) and isinstance(left.left, t.Name):
                name = f"only {left.left.name} of the place {whole} is read"
                yield Mistake(name, teaching), left.left


def _place_mutations_here(node: t.Node) -> Iterator[tuple[Mistake, t.Node]]:
    if isinstance(node, t.Reduce):
        yield from _ends(node)
    yield from _flipped(node)


def _ends(node: t.Reduce) -> Iterator[tuple[Mistake, t.Node]]:
    """A written range that begins or ends one too late or too early."""
    for place, binder in enumerate(node.binders):
        if not isinstance(binder.domain, t.Range):
            continue
        letter, (start, stop) = binder.names[0], (binder.domain.start, binder.domain.stop)
        teaching = f"{letter} runs from {unparse(start)} to before {unparse(stop)}."
        for name, domain in (
            (f"one too many at the end of {letter}", t.Range(start, _next(stop, "+"))),
            (f"one too few at the end of {letter}", t.Range(start, _next(stop, "-"))),
            (f"one too few at the beginning of {letter}", t.Range(_next(start, "+"), stop)),
            (f"the first of {letter} alone", t.Range(start, _next(start, "+"))),
        ):
            binders = list(node.binders)
            binders[place] = replace(binder, domain=domain)
            yield Mistake(name, teaching), replace(node, binders=tuple(binders))


def _next(node: t.Node, sign: str) -> t.Node:
    return t.Arithmetic(sign, node, t.Number(1.0))


def _flipped(node: t.Node) -> Iterator[tuple[Mistake, t.Node]]:
    """W[n-1-a] for W[a] beside a computed index; the length is counted by the array itself."""
    if not isinstance(node, t.Cell) or not all(isinstance(index, t.Name) for index in node.indices):
        return
    teaching = "Each entry goes back by the weight that it went forward by: nothing is turned."
    for place, index in enumerate(node.indices):
        assert isinstance(index, t.Name)
        own = t.Comparison(("==",), (node, node))
        length = t.Reduce("count", own, (t.Binder((index.name,), None),), None)
        last = t.Arithmetic("-", t.Arithmetic("-", length, t.Number(1.0)), index)
        changed = (*node.indices[:place], last, *node.indices[place + 1 :])
        name = f"{node.array} is flipped along {index.name}"
        yield Mistake(name, teaching), replace(node, indices=changed)


# -- Slips of what is spoken of: one array for another, a mask turned round, a lost term.


def masks(node: t.Node, model: Model) -> Iterator[tuple[Mistake, t.Node]]:
    """1 - r for a mask r."""

    def here(part: t.Node) -> Iterator[tuple[Mistake, t.Node]]:
        name = t.name_of(part)
        if isinstance(part, t.Cell | t.Name) and model.kinds.get(name) == "binary":
            said = unparse(part)
            teaching = f"What counts is where {said} is 1, not where it is 0."
            mistake = Mistake(f"{said} the wrong way round", teaching)
            yield mistake, t.Arithmetic("-", t.Number(1.0), part)

    return everywhere(node, here)


def input_mutations(node: t.Node, model: Model) -> Iterator[tuple[Mistake, t.Node]]:
    def here(part: t.Node) -> Iterator[tuple[Mistake, t.Node]]:
        if not isinstance(part, t.Cell | t.Name):
            return
        name = t.name_of(part)
        said = unparse(part)
        if not isinstance(part, t.Cell) or name not in model.forward.defined:
            return
        own = model.forward.defined[name]
        match own.body:
            case t.Arithmetic("/", above, below) if part.indices == tuple(
                map(t.Name, own.parameters)
            ):
                name_ = f"{unparse(above)} in place of {said}: not divided"
                yield Mistake(name_, f"{said} is divided by {unparse(below)} as well."), above
        for earlier in _made_of(name, model):
            other = replace(part, array=earlier)
            mistake = Mistake(
                f"{unparse(other)} in place of {said}",
                f"What is multiplied here is {said}, after its own step.",
            )
            yield mistake, other

    return everywhere(node, here)


def _made_of(name: str, model: Model) -> list[str]:
    """The arrays of as many indices that one is made of."""
    count = model.survey.indices_of(name)
    known = {*model.forward.defined, *model.forward.inputs}
    used = dict.fromkeys(names_in(model.forward.defined[name].body))
    return [one for one in used if one in known and model.survey.indices_of(one) == count]


def together(bodies: Sequence[t.Definition]) -> Iterator[tuple[Mistake, dict[str, t.Definition]]]:
    """All means taken for sums at once, as in the two terms of a normalisation."""
    changed = {d.names[0]: replace(d, body=_summed(d.body)) for d in bodies}
    moved = {d.names[0]: changed[d.names[0]] for d in bodies if changed[d.names[0]] != d}
    if len(moved) > 1:
        teaching = "Each mean has a factor 1 over the number of its terms; the derivative keeps it."
        yield Mistake(f"sums in place of the means in {' and '.join(moved)}", teaching), moved


def _summed(node: t.Node) -> t.Node:
    same = rebuilt(node, _summed)
    if isinstance(same, t.Reduce) and same.kind == "mean":
        return replace(same, kind="sum")
    return same


def missing(node: t.Node, model: Model) -> Iterator[tuple[Mistake, t.Node]]:
    """The formula without a summand that is an input: a bias, a target that is forgotten."""

    def here(part: t.Node) -> Iterator[tuple[Mistake, t.Node]]:
        if not (isinstance(part, t.Arithmetic) and part.op in ("+", "-")):
            return
        right = part.right
        name = t.name_of(right)
        if isinstance(right, t.Cell | t.Name) and name in model.forward.inputs:
            said = unparse(right)
            mistake = Mistake(
                f"the term {said} is missing in the value",
                f"The slope is taken at the place where {said} belongs to the value.",
            )
            yield mistake, part.left

    return everywhere(node, here)


# -- Functions of each number by itself, y[k] = f(s[k]), and the slopes they are given by mistake.


_ONE: Final = t.Number(1.0)
_TWO: Final = t.Number(2.0)


def inlined(node: t.Node, functions: Sequence[t.Definition]) -> t.Node:
    """A formula with what its functions say in their place."""
    same = rebuilt(node, lambda part: inlined(part, functions))
    for one in functions:
        if isinstance(same, t.Cell) and same.array == one.names[0] and len(one.parameters) == 1:
            return inlined(renamed(one.body, one.parameters[0], same.indices[0]), functions)
    return same


def unit_of(definition: t.Definition) -> t.Cell | None:
    """The s[k] of y[k] = f(s[k]); None where y is made of more than one array, or of sums."""
    found = set(_cells(definition.body))
    if len(found) != 1:
        return None
    cell = found.pop()
    own = tuple(map(t.Name, definition.parameters))
    return cell if cell is not None and cell.indices == own else None


def _cells(node: t.Node) -> Iterator[t.Cell | None]:
    """Every cell; None for a sum, which no unit has."""
    if isinstance(node, t.Cell):
        yield node
    elif isinstance(node, t.Reduce):
        yield None
    for part in children(node):
        yield from _cells(part)


def unit_mutations(definition: t.Definition) -> Iterator[tuple[Mistake, t.Node]]:
    """Wrong slopes of a unit, each as a formula that has it."""
    cell = unit_of(definition)
    if cell is None or definition.body == cell:
        return
    y, s = _left(definition), unparse(cell)
    body = definition.body
    rule = _rule(definition, cell, s)
    teaching = f"d{y}/d{s} is {rule}." if rule else f"Differentiate {y} by {s} once more, slowly."

    def taken(name: str, wrong: t.Node) -> tuple[Mistake, t.Node]:
        return Mistake(name, teaching), t.Arithmetic("*", held(wrong), cell)

    chain = f"the slope of {y.partition('[')[0]} by {s.partition('[')[0]} is missing"
    teach = f"{y} is a function of {s}: the chain rule multiplies by its derivative."
    yield Mistake(chain, teach), cell
    there = t.Arithmetic("+", cell, held(t.Arithmetic("-", body, cell)))
    yield (
        Mistake(f"the derivative at {y} in place of {s}", f"{teaching[:-1]}: at {s}, not at {y}."),
        replaced(body, s, there),
    )
    rest = t.Arithmetic("-", _ONE, body)
    square = t.Arithmetic("^", body, _TWO)
    yield taken(f"{y} itself in place of its derivative", body)
    yield taken(f"1 - {y} in place of the derivative", rest)
    yield taken(f"{y}² in place of the derivative", square)
    yield taken(f"1 - {y}² in place of the derivative: that is tanh's",
                t.Arithmetic("-", _ONE, square))  # fmt: skip
    yield taken(f"{y} (1 - {y}) in place of the derivative: that is the sigmoid's",
                t.Arithmetic("*", body, rest))  # fmt: skip
    yield taken(f"1 + {y}² in place of the derivative: a sign", t.Arithmetic("+", _ONE, square))
    more = t.Arithmetic("*", body, t.Arithmetic("+", _ONE, body))
    yield taken(f"{y} (1 + {y}) in place of the derivative: a sign", more)
    yield taken(f"{s} (1 - {s}): {s} in place of {y}",
                t.Arithmetic("*", cell, t.Arithmetic("-", _ONE, cell)))  # fmt: skip
    yield taken(f"1 - {s}²: {s} in place of {y}",
                t.Arithmetic("-", _ONE, t.Arithmetic("^", cell, _TWO)))  # fmt: skip
    yield taken(f"[{s} > 0] in place of the derivative: that is ReLU's",
                t.Indicator(t.Comparison((">",), (cell, t.Number(0.0)))))  # fmt: skip
    yield taken(f"{s} in place of the derivative", cell)
    if isinstance(body, t.Choice):
        for kept, other in ((True, body.otherwise), (False, body.then)):
            name = f"{unparse(other)} in place of its own derivative"
            wrong = t.Arithmetic("*", held(other), cell)
            changed = replace(body, otherwise=wrong) if kept else replace(body, then=wrong)
            yield Mistake(name, teaching), changed


def _rule(definition: t.Definition, cell: t.Cell, s: str) -> str:
    """The derivative as a formula, where it is short."""
    try:
        body = replaced(definition.body, s, t.Name("u"))
        found = derivative_of(body, "u", {})
    except OffsetError:
        return ""
    said = unparse(renamed(found, "u", cell))
    return said if len(said) <= 70 else ""


def _left(definition: t.Definition) -> str:
    inside = ",".join(definition.parameters)
    return f"{definition.names[0]}[{inside}]" if inside else definition.names[0]
