"""Cases in braces: { A if C; B otherwise }, in the spellings that learners use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.formula import build
from engine.formula.problem import OffsetError
from engine.formula.tokens import Token
from engine.formula.tree import Choice, Node

if TYPE_CHECKING:
    from engine.formula.parser import Parser

_CASE_VALUE = 15
"""Binds tighter than "if": the condition of a case is the brace's, not the value's."""


def braces(parser: Parser, opened: Token) -> Node:
    """The cases after '{' up to '}'; a lone expression in braces is just grouped."""
    cases: list[tuple[Node, Node, int]] = []
    default: Node | None = None
    while default is None:
        _skip(parser)
        if parser.sees("}"):
            break
        token = parser.peek()
        if parser.accept("otherwise", "else"):
            parser.accept(":") or parser.accept(",")
            default = parser.expression(_CASE_VALUE)
            break
        value = parser.expression(_CASE_VALUE)
        if not cases and parser.accept("}"):
            return value
        parser.accept(",") or parser.accept(":")
        if parser.accept("otherwise", "else"):
            default = value
        else:
            cases.append((value, _test(parser), token.at))
            if parser.sees("else", "otherwise") and not parser.sees("}", ahead=1):
                continue
    _skip(parser)
    parser.expect("}", "after the last case")
    return _chain(cases, default, opened)


def _skip(parser: Parser) -> None:
    while parser.accept(";", ","):
        pass


def _test(parser: Parser) -> Node:
    if parser.accept("if", "when", "for", "where"):
        pass
    elif parser.sees("}", ";"):
        raise parser.unexpected("'if' and a condition are expected after the value")
    return build.condition(parser.expression(_CASE_VALUE))


def _chain(cases: list[tuple[Node, Node, int]], default: Node | None, opened: Token) -> Node:
    if default is None and len(cases) == 2 and build.opposite(cases[0][1], cases[1][1]):
        default = cases.pop()[0]
    if default is None or not cases:
        raise OffsetError(
            "These cases do not say what holds in every other case."
            if cases
            else "These braces hold no case.",
            "write { A if C; 0 otherwise }",
            opened.at,
        )
    node = build.number(default)
    for value, test, at in reversed(cases):
        node = Choice(test, build.number(value), node, at)
    return node
