"""Shapes that do not fit: what was written, and what would fit in its place.

A product like W δ, whose shapes exclude each other, says clearly enough what it says: it is wrong
where something like it makes sense, and where that is right as well, the mistake has a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from engine.formula import echo
from engine.formula.problem import OffsetError
from engine.formula.tree import (
    Apply,
    Arithmetic,
    Cell,
    Name,
    Node,
)
from engine.given import products
from engine.given.paper import exchanged, rebuilt
from engine.given.shaped import Dims, Shaped, ShapeError, same
from engine.given.surface import PRODUCTS
from engine.verdict import Mistake

if TYPE_CHECKING:
    from engine.given.vocabulary import Words

#: The name of a mistake for which there is no better one.
UNFIT: Final = "shapes that do not fit"
_MATRIX: Final = (" ", "@", "·")
_LONGEST: Final = 40


@dataclass(frozen=True, slots=True)
class Way:
    """What could have been meant: `new` in the place of `old`, and what it was to write `old`."""

    mistake: Mistake
    old: Node
    new: Node

    def put(self, node: Node) -> Node:
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


def shown(node: Node) -> str:
    """A formula of whole arrays as one writes it: W^T (delta ⊙ f'(s))."""
    return echo.text(_plain(node)).replace(" ~ ", " ")


def _plain(node: Node) -> Node:
    match node:
        case Apply("transpose", (part,)):
            inner = _plain(part)
            said = echo.text(inner)
            return Name(f"{said}^T" if isinstance(inner, Name) else f"({said})^T")
        case Arithmetic(op, left, right) if op in PRODUCTS:
            sign = "~" if op == " " else op
            return Arithmetic(sign, _factor(left, op), _factor(right, op), node.at)
        case Cell(array, parts) if array.endswith("'") or any(isinstance(p, Apply) for p in parts):
            return Apply(array, tuple(map(_plain, parts)))
        case Apply("identity"):
            return Name("I")
        case Apply("ones"):
            return Name("1")
        case Apply("entry", (part, *_)):
            return _plain(part)
    return rebuilt(node, lambda part: _plain(part) if isinstance(part, Node) else part)


def _factor(node: Node, sign: str) -> Node:
    """A factor, in brackets where it is another product."""
    mixed = isinstance(node, Arithmetic) and node.op in PRODUCTS and node.op != sign
    return Name(f"({shown(node)})") if mixed else _plain(node)


def turned(node: Node) -> Node:
    if isinstance(node, Apply) and node.function == "transpose":
        return node.arguments[0]
    return Apply("transpose", (node,), node.at)


def tried(
    node: Arithmetic, parts: tuple[Shaped, Shaped], words: Words, text: str, fresh: products.Fresh
) -> Shaped:
    """The product of two parts.  Raises OffsetError, with what could have been meant."""
    try:
        return products.product(node.op, *parts, node.at, fresh)
    except ShapeError as trouble:
        closed = text[: node.at].rstrip().endswith(")")
        raise of_product(node, *parts, words, closed, trouble) from None


def of_product(
    node: Arithmetic,
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
        if isinstance(node.left, Arithmetic) and node.left.op in _MATRIX and not closed:
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


def _by_factor(node: Arithmetic, one: Shaped, two: Shaped) -> Iterator[Way]:
    left, right = node.left, node.right
    for new, changed in (
        ((turned(left), right), one),
        ((left, turned(right)), two),
        ((turned(left), turned(right)), None),
        ((right, left), None),
        ((turned(right), left), None),
        ((right, turned(left)), None),
    ):
        other = Arithmetic(node.op, *new, node.at)
        if changed is not None and len(changed.dims) == 2:
            part = left if changed is one else right
            named = isinstance(part, Name) or isinstance(turned(part), Name)
            said = f": {shown(part)} in place of {shown(turned(part))}" if named else ""
            name = f"transposed weight{said}"
        elif new == (right, left):
            name = "the factors of a matrix product in the wrong order"
        else:
            name = "transposed"
        yield Way(Mistake(short(name, node, other), _teaching(node, other, one, two)), node, other)


def short(name: str, old: Node, new: Node) -> str:
    said = f"{shown(old)} in place of {shown(new)}"
    if name.startswith("transposed weight"):
        return name
    return f"{name}: {said}" if len(said) <= _LONGEST else name


def _teaching(old: Arithmetic, new: Node, one: Shaped, two: Shaped) -> str:
    return (
        f"{shown(old.left)} is {one.said} and {shown(old.right)} {two.said}: {shown(old)} has no "
        f"meaning here, {shown(new)} does."
    )


def _by_entry(node: Arithmetic, one: Shaped, two: Shaped) -> Iterator[Way]:
    left, right = node.left, node.right
    for product, factor, first in ((left, right, False), (right, left, True)):
        if isinstance(product, Arithmetic) and product.op in _MATRIX:
            weight, inner = product.left, product.right
            pair = (factor, inner) if first else (inner, factor)
            new = Arithmetic(product.op, weight, Arithmetic(node.op, *pair, node.at), node.at)
            name = f"{shown(factor)} on the wrong side of {shown(weight)}"
            yield Way(Mistake(name, _teaching(node, new, one, two)), node, new)
    if len(one.dims) == len(two.dims) == 1:
        new = Arithmetic(" ", left, turned(right), node.at)
        name = "entry by entry in place of the outer product"
        yield Way(Mistake(name, _teaching(node, new, one, two)), node, new)
        return
    for pair in ((left, right), (turned(left), right), (right, left), (turned(right), left)):
        new = Arithmetic(" ", *pair, node.at)
        name = "entry by entry in place of the matrix product"
        yield Way(Mistake(name, _teaching(node, new, one, two)), node, new)


def _by_argument(
    node: Arithmetic, one: Shaped, two: Shaped, known: Mapping[str, Dims]
) -> Iterator[Way]:
    """f'(x) in place of f'(s)."""
    for side, wanted in ((node.left, two.dims), (node.right, one.dims)):
        match side:
            case Cell(_, (Name(name),)) | Apply(_, (Name(name),)):
                for other, dims in known.items():
                    if dims == wanted:
                        put = exchanged(side, Name(name), Name(other))
                        new = exchanged(node, side, put)
                        said = f"the derivative at {name} in place of {other}"
                        teaching = (
                            f"{shown(node.left)} is {one.said} and {shown(node.right)} {two.said}: "
                            f"each function is differentiated at its own argument, {shown(put)}."
                        )
                        yield Way(Mistake(said, teaching), node, new)
