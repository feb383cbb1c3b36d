"""What print writes that is no name by itself: σ for sqrt(v), and d above d."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.formula import build
from engine.formula.parser import Parser
from engine.formula.subscripts import resolve
from engine.formula.tokens import Token, tokenize
from engine.formula.tree import Node

if TYPE_CHECKING:
    from engine.given.vocabulary import Words


def printed(words: Words, parser: Parser, token: Token) -> Node | None:
    """σ of a normalisation, sqrt(v); not the function σ(x)."""
    said = words.names.get(token.text, "")
    if "(" not in said or parser.sees("("):
        return None
    tokens = [replace(one, at=token.at) for one in tokenize(said)]
    return build.number(Parser(tokens, dict(words.arities), replace(words, names={})).whole())


def quotient_follows(words: Words, parser: Parser, subscript: str) -> bool:
    """Whether indices, if any, and then / d something follow."""
    ahead = 0
    if not subscript and parser.peek().kind == "subs":
        ahead = 1
    elif not subscript and parser.sees("[", "(", "_"):
        depth = 0
        while parser.peek(ahead).kind != "end":
            depth += parser.sees("[", "(", "{", ahead=ahead)
            depth -= parser.sees("]", ")", "}", ahead=ahead)
            ahead += 1
            if depth == 0 and not parser.sees("{", "(", ahead=ahead):
                break
    below = parser.peek(ahead + 1)
    slash = parser.sees("/", ahead=ahead) and below.kind == "name"
    return slash and words.is_differential(resolve(parser, below)[0])
