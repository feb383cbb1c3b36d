"""Conditions that hold for all of a set, or for some: all(C for p,q in Omega(k,l)), C ∀ (p,q) ∈ Ω.

They are counts: all(C for ...) is count(not C for ...) == 0, any(C for ...) count(C for ...) > 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.formula import build, clauses
from engine.formula.tokens import Token
from engine.formula.tree import Binder, Comparison, Node, Not, Number, Reduce

if TYPE_CHECKING:
    from engine.formula.parser import Parser

#: Looser than "or": a condition's whole is what holds for all.
_TEST: Final = 17
_COMPARE: Final = 49


def called(parser: Parser, token: Token) -> Node:
    """all(C for p,q in Omega(k,l)), any(C for ...); the word is taken already."""
    parser.expect("(", f"after '{token.text}'")
    test = parser.body()
    if not parser.accept("for", "forall", "over", ":", "|"):
        said = f"'for' and what runs are expected in {token.text}( )"
        hint = f"write {token.text}(x[i,j] >= x[p,q] for p,q in Omega(k,l))"
        raise parser.unexpected(said, hint)
    binders, condition = clauses.clauses(parser, (")",))
    parser.expect(")", f"to close {token.text}(")
    return (every if token.text == "all" else some)(test, binders, condition, token.at)


def ahead(parser: Parser, token: Token) -> Node:
    """for all (p,q) in Omega(k,l): C, ∃ (p,q) ∈ Ω(k,l): C; the word is taken already."""
    binders, condition = clauses.clauses(parser, (), tight=True)
    if token.text == "exists" and condition is not None and not parser.sees(":", "|"):
        return some(condition, binders, None, token.at)
    if not (parser.accept(":", ",", "|") or clauses.such_that(parser) or parser.sees("(", "[")):
        said = f"':' and what holds are expected behind '{_shown(token)}'"
        hint = "write for all (p,q) in Omega(k,l): x[i,j] >= x[p,q]"
        raise parser.unexpected(said, hint)
    test = parser.expression(_TEST)
    if parser.sees(":", "|") and condition is None:
        parser.take()  # for all (p,q) in Omega(k,l), (p,q) != (i,j): C
        condition, test = build.condition(test), parser.expression(_TEST)
    return (some if token.text == "exists" else every)(test, binders, condition, token.at)


def _shown(token: Token) -> str:
    return {"forall": "for all", "exists": "there is"}[token.text]


def behind(parser: Parser, test: Node) -> Node:
    """C for all (p,q) in Omega(k,l), with what else is asked of p and q."""
    parser.accept(",")
    token = parser.take()
    binders, condition = clauses.clauses(parser, (), tight=True)
    tests = [] if condition is None else [condition]
    own = {name for binder in binders for name in binder.names}
    while (
        parser.sees(",", "and")
        and not parser.sees("forall", "exists", ahead=1)
        and own & parser.coming()
    ):
        parser.take()
        tests.append(parser.expression(_COMPARE))
    found = build.logic("and", tests, tests[0].at) if tests else None
    return (some if token.text == "exists" else every)(test, binders, found, token.at)


def every(test: Node, binders: list[Binder], condition: Node | None, at: int) -> Node:
    fails = Not(build.condition(test), test.at)
    count = Reduce("count", fails, tuple(binders), condition, at)
    return Comparison(("==",), (count, Number(0.0, at)), at)


def some(test: Node, binders: list[Binder], condition: Node | None, at: int) -> Node:
    count = Reduce("count", build.condition(test), tuple(binders), condition, at)
    return Comparison((">",), (count, Number(0.0, at)), at)
