"""What vector notation adds to the grammar: several kinds of products, transposes, norms.

Which product a sign means is told by the character that was typed: on paper `W x` is the matrix
product, `a ⊙ b` goes entry by entry, and `a · b` could be either.  So products keep their sign in
the tree (PRODUCTS), until `vectors` knows the shapes on both sides.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.formula import build
from engine.formula.parser import COMPARE, MULTIPLY, OR, POWER, Parser
from engine.formula.problem import OffsetError
from engine.formula.subscripts import arguments
from engine.formula.tokens import Token
from engine.formula.tree import Apply, Arithmetic, Node, Number
from engine.formula.vocabulary import Vocabulary
from engine.given.spelling import plainly

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

    def _prefix(self) -> Node:
        token = self.peek()
        if self._norm_bars():
            self.take()
            inner = self.expression(OR)
            if not self._norm_bars():
                raise self.unexpected("'||' is expected to close the norm")
            self.take()
            return Apply("norm", (build.number(inner),), token.at)
        if self.sees("(") and self._typed(token) == "⟨":
            return self._angles(token)
        return super()._prefix()

    def _typed(self, token: Token) -> str:
        return self._source[token.at : token.at + 1]

    def _angles(self, token: Token) -> Node:
        """⟨a, b⟩, the inner product."""
        self.take()
        found = arguments(self, ")")
        if len(found) != 2:
            said = f"An inner product is of two; here are {len(found)}."
            raise OffsetError(said, "write ⟨a, b⟩, or sum(a[k] * b[k] for k)", token.at)
        return Apply("~inner", tuple(map(build.number, found)), token.at)

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

    def _infix(self, left: Node) -> Node:
        token = self.peek()
        if self._picks():
            return self._picked(left, token)
        if self._method():
            return self._called_on(left, self.take())
        if self.sees("^") and (length := self._transposing()):
            for _ in range(length):
                self.take()
            return Apply("transpose", (build.number(left),), token.at)
        if token.kind == "op" and token.text == "*":
            self.take()
            sign = _TYPED.get(self._source[token.at : token.at + 1], "*")
            return self._product(sign, left, token)
        if self._side_by_side():
            return self._product(" ", left, token)
        return super()._infix(left)

    def _called_on(self, left: Node, token: Token) -> Node:
        if token.text == "*":
            right = build.number(self.expression(POWER + 10))
            return Apply("dot", (build.number(left), right), token.at)
        self.take()
        kind = self.take().text
        self.take()
        axis = [Number(float(kind[-1]), token.at)] if kind[-1].isdigit() else []
        return Apply(f"~{kind.rstrip('01')}", (build.number(left), *axis), token.at)

    def _side_by_side(self) -> bool:
        token = self.peek()
        signed = token.kind == "op" and token.text in ("*", "/", "//", "%")
        return super()._binding() == MULTIPLY and not signed and not self._picks()

    def _product(self, sign: str, left: Node, token: Token) -> Node:
        right = self.expression(MULTIPLY)
        if sign != " ":
            # a ⊙ W x is a ⊙ (W x): what stands side by side holds together.
            while self._side_by_side():
                right = self._product(" ", right, self.peek())
        return Arithmetic(sign, build.number(left), build.number(right), token.at)

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

    def _picked(self, left: Node, token: Token) -> Node:
        """The entry of a whole array that a bracket came to."""
        sigma = isinstance(left, Apply) and left.function == "sigmoid"
        if sigma and self._source[left.at : left.at + 5].startswith(("σ", "sigma")):
            said = "σ(...) with an index behind it could be the sigmoid of one entry, or softmax."
            raise OffsetError(said, "write σ(x[k]), or softmax(x)[k]", left.at)
        if token.kind == "subs":
            self.take()
            found = build.letters(token.text, token.at)
        elif self.accept("_"):
            self.expect("{", "after '_'")
            found = _letters(arguments(self, "}"))
        else:
            self.take()
            found = arguments(self, "]")
        return Apply("entry", (build.number(left), *map(build.number, found)), token.at)


def _letters(found: list[Node]) -> list[Node]:
    """{kj} holds two indices in one word."""
    out: list[Node] = []
    for node in found:
        word = getattr(node, "name", "")
        out += build.letters(word, node.at) if len(word) == 2 and word.isalpha() else [node]
    return out


__all__ = ["COMPARE", "FUNCTIONS", "INNER", "PRODUCTS", "VectorParser", "plainly"]
