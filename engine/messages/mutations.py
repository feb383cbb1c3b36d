"""Wrong derivatives: formulas changed as students change them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final, TypeAlias

from engine.formula import tree as t
from engine.formula.rewrite import (
    ONE,
    TWO,
    exchanged,
    inside,
    names_in,
    places,
    rebuilt,
    renamed,
    replaced,
)
from engine.formula.slopes import DERIVATIVES, derivative_of
from engine.formula.tree import OffsetError, children
from engine.formula.unparse import unparse
from engine.messages.model import Model

# -- A slip: the name of a mistake, the sentence that mends it, and a formula that has it.
#
# Only the slope of the formula counts; the values stay those of the message itself, but where it
# is said that they are wrong as well. So a factor that is forgotten is the formula without it, and
# what is taken for constant is held.


Slips: TypeAlias = Iterator[tuple[str, str, t.Node]]

_HALF: Final = t.Number(0.5)


def _plus(left: t.Node, right: t.Node) -> t.Node:
    return t.Arithmetic("+", left, right)


def _minus(left: t.Node, right: t.Node) -> t.Node:
    return t.Arithmetic("-", left, right)


def _times(left: t.Node, right: t.Node) -> t.Node:
    return t.Arithmetic("*", left, right)


def _over(left: t.Node, right: t.Node) -> t.Node:
    return t.Arithmetic("/", left, right)


def _held(node: t.Node) -> t.Node:
    """A part whose slope is 0: the value stays."""
    return t.Apply("~held", (node,))


def _sloped(slope: t.Node, value: t.Node) -> t.Node:
    """The slope of one part at the value of another."""
    return t.Apply("~slope", (slope, value))


def _with(node: t.Node, side: str, part: t.Node) -> t.Node:
    changed: Any = {side: part}
    return replace(node, **changed)


def everywhere(node: t.Node, here: Callable[[t.Node], Slips]) -> Slips:
    """What `here` puts in the place of any part, with the whole formula."""
    yield from here(node)
    for part, put in places(node):
        if not isinstance(part, t.Name | t.Number):
            for mistake, teaching, other in everywhere(part, here):
                yield mistake, teaching, put(other)


# -- Slips of the rules of differentiation.


def _square(y: t.Node) -> t.Node:
    return t.Arithmetic("^", y, TWO)


#: Of each function slopes that it is given by mistake, from its value y = f(u) and from u.
_SLOPES: Final[dict[str, dict[str, Callable[[t.Node, t.Node], t.Node]]]] = {
    "tanh": {
        "tanh' = 1 - tanh: the square is missing": lambda y, _: _minus(ONE, y),
        "tanh' taken for the sigmoid's: tanh (1 - tanh)": lambda y, _: _times(y, _minus(ONE, y)),
    },
    "sigmoid": {
        "σ' = 1 - σ: the factor σ is missing": lambda y, _: _minus(ONE, y),
        "σ' = σ²": lambda y, _: _square(y),
        "σ' taken for that of tanh: 1 - σ²": lambda y, _: _minus(ONE, _square(y)),
    },
    "sqrt": {"the 1/2 of the square root is missing": lambda y, _: _over(ONE, y)},
    "sin": {
        "the sign of the derivative of sin": lambda _, u: t.Negative(DERIVATIVES["sin"](u)),
    },
    "cos": {
        "the sign of the derivative of cos": lambda _, u: t.Negative(DERIVATIVES["cos"](u)),
    },
    "erf": {
        "the 2/√π of the derivative of erf is missing": (
            lambda _, u: t.Apply("exp", (t.Negative(_square(u)),))
        ),
    },
}
#: Those that are taken for their own derivatives, and for these at their values.
_ITSELF: Final = ("tanh", "sigmoid", "log", "softplus")
_AT_VALUE: Final = ("tanh", "sigmoid", "exp")
#: What mends it.
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


def _of_function(function: str, u: t.Node) -> Slips:
    y, said = t.Apply(function, (u,)), {"sigmoid": "σ", "sqrt": "the square root"}.get(function)
    said = said or function
    slopes = {name: wrong(y, u) for name, wrong in _SLOPES.get(function, {}).items()}
    if function in _ITSELF:
        slopes[f"{said} itself in place of its derivative"] = y
    if function in _AT_VALUE:
        name = f"the derivative of {said} at its value in place of its argument"
        slopes[name] = DERIVATIVES[function](y)
    slopes[f"the derivative of {said} is missing"] = ONE
    for name, slope in slopes.items():
        yield name, _RULES[function], _times(_held(slope), u)


def mutations(node: t.Node, moved: frozenset[str]) -> Slips:
    """Every slip at one place of a formula, with the whole formula that has it.

    `moved` are the arrays that what is differentiated by moves.
    """
    picks = {id(part) for one in inside(node) for pick in _picks(one) for part in inside(pick)}

    def here(part: t.Node) -> Slips:
        # What stands around takes its slope at the value, and chooses its branch by it.
        stays = part is not node and not isinstance(part, t.Indicator | t.Cell | t.Reduce)
        if stays and id(part) in picks:
            return  # an index and a condition have no slope
        for name, teaching, other in _here(part, moved):
            yield name, teaching, _sloped(other, part) if stays else other

    def left_out(part: t.Node) -> Slips:
        """What is forgotten altogether is forgotten in the value, too."""
        return (slip for slip in _here(part, moved) if slip[2] in children(part))

    yield from everywhere(node, here)
    yield from everywhere(node, left_out)


def _picks(node: t.Node) -> tuple[t.Node, ...]:
    return node.indices if isinstance(node, t.Cell) else (node,) * isinstance(node, t.Comparison)


def _here(node: t.Node, moved: frozenset[str]) -> Slips:
    match node:
        case t.Apply(function, (part,)) if function in _RULES:
            yield from _of_function(function, part)
        case t.Apply("max" | "min" as kind, (_, _) as parts):
            other = "min" if kind == "max" else "max"
            yield f"{unparse(node)} on the wrong side", _WRONG_SIDE, t.Apply(other, parts)
            for part in parts:
                name = f"the condition of {unparse(node)} is forgotten"
                yield name, "Where the other one wins, the slope is that one's.", part
        case t.Apply("relu", (part,)):
            below = t.Apply("min", (part, t.Number(0.0)))
            yield f"{unparse(node)} on the wrong side", _WRONG_SIDE, below
        case t.Choice():
            yield from _branches(node)
        case t.Indicator(test):
            yield f"[{unparse(test)}] the wrong way round", _WRONG_SIDE, t.Indicator(t.Not(test))
        case t.Negative(part):
            name = f"the minus of {unparse(node)} is lost"
            yield name, "The sign stays in front of what is differentiated.", part
        case t.Arithmetic(op, left, right):
            both = all(moved.intersection(names_in(side)) for side in (left, right))
            match op, right:
                case "*", _:
                    yield from _product(left, right, both)
                case "/", _:
                    yield from _quotient(left, right, both)
                case (("+" | "-"), _):
                    yield from _terms(node)
                case "^", t.Number(n) if n not in (0.0, 1.0):
                    yield from _power(left, right)
        case t.Cell(array, (t.Name(i), t.Name(j)) as indices) if i != j:
            said = f"{array}[{j},{i}] in place of {unparse(node)}"
            teaching = "Follow each index: the one that is summed over is the output's."
            swapped = replace(node, indices=indices[::-1])
            yield f"{array} is transposed: {said}", teaching, swapped
        case t.Reduce("sum" | "mean" | "max" | "min"):
            yield from _reduced(node)


_WRONG_SIDE: Final = "Put a number on each side in: the slope is that of the branch it falls into."


def _branches(node: t.Choice) -> Slips:
    test, then, other = node.condition, node.then, node.otherwise
    said = unparse(test)
    turned = replace(node, then=other, otherwise=then)
    yield f"the slopes of the two cases are swapped: {said}", _WRONG_SIDE, turned
    sides = ((f"not {said}", "otherwise", other), (said, "then", then))
    for where, side, part in sides:
        changed = _with(node, side, t.Negative(part))
        yield f"the sign of the slope where {where}", _WRONG_SIDE, changed
    for _, _, part in sides:
        teaching = f"Each case has a slope of its own: test {said}."
        yield f"the slope of {unparse(part)} everywhere", teaching, part
    for where, side, part in sides:
        teaching = "Each case has a slope of its own; it is 0 only where it is flat."
        flat = _with(node, side, _held(part))
        yield f"the slope where {where} is forgotten", teaching, flat


def _product(left: t.Node, right: t.Node, both: bool) -> Slips:
    rule = "A product is differentiated factor by factor, and the two terms are added."
    sides = [(part, rest, unparse(part)) for part, rest in ((left, right), (right, left))]
    for _, rest, said in sides:
        teaching = f"{said} is a factor here, and stays one."
        yield f"the factor {said} is forgotten", teaching, rest
    for part, rest, said in sides:
        teaching = f"The derivative by {said} is what {said} is multiplied by: {unparse(rest)}."
        own = _times(_HALF, t.Arithmetic("^", part, TWO))
        yield f"{said} in place of the factor beside it", teaching, own
    for part, rest, said in sides:
        name = f"only {unparse(rest)} is differentiated in the product with {said}"
        yield name, rule, _times(_held(part), rest)
    for part, rest, said in sides:
        if both:
            one, two = _times(part, _held(rest)), _times(_held(part), rest)
            name = f"the factor {said} is forgotten in one term of the product rule"
            yield name, rule, _plus(one, rest)
            name = f"a minus between the two terms of the product rule for {said}"
            yield name, rule, _minus(one, two)
        if isinstance(part, t.Cell):
            teaching = f"What is multiplied here is {said} itself."
            yield f"1 - {said} in place of {said}", teaching, _times(_minus(ONE, part), rest)
        elif isinstance(part, t.Arithmetic) and part.op == "-" and part.left == ONE:
            name = f"{unparse(part.right)} in place of {said}"
            yield name, f"What is multiplied here is {said}.", _times(part.right, rest)


def _quotient(left: t.Node, right: t.Node, both: bool) -> Slips:
    below, inverse = unparse(right), unparse(_over(ONE, right))
    one, two = _over(left, _held(right)), _over(_held(left), right)
    stays = f"What divides stays: {inverse} is a factor."
    yield f"not divided by {below}", stays, left
    yield f"multiplied by {below} in place of divided", stays, _times(left, right)
    teaching = f"{below} moves as well: the quotient rule has a second term."
    yield f"the denominator {below} taken for constant", teaching, one
    if both:
        name = f"a plus between the two terms of the quotient rule for {inverse}"
        teaching = f"{inverse} falls where {below} grows: the second term has a minus."
        yield name, teaching, _minus(one, two)
    name = f"the numerator {unparse(left)} taken for constant"
    yield name, "The quotient rule has two terms.", two


def _power(base: t.Node, exponent: t.Node) -> Slips:
    said, n = unparse(base), unparse(exponent)
    whole = t.Arithmetic("^", base, exponent)
    teaching = f"The derivative of ({said})^{n} is {n} times one power less, times the inner one."
    yield f"the factor {n} of the power is forgotten", teaching, _over(whole, exponent)
    grown = _times(_held(_times(exponent, whole)), base)
    yield f"the exponent {n} is not lowered", teaching, grown


def _terms(node: t.Arithmetic) -> Slips:
    for side, part in (("right", node.right), ("left", node.left)):
        said = unparse(part)
        teaching = f"{said} depends on what is differentiated by, too."
        changed = _with(node, side, _held(part))
        yield f"the term {said} is not differentiated", teaching, changed
    teaching = "The derivative of a difference is the difference of derivatives."
    other = replace(node, op="-" if node.op == "+" else "+")
    yield f"a sign inside {unparse(node)}", teaching, other


#: What each is taken for by mistake, and what mends it.
_REDUCED: Final = {
    "sum": ("mean", "It is the sum over {} that counts: nothing is divided by their number."),
    "mean": (
        "sum",
        "The mean over {} has a factor 1 over their number, which the derivative keeps.",
    ),
    "max": ("min sum mean", "The largest over {} alone counts: the slope of every other one is 0."),
    "min": ("max sum mean", "The least over {} alone counts: the slope of every other one is 0."),
}


def _reduced(node: t.Reduce) -> Slips:
    """The wrong slope, and also where the value is that of the message, as inside of a root."""
    over = ", ".join(node.names)
    others, teaching = _REDUCED[node.kind]
    for other in others.split():
        name, changed = f"{other} in place of {node.kind} over {over}", replace(node, kind=other)
        yield name, teaching.format(over), changed
        yield name, teaching.format(over), _sloped(changed, node)


# -- Slips of where a layer reads: stride, padding, direction, in every place that says so.


def place_mutations(node: t.Node) -> Slips:
    """Each computed index x[i*s+a-p] put wrongly, with the conditions that speak of it."""
    indices = (index for one in inside(node) if isinstance(one, t.Cell) for index in one.indices)
    computed = dict.fromkeys(index for index in indices if isinstance(index, t.Arithmetic))
    ways = {index: [*_index(index, unparse(index))] for index in computed}
    for index, found in ways.items():
        for name, teaching, other in found:
            yield name, teaching, exchanged(node, index, other)
    if len(computed) > 1:
        # In both dimensions of an image at once.
        for alike in zip(*ways.values(), strict=False):
            changed = node
            for index, (_, _, other) in zip(ways, alike, strict=True):
                changed = exchanged(changed, index, other)
            yield *alike[0][:2], changed
    if computed:
        yield from everywhere(node, lambda part: chain(_ends(part), _flipped(part)))


def _index(index: t.Node, whole: str) -> Slips:
    teaching = f"The place that is read is {whole}, all of it."
    match index:
        case t.Arithmetic("*", (t.Name() | t.Number()) as one, (t.Name() | t.Number()) as two):
            yield f"the stride {unparse(two)} is forgotten", teaching, one
            yield f"the stride {unparse(one)} is forgotten", teaching, two
        case t.Arithmetic("-" | "+" as op, left, right):
            name = "the padding" if op == "-" else "the place inside the window"
            yield f"{name} {unparse(right)} is forgotten", teaching, left
            turned = replace(index, op="+" if op == "-" else "-")
            name = f"the index runs the other way: {unparse(turned)} in place of {unparse(index)}"
            yield name, teaching, turned
            for name, _, other in _index(left, whole):
                yield name, teaching, t.Arithmetic(op, other, right)
            if isinstance(left, t.Arithmetic) and isinstance(left.left, t.Name):
                name = f"only {left.left.name} of the place {whole} is read"
                yield name, teaching, left.left


def _ends(node: t.Node) -> Slips:
    """A written range that begins or ends one too late or too early."""
    if not isinstance(node, t.Reduce):
        return
    for place, binder in enumerate(node.binders):
        if not isinstance(binder.domain, t.Range):
            continue
        letter, (start, stop) = binder.names[0], (binder.domain.start, binder.domain.stop)
        teaching = f"{letter} runs from {unparse(start)} to before {unparse(stop)}."
        for name, domain in (
            (f"one too many at the end of {letter}", t.Range(start, _plus(stop, ONE))),
            (f"one too few at the end of {letter}", t.Range(start, _minus(stop, ONE))),
            (f"one too few at the beginning of {letter}", t.Range(_plus(start, ONE), stop)),
            (f"the first of {letter} alone", t.Range(start, _plus(start, ONE))),
        ):
            binders = [*node.binders]
            binders[place] = replace(binder, domain=domain)
            yield name, teaching, replace(node, binders=tuple(binders))


def _flipped(node: t.Node) -> Slips:
    """W[n-1-a] for W[a] beside a computed index; the length is counted by the array itself."""
    if not isinstance(node, t.Cell) or not all(isinstance(index, t.Name) for index in node.indices):
        return
    teaching = "Each entry goes back by the weight that it went forward by: nothing is turned."
    for place, index in enumerate(map(t.name_of, node.indices)):
        own = t.Comparison(("==",), (node, node))
        length = t.Reduce("count", own, (t.Binder((index,), None),), None)
        last = _minus(_minus(length, ONE), t.Name(index))
        name = f"{node.array} is flipped along {index}"
        indices = (*node.indices[:place], last, *node.indices[place + 1 :])
        yield name, teaching, replace(node, indices=indices)


# -- Slips of what is spoken of: one array for another, a mask turned round, a lost term.


def masks(node: t.Node, model: Model) -> Slips:
    """1 - r for a mask r."""

    def here(part: t.Node) -> Slips:
        if isinstance(part, t.Cell | t.Name) and model.kinds.get(t.name_of(part)) == "binary":
            said = unparse(part)
            teaching = f"What counts is where {said} is 1, not where it is 0."
            yield f"{said} the wrong way round", teaching, _minus(ONE, part)

    return everywhere(node, here)


def input_mutations(node: t.Node, model: Model) -> Slips:
    """What an array is made of, in its place."""
    known = {*model.forward.defined, *model.forward.inputs}
    count = model.survey.indices_of

    def here(part: t.Node) -> Slips:
        own = model.forward.defined.get(part.array) if isinstance(part, t.Cell) else None
        if own is None or not isinstance(part, t.Cell):
            return
        said = unparse(part)
        match own.body:
            case t.Arithmetic("/", above, below) if part.indices == _own_indices(own):
                name = f"{unparse(above)} in place of {said}: not divided"
                yield name, f"{said} is divided by {unparse(below)} as well.", above
        for earlier in dict.fromkeys(names_in(own.body)):
            if earlier in known and count(earlier) == count(part.array):
                other = replace(part, array=earlier)
                teaching = f"What is multiplied here is {said}, after its own step."
                yield f"{unparse(other)} in place of {said}", teaching, other

    return everywhere(node, here)


def together(bodies: Sequence[t.Definition]) -> Iterator[tuple[str, str, dict[str, t.Definition]]]:
    """All means taken for sums at once, as in the two terms of a normalisation."""
    changed = {d.names[0]: replace(d, body=_summed(d.body)) for d in bodies}
    moved = {d.names[0]: changed[d.names[0]] for d in bodies if changed[d.names[0]] != d}
    if len(moved) > 1:
        teaching = "Each mean has a factor 1 over the number of its terms; the derivative keeps it."
        yield f"sums in place of the means in {' and '.join(moved)}", teaching, moved


def _summed(node: t.Node) -> t.Node:
    same = rebuilt(node, _summed)
    if isinstance(same, t.Reduce) and same.kind == "mean":
        return replace(same, kind="sum")
    return same


def missing(node: t.Node, model: Model) -> Slips:
    """The formula without a summand that is an input: a bias, a target that is forgotten."""

    def here(part: t.Node) -> Slips:
        match part:
            case t.Arithmetic("+" | "-", left, (t.Cell() | t.Name()) as right):
                if t.name_of(right) in model.forward.inputs:
                    said = unparse(right)
                    teaching = f"The slope is taken at the place where {said} belongs to the value."
                    yield f"the term {said} is missing in the value", teaching, left

    return everywhere(node, here)


# -- Functions of each number by itself, y[k] = f(s[k]), and the slopes they are given by mistake.


def inlined(node: t.Node, functions: Sequence[t.Definition]) -> t.Node:
    """A formula with what its functions say in their place."""
    same = rebuilt(node, lambda part: inlined(part, functions))
    for one in functions:
        if isinstance(same, t.Cell) and same.array == one.names[0] and len(one.parameters) == 1:
            return inlined(renamed(one.body, one.parameters[0], same.indices[0]), functions)
    return same


def unit_of(definition: t.Definition) -> t.Cell | None:
    """The s[k] of y[k] = f(s[k]); None where y is made of more than one array, or of sums."""
    parts = [*inside(definition.body)]
    cells = {part for part in parts if isinstance(part, t.Cell)}
    if len(cells) != 1 or any(isinstance(part, t.Reduce) for part in parts):
        return None
    cell = cells.pop()
    return cell if cell.indices == _own_indices(definition) else None


def _own_indices(definition: t.Definition) -> tuple[t.Node, ...]:
    return tuple(map(t.Name, definition.parameters))


def unit_mutations(definition: t.Definition) -> Slips:
    """Wrong slopes of a unit, each as a formula that has it."""
    cell = unit_of(definition)
    if cell is None or definition.body == cell:
        return
    inside = ",".join(definition.parameters)
    y = f"{definition.names[0]}[{inside}]" if inside else definition.names[0]
    s, body = unparse(cell), definition.body
    rule = _rule(definition, cell, s)
    teaching = f"d{y}/d{s} is {rule}." if rule else f"Differentiate {y} by {s} once more, slowly."

    name = f"the slope of {y.partition('[')[0]} by {s.partition('[')[0]} is missing"
    yield name, f"{y} is a function of {s}: the chain rule multiplies by its derivative.", cell
    there = replaced(body, s, _plus(cell, _held(_minus(body, cell))))
    yield f"the derivative at {y} in place of {s}", f"{teaching[:-1]}: at {s}, not at {y}.", there
    for name, slope in _wrong_slopes(y, s, body, cell):
        yield name, teaching, _times(_held(slope), cell)
    if isinstance(body, t.Choice):
        for side, part in (("otherwise", body.otherwise), ("then", body.then)):
            changed = _with(body, side, _times(_held(part), cell))
            yield f"{unparse(part)} in place of its own derivative", teaching, changed


def _wrong_slopes(y: str, s: str, body: t.Node, cell: t.Cell) -> Iterator[tuple[str, t.Node]]:
    rest, square = _minus(ONE, body), t.Arithmetic("^", body, TWO)
    instead = "in place of the derivative"
    yield f"{y} itself in place of its derivative", body
    yield f"1 - {y} {instead}", rest
    yield f"{y}² {instead}", square
    yield f"1 - {y}² {instead}: that is tanh's", _minus(ONE, square)
    yield f"{y} (1 - {y}) {instead}: that is the sigmoid's", _times(body, rest)
    yield f"1 + {y}² {instead}: a sign", _plus(ONE, square)
    yield f"{y} (1 + {y}) {instead}: a sign", _times(body, _plus(ONE, body))
    yield f"{s} (1 - {s}): {s} in place of {y}", _times(cell, _minus(ONE, cell))
    squared = t.Arithmetic("^", cell, TWO)
    yield f"1 - {s}²: {s} in place of {y}", _minus(ONE, squared)
    positive = t.Comparison((">",), (cell, t.Number(0.0)))
    yield f"[{s} > 0] {instead}: that is ReLU's", t.Indicator(positive)
    yield f"{s} {instead}", cell


def _rule(definition: t.Definition, cell: t.Cell, s: str) -> str:
    """The derivative as a formula, where it is short."""
    try:
        found = derivative_of(replaced(definition.body, s, t.Name("u")), "u", {})
    except OffsetError:
        return ""
    said = unparse(renamed(found, "u", cell))
    return said if len(said) <= 70 else ""
