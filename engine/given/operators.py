"""Functions of whole arrays: transposes, diagonals, norms, inner and outer products, entries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.formula.problem import OffsetError
from engine.formula.tree import Apply, Arithmetic, Binder, Name, Node, Number, Reduce
from engine.given import products
from engine.given.paper import names_in
from engine.given.shaped import ANY, Shaped, constant, scalar

if TYPE_CHECKING:
    from engine.given.vectors import Vectors


def applied(to: Vectors, node: Apply) -> Shaped:
    """What a function of whole arrays comes to."""
    at = node.at
    if node.function == "ones":
        return constant((ANY,), Number(1.0, at))
    if node.function == "identity":
        return products.identity(at)
    first, *others = [to.shaped(part) for part in node.arguments]
    match node.function:
        case "transpose":
            if node.arguments[0] == Number(1.0):
                return constant((ANY,), Number(1.0, at)).turned()
            if not first.dims:
                hint = "leave the transpose out"
                raise OffsetError("This is one number already.", hint, at)
            return first.turned()
        case "diag":
            return products.diagonal(first, at)
        case "norm":
            return _norm(to, first, at)
        case "entry":
            return _entry(to, first, node)
        case "softmax" | "logsoftmax" | "log_softmax":
            return _softmax(to, first, node)
        case "~sum" | "~mean":
            return _total(to, first, node, others)
        case "~inner":
            return _inner(to, first, others[0], at)
        case "multiply":
            return products.product("⊙", first, others[0], at, to.fresh)
    matrices = any(len(one.dims) == 2 for one in (first, *others))
    if node.function == "matmul" or (node.function == "dot" and matrices):
        return products.product("@", first, others[0], at, to.fresh)
    if any(len(one.dims) != 1 for one in (first, *others)):
        raise OffsetError(f"{node.function} takes two vectors.", "write outer(d, x)", at)
    if node.function == "outer":
        return products.outer(first, others[0], at)
    return products.inner(first, others[0], at, to.fresh)


def _entry(to: Vectors, first: Shaped, node: Apply) -> Shaped:
    indices = tuple(map(to.plain, node.arguments[1:]))
    if len(indices) != len(first.dims):
        said = f"This is {first.said}, and here are {len(indices)} indices."
        raise OffsetError(said, "write one index for each dimension", node.at)
    used = to.taken | {name for part in indices for name in names_in(part)}
    return scalar(first.entry(indices, used))


def _softmax(to: Vectors, part: Shaped, node: Apply) -> Shaped:
    """exp(x_k) / sum_m exp(x_m), or its logarithm x_k - log sum_m exp(x_m)."""
    if len(part.dims) != 1:
        said = f"{node.function} takes a vector; this is {part.said}."
        hint = "write softmax(x)[k] for one entry" if not part.dims else "say which sum is 1"
        raise OffsetError(said, hint, node.at)

    def entry(where: tuple[Node, ...], used: frozenset[str]) -> Node:
        letter = to.fresh(part.dims[0], used, node.at)
        inside = part.entry((Name(letter),), used | {letter})
        binder = (Binder((letter,), None, node.at),)
        total = Reduce("sum", Apply("exp", (inside,)), binder, None, node.at)
        own = part.entry(where, used)
        if node.function == "softmax":
            return Arithmetic("/", Apply("exp", (own,)), total, node.at)
        return Arithmetic("-", own, Apply("log", (total,)), node.at)

    return Shaped(part.dims, entry, node.at, part.row, frozenset([""]))


def _total(to: Vectors, part: Shaped, node: Apply, axis: Sequence[Shaped] = ()) -> Shaped:
    """The sum, or the mean, of all entries of an array; or of each row or column of a matrix."""
    kind = node.function[1:]
    if not part.dims or ANY in part.dims:
        said = f"{kind}(...) does not say what it runs over."
        raise OffsetError(said, f"name the index: {kind}(... for k)", node.at)
    axes = range(len(part.dims))
    if axis:
        told = node.arguments[1]
        if not isinstance(told, Number) or told.value not in axes:
            raise OffsetError(f"This is {part.said}.", "write axis=0 or axis=1", node.at)
        axes = range(int(told.value), int(told.value) + 1)

    def entry(where: tuple[Node, ...], used: frozenset[str]) -> Node:
        letters: list[str] = []
        at = [*where]
        for one in axes:
            letters.append(to.fresh(part.dims[one], used | {*letters}, node.at))
            at.insert(one, Name(letters[-1]))
        inside = part.entry(tuple(at), used | {*letters})
        return Reduce(kind, inside, (Binder(tuple(letters), None, node.at),), None, node.at)

    dims = tuple(dim for one, dim in enumerate(part.dims) if one not in axes)
    return Shaped(dims, entry, node.at, of=frozenset([""] if dims else []))


def _inner(to: Vectors, one: Shaped, other: Shaped, at: int) -> Shaped:
    """The sum of a_k b_k over all entries, of matrices as well."""
    if not one.dims or not other.dims:
        hint = "write a product: a * b"
        raise OffsetError("An inner product is of vectors; here is a number.", hint, at)
    whole = products.product("⊙", replace(one, row=False), replace(other, row=False), at, to.fresh)
    return _total(to, whole, Apply("~sum", (), at))


def raised(base: Shaped, exponent: Shaped, at: int) -> Shaped:
    """A power of diag(base): that of its entries."""

    def entry(where: tuple[Node, ...], used: frozenset[str]) -> Node:
        return Arithmetic("^", base.entry(where, used), exponent.entry((), used), at)

    return products.diagonal(Shaped(base.dims, entry, at, of=base.of), at)


def _norm(to: Vectors, part: Shaped, at: int) -> Shaped:
    """The square root of the sum of all squares; of a number its size."""
    if not part.dims:
        return scalar(Apply("abs", (part.entry((), to.taken),), at))

    def entry(where: tuple[Node, ...], used: frozenset[str]) -> Node:
        del where
        letters: list[str] = []
        for dim in part.dims:
            letters.append(to.fresh(dim, used | {*letters}, at))
        inside = part.entry(tuple(map(Name, letters)), used | {*letters})
        square: Node = Arithmetic("^", inside, Number(2.0), at)
        for letter in reversed(letters):
            square = Reduce("sum", square, (Binder((letter,), None, at),), None, at)
        return Apply("sqrt", (square,), at)

    return Shaped((), entry, at)
