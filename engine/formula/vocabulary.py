"""What a name may mean: each exercise speaks of its own symbols in one grammar.

The parser asks its vocabulary for the names that are no definition of the learner's.  Max pooling's
(`POOLING`) knows windows and their arg max; that of a card's own forward message is in
engine/given/vocabulary.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from engine.formula import exponentials, names
from engine.formula.problem import FormulaError, OffsetError
from engine.formula.tokens import tokenize

if TYPE_CHECKING:
    from engine.formula.parser import Parser
    from engine.formula.tokens import Token
    from engine.formula.tree import Node


T = TypeVar("T")


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


@dataclass(frozen=True, slots=True)
class Pooling:
    """The names of max pooling, see names.py."""

    arrays: frozenset[str] = frozenset(names.ARRAYS)
    places: tuple[int, ...] = (2,)
    message: str = ""
    """What the answer calls the message from above, where that is no name of ours."""

    def canonical(self, name: str) -> str | None:
        return "delta" if name == self.message else names.canonical(name)

    def special(self, parser: Parser, name: str, subscript: str, token: Token) -> Node | None:
        """e^x and softmax: the rest of the grammar grew up with these names."""
        del subscript
        return exponentials.special(parser, name, token)

    def hint(self, name: str, defined: tuple[str, ...]) -> str:
        return names.unknown_hint(name, defined)


POOLING: Final = Pooling()


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
            if names.folded(head) in names.UPSTREAM:
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
    except (OffsetError, FormulaError) as trouble:
        name = "" if isinstance(trouble, final) else upstream(text, meant)
        if not name:
            raise
        try:
            return read(name)
        except (OffsetError, FormulaError) as again:
            spoken = re.search(rf"\b{re.escape(name)}\b", trouble.message)
            raise (again if spoken or isinstance(again, final) else trouble) from None
