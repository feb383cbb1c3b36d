"""Vector notation to index notation: W^T (delta ⊙ f'(s)) to sum(W[k,j] * delta[k] * ... for k).

A tree of the surface grammar (`surface`) goes in; each part is a number, a vector or a matrix, and
what comes out is the formula of one entry, in the tree that everything else reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from engine.formula.problem import OffsetError
from engine.formula.tree import (
    Apply,
    Arithmetic,
    Binder,
    Cell,
    Choice,
    Comparison,
    Definition,
    Indicator,
    Logic,
    Name,
    Negative,
    Node,
    Not,
    Pair,
    Range,
    Reduce,
    children,
)
from engine.given import misfits, misfits_of_sums, operators
from engine.given.paper import letters_in
from engine.given.shaped import Dims, Shaped, alike, known, scalar
from engine.given.surface import FUNCTIONS, INNER, PRODUCTS
from engine.given.vocabulary import Words

_SPARE = "klmnpqrijabcuvg"
#: So many sums are written out; a softmax of a softmax doubles those inside.
_MOST_SUMS = 500


class Vectors:
    """Reads the lines of one answer; `lines` are its definitions in the surface grammar."""

    def __init__(
        self,
        words: Words,
        lines: Sequence[Definition],
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
        self.lines: Mapping[str, Definition] = {one.names[0]: one for one in lines}
        self.whole = False
        """Whether some array stood whole."""
        spoken = {name for one in lines for name in letters_in(one.body)}
        self.taken = frozenset({*free, *spoken, *words.arities})
        self._open: list[str] = []
        self._done: dict[str, Shaped] = {}
        self._known: dict[int, tuple[Node, Shaped]] = {}
        self._sums = 0

    def definition(self, line: Definition) -> Definition:
        """A definition by one of its entries."""
        if len(line.names) > 1 or line.parameters:
            return replace(line, body=self.plain(line.body))
        found = self._line(line)
        letters: list[str] = []
        for dim in found.dims:
            letters.append(self.fresh(dim, frozenset(letters), line.at))
        if not found.dims:
            letters = [*self.loose.get(line.names[0], ())]
        body = found.entry(tuple(map(Name, letters)), self.taken | {*letters})
        return replace(line, parameters=tuple(letters), body=body)

    def _line(self, line: Definition) -> Shaped:
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

    def plain(self, node: Node) -> Node:
        """A part that must be a number, or a condition on numbers."""
        found = self.shaped(node)
        if found.dims:
            raise OffsetError(
                f"This is {found.said}, not a number.", "give it its indices: x[j]", node.at
            )
        return found.entry((), self.taken)

    def shaped(self, node: Node) -> Shaped:
        """A part's shape and entries, worked out once: those around it ask several times."""
        if id(node) not in self._known:
            self._known[id(node)] = (node, self._shaped(node))  # the node keeps its id
        return self._known[id(node)][1]

    def _shaped(self, node: Node) -> Shaped:
        match node:
            case Name():
                return self._name(node)
            case Cell():
                return self._cell(node)
            case Apply(function) if function in (*FUNCTIONS, *INNER):
                return operators.applied(self, node)
            case Apply(function, parts):
                return self._each(parts, lambda p: Apply(function, tuple(p), node.at), node)
            case Arithmetic(op, left, right) if op in PRODUCTS:
                one, two = self.shaped(left), self.shaped(right)
                if self.words.is_step and op != "⊙" and (both := self._linked(one, two, node.at)):
                    return both
                one, two = _laid_out(op, one, two)
                return misfits.tried(node, (one, two), self.words, self.text, self.fresh)
            case Arithmetic():
                return self._arithmetic(node)
            case Negative(part):
                return self._each((part,), lambda p: Negative(p[0], node.at), node)
            case Reduce():
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

        def entry(where: tuple[Node, ...], used: frozenset[str]) -> Node:
            letters: list[str] = []
            for dim in shared:
                letters.append(self.fresh(dim, used | {*letters}, at))
            used, own = used | {*letters}, tuple(map(Name, letters))
            first = one.entry((*where[:upper], *own), used)
            body = Arithmetic("*", first, two.entry((*own, *where[upper:]), used), at)
            return Reduce("sum", body, (Binder(tuple(letters), None, at),), None, at)

        dims, link = (*one.dims[:upper], *two.dims[len(shared) :]), (one.link[0], two.link[1])
        return Shaped(dims, entry, at, of=frozenset([""]), link=link) if shared else None

    def _condition(self, node: Node) -> Shaped:
        match node:
            case Indicator(test):
                return self._each((test,), lambda p: Indicator(p[0], node.at), node)
            case Choice(test, then, other):
                return self._each(
                    (test, then, other), lambda p: Choice(p[0], p[1], p[2], node.at), node
                )
            case Comparison(ops, parts):
                return self._each(parts, lambda p: Comparison(ops, tuple(p), node.at), node)
            case Logic(op, parts):
                return self._each(parts, lambda p: Logic(op, tuple(p), node.at), node)
            case Not(part):
                return self._each((part,), lambda p: Not(p[0], node.at), node)
            case Pair(parts):
                return scalar(Pair(tuple(map(self.plain, parts)), node.at))
            case Range(start, stop):
                return scalar(Range(self.plain(start), self.plain(stop), node.at))
        return scalar(node)

    def _each(
        self, parts: Sequence[Node], made: Callable[[list[Node]], Node], node: Node
    ) -> Shaped:
        """Entry by entry: a number goes with every entry."""
        found = [self.shaped(part) for part in parts]
        wholes = [one for one in found if one.dims]
        dims: Dims = wholes[0].dims if wholes else ()
        for one in wholes:
            if not alike(one.dims, dims) or one.row != wholes[0].row:
                hint = "entry by entry both must have the same shape"
                said = f"Here {wholes[0].said} meets {one.said}."
                raise misfits_of_sums.of_terms(node, wholes, OffsetError(said, hint, node.at))
            dims = known(dims, one.dims)

        def entry(at: tuple[Node, ...], used: frozenset[str]) -> Node:
            return made([one.entry(at if one.dims else (), used) for one in found])

        of = frozenset().union(*(one.of for one in found))
        return Shaped(dims, entry, node.at, bool(wholes) and wholes[0].row, of)

    def _arithmetic(self, node: Arithmetic) -> Shaped:
        parts = (self.shaped(node.left), self.shaped(node.right))
        whole = parts[0].diagonal
        if node.op == "^" and whole is not None and not parts[1].dims:
            return operators.raised(whole, parts[1], node.at)
        vector = not parts[0].dims and len(parts[1].dims) == 1  # e^x goes entry by entry
        if node.op == "^" and (len(parts[0].dims) > 1 or (parts[1].dims and not vector)):
            raise OffsetError(
                "The power of a matrix could be two things.", "write W ⊙ W, or W W", node.at
            )
        if node.op in ("/", "//", "%") and len(parts[1].dims) > 1:
            raise OffsetError("Nothing is divided by a matrix.", "write one entry", node.at)
        return self._each(
            (node.left, node.right), lambda p: Arithmetic(node.op, p[0], p[1], node.at), node
        )

    def _name(self, node: Name) -> Shaped:
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

        def entry(at: tuple[Node, ...], used: frozenset[str]) -> Node:
            del used
            return Cell(node.name, at, node.at)

        return Shaped(dims, entry, node.at, of=frozenset([node.name]), link=link)

    def _ranges(self, line: Definition) -> Dims:
        """The ranges of a definition's indices, as far as its body tells; () where it does not."""
        found = [self._range(parameter, line.body) for parameter in line.parameters]
        return tuple(dim for dim in found if dim) if all(found) else ()

    def _range(self, letter: str, node: Node) -> str:
        if isinstance(node, Cell):
            dims = self.words.dimensions(node.array)
            for index, dim in zip(node.indices, dims, strict=False):
                if index == Name(letter):
                    return dim
        return next((dim for part in children(node) if (dim := self._range(letter, part))), "")

    def _cell(self, node: Cell) -> Shaped:
        called = node.array in self.lines or node.array not in self.words.dims
        if not called:
            return scalar(replace(node, indices=tuple(map(self.plain, node.indices))))
        return self._each(node.indices, lambda p: Cell(node.array, tuple(p), node.at), node)

    def _reduce(self, node: Reduce) -> Shaped:
        binders = tuple(
            b if b.domain is None else replace(b, domain=self.plain(b.domain)) for b in node.binders
        )
        test = None if node.condition is None else self.plain(node.condition)
        body = self.shaped(node.body)
        if body.dims and node.kind not in ("sum", "mean"):
            raise OffsetError(f"This {node.kind} is of numbers.", "give the indices", node.at)

        def entry(at: tuple[Node, ...], used: frozenset[str]) -> Node:
            return Reduce(node.kind, body.entry(at, used), binders, test, node.at)

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
