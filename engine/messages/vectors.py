"""Vector notation to index notation, and what does not fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from engine.formula import tree as t
from engine.formula.rewrite import exchanged, letters_in, names_in, rebuilt
from engine.formula.statements import Statement
from engine.formula.tree import OffsetError, children
from engine.formula.unparse import unparse
from engine.messages.products import (
    Dims,
    Fresh,
    Shaped,
    ShapeError,
    alike,
    applied,
    known,
    product_of,
    raised,
    same,
    scalar,
)
from engine.messages.surface import FUNCTIONS, INNER, PRODUCTS
from engine.messages.targets import Target
from engine.messages.vocabulary import Words
from engine.verdict import Mistake

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
        return product_of(node.op, *parts, node.at, fresh)
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
    for part in _sums(node):
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


def _sums(node: t.Node) -> Iterator[t.Reduce]:
    if isinstance(node, t.Reduce):
        yield node
    for part in children(node):
        yield from _sums(part)


# -- Vector notation to index notation: W^T (delta ⊙ f'(s)) to sum(W[k,j] * delta[k] * ... for k).
#
# A tree of the surface grammar (`surface`) goes in; each part is a number, a vector or a matrix,
# and what comes out is the formula of one entry, in the tree that everything else reads.


_SPARE = "klmnpqrijabcuvg"
#: So many sums are written out; a softmax of a softmax doubles those inside.
_MOST_SUMS = 500


class Vectors:
    """Reads the lines of one answer; `lines` are its definitions in the surface grammar."""

    def __init__(
        self,
        words: Words,
        lines: Sequence[t.Definition],
        free: Iterable[str],
        loose: Mapping[str, tuple[str, ...]],
        text: str = "",
    ) -> None:
        """`free` are letters that are taken; `loose` are the indices of what is defined without.

        `text` is what was typed.
        """
        self.words = words
        self.text = text
        self.loose = loose
        self.lines: Mapping[str, t.Definition] = {one.names[0]: one for one in lines}
        self.whole = False
        """Whether some array stood whole."""
        spoken = {name for one in lines for name in letters_in(one.body)}
        self.taken = frozenset({*free, *spoken, *words.arities})
        self._open: list[str] = []
        self._done: dict[str, Shaped] = {}
        self._known: dict[int, tuple[t.Node, Shaped]] = {}
        self._sums = 0

    def definition(self, line: t.Definition) -> t.Definition:
        """A definition by one of its entries."""
        if len(line.names) > 1 or line.parameters:
            return replace(line, body=self.plain(line.body))
        found = self._line(line)
        letters: list[str] = []
        for dim in found.dims:
            letters.append(self.fresh(dim, frozenset(letters), line.at))
        if not found.dims:
            letters = [*self.loose.get(line.names[0], ())]
        body = found.entry(tuple(map(t.Name, letters)), self.taken | {*letters})
        return replace(line, parameters=tuple(letters), body=body)

    def _line(self, line: t.Definition) -> Shaped:
        name = line.names[0]
        if name in self._open:
            raise OffsetError(
                f"'{name}' is defined by itself.", "define it by other names", line.at
            )
        if name not in self._done:
            self._open.append(name)
            self._done[name] = self.shaped(line.body)
            self._open.pop()
        return self._done[name]

    def fresh(self, dim: str, used: frozenset[str], at: int) -> str:
        """A letter for a new index that runs over a range: its own, where that is free."""
        taken = used | self.taken
        letters: tuple[str, ...] = (dim[0], *_SPARE, *"cdfghowxyz")
        free = [a for a in letters if a not in taken]
        self._sums += 1
        if not free or self._sums > _MOST_SUMS:
            raise OffsetError(
                "Written out with indices, this formula has too many sums.",
                "take a part of it out into a line that defines it",
                at,
            )
        return free[0]

    def plain(self, node: t.Node) -> t.Node:
        """A part that must be a number, or a condition on numbers."""
        found = self.shaped(node)
        if found.dims:
            raise OffsetError(
                f"This is {found.said}, not a number.", "give it its indices: x[j]", node.at
            )
        return found.entry((), self.taken)

    def shaped(self, node: t.Node) -> Shaped:
        """A part's shape and entries, worked out once: those around it ask several times."""
        if id(node) not in self._known:
            self._known[id(node)] = (node, self._shaped(node))  # the node keeps its id
        return self._known[id(node)][1]

    def _shaped(self, node: t.Node) -> Shaped:
        match node:
            case t.Name():
                return self._name(node)
            case t.Cell():
                return self._cell(node)
            case t.Apply(function) if function in (*FUNCTIONS, *INNER):
                return applied(self, node)
            case t.Apply(function, parts):
                return self._each(parts, lambda p: t.Apply(function, tuple(p), node.at), node)
            case t.Arithmetic(op, left, right) if op in PRODUCTS:
                one, two = self.shaped(left), self.shaped(right)
                if self.words.is_step and op != "⊙" and (both := self._linked(one, two, node.at)):
                    return both
                one, two = _laid_out(op, one, two)
                return tried(node, (one, two), self.words, self.text, self.fresh)
            case t.Arithmetic():
                return self._arithmetic(node)
            case t.Negative(part):
                return self._each((part,), lambda p: t.Negative(p[0], node.at), node)
            case t.Reduce():
                return self._reduce(node)
        return self._condition(node)

    def _linked(self, one: Shaped, two: Shaped, at: int) -> Shaped | None:
        """dL/dy dy/ds without indices, in either order: summed over those of y."""
        if one.link and two.link and one.link[0] == two.link[1]:
            one, two = two, one
        if not one.link or not two.link or one.link[1] != two.link[0]:
            return None
        shared = self.words.dims[one.link[1]]
        upper = len(one.dims) - len(shared)

        def entry(where: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
            letters: list[str] = []
            for dim in shared:
                letters.append(self.fresh(dim, used | {*letters}, at))
            used, own = used | {*letters}, tuple(map(t.Name, letters))
            first = one.entry((*where[:upper], *own), used)
            body = t.Arithmetic("*", first, two.entry((*own, *where[upper:]), used), at)
            return t.Reduce("sum", body, (t.Binder(tuple(letters), None, at),), None, at)

        dims, link = (*one.dims[:upper], *two.dims[len(shared) :]), (one.link[0], two.link[1])
        return Shaped(dims, entry, at, of=frozenset([""]), link=link) if shared else None

    def _condition(self, node: t.Node) -> Shaped:
        match node:
            case t.Indicator(test):
                return self._each((test,), lambda p: t.Indicator(p[0], node.at), node)
            case t.Choice(test, then, other):
                return self._each(
                    (test, then, other), lambda p: t.Choice(p[0], p[1], p[2], node.at), node
                )
            case t.Comparison(ops, parts):
                return self._each(parts, lambda p: t.Comparison(ops, tuple(p), node.at), node)
            case t.Logic(op, parts):
                return self._each(parts, lambda p: t.Logic(op, tuple(p), node.at), node)
            case t.Not(part):
                return self._each((part,), lambda p: t.Not(p[0], node.at), node)
            case t.Pair(parts):
                return scalar(t.Pair(tuple(map(self.plain, parts)), node.at))
            case t.Range(start, stop):
                return scalar(t.Range(self.plain(start), self.plain(stop), node.at))
        return scalar(node)

    def _each(
        self, parts: Sequence[t.Node], made: Callable[[list[t.Node]], t.Node], node: t.Node
    ) -> Shaped:
        """Entry by entry: a number goes with every entry."""
        found = [self.shaped(part) for part in parts]
        wholes = [one for one in found if one.dims]
        dims: Dims = wholes[0].dims if wholes else ()
        for one in wholes:
            if not alike(one.dims, dims) or one.row != wholes[0].row:
                hint = "entry by entry both must have the same shape"
                said = f"Here {wholes[0].said} meets {one.said}."
                raise of_terms(node, wholes, OffsetError(said, hint, node.at))
            dims = known(dims, one.dims)

        def entry(at: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
            return made([one.entry(at if one.dims else (), used) for one in found])

        of = frozenset().union(*(one.of for one in found))
        return Shaped(dims, entry, node.at, bool(wholes) and wholes[0].row, of)

    def _arithmetic(self, node: t.Arithmetic) -> Shaped:
        parts = (self.shaped(node.left), self.shaped(node.right))
        whole = parts[0].diagonal
        if node.op == "^" and whole is not None and not parts[1].dims:
            return raised(whole, parts[1], node.at)
        vector = not parts[0].dims and len(parts[1].dims) == 1  # e^x goes entry by entry
        if node.op == "^" and (len(parts[0].dims) > 1 or (parts[1].dims and not vector)):
            raise OffsetError(
                "The power of a matrix could be two things.", "write W ⊙ W, or W W", node.at
            )
        if node.op in ("/", "//", "%") and len(parts[1].dims) > 1:
            raise OffsetError("Nothing is divided by a matrix.", "write one entry", node.at)
        return self._each(
            (node.left, node.right), lambda p: t.Arithmetic(node.op, p[0], p[1], node.at), node
        )

    def _name(self, node: t.Name) -> Shaped:
        line = self.lines.get(node.name)
        if line is not None and len(line.names) == 1 and not line.parameters:
            dims: Dims = self._line(line).dims
            if not dims and node.name in self.loose:
                dims = self.words.dims.get(node.name.removeprefix("d"), ())
        elif line is not None:
            dims = self._ranges(line)
        else:
            dims = self.words.dimensions(node.name)
        if not dims:
            return scalar(node)
        link = self.words.link(node.name) if line is None else None
        if len(dims) > 2 and link is None:
            hint = f"give it its indices: {node.name}[...]"
            raise OffsetError(f"{node.name} has {len(dims)} indices.", hint, node.at)
        self.whole = True

        def entry(at: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
            del used
            return t.Cell(node.name, at, node.at)

        return Shaped(dims, entry, node.at, of=frozenset([node.name]), link=link)

    def _ranges(self, line: t.Definition) -> Dims:
        """The ranges of a definition's indices, as far as its body tells; () where it does not."""
        found = [self._range(parameter, line.body) for parameter in line.parameters]
        return tuple(dim for dim in found if dim) if all(found) else ()

    def _range(self, letter: str, node: t.Node) -> str:
        if isinstance(node, t.Cell):
            dims = self.words.dimensions(node.array)
            for index, dim in zip(node.indices, dims, strict=False):
                if index == t.Name(letter):
                    return dim
        return next((dim for part in children(node) if (dim := self._range(letter, part))), "")

    def _cell(self, node: t.Cell) -> Shaped:
        called = node.array in self.lines or node.array not in self.words.dims
        if not called:
            return scalar(replace(node, indices=tuple(map(self.plain, node.indices))))
        return self._each(node.indices, lambda p: t.Cell(node.array, tuple(p), node.at), node)

    def _reduce(self, node: t.Reduce) -> Shaped:
        binders = tuple(
            b if b.domain is None else replace(b, domain=self.plain(b.domain)) for b in node.binders
        )
        test = None if node.condition is None else self.plain(node.condition)
        body = self.shaped(node.body)
        if body.dims and node.kind not in ("sum", "mean"):
            raise OffsetError(f"This {node.kind} is of numbers.", "give the indices", node.at)

        def entry(at: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
            return t.Reduce(node.kind, body.entry(at, used), binders, test, node.at)

        return Shaped(body.dims, entry, node.at, body.row, frozenset([""]))


def _laid_out(sign: str, one: Shaped, two: Shaped) -> tuple[Shaped, Shaped]:
    """A derivative as its place asks for it.

    In dL/dy ⊙ dy/ds all of dy/ds that is meant is dy_k/ds_k, and in dL/ds W the message is a row.
    """
    sizes = (len(one.dims), len(two.dims))
    if max(sizes) > 2 and (one.link or two.link):
        raise OffsetError("A derivative has too many indices here.", "write them", one.at)
    if sign in ("⊙", "*") and sizes == (1, 2) and two.link and two.dims == one.dims * 2:
        square = two.entry
        return one, replace(two, dims=one.dims, entry=lambda at, used: square(at * 2, used))
    if sign in ("⊙", "*") and sizes == (2, 1) and one.link:
        return _laid_out(sign, two, one)[::-1]
    if (
        sign != "⊙"
        and sizes == (1, 2)
        and one.link
        and not one.row
        and alike(one.dims, two.dims[:1])
    ):
        return one.turned(), two
    return one, two


# -- What an answer came to beside what is asked for: does a vector stand where one belongs?


_SPARE_INDICES = "ijklmnpq"


def fitted(
    found: Shaped,
    target: Target,
    indices: tuple[str, ...],
    final: Statement,
    vectors: Vectors,
    surface: t.Node,
) -> tuple[tuple[str, ...], t.Node]:
    """The indices of the answer, and the formula of its entry there.

    Raises OffsetError where the shape is another than that of what is asked for, with what
    could be made of `surface`, the answer as it was written.
    """
    dims = vectors.words.dims
    above = dims.get(target.above, ()) if target.jacobian else ()
    wanted = (*above, *dims.get(target.below, ()))
    named = bool(final.left and final.left.parameters)
    if not found.dims:
        body = found.entry((), vectors.taken)
        if vectors.whole and wanted and not named and not {*names_in(body)} & {*indices}:
            said = f"This is one number; {target.written()} has {_shape(wanted)} entries."
            hint = "check the order of the factors, or write an index"
            raise UnfitError(OffsetError(said, hint, found.at), firm=True)
        return indices, body
    if named:
        left = target.written(indices)
        said = f"Before '=' stands one entry, {left}, behind it {found.said}."
        raise OffsetError(said, "leave the index out before '=', or write (...)_j", found.at)
    if len(found.dims) == 1 and target.diagonal and alike(found.dims, wanted[:1]):
        own = tuple(dict.fromkeys(target.indices))
        if len(own) == 1:
            return own, found.entry((t.Name(own[0]),), vectors.taken | {*own})
    if not alike(found.dims, wanted):
        has = f"has {_shape(wanted)} entries" if wanted else "is one number"
        said = f"This is {found.said}; {target.written()} {has}."
        trouble = OffsetError(said, _hint(found, wanted), found.at)
        raise UnfitError(trouble, _ways(found, target, wanted, surface, said), firm=True)
    letters = target.indices
    if target.diagonal:
        spare = [a for a in _SPARE_INDICES if a not in vectors.taken and a not in letters]
        letters = tuple(
            a if a not in letters[:n] else spare.pop(0) for n, a in enumerate(target.indices)
        )
    return letters, found.entry(tuple(map(t.Name, letters)), vectors.taken | {*letters})


def _ways(
    found: Shaped, target: Target, wanted: tuple[str, ...], surface: t.Node, said: str
) -> list[Way]:
    """What could be made of an answer that has another shape than what is asked for."""
    ways = []

    def add(name: str, new: t.Node, teaching: str) -> None:
        ways.append(Way(Mistake(name, f"{said} {teaching}"), surface, new))

    other = turned(surface)
    if len(wanted) == 2 and alike(found.dims[::-1], wanted):
        add("transposed", other, f"{shown(other)} has that shape.")
    if not wanted:
        over = " and ".join(_shape((dim,)) for dim in found.dims)
        teaching = f"It is one for all {over}: what comes from each adds up."
        add(f"the sum over {over} is forgotten", t.Apply("~sum", (surface,)), teaching)
    if target.upstream and len(found.dims) == 2:
        message = t.Arithmetic(" ", other, t.Name("delta"))
        teaching = "The Jacobian is still to be multiplied by the message from above."
        add("the Jacobian in place of the message", message, teaching)
    return ways


def _shape(dims: tuple[str, ...]) -> str:
    return "×".join(dim.partition("#")[0].partition(":")[0] for dim in dims)


def _hint(found: Shaped, wanted: tuple[str, ...]) -> str:
    if len(wanted) == 2 and alike(found.dims[::-1], wanted):
        return "transpose it, or swap the factors of the outer product"
    return "write one entry, with its indices"
