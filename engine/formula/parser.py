"""The expression grammar: a Pratt parser.  Numbers and conditions are told apart later (check.py).

Binding, loosest first: A if C else B; or; and; not; comparisons; + -; * / and products without a
sign; a leading minus; powers.  Σ_{...} e takes a product, as in print.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.formula import braces, build, operands, quantifiers, whole
from engine.formula.lookahead import COMPARISONS, Lookahead
from engine.formula.problem import OffsetError
from engine.formula.tokens import Token
from engine.formula.tree import Cell, Choice, Comparison, Node, Not, Over, Pair, Window, children
from engine.formula.vocabulary import POOLING, Vocabulary

IF, OR, AND, NOT, COMPARE, ADD, MULTIPLY, MINUS, POWER = range(10, 100, 10)
#: x_ij >= x_pq for all (p,q) in ...: looser than "and" and "or".
FOR_ALL: Final = 17
#: Steps of the grammar inside one another; far below Python's recursion limit.
MAX_DEPTH: Final = 60
#: Parts of what is read inside one another; a sum of n terms has n, as of a + b + c.
MAX_HEIGHT: Final = 120
_ARITHMETIC: Final = {"+": ADD, "-": ADD, "*": MULTIPLY, "/": MULTIPLY, "//": MULTIPLY}
_LOOSE: Final = {"if": IF, "when": IF, "or": OR, "and": AND}


class Parser(Lookahead):
    """Parses one line; `defined` holds the learner's own names with their number of indices."""

    def __init__(
        self,
        tokens: list[Token],
        defined: Mapping[str, int],
        vocabulary: Vocabulary = POOLING,
    ) -> None:
        super().__init__(tokens)
        self.defined = defined
        self.vocabulary = vocabulary
        self.parameters: Mapping[str, tuple[str, ...]] = {}
        """The indices of the pairs that lines define, as (i*(k,l), j*(k,l)) = ... does."""
        self._depth = 0
        self._body = -1
        self._case = -1

    def whole(self) -> Node:
        """The expression up to the end of the line, or a value and its condition in turns."""
        start, opened = self._next, self.peek()
        node = self.expression()
        if self.peek().kind != "end":
            said = self.unexpected("the formula is complete before it")
            if not (self.sees(",", "for", "and") and self.more_cases()):
                raise said
            self._next = start
            node = braces.cases(self, opened, "")
        _no_higher(node)
        return node

    def body(self) -> Node:
        """What a sum takes, behind which "for all" says what the sum runs over."""
        before, self._body = self._body, self._depth + 1
        node = self.expression()
        self._body = before
        return node

    def expression(self, binding: int = 0) -> Node:
        """An expression whose operators all bind tighter than `binding`."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise OffsetError(
                "The formula is nested too deeply here.",
                "take the inner part out into a line that defines it",
                self.peek().at,
            )
        node = self._prefix()
        while True:
            if self._quantified(node, binding):
                node = quantifiers.behind(self, node)
            elif self._binding() > binding:
                node = self._infix(node)
            else:
                break
        self._depth -= 1
        return node

    def _quantified(self, node: Node, binding: int) -> bool:
        """Whether the condition that was read holds "for all (p,q) in ..."."""
        if binding >= FOR_ALL or self._depth == self._body or not build.is_condition(node):
            return False
        behind = int(self.sees(","))
        return self.sees("forall", "exists", ahead=behind)

    def _prefix(self) -> Node:
        token = self.peek()
        if self.accept("-"):
            return build.negative(self.expression(MULTIPLY), token.at)
        if self.accept("+"):
            return build.number(self.expression(MULTIPLY))
        if self.accept("not"):
            return Not(build.condition(self.expression(NOT)), token.at)
        if self.accept("if", "when"):
            return self._then(token)
        return operands.operand(self)

    def _binding(self) -> int:
        token = self.peek()
        if token.kind == "op" and token.text in _ARITHMETIC:
            return _ARITHMETIC[token.text]
        if self.sees("%"):
            return MULTIPLY
        if self.sees("^"):
            return POWER
        if self.sees("?"):
            return IF
        if self.sees(*COMPARISONS):
            return COMPARE
        if token.kind == "word":
            parted = token.text == "and" and self.parts_cases(self._depth == self._case)
            return 0 if parted else _LOOSE.get(token.text, 0)
        # A product without a sign; two numbers in a row are a slip, not a product.
        if token.kind == "name" or self.sees("(", "[", "{") or self._indicator():
            return MULTIPLY
        return 0

    def test(self, binding: int) -> Node:
        """The condition of a case, up to an "and" behind which the next case stands."""
        before, self._case = self._case, self._depth + 1
        node = self.expression(binding)
        self._case = before
        return node

    def _indicator(self) -> bool:
        token = self.peek()
        if token.kind != "number" or token.text != "1":
            return False
        if self.sees("(", ahead=1) and not self.peek(1).spaced:
            return any(self.tests(one) for one in self.inside(1))
        return self.sees("[", "{", "_", ahead=1)

    def _infix(self, left: Node) -> Node:
        token = self.peek()
        if self.sees(*COMPARISONS):
            return self._comparison(left)
        if self.accept("if", "when"):
            return self._choice(left, token)
        if self.accept("?"):
            value = self.expression(IF)
            self.expect(":", "in C ? A : B")
            other = self.expression(IF - 1)
            return Choice(build.condition(left), build.number(value), build.number(other), token.at)
        for op, level in (("or", OR), ("and", AND)):
            if self.accept(op):
                return build.logic(op, [left, self.expression(level)], token.at)
        if self.accept("^"):
            return build.arithmetic("^", left, self.expression(POWER - 1), token.at)
        if token.kind == "op" and token.text in ("+", "-", "*", "/", "//", "%"):
            self.take()
            level = _ARITHMETIC.get(token.text, MULTIPLY)
            open_ended = token.text == "/" and not self.sees("(") and not self.sees("(", ahead=1)
            right = self.expression(level)
            if open_ended:
                whole.ended(right)
            return build.arithmetic(token.text, left, right, token.at)
        return build.arithmetic("*", left, self.expression(MULTIPLY), token.at)

    def _comparison(self, left: Node) -> Node:
        start = self.peek().at
        ops: list[str] = []
        parts = [left]
        while self.sees(*COMPARISONS):
            ops.append(self._relation())
            parts.append(self.expression(COMPARE))
        if ops == ["∋"]:
            return Comparison(("in",), (parts[1], parts[0]), start)
        found = Comparison(tuple(ops), tuple(parts), start)
        return _within(found) if ops == ["=="] and self._worded(start) else found

    def _worded(self, start: int) -> bool:
        """Whether the comparison whose sign stands at `start` says "is the max of"."""
        at = next(n for n, token in enumerate(self._tokens) if token.at == start)
        return [token.text for token in self._tokens[at : at + 2]] == ["is", "the"]

    def _relation(self) -> str:
        """One relation's sign or words; "is" is "==", "is in" is "in"."""
        token = self.take()
        if token.text == "is" and self.sees("in"):
            token = self.take()
        if token.text == "is" and self.sees("the"):
            self._article()
        if token.text in ("=", "is"):
            if token.text == "is" and self.accept("not"):
                return "not in" if self.accept("in") else "!="
            return "=="
        if token.text == "not":
            self.expect("in", "after 'not'")
            return "not in"
        return token.text

    def _article(self) -> None:
        """is the argmax of ...: an article stands before the name of an operator alone."""
        if self.peek(1).text in ("max", "min", "argmax", "argmin", "arg"):
            self.take()

    def _then(self, token: Token) -> Node:
        """if C then A else B"""
        test = self.expression(IF)
        if not (self.accept("then") or self.accept(":") or self.accept(",")):
            raise self.unexpected("'then' is expected after the condition")
        value = self.expression(IF)
        return self._alternative(test, value, token)

    def _choice(self, value: Node, token: Token) -> Node:
        """A if C else B; also A if C, B otherwise."""
        return self._alternative(self.expression(IF), value, token)

    def _alternative(self, test: Node, value: Node, token: Token) -> Node:
        later = self.sees(",", ";", "and") and self.comes("otherwise", "else")
        if later:
            self.take()
            self.accept("and")
        if self.accept("else", "otherwise"):
            self.accept(":") or self.accept(",")
            other = self.expression(IF - 1)
        elif later:
            other = self.expression(IF)
            self.accept(",")
            if not self.accept("otherwise", "else"):
                raise self.unexpected("'otherwise' is expected")
        else:
            raise OffsetError(
                f"This '{token.text}' has no 'else'.",
                "add 'else 0', or move the condition behind 'for k,l'",
                token.at,
            )
        return Choice(build.condition(test), build.number(value), build.number(other), token.at)


def _no_higher(node: Node) -> None:
    """Refuse what is too high: whoever walks through it goes into each part from the one above."""
    level = [node]
    for _ in range(MAX_HEIGHT):
        level = [part for one in level for part in children(one)]
    if level:
        raise OffsetError(
            f"This formula has more than {MAX_HEIGHT} terms, factors or functions in a row.",
            "take a part of it out into a line that defines it",
            level[0].at,
        )


def _within(test: Comparison) -> Node:
    """x_ij is the max of Omega(k,l): as large as it, and in the window that it is the max of."""
    left, right = test.operands
    if not (isinstance(left, Cell) and left.array == "x" and len(left.indices) == 2):
        return test
    if not (isinstance(right, Over) and isinstance(right.region, Window)):
        return test
    place = Pair((left.indices[0], left.indices[1]), left.at)
    inside = Comparison(("in",), (place, right.region), test.at)
    return build.logic("and", [test, inside], test.at)
