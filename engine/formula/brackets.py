"""Brackets: a condition, a place, and what only holds a number together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.formula import build
from engine.formula.problem import OffsetError
from engine.formula.subscripts import arguments
from engine.formula.tokens import Token
from engine.formula.tree import Cell, Indicator, Name, Node, Pair, Range, Window, Windows

if TYPE_CHECKING:
    from engine.formula.parser import Parser


def indicator(parser: Parser, token: Token, closing: str) -> Node:
    """[C], or [C, D] for both; a comma counts as "and"."""
    parts = arguments(parser, closing)
    if not parts:
        raise OffsetError("These brackets are empty.", "write a condition in them", token.at)
    if token.text == "[" and len(parts) == 1 and _groups(parser, parts[0]):
        return parts[0]
    return Indicator(build.logic("and", parts, token.at), token.at)


def _groups(parser: Parser, inner: Node) -> bool:
    """Whether square brackets only hold a number together: y_k [delta_k - s].

    What the learner's own line defines may be a condition, so that is for the check to tell.
    """
    if build.is_condition(inner) or isinstance(inner, Indicator | Pair | Window | Windows | Range):
        return False
    own = inner.name if isinstance(inner, Name) else inner.array if isinstance(inner, Cell) else ""
    return own not in parser.defined


def brackets(parser: Parser) -> Node:
    token = parser.take()
    parts = arguments(parser, ")")
    if len(parts) == 1:
        return parts[0]
    if len(parts) == 2:
        return Pair((build.number(parts[0]), build.number(parts[1])), token.at)
    raise OffsetError(
        f"A place is a pair (row, column); here are {len(parts)} parts.", "write (i,j)", token.at
    )
