"""What braces hold: cases { A if C; B otherwise } in the spellings of learners, a set, a range."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.formula import build
from engine.formula.clauses import dots, plus_one, such_that
from engine.formula.problem import OffsetError
from engine.formula.tokens import Token
from engine.formula.tree import Arithmetic, Choice, Node, Number, Places, Range
from engine.formula.vocabulary import Pooling

if TYPE_CHECKING:
    from engine.formula.parser import Parser

_CASE_VALUE = 15
"""Binds tighter than "if": the condition of a case is the brace's, not the value's."""
_LIKE = "write { A if C; 0 otherwise }"


def braces(parser: Parser, opened: Token) -> Node:
    """What stands behind '{', up to '}'; a lone expression in braces is just grouped."""
    return cases(parser, opened, "}")


def cases(parser: Parser, opened: Token, closing: str) -> Node:
    """Cases up to `closing`, or with "" up to the end of the line."""
    found: list[tuple[Node, Node, int]] = []
    default: Node | None = None
    while default is None:
        _skip(parser)
        if _closed(parser, closing):
            break
        token = parser.peek()
        if parser.accept("otherwise", "else"):
            parser.accept(":") or parser.accept(",")
            default = parser.expression(_CASE_VALUE)
            break
        value = parser.expression(_CASE_VALUE)
        if not found and closing:
            grouped = _grouped(parser, value)
            if grouped is not None:
                return grouped
        if build.is_condition(value) and parser.accept(":"):
            found.append((parser.expression(_CASE_VALUE), value, token.at))
            continue
        parser.accept(",", ":", "|")
        if parser.accept("otherwise", "else"):
            default = value
        else:
            found.append((value, _test(parser, closing), token.at))
            if parser.sees("else", "otherwise") and not parser.sees("}", ahead=1):
                continue
    _skip(parser)
    if closing:
        parser.expect(closing, "after the last case")
    elif parser.peek().kind != "end":
        raise parser.unexpected("the cases are complete before it", _LIKE)
    return _chain(parser, found, default, opened)


def _closed(parser: Parser, closing: str) -> bool:
    return parser.sees(closing) if closing else parser.peek().kind == "end"


def _grouped(parser: Parser, value: Node) -> Node | None:
    """{ value }, {(p,q) in Omega(k,l) : C}, {0, ..., n}; None where cases begin."""
    if parser.accept("}"):
        place = build.placed(value)
        return Places(*place, None, value.at) if place and place[1] is not None else value
    place = build.placed(value)
    if place is not None and (parser.accept(":", "|", "if", "with", "where") or such_that(parser)):
        test = parser.expression(_CASE_VALUE)
        tests = [test]
        while parser.accept(","):
            tests.append(parser.expression(_CASE_VALUE))
        parser.expect("}", "to close the set")
        return Places(*place, build.logic("and", tests, test.at), value.at)
    if not dots(parser):
        return None
    last = parser.expression(_CASE_VALUE)
    parser.expect("}", "to close the range")
    return Range(value, plus_one(last), value.at)


def _skip(parser: Parser) -> None:
    while parser.accept(";", ",", "and"):
        pass


def _test(parser: Parser, closing: str) -> Node:
    if parser.accept("if", "when", "for", "forall", "where"):
        pass
    elif _closed(parser, closing) or parser.sees(";"):
        said = "'if' and a condition are expected after the value"
        raise parser.unexpected(said, _LIKE)
    return build.condition(parser.test(_CASE_VALUE))


def _chain(
    parser: Parser, found: list[tuple[Node, Node, int]], default: Node | None, opened: Token
) -> Node:
    if default is None and len(found) == 2:
        if build.opposite(found[0][1], found[1][1]):
            default = found.pop()[0]
        elif isinstance(parser.vocabulary, Pooling):
            # Where neither condition holds, nothing is said.
            at = opened.at
            default = Arithmetic("/", Number(0.0, at), Number(0.0, at), at)
    if default is None or not found:
        raise OffsetError(
            "These cases do not say what holds in every other case."
            if found
            else "These braces hold no case.",
            _LIKE,
            opened.at,
        )
    node = build.number(default)
    for value, test, at in reversed(found):
        node = Choice(test, build.number(value), node, at)
    return node
