"""What an exercise asks for, and the left-hand sides that name it."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import Any, ClassVar, Final, TypeAlias

from engine.formula import statements
from engine.formula import tree as t
from engine.formula.axes import Array
from engine.formula.notation import ARRAY_FUNCTIONS, of_inputs, of_x, resolve, subscripts
from engine.formula.parser import Parser
from engine.formula.rewrite import rebuilt
from engine.formula.statements import LeftSide, Meaning, Statement
from engine.formula.tokens import Token, turn
from engine.formula.tree import REDUCERS, SLOPE, TAKEN, OffsetError, split_letters
from engine.formula.unparse import (
    indices_together,
    tex_definition,
    tex_derivative,
    tex_lines,
    tex_name,
    unparse,
)
from engine.messages.forward import Forward
from engine.messages.model import Batch, Reference
from engine.messages.shapes import Survey
from engine.messages.vocabulary import LOSSES, Words, name_meant
from engine.verdict import Mistake

# -- What an exercise asks for: each kind of it is a class in a file of its own.


#: Letters for indices that the text has none for.
SPARE: Final = "ijklmnpq"

#: An array by its name, as a cell with the letters of another: ("delta", "y") is delta[k].
Cells: TypeAlias = Callable[[str, str], str]
#: A known wrong rule: its name, and what it gives on a JudgedMessage, NaN where it says nothing.
KnownRule: TypeAlias = tuple[Mistake, Callable[[Any], Array]]


@dataclass(frozen=True, slots=True)
class Target(ABC):
    """What may be asked for: something of `above` by `below`, an entry for each of the indices.

    What is here holds for every kind that says nothing else; `TARGETS` in spec.py lists the kinds.
    """

    above: str
    """The array that is differentiated."""
    below: str
    lower: tuple[str, ...]
    """The index letters of `below`, as the card writes them."""

    title: ClassVar[str]
    """What it is called in a sentence."""
    called: ClassVar[frozenset[str]] = frozenset()
    """What `find` may call it where it is by x."""
    upstream: ClassVar[bool] = False
    """Whether the message from above, delta, comes in."""

    # What a card may say under `find`.

    @classmethod
    @abstractmethod
    def of(cls, below: str, words: Words, survey: Survey) -> Target | None:
        """The one by an array, at its usual letters; None where the message has none such."""

    @classmethod
    @abstractmethod
    def read(cls, found: Derivative, words: Words) -> Target | None:
        """The one that `find` says, with all of its indices; None where that is of another kind."""

    def also(self, batch: Batch) -> Iterator[Target]:  # noqa: ARG002
        """What else is asked for by this, as some inputs tell."""
        return iter(())

    # How it is told and written.

    @property
    def key(self) -> str:
        """What it is, without indices: "dx", "dy/dx"."""
        return f"d{self.below}"

    @property
    def loss(self) -> str:
        """What the loss is called."""
        return "L"

    @property
    def pair(self) -> tuple[str, str]:
        """What is differentiated, and by what: those of one pair are one part of an answer."""
        return self.above, self.below

    @property
    def arrays(self) -> tuple[str, ...]:
        """The arrays whose indices its entries have."""
        return (self.below,)

    @property
    def indices(self) -> tuple[str, ...]:
        """The letters of `arrays`, in their order."""
        return self.lower

    @property
    def letters(self) -> tuple[str, ...]:
        """The indices of an answer: each letter once."""
        return tuple(dict.fromkeys(self.indices))

    @property
    def diagonal(self) -> bool:
        """dy[k]/dx[k]: asked for at equal indices only."""
        return len(self.letters) < len(self.indices)

    @property
    def jacobian(self) -> bool:
        return len(self.arrays) > 1

    def at(self, indices: tuple[str, ...]) -> Target:  # noqa: ARG002
        """What an answer at these indices is an answer to."""
        return self

    @property
    def whole(self) -> Target:
        """What is asked for at equal indices only, at all of them."""
        return self

    def alone(self, targets: Sequence[Target]) -> Iterator[tuple[str, ...]]:  # noqa: ARG002
        """Letters that an answer without a left side may speak of, alone of all; of `targets`."""
        return iter(())

    def written(self, indices: tuple[str, ...] | None = None) -> str:
        """dL/dx[j], dy[k]/dx[j]; at the indices of an answer, or at its own."""
        own = self.lower if indices is None else indices
        return f"d{self.loss}/d{self.below}{in_brackets(own)}"

    def tex(self, indices: tuple[str, ...]) -> str:
        """The same in LaTeX."""
        return tex_derivative(self.below, tex_indices(indices), self.loss)

    def given(self, cells: Cells) -> str:  # noqa: ARG002
        """What is given for it besides the inputs, in words; "" for nothing."""
        return ""

    def vocabulary(self, words: Words, forward: Forward) -> Words:  # noqa: ARG002
        """The words with what an answer to it may speak of besides."""
        return words

    # How a left side names it.

    def named_by(self, found: Derivative) -> bool:
        return found.below == self.below and not found.above

    def oriented(self, found: Derivative) -> Derivative:
        """A left side that names it, in the order in which it is asked for."""
        return found

    # What it comes to.

    def reference(self, batch: Batch) -> Reference:
        return batch.reference(*self.pair)

    def moved(self, batch: Batch, n: int) -> Array:
        """The reference's numbers as one rounding might have made them."""
        return batch.moved(n, *self.pair)

    def falsified(self, batch: Batch, **changes: Any) -> Array:
        """What it would be by another forward message, with changes as `Model.run` takes them."""
        return batch.falsified(self.pair, **changes)

    def shape(self, shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
        """The size of each of the letters, from the shapes of all arrays."""
        sizes = (size for array in self.arrays for size in shapes[array])
        return tuple(dict(zip(self.indices, sizes, strict=True)).values())

    def numbers(
        self,
        jacobian: Array,
        batch: Batch,
        trials: Array | slice = slice(None),  # noqa: ARG002
    ) -> Array:
        """Its numbers (R, *shape) from Jacobians (R, O, P) of some of the trials of a batch."""
        return jacobian.reshape(len(jacobian), *self.shape(batch.shapes))

    def nearest(self, batch: Batch, got: Array) -> Array:  # noqa: ARG002
        """Of all that is right, what is nearest to an answer, in its shape."""
        return self.numbers(self.reference(batch).jacobian, batch)

    def touched(self, entries: Array, batch: Batch) -> Array:
        """(R, *shape): which numbers hang on some entries (R, O, P) of Jacobians."""
        return self.numbers(entries, batch)

    def gain(self, batch: Batch) -> Array:
        """(B,): the most that the terms of one number come to, cancelled or not."""
        return self.reference(batch).gain

    # What is often got wrong, of a few inputs judged; see mistakes.py.

    @property
    def chained(self) -> bool:
        """Whether it is a derivative whose chain rule has one link for each definition."""
        return bool(self.below)

    def likely(self, few: Any) -> Iterator[KnownRule]:  # noqa: ARG002
        """Known wrong rules of this kind that are looked for before any other."""
        return iter(())

    def plain(self, judged: Sequence[Any]) -> Iterator[KnownRule]:  # noqa: ARG002
        """Rules that are made of what a wrong answer gives, looked for before any other."""
        return iter(())

    def traits(self, judged: Sequence[Any], others: Iterator[KnownRule]) -> Iterator[KnownRule]:  # noqa: ARG002
        """What a wrong answer may be like, rules that are made of what it gives; with `others`."""
        return others

    def beside(self, batch: Batch, got: Array) -> Mapping[str, Array]:  # noqa: ARG002
        """What is shown beside the numbers of an answer: (B, ...) by name."""
        return {}

    def mistakes(self, few: Any, others: Iterator[KnownRule]) -> Iterator[KnownRule]:  # noqa: ARG002
        """Those that are looked for last, among `others`, which every kind has."""
        return others


def in_brackets(indices: tuple[str, ...]) -> str:
    return f"[{','.join(indices)}]" if indices else ""


def tex_indices(names: tuple[str, ...]) -> str:
    return indices_together([tex_name(name) for name in names], tuple(map(t.Name, names)))


def usual(name: str, survey: Survey, taken: Iterable[str]) -> tuple[str, ...]:
    """Letters for the indices of an array: those of the text, as far as they are not taken."""
    used = list(taken)
    found = []
    if name in survey.parameters:
        wanted: list[str | None] = [v.letter for v in survey.parameters[name]]
    else:
        count = survey.forward.inputs[name]
        known = [survey.places.get((name, place)) for place in range(count)]
        wanted = [v.letter if v else None for v in known]
    for letter in wanted:
        spare = (s for s in SPARE if s not in (*used, *wanted, *survey.indexers))
        free = letter if letter is not None and letter not in used else next(spare)
        used.append(free)
        found.append(free)
    return tuple(found)


# -- The left sides of lines: dL/dx[j], dy[k]/dx[j], dx[j], ds[k] = ..., s[k] = ...


@dataclass(frozen=True, slots=True)
class Derivative:
    """d above / d below; `above` is "" for the loss, indices are None where none are written.

    With `below` "" it is `above` itself.
    """

    above: str
    below: str
    upper: tuple[str, ...] | None
    lower: tuple[str, ...] | None
    at: int
    second: str = ""
    """What is differentiated by once more; with `below` it is "*" where neither is said."""
    last: tuple[str, ...] | None = None
    """The indices of `second`."""

    @property
    def indices(self) -> tuple[str, ...] | None:
        if self.upper is None and self.lower is None and self.last is None:
            return None
        return (*(self.upper or ()), *(self.lower or ()), *(self.last or ()))

    @property
    def name(self) -> str:
        if self.second:
            return f"d2{self.above}/d{self.below}d{self.second}"
        return f"d{self.above}/d{self.below}" if self.above else f"d{self.below}"


def derivative(tokens: list[Token], words: Words) -> Derivative | None:
    """A derivative by its name, the whole of `tokens`; None where it is something else."""
    tokens, at = _upright(_bare(tokens))
    if tokens[0].kind != "name":
        return None
    found = _primed(tokens, words) or _twice(tokens, words) or _derivative(tokens, words)
    if found is not None and at is not None:
        _refuse_turned(found, at, words)
    return found


def _primed(tokens: list[Token], words: Words) -> Derivative | None:
    """f'(x) of an array f that is given."""
    name, opens, *rest = [token.text for token in tokens]
    above, of = name.removesuffix("'"), rest[:1]
    is_loss = above == words.loss or (bool(words.loss) and above in LOSSES)
    known = is_loss or (above in words.arities and above not in words.functions)
    if name == above or opens != "(" or rest[1:] != [")", ""] or not known:
        return None
    below = of[0] if of[0] in words.arities else name_meant(of[0], words)
    return Derivative("" if is_loss else above, below, None, None, tokens[0].at) if below else None


def _derivative(tokens: list[Token], words: Words) -> Derivative | None:
    parser = Parser(tokens, dict(words.arities), words)
    token = parser.take()
    name, subscript = resolve(parser, token)
    at = token.at
    if name in words.arities:
        return None
    if name == "delta" or "/" in name:
        return _by_alias(parser, name, subscript, token, words)
    if name[:1] != "d" or not (name == "dL" or name[1:] in words.arities):
        return None
    above = "" if name == "dL" else name[1:]
    upper = _letters(parser, subscript, token, words.arities.get(above, 0))
    if not parser.accept("/"):
        if not above or parser.peek().kind != "end":
            return None
        return Derivative("", above, None, upper, at)
    below_token = parser.peek()
    below, low = resolve(parser, below_token)
    if (by := words.entry_meant(below)) is not None:
        parser.take()
        ends = parser.peek().kind == "end"
        return Derivative(above, by, upper, (below[1:],), at) if ends else None
    if below[:1] != "d" or below[1:] not in words.arities:
        return None
    parser.take()
    lower = _letters(parser, low, below_token, words.arities[below[1:]])
    if parser.peek().kind != "end":
        return None
    return Derivative(above, below[1:], upper, lower, at)


def _twice(tokens: list[Token], words: Words) -> Derivative | None:
    """d^2L/dx[i] dx[j], d^2y/dx^2, where `doubled` has made d2L of d^2L; H[i,j] if it is asked."""
    parser = Parser(_unglued(tokens, words), dict(words.arities), words)
    token = parser.take()
    name, subscript = resolve(parser, token)
    if name in words.hessians:
        above, below, second = words.hessians[name]
        found = _letters(parser, subscript, token, words.arities[below] + words.arities[second])
        if parser.peek().kind != "end":
            return None
        upper, lower = words.arities[above], words.arities[above] + words.arities[below]
        if found is None:
            return Derivative(above, below, None, None, token.at, second)
        parts = found[:upper], found[upper:lower], found[lower:]
        return Derivative(above, below, parts[0], parts[1], token.at, second, parts[2])
    head, _, tail = token.text.partition("_")
    above = head.removeprefix("d2")
    if above not in words.arities or above == head:
        return None
    upper_letters = _letters(parser, tail, token, words.arities[above])
    if parser.peek().kind == "end":
        return Derivative(above, "*", upper_letters, None, token.at, "*")
    if not parser.accept("/"):
        return None
    opened = parser.accept("(")
    one = _differential(parser, words)
    if one is None:
        return None
    squared = parser.accept("^")
    if squared:
        open_ = parser.accept("(", "{")
        two = parser.take().text == "2" and (not open_ or bool(parser.accept(")", "}")))
        other: tuple[str, tuple[str, ...] | None, bool] | None = one if two else None
    else:
        other = one if one[2] else _differential(parser, words)
    if other is None or (opened and not parser.accept(")")) or parser.peek().kind != "end":
        return None
    return Derivative(above, one[0], upper_letters, one[1], token.at, other[0], other[1])


def _unglued(tokens: list[Token], words: Words) -> list[Token]:
    """dx dy and dx_i dx_j for what is typed in one word: dxdy, dx_idx_j."""
    found: list[Token] = []
    for token in tokens:
        text = token.text if token.kind == "name" else ""
        cuts = (n for n in range(2, len(text) - 1) if text[0] == text[n] == "d")
        pairs = ((text[:n], text[n:]) for n in cuts if text[1:] not in words.arities)
        known = (pair for pair in pairs if all(_is_differential(one, words) for one in pair))
        one, two = next(known, (text, ""))
        if two:
            found += [replace(token, text=one), replace(token, text=two, at=token.at + len(one))]
        else:
            found.append(token)
    return found


def _is_differential(text: str, words: Words) -> bool:
    return text[1:] in words.arities or text[1:].rpartition("_")[0] in words.arities


def _differential(parser: Parser, words: Words) -> tuple[str, tuple[str, ...] | None, bool] | None:
    """dx[j] below a second derivative: the array, its indices, and whether it is dx2, twice."""
    token = parser.peek()
    if token.kind != "name":
        return None
    name, subscript = resolve(parser, token)
    twice = name.endswith("2") and name[1:] not in words.arities
    below = name[1:-1] if twice else name[1:]
    if name[:1] != "d" or below not in words.arities:
        return None
    parser.take()
    return below, _letters(parser, subscript, token, words.arities[below]), twice


#: The d of a second derivative: d^2L/..., ∂²L/..., and ∇²L or ∇∇L for all of them.
_DOUBLED: Final = re.compile(
    r"(?<![\w\\])(?:[d∂∇][ ]*(?:²|\^[ ]*(?:2|\(2\)|\{2\}))|∇[ ]*∇(?:\^?[T⊤ᵀ])?)[ ]*(?=[A-Za-z])"
)


def doubled(text: str) -> str:
    """The text with d^2L and ∇²L as the name d2L, every place kept."""
    return _DOUBLED.sub(lambda found: "d2".rjust(len(found[0])), text)


def _upright(tokens: list[Token]) -> tuple[list[Token], int | None]:
    """(dL/dx)^T and dL/dx^T without the transpose, and where it stands."""
    for place, token in enumerate(tokens[:-1]):
        opened = int(tokens[min(place + 1, len(tokens) - 2)].text in ("{", "("))
        size = 2 + 2 * opened
        inside = [one.text for one in tokens[place + 1 + opened : place + 2 + opened]]
        if token.text == "^" and inside in (["T"], ["top"]):
            return [*tokens[:place], *tokens[place + size :]], token.at
    return tokens, None


def _refuse_turned(found: Derivative, at: int, words: Words) -> None:
    """Of a vector nothing changes when it lies; a matrix is another."""
    if found.above or words.arities[found.below] > 1:
        raise OffsetError("The left side is transposed.", f"write what {found.name} itself is", at)


def _bare(tokens: list[Token]) -> list[Token]:
    """Without brackets around the whole, as in (dL/dx)[j]: the brackets change nothing."""
    if tokens[0].text != "(":
        return tokens
    depth = 0
    for place, token in enumerate(tokens):
        depth += turn(token)
        if depth == 0:
            return [*tokens[1:place], *tokens[place + 1 :]]
    return tokens


def _by_alias(
    parser: Parser, name: str, subscript: str, token: Token, words: Words
) -> Derivative | None:
    """delta_{s,k}, delta[k], J[k,j]."""
    before = parser.peek()
    nodes = subscripts(parser, subscript, token, 1)
    if name == "delta" and nodes and (of := words.array_of(nodes, True)) is not None:
        lower = _as_letters([*of[1]], parser, before) or None
        return None if parser.peek().kind != "end" else Derivative("", of[0], None, lower, token.at)
    indices = _as_letters(nodes, parser, token)
    if parser.peek().kind != "end":
        return None
    if "/" in name:
        above, below = (part[1:] for part in name.split("/"))
        count = words.arities[above]
        if words.windows and indices == ("i", "j", "k", "l"):
            indices = ("k", "l", "i", "j")  # J_ijkl, in the order of the alphabet
        upper = None if indices is None else indices[:count]
        return Derivative(
            above, below, upper, None if indices is None else indices[count:], token.at
        )
    return Derivative("", words.output, None, indices, token.at) if words.output else None


def _letters(parser: Parser, subscript: str, token: Token, arity: int) -> tuple[str, ...] | None:
    return _as_letters(subscripts(parser, subscript, token, arity), parser, token)


def _as_letters(found: list[t.Node] | None, parser: Parser, token: Token) -> tuple[str, ...] | None:
    if found is None and parser.sees(","):
        found = []
        while parser.accept(","):  # δ_x,ij without braces
            found += split_letters(parser.peek().text, parser.take().at)
    if found is None:
        return None
    nodes = [one for node in found for one in (node.items if isinstance(node, t.Pair) else [node])]
    return tuple(_letter(node, token) for node in nodes)


def _letter(node: t.Node, token: Token) -> str:
    if not isinstance(node, t.Name):
        raise OffsetError("Before '=' each index is a plain letter.", "write dx[j] = ...", token.at)
    return node.name


def definition(tokens: list[Token], words: Words) -> LeftSide | None:
    """A name of the learner's: (i*,j*), m, m[k], f'(t).  A given intermediate may be restated."""
    at = tokens[0].at
    if (pair := _pair(tokens, words)) is not None:
        return pair
    if tokens[0].kind != "name":
        return None
    parser = Parser(tokens, dict(words.arities), words)
    token = parser.take()
    name, subscript = _split(token.text, words)
    called = parser.sees("(") and name not in words.arities
    of_inputs(parser, name)
    nodes = subscripts(parser, subscript, token, 1) or []
    if name == words.output:
        of_x(parser)
    if name in REDUCERS or (called and name in ARRAY_FUNCTIONS):
        return None
    if parser.peek().kind != "end":
        return None
    inside = tuple(_parameter(node, token) for node in nodes)
    given = {*inside} & words.arities.keys()
    if called and given and words.is_loss(name):
        inside = ()  # f(w) = ..., the loss by another name
    elif called and given and words.canonical(name) in (*t.FUNCTIONS, *t.MORE_FUNCTIONS):
        return None  # log y = ...
    for letter in inside:
        # f'(s) = ... is a function of a number, by whatever name.
        if letter in words.arities and not called:
            raise OffsetError(
                f"{letter} is given, it cannot be an index.", "choose another letter", at
            )
    own = name in words.arities or name_meant(name, words) is not None
    if not own and words.canonical(name) not in (None, "delta", "sigmoid", name):
        raise OffsetError(
            f"'{name}' has a meaning already, it cannot be defined.", "choose another name", at
        )
    taken = TAKEN - {*words.arrays, *(words.sizes if inside else ())}
    if words.windows and name in taken:
        said = f"'{name}' has a meaning already, it cannot be defined."
        raise OffsetError(said, "choose another name", at)
    if len(set(inside)) != len(inside):
        raise OffsetError("An index occurs twice before '='.", "give each its own letter", at)
    return LeftSide("definition", (name,), inside, at)


def _pair(tokens: list[Token], words: Words) -> LeftSide | None:
    """(i*,j*) = ..., or (i*(k,l), j*(k,l)) = ..., the two with the same indices."""
    parts: list[list[Token]] = [[]]
    depth = 0
    inner = _bare(tokens)[:-1]
    for token in inner:
        depth += turn(token)
        if depth == 0 and token.text == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    if len(parts) != 2 or not all(part and part[0].kind == "name" for part in parts):
        return None
    one, two = (definition([*part, tokens[-1]], words) for part in parts)
    if one is None or two is None or one.parameters != two.parameters:
        return None
    names = (*one.names, *two.names)
    if words.windows and words.letters.issuperset(names):
        return None  # (i,j) = argmax(k,l) is a condition
    return LeftSide("definition", names, one.parameters, tokens[0].at)


def _parameter(node: t.Node, token: Token) -> str:
    """k, or s[k] in f'(s[k]) = ...: as on paper, what the function is applied to."""
    match node:
        case t.Cell(_, indices) if all(isinstance(index, t.Name) for index in indices):
            return unparse(node)
    return _letter(node, token)


def _split(word: str, words: Words) -> tuple[str, str]:
    if word in words.arities:
        return word, ""
    head, _, tail = word.rpartition("_")
    if head and 0 < len(tail) <= 4 and set(tail) <= set("ijklmnpqrsuvabtd"):
        return head, tail
    return word, ""


def named(tokens: list[Token], words: Words) -> tuple[Derivative | None, LeftSide | None]:
    """The derivative by its name, or the array, and then also what a line would define by it."""
    found = derivative(tokens, words)
    own = definition(tokens, words) if found is None else None
    if own is not None and len(own.names) == 1:
        name = own.names[0]
        meant = name_meant(name, words)
        name = meant if meant in words.sought and meant is not None else name
        found = Derivative(name, "", own.parameters or None, None, own.at)
    return found, own


# -- The lines of an answer by their left sides: what each defines, and which is the answer.


def answer_lines(
    rows: list[list[Token]], words: Words, targets: tuple[Target, ...], step: int | None = None
) -> list[Statement]:
    """The lines; two of dy[k]/ds[k] = f'(s[k]) = ..., which says what both are."""

    def means(name: str) -> Meaning:
        if name in words.arities or name == "delta":
            return "value"
        derived = name[0] == "d" and ("/" in name or name[1:] in words.arities)
        return "both" if derived else "name"

    rows = [one for row in rows for one in _apart(row, words)]
    read = partial(_left, words=words, targets=targets)
    tells = statements.lacks_brackets if words.windows else partial(_compared, words)
    stated = [row for row in rows if words.windows or not is_total(row, words)]
    lines = statements.lines_of(stated or rows, read, means, tells, step)
    if not any(line.left and line.left.kind != "definition" for line in lines):
        return lines
    return [line for line in lines if line.left is not None or not _is_claim(line, words)]


def _is_claim(line: Statement, words: Words) -> bool:
    """y^2 = sum(...), on the way to the answer, which gives no name of the learner's a meaning."""
    if not line.steps:
        return False
    name, *rest = line.steps[0][:-1]
    depths = accumulate(map(turn, rest))
    alone = all(
        depth or turn(one) or one.kind == "subs" or one.text in ("_", "^")
        for one, depth in zip(rest, depths, strict=True)
    )
    return not (name.kind == "name" and alone) or words.makes(name.text) or words.takes(name.text)


def is_total(row: list[Token], words: Words) -> bool:
    """dL = delta^T W dx, which leads up to a derivative: dx is none here."""
    name, sign = row[0].text, row[1].text if len(row) > 1 else ""
    above = {one.split("/")[0] for one in words.asked if "/" in one}
    if sign != "=" or name not in {"dL", f"d{words.loss}", f"d{words.output}", *above}:
        return False
    slash = [token.text == "/" for token in (*row, row[-1])]
    return any(
        token.kind == "name" and token.text[:1] == "d" and words.takes(token.text[1:])
        for place, token in enumerate(row)
        if not (slash[place - 1] or slash[place + 1])
    )


def _apart(row: list[Token], words: Words) -> Iterator[list[Token]]:
    """a = b = 2/c, where a and b are to be found, as a line for each."""
    sides = sides_of(row, words) if words.sought else []
    found: dict[str, int] = {}
    for n, side in enumerate(sides[:-1]):
        left, _ = named(side, words)
        if left is None or left.below or left.above not in words.asked:
            break
        found.setdefault(left.above, n)
    if len(found) < 2:
        yield row
        return
    start = sides[max(found.values())][-1].at
    rest = [token for token in row if token.at >= start]
    for n in found.values():
        yield [*sides[n][:-1], *rest]


def _compared(words: Words, before: list[Token], last: list[Token]) -> bool:
    # dy_k/dx_j = k = j is 1 where the indices agree.
    texts = [token.text for token in (*before, *last[:-1])]
    return len(texts) == 2 and all(
        len(one) == 1 and one.isalpha() and one not in words.arities for one in texts
    )


#: What may stand between two sides of a line of a derivation; "~" is proportional to.
RELATIONS: Final = (*statements.EQUATED, "~", "<=", ">=")


def sides_of(row: list[Token], words: Words) -> list[list[Token]]:
    """The sides of a line a = b = c, each closed by an "end" token at the sign behind it."""
    return statements.sides_of(row, partial(_compared, words), RELATIONS)


def _left(tokens: list[Token], words: Words, targets: tuple[Target, ...]) -> LeftSide | None:
    if tokens[0].text == SLOPE:
        return _of_formula(tokens, words, targets)
    found, own = named(tokens, words)
    asked = [target for target in targets if found is not None and target.named_by(found)]
    if found is not None and asked:
        return left_of(asked, found, words)
    if own is not None or found is None:
        return own
    if found.above == found.below:
        return None  # dx_m/dx_j is 1 or 0
    if not found.above and found.below == words.output:
        return LeftSide("definition", ("delta",), found.lower or (), found.at)
    parameters = tuple(dict.fromkeys(found.indices or ()))
    return LeftSide("definition", (found.name,), parameters, found.at)


def _of_formula(tokens: list[Token], words: Words, targets: tuple[Target, ...]) -> LeftSide | None:
    """The derivative of a formula, ∂(a b, x[j]): whether it is that of the loss, its line tells.

    None where a message is asked for, or the derivative of several numbers.
    """
    comma = max(at for at, token in enumerate(tokens) if token.text == ",")
    comma = next(
        (at for at in range(comma, 0, -1) if tokens[at].text == "," and tokens[at - 1].text == ")"),
        comma,
    )
    end = Token("end", "", tokens[-1].at)
    found = derivative(
        [
            replace(tokens[comma + 1], text=f"d{tokens[comma + 1].text}"),
            *tokens[comma + 2 : -2],
            end,
        ],
        words,
    )
    asked = [
        one
        for one in targets
        if found is not None and one.below == found.below
        if not one.upstream and words.arities.get(one.above, 0) == 0
    ]
    return left_of(asked, found, words) if found is not None and asked else None


def left_of(targets: list[Target], found: Derivative, words: Words) -> LeftSide:
    """The left side of an answer to one of these targets, which differ in equal indices only.

    Its parameters are the indices as they are written; () where none are.
    """
    first = targets[0]
    found = first.oriented(found)
    if found.indices is None or not first.indices:
        return LeftSide(first.key, first.letters, (), found.at)
    taken = [i for i in found.indices if words.arities.get(i) == 0 and i not in first.indices]
    if taken:
        raise OffsetError(
            f"{taken[0]} is given, it cannot be an index.", "choose another letter", found.at
        )
    if any("*" in index for index in found.indices):
        raise OffsetError(
            "This gives a value at one place only, not at every other.",
            f"write {first.written()} = ..., with the condition behind it",
            found.at,
        )
    is_row = words.takes_rows and len(first.lower) == len(first.indices) == 2
    if is_row and len(found.indices) == 1:  # a row, dL/dx_i of x
        return LeftSide(first.key, found.indices, found.indices, found.at)
    if len(found.indices) != len(first.indices):
        raise OffsetError(
            f"{first.written()} is asked for; here "
            + ("is 1 index." if len(found.indices) == 1 else f"are {len(found.indices)} indices."),
            f"write {first.written()} = ...",
            found.at,
        )
    own = tuple(dict.fromkeys(found.indices))
    pattern = _pattern(found.indices)
    if len(own) < len(pattern) and pattern not in [_pattern(one.indices) for one in targets]:
        raise OffsetError(
            "An index stands twice before '=': this is about equal indices only.",
            f"write {first.written()} = ...",
            found.at,
        )
    return LeftSide(first.key, own, own, found.at)


def _pattern(indices: tuple[str, ...]) -> tuple[int, ...]:
    """Which indices are equal: each by the first place of its letter."""
    return tuple(indices.index(letter) for letter in indices)


def final_of(lines: list[Statement], words: Words, targets: Sequence[Target]) -> Statement:
    """The line that is the answer: the one without a left side, or the last that is asked for."""
    bare = [line for line in lines if line.left is None]
    asked = [line for line in lines if line.left is not None and line.left.kind != "definition"]
    whole = [line for line in asked if line.left is not None and "/" not in line.left.kind]
    if len(bare) > 1:
        at = bare[1].right[0].at
        raise OffsetError("There are two answers here.", "keep one; give the other a name", at)
    if bare or asked:
        return (bare or whole or asked)[-1]
    for left in (line.left for line in lines):
        if left is not None and left.names == ("delta",):
            said = "delta is the message from above, it is given."
            raise OffsetError(said, f"begin with {targets[0].written()} = ...", left.at)
        if left is not None and left.names[0] in words.fixed:
            hint = f"begin with {targets[0].written()} = ...; a condition stands in [ ]"
            raise OffsetError(f"{left.names[0]} is given, it cannot be defined.", hint, left.at)
    raise OffsetError(
        "These lines only define names; none is the answer.",
        f"add a line {targets[0].written()} = ...",
        lines[-1].right[-1].at,
    )


def readings(
    targets: Sequence[Target], left: LeftSide | None, spoken: Iterable[str]
) -> Iterator[tuple[Target, tuple[str, ...], bool]]:
    """What an answer may be the answer to, with its indices; True of those that may not fit.

    Without a left side, y[k] (1 - y[k]) speaks of one place only: where every other entry is 0,
    it is dy[k]/dx[k], by the indices of y or else by those of x.  A message with one index may be
    given at any of the letters that are `spoken`, where it is the only one that is asked for.
    """
    for target in targets if left is None else ():
        for letters in target.alone(targets):
            yield target, letters, True
    for target in targets:
        yield target, left.names if left else target.letters, False
    messages = [target for target in targets if not target.jacobian]
    if left is None and len(messages) == len(messages[0].indices if messages else ()) == 1:
        for letter in sorted(spoken):
            yield messages[0], (letter,), True


# -- What was read, in our notation: it reads back to the same tree.


def _named(name: str, parameters: tuple[str, ...], words: Words) -> str:
    """s[k], dy[k]/ds[k]: a definition's left side."""
    if "/" not in name:
        if name.endswith("'") and len(parameters) == 1:
            return f"{name}({parameters[0]})"
        return name + in_brackets(parameters)
    above, below = (part[1:] for part in name.split("/"))
    count = words.arities.get(below, 0)
    upper = parameters[: len(parameters) - count]
    lower = parameters[len(parameters) - count :]
    return f"d{above}{in_brackets(upper)}/d{below}{in_brackets(lower)}"


def told(
    target: Target,
    indices: tuple[str, ...],
    definitions: tuple[t.Definition, ...],
    body: t.Node,
    words: Words,
) -> str:
    """In our notation, definitions a line each; reads back to the same tree."""
    lines = []
    for one in definitions:
        left = _named(one.names[0], one.parameters, words)
        if len(one.names) > 1:
            left = f"({', '.join(name + in_brackets(one.parameters) for name in one.names)})"
        lines.append(f"{left} = {unparse(shown(one.body, words))}")
    lines.append(f"{target.written(indices)} = {unparse(shown(body, words))}")
    return "\n".join(lines)


def typeset(
    target: Target, indices: tuple[str, ...], definitions: Sequence[t.Definition], body: t.Node
) -> str:
    """The same in LaTeX, an equation a row."""
    return tex_lines([*map(tex_definition, definitions), (target.tex(indices), body)])


def shown(node: t.Node, words: Words) -> t.Node:
    """The tree as it is printed: f'(s[k]) for f'[s[k]], dy[k]/ds[k] for dy/ds[k,k]."""
    same = rebuilt(node, lambda part: shown(part, words))
    if isinstance(same, t.Cell) and (same.array.endswith("'") or same.array in words.functions):
        return t.Apply(same.array, same.indices)
    if isinstance(same, t.Cell) and "/" in same.array:
        indices = tuple(map(unparse, same.indices))
        count = [words.arities[part[1:]] for part in same.array.split("/")]
        if len(indices) == sum(count):
            return t.Name(_named(same.array, indices, words))
    return same
