"""Vector notation parsed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from engine.formula import tree as t
from engine.formula.notation import Grammar, Vocabulary, arguments, subscripts
from engine.formula.parser import MULTIPLY, OR, POWER, Parser
from engine.formula.tokens import Token
from engine.formula.tree import OffsetError, as_number, is_condition, split_letters

# -- What vector notation adds to the grammar: several kinds of products, transposes, norms.
#
# Which product a sign means is told by the character that was typed: on paper `W x` is the matrix
# product, `a ⊙ b` goes entry by entry, and `a · b` could be either.  So products keep their sign
# in the tree (PRODUCTS), until `vectors` knows the shapes on both sides.


#: Signs of products in the tree: typed `*`, entry by entry, `·`, matrices', of columns, and none.
PRODUCTS: Final = ("*", "⊙", "·", "@", "⊗", " ")
#: Functions of whole arrays, each with its number of arguments.
FUNCTIONS: Final = {
    **{"transpose": 1, "diag": 1, "norm": 1, "outer": 2, "dot": 2, "matmul": 2, "multiply": 2},
    **{"softmax": 1, "logsoftmax": 1, "log_softmax": 1},
}
#: The same by names that nobody can type: an entry, <a, b>, and sums over everything.
INNER: Final = ("entry", "ones", "identity", "~inner", "~sum", "~mean")
_TYPED: Final = {
    **dict.fromkeys("⊙∘", "⊙"),
    **dict.fromkeys("·⋅∙•×", "·"),
    **{"@": "@", "⊗": "⊗"},
}


class VectorParser(Parser):
    """The parser of one line; `source` is what was typed, with the same places."""

    def __init__(
        self,
        tokens: list[Token],
        defined: Mapping[str, int],
        vocabulary: Vocabulary,
        source: str,
    ) -> None:
        super().__init__(tokens, defined, vocabulary)
        self._source = source

    def _prefix(self) -> t.Node:
        token = self.peek()
        if self._norm_bars():
            self.take()
            inner = self.expression(OR)
            if not self._norm_bars():
                raise self.unexpected("'||' is expected to close the norm")
            self.take()
            return t.Apply("norm", (as_number(inner),), token.at)
        if self.sees("(") and self._typed(token) == "⟨":
            return self._angles(token)
        return super()._prefix()

    def _typed(self, token: Token) -> str:
        return self._source[token.at : token.at + 1]

    def _angles(self, token: Token) -> t.Node:
        """⟨a, b⟩, the inner product."""
        self.take()
        found = arguments(self, ")")
        if len(found) != 2:
            said = f"An inner product is of two; here are {len(found)}."
            raise OffsetError(said, "write ⟨a, b⟩, or sum(a[k] * b[k] for k)", token.at)
        return t.Apply("~inner", tuple(map(as_number, found)), token.at)

    def _norm_bars(self) -> bool:
        at = self.peek().at
        return self.sees("or") and self._source[at : at + 2].startswith(("||", "‖"))

    def _binding(self) -> int:
        if self._picks() or self._method():
            return POWER + 10
        return super()._binding()

    def _method(self) -> bool:
        """Whether a.dot(b), v.sum() or A.mean(axis=0) goes on here."""
        return self.sees("*", "^") and self._typed(self.peek()) == "." and not self._transposing()

    def _picks(self) -> bool:
        """Whether a subscript follows a bracket: (W^T d)_j, (W^T d)[j]."""
        if self.peek().kind == "subs" or self.sees("_"):
            return True
        before = self._tokens[self._next - 1] if self._next else None
        closed = before is not None and before.text == ")" and before.kind == "op"
        if not (closed and self.sees("[") and not self.peek().spaced):
            return False
        ahead = 1
        while not self.sees("]", ahead=ahead):
            token = self.peek(ahead)
            if not (token.kind in ("name", "number") or token.text in (",", "+", "-")):
                return False
            ahead += 1
        return True

    def _infix(self, left: t.Node) -> t.Node:
        token = self.peek()
        if self._picks():
            return self._picked(left, token)
        if self._method():
            return self._called_on(left, self.take())
        if self.sees("^") and (length := self._transposing()):
            for _ in range(length):
                self.take()
            return t.Apply("transpose", (as_number(left),), token.at)
        if token.kind == "op" and token.text == "*":
            self.take()
            sign = _TYPED.get(self._source[token.at : token.at + 1], "*")
            return self._product(sign, left, token)
        if self._side_by_side():
            return self._product(" ", left, token)
        return super()._infix(left)

    def _called_on(self, left: t.Node, token: Token) -> t.Node:
        if token.text == "*":
            right = as_number(self.expression(POWER + 10))
            return t.Apply("dot", (as_number(left), right), token.at)
        self.take()
        kind = self.take().text
        self.take()
        axis = [t.Number(float(kind[-1]), token.at)] if kind[-1].isdigit() else []
        return t.Apply(f"~{kind.rstrip('01')}", (as_number(left), *axis), token.at)

    def _side_by_side(self) -> bool:
        token = self.peek()
        signed = token.kind == "op" and token.text in ("*", "/", "//", "%")
        return super()._binding() == MULTIPLY and not signed and not self._picks()

    def _product(self, sign: str, left: t.Node, token: Token) -> t.Node:
        right = self.expression(MULTIPLY)
        if sign != " ":
            # a ⊙ W x is a ⊙ (W x): what stands side by side holds together.
            while self._side_by_side():
                right = self._product(" ", right, self.peek())
        return t.Arithmetic(sign, as_number(left), as_number(right), token.at)

    def _transposing(self) -> int:
        """How many tokens ^T, ^{T} or ^(T) has; 0 where it is a power."""
        opened = int(self.sees("{", "(", ahead=1))
        token = self.peek(1 + opened)
        if token.kind != "name" or token.text != "T":
            return 0
        sure = self._typed(token) in ("⊤", "⊺", "ᵀ") or self._typed(self.peek()) == "."
        if not sure and (token.text in self.defined or self.vocabulary.canonical("T") is not None):
            base = self._tokens[self._next - 1]
            if self.sees("(", ahead=1) or (
                self.vocabulary.canonical(base.text) not in (*self.vocabulary.arrays, "delta")
            ):
                return 0
            said = "T is given here: ^T could be a power or a transpose."
            raise OffsetError(said, f"write {base.text}' or {base.text}^(T)", token.at)
        if opened and not self.sees("}", ")", ahead=3):
            return 0
        return 2 + 2 * opened

    def _picked(self, left: t.Node, token: Token) -> t.Node:
        """The entry of a whole array that a bracket came to."""
        sigma = isinstance(left, t.Apply) and left.function == "sigmoid"
        if sigma and self._source[left.at : left.at + 5].startswith(("σ", "sigma")):
            said = "σ(...) with an index behind it could be the sigmoid of one entry, or softmax."
            raise OffsetError(said, "write σ(x[k]), or softmax(x)[k]", left.at)
        if token.kind == "subs":
            self.take()
            found = split_letters(token.text, token.at)
        elif self.accept("_"):
            self.expect("{", "after '_'")
            found = _letters(arguments(self, "}"))
        else:
            self.take()
            found = arguments(self, "]")
        return t.Apply("entry", (as_number(left), *map(as_number, found)), token.at)


def _letters(found: list[t.Node]) -> list[t.Node]:
    """{kj} holds two indices in one word."""
    out: list[t.Node] = []
    for node in found:
        word = getattr(node, "name", "")
        out += split_letters(word, node.at) if len(word) == 2 and word.isalpha() else [node]
    return out


# -- Whole arrays in an answer: what tells an index bracket from a factor, and names of vectors.


_TESTS: Final = ("==", "=", "!=", "<", "<=", ">", ">=", "in", "and", "or", "not")
_ALONE: Final = {"ones": "ones", "I": "identity"}


def indexed(parser: Grammar, whole: Callable[[str], bool]) -> bool:
    """Whether indices follow: x_j, x[j], x(j); not x (1 - y), nor x [s > 0]."""
    if parser.peek().kind == "subs" or parser.sees("_"):
        return True
    if not parser.sees("[", "("):
        return False
    square = parser.sees("[")
    return not any(
        (depth == 1 and token.text in _TESTS)
        or (not square and token.kind == "name" and whole(token.text.split("_")[0].rstrip("'")))
        for depth, token in parser.bracket(0)
    )


def vector_name(
    parser: Grammar, name: str, token: Token, whole: Callable[[str], bool]
) -> t.Node | None:
    """diag(v), norm(v), the vector of ones, the identity, and W' for the transpose."""
    if name in _ALONE and not (name == "I" and parser.sees("[", "(", "{", "_")):
        return t.Apply(_ALONE[name], (), token.at)
    if token.text in ("sum", "mean") and _over_everything(parser):  # not sum_k (a - b)
        parser.take()
        parts = [as_number(parser.expression())]
        if parser.accept(","):  # axis=0
            parser.take()
            parser.expect("=", "after axis")
            parts.append(as_number(parser.expression()))
        parser.expect(")", f"to close {name}(")
        return t.Apply(f"~{name}", tuple(parts), token.at)
    if name.startswith("softmax_") and len(name) == len("softmax_k") and parser.sees("("):
        whole_ = vector_name(parser, "softmax", token, whole)
        assert whole_ is not None
        return t.Apply("entry", (whole_, t.Name(name[-1], token.at)), token.at)
    if name in FUNCTIONS and parser.accept("("):
        found = arguments(parser, ")")
        if len(found) != FUNCTIONS[name]:
            said = f"{name} takes {FUNCTIONS[name]}, here are {len(found)}."
            raise OffsetError(said, f"write {name}({', '.join('ab'[: FUNCTIONS[name]])})", token.at)
        return t.Apply(name, tuple(map(as_number, found)), token.at)
    base = name[:-1]
    if name.endswith("'") and whole(base) and not parser.sees("(", "[", "_"):
        meant = parser.vocabulary.canonical(base)
        if base in parser.vocabulary.arrays or meant == "delta":
            return t.Apply("transpose", (t.Name(meant or base, token.at),), token.at)
    return None


def _over_everything(parser: Grammar) -> bool:
    """Whether sum(...) names nothing that it runs over: of a whole array, then, all entries."""
    inner = list(parser.bracket(0)) if parser.sees("(") else []
    own = [(at, token) for at, (depth, token) in enumerate(inner) if depth == 1]
    for at, token in own:
        if token.text in ("for", "over", ":", ",", "in"):
            return parser.peek(at + 1).text == "axis"
    bars = sum(token.text == "|" for _, token in own)
    return bars % 2 == 0 and len(inner) > 1


def entry_of(parser: Grammar, name: str, subscript: str, token: Token) -> t.Node | None:
    """da[i,j] where the learner defined da = ... as a whole; None where no indices follow."""
    opens = parser.sees("[") and not parser.peek().spaced
    if not (subscript or parser.peek().kind == "subs" or parser.sees("_") or opens):
        return None
    at = subscripts(parser, subscript, token, 2) or []
    return t.Apply("entry", (t.Name(name, token.at), *map(as_number, at)), token.at)


def called(parser: Grammar, name: str, token: Token) -> t.Node:
    """A function of one number with its bracket."""
    if not parser.accept("("):
        raise OffsetError(f"{token.text} is a function.", f"write {name}(...)", token.at)
    found = arguments(parser, ")")
    if len(found) != 1:
        message = f"{name} takes 1 argument, here are {len(found)}."
        raise OffsetError(message, f"write {name}(a)", token.at)
    return t.Apply(name, (as_number(found[0]),), token.at)


def cell(name: str, at: list[t.Node], arity: int, token: Token) -> t.Node:
    """An array at its indices; without any it stands whole."""
    if not at:
        return t.Name(name, token.at)
    if name == "delta" and is_condition(at[0]):
        hint = "for 1 or 0 write [condition] without delta before it"
        raise OffsetError("delta is the upstream message: it takes indices.", hint, token.at)
    at = [one for part in at for one in (part.items if isinstance(part, t.Pair) else (part,))]
    if len(at) != arity:
        raise OffsetError(
            f"{name} takes {arity} {'index' if arity == 1 else 'indices'}, here are {len(at)}.",
            "write one index for each place",
            token.at,
        )
    return t.Cell(name, tuple(map(as_number, at)), token.at) if arity else t.Name(name, token.at)
