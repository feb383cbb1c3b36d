"""Notation of papers: subscripts, Kronecker deltas, d/dx, exponentials; which names there are."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, Protocol, TypeVar

from engine.formula import tree as t
from engine.formula.names import LOSSES, UPSTREAM, canonical, folded
from engine.formula.rewrite import mapped
from engine.formula.tokens import Lookahead, Token, tokenize
from engine.formula.tree import OffsetError

# -- What notation is read by: expressions, and what a name may mean in them.


class Vocabulary(Protocol):
    @property
    def arrays(self) -> frozenset[str]:
        """Arrays that may stand whole, as in max(x)."""

    @property
    def windows(self) -> bool:
        """Whether there are windows to speak of."""

    @property
    def places(self) -> tuple[int, ...]:
        """Over how many indices an argmax may run."""

    def canonical(self, name: str) -> str | None:
        """The declared name that `name` stands for; None where it is not declared."""

    def special(self, parser: Grammar, name: str, subscript: str, token: Token) -> t.Node | None:
        """What `name`, just taken, begins in this vocabulary alone; None where nothing."""

    def hint(self, name: str, defined: tuple[str, ...]) -> str:
        """What to do about a name that nobody knows."""


class Grammar(Lookahead, ABC):
    """Parses one line; `defined` holds the learner's own names with their number of indices."""

    def __init__(
        self, tokens: list[Token], defined: Mapping[str, int], vocabulary: Vocabulary
    ) -> None:
        super().__init__(tokens)
        self.defined = defined
        self.vocabulary = vocabulary
        self.parameters: Mapping[str, tuple[str, ...]] = {}
        """The indices of the pairs that lines define, as (i*(k,l), j*(k,l)) = ... does."""

    @abstractmethod
    def expression(self, binding: int = 0) -> t.Node:
        """An expression whose operators all bind tighter than `binding`."""

    @abstractmethod
    def body(self) -> t.Node:
        """What a sum takes, behind which "for all" says what the sum runs over."""


# -- Indices in any of their spellings: x_ij, x_{i,j}, x[i,j], x(i,j), J_{kl,ij}.


_RELATIONS: Final = ("==", "=", "!=", "<", "<=", ">", ">=", "in", "not", "and", "or")
#: delta_{x,ij} and delta_{f,kl}: the message at x, and at f.
SECOND: Final = {"x": "dx", "f": "delta"}


def resolve(parser: Grammar, token: Token) -> tuple[str, str]:
    """A name's meaning and the subscript written on it: x_ij is x with "ij"."""
    whole = token.text
    parts = whole.split("_")
    for size in range(len(parts), 0, -1):
        head = "_".join(parts[:size])
        name = head if head in parser.defined else parser.vocabulary.canonical(head)
        if name is not None:
            return name, "".join(parts[size:])
    return whole, ""


def arguments(parser: Grammar, closing: str) -> list[t.Node]:
    """Expressions with commas between them, up to the closing bracket."""
    found: list[t.Node] = []
    while not parser.sees(closing):
        found.append(parser.expression())
        if not parser.accept(","):
            break
    parser.expect(closing, "to close the bracket")
    return found


def subscripts(
    parser: Grammar, subscript: str, token: Token, arity: int = 2
) -> list[t.Node] | None:
    """The indices after an array's name, in any of their spellings; None where there are none."""
    if subscript:
        return t.split_letters(subscript, token.at)
    following = parser.peek()
    if following.kind == "subs":
        parser.take()
        return t.split_letters(following.text, following.at)
    if parser.accept("_") and not parser.sees("("):
        parser.expect("{", "after '_'")
        return _split(arguments(parser, "}"), arity)
    if parser.accept("["):
        found = arguments(parser, "]")
        while parser.sees("[") and not parser.peek().spaced and len(found) < 2:
            if _tests(parser):
                break  # δ_k[i = k]: an indicator stands beside the cell
            parser.take()
            found += arguments(parser, "]")
        return _split(found, arity)
    if parser.accept("("):
        return _split(arguments(parser, ")"), arity)
    return None


def _tests(parser: Grammar) -> bool:
    """Whether the bracket that opens here holds a condition."""
    return any(token.text in _RELATIONS for token in parser.inside(0))


def _split(indices: list[t.Node], arity: int) -> list[t.Node]:
    """{x,ij} and [kl,ij] hold two indices in one word."""
    first = indices[0] if indices else None
    tagged = isinstance(first, t.Name) and canonical(first.name) in SECOND
    if len(indices) == arity and not tagged:
        return indices
    found: list[t.Node] = []
    for index in indices:
        word = index.name if isinstance(index, t.Name) else ""
        if len(word) == 2 and word.isalpha() and canonical(word) is None:
            found.extend(t.split_letters(word, index.at))
        else:
            found.append(index)
    return found


def message(parser: Grammar, subscript: str) -> tuple[str, str] | None:
    """After δ, the ^f or ^x that says whose message it is: its name and its subscript.

    δ^f_kl, δ_kl^f, δ^{(x)}_{ij}; None, and nothing taken, where there is no such mark.
    """
    if subscript and parser.peek().kind == "subs":
        return None
    if not parser.sees("^"):
        return None
    opened = 0
    while parser.sees("{", "(", ahead=1 + opened):
        opened += 1
    head, _, tail = parser.peek(1 + opened).text.partition("_")
    name = SECOND.get(canonical(head) or "")
    closed = all(parser.sees("}", ")", ahead=2 + opened + n) for n in range(opened))
    if name is None or not closed or (tail and opened):
        return None
    for _ in range(2 + 2 * opened):
        parser.take()
    return name, subscript + tail


# -- Brackets: a condition, a place, and what only holds a number together.


def indicator(parser: Grammar, token: Token, closing: str) -> t.Node:
    """[C], or [C, D] for both; a comma counts as "and"."""
    parts = arguments(parser, closing)
    if not parts:
        raise OffsetError("These brackets are empty.", "write a condition in them", token.at)
    if token.text == "[" and len(parts) == 1 and _groups(parser, parts[0]):
        return parts[0]
    return t.Indicator(t.make_logic("and", parts, token.at), token.at)


def _groups(parser: Grammar, inner: t.Node) -> bool:
    """Whether square brackets only hold a number together: y_k [delta_k - s].

    What the learner's own line defines may be a condition, so that is for the check to tell.
    """
    if t.is_condition(inner) or isinstance(
        inner, t.Indicator | t.Pair | t.Window | t.Windows | t.Range
    ):
        return False
    return t.name_of(inner) not in parser.defined


def brackets(parser: Grammar) -> t.Node:
    token = parser.take()
    parts = arguments(parser, ")")
    if len(parts) == 1:
        return parts[0]
    if len(parts) == 2:
        return t.Pair((t.as_number(parts[0]), t.as_number(parts[1])), token.at)
    raise OffsetError(
        f"A place is a pair (row, column); here are {len(parts)} parts.", "write (i,j)", token.at
    )


# -- δ_{i,i*} is Kronecker's delta in print, 1 where i = i*; here δ is the upstream message.
#
# Which of the two is meant shows in the indices: the upstream message takes a row and a column,
# Kronecker's delta two rows, or two columns.  Of i and i* that is certain, they are of one axis;
# of other letters it is refused, never guessed.


_USUAL: Final = {"i": 0, "k": 0, "j": 1, "l": 1}
_INPUT: Final = {"i": 0, "j": 1}

#: Along which axis each index runs: 0 rows, 1 columns.
Sides = Mapping[str, int]


def starred(indices: Sequence[t.Node]) -> bool:
    """Whether these are an index and the same one with a star, or a prime."""
    names = [
        t.name_of(index)
        for index in indices
        # i*(k,l) is a number with indices, x[i,j] is none of an index.
        if isinstance(index, t.Name) or (isinstance(index, t.Cell) and index.array.endswith("*"))
    ]
    bare = [name.rstrip("'*") for name in names]
    return len(indices) == len(names) == 2 and bare[0] == bare[1] and names[0] != names[1]


def of_places(indices: Sequence[t.Node]) -> bool:
    """Whether these are two places, which delta never takes: δ_{(i,j),(i*,j*)}."""
    return len(indices) == 2 and all(
        isinstance(index, t.Pair)
        or (isinstance(index, t.Over | t.Reduce) and index.kind in ("argmax", "argmin"))
        for index in indices
    )


def put_kronecker(
    indices: Iterable[str], definitions: Iterable[t.Definition], node: t.Node
) -> t.Node:
    """δ_{i,m} as [i == m], where (m, n) = ... is a place: upstream takes no two rows."""
    own = {name: side for side, name in enumerate(tuple(indices)[-2:])} or _INPUT
    pairs = {
        name: side
        for one in definitions
        if len(one.names) == 2
        for side, name in enumerate(one.names)
    }
    return _put(node, own, pairs) if pairs else node


def _put(node: t.Node, own: Sides, pairs: Sides) -> t.Node:
    if isinstance(node, t.Cell) and node.array == "delta" and len(node.indices) == 2:
        first, second = map(t.name_of, node.indices)
        one, two = (first, second) if first in own else (second, first)
        if one in own and two in pairs and own[one] == pairs[two]:
            return equal(*node.indices, node.at)
    if isinstance(node, t.Reduce):
        own = {name: side for name, side in own.items() if name not in node.names}
    return mapped(node, lambda part: _put(part, own, pairs))


def equal(one: t.Node, other: t.Node, at: int) -> t.Indicator:
    """Kronecker's delta: [one == other]."""
    return t.Indicator(t.Comparison(("==",), (one, other), at), at)


def of_itself(upper: Sequence[t.Node], lower: Sequence[t.Node], at: int) -> t.Node:
    """dx_m/dx_j: 1 where the indices agree."""
    tests = tuple(t.Comparison(("==",), pair, at) for pair in zip(upper, lower, strict=True))
    if not tests:
        return t.Number(1.0, at)
    return t.Indicator(tests[0] if len(tests) == 1 else t.Logic("and", tests, at), at)


def refuse(indices: Iterable[str], definitions: Iterable[t.Definition], body: t.Node) -> None:
    """Raise OffsetError at the first delta whose two indices run along the same axis."""
    definitions = tuple(definitions)
    sides: dict[str, int] = dict(_USUAL)
    for place, name in enumerate(indices):
        sides[name] = place % 2
    for definition in definitions:
        if len(definition.names) == 2:
            sides.update({name: side for side, name in enumerate(definition.names)})
    for definition in definitions:
        count = len(definition.parameters)
        named = {name: at % 2 for at, name in enumerate(definition.parameters)}
        _walk(definition.body, {**sides, **(named if count in (2, 4) else {})})
    _walk(body, sides)


def _walk(node: t.Node, sides: Sides) -> None:
    if isinstance(node, t.Cell) and node.array == "delta" and len(node.indices) == 2:
        first, second = map(t.name_of, node.indices)
        if first and second:
            _look(first, second, sides, node.at)
    if isinstance(node, t.Reduce):
        sides = {**sides, **_bound(node.binders)}
    for child in t.children(node):
        _walk(child, sides)


def _bound(binders: Iterable[t.Binder]) -> Sides:
    """Pairs of bound indices are a row and a column."""
    pairs = [binder.names for binder in binders if len(binder.names) == 2]
    return {name: side for names in pairs for side, name in enumerate(names)}


def _look(first: str, second: str, sides: Sides, at: int) -> None:
    one, two = (sides.get(name, sides.get(name.rstrip("'*"))) for name in (first, second))
    if one is None or one != two:
        return
    raise OffsetError(
        f"delta[{first},{second}] takes two {('rows', 'columns')[one]}: delta is the upstream "
        "message dL/df, a row and a column of the output.",
        f"for Kronecker's delta write [{first} == {second + '*' * (first == second)}]",
        at,
    )


# -- Messages in brackets, (dL/dx)_ij, and f as a function of the whole input.


def derivative_in_brackets(parser: Grammar) -> t.Node | None:
    """(dL/dx)_ij or (dL/df)[k,l]; None where the bracket is another one."""
    shape = [parser.peek(n) for n in range(5)]
    if [shape[2].text, shape[4].text] != ["/", ")"] or shape[1].text not in LOSSES:
        return None
    below, subscript = resolve(parser, shape[3])
    if below not in ("dx", "df") or subscript:
        return None
    for _ in shape:
        token = parser.take()
    name = "dx" if below == "dx" else "delta"
    indices = subscripts(parser, "", token)
    at = shape[0].at
    return t.Name(name, at) if indices is None else t.with_indices(name, indices, at)


def of_x(parser: Grammar) -> None:
    """Take the (x) of f_kl(x): the forward message as a function of the whole input."""
    if parser.sees("(") and parser.peek(1).text == "x" and parser.sees(")", ahead=2):
        for _ in range(3):
            parser.take()


# -- e^x, and softmax(window(k,l))[i,j]: wrong in max pooling, but written by many.


_POWER: Final = 89
_ROWS: Final = ("p", "m", "a", "u")
_COLUMNS: Final = ("q", "n", "b", "v")


def exponential(parser: Grammar, name: str, token: Token) -> t.Node | None:
    """What `name`, just taken, begins; None where it is a name like any other."""
    if name in parser.defined:
        return None
    if name == "e" and parser.accept("^"):
        return t.Apply("exp", (t.as_number(parser.expression(_POWER)),), token.at)
    if name.lower() == "softmax" and parser.sees("(", "_"):
        return _softmax(parser, token)
    return None


def _softmax(parser: Grammar, token: Token) -> t.Node:
    """exp(x[i,j]) / sum(exp(x[p,q]) for p,q in Omega(k,l)), in the window alone."""
    hint = "write softmax(window(k,l))[i,j], or exp(x[i,j]) / sum(exp(x[p,q]) for p,q in ...)"
    if not parser.accept("("):
        raise parser.unexpected("brackets are expected after softmax", hint)
    region = t.region_of(parser.expression())
    parser.expect(")", "to close softmax(")
    indices = subscripts(parser, "", token)
    names = [index.name for index in indices or () if isinstance(index, t.Name)]
    if not (isinstance(region, t.Window) or region == t.Name("x")) or len(names) != 2:
        raise OffsetError("This softmax does not say of which inputs.", hint, token.at)
    inner = set(names)
    if isinstance(region, t.Window):
        inner |= {index.name for index in region.indices if isinstance(index, t.Name)}
    pair = tuple(
        next(letter for letter in letters if letter not in inner) for letters in (_ROWS, _COLUMNS)
    )
    at = token.at
    above, below = (
        t.Apply("exp", (t.Cell("x", tuple(t.Name(one, at) for one in letters), at),), at)
        for letters in (names, pair)
    )
    domain = region if isinstance(region, t.Window) else None
    total = t.Reduce("sum", below, (t.Binder(pair, domain, at),), None, at)
    share = t.Arithmetic("/", above, total, at)
    if domain is None:
        return share
    place = t.Pair(tuple(t.Name(one, at) for one in names), at)
    inside = t.Indicator(t.Comparison(("in",), (place, domain), at), at)
    return t.Arithmetic("*", inside, share, at)


# -- What an answer calls the message from above.


T = TypeVar("T")


def upstream(text: str, meant: Callable[[str], str | None]) -> str:
    """What an answer calls the message from above, where it is a usual name that has no meaning.

    `meant` gives the meaning of a name.  The letters g and d are the message only where nothing
    else is; a name that the answer defines, or a letter that it calls as a function, never is.
    "" where there is no such name, or more than one.
    """
    try:
        tokens = tokenize(text)
    except OffsetError:
        return ""
    found, spoken = set(), False
    for token, following in pairwise(tokens):
        parts = token.text.split("_") if token.kind == "name" else []
        for head in ("_".join(parts[:size]) for size in range(len(parts), 0, -1)):
            if meant(head) is not None:
                spoken |= meant(head) == "delta"
                break
            if folded(head) in UPSTREAM:
                called = len(head) == 1 and following.text == "(" and not following.spaced
                found.add("" if called else head)
                break
    name = found.pop() if len(found) == 1 else ""
    indices = r"(_\w+|_?[\[({][^\])}]*[\])}])?"
    defined = re.search(rf"\b{name}{indices}\s*:?=(?!=)", text)
    return "" if defined or (len(name) == 1 and spoken) else name


def with_message(
    read: Callable[[str], T],
    text: str,
    meant: Callable[[str], str | None],
    final: tuple[type[Exception], ...] = (),
) -> T:
    """What `read` makes of an answer, once more with the answer's own name for delta.

    `final` are errors that say that the answer was understood.
    """
    try:
        return read("")
    except (OffsetError, t.FormulaError) as trouble:
        name = "" if isinstance(trouble, final) else upstream(text, meant)
        if not name:
            raise
        try:
            return read(name)
        except (OffsetError, t.FormulaError) as again:
            spoken = re.search(rf"\b{re.escape(name)}\b", trouble.message)
            raise (again if spoken or isinstance(again, final) else trouble) from None
