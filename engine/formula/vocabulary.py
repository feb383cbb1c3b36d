"""What a name may mean: each exercise speaks of its own symbols in one grammar.

The parser asks its vocabulary for the names that are no definition of the learner's.  Max pooling's
(`POOLING`) knows windows and their arg max; that of a card's own forward message is in
engine/given/vocabulary.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from engine.formula import exponentials, names

if TYPE_CHECKING:
    from engine.formula.parser import Parser
    from engine.formula.tokens import Token
    from engine.formula.tree import Node


class Vocabulary(Protocol):
    @property
    def arrays(self) -> frozenset[str]:
        """Arrays that may stand whole, as in max(x)."""

    @property
    def places(self) -> tuple[int, ...]:
        """Over how many indices an argmax may run."""

    def canonical(self, name: str) -> str | None:
        """The declared name that `name` stands for; None where it is not declared."""

    def special(self, parser: Parser, name: str, subscript: str, token: Token) -> Node | None:
        """What `name`, just taken, begins in this vocabulary alone; None where nothing."""

    def hint(self, name: str, defined: tuple[str, ...]) -> str:
        """What to do about a name that nobody knows."""


class Pooling:
    """The names of max pooling, see names.py."""

    arrays: frozenset[str] = frozenset(names.ARRAYS)
    places: tuple[int, ...] = (2,)

    def canonical(self, name: str) -> str | None:
        return names.canonical(name)

    def special(self, parser: Parser, name: str, subscript: str, token: Token) -> Node | None:
        """e^x and softmax: the rest of the grammar grew up with these names."""
        del subscript
        return exponentials.special(parser, name, token)

    def hint(self, name: str, defined: tuple[str, ...]) -> str:
        return names.unknown_hint(name, defined)


POOLING: Final = Pooling()
