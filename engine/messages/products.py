"""Products and functions of whole arrays in index notation, by their shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from engine.formula import tree as t
from engine.formula.rewrite import ONE, exchanged, inside, names_in, over, rebuilt
from engine.formula.tree import PRODUCTS, OffsetError
from engine.formula.unparse import unparse
from engine.messages.vocabulary import Words
from engine.verdict import Mistake

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
    is_slice: bool = False
    """Of a vector: whether it is a row of a matrix, which some write as a row, some as a column."""
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


def several(fresh: Fresh, dims: Dims, used: frozenset[str], at: int) -> tuple[str, ...]:
    """A letter for each of some ranges."""
    letters: list[str] = []
    for dim in dims:
        letters.append(fresh(dim, used | {*letters}, at))
    return tuple(letters)


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
    """sum_k a_k b_k, of matrices over both indices."""
    if not alike(left.dims, right.dims):
        raise _unfit(left, right, at)
    return contracted(left, right, len(left.dims), at, fresh)


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
            return contracted(left, right, 1, at, fresh)
        if not left.row and right.row:
            return outer(left, right, at)
        raise _unfit(left, right, at)
    if len(left.dims) == 1 and not (left.row or left.is_slice or loose):
        raise _unfit(left, right, at)
    if len(right.dims) == 1 and right.row:
        raise _unfit(left, right, at)
    if not same(left.dims[-1], right.dims[0]):
        raise _unfit(left, right, at)
    if left.diagonal is not None or right.diagonal is not None:
        return _with_diagonal(left, right, (*left.dims[:-1], *right.dims[1:]), at)
    return contracted(left, right, 1, at, fresh)


def _with_diagonal(left: Shaped, right: Shaped, dims: Dims, at: int) -> Shaped:
    def entry(where: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
        if left.diagonal is not None:
            return times(left.diagonal.entry(where[:1], used), right.entry(where, used))
        assert right.diagonal is not None
        return times(left.entry(where, used), right.diagonal.entry(where[-1:], used))

    return Shaped(dims, entry, at, len(left.dims) == 1 and left.row, frozenset([""]))


def contracted(left: Shaped, right: Shaped, count: int, at: int, fresh: Fresh) -> Shaped:
    """The sum over the last `count` indices of `left`, which are the first of `right`."""
    own = len(left.dims) - count
    shared = known(left.dims[own:], right.dims[:count])
    dims = (*left.dims[:own], *right.dims[count:])
    if ANY in shared:
        raise OffsetError("I cannot tell how long this sum runs.", "write it with an index", at)

    def entry(where: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
        letters = several(fresh, shared, used, at)
        inside, index = used | {*letters}, tuple(t.Name(letter, at) for letter in letters)
        one = left.entry((*where[:own], *index), inside)
        two = right.entry((*index, *where[own:]), inside)
        return t.Reduce("sum", times(one, two), (t.Binder(letters, None, at),), None, at)

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


def inverse(part: Shaped, at: int, fresh: Fresh) -> Shaped:
    """A^(-1) of a square matrix, told by the entries of A: inv(A[a,b] for a,b)[i,j]."""
    if part.identity:
        return part
    if part.diagonal is not None:
        of = part.diagonal
        inside = replace(of, entry=lambda where, used: over(ONE, of.entry(where, used)))
        return diagonal(inside, at)
    if len(part.dims) != 2 or not same(*part.dims):
        hint = "write the inverse of a product like W^T W, or 1/a of a number"
        raise ShapeError(f"Only a square matrix has an inverse; this is {part.said}.", hint, at)
    dims = known(part.dims, part.dims[::-1])

    def entry(where: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
        taken = used | {name for index in where for name in names_in(index)}
        letters = several(fresh, dims, taken, at)
        body = part.entry(tuple(t.Name(one, at) for one in letters), taken | {*letters})
        matrix = t.Reduce("inv", body, (t.Binder(letters, None, at),), None, at)
        return t.Apply("entry", (matrix, *where), at)

    return Shaped(dims, entry, at, of=frozenset([""]))


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


# -- Shapes that do not fit: what was written, and what would fit in its place.
#
# A product like W δ, whose shapes exclude each other, says clearly enough what it says: it is
# wrong where something like it makes sense, and where that is right as well, the mistake has a
# name.


#: The name of a mistake for which there is no better one.
UNFIT: Final = "shapes that do not fit"
_MATRIX: Final = (" ", "@", "·")
_LONGEST: Final = 40


@dataclass(frozen=True, slots=True)
class Way:
    """What could have been meant: `new` in the place of `old`, and what it was to write `old`."""

    mistake: Mistake
    old: t.Node
    new: t.Node

    def put(self, node: t.Node) -> t.Node:
        return exchanged(node, self.old, self.new)


class UnfitError(OffsetError):
    """A refusal that becomes "wrong" where one of its `ways` makes sense.

    `firm` ones are wrong at any rate: what was written is clear, and it is no answer.
    """

    def __init__(
        self, trouble: OffsetError, ways: Iterable[Way] = (), why: str = "", firm: bool = False
    ) -> None:
        """`why` is the sentence that explains it; the message, where it is left out."""
        super().__init__(trouble.message, trouble.hint, trouble.at)
        self.ways = tuple(ways)
        self.why = why or trouble.message
        self.firm = firm


def shown(node: t.Node) -> str:
    """A formula of whole arrays as one writes it: W^T (delta ⊙ f'(s))."""
    return unparse(_plain(node)).replace(" ~ ", " ")


def _plain(node: t.Node) -> t.Node:
    match node:
        case t.Apply("transpose", (part,)):
            inner = _plain(part)
            said = unparse(inner)
            return t.Name(f"{said}^T" if isinstance(inner, t.Name) else f"({said})^T")
        case t.Arithmetic(op, left, right) if op in PRODUCTS:
            sign = "~" if op == " " else op
            return t.Arithmetic(sign, _factor(left, op), _factor(right, op), node.at)
        case t.Cell(array, parts) if array.endswith("'") or any(
            isinstance(p, t.Apply) for p in parts
        ):
            return t.Apply(array, tuple(map(_plain, parts)))
        case t.Apply("identity"):
            return t.Name("I")
        case t.Apply("ones"):
            return t.Name("1")
        case t.Apply("entry", (part, *_)):
            return _plain(part)
    return rebuilt(node, lambda part: _plain(part) if isinstance(part, t.Node) else part)


def _factor(node: t.Node, sign: str) -> t.Node:
    """A factor, in brackets where it is another product."""
    mixed = isinstance(node, t.Arithmetic) and node.op in PRODUCTS and node.op != sign
    return t.Name(f"({shown(node)})") if mixed else _plain(node)


def turned(node: t.Node) -> t.Node:
    if isinstance(node, t.Apply) and node.function == "transpose":
        return node.arguments[0]
    return t.Apply("transpose", (node,), node.at)


def tried(
    node: t.Arithmetic, parts: tuple[Shaped, Shaped], words: Words, text: str, fresh: Fresh
) -> Shaped:
    """The product of two parts.  Raises OffsetError, with what could have been meant."""
    try:
        vectors = len(parts[0].dims) == len(parts[1].dims) == 1
        dotted = node.op == "·" and vectors and words.dots
        return product_of(words.dots if dotted else node.op, *parts, node.at, fresh)
    except ShapeError as trouble:
        closed = text[: node.at].rstrip().endswith(")")
        raise of_product(node, *parts, words, closed, trouble) from None


def of_product(
    node: t.Arithmetic,
    one: Shaped,
    two: Shaped,
    words: Words,
    closed: bool,
    trouble: OffsetError,
) -> OffsetError:
    """The refusal of a product, with what would fit; the same one where it could be two things.

    `closed` says that a bracket ends what stands before.
    """
    vectors = len(one.dims) == len(two.dims) == 1
    why = f"{shown(node.left)} is {one.said} and {shown(node.right)} {two.said}: "
    why += f"{shown(node)} has no meaning here."
    if node.op == "⊙" or (node.op == "*" and vectors):
        if one.row != two.row:
            return trouble
        if isinstance(node.left, t.Arithmetic) and node.left.op in _MATRIX and not closed:
            said = "Without brackets this could be two things."
            return OffsetError(said, "put brackets around what belongs together", node.at)
        ways = [*_by_entry(node, one, two), *_by_argument(node, one, two, words.dims)]
        return UnfitError(trouble, ways, why)
    if node.op not in _MATRIX or (vectors and not one.row and not two.row):
        return trouble
    if len(one.dims) == 1 and not one.row and len(two.dims) == 2 and same(one.dims[0], two.dims[0]):
        return trouble  # whoever thinks of rows may write delta W
    # A convolution is a matrix too, which W may stand for on paper.
    firm = not vectors and not words.shifted
    return UnfitError(trouble, _by_factor(node, one, two), why, firm)


def _by_factor(node: t.Arithmetic, one: Shaped, two: Shaped) -> Iterator[Way]:
    left, right = node.left, node.right
    for new, changed in (
        ((turned(left), right), one),
        ((left, turned(right)), two),
        ((turned(left), turned(right)), None),
        ((right, left), None),
        ((turned(right), left), None),
        ((right, turned(left)), None),
    ):
        other = t.Arithmetic(node.op, *new, node.at)
        if changed is not None and len(changed.dims) == 2:
            part = left if changed is one else right
            named = isinstance(part, t.Name) or isinstance(turned(part), t.Name)
            said = f": {shown(part)} in place of {shown(turned(part))}" if named else ""
            name = f"transposed weight{said}"
        elif new == (right, left):
            name = "the factors of a matrix product in the wrong order"
        else:
            name = "transposed"
        yield Way(Mistake(short(name, node, other), _teaching(node, other, one, two)), node, other)


def short(name: str, old: t.Node, new: t.Node) -> str:
    said = f"{shown(old)} in place of {shown(new)}"
    if name.startswith("transposed weight"):
        return name
    return f"{name}: {said}" if len(said) <= _LONGEST else name


def _teaching(old: t.Arithmetic, new: t.Node, one: Shaped, two: Shaped) -> str:
    return (
        f"{shown(old.left)} is {one.said} and {shown(old.right)} {two.said}: {shown(old)} has no "
        f"meaning here, {shown(new)} does."
    )


def _by_entry(node: t.Arithmetic, one: Shaped, two: Shaped) -> Iterator[Way]:
    left, right = node.left, node.right
    for product, factor, first in ((left, right, False), (right, left, True)):
        if isinstance(product, t.Arithmetic) and product.op in _MATRIX:
            weight, inner = product.left, product.right
            pair = (factor, inner) if first else (inner, factor)
            new = t.Arithmetic(product.op, weight, t.Arithmetic(node.op, *pair, node.at), node.at)
            name = f"{shown(factor)} on the wrong side of {shown(weight)}"
            yield Way(Mistake(name, _teaching(node, new, one, two)), node, new)
    if len(one.dims) == len(two.dims) == 1:
        new = t.Arithmetic(" ", left, turned(right), node.at)
        name = "entry by entry in place of the outer product"
        yield Way(Mistake(name, _teaching(node, new, one, two)), node, new)
        return
    for pair in ((left, right), (turned(left), right), (right, left), (turned(right), left)):
        new = t.Arithmetic(" ", *pair, node.at)
        name = "entry by entry in place of the matrix product"
        yield Way(Mistake(name, _teaching(node, new, one, two)), node, new)


def _by_argument(
    node: t.Arithmetic, one: Shaped, two: Shaped, known: Mapping[str, Dims]
) -> Iterator[Way]:
    """f'(x) in place of f'(s)."""
    for side, wanted in ((node.left, two.dims), (node.right, one.dims)):
        match side:
            case t.Cell(_, (t.Name(name),)) | t.Apply(_, (t.Name(name),)):
                for other, dims in known.items():
                    if dims == wanted:
                        put = exchanged(side, t.Name(name), t.Name(other))
                        new = exchanged(node, side, put)
                        said = f"the derivative at {name} in place of {other}"
                        teaching = (
                            f"{shown(node.left)} is {one.said} and {shown(node.right)} {two.said}: "
                            f"each function is differentiated at its own argument, {shown(put)}."
                        )
                        yield Way(Mistake(said, teaching), node, new)


# -- Sums that do not fit: terms of unlike shapes, and a sum over an index of the answer.


def of_terms(node: t.Node, parts: Sequence[Shaped], trouble: OffsetError) -> OffsetError:
    """The refusal of a sum of unlike shapes."""
    if not (isinstance(node, t.Arithmetic) and node.op in ("+", "-")):
        return trouble
    ways = []
    for kept, other in ((node.left, node.right), (node.right, node.left)):
        alone = t.Negative(kept) if kept is node.right and node.op == "-" else kept
        teaching = f"{trouble.message} What is added has the shape of the answer."
        mistake = Mistake(f"the term {shown(other)} does not belong here", teaching)
        ways.append(Way(mistake, node, alone))
    if all(len(part.dims) == 2 for part in parts):
        for new in ((turned(node.left), node.right), (node.left, turned(node.right))):
            whole = t.Arithmetic(node.op, *new, node.at)
            teaching = f"{trouble.message} {shown(whole)} fits."
            ways.append(Way(Mistake(short("transposed", node, whole), teaching), node, whole))
    return UnfitError(trouble, ways)


def of_sum(node: t.Node, own: Sequence[str], unknown: str, trouble: OffsetError) -> OffsetError:
    """Sums over an index of the answer, where another one is left free: Σ_j δ_k W_kj for dx_j."""
    ways = []
    for part in (one for one in inside(node) if isinstance(one, t.Reduce)):
        for place, binder in enumerate(part.binders):
            letters = [name for name in binder.names if name in own]
            if len(binder.names) == 1 and letters and binder.domain is None:
                new = t.Binder((unknown,), None, binder.at)
                binders = (*part.binders[:place], new, *part.binders[place + 1 :])
                name = f"summed over {letters[0]} in place of {unknown}"
                teaching = (
                    f"{letters[0]} says which entry it is; what is summed over is {unknown}, the "
                    "index that the answer does not have."
                )
                put = t.Reduce(part.kind, part.body, binders, part.condition, part.at)
                ways.append(Way(Mistake(name, teaching), part, put))
    return UnfitError(trouble, ways) if ways else trouble
