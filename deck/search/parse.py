"""Reads a search.

or    = and ("or" and)*        and = not+, with or without the word "and"
not   = ("-" | "not") not | "(" or ")" | term
"""

from __future__ import annotations

from deck.search.errors import SearchError
from deck.search.terms import bare_term
from deck.search.tokens import Token, tokens
from deck.search.tree import And, Everything, Not, Or, Phrase, Query

#: Deeper nesting than anyone types; the parser calls itself once a level.
_DEEPEST = 50


def parse(text: str) -> Query:
    """The tree of a search.

    Raises:
        SearchError: it cannot be read; the only error raised.
    """
    try:
        reader = _Reader(list(tokens(text)), len(text) + 1)
        if not reader.left:
            return Everything()
        query = reader.either(0)
        if reader.left:
            raise SearchError(
                "This bracket was never opened.", "Remove it, or open one.", reader.column
            )
    except SearchError as error:
        raise SearchError(error.message, error.hint, error.column, text) from None
    return query


class _Reader:
    """The tokens that are left to read."""

    def __init__(self, found: list[Token], end: int) -> None:
        self.left = found[::-1]
        self._end = end

    @property
    def column(self) -> int:
        return self.left[-1].column if self.left else self._end

    def either(self, depth: int) -> Query:
        parts = [self.both(depth)]
        while self._is_word("or"):
            self.left.pop()
            parts.append(self.both(depth))
        return parts[0] if len(parts) == 1 else Or(_flat(parts, Or))

    def both(self, depth: int) -> Query:
        parts = [self.single(depth)]
        while self.left and self.left[-1].kind != ")" and not self._is_word("or"):
            if self._is_word("and"):
                self.left.pop()
            parts.append(self.single(depth))
        return parts[0] if len(parts) == 1 else And(_flat(parts, And))

    def single(self, depth: int) -> Query:
        if depth > _DEEPEST:
            raise SearchError(
                "The search is nested too deeply.", "Use fewer brackets.", self.column
            )
        if not self.left or self.left[-1].kind == ")" or self._is_word("or", "and"):
            message = "Something to search for is missing here."
            raise SearchError(message, 'A word like or is searched for as "or".', self.column)
        negated = self._is_word("not")
        token = self.left.pop()
        if negated or token.kind == "-":
            return Not(self.single(depth + 1))
        if token.kind == "(":
            return self._bracket(token, depth)
        return _phrase(token) if token.kind == "quoted" else bare_term(token)

    def _bracket(self, opened: Token, depth: int) -> Query:
        query = self.either(depth + 1)
        if not self.left:
            raise SearchError("This bracket is never closed.", "Add a ).", opened.column)
        self.left.pop()
        return query

    def _is_word(self, *words: str) -> bool:
        token = self.left[-1] if self.left else None
        return token is not None and token.kind == "bare" and token.text.casefold() in words


def _phrase(token: Token) -> Query:
    if not token.text.strip():
        raise SearchError("There is nothing between these quotes.", "Remove them.", token.column)
    return Phrase(token.text)


def _flat(parts: list[Query], kind: type[And] | type[Or]) -> tuple[Query, ...]:
    """(a b) c is a b c."""
    flat: list[Query] = []
    for part in parts:
        flat += part.parts if isinstance(part, kind) else (part,)
    return tuple(flat)
