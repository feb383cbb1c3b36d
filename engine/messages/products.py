"""Products and functions of whole arrays in index notation, by their shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from engine.formula import tree as t
from engine.formula.rewrite import ONE, names_in
from engine.formula.tree import OffsetError

if TYPE_CHECKING:
    from engine.messages.vectors import Vectors


# -- A number, a vector or a matrix by the formula of its entries.
#
# The dimensions are named by the ranges of the exercise's indices ("k", "j"), not by sizes: W is
# k×j, and W^T a product of it, even where a card gives K and n the same size.  A vector is a
# column.


#: A dimension of a constant (the vector of ones, the identity) fits every range.
ANY: Final = "?"
Dims: TypeAlias = tuple[str, ...]
#: The formula at some indices; the letters are taken, so that a sum inside chooses others.
Entry: TypeAlias = Callable[[tuple[t.Node, ...], frozenset[str]], t.Node]


class ShapeError(OffsetError):
    """Two shapes that exclude each other."""


@dataclass(frozen=True, eq=False, slots=True)
class Shaped:
    dims: Dims
    entry: Entry
    at: int
    row: bool = False
    """Of a vector: whether it is transposed."""
    of: frozenset[str] = frozenset()
    """The arrays that each entry is made of; "" among them where it is not made entry by entry."""
    diagonal: Shaped | None = field(default=None)
    """Of a diagonal matrix: its diagonal; of the identity itself nothing."""
    identity: bool = False
    link: tuple[str, str] | None = None
    """Of a whole derivative in a step: what stands above ("" for the loss), and below."""

    @property
    def said(self) -> str:
        """Its shape in words: "k×j", "a column of k"."""
        letters = [dim.partition("#")[0].partition(":")[0] for dim in self.dims]
        if not letters:
            return "one number"
        if len(letters) == 1:
            return f"a {'row' if self.row else 'column'} of {letters[0]}"
        return "×".join(letters)

    def turned(self) -> Shaped:
        if len(self.dims) == 1:
            return replace(self, row=not self.row)
        entry = self.entry
        if not self.dims or self.diagonal is not None or self.identity:
            return self
        return replace(
            self,
            dims=self.dims[::-1],
            entry=lambda at, used: entry(at[::-1], used),
            link=None,
        )


def scalar(node: t.Node) -> Shaped:
    return constant((), node)


def constant(dims: Dims, node: t.Node) -> Shaped:
    """What is the same at every index."""

    def entry(at: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
        del at, used
        return node

    return Shaped(dims, entry, node.at)


def same(one: str, other: str) -> bool:
    return one == other or ANY in (one, other)


def alike(one: Dims, other: Dims) -> bool:
    return len(one) == len(other) and all(map(same, one, other))


def known(one: Dims, other: Dims) -> Dims:
    """The dimensions of both, where each may know what the other does not."""
    return tuple(b if a == ANY else a for a, b in zip(one, other, strict=True))


# -- Products of numbers, vectors and matrices, each by the formula of its entries.


#: Of a range, a letter that is not taken, for a sum at a place of the text.
Fresh = Callable[[str, frozenset[str], int], str]


def times(left: t.Node, right: t.Node) -> t.Node:
    """left * right, flat and without a factor 1, else as the learner has it."""
    if ONE in (left, right):
        return right if left == ONE else left
    if isinstance(right, t.Arithmetic) and right.op == "*":
        return times(times(left, right.left), right.right)
    return t.Arithmetic("*", left, right)


def product_of(sign: str, left: Shaped, right: Shaped, at: int, fresh: Fresh) -> Shaped:
    """left sign right.  Raises OffsetError where the shapes do not fit, or several readings do."""
    if not left.dims or not right.dims:
        return scaled(sign, left, right, at)
    vectors = len(left.dims) == len(right.dims) == 1
    if sign in ("*", "⊙"):
        return _entrywise(left, right, at)
    if sign == "⊗":
        if not vectors:
            raise OffsetError("⊗ is read between two vectors.", "write d x^T, or outer(d, x)", at)
        return outer(left, right, at)
    if sign == "·" and vectors:
        raise _unclear(left, right, at, "This dot")
    if sign == "·" and len(left.dims) == len(right.dims) and alike(left.dims, right.dims):
        raise _unclear(left, right, at, "This dot")
    if vectors and not left.row and not right.row and alike(left.dims, right.dims):
        if sign == "@":
            return inner(left, right, at, fresh)
        if len(left.of | right.of) == 1 and "" not in left.of | right.of:
            return _entrywise(left, right, at)  # y(1 - y)
        raise _unclear(left, right, at, "A column after a column")
    return matrix_product(left, right, at, fresh, sign == "@")


def scaled(sign: str, left: Shaped, right: Shaped, at: int) -> Shaped:
    """A number times anything; of two numbers the product as it was written."""
    plain = not left.dims and not right.dims
    whole = left if left.dims else right

    def entry(where: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
        one = left.entry(where if left.dims else (), used)
        two = right.entry(where if right.dims else (), used)
        return t.Arithmetic("*", one, two, at) if plain else times(one, two)

    if whole.diagonal is not None:
        inside = scaled(sign, left, whole.diagonal, at) if whole is right else None
        inside = inside or scaled(sign, whole.diagonal, right, at)
        return Shaped(whole.dims, entry, at, diagonal=inside)
    return Shaped(whole.dims, entry, at, whole.row, left.of | right.of)


def _entrywise(left: Shaped, right: Shaped, at: int) -> Shaped:
    if not alike(left.dims, right.dims) or left.row != right.row:
        hint = "for the matrix product write W^T d, or W.T @ d"
        raise ShapeError(f"Entry by entry {left.said} and {right.said} do not fit.", hint, at)
    return Shaped(
        known(left.dims, right.dims),
        lambda where, used: times(left.entry(where, used), right.entry(where, used)),
        at,
        left.row,
        left.of | right.of,
    )


def inner(left: Shaped, right: Shaped, at: int, fresh: Fresh) -> Shaped:
    """sum_k a_k b_k."""
    if len(left.dims) != 1 or not alike(left.dims, right.dims):
        raise _unfit(left, right, at)
    return _contracted(left, right, (), at, fresh)


def outer(left: Shaped, right: Shaped, at: int) -> Shaped:
    """a_k b_j."""
    return Shaped(
        (left.dims[0], right.dims[0]),
        lambda where, used: times(left.entry(where[:1], used), right.entry(where[1:], used)),
        at,
        of=frozenset([""]),
    )


def matrix_product(
    left: Shaped, right: Shaped, at: int, fresh: Fresh, loose: bool = False
) -> Shaped:
    """The product of matrices, a vector being one of one column; `loose`: as NumPy's @ has it."""
    if left.identity or right.identity:
        other = right if left.identity else left
        sided = len(other.dims) == 2 or other.row == right.identity
        if not sided:
            raise _unfit(left, right, at)
        return other
    if len(left.dims) == len(right.dims) == 1:
        if left.row and not right.row and alike(left.dims, right.dims):
            return _contracted(left, right, (), at, fresh)
        if not left.row and right.row:
            return outer(left, right, at)
        raise _unfit(left, right, at)
    if len(left.dims) == 1 and not (left.row or loose):
        raise _unfit(left, right, at)
    if len(right.dims) == 1 and right.row:
        raise _unfit(left, right, at)
    if not same(left.dims[-1], right.dims[0]):
        raise _unfit(left, right, at)
    dims = (*left.dims[:-1], *right.dims[1:])
    if left.diagonal is not None or right.diagonal is not None:
        return _with_diagonal(left, right, dims, at)
    return _contracted(left, right, dims, at, fresh)


def _with_diagonal(left: Shaped, right: Shaped, dims: Dims, at: int) -> Shaped:
    def entry(where: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
        if left.diagonal is not None:
            return times(left.diagonal.entry(where[:1], used), right.entry(where, used))
        assert right.diagonal is not None
        return times(left.entry(where, used), right.diagonal.entry(where[-1:], used))

    return Shaped(dims, entry, at, len(left.dims) == 1 and left.row, frozenset([""]))


def _contracted(left: Shaped, right: Shaped, dims: Dims, at: int, fresh: Fresh) -> Shaped:
    """The sum over the last index of `left` and the first of `right`."""
    dim = left.dims[-1] if left.dims[-1] != ANY else right.dims[0]
    if dim == ANY:
        raise OffsetError("I cannot tell how long this sum runs.", "write it with an index", at)
    own = len(left.dims) - 1

    def entry(where: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
        letter = fresh(dim, used, at)
        inside = used | {letter}
        index = t.Name(letter, at)
        one = left.entry((*where[:own], index), inside)
        two = right.entry((index, *where[own:]), inside)
        return t.Reduce("sum", times(one, two), (t.Binder((letter,), None, at),), None, at)

    return Shaped(dims, entry, at, len(left.dims) == 1 and len(dims) == 1, frozenset([""]))


def diagonal(part: Shaped, at: int) -> Shaped:
    if len(part.dims) != 1:
        raise OffsetError(f"diag takes a vector; this is {part.said}.", "write diag(v)", at)

    def entry(where: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
        return times(part.entry(where[:1], used), _equal(where, at))

    return Shaped((part.dims[0], part.dims[0]), entry, at, of=frozenset([""]), diagonal=part)


def identity(at: int) -> Shaped:
    def entry(where: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
        del used
        return _equal(where, at)

    return Shaped((ANY, ANY), entry, at, identity=True)


def _equal(where: Sequence[t.Node], at: int) -> t.Node:
    return t.Indicator(t.Comparison(("==",), (where[0], where[1]), at), at)


def _unclear(left: Shaped, right: Shaped, at: int, what: str) -> OffsetError:
    del left, right
    return OffsetError(
        f"{what} could be two things.",
        "write a ⊙ b (or a * b) for entry by entry, a^T b for the inner product",
        at,
    )


def _unfit(left: Shaped, right: Shaped, at: int) -> OffsetError:
    """What would fit is told: a transpose, or a product entry by entry."""
    hint = "a transpose may be missing: W^T d, d x^T; entry by entry is a ⊙ b"
    if len(left.dims) == 2 and same(left.dims[0], right.dims[0]) and not right.row:
        hint = "transpose what stands on the left: W^T"
    elif len(left.dims) == len(right.dims) == 1 and not left.row:
        hint = "entry by entry is W^T (a ⊙ b), the outer product d x^T"
    said = f"{left.said} times {right.said} does not fit."
    return ShapeError(said[:1].upper() + said[1:] if said[1] == " " else said, hint, at)


# -- Functions of whole arrays: transposes, diagonals, norms, inner and outer products, entries.


def applied(to: Vectors, node: t.Apply) -> Shaped:
    """What a function of whole arrays comes to."""
    at = node.at
    if node.function == "ones":
        return constant((ANY,), t.Number(1.0, at))
    if node.function == "identity":
        return identity(at)
    first, *others = [to.shaped(part) for part in node.arguments]
    match node.function:
        case "transpose":
            if node.arguments[0] == t.Number(1.0):
                return constant((ANY,), t.Number(1.0, at)).turned()
            if not first.dims:
                hint = "leave the transpose out"
                raise OffsetError("This is one number already.", hint, at)
            return first.turned()
        case "diag":
            return diagonal(first, at)
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
            return product_of("⊙", first, others[0], at, to.fresh)
    matrices = any(len(one.dims) == 2 for one in (first, *others))
    if node.function == "matmul" or (node.function == "dot" and matrices):
        return product_of("@", first, others[0], at, to.fresh)
    if any(len(one.dims) != 1 for one in (first, *others)):
        raise OffsetError(f"{node.function} takes two vectors.", "write outer(d, x)", at)
    if node.function == "outer":
        return outer(first, others[0], at)
    return inner(first, others[0], at, to.fresh)


def _entry(to: Vectors, first: Shaped, node: t.Apply) -> Shaped:
    indices = tuple(map(to.plain, node.arguments[1:]))
    if len(indices) != len(first.dims):
        said = f"This is {first.said}, and here are {len(indices)} indices."
        raise OffsetError(said, "write one index for each dimension", node.at)
    used = to.taken | {name for part in indices for name in names_in(part)}
    return scalar(first.entry(indices, used))


def _softmax(to: Vectors, part: Shaped, node: t.Apply) -> Shaped:
    """exp(x_k) / sum_m exp(x_m), or its logarithm x_k - log sum_m exp(x_m)."""
    if len(part.dims) != 1:
        said = f"{node.function} takes a vector; this is {part.said}."
        hint = "write softmax(x)[k] for one entry" if not part.dims else "say which sum is 1"
        raise OffsetError(said, hint, node.at)

    def entry(where: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
        letter = to.fresh(part.dims[0], used, node.at)
        inside = part.entry((t.Name(letter),), used | {letter})
        binder = (t.Binder((letter,), None, node.at),)
        total = t.Reduce("sum", t.Apply("exp", (inside,)), binder, None, node.at)
        own = part.entry(where, used)
        if node.function == "softmax":
            return t.Arithmetic("/", t.Apply("exp", (own,)), total, node.at)
        return t.Arithmetic("-", own, t.Apply("log", (total,)), node.at)

    return Shaped(part.dims, entry, node.at, part.row, frozenset([""]))


def _total(to: Vectors, part: Shaped, node: t.Apply, axis: Sequence[Shaped] = ()) -> Shaped:
    """The sum, or the mean, of all entries of an array; or of each row or column of a matrix."""
    kind = node.function[1:]
    if not part.dims or ANY in part.dims:
        said = f"{kind}(...) does not say what it runs over."
        raise OffsetError(said, f"name the index: {kind}(... for k)", node.at)
    axes = range(len(part.dims))
    if axis:
        told = node.arguments[1]
        if not isinstance(told, t.Number) or told.value not in axes:
            raise OffsetError(f"This is {part.said}.", "write axis=0 or axis=1", node.at)
        axes = range(int(told.value), int(told.value) + 1)

    def entry(where: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
        letters: list[str] = []
        at = [*where]
        for one in axes:
            letters.append(to.fresh(part.dims[one], used | {*letters}, node.at))
            at.insert(one, t.Name(letters[-1]))
        inside = part.entry(tuple(at), used | {*letters})
        return t.Reduce(kind, inside, (t.Binder(tuple(letters), None, node.at),), None, node.at)

    dims = tuple(dim for one, dim in enumerate(part.dims) if one not in axes)
    return Shaped(dims, entry, node.at, of=frozenset([""] if dims else []))


def _inner(to: Vectors, one: Shaped, other: Shaped, at: int) -> Shaped:
    """The sum of a_k b_k over all entries, of matrices as well."""
    if not one.dims or not other.dims:
        hint = "write a product: a * b"
        raise OffsetError("An inner product is of vectors; here is a number.", hint, at)
    whole = product_of("⊙", replace(one, row=False), replace(other, row=False), at, to.fresh)
    return _total(to, whole, t.Apply("~sum", (), at))


def raised(base: Shaped, exponent: Shaped, at: int) -> Shaped:
    """A power of diag(base): that of its entries."""

    def entry(where: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
        return t.Arithmetic("^", base.entry(where, used), exponent.entry((), used), at)

    return diagonal(Shaped(base.dims, entry, at, of=base.of), at)


def _norm(to: Vectors, part: Shaped, at: int) -> Shaped:
    """The square root of the sum of all squares; of a number its size."""
    if not part.dims:
        return scalar(t.Apply("abs", (part.entry((), to.taken),), at))

    def entry(where: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
        del where
        letters: list[str] = []
        for dim in part.dims:
            letters.append(to.fresh(dim, used | {*letters}, at))
        inside = part.entry(tuple(map(t.Name, letters)), used | {*letters})
        square: t.Node = t.Arithmetic("^", inside, t.Number(2.0), at)
        for letter in reversed(letters):
            square = t.Reduce("sum", square, (t.Binder((letter,), None, at),), None, at)
        return t.Apply("sqrt", (square,), at)

    return Shaped((), entry, at)
