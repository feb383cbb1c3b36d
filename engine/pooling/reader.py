"""Answers about max pooling read: the names and types that windows add to those of any message."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Final

from engine.exercise import EXAMPLES
from engine.formula import tree as t
from engine.formula.grammar import NAMES, RULES, whole
from engine.formula.notation import equal, of_x, resolve, subscripts
from engine.formula.parser import Named, Parser, Rules
from engine.formula.rewrite import mapped, substituted
from engine.formula.tokens import Token, tokenize
from engine.formula.tree import (
    INPUT_INDICES,
    LOSSES,
    OUTPUT_INDICES,
    SCALARS,
    OffsetError,
    canonical,
    children,
    unknown_hint,
)
from engine.formula.types import Scope, TypeChecker
from engine.messages.answer import Read, read_answer
from engine.messages.vocabulary import Words
from engine.pooling.inputs import JACOBIAN, MESSAGE

# -- What an index runs over when its sum does not say: read off where it is used.
#
# delta[a,b], f[a,b], Omega(a,b) make a and b a window's row and column; x[a,b], (a,b) in
# Omega(...), (a,b) == argmax(...) make them an input's.  Where use does not decide, i,j are an
# input's and k,l a window's.


_USUAL: Final[dict[str, t.Role]] = {
    "i": ("input", 0),
    "j": ("input", 1),
    "k": ("output", 0),
    "l": ("output", 1),
}
_CELLS: Final[dict[str, tuple[t.Role, ...]]] = {
    "x": (("input", 0), ("input", 1)),
    "delta": (("output", 0), ("output", 1)),
    "f": (("output", 0), ("output", 1)),
    "df/dx": (("output", 0), ("output", 1), ("input", 0), ("input", 1)),
}


def role(name: str, place: int, node: t.Reduce, definitions: Mapping[str, t.Definition]) -> t.Role:
    """The role of `name`, the index at `place` among those of `node`.  Raises OffsetError."""
    found: set[t.Role] = set()
    for part in children(node):
        found.update(_uses(part, name, definitions, (), set()))
    if len(found) == 1:
        return found.pop()
    usual = _USUAL.get(name.rstrip("'"))
    if usual is not None and (not found or usual in found):
        return usual
    sides = {side for side, _ in found}
    if not found:
        raise OffsetError(
            f"I cannot tell what {name} runs over.",
            f"say it: for {name} in range(Ho), in range(kh), or for p,q in Omega(k,l)",
            node.at,
        )
    return ("output" if "output" in sides else "input", min(place, 1))


def _uses(
    node: t.Node,
    name: str,
    definitions: Mapping[str, t.Definition],
    opened: tuple[str, ...],
    seen: set[tuple[str, str]],
) -> Iterator[t.Role]:
    """The roles of `name`; `seen` are definitions looked through, each with the name in it."""

    def looked_into(defined: str, inner: str) -> Iterator[t.Role]:
        if (defined, inner) not in seen:
            seen.add((defined, inner))
            body = definitions[defined].body
            yield from _uses(body, inner, definitions, (*opened, defined), seen)

    match node:
        case t.Cell(array, indices):
            roles = _CELLS.get(array, ())
            if array in definitions and array not in opened:
                parameters = definitions[array].parameters
                for parameter, index in zip(parameters, indices, strict=False):
                    if index == t.Name(name):
                        yield from looked_into(array, parameter)
            else:
                yield from _positions(indices, name, roles)
        case t.Window(indices):
            yield from _positions(indices, name, _CELLS["f"])
        case t.Windows(indices):
            yield from _positions(indices, name, _CELLS["x"])
        case t.Comparison(_, operands):
            for first, second in pairwise(operands):
                yield from _compared(first, second, name, definitions)
                yield from _compared(second, first, name, definitions)
    if isinstance(node, t.Reduce) and name in node.names:
        return
    if isinstance(node, t.Name) and node.name in definitions and node.name not in opened:
        yield from looked_into(node.name, name)
    for child in children(node):
        yield from _uses(child, name, definitions, opened, seen)


def _positions(
    indices: tuple[t.Node, ...], name: str, roles: tuple[t.Role, ...]
) -> Iterator[t.Role]:
    for index, found in zip(indices, roles, strict=False):
        if index == t.Name(name):
            yield found


def _compared(
    pair: t.Node, other: t.Node, name: str, definitions: Mapping[str, t.Definition]
) -> Iterator[t.Role]:
    if not isinstance(pair, t.Pair):
        return
    if isinstance(other, t.Name) and other.name in definitions:
        other = definitions[other.name].body
    if isinstance(other, t.Pair) and any(
        isinstance(item, t.Name) and item.name in definitions for item in other.items
    ):
        yield from _positions(pair.items, name, _CELLS["x"])
    if isinstance(other, t.Window | t.Over | t.Reduce):
        yield from _positions(pair.items, name, _CELLS["x"])
    if isinstance(other, t.Windows):
        yield from _positions(pair.items, name, _CELLS["f"])


# -- δ_{i,m} is Kronecker's delta where (m, n) is a place.
#
# The message takes a row and a column, Kronecker's delta two rows, or two columns.  Of other
# letters it is refused, never guessed.


_AXES: Final = {"i": 0, "k": 0, "j": 1, "l": 1}


def _told_apart(
    own: Collection[str], lines: list[t.Definition], body: t.Node
) -> tuple[list[t.Definition], t.Node]:
    """δ_{i,m} as [i == m].  Raises OffsetError at another delta whose indices are of one axis."""
    places = {n: side for one in lines if len(one.names) == 2 for side, n in enumerate(one.names)}
    sides = {**_AXES, **{name: place % 2 for place, name in enumerate(own)}, **places}

    def told(node: t.Node, sides: Mapping[str, int]) -> t.Node:
        """`sides`: along which axis each index runs, 0 rows, 1 columns."""
        if isinstance(node, t.Cell) and node.array == "delta" and len(node.indices) == 2:
            names = [t.name_of(index) for index in node.indices]
            axes = [sides.get(name, sides.get(name.rstrip("'*"), name)) for name in names]
            if axes[0] == axes[1] and all(names):
                if (names[0] in places) == (names[1] in places):
                    raise _same_axis(names[0], names[1], axes[0] == 1, node.at)
                return equal(*node.indices, node.at)
        if isinstance(node, t.Reduce):
            pairs = (binder.names for binder in node.binders if len(binder.names) == 2)
            sides = {**sides, **{name: side for pair in pairs for side, name in enumerate(pair)}}
        return mapped(node, lambda part: told(part, sides))

    found = []
    for one in lines:
        paired = one.parameters if len(one.parameters) in (2, 4) else ()
        inner = {**sides, **{name: place % 2 for place, name in enumerate(paired)}}
        found.append(replace(one, body=told(one.body, inner)))
    return found, told(body, sides)


def _same_axis(first: str, second: str, columns: bool, at: int) -> OffsetError:
    said = (
        f"delta[{first},{second}] takes two {'columns' if columns else 'rows'}: delta is the "
        "upstream message dL/df, a row and a column of the output."
    )
    hint = f"for Kronecker's delta write [{first} == {second + '*' * (first == second)}]"
    return OffsetError(said, hint, at)


# -- What x, f and the two families of sets begin, and softmax of a window: wrong, but written.


def _indexed(parser: Parser, name: str, subscript: str, token: Token) -> t.Node:
    indices = subscripts(parser, subscript, token, 2)
    if indices is None:
        if name in ("x", "f"):
            return t.Name(name, token.at)
        raise OffsetError(f"{name} needs its indices.", f"write {name}(k,l)", token.at)
    shown = {"x": "x[i,j]", "windows": "windows(i,j)", "Omega": "Omega(k,l)"}
    hint = f"write {shown.get(name, f'{name}[k,l]')}"
    node = t.with_indices(name, indices, token.at, 2, hint)
    if name == "f":
        of_x(parser)
    return node


def _message(parser: Parser, token: Token) -> t.Node | None:
    """(dL/df)[k,l], (dL/dx)_ij; None where the bracket is another one."""
    shape = [parser.peek(n) for n in range(5)]
    if [shape[2].text, shape[4].text] != ["/", ")"] or shape[1].text not in LOSSES:
        return None
    below, subscript = resolve(parser, shape[3])
    if below not in ("dx", "df") or subscript:
        return None
    for _ in shape:
        parser.take()
    assert isinstance(parser.vocabulary, WindowWords)
    at = subscripts(parser, "", shape[4]) or []
    return parser.vocabulary.message(parser, below[1:], at, token)


def _softmax(parser: Parser, _name: str, _subscript: str, token: Token) -> t.Node | None:
    """softmax(window(k,l))[i,j]: exp(x[i,j]) / sum(exp(x[p,q]) for p,q in Omega(k,l)), in it."""
    hint = "write softmax(window(k,l))[i,j]"
    if not parser.sees("(", "_"):
        return None
    if not parser.accept("("):
        raise parser.unexpected("brackets are expected after softmax", hint)
    region = t.region_of(parser.expression())
    parser.expect(")", "to close softmax(")
    indices = subscripts(parser, "", token) or []
    if not (isinstance(region, t.Window) or region == t.Name("x")) or len(indices) != 2:
        raise OffsetError("This softmax does not say of which inputs.", hint, token.at)
    own = dict(zip("ij", indices, strict=True))
    if not isinstance(region, t.Window):
        return _written("exp(x[i,j]) / sum(exp(x[p,q]) for p,q)", own, token)
    own |= dict(zip("kl", region.indices, strict=True))
    said = "[(i,j) in Omega(k,l)] * (exp(x[i,j]) / sum(exp(x[p,q]) for p,q in Omega(k,l)))"
    return _written(said, own, token)


def _written(text: str, names: Mapping[str, t.Node], token: Token) -> t.Node:
    """A formula of ours with `names` put in, as if it stood at the token."""
    tokens = [replace(one, at=token.at) for one in tokenize(text)]
    return substituted(whole(Parser(tokens, {}, WORDS)), names)


_WINDOWS: Final[dict[str, tuple[Named, ...]]] = {
    **dict.fromkeys(("x", "f", "Omega", "windows"), (_indexed,)),
    "softmax": (_softmax,),
}
_RULES: Final = replace(
    RULES,
    begins={**RULES.begins, "(": (_message, *RULES.begins["("])},
    names={**NAMES, **_WINDOWS},
)


# -- The names of max pooling, and the types of what is made of windows.


class WindowWords(Words):
    windows = True

    def canonical(self, name: str) -> str | None:
        found = canonical(name)
        if name in self.names:
            return self.names[name]
        if found in ("df", "dx", "J"):
            return {"df": "df", "dx": "dx", "J": "df/dx"}[found]
        return found or super().canonical(name)

    @property
    def rules(self) -> Rules:
        return _RULES

    def deltas(
        self, own: Collection[str], lines: list[t.Definition], body: t.Node
    ) -> tuple[list[t.Definition], t.Node]:
        """Kronecker's deltas put as conditions.  Raises OffsetError for a doubtful one."""
        return _told_apart(own, lines, body)

    def dimensions(self, name: str) -> tuple[str, ...]:
        """Of a step of a chain alone: arrays that stand whole are not read."""
        return JACOBIAN.indices if name == JACOBIAN.key else ()

    @property
    def known(self) -> dict[str, int]:
        return {**super().known, **dict.fromkeys(SCALARS, 0)}

    def hint(self, name: str, defined: tuple[str, ...]) -> str:
        return unknown_hint(name, defined)

    def free(self, upstream: bool) -> frozenset[str]:
        """The one window that holds (i,j)."""
        return frozenset(OUTPUT_INDICES if upstream else ())

    def sends(self, checker: TypeChecker, indices: tuple[str, ...]) -> bool:
        """It also is where only a sum runs over the windows."""
        if super().sends(checker, indices):
            return True
        summed = "sum" in checker.used and not checker.free & {*OUTPUT_INDICES}
        return summed and bool(checker.free & {*INPUT_INDICES})

    def checker(
        self, definitions: tuple[t.Definition, ...], around: Collection[str]
    ) -> TypeChecker:
        return WindowTypeChecker(self.known, definitions, frozenset(around))


WORDS: Final = WindowWords(
    {"x": 2, "f": 2},
    frozenset(("x", "f", "delta")),
    "f",
    asked=frozenset((MESSAGE.key, JACOBIAN.key)),
    fixed=frozenset(("x", *SCALARS)),
    letters=frozenset((*INPUT_INDICES, *OUTPUT_INDICES)),
    places=(2,),
    sizes=frozenset(SCALARS),
)


class WindowTypeChecker(TypeChecker):
    """A definition's free indices are those of the place where it is used."""

    def name(self, name: str, at: int, scope: Scope) -> str:
        if name in scope:
            self.free.add(name)
        return super().name(name, at, scope)

    def cell(self, node: t.Cell, scope: Scope) -> str:
        if len(node.indices) == 1 and self.arities.get(node.array) == 2:
            self._places(node.indices, scope)
            return "number"
        return super().cell(node, scope)

    def _places(self, nodes: tuple[t.Node, ...], scope: Scope) -> None:
        """Two numbers, or one pair."""
        if len(nodes) > 1:
            self.numbers(nodes, scope)
        elif self.type(nodes[0], scope) != "pair":
            raise OffsetError("A pair is expected here.", "write two indices", nodes[0].at)

    def way_out(self, name: str) -> str:
        if name.endswith("*"):
            other = "j*" if name[0] == "i" else "q*"
            return f"define it on a line of its own: ({name},{other}) = ..."
        if name not in WORDS.letters:
            return f"bind it: sum(... for {name})"
        return super().way_out(name)

    def defined(self, definition: t.Definition, at: int, scope: Scope) -> str:
        return self.body(definition, definition.names[0], at, scope)

    def over(self, node: t.Over, scope: Scope) -> str:
        if self.type(node.region, scope) == "outputs" and node.kind != "count":
            raise OffsetError(
                f"windows(...) holds windows, not values; {node.kind} needs values.",
                f"write {node.kind}(window(k,l))",
                node.region.at,
            )
        return "pair" if node.kind in ("argmax", "argmin") else "number"

    def windows(self, node: t.Node, scope: Scope) -> str:
        assert isinstance(node, t.Window | t.Windows)
        self._places(node.indices, scope)
        return "inputs" if isinstance(node, t.Window) else "outputs"

    def unranged(self, names: tuple[str, ...], node: t.Reduce) -> None:
        for name in names:
            role(name, 0, node, self.definitions)


def read(text: str, first: int = 0, step: int | None = None) -> Read:
    """What `text` says, indices beginning at `first`.

    With `step`, the side of a chain at this offset stands in the place of its last side.

    Raises FormulaError with a hint and a place; never guesses.
    """
    words = replace(WORDS, first=first)
    if step is not None:
        words = replace(words, local=frozenset((JACOBIAN.key,)), is_step=True)
    return read_answer(text, words, (MESSAGE, JACOBIAN), EXAMPLES[0], step)
