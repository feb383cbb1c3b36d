"""Vector notation to index notation, and what does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from engine.formula import tree as t
from engine.formula.notation import ARRAY_FUNCTIONS, INNER, number_of_whole
from engine.formula.rewrite import letters_in, mapped, names_in
from engine.formula.statements import Statement
from engine.formula.tree import PRODUCTS, OffsetError, children
from engine.messages.products import (
    ANY,
    Dims,
    Shaped,
    UnfitError,
    Way,
    alike,
    constant,
    contracted,
    diagonal,
    identity,
    inner,
    inverse,
    known,
    of_terms,
    outer,
    product_of,
    scalar,
    several,
    shown,
    tried,
    turned,
)
from engine.messages.targets import Target
from engine.messages.vocabulary import Words
from engine.verdict import Mistake

# -- Vector notation to index notation: W^T (delta ⊙ f'(s)) to sum(W[k,j] * delta[k] * ... for k).
#
# A tree of the surface grammar goes in; each part is a number, a vector or a matrix,
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
        if len(line.names) > 1:
            return replace(line, body=self.plain(line.body))
        found = self._line(line)
        own = line.parameters
        letters = several(self.fresh, found.dims, frozenset(own), line.at)
        if not found.dims and not own:
            letters = self.loose.get(line.names[0], ())
        body = found.entry(tuple(map(t.Name, letters)), self.taken | {*own, *letters})
        return replace(line, parameters=(*own, *letters), body=body)

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
            case t.Apply(function) if function in (*ARRAY_FUNCTIONS, *INNER):
                return applied(self, node)
            case t.Arithmetic(op, left, right) if op in PRODUCTS:
                one, two = self.shaped(left), self.shaped(right)
                if self.words.is_step and op != "⊙" and (both := self._linked(one, two, node.at)):
                    return both
                one, two = _laid_out(op, one, two)
                return tried(node, (one, two), self.words, self.text, self.fresh)
            case t.Arithmetic():
                return self._arithmetic(node)
            case t.Reduce():
                return self._reduce(node)
            case t.Pair() | t.Range():
                return scalar(mapped(node, self.plain))
            case t.Apply() | t.Negative() | t.Indicator() | t.Choice():
                return self._each(node)
            case t.Comparison() | t.Logic() | t.Not():
                return self._each(node)
        return scalar(node)

    def _linked(self, one: Shaped, two: Shaped, at: int) -> Shaped | None:
        """dL/dy dy/ds without indices, in either order: summed over those of y."""
        if one.link and two.link and one.link[0] == two.link[1]:
            one, two = two, one
        if not one.link or not two.link or one.link[1] != two.link[0]:
            return None
        if not (count := len(self.words.dims[one.link[1]])):
            return None
        link = one.link[0], two.link[1]
        return replace(contracted(one, two, count, at, self.fresh), row=False, link=link)

    def _each(self, node: t.Node) -> Shaped:
        """Entry by entry: a number goes with every entry."""
        found = [self.shaped(part) for part in children(node)]
        wholes = [one for one in found if one.dims]
        dims: Dims = wholes[0].dims if wholes else ()
        for one in wholes:
            if not alike(one.dims, dims) or one.row != wholes[0].row:
                hint = "entry by entry both must have the same shape"
                said = f"Here {wholes[0].said} meets {one.said}."
                raise of_terms(node, wholes, OffsetError(said, hint, node.at))
            dims = known(dims, one.dims)

        def entry(at: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
            parts = (one.entry(at if one.dims else (), used) for one in found)
            return mapped(node, lambda _: next(parts))

        of = frozenset().union(*(one.of for one in found))
        return Shaped(dims, entry, node.at, bool(wholes) and wholes[0].row, of)

    def _arithmetic(self, node: t.Arithmetic) -> Shaped:
        parts = (self.shaped(node.left), self.shaped(node.right))
        whole = parts[0].diagonal
        if node.op == "^" and whole is not None and not parts[1].dims:
            return raised(whole, parts[1], node.at)
        if node.op == "^" and len(parts[0].dims) == 2 and _is_minus_one(node.right):
            return inverse(parts[0], node.at, self.fresh)
        if node.op == "^" and (count := self._times(node, parts[0])):
            whole = parts[0]
            for _ in range(count - 1):
                whole = product_of("@", whole, parts[0], node.at, self.fresh)
            return whole
        vector = not parts[0].dims and len(parts[1].dims) == 1  # e^x goes entry by entry
        if node.op == "^" and (len(parts[0].dims) > 1 or (parts[1].dims and not vector)):
            raise OffsetError(
                "The power of a matrix could be two things.", "write W ⊙ W, or W W", node.at
            )
        if node.op in ("/", "//", "%") and len(parts[1].dims) > 1:
            raise OffsetError("Nothing is divided by a matrix.", "write one entry", node.at)
        return self._each(node)

    def _times(self, node: t.Arithmetic, base: Shaped) -> int:
        """How often a square matrix is multiplied by itself in A^2; 0 of A**2, and of others."""
        square = len(base.dims) == 2 and base.dims[0] == base.dims[1]
        count = node.right.value if isinstance(node.right, t.Number) else 0
        as_printed = not self.text[node.at :].startswith("**")
        return int(count) if square and as_printed and count in (2, 3, 4) else 0

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
        found = [self.range(parameter, line.body) for parameter in line.parameters]
        return tuple(dim for dim in found if dim) if all(found) else ()

    def range(self, letter: str, node: t.Node) -> str:
        """What a letter runs over, as the arrays that are read at it tell; "" where none is."""
        if isinstance(node, t.Cell):
            line = self.lines.get(node.array)
            dims = self.words.dimensions(node.array) if line is None else self._ranges(line)
            for index, dim in zip(node.indices, dims, strict=False):
                if index == t.Name(letter):
                    return dim
        return next((dim for part in children(node) if (dim := self.range(letter, part))), "")

    def _cell(self, node: t.Cell) -> Shaped:
        called = node.array in self.lines or node.array not in self.words.dims
        if not called:
            return scalar(replace(node, indices=tuple(map(self.plain, node.indices))))
        line = self.lines.get(node.array)
        rest = self._line(line) if line is not None and node.array not in self._open else None
        if rest is not None and rest.dims:  # g_n = e_n x_n, a vector for each n
            own = tuple(map(self.plain, node.indices))

            def entry(at: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
                del used
                return t.Cell(node.array, (*own, *at), node.at)

            return Shaped(rest.dims, entry, node.at, rest.row, frozenset([node.array]))
        return self._each(node)

    def _reduce(self, node: t.Reduce) -> Shaped:
        binders = tuple(
            b if b.domain is None else replace(b, domain=self.plain(b.domain)) for b in node.binders
        )
        test = None if node.condition is None else self.plain(node.condition)
        body = self.shaped(node.body)
        if node.kind == "inv":
            return self._inverse(node, body)
        if body.dims and node.kind not in ("sum", "mean"):
            raise OffsetError(f"This {node.kind} is of numbers.", "give the indices", node.at)

        def entry(at: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
            return t.Reduce(node.kind, body.entry(at, used), binders, test, node.at)

        return Shaped(body.dims, entry, node.at, body.row, frozenset([""]))

    def _inverse(self, node: t.Reduce, body: Shaped) -> Shaped:
        """inv(e for a,b), the inverse of a matrix that is told by its entries."""
        if body.dims or len(node.names) != 2 or node.condition is not None:
            hint = "write inv(A), or inv(A[i,j] for i,j)"
            raise OffsetError("This is no matrix by its entries.", hint, node.at)
        whole = replace(node, body=body.entry((), self.taken))
        dims = tuple(self.range(letter, node.body) for letter in node.names)

        def entry(at: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
            del used
            return t.Apply("entry", (whole, *at), node.at)

        return Shaped(dims if all(dims) else (ANY, ANY), entry, node.at, of=frozenset([""]))


def _is_minus_one(node: t.Node) -> bool:
    return node == t.Negative(t.Number(1.0))


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
        case function if function in t.OF_WHOLES:
            return _number(to, first, node)
        case "inv":
            return inverse(first, at, to.fresh)
        case "solve":
            return product_of("@", inverse(first, at, to.fresh), others[0], at, to.fresh)
        case "entry":
            return _entry(to, first, node)
        case "softmax" | "logsoftmax" | "log_softmax":
            return _softmax(to, first, node)
        case "~sum" | "~mean" | "~prod":
            return _total(to, first, node, others)
        case "~inner":
            if not first.dims or not others[0].dims:
                hint = "write a product: a * b"
                raise OffsetError("An inner product is of vectors; here is a number.", hint, at)
            return inner(replace(first, row=False), replace(others[0], row=False), at, to.fresh)
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
    if len(indices) > len(first.dims):
        said = f"This is {first.said}, and here are {len(indices)} indices."
        raise OffsetError(said, "write one index for each dimension", node.at)
    used = to.taken | {name for part in indices for name in names_in(part)}
    if len(indices) == len(first.dims):
        return scalar(first.entry(indices, used))

    def entry(at: tuple[t.Node, ...], more: frozenset[str]) -> t.Node:
        return first.entry((*indices, *at), used | more)

    is_row = isinstance(node.arguments[0], t.Name)
    return Shaped(first.dims[len(indices) :], entry, node.at, of=first.of, is_slice=is_row)


def _softmax(to: Vectors, part: Shaped, node: t.Apply) -> Shaped:
    """exp(x_k) / sum_m exp(x_m), or its logarithm x_k - log sum_m exp(x_m); of a matrix by rows."""
    if not part.dims:
        said = f"{node.function} takes a vector; this is {part.said}."
        raise OffsetError(said, "write softmax(x)[k] for one entry", node.at)

    def entry(where: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
        letter = to.fresh(part.dims[-1], used, node.at)
        inside = part.entry((*where[:-1], t.Name(letter)), used | {letter})
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
        letters = several(to.fresh, tuple(part.dims[one] for one in axes), used, node.at)
        at = [*where]
        for one, letter in zip(axes, letters, strict=True):
            at.insert(one, t.Name(letter))
        inside = part.entry(tuple(at), used | {*letters})
        return t.Reduce(kind, inside, (t.Binder(letters, None, node.at),), None, node.at)

    dims = tuple(dim for one, dim in enumerate(part.dims) if one not in axes)
    return Shaped(dims, entry, node.at, of=frozenset([""] if dims else []))


def raised(base: Shaped, exponent: Shaped, at: int) -> Shaped:
    """A power of diag(base): that of its entries."""

    def entry(where: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
        return t.Arithmetic("^", base.entry(where, used), exponent.entry((), used), at)

    return diagonal(Shaped(base.dims, entry, at, of=base.of), at)


def _number(to: Vectors, part: Shaped, node: t.Apply) -> Shaped:
    """A norm, a determinant or a trace; of a number its size is the norm."""
    function, at = node.function, node.at
    count = t.OF_WHOLES[function]
    if not part.dims and not count:
        return scalar(t.Apply("abs", (part.entry((), to.taken),), at))
    numbered = all(":" in dim for dim in part.dims)  # read at A[0,1] alone: it may be square
    square = len(part.dims) == 2 and (numbered or alike(part.dims[:1], part.dims[1:]))
    if count == 2 and not square:
        said = f"{function} takes a square matrix; this is {part.said}."
        raise OffsetError(said, f"write {function}(A)", at)
    if (count == 1 and len(part.dims) != 1) or ANY in part.dims:
        said = f"{function} takes a vector; this is {part.said}."
        raise OffsetError(said, f"write {function}(x), or the sum", at)
    if function in ("norm1", "norminf") and len(part.dims) > 1:
        said = f"{function} of a matrix could be several things."
        raise OffsetError(said, "write it as a sum, or as a maximum", at)

    def entry(where: tuple[t.Node, ...], used: frozenset[str]) -> t.Node:
        del where
        letters = several(to.fresh, part.dims, used, at)
        inside = used | {*letters}
        return number_of_whole(function, lambda at: part.entry(at, inside), letters, at)

    return Shaped((), entry, at)


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
    wanted = tuple(dim for array in target.arrays for dim in dims.get(array, ()))
    named = bool(final.left and final.left.parameters)
    if not found.dims:
        body = found.entry((), vectors.taken)
        if vectors.whole and wanted and not named and not {*names_in(body)} & {*indices}:
            said = f"This is one number; {target.written()} has {_shape(wanted)} entries."
            hint = "check the order of the factors, or write an index"
            raise UnfitError(OffsetError(said, hint, found.at), firm=True)
        return indices, body
    rest = wanted[len(indices) :]
    if named and rest and alike(found.dims, rest):
        spare = [a for a in _SPARE_INDICES if a not in vectors.taken and a not in indices]
        letters = (*indices, *spare[: len(rest)])
        at = tuple(map(t.Name, letters[len(indices) :]))
        return letters, found.entry(at, vectors.taken | {*letters})
    if named:
        left = target.written(indices)
        said = f"Before '=' stands one entry, {left}, behind it {found.said}."
        raise OffsetError(said, "leave the index out before '=', or write (...)_j", found.at)
    if len(found.dims) == 1 and target.diagonal and alike(found.dims, wanted[:1]):
        own = target.letters
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
