"""sum, max, argmax, count ... in their three spellings:
sum(e for k,l if C), sum_{k,l : C} e, and max(window(k,l))."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.formula import build
from engine.formula.names import TAKEN, canonical
from engine.formula.problem import OffsetError
from engine.formula.tokens import Token
from engine.formula.tree import (
    Arithmetic,
    Binder,
    Comparison,
    Name,
    Node,
    Number,
    Over,
    Pair,
    Range,
    Reduce,
)

if TYPE_CHECKING:
    from engine.formula.parser import Parser

_VALUE = 15
_PRODUCT = 65
_RELATIONS = ("!=", "<", "<=", ">", ">=")
_SUCH = ("if", "where", "with", "when", ":", "|")


def reducer(parser: Parser, kind: str, subscript: str, token: Token) -> Node:
    if parser.peek().text == "of" and kind != "count" and not subscript:
        parser.take()  # the maximum of Omega(k,l), the sum of x[k] over k
    following = parser.peek()
    if subscript:
        return _bodied(parser, kind, [_letters(subscript, token)], None, token)
    if following.kind == "subs":
        parser.take()
        return _bodied(parser, kind, [_letters(following.text, following)], None, token)
    if parser.accept("_"):
        if parser.sees("("):
            return _bodied(parser, kind, [_binder(parser)], None, token)
        parser.expect("{", "after '_'")
        return _subscripted(parser, kind, token)
    if parser.accept("over"):
        binders, condition = clauses(parser, ())
        parser.accept("of") or parser.accept(":") or parser.accept(",")
        return _bodied(parser, kind, binders, condition, token)
    if parser.accept("("):
        return _called(parser, kind, token)
    if following.kind == "name" and canonical(following.text.split("_")[0]) == "Omega":
        return build.over(kind, [parser.expression(_PRODUCT)], token.at)
    raise OffsetError(
        f"'{token.text}' does not say over what.",
        f"write {kind}(... for k,l if (i,j) in Omega(k,l))"
        if kind in ("sum", "count", "mean")
        else f"write {kind}(window(k,l))",
        token.at,
    )


def _called(parser: Parser, kind: str, token: Token) -> Node:
    if parser.sees(")"):
        raise OffsetError(f"{kind}() is empty.", "say what it runs over", token.at)
    first = parser.expression()
    if parser.accept("for", "over", ":", "|"):
        binders, condition = clauses(parser, (")",))
        parser.expect(")", f"to close {kind}(")
        return make(parser, kind, first, binders, condition, token.at)
    found = [first]
    while parser.accept(","):
        found.append(parser.expression())
    if parser.sees("for"):
        at = parser.peek().at
        raise OffsetError("This 'for' follows a comma.", f"write {kind}(value for k,l)", at)
    parser.expect(")", f"to close {kind}(")
    return build.over(kind, found, token.at, parser.vocabulary.arrays)


def _subscripted(parser: Parser, kind: str, token: Token) -> Node:
    """After sum_{ : binders and a condition, or a set; then ^{limit}, then the body."""
    if canonical(parser.peek().text.split("_")[0]) == "Omega":
        region = parser.expression()
        parser.expect("}", "after the set")
        body = parser.expression(_PRODUCT)
        if body != Name("x"):
            hint = f"write {kind}_{{(p,q) in Omega(k,l)}} x_pq"
            raise OffsetError("The set does not name the indices that run.", hint, token.at)
        return Over(kind, region, token.at)
    binders, condition = clauses(parser, ("}",))
    parser.expect("}", "after the indices")
    if parser.accept("^"):
        binders[-1] = _limited(parser, binders[-1])
    return _bodied(parser, kind, binders, condition, token)


def _limited(parser: Parser, binder: Binder) -> Binder:
    """sum_{k=0}^{Ho-1}: the upper limit is included."""
    if not isinstance(binder.domain, Range) or len(binder.names) != 1:
        raise parser.unexpected("an upper limit needs a lower one, as in sum_{k=0}^{Ho-1}")
    if parser.accept("{"):
        last = parser.expression()
        parser.expect("}", "after the upper limit")
    else:
        last = parser.expression(85)
    stop = _plus_one(last)
    return Binder(binder.names, Range(binder.domain.start, stop, binder.at), binder.at)


def _plus_one(last: Node) -> Node:
    """Ho - 1 included is Ho excluded."""
    if isinstance(last, Arithmetic) and last.op == "-" and last.right == Number(1.0):
        return last.left
    return build.arithmetic("+", last, Number(1.0, last.at), last.at)


def _bodied(
    parser: Parser, kind: str, binders: list[Binder], condition: Node | None, token: Token
) -> Node:
    names = tuple(name for binder in binders for name in binder.names)
    bare = parser.peek().kind == "end" or parser.peek().kind in ("op", "word")
    starts = parser.sees("(", "[", "{", "-", "|")
    if kind in ("argmax", "argmin") and len(names) == 2 and bare and not starts:
        # argmax_kl on its own: the place of the maximum of window (k,l).
        return build.over(kind, [Name(name, token.at) for name in names], token.at)
    return make(parser, kind, parser.expression(_PRODUCT), binders, condition, token.at)


def make(
    parser: Parser,
    kind: str,
    body: Node,
    binders: list[Binder],
    condition: Node | None,
    at: int,
) -> Node:
    names = [name for binder in binders for name in binder.names]
    if len(set(names)) != len(names):
        raise OffsetError(f"An index occurs twice in this {kind}.", "give each its own letter", at)
    if kind in ("argmax", "argmin") and len(names) not in parser.vocabulary.places:
        raise OffsetError(f"{kind} is a place: it runs over two indices.", f"write {kind}(k,l)", at)
    if len(names) > 4:
        raise OffsetError(f"This {kind} runs over {len(names)} indices.", "four are the most", at)
    body = build.condition(body) if kind == "count" else build.number(body)
    return Reduce(kind, body, tuple(binders), condition, at)


def clauses(parser: Parser, closing: tuple[str, ...]) -> tuple[list[Binder], Node | None]:
    """k,l [in SET] [for ...] [if C]: what runs, and under which condition."""
    binders: list[Binder] = []
    tests: list[Node] = []
    while True:
        binders.extend(_binders(parser))
        if parser.sees(*_RELATIONS):
            # sum_{m != k}: the index that runs begins a condition on itself.
            relation = parser.take()
            own = Name(binders[-1].names[-1], relation.at)
            other = build.number(parser.expression(_VALUE))
            tests.append(Comparison((relation.text,), (own, other), relation.at))
        while parser.accept(*_SUCH) or _such_that(parser):
            tests.append(parser.expression(_VALUE))
            while closing and parser.accept(","):
                tests.append(parser.expression(_VALUE))
        if not parser.accept("for"):
            break
    return binders, build.logic("and", tests, tests[0].at) if tests else None


def _such_that(parser: Parser) -> bool:
    if parser.sees("such") and parser.sees("that", ahead=1):
        parser.take()
        parser.take()
        return True
    return False


def _binders(parser: Parser) -> list[Binder]:
    """One or more groups of names, each with its domain."""
    found = [_binder(parser)]
    while parser.accept(","):
        found.append(_binder(parser))
    return found


def _binder(parser: Parser) -> Binder:
    parser.accept("all")
    token = parser.peek()
    names = _names(parser)
    if parser.accept("in"):
        return Binder(names, _domain(parser), token.at)
    if parser.accept("=") or parser.accept("=="):
        start = parser.expression(_VALUE)
        stop: Node = start
        if parser.accept("..", "..."):
            stop = parser.expression(_VALUE)
        return Binder(names, Range(start, _plus_one(stop), token.at), token.at)
    return Binder(names, None, token.at)


def _domain(parser: Parser) -> Node:
    at = parser.peek().at
    node = parser.expression(_VALUE)
    if isinstance(node, Pair):
        raise OffsetError("This is one place, not a set.", "write Omega(k,l), or range(Ho)", at)
    return node


def _names(parser: Parser) -> tuple[str, ...]:
    bracket = parser.accept("(")
    found: list[str] = []
    while True:
        token = parser.peek()
        if token.kind != "name":
            raise parser.unexpected("the name of an index is expected")
        parser.take()
        found.append(_index_name(token))
        # A comma may also start the next group: "k in range(Ho), l in range(Wo)".
        if not (bracket or parser.peek(1).kind == "name") or not parser.accept(","):
            break
    if bracket:
        parser.expect(")", "after the indices")
    if len(found) == 1 and len(found[0]) == 2 and found[0].isalpha():
        return tuple(found[0])
    return tuple(found)


def _index_name(token: Token) -> str:
    name = token.text
    if name in TAKEN or (canonical(name) is not None and len(name) > 1):
        raise OffsetError(
            f"'{name}' has a meaning already, it cannot be an index.",
            "choose another letter, such as p or q",
            token.at,
        )
    return name


def _letters(text: str, token: Token) -> Binder:
    """The binder of Σ_kl."""
    names: list[str] = []
    for part in build.letters(text, token.at):
        if not isinstance(part, Name):
            raise OffsetError("A sum runs over letters, not numbers.", "write sum_{k,l}", token.at)
        names.append(_index_name(Token("name", part.name, token.at)))
    return Binder(tuple(names), None, token.at)
