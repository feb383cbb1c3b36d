"""The Pratt parser: reads a line by tables of rules, which engine/formula/grammar.py lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from engine.formula import tree as t
from engine.formula.tokens import Stream, Token
from engine.formula.tree import OffsetError

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
