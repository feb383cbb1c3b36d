"""The Pratt parser, which reads a line by the tables of grammar.py; and the rules of operators."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from engine.formula import tree as t
from engine.formula.rewrite import free_names
from engine.formula.tokens import COMPARISONS, Stream, Token
from engine.formula.tree import PRODUCTS, REDUCERS, OffsetError, as_condition, as_number

# -- What a rule is.  The next token has not been taken yet: the rule takes it.


#: What a token means where an expression begins; None, with nothing taken: the next rule is asked.
Begin: TypeAlias = "Callable[[Parser, Token], t.Node | None]"
#: What a token means behind an expression, which is handed over.
Between: TypeAlias = "Callable[[Parser, t.Node, Token], t.Node]"
#: What a name means, itself taken already, with the subscript written on it; None as above.
Named: TypeAlias = "Callable[[Parser, str, str, Token], t.Node | None]"


@dataclass(frozen=True, slots=True)
class Infix:
    """A rule between two operands, with its binding power."""

    binds: int
    read: Between
    when: Callable[[Parser, t.Node], bool] | None = None
    """Whether the rule is meant, where the token alone does not tell."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The tables: by the text of a sign or word, by "number", "name" or "subs", or by a name."""

    begins: Mapping[str, Sequence[Begin]]
    between: Mapping[str, Sequence[Infix]]
    names: Mapping[str, Sequence[Named]]


class Vocabulary(Protocol):
    """Which names there are, and by which rules they are read."""

    @property
    def rules(self) -> Rules: ...

    @property
    def arrays(self) -> frozenset[str]:
        """Arrays that may stand whole, as in max(x)."""

    @property
    def letters(self) -> frozenset[str]:
        """The letters that are indices without being bound."""

    @property
    def windows(self) -> bool:
        """Whether there are windows to speak of."""

    @property
    def takes_rows(self) -> bool:
        """Whether a matrix with one index is its row."""

    def matrix(self, name: str) -> str | None:
        """X for x, where rows and entries of a matrix X are written small."""

    def makes(self, name: str) -> bool:
        """Whether the forward message itself makes the array."""

    def takes(self, name: str) -> bool:
        """Whether the array comes from outside."""

    @property
    def places(self) -> tuple[int, ...]:
        """Over how many indices an argmax may run."""

    def canonical(self, name: str) -> str | None:
        """The declared name that `name` stands for; None where it is not declared."""

    def special(self, parser: Parser, name: str, subscript: str, token: Token) -> t.Node | None:
        """What `name`, just taken, begins in this vocabulary alone; None where nothing."""

    def hint(self, name: str, defined: tuple[str, ...]) -> str:
        """What to do about a name that nobody knows."""


# -- Binding powers, loosest first: A if C else B; or; and; not; comparisons; + -; * / and products
# without a sign; a leading minus; powers; an entry of what a bracket holds.


IF, OR, AND, NOT, COMPARE, ADD, MULTIPLY, MINUS, POWER, ENTRY = range(10, 110, 10)
#: x_ij >= x_pq for all (p,q) in ...: looser than "and" and "or".
FOR_ALL: Final = 17
#: What Σ_{...} takes: a product, as in print.
PRODUCT: Final = 65
#: Tighter than "if": the condition behind it is another's.
VALUE: Final = 15
#: Steps of the grammar inside one another; far below Python's recursion limit.
MAX_DEPTH: Final = 60


class Parser(Stream):
    """Parses one line.

    `defined` holds the learner's own names with their number of indices.  Where arrays may stand
    whole, `source` is what was typed, with the same places: it tells one product from another.
    """

    def __init__(
        self,
        tokens: list[Token],
        defined: Mapping[str, int],
        vocabulary: Vocabulary,
        source: str = "",
    ) -> None:
        super().__init__(tokens)
        self.defined = defined
        self.vocabulary = vocabulary
        self.source = source
        self.rules = vocabulary.rules
        self.parameters: Mapping[str, tuple[str, ...]] = {}
        """The indices of the pairs that lines define, as (i*(k,l), j*(k,l)) = ... does."""
        self.in_norm = False
        """Whether the next ‖ closes a norm."""
        self._depth = 0
        self._body = -1
        self._case = -1

    def expression(self, binding: int = 0) -> t.Node:
        """An expression whose operators all bind tighter than `binding`."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise OffsetError(
                "The formula is nested too deeply here.",
                "take the inner part out into a line that defines it",
                self.peek().at,
            )
        node = self.operand()
        while (rule := self.behind(node)) is not None and rule.binds > binding:
            node = rule.read(self, node, self.peek())
        self._depth -= 1
        return node

    def operand(self) -> t.Node:
        """What the next token begins."""
        token = self.peek()
        for rule in self.rules.begins.get(_key(token), ()):
            node = rule(self, token)
            if node is not None:
                return node
        raise self.unexpected("a number, a name or a bracket is expected")

    def behind(self, node: t.Node) -> Infix | None:
        """The rule that the next token means behind `node`; None where the expression ends."""
        for rule in self.rules.between.get(_key(self.peek()), ()):
            if rule.when is None or rule.when(self, node):
                return rule
        return None

    def body(self) -> t.Node:
        """What a sum takes, behind which "for all" says what the sum runs over."""
        before, self._body = self._body, self._depth + 1
        node = self.expression()
        self._body = before
        return node

    def in_body(self) -> bool:
        return self._depth == self._body

    def test(self, binding: int) -> t.Node:
        """The condition of a case, up to an "and" behind which the next case stands."""
        before, self._case = self._case, self._depth + 1
        node = self.expression(binding)
        self._case = before
        return node

    def in_case(self) -> bool:
        return self._depth == self._case

    def typed(self, token: Token) -> str:
        """The character that was typed for a token; "" where arrays never stand whole."""
        return self.source[token.at : token.at + 1]


def _key(token: Token) -> str:
    return token.text if token.kind in ("op", "word") else token.kind


# -- Signs and words before an operand.


def signed(parser: Parser, token: Token) -> t.Node:
    """-a, +a"""
    parser.take()
    inner = parser.expression(MULTIPLY)
    return t.make_negative(inner, token.at) if token.text == "-" else as_number(inner)


def negation(parser: Parser, token: Token) -> t.Node:
    """not C"""
    parser.take()
    return t.Not(as_condition(parser.expression(NOT)), token.at)


def if_then(parser: Parser, token: Token) -> t.Node:
    """if C then A else B"""
    parser.take()
    test = parser.expression(IF)
    if not (parser.accept("then") or parser.accept(":") or parser.accept(",")):
        raise parser.unexpected("'then' is expected after the condition")
    return _alternative(parser, test, parser.expression(IF), token)


def the_largest(parser: Parser, _token: Token) -> t.Node | None:
    """the max of ..."""
    if parser.vocabulary.canonical(parser.peek(1).text) not in REDUCERS:
        return None
    parser.take()
    return parser.operand()


def cases_word(parser: Parser, _token: Token) -> t.Node:
    """cases { ... }"""
    parser.take()
    return parser.operand()


def stray_else(_parser: Parser, token: Token) -> t.Node:
    raise OffsetError(f"This '{token.text}' follows no 'if'.", "write A if C else B", token.at)


# -- Between two operands: choices, logic, comparisons.


def is_choice(parser: Parser, _left: t.Node) -> bool:
    """Whether an "else" follows, or no other "if": A if C, B if D are cases."""
    return parser.comes("else", "otherwise") or not parser.comes_again("if", "when")


def choice(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """A if C else B"""
    parser.take()
    return _alternative(parser, parser.expression(IF), left, token)


def _alternative(parser: Parser, test: t.Node, value: t.Node, token: Token) -> t.Node:
    later = parser.sees(",", ";", "and") and parser.comes("otherwise", "else")
    if later:
        parser.take()
        parser.accept("and")
    if parser.accept("else", "otherwise"):
        parser.accept(":") or parser.accept(",")
        other = parser.expression(IF - 1)
    elif later:
        other = parser.expression(IF)
        parser.accept(",")
        if not parser.accept("otherwise", "else"):
            raise parser.unexpected("'otherwise' is expected")
    else:
        raise OffsetError(
            f"This '{token.text}' has no 'else'.",
            "add 'else 0', or move the condition behind 'for k,l'",
            token.at,
        )
    return t.Choice(as_condition(test), as_number(value), as_number(other), token.at)


def question(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """C ? A : B"""
    parser.take()
    value = parser.expression(IF)
    parser.expect(":", "in C ? A : B")
    other = parser.expression(IF - 1)
    return t.Choice(as_condition(left), as_number(value), as_number(other), token.at)


def joins(parser: Parser, _left: t.Node) -> bool:
    """Whether an "and" joins conditions, and does not part two cases."""
    return not parser.parts_cases(parser.in_case())


def logic(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """C and D, C or D"""
    parser.take()
    right = parser.expression(AND if token.text == "and" else OR)
    return t.make_logic(token.text, [left, right], token.at)


def comparison(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """a < b <= c, (i,j) in Omega(k,l), x_ij is the max of Omega(k,l)"""
    worded = token.text == "is" and parser.sees("the", ahead=1)
    ops: list[str] = []
    parts = [left]
    while parser.sees(*COMPARISONS):
        ops.append(_relation(parser))
        parts.append(parser.expression(COMPARE))
    if ops == ["∋"]:
        return t.Comparison(("in",), (parts[1], parts[0]), token.at)
    found = t.Comparison(tuple(ops), tuple(parts), token.at)
    return _within(found) if ops == ["=="] and worded else found


def _relation(parser: Parser) -> str:
    """One relation's sign or words; "is" is "==", "is in" is "in"."""
    token = parser.take()
    if token.text == "is" and parser.sees("in"):
        token = parser.take()
    extremum = parser.peek(1).text in ("max", "min", "argmax", "argmin", "arg")
    if token.text == "is" and parser.sees("the") and extremum:
        parser.take()  # is the argmax of ...
    if token.text in ("=", "is"):
        if token.text == "is" and parser.accept("not"):
            return "not in" if parser.accept("in") else "!="
        return "=="
    if token.text == "not":
        parser.expect("in", "after 'not'")
        return "not in"
    return token.text


def _within(test: t.Comparison) -> t.Node:
    """x_ij is the max of Omega(k,l): as large as it, and in the window that it is the max of.

    (i,j) is the max of Omega(k,l): the place of it.
    """
    left, right = test.operands
    if isinstance(left, t.Pair) and isinstance(right, t.Over) and right.kind in ("max", "min"):
        return t.Comparison(
            ("==",), (left, t.Over(f"arg{right.kind}", right.region, right.at)), test.at
        )
    if not (isinstance(left, t.Cell) and left.array == "x" and len(left.indices) == 2):
        return test
    if not (isinstance(right, t.Over) and isinstance(right.region, t.Window)):
        return test
    place = t.Pair((left.indices[0], left.indices[1]), left.at)
    inside = t.Comparison(("in",), (place, right.region), test.at)
    return t.make_logic("and", [test, inside], test.at)


# -- Between two operands: arithmetic, products, powers.
#
# Which product a sign means is told by the character that was typed: on paper `W x` is the matrix
# product, `a ⊙ b` goes entry by entry, and `a · b` could be either.  So products keep their sign
# in the tree (PRODUCTS) where arrays may stand whole, until engine/messages/vectors.py knows the
# shapes on both sides.


_TYPED: Final = {**dict.fromkeys("⊙∘", "⊙"), **dict.fromkeys("·⋅∙•×", "·"), "@": "@", "⊗": "⊗"}


def added(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """a + b, a - b"""
    parser.take()
    return t.make_arithmetic(token.text, left, parser.expression(ADD), token.at)


def divided(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """a / b, a // b, a % b"""
    parser.take()
    open_ended = token.text == "/" and not parser.sees("(") and not parser.sees("(", ahead=1)
    right = parser.expression(MULTIPLY)
    if open_ended:
        _ended(right)
    return t.make_arithmetic(token.text, left, right, token.at)


def _ended(right: t.Node) -> None:
    """Raise OffsetError if a sum behind a '/' took in a factor that it does not run over.

    In a / sum_m b_m (c - d) the last bracket could be meant behind the fraction as well.
    """
    names: frozenset[str] = frozenset()
    node = right
    if isinstance(right, t.Arithmetic) and right.op == "^":
        node = right.left
    while isinstance(node, t.Reduce):
        names |= {*node.names}
        node = node.body
    factors: list[tuple[t.Node, int]] = []
    while isinstance(node, t.Arithmetic) and node.op in (*PRODUCTS, "/"):
        factors.append((node.right, node.at))
        node = node.left
    for factor, at in factors:
        if names and not names & free_names(factor):
            raise OffsetError(
                "I cannot tell whether this factor still belongs to the sum behind the '/'.",
                "put the denominator in brackets: a / (sum_{m} b_m) * (...)",
                at,
            )


def multiplied(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """a * b, by the sign that was typed"""
    parser.take()
    sign = _TYPED.get(parser.typed(token), "*")
    return _product(parser, sign, left, token)


def beside(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """a b, a product without a sign"""
    return _product(parser, " " if parser.source else "*", left, token)


def _product(parser: Parser, sign: str, left: t.Node, token: Token) -> t.Node:
    right = parser.expression(MULTIPLY)
    # a ⊙ W x is a ⊙ (W x): what stands side by side holds together.
    while sign != " " and parser.source and _side_by_side(parser, right):
        right = _product(parser, " ", right, parser.peek())
    return t.make_arithmetic(sign, left, right, token.at)


def _side_by_side(parser: Parser, right: t.Node) -> bool:
    rule = parser.behind(right)
    return rule is not None and rule.read is beside


def one_for_condition(parser: Parser, _left: t.Node) -> bool:
    """Whether a 1 with its condition follows; two numbers in a row are a slip, not a product."""
    if parser.peek().text != "1":
        return False
    if parser.sees("(", ahead=1) and not parser.peek(1).spaced:
        return any(parser.tests(one) for one in parser.inside(1))
    return parser.sees("[", "{", "_", ahead=1)


def power(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """a^b"""
    parser.take()
    return t.make_arithmetic("^", left, parser.expression(POWER - 1), token.at)
