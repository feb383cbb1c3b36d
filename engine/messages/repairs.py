"""One change that makes a wrong answer right: what no known rule explains may be one slip away."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, product
from typing import Any, Final, TypeAlias

import numpy as np

from engine.exercise import Reading
from engine.formula import tree as t
from engine.formula.axes import Array, TooLargeError, TooMuchError
from engine.formula.rewrite import ONE, TWO, exchanged, inside, places
from engine.formula.unparse import unparse
from engine.messages.answer import Read
from engine.messages.evaluation import evaluate
from engine.messages.judge import JudgedMessage, Rule
from engine.messages.vocabulary import Words
from engine.verdict import Mistake

#: What was put wrongly, in words, and the formula without that.
Change: TypeAlias = tuple[str, t.Node]

#: So many changes are tried, each on so many inputs; what is right there is tried on all.
_MOST, _FEW = 240, 2
#: Parts of a formula: of a longer one fewer are tried, so that a verdict takes no longer.
_PARTS = 20
#: So many times the slack of a verdict, on these few.
_NEAR = 1e3
_HALF: Final = t.Number(0.5)


def repaired(
    judged: Sequence[JudgedMessage], fresh: Sequence[JudgedMessage], words: Words
) -> Mistake | None:
    """What one part of an answer is in place of, or lacks: changed there, it is right everywhere.

    None where no single change does it, and of functions.
    """
    rule = judged[0].rule
    if not isinstance(rule, partial) or not rule.args:
        return None
    numbers, read = rule.func, rule.args[0]
    if isinstance(read, Reading):
        numbers, read = evaluate, read.formula
    if not isinstance(read, Read):
        return None
    one = next((one for one in judged if _rows(one).size), None)
    if one is None:
        return None
    few = replace(one, batch=one.batch.some(_rows(one)), got=one.got[_rows(one)], rule=None)
    slack = _NEAR * few.slack
    parts = sum(1 for body in _bodies(read) for _ in inside(body))
    for said, other in islice(_changed(read, words), _MOST * _PARTS // max(_PARTS, parts)):
        got = _numbers(partial(numbers, other), few)
        # A part that is evaluated in vain costs most: what rounding does is asked of the last ones.
        if got is None or not (np.abs(got - few.expected) <= slack).all():
            continue
        if all(_is_right(partial(numbers, other), each) for each in (*judged, *fresh)):
            return Mistake(said, "Changed there alone, the answer is right.")
    return None


def _rows(one: JudgedMessage) -> np.ndarray[Any, Any]:
    """Some inputs on which the answer is wrong."""
    return np.flatnonzero(one.astray & ~one.reference.met)[:_FEW]


def _numbers(rule: Rule, one: JudgedMessage) -> Array | None:
    """What a changed answer gives on a batch; None where it cannot be evaluated."""
    try:
        with np.errstate(all="ignore"):
            got = rule(one.batch)
    except (t.OffsetError, TooLargeError, TooMuchError, KeyError, ValueError):
        return None  # an index too many, of what the answer defines by another number of them
    return got if got.shape == one.expected.shape else None


def _is_right(rule: Rule, one: JudgedMessage) -> bool:
    got = _numbers(rule, one)
    if got is None:
        return False
    with np.errstate(all="ignore"):
        return not replace(one, got=got, rule=rule).astray.any()


# -- The answers that are one change away, the likeliest kinds of change first.


@dataclass(frozen=True, slots=True)
class _Scope:
    """What a part of a formula may speak of: letters with their ranges, arrays with theirs."""

    words: Words
    ranges: Mapping[str, str]
    letters: frozenset[str]
    own: frozenset[str] = frozenset()
    """Names that the answer defines itself: what is put in never speaks of these."""

    def cells(self) -> Iterator[t.Node]:
        """Every given number, and every array at the letters."""
        upstream = {"delta": self.words.dimensions("delta")} if self.words.output else {}
        for name, dims in {**self.words.dims, **upstream}.items():
            if name in self.own or name in self.words.indexers or name in self.words.functions:
                continue
            choices = [
                [a for a in sorted(self.letters) if self.ranges.get(a) == dim] for dim in dims
            ]
            for at in product(*choices):
                yield t.Cell(name, tuple(map(t.Name, at))) if at else t.Name(name)
        yield from (
            t.Name(name)
            for name, n in self.words.arities.items()
            if not n and name not in self.words.dims and name not in self.own
        )


_Edit: TypeAlias = Callable[[t.Node, _Scope], Iterator[Change]]


def _changed(read: Read, words: Words) -> Iterator[tuple[str, Read]]:
    """Each answer that is one change away, with what the change mends."""
    ranges = _ranges(_bodies(read), words)
    known = zip(read.target.letters, read.indices, strict=False)
    dims = dict(
        zip(
            read.target.indices,
            chain(*(words.dims.get(a, ()) for a in read.target.arrays)),
            strict=False,
        )
    )
    ranges |= {own: dims[letter] for letter, own in known if letter in dims}
    own = frozenset(name for one in read.definitions for name in one.names)
    scope = _Scope(words, ranges, frozenset(read.indices), own)
    for edits in _EDITS:
        if edits is _powers:
            yield from (
                (said, replace(read, body=body)) for said, body in _throughout(read.body, scope)
            )
        for said, body in _everywhere(read.body, edits, scope):
            yield said, replace(read, body=body)
        for place, one in enumerate(read.definitions):
            inner = replace(scope, letters=frozenset(one.parameters))
            for said, body in _everywhere(one.body, edits, inner):
                lines = [*read.definitions]
                lines[place] = replace(one, body=body)
                yield said, replace(read, definitions=tuple(lines))


def _bodies(read: Read) -> tuple[t.Node, ...]:
    return (read.body, *(one.body for one in read.definitions))


def _throughout(body: t.Node, scope: _Scope) -> Iterator[Change]:
    """One array in place of another wherever it stands, as in t (1 - t)."""
    parts = [part for part in inside(body) if isinstance(part, t.Cell | t.Name)]
    for part in dict.fromkeys(part for part in parts if parts.count(part) > 1):
        for said, other in _others(part, scope):
            yield said, exchanged(body, part, other)


def _ranges(bodies: Sequence[t.Node], words: Words) -> dict[str, str]:
    """What each letter runs over, as the arrays tell that are read at it."""
    found: dict[str, str] = {}
    for part in (part for body in bodies for part in inside(body) if isinstance(part, t.Cell)):
        for index, dim in zip(part.indices, words.dimensions(part.array), strict=False):
            if isinstance(index, t.Name):
                found.setdefault(index.name, dim)
    return found


def _everywhere(node: t.Node, edits: _Edit, scope: _Scope) -> Iterator[Change]:
    """The node with one change, in itself or in a part of it."""
    yield from edits(node, scope)
    if isinstance(node, t.Comparison) and edits in (_doubled, _powers, _more):
        return  # what is compared may be bent in many ways, by chance to the same end
    if isinstance(node, t.Choice) and edits in (_doubled, _more):
        return  # where a case holds, an array may be 0: as a factor it would mend anything
    if isinstance(node, t.Reduce):
        scope = replace(scope, letters=scope.letters | {*node.names})
    for part, put in places(node):
        for said, new in _everywhere(part, edits, scope):
            yield said, put(new)


# -- The kinds of change: each yields what it makes of one part.


def _in_place(old: t.Node, new: t.Node) -> Change:
    return f"{unparse(old)} in place of {unparse(new)}", new


def _others(node: t.Node, scope: _Scope) -> Iterator[Change]:
    """Another array at its letters, or the same one with its indices in another order."""
    if _is_index(node, scope):
        assert isinstance(node, t.Name)
        for name in scope.words.indexers:  # the place in place of what stands there
            if scope.words.dims.get(name) == (scope.ranges.get(node.name),):
                yield _in_place(node, t.Cell(name, (node,)))
        return
    if isinstance(node, t.Cell):
        if len(node.indices) == 2:
            yield _in_place(node, replace(node, indices=node.indices[::-1]))
        if node.array == "delta":
            return  # what is 0 here and there may stand for a message by chance
        for name, dims in scope.words.dims.items():
            if name != node.array and dims == scope.words.dimensions(node.array):
                yield _in_place(node, replace(node, array=name))
    if isinstance(node, t.Cell | t.Name):
        yield from (_in_place(node, other) for other in scope.cells() if other != node)


def _fewer(node: t.Node, scope: _Scope) -> Iterator[Change]:
    """Without a factor, a term, a condition, a function, a root."""
    del scope
    match node:
        case t.Arithmetic("*", left, right):
            yield f"the factor {unparse(left)} is too many", right
            yield f"the factor {unparse(right)} is too many", left
        case t.Arithmetic("/", left, right):
            yield f"divided by {unparse(right)}, which does not belong there", left
            yield (
                f"divided by {unparse(right)} in place of multiplied",
                t.Arithmetic("*", left, right),
            )
        case t.Arithmetic("+", left, right):
            yield f"the term {unparse(left)} is too many", right
            yield f"the term {unparse(right)} is too many", left
        case t.Arithmetic("-", left, right):
            yield f"the term {unparse(right)} is too many", left
        case t.Apply(_, (part,)):
            yield _in_place(node, part)
        case t.Reduce(_, _, _, condition) if condition is not None:
            yield (
                f"the condition {unparse(condition)} does not belong there",
                replace(node, condition=None),
            )


_TURNED: Final = {
    **{"==": ("!=",), "!=": ("==",), ">": (">=", "<="), ">=": (">", "<")},
    **{"<": ("<=", ">="), "<=": ("<", ">")},
}
_KINDS: Final = {"max": "min", "min": "max", "argmax": "argmin", "sum": "mean", "mean": "sum"}
_FUNCTIONS: Final = {"sin": "cos", "cos": "sin", "abs": "sign", "sign": "abs"}


def _swapped(node: t.Node, scope: _Scope) -> Iterator[Change]:
    """A sign, a comparison, a case, an exponent, a kind of sum put the other way."""
    del scope
    match node:
        case t.Arithmetic("+" | "-" as op, left, right):
            yield _in_place(node, t.Arithmetic("-" if op == "+" else "+", left, right))
        case t.Arithmetic("*", left, right) if not isinstance(right, t.Choice):
            yield (
                f"multiplied by {unparse(right)} in place of divided",
                t.Arithmetic("/", left, right),
            )
            yield (
                f"multiplied by {unparse(left)} in place of divided",
                t.Arithmetic("/", right, left),
            )
        case t.Comparison((op,), parts) if op in _TURNED:
            for other in _TURNED[op]:
                yield _in_place(node, t.Comparison((other,), parts))
        case t.Logic(op, parts):
            yield _in_place(node, t.Logic("and" if op == "or" else "or", parts))
        case t.Choice(test, then, other):
            yield "the two cases are exchanged", t.Choice(test, other, then)
        case t.Reduce(kind) if kind in _KINDS:
            yield f"{kind} in place of {_KINDS[kind]}", replace(node, kind=_KINDS[kind])
        case t.Apply("exp", (part,)):
            yield _in_place(node, t.Apply("exp", (t.Negative(part),)))
            if isinstance(part, t.Arithmetic) and part.op == "*":
                yield _in_place(node, t.Apply("exp", (replace(part, op="+"),)))
        case t.Apply(function, parts) if function in _FUNCTIONS:
            yield _in_place(node, t.Apply(_FUNCTIONS[function], parts))


def _doubled(node: t.Node, scope: _Scope) -> Iterator[Change]:
    """A factor 2 or 1/2; of a number p, as a probability is, a factor 1 - p."""
    if _is_index(node, scope) or isinstance(node, t.Comparison | t.Logic | t.Not | t.Number):
        return
    for number in (TWO, _HALF):
        yield f"the factor {unparse(number)} is forgotten", t.Arithmetic("*", node, number)
    if isinstance(node, t.Cell | t.Name):
        other = t.Arithmetic("-", ONE, node)
        yield f"the factor {unparse(other)} is forgotten", t.Arithmetic("*", node, other)
        yield _in_place(node, other)


def _letters(node: t.Node, scope: _Scope) -> Iterator[Change]:
    """Another index in a comparison: [k == m] in place of [k == j]."""
    if not isinstance(node, t.Comparison):
        return
    for place, part in enumerate(node.operands):
        name = part.name if isinstance(part, t.Name) else ""
        for letter in sorted(scope.letters - {name}) if name in scope.ranges else ():
            new = (*node.operands[:place], t.Name(letter), *node.operands[place + 1 :])
            if scope.ranges.get(letter) == scope.ranges[name] and len({*new}) == len(new):
                yield _in_place(node, replace(node, operands=new))


def _powers(node: t.Node, scope: _Scope) -> Iterator[Change]:
    """Another exponent; the square, the root or a function of a number."""
    match node:
        case t.Arithmetic("^", base, t.Number(n)):
            for other in (n - 1, n + 1, n / 2, n * 2):
                new = base if other == 1 else t.Arithmetic("^", base, t.Number(other))
                yield _in_place(node, new)
        case t.Arithmetic("^", base, exponent):
            for sign in "-+":
                yield _in_place(node, t.Arithmetic("^", base, t.Arithmetic(sign, exponent, ONE)))
        case t.Cell() | t.Name() | t.Reduce() if not _is_index(node, scope):
            yield _in_place(node, t.Arithmetic("^", node, TWO))
            yield _in_place(node, t.Arithmetic("^", node, t.Number(3.0)))
            for function in ("sqrt", "tanh", "sigmoid", "exp", "log"):
                yield _in_place(node, t.Apply(function, (node,)))


def _more(node: t.Node, scope: _Scope) -> Iterator[Change]:
    """A factor, or a divisor."""
    if _is_index(node, scope) or isinstance(node, t.Comparison | t.Logic | t.Not | t.Number):
        return
    cells = [*scope.cells()]
    for cell in cells:
        for factor in (cell, t.Arithmetic("*", TWO, cell)):
            yield f"the factor {unparse(factor)} is forgotten", t.Arithmetic("*", node, factor)
        yield f"not divided by {unparse(cell)}", t.Arithmetic("/", node, cell)


def _terms(node: t.Node, scope: _Scope) -> Iterator[Change]:
    """A term beside a number: x - m in place of x, v + eps in place of v."""
    if isinstance(node, t.Cell | t.Name) and not _is_index(node, scope):
        for cell in scope.cells():
            if cell != node:
                for sign in "-+":
                    yield (
                        f"{sign} {unparse(cell)} is forgotten behind {unparse(node)}",
                        t.Arithmetic(sign, node, cell),
                    )


def _is_index(node: t.Node, scope: _Scope) -> bool:
    return isinstance(node, t.Name) and (
        node.name in scope.ranges or node.name in scope.words.indexers
    )


_EDITS: Final[tuple[_Edit, ...]] = (
    *(_swapped, _letters, _doubled, _fewer, _others, _powers, _terms, _more),
)
