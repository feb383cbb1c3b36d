"""Functions of whole arrays: transposes, diagonals, norms, inner and outer products, entries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.formula.problem import OffsetError
from engine.formula.tree import Apply, Arithmetic, Binder, Name, Node, Number, Reduce
from engine.given import products
from engine.given.forward import names_in
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


def _norm(to: Vectors, part: Shaped, at: int) -> Shaped:
    """The square root of the sum of all squares; of a number its size."""
    if not part.dims:
        return scalar(Apply("abs", (part.entry((), to.taken),), at))

    def entry(where: tuple[Node, ...], used: frozenset[str]) -> Node:
        del where
        letters: list[str] = []
        for dim in part.dims:
            letters.append(to.fresh(dim, used | {*letters}))
        inside = part.entry(tuple(map(Name, letters)), used | {*letters})
        square: Node = Arithmetic("^", inside, Number(2.0), at)
        for letter in reversed(letters):
            square = Reduce("sum", square, (Binder((letter,), None, at),), None, at)
        return Apply("sqrt", (square,), at)

    return Shaped((), entry, at)
