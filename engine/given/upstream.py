"""What a delta in an answer is: the message from above, that at an array, or Kronecker's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.formula import build, kronecker
from engine.formula.tokens import Token
from engine.formula.tree import Name, Node

if TYPE_CHECKING:
    from engine.formula.parser import Parser
    from engine.given.vocabulary import Words


def upstream(words: Words, parser: Parser, subscript: str, token: Token) -> Node:
    """delta[k]; delta_{s,k} is the message at s; δ_{ki} is 1 where k = i.

    Two plain indices are Kronecker's where the message has another number of them, and otherwise
    where the second is the first with a star: i and i* are of one range, rows and columns are
    not.
    """
    at = words.indices_of(parser, subscript, token, words.arities.get(words.output, 1))
    first = at[0] if at else None
    if isinstance(first, Name) and first.name in words.arities and first.name in words.arrays:
        return words.message(parser, first.name, at[1:], token)
    own = words.arities[words.output] if words.output else 0
    if len(at) == 2 and (own != 2 or kronecker.starred(at)):
        return kronecker.equal(build.number(at[0]), build.number(at[1]), token.at)
    return words.message(parser, words.output, at, token)
