"""Whole arrays in an answer: what tells an index bracket from a factor, and names of vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.formula import build
from engine.formula.operands import where
from engine.formula.parser import Parser
from engine.formula.problem import OffsetError
from engine.formula.subscripts import arguments, subscripts
from engine.formula.tokens import Token
from engine.formula.tree import Apply, Cell, Name, Node
from engine.given.surface import FUNCTIONS

_TESTS: Final = ("==", "=", "!=", "<", "<=", ">", ">=", "in", "and", "or", "not")
_ALONE: Final = {"ones": "ones", "I": "identity"}


def indexed(parser: Parser, whole: Callable[[str], bool]) -> bool:
    """Whether indices follow: x_j, x[j], x(j); not x (1 - y), nor x [s > 0]."""
    if parser.peek().kind == "subs" or parser.sees("_"):
        return True
    if not parser.sees("[", "("):
        return False
    square = parser.sees("[")
    depth, ahead = 0, 0
    while True:
        token = parser.peek(ahead)
        depth += parser.sees("[", "(", "{", ahead=ahead) - parser.sees("]", ")", "}", ahead=ahead)
        if depth == 0 or token.kind == "end":
            return True
        if depth == 1 and parser.sees(*_TESTS, ahead=ahead):
            return False
        if not square and token.kind == "name" and whole(token.text.partition("_")[0].rstrip("'")):
            return False
        ahead += 1


def special(parser: Parser, name: str, token: Token, whole: Callable[[str], bool]) -> Node | None:
    """diag(v), norm(v), the vector of ones, the identity, and W' for the transpose."""
    if name in _ALONE and not (name == "I" and parser.sees("[", "(", "{", "_")):
        return Apply(_ALONE[name], (), token.at)
    if token.text in ("sum", "mean") and _over_everything(parser):  # not sum_k (a - b)
        parser.take()
        parts = [build.number(parser.expression())]
        if parser.accept(","):  # axis=0
            parser.take()
            parser.expect("=", "after axis")
            parts.append(build.number(parser.expression()))
        parser.expect(")", f"to close {name}(")
        return Apply(f"~{name}", tuple(parts), token.at)
    if name == "which" and parser.accept("("):
        return where(parser, token)
    if name.startswith("softmax_") and len(name) == len("softmax_k") and parser.sees("("):
        whole_ = special(parser, "softmax", token, whole)
        assert whole_ is not None
        return Apply("entry", (whole_, Name(name[-1], token.at)), token.at)
    if name in FUNCTIONS and parser.accept("("):
        found = arguments(parser, ")")
        if len(found) != FUNCTIONS[name]:
            said = f"{name} takes {FUNCTIONS[name]}, here are {len(found)}."
            raise OffsetError(said, f"write {name}({', '.join('ab'[: FUNCTIONS[name]])})", token.at)
        return Apply(name, tuple(map(build.number, found)), token.at)
    base = name[:-1]
    if name.endswith("'") and whole(base) and not parser.sees("(", "[", "_"):
        meant = parser.vocabulary.canonical(base)
        if base in parser.vocabulary.arrays or meant == "delta":
            return Apply("transpose", (Name(meant or base, token.at),), token.at)
    return None


def _over_everything(parser: Parser) -> bool:
    """Whether sum(...) names nothing that it runs over: of a whole array, then, all entries."""
    if not parser.sees("("):
        return False
    depth, ahead, bars = 0, 0, 0
    while True:
        depth += parser.sees("[", "(", "{", ahead=ahead) - parser.sees("]", ")", "}", ahead=ahead)
        if depth == 0 or parser.peek(ahead).kind == "end":
            return bars % 2 == 0 and ahead > 1
        if depth == 1 and parser.sees("for", "over", ":", ",", "in", ahead=ahead):
            return parser.peek(ahead + 1).text == "axis"
        bars += depth == 1 and parser.sees("|", ahead=ahead)
        ahead += 1


def entry_of(parser: Parser, name: str, subscript: str, token: Token) -> Node | None:
    """da[i,j] where the learner defined da = ... as a whole; None where no indices follow."""
    opens = parser.sees("[") and not parser.peek().spaced
    if not (subscript or parser.peek().kind == "subs" or parser.sees("_") or opens):
        return None
    at = subscripts(parser, subscript, token, 2) or []
    return Apply("entry", (Name(name, token.at), *map(build.number, at)), token.at)


def called(parser: Parser, name: str, token: Token) -> Node:
    """A function of one number with its bracket."""
    if not parser.accept("("):
        raise OffsetError(f"{token.text} is a function.", f"write {name}(...)", token.at)
    found = arguments(parser, ")")
    if len(found) != 1:
        message = f"{name} takes 1 argument, here are {len(found)}."
        raise OffsetError(message, f"write {name}(a)", token.at)
    return Apply(name, (build.number(found[0]),), token.at)


def cell(name: str, at: list[Node], arity: int, token: Token) -> Node:
    """An array at its indices; without any it stands whole."""
    if not at:
        return Name(name, token.at)
    if len(at) != arity:
        raise OffsetError(
            f"{name} takes {arity} {'index' if arity == 1 else 'indices'}, here are {len(at)}.",
            "write one index for each place",
            token.at,
        )
    return Cell(name, tuple(map(build.number, at)), token.at) if arity else Name(name, token.at)
