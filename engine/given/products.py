"""Products of numbers, vectors and matrices, each by the formula of its entries."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.formula.problem import OffsetError
from engine.formula.tree import Arithmetic, Binder, Comparison, Indicator, Name, Node, Reduce
from engine.given.shaped import ANY, Dims, Shaped, ShapeError, alike, known, same
from engine.given.slopes import ONE

#: Of a range, a letter that is not taken, for a sum at a place of the text.
Fresh = Callable[[str, frozenset[str], int], str]


def times(left: Node, right: Node) -> Node:
    """left * right, flat and without a factor 1, else as the learner has it."""
    if ONE in (left, right):
        return right if left == ONE else left
    if isinstance(right, Arithmetic) and right.op == "*":
        return times(times(left, right.left), right.right)
    return Arithmetic("*", left, right)


def product(sign: str, left: Shaped, right: Shaped, at: int, fresh: Fresh) -> Shaped:
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

    def entry(where: tuple[Node, ...], used: frozenset[str]) -> Node:
        one = left.entry(where if left.dims else (), used)
        two = right.entry(where if right.dims else (), used)
        return Arithmetic("*", one, two, at) if plain else times(one, two)

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
    def entry(where: tuple[Node, ...], used: frozenset[str]) -> Node:
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

    def entry(where: tuple[Node, ...], used: frozenset[str]) -> Node:
        letter = fresh(dim, used, at)
        inside = used | {letter}
        index = Name(letter, at)
        one = left.entry((*where[:own], index), inside)
        two = right.entry((index, *where[own:]), inside)
        return Reduce("sum", times(one, two), (Binder((letter,), None, at),), None, at)

    return Shaped(dims, entry, at, len(left.dims) == 1 and len(dims) == 1, frozenset([""]))


def diagonal(part: Shaped, at: int) -> Shaped:
    if len(part.dims) != 1:
        raise OffsetError(f"diag takes a vector; this is {part.said}.", "write diag(v)", at)

    def entry(where: tuple[Node, ...], used: frozenset[str]) -> Node:
        return times(part.entry(where[:1], used), _equal(where, at))

    return Shaped((part.dims[0], part.dims[0]), entry, at, of=frozenset([""]), diagonal=part)


def identity(at: int) -> Shaped:
    def entry(where: tuple[Node, ...], used: frozenset[str]) -> Node:
        del used
        return _equal(where, at)

    return Shaped((ANY, ANY), entry, at, identity=True)


def _equal(where: Sequence[Node], at: int) -> Node:
    return Indicator(Comparison(("==",), (where[0], where[1]), at), at)


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
