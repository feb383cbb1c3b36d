"""The names that an answer may use, and whether its formulas make sense."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

from engine.formula import tree as t
from engine.formula.binders import silent
from engine.formula.grammar import RULES, whole
from engine.formula.notation import (
    cell,
    entry_of,
    equal,
    indexed,
    of_places,
    resolve,
    starred,
    subscripts,
)
from engine.formula.parser import Parser, Rules
from engine.formula.rewrite import ONE, free_names, inside, letters_in, rebuilt, renamed
from engine.formula.tokens import Token, tokenize
from engine.formula.tree import OffsetError, as_number, children
from engine.formula.types import TypeChecker

# -- What to do about a name that nobody knows.


#: What a name is decorated with in print: ŷ is yhat here.
_MARKS = re.compile(r"(?<=.)(_?(hat|bar|tilde|dot|vec)|_?[0-9]+|_[A-Za-z]|['*])+$")


def unknown(
    name: str, given: Sequence[str], others: Iterable[str], numbers: Collection[str]
) -> str:
    """The name that is meant, or else all that there are; `numbers` go without saying."""
    told = [*given, *others, *t.REDUCERS, *t.FUNCTIONS, *t.CALLED, *t.OF_WHOLES]
    bare = _MARKS.sub("", name)
    for word in (bare, name.lower(), name.upper(), bare.lower(), bare.upper()):
        if word in told and word != name and word not in numbers:
            return f"did you mean '{word}'?"
    lowered = {word.lower(): word for word in told if len(word) > 1}
    found = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=0.7)
    if found and lowered[found[0]] != name:
        return f"did you mean '{lowered[found[0]]}'?"
    shown = [word for word in given if word not in numbers]
    return f"the names are {', '.join(shown)}; others need a line of their own that defines them"


# -- Names that print has for what is given: ŷ for the prediction, ε for eps, N for how many.


_COUNTS: Final = ("N", "n", "m", "M", "B", "D", "K", "batch_size")
_SHORT: Final = {"epsilon": "eps", "varepsilon": "eps", "lambda": "lam"}
_INPUT: Final = ("gradinput", "gradin", "inputgrad", "dinput")
_GRADIENT: Final = (*_INPUT, "grad", "gradient")


def name_meant(name: str, words: Words) -> str | None:
    """The given name that `name`, which is none itself, is print's name of; None of no other."""
    if name in words.arities or words.names.get(name) == name:
        return None
    if words.names.get(name) in (*words.arities, "delta"):
        return words.names[name]
    if re.fullmatch(r"\w+_\d", name) and name.replace("_", "") in words.arities:
        return name.replace("_", "")  # W_2 of W1 and W2
    if name in _SHORT:
        return _SHORT[name] if _SHORT[name] in words.arities else None
    base = name.removesuffix("hat").removesuffix("_")
    if base == name or not base:
        return None
    if base in words.arrays and (base not in words.fixed or "t" in words.arrays):
        return base
    if words.arities.get(base) == 0 and words.makes(base):
        return base
    made = [one for one in words.arrays if one not in words.fixed and words.arities.get(one)]
    return made[0] if words.loss and base == "y" and len(made) == 1 else None


def counted(node: t.Node, words: Words, taken: Collection[str]) -> t.Node:
    """The formula with sum(1 for k) for a K, or any N, that nothing else is called.

    An N where there is no index n: only where all arrays have one range in common, or all means of
    the forward message, so that there is one number to be meant.
    """
    free = {*taken, *words.sizes, *words.known}

    def put(node: t.Node, name: str, letter: str) -> t.Node:
        # Beside an N_k of its own lines, a formula may speak of N, which is their number.
        indexed = name in words.asides and words.arities.get(name)
        own = name in free and (name in words.known or not _both(node, name))
        if (own and not indexed) or picks(node, name, words):
            return node
        binder = t.Binder((letter,), None)
        return renamed(node, name, t.Reduce("sum", t.Number(1.0), (binder,), None))

    for letter in sorted(words.letters):
        if len(letter) == 1 and letter.islower():
            node = put(node, letter.upper(), letter)
    ranges = {dim.partition("#")[0].partition(":")[0] for of in words.dims.values() for dim in of}
    if len(ranges) != 1:
        ranges = {*words.averaged}
    if len(ranges) != 1:
        return node
    letter = ranges.pop()
    for name in _COUNTS:
        node = put(node, name, letter)
    return node


def over_letters(node: t.Node, own: Collection[str], words: Words, several: bool) -> t.Node:
    """The formula with the indices of sums that name none, Σ a_j b_j: letters that only they have.

    `own` are the indices of the answer, which no sum binds; `several` says that there are no
    others, so that a sum may run over more than one.  Raises OffsetError.
    """
    if not any(_is_open(one, words) for one in inside(node)):
        return node
    outside = {*own, *_indices_in(_closed(node, words), words)}

    def put(part: Any) -> Any:
        if not _is_open(part, words):
            return rebuilt(part, put)
        body = put(part.body if isinstance(part, t.Reduce) else part.arguments[0])
        letters = sorted(_indices_in(body, words) - outside)
        if not letters or (len(letters) > 1 and not several):
            raise silent("sum", "sum", part.at)
        binders = tuple(t.Binder((letter,), None, part.at) for letter in letters)
        return t.Reduce("sum", body, binders, None, part.at)

    return cast("t.Node", put(node))


def _is_open(node: Any, words: Words) -> bool:
    """Whether a sum says nothing of what it runs over; sum(a * b) of whole arrays does."""
    if isinstance(node, t.Reduce):
        return not node.binders
    if not isinstance(node, t.Apply) or node.function != "~sum" or len(node.arguments) > 1:
        return False
    spoken = _indices_in(node, words)
    known = {name for name in words.known if not words.known[name]}
    return bool(spoken) and {*free_names(node)} & letters_in(node) <= {*spoken, *known}


def _closed(node: Any, words: Words) -> Any:
    """What stands outside of such sums."""
    return ONE if _is_open(node, words) else rebuilt(node, lambda part: _closed(part, words))


def _indices_in(node: t.Node, words: Words) -> set[str]:
    """The free letters of a formula that are used as indices, and that nothing else is called."""
    free = {*free_names(node)} - {*words.known, *words.sizes}
    return {name for name in free if picks(node, name, words)}


def _both(node: t.Node, name: str) -> bool:
    """Whether a name stands with indices and without."""
    parts = [*inside(node)]
    cells = any(isinstance(part, t.Cell) and part.array == name for part in parts)
    return cells and t.Name(name) in parts


def picks(node: t.Node, name: str, words: Words, inside: bool = False) -> bool:
    """Whether a name is used as an index."""
    if inside and node == t.Name(name):
        return True
    match node:
        case t.Reduce() if name in node.names:
            return False
        case t.Comparison(("==",) | ("!=",), operands) if t.Name(name) in operands:
            return True
        case t.Cell(array):
            inside = inside or not (array.endswith("'") or array in words.functions)
        case t.Apply("entry", (part, *at)):
            among = any(picks(index, name, words, True) for index in at)
            return among or picks(part, name, words, inside)
    return any(picks(part, name, words, inside) for part in children(node))


# -- What print writes that is no name by itself: σ for sqrt(v), and d above d.


def printed(words: Words, parser: Parser, token: Token) -> t.Node | None:
    """σ of a normalisation, sqrt(v); not the function σ(x)."""
    said = words.names.get(token.text, "")
    if "(" not in said or parser.sees("("):
        return None
    tokens = [replace(one, at=token.at) for one in tokenize(said)]
    return as_number(whole(Parser(tokens, dict(words.arities), replace(words, names={}))))


def quotient_follows(words: Words, parser: Parser, is_indexed: bool) -> bool:
    """Whether / d something follows, behind indices unless these were taken (`is_indexed`)."""
    ahead = 0
    if not is_indexed and parser.peek().kind == "subs":
        ahead = 1
    elif not is_indexed and parser.sees("[", "(", "_"):
        ahead = parser.past(0)
        while parser.sees("{", "(", ahead=ahead):
            ahead = parser.past(ahead)
    below = parser.peek(ahead + 1)
    slash = parser.sees("/", ahead=ahead) and below.kind == "name"
    return slash and words.is_differential(resolve(parser, below)[0])


# -- What a delta in an answer is: the message from above, that at an array, or Kronecker's.


def upstream(words: Words, parser: Parser, subscript: str, token: Token) -> t.Node:
    """delta[k]; delta_{s,k} is the message at s; δ_{ki} is 1 where k = i.

    Two plain indices are Kronecker's where the message has another number of them, and otherwise
    where the second is the first with a star: i and i* are of one range, rows and columns are
    not. Where the message has another name, too, they are, but for those that the card gives it.
    """
    at = words.indices_of(parser, subscript, token, words.arities.get(words.output, 1))
    if at and (of := words.array_of(at)) is not None:
        return words.message(parser, of[0], [*of[1]], token)
    own = words.arities[words.output] if words.output else 0
    if len(at) == 2 and of_places(at):
        return equal(at[0], at[1], token.at)
    letters = tuple(getattr(one, "name", "") for one in at)
    kronecker = words.kronecker and letters != words.dims.get(words.output)
    if len(at) == 2 and (own != 2 or kronecker or starred(at)):
        return equal(as_number(at[0]), as_number(at[1]), token.at)
    return words.message(parser, words.output, at, token)


def _of_itself(upper: Sequence[t.Node], lower: Sequence[t.Node], at: int) -> t.Node:
    """dx_m/dx_j: 1 where the indices agree."""
    tests = tuple(t.Comparison(("==",), pair, at) for pair in zip(upper, lower, strict=True))
    if not tests:
        return t.Number(1.0, at)
    return t.Indicator(tests[0] if len(tests) == 1 else t.Logic("and", tests, at), at)


# -- The names that a card's own forward message, and an answer to it, may speak of.


FUNCTIONS: Final = t.MORE_FUNCTIONS
LOSSES: Final = ("L", "E", "C", "l", "loss", "Loss")
#: What else a loss is called that the card gives.
_GIVEN_LOSSES: Final = (*LOSSES, "J", "f", "F", "ell", "cost", "KL", "NLL", "MSE", "CE")
_SAME: Final = {
    "ln": "log",
    "sgn": "sign",
    "ReLU": "relu",
    "sig": "sigmoid",
    "logistic": "sigmoid",
    "expit": "sigmoid",
}
_OTHER: Final = {
    **dict.fromkeys(("avg", "average"), "mean"),
    **{"maximum": "max", "minimum": "min"},
}
#: What a derivative by a name is called: dx, grad_x, ...
_FRONTS: Final = ("delta_", "delta", "dL_d", "dLd", "grad_", "grad", "d")


@dataclass(frozen=True)
class Words:
    """`arities` of everything that is given; `output` is what the loss depends on."""

    arities: Mapping[str, int] = field(default_factory=dict)
    arrays: frozenset[str] = frozenset()
    output: str = ""
    """The array whose message comes from above, "" where the loss itself is given."""
    loss: str = ""
    """The name of a loss that is given, "" where it is not."""
    asked: frozenset[str] = frozenset()
    """What the answer must be: "dx", "dy/dx", ..."""
    fixed: frozenset[str] = frozenset()
    """Inputs and constants: an answer cannot define them anew."""
    letters: frozenset[str] = frozenset()
    """The index letters of the forward message."""
    places: tuple[int, ...] = (1, 2)
    dims: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of each array the ranges that its indices run over."""
    functions: Mapping[str, t.Definition] = field(default_factory=dict)
    """f(t) = ..., whose derivative may be called f'."""
    local: frozenset[str] = frozenset()
    """Steps of the chain rule that may stay as they are: "dy/ds"; of a chain also "ds"."""
    is_step: bool = False
    """Whether they are of a step on the way to an answer, which may speak of every derivative."""

    sizes: frozenset[str] = frozenset()
    """Names of sizes."""
    shifted: bool = False
    """Whether an array is read at computed places, as in a convolution."""
    averaged: frozenset[str] = frozenset()
    """The letters that means of the forward message run over."""
    names: Mapping[str, str] = field(default_factory=dict)
    """What print calls a given name, or a formula without indices; itself where it is no other."""
    indexers: frozenset[str] = frozenset()
    """Inputs that are the number of an entry."""
    asides: frozenset[str] = frozenset()
    """What a learner's own lines define."""
    sought: frozenset[str] = frozenset()
    """What is to be found, and what depends on it: an answer does not speak of it."""
    first: int = 0
    """The first value of every index."""
    hessians: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    """Of each second derivative that is asked for: what is differentiated, by what, and by what."""
    bars: bool = False
    """Whether a bar marks a message, as in automatic differentiation: xbar for dL/dx."""
    rows: bool = True
    """Whether a matrix may stand with one index."""
    weights: str = ""
    """The distribution that an expectation E[...] is of, where there is one."""
    dots: str = ""
    """What a dot between two vectors is: "@", their inner product, or "⊙"; "" where it is open."""
    kronecker: bool = False
    """Whether a delta with two indices is Kronecker's: the message has another name."""

    @property
    def rules(self) -> Rules:
        """By which rules an answer is read."""
        return RULES

    @property
    def windows(self) -> bool:
        """Whether there are windows to speak of."""
        return False

    def makes(self, name: str) -> bool:
        """Whether the forward message itself makes the array."""
        given = name in self.arities and name not in self.fixed and name not in self.functions
        return given and bool(self.dims)

    def takes(self, name: str) -> bool:
        """Whether the array comes from outside."""
        return name in self.fixed or (name_meant(name, self) or "") in self.fixed

    def array_of(
        self, indices: Sequence[t.Node], left: bool = False
    ) -> tuple[str, tuple[t.Node, ...]] | None:
        """Of which array these say the message is, and where: δ_{s,k}, δ_{s_k}, δ_γ.

        A number that is given by one letter may be an index where it is not on the `left`.
        """
        match indices[0]:
            case t.Name(name):
                rest = tuple(indices[1:])
            case t.Cell(name, inner) if len(indices) == 1:
                rest = inner
            case _:
                return None
        name = name if name in self.arities else name_meant(name, self) or name
        index = name in (*self.letters, *self.sizes, *self.indexers, *self.functions)
        certain = left or name in self.arrays or len(name) > 1
        return None if index or name not in self.arities or not certain else (name, rest)

    def is_loss(self, name: str) -> bool:
        """Whether this is another name for a loss that the card gives."""
        return bool(self.loss) and name in _GIVEN_LOSSES and name not in self.arities

    def entry_meant(self, name: str) -> str | None:
        """x for the dj of ∂_j y: the vector that alone is asked about; None of another name."""
        asked = {one.rpartition("d")[2] for one in self.asked}
        by = asked.pop() if len(asked) == 1 else ""
        letter = len(name) == 2 and name[0] == "d" and name[1] not in {*self.arities, *self.sizes}
        return by if letter and name[1].isalpha() and self.arities.get(by) == 1 else None

    def matrix(self, name: str) -> str | None:
        """X for x: of a matrix rows and entries are written small."""
        large = name.upper()
        is_small = len(name) == 1 and name != large and name not in self.arities
        return large if is_small and self.dims and self.arities.get(large) == 2 else None

    @property
    def takes_rows(self) -> bool:
        """Whether a matrix with one index is its row: x_n of x."""
        return self.rows and bool(self.dims)

    def deltas(
        self,
        own: Collection[str],  # noqa: ARG002
        lines: list[t.Definition],
        body: t.Node,
    ) -> tuple[list[t.Definition], t.Node]:
        """The lines and the body of an answer, with its doubtful deltas told apart."""
        return lines, body

    def free(self, upstream: bool) -> frozenset[str]:  # noqa: ARG002
        """Indices that an answer may speak of though it does not name them."""
        return frozenset()

    def sends(self, checker: TypeChecker, indices: tuple[str, ...]) -> bool:  # noqa: ARG002
        """Whether what was checked, and says not what it is, is a message, not a Jacobian."""
        return "delta" in checker.used

    def checker(
        self, definitions: tuple[t.Definition, ...], around: Collection[str]
    ) -> TypeChecker:
        """What tells whether formulas of an answer at the indices `around` make sense."""
        return TypeChecker(self.known, definitions, frozenset(around))

    @property
    def known(self) -> dict[str, int]:
        """Everything an answer may use, with its number of indices."""
        upstream = {"delta": self.arities[self.output]} if self.output else {}
        steps = {name: len(self.dimensions(name)) for name in self.local}
        return {**self.arities, **dict.fromkeys(t.NUMBERS, 0), **upstream, **steps}

    def dimensions(self, name: str) -> tuple[str, ...]:
        """The ranges of an array, of the message from above, or of a step of the chain rule."""
        if name == "delta" and self.output:
            return self.dims.get(self.output, ())
        if name in self.local:
            return tuple(dim for part in name.split("/") for dim in self.dims[part[1:]])
        return self.dims.get(name, ())

    def link(self, name: str) -> tuple[str, str] | None:
        """Of a derivative in a step: what stands above ("" for the loss), and below."""
        if not self.is_step or (name != "delta" and name not in self.local):
            return None
        above, _, below = name.rpartition("/")
        return (above[1:], below[1:]) if name != "delta" else ("", self.output)

    # What stands for what.

    def canonical(self, name: str) -> str | None:
        if name in self.arities:
            return name
        small = name.lower()
        if name in _SAME:
            return _SAME[name]
        if name in t.NUMBERS or name in t.INDICATORS:
            return name
        for known in (t.REDUCERS, t.FUNCTIONS, FUNCTIONS, ("range",)):
            if small in known:
                return small
        if name in _OTHER:
            return _OTHER[name]
        if name in ("sigma", "Delta"):
            return {"sigma": "sigmoid", "Delta": "delta"}[name]
        if name == "delta":
            return "delta"
        if name in ("H", "Hessian", "hessian") and self.hessians:
            return next(iter(self.hessians))
        if name in ("J", "Jacobian", "jacobian"):
            found = sorted(one for one in self.asked if "/" in one and one not in self.hessians)
            return next((one for one in found if one.endswith("/dx")), (*found, None)[0])
        return name_meant(name, self) or self._message(name)

    def _gradient(self, name: str) -> str | None:
        """The derivative that ∇L is, which does not say by what: by what is asked for."""
        of = name.removeprefix("grad_")
        of = self.loss if self.loss and self.is_loss(of) else of
        by = {below for above, below in self._slopes() if above == of and not self.arities.get(of)}
        slope = "" if of == self.loss else f"d{of}/"
        return f"{slope}d{by.pop()}" if len(by) == 1 else None

    def _slopes(self) -> list[tuple[str, str]]:
        """What is asked for as a derivative: of what, and by what."""
        rest = [key.rpartition("/") for key in self.asked if key not in self.hessians]
        found = [
            (above[1:] or self.loss, below[1:])
            for above, _, below in rest
            if below[:1] == "d" and below[1:] in self.arities  # else a value, or an optimum
        ]
        return found + [(above, below) for above, below, _ in self.hessians.values()]

    def _primed(self, name: str) -> str | None:
        """The derivative that y' is, and y'', of a number by the only one that is asked about."""
        of, by = name.rstrip("'"), {below for _, below in self._slopes()}
        given = self.makes(of) and not self.arities[of] and len(by) == 1
        if of == name or not given or self.arities[min(by)]:
            return None
        if name == f"{of}''":
            return next((key for key, at in self.hessians.items() if at[0] == of), None)
        below = min(by)
        return (f"d{below}" if of == self.loss else f"d{of}/d{below}") if name == f"{of}'" else None

    def _message(self, name: str) -> str | None:
        """ "dx" for grad_x, delta_x, dL_dx, ...; "dL" for dL itself."""
        slope = self._gradient(name) if name.startswith("grad_") else self._primed(name)
        if slope is not None:
            return slope
        of = name.removeprefix("d")
        given = bool(self.loss) and (of == self.loss or self.is_loss(of))
        if of != name and (given or (of in LOSSES and of not in self.arities)):
            return "dL"
        messages = [asked for asked in self.asked if "/" not in asked]
        if len(messages) == 1 and t.folded(name) in (_INPUT if self.output else _GRADIENT):
            return messages[0]
        bare = name.removesuffix("bar").removesuffix("_") if self.bars else name
        for front in _FRONTS if bare == name else ("",):
            rest = bare.removeprefix(front)
            rest = name if rest == name else name_meant(rest, self) or self.matrix(rest) or rest
            if rest != name and rest in self.arities and rest not in t.FUNCTIONS:
                return "d" + rest
        return None

    def hint(self, name: str, defined: tuple[str, ...]) -> str:
        given = [*self.arities, *(["delta"] if self.output else [])]
        return unknown(name, given, (*defined, *FUNCTIONS), t.NUMBERS)

    # What only these exercises have: derivatives by any name, and more functions.

    def special(self, parser: Parser, name: str, subscript: str, token: Token) -> t.Node | None:
        if self.is_differential(name) and quotient_follows(self, parser, bool(subscript)):
            return self._differential(parser, name, subscript, token)
        if name in parser.defined:
            return self._of_learner(parser, name, subscript, token) or self._whole(
                parser, name, subscript, token
            )
        found = printed(self, parser, token) or self._turned(parser, name, token)
        found = found or self._unit(parser, name, subscript, token)
        if found is not None:
            return found
        if name == "delta":
            return upstream(self, parser, subscript, token)
        if "/" in name:
            return self._derivative_cell(
                parser, name, self.indices_of(parser, subscript, token), token
            )
        if self.is_differential(name):
            return self._differential(parser, name, subscript, token)
        return t.Name(name, token.at) if name in t.NUMBERS else None

    def _unit(self, parser: Parser, name: str, subscript: str, token: Token) -> t.Node | None:
        """e_c, the vector that is 1 at c: an index is none of Euler's number."""
        marked = subscript or parser.peek().kind == "subs" or parser.sees("[", "_")
        if name != "e" or name in self.arities or not marked or not parser.source:
            return None
        at = subscripts(parser, subscript, token, 1) or []
        whole = t.Apply("identity", (), token.at)
        return t.Apply("entry", (whole, *map(as_number, at)), token.at)

    def _turned(self, parser: Parser, name: str, token: Token) -> t.Node | None:
        """W' for the transpose."""
        base = name[:-1]
        if self.windows or not name.endswith("'"):
            return None
        meant = self.canonical(base)
        whole = base in self.arrays or meant == "delta"
        behind = ("[", "_") if self.arities.get(base) == 2 else ("(", "[", "_")
        if not self.is_whole(base) or not whole or parser.sees(*behind):
            return None
        return t.Apply("transpose", (t.Name(meant or base, token.at),), token.at)

    def is_differential(self, name: str) -> bool:
        return name[:1] == "d" and (name == "dL" or name[1:] in self.arities)

    def _of_learner(self, parser: Parser, name: str, subscript: str, token: Token) -> t.Node | None:
        """p[k] where the learner's own line says p = softmax(x)."""
        own = self.dims and name not in self.arities and parser.defined[name] == 0
        tested = parser.sees("[") and not indexed(parser, self.is_whole)
        return entry_of(parser, name, subscript, token) if own and not tested else None

    def _whole(self, parser: Parser, name: str, subscript: str, token: Token) -> t.Node | None:
        """An array without indices: in max(z), and as the mark in delta_{s,k}."""
        own = bool(self.dims) and parser.defined[name] > 0 and not parser.sees("(")
        whole = name in self.arrays or own
        if not whole or subscript or self._indexed(parser):
            return None
        return t.Name(name, token.at)

    def _indexed(self, parser: Parser) -> bool:
        if self.dims:
            return indexed(parser, self.is_whole)
        # While the forward message itself is read, nothing stands whole before a bracket.
        return parser.peek().kind == "subs" or parser.sees("[", "(", "_")

    def is_whole(self, name: str) -> bool:
        """Whether a name is no index: an array, a function, the message from above."""
        meant = self.canonical(name)
        return name in self.arrays or (name not in self.arities and meant not in (None, "range"))

    def indices_of(
        self, parser: Parser, subscript: str, token: Token, arity: int = 1
    ) -> list[t.Node]:
        # A bracket after what has no index begins a factor: dL/dy (1 - y).
        bare = not subscript and parser.sees("(", "[")
        if bare and (arity == 0 or not self._indexed(parser)):
            return []
        return subscripts(parser, subscript, token, arity) or []

    def _differential(self, parser: Parser, name: str, subscript: str, token: Token) -> t.Node:
        above = "" if name == "dL" else name[1:]
        upper = self.indices_of(parser, subscript, token, self.arities.get(above, 1))
        if above and not quotient_follows(self, parser, is_indexed=True):
            return self.message(parser, above, upper, token)  # dy/q is delta/q
        if not parser.accept("/"):
            raise OffsetError("dL stands above a '/'.", "write dL/dx[j]", token.at)
        below_token = parser.peek()
        below, low = resolve(parser, below_token)
        if below_token.kind != "name" or below[:1] != "d" or below[1:] not in self.arities:
            raise parser.unexpected("d and a name are expected below the '/' of a derivative")
        parser.take()
        lower = self.indices_of(parser, low, below_token, self.arities[below[1:]])
        if above == below[1:] and len(upper) == len(lower) == self.arities[above]:
            return _of_itself(upper, lower, token.at)
        if not above:
            return self.message(parser, below[1:], lower, token)
        return self._derivative_cell(parser, f"d{above}/{below}", [*upper, *lower], token)

    def message(self, parser: Parser, name: str, at: list[t.Node], token: Token) -> t.Node:
        """dL/d name, at some indices: what comes from above, or a name of the learner's."""
        if name and name == self.output:
            if 0 < len(at) < self.arities[name] and self.takes_rows:
                return t.Apply("entry", (t.Name("delta", token.at), *at), token.at)
            return cell("delta", at, self.arities[name], token)
        return self._derivative_cell(parser, "d" + name, at, token)

    def _derivative_cell(self, parser: Parser, name: str, at: list[t.Node], token: Token) -> t.Node:
        arity = parser.defined.get(name, self.known.get(name) if name in self.local else None)
        shown = name if "/" in name else f"{name} (dL/{name})"
        if arity is None:
            if name in self.asked:
                raise OffsetError(
                    f"{shown} is what is asked for: the answer cannot use it.",
                    "write it with what is given",
                    token.at,
                )
            raise OffsetError(
                f"{shown} is not given." if name != "d" else "There is no message from above here.",
                "work it out, and define it on a line of its own"
                if name != "d"
                else "the loss itself is given",
                token.at,
            )
        if arity == 0 and at and self.dims and name in parser.defined:
            return t.Apply("entry", (t.Name(name, token.at), *map(as_number, at)), token.at)
        same: list[t.Node] = list(dict.fromkeys(at))
        return cell(name, at if len(at) == arity else same, arity, token)
