"""Trees searched and rewritten: free names, substitution, sums as in print, products."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import partial, reduce
from math import gcd
from operator import is_
from typing import Any, Final, TypeVar, cast

from engine.formula import tree as t
from engine.formula.tree import children
from engine.formula.unparse import unparse

# -- Names in a tree put by what they stand for, without one being caught by an index of the tree.


_FRESH = tuple("pqmnrsuvabcdgt")


def free_names(node: t.Node) -> frozenset[str]:
    """The names in `node` that none of its own indices binds."""
    if isinstance(node, t.Name):
        return frozenset((node.name,))
    found = frozenset(name for child in children(node) for name in free_names(child))
    if isinstance(node, t.Cell):
        return found | {node.array}
    return found - {*node.names} if isinstance(node, t.Reduce | t.OwnSet) else found


def substituted(node: t.Node, by: Mapping[str, t.Node]) -> t.Node:
    """`node` with `by` in place of its free names."""
    if isinstance(node, t.Name):
        return by.get(node.name, node)
    if isinstance(node, t.Reduce | t.OwnSet):
        names = node.names
        taken = frozenset(name for key, value in by.items() for name in free_names(value))
        clash = [name for name in names if name in taken]
        if clash:
            used = taken | free_names(node) | {*names}
            fresh = iter([letter for letter in _FRESH if letter not in used])
            node = rebound(node, {name: next(fresh) for name in clash})
        by = {key: value for key, value in by.items() if key not in node.names}
    return mapped(node, lambda part: substituted(part, by))


def rebound(node: t.Reduce | t.OwnSet, to: Mapping[str, str]) -> t.Reduce | t.OwnSet:
    """What binds indices, with others in their places."""
    by: dict[str, t.Node] = {old: t.Name(new) for old, new in to.items()}
    inner = cast("t.Reduce | t.OwnSet", mapped(node, lambda part: substituted(part, by)))
    if isinstance(inner, t.OwnSet):
        return replace(inner, names=tuple(to.get(name, name) for name in inner.names))
    binders = tuple(
        replace(one, names=tuple(to.get(name, name) for name in one.names)) for one in inner.binders
    )
    return replace(inner, binders=binders)


def mapped(node: t.Node, change: Callable[[Any], t.Node]) -> t.Node:
    """`node` with its direct parts changed, those of its binders among them."""

    def each(part: Any) -> Any:
        if isinstance(part, t.Binder):
            return rebuilt(part, each)
        return change(part) if is_dataclass(part) else part

    return rebuilt(node, each)


# -- Sums as they stand in print: the limits 1 and n of an index that only reads arrays mean all.
#
# Here indices count from 0.  On paper they count from 1, and sum_{k=1}^{K} with a K that nobody
# declares is the sum over every k.


N = TypeVar("N")


def sums_over_all(
    node: N,
    known: Collection[str],
    sizes: Collection[str] = (),
    first: int = 0,
    numbers: Collection[str] | None = None,
) -> N:
    """The tree with every "k = 1 .. K" of an unknown K, or of a K among `sizes`, made "all k".

    `first` is where the card's indices begin: where that is 1, a known K is meant as it stands.
    With `numbers`, the names that are no indices, k may also be compared with other indices.
    """
    same = rebuilt(node, lambda part: sums_over_all(part, known, sizes, first, numbers))
    if isinstance(same, t.Reduce):
        binders = tuple(
            _of_first(binder, known) if first else _binder(binder, same, known, sizes, numbers)
            for binder in same.binders
        )
        if binders != same.binders:
            return replace(same, binders=binders)
    return same


def sums_from_one(*nodes: t.Node) -> dict[str, int]:
    """The indices of formulas whose sums begin at 1, as they are written, with their places."""
    found: dict[str, int] = {}
    for node in nodes:
        for binder in node.binders if isinstance(node, t.Reduce) else ():
            if isinstance(binder.domain, t.Range) and binder.domain.start == t.Number(1.0):
                found |= dict.fromkeys(binder.names, binder.at)
        found |= sums_from_one(*children(node))
    return found


def bound_in(node: t.Node) -> set[str]:
    """The indices that the sums of a tree run over."""
    return {name for one in inside(node) if isinstance(one, t.Reduce) for name in one.names}


def letters_in(node: t.Node) -> set[str]:
    """Every plain name of a tree: indices, bound or not, among them."""
    return {one.name for one in inside(node) if isinstance(one, t.Name)} | bound_in(node)


def inside(node: t.Node) -> Iterator[t.Node]:
    """A node and all that it is made of, in the order written."""
    rest = [node]
    while rest:
        one = rest.pop()
        yield one
        rest += [*children(one)][::-1]


def names_in(node: t.Node) -> Iterator[str]:
    """Every array, definition and scalar that a tree speaks of, bound indices left out."""
    return (name for name, _ in named_in(node))


def named_in(node: t.Node, bound: frozenset[str] = frozenset()) -> Iterator[tuple[str, int]]:
    """The same, each with its place."""
    match node:
        case t.Name(name, at):
            if name not in bound:
                yield name, at
        case t.Cell(array, _, at):
            yield array, at
        case t.Reduce():
            bound = bound | frozenset(node.names)
    for child in children(node):
        yield from named_in(child, bound)


def replaced(node: N, written: str, by: t.Node) -> N:
    """The tree with every array cell that is `written` so, as in "s[k]", replaced."""
    if isinstance(node, t.Cell) and unparse(node) == written:
        return cast(N, by)
    return rebuilt(node, lambda part: replaced(part, written, by))


def renamed(node: N, name: str, by: t.Node) -> N:
    """The tree with a name replaced wherever no sum binds it."""
    if node == t.Name(name):
        return cast(N, by)
    if isinstance(node, t.Reduce) and name in node.names:
        return node
    return rebuilt(node, lambda part: renamed(part, name, by))


def exchanged(node: N, old: t.Node, new: t.Node) -> N:
    """The tree with every part that equals `old` replaced."""
    if node == old:
        return cast(N, new)
    return rebuilt(node, lambda part: exchanged(part, old, new))


def rebuilt(node: N, change: Callable[[Any], Any]) -> N:
    """A node, or a binder, with its parts changed; anything else as it is."""
    if not is_dataclass(node) or isinstance(node, type):
        return node
    changed: dict[str, Any] = {}
    for part in fields(node):
        value = getattr(node, part.name)
        if isinstance(value, tuple):
            new: Any = tuple(map(change, value))
            same_parts = all(map(is_, new, value))
        else:
            new = change(value)
            same_parts = new is value
        if not same_parts:  # to compare them would walk through all that they are made of
            changed[part.name] = new
    same: N = replace(node, **changed) if changed else node
    return same


def places(node: t.Node) -> Iterator[tuple[t.Node, Callable[[t.Node], t.Node]]]:
    """The direct parts of a node but for ranges, each with what puts another in its place."""
    for field in fields(node):
        value = getattr(node, field.name)
        for n, part in enumerate(value if isinstance(value, tuple) else (value,)):
            if isinstance(part, t.Node):
                yield part, partial(_put, node, field.name, n)


def _put(node: Any, name: str, n: int, part: t.Node) -> t.Node:
    value = getattr(node, name)
    new = (*value[:n], part, *value[n + 1 :]) if isinstance(value, tuple) else part
    changed: t.Node = replace(node, **{name: new})
    return changed


def _of_first(binder: t.Binder, known: Collection[str]) -> t.Binder:
    """k = 1 .. K where indices count from 1: all k, where nobody says how many K are."""
    match binder.domain:
        case t.Range(t.Number(1.0), t.Arithmetic("+", t.Name(limit), t.Number(1.0))) if (
            limit not in known
        ):
            return t.Binder(binder.names, None, binder.at)
    return binder


def _binder(
    binder: t.Binder,
    node: t.Reduce,
    known: Collection[str],
    sizes: Collection[str],
    numbers: Collection[str] | None,
) -> t.Binder:
    every = t.Binder(binder.names, None, binder.at)
    match binder.domain:
        case t.Range(t.Number(1.0), t.Arithmetic("+", last, t.Number(1.0)), at):
            if len(binder.names) == 1 and _reads_only(node, binder.names[0], numbers):
                if isinstance(last, t.Name) and last.name in sizes:
                    return t.Binder(binder.names, t.Range(t.Number(0.0), last, at), binder.at)
                if isinstance(last, t.Name) and last.name not in known:
                    return every
                if isinstance(last, t.Reduce) and last.body == t.Number(1.0):
                    return every
        case t.Range(t.Number(0.0), t.Name(limit)) if limit not in known and len(binder.names) == 1:
            return every
    return binder


def _reads_only(node: t.Reduce, name: str, numbers: Collection[str] | None) -> bool:
    """Whether an index stands for a place alone: it means the same wherever counting begins."""
    parts: list[t.Node] = [node.body, *([node.condition] if node.condition is not None else [])]
    return all(_only(part, name, numbers) for part in parts)


def _only(node: t.Node, name: str, numbers: Collection[str] | None) -> bool:
    parts: Iterable[t.Node] = children(node)
    match node:
        case t.Name():
            return node.name != name
        case t.Cell(_, indices) | t.Window(indices) | t.Windows(indices):
            parts = [index for index in indices if index != t.Name(name)]
        case t.Apply("entry", (part, *indices)):
            parts = [part, *(index for index in indices if index != t.Name(name))]
        case t.Comparison(_, operands) | t.Apply("kron", operands) if numbers is not None:
            if all(_place(part, numbers) for part in operands):
                parts = [part for part in operands if not isinstance(part, t.Name | t.Pair)]
    return all(_only(part, name, numbers) for part in parts)


def _place(node: t.Node, numbers: Collection[str]) -> bool:
    """Whether a node is an index, a pair of indices, or the place or the set of some."""
    match node:
        case t.Name(name):
            return name not in numbers
        case t.Pair(items):
            return all(_place(item, numbers) for item in items)
        case t.Reduce(kind) | t.Over(kind):
            return kind in ("argmax", "argmin")
    return isinstance(node, t.Window | t.Windows)


# -- What is read one place earlier, where indices count from 1.


def lowered(node: t.Node) -> t.Node:
    """node - 1, with the whole numbers at its end put together."""
    rest, offset = _parted(node, -1.0)
    if rest is None:
        return t.Number(offset, node.at)
    if not offset:
        return rest
    return t.Arithmetic("+" if offset > 0 else "-", rest, t.Number(abs(offset)), node.at)


def _parted(node: t.Node, offset: float) -> tuple[t.Node | None, float]:
    """A sum as what is no plain number in it, and the plain numbers added up."""
    match node:
        case t.Number(value):
            return None, offset + value
        case t.Arithmetic("+" | "-" as op, left, right):
            first, total = _parted(left, offset)
            second, own = _parted(right, 0.0)
            total += own if op == "+" else -own
            if second is None:
                return first, total
            if first is not None:
                return t.Arithmetic(op, first, second, node.at), total
            if op == "+":
                return second, total
    return node, offset


# -- Which names of a formula no sum binds.


def free_variables(node: t.Node, definitions: Mapping[str, t.Definition]) -> set[str]:
    """The names that stand free, those in the definitions that it uses among them."""
    match node:
        case t.Reduce(_, body, binders, condition):
            found = set().union(
                *(
                    free_variables(part, definitions)
                    for part in (body, condition)
                    if part is not None
                )
            )
            for binder in reversed(binders):
                found -= {*binder.names}
                if binder.domain is not None:
                    found |= free_variables(binder.domain, definitions)
            return found
        case t.Name(name) if name in definitions:
            return _inside(definitions[name], definitions)
        case t.Name(name):
            return {name}
        case t.Cell(name, indices):
            found = set().union(*(free_variables(index, definitions) for index in indices))
            if name in definitions:
                found |= _inside(definitions[name], definitions)
            return found
    return set().union(*(free_variables(part, definitions) for part in children(node)))


def _inside(definition: t.Definition, definitions: Mapping[str, t.Definition]) -> set[str]:
    # Without itself: that a definition goes round in a circle is refused elsewhere.
    others = {k: d for k, d in definitions.items() if d is not definition}
    return free_variables(definition.body, others) - {*definition.parameters}


# -- Sums, products and powers, only tidied: no factors 1, no summands 0.


ZERO: Final = t.Number(0.0)
ONE: Final = t.Number(1.0)
TWO: Final = t.Number(2.0)


def _number(value: float) -> t.Number:
    """0.3 for 3 * 0.1."""
    return t.Number(float(f"{value:.15g}"))


def times(left: t.Node, right: t.Node) -> t.Node:
    return _product((left, 1), (right, 1))


def over(above: t.Node, below: t.Node) -> t.Node:
    return _product((above, 1), (below, -1))


def _product(*parts: tuple[t.Node, int]) -> t.Node:
    """One fraction, with the sign outside, a number in front, and each factor once."""
    numbers, powers = {1: 1.0, -1: 1.0}, dict[t.Node, float]()
    for part, way in parts:
        _collect(part, way, numbers, powers)
    above, below = numbers.values()
    if above == 0:
        return ZERO
    size = abs(above), abs(below)
    shared = gcd(*map(int, size)) if all(one % 1 == 0 for one in size) else 1
    names_first = sorted(powers.items(), key=lambda one: not isinstance(one[0], t.Name))
    rows = []
    for number, way in zip(size, numbers, strict=True):
        row = [power(base, _number(n * way)) for base, n in names_first if n * way > 0]
        front = [_number(number / shared)] if number != shared else []
        rows.append(reduce(lambda a, b: t.Arithmetic("*", a, b), [*front, *row] or [ONE]))
    found = rows[0] if rows[1] == ONE else t.Arithmetic("/", rows[0], rows[1])
    return found if above * below > 0 else t.Negative(found)


def _collect(
    node: t.Node, way: int, numbers: dict[int, float], powers: dict[t.Node, float]
) -> None:
    """Take a product apart: numbers above and below the line, and the power of each factor."""
    match node:
        case t.Number(value):
            numbers[way] *= value
        case t.Negative(part):
            numbers[way] *= -1
            _collect(part, way, numbers, powers)
        case t.Arithmetic("*" | "/" as op, left, right):
            _collect(left, way, numbers, powers)
            _collect(right, way if op == "*" else -way, numbers, powers)
        case t.Arithmetic("^", base, t.Number(n)):
            powers[base] = powers.get(base, 0) + way * n
        case t.Arithmetic("^", base, t.Negative(t.Number(n))):
            powers[base] = powers.get(base, 0) - way * n
        case _:
            powers[node] = powers.get(node, 0) + way


def plus(left: t.Node, right: t.Node) -> t.Node:
    match left, right:
        case (t.Number(0.0), other) | (other, t.Number(0.0)):
            return other
        case t.Number(one), t.Number(two):
            return _number(one + two)
        case _ if left == right:
            return times(TWO, left)
        case (other, t.Negative(part)) | (t.Negative(part), other):
            return minus(other, part)
    return t.Arithmetic("+", left, right)


def minus(left: t.Node, right: t.Node) -> t.Node:
    match left, right:
        case _, t.Number(0.0):
            return left
        case t.Number(0.0), _:
            return negated(right)
        case t.Number(one), t.Number(two):
            return _number(one - two) if one >= two else t.Negative(_number(two - one))
        case _ if left == right:
            return ZERO
        case _, t.Negative(part):
            return plus(left, part)
        case _, t.Arithmetic("-", first, second) if first == left:
            return second
        case t.Negative(part), _:
            return negated(plus(part, right))
    return t.Arithmetic("-", left, right)


def negated(part: t.Node) -> t.Node:
    if isinstance(part, t.Negative):
        return part.operand
    return ZERO if part == ZERO else t.Negative(part)


def power(base: t.Node, exponent: t.Node) -> t.Node:
    return base if exponent == ONE else t.Arithmetic("^", base, exponent)
