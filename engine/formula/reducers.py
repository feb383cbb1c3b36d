"""sum, max, argmax, count ... in their spellings: sum(e for k,l if C), sum_{k,l : C} e,
sum over k,l of e, max(window(k,l)), max{x_pq : (p,q) in Omega(k,l)}."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.formula import build, quantifiers, whole
from engine.formula.clauses import clauses, index_name, letters, plus_one
from engine.formula.names import canonical
from engine.formula.problem import OffsetError
from engine.formula.subscripts import resolve
from engine.formula.tokens import Token
from engine.formula.tree import (
    Arithmetic,
    Binder,
    Comparison,
    Indicator,
    Name,
    Node,
    Over,
    Range,
    Reduce,
    Window,
)

if TYPE_CHECKING:
    from engine.formula.parser import Parser

_PRODUCT: Final = 65
_FACTOR: Final = 70
#: What takes a set of values in braces.
_EXTREMA: Final = ("max", "min", "argmax", "argmin")
_OF_SETS: Final = ("max", "min", "argmax", "argmin", "count", "sum")


def reducer(parser: Parser, kind: str, subscript: str, token: Token) -> Node:
    if parser.peek().text == "of" and kind != "count" and not subscript:
        parser.take()  # the maximum of Omega(k,l), the sum of x[k] over k
        parser.accept("all")
    following = parser.peek()
    if subscript:
        return _bodied(parser, kind, [letters(subscript, token)], None, token)
    if following.kind == "subs":
        parser.take()
        return _bodied(parser, kind, [letters(following.text, following)], None, token)
    if parser.accept("_"):
        if parser.sees("("):
            return _bodied(parser, kind, *clauses(parser, (), tight=True), token)
        parser.expect("{", "after '_'")
        return _subscripted(parser, kind, token)
    if parser.accept("over", "for", "forall"):
        binders, condition = clauses(parser, ())
        parser.accept("of") or parser.accept(":") or parser.accept(",")
        return _bodied(parser, kind, binders, condition, token)
    if following.text == "from":
        return _bodied(parser, kind, [_from(parser)], None, token)
    if parser.accept("("):
        return _called(parser, kind, token, ")")
    if kind in ("argmax", "argmin") and parser.accept("["):
        return _called(parser, kind, token, "]")
    if parser.sees("in") and canonical(parser.peek(1).text.split("_")[0]) == "Omega":
        parser.take()  # x_ij is max in Omega(k,l)
        following = parser.peek()
    if kind in _EXTREMA and following.text == "x" and parser.peek(1).kind != "subs":
        held = build.region_of(parser.expression(_FACTOR), parser.vocabulary.arrays)
        if held is not None:
            return Over(kind, held, token.at)
        raise whole.silent(kind, token)
    if kind in _OF_SETS and parser.accept("{"):
        return _called(parser, kind, token, "}")
    if following.kind == "name" and canonical(following.text.split("_")[0]) == "Omega":
        return build.over(kind, [parser.expression(_PRODUCT)], token.at)
    if kind == "sum" and (following.kind in ("name", "number") or parser.sees("[")):
        return whole.bare(parser, kind, token)
    raise whole.silent(kind, token)


def _from(parser: Parser) -> Binder:
    """sum from k = 0 to Ho-1 of e"""
    parser.take()
    token = parser.peek()
    name = index_name(parser.take())
    parser.expect("=", "after the index")
    start = _limit(parser)
    if parser.peek().text != "to":
        raise parser.unexpected("'to' and the last index are expected", "write k = 0 to Ho - 1")
    parser.take()
    stop = _limit(parser)
    parser.accept("of") or parser.accept(":") or parser.accept(",")
    return Binder((name,), Range(start, plus_one(stop), token.at), token.at)


def _limit(parser: Parser) -> Node:
    """Ho - 1, without a product: what follows it is what is summed."""
    node = parser.expression(_FACTOR)
    while (sign := parser.accept("+", "-")) is not None:
        node = build.arithmetic(sign.text, node, parser.expression(_FACTOR), sign.at)
    return node


def _called(parser: Parser, kind: str, token: Token, closing: str) -> Node:
    if parser.sees("[") and parser.lists():
        # sum([e for k,l if C]), as Python has it
        opened = parser.take()
        found_in = _called(parser, kind, opened, "]")
        parser.expect(closing, f"to close {kind}(")
        return found_in
    if parser.sees(closing):
        raise OffsetError(f"{kind}() is empty.", "say what it runs over", token.at)
    first = parser.body()
    place = build.placed(first)
    if kind == "count" and place is not None and parser.accept(":", "|", "if", "where", "with"):
        # the number of (p,q) in Omega(k,l) with C
        test = parser.expression()
        parser.expect(closing, f"to close {kind}")
        return make(parser, kind, test, [Binder(*place, first.at)], None, token.at)
    if parser.accept("for", "forall", "over", ":", "|"):
        binders, condition = clauses(parser, (closing,))
        parser.expect(closing, f"to close {kind}{'(' if closing == ')' else ''}")
        return make(parser, kind, first, binders, condition, token.at)
    found = [first]
    while parser.accept(","):
        found.append(parser.expression())
    if parser.sees("for"):
        at = parser.peek().at
        raise OffsetError("This 'for' follows a comma.", f"write {kind}(value for k,l)", at)
    parser.expect(closing, f"to close {kind}(")
    summed = whole.implied(parser, kind, found, token)
    return summed or build.over(kind, found, token.at, parser.vocabulary.arrays)


def _subscripted(parser: Parser, kind: str, token: Token) -> Node:
    """After sum_{ : binders and a condition, or a set; then ^{limit}, then the body."""
    if canonical(parser.peek().text.split("_")[0]) == "Omega":
        region = parser.expression()
        parser.expect("}", "after the set")
        held = _holding(region)
        if held is not None:
            return _bodied(parser, kind, *held, token)
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


def _holding(node: Node) -> tuple[list[Binder], Node] | None:
    """Omega(k,l) ∋ (i,j) below a sum: over the k and l of the windows that hold (i,j)."""
    if not (isinstance(node, Comparison) and node.ops == ("in",)):
        return None
    window = node.operands[1]
    if not isinstance(window, Window):
        return None
    names = tuple(index.name for index in window.indices if isinstance(index, Name))
    return ([Binder(names, None, node.at)], node) if len(names) == 2 else None


def _limited(parser: Parser, binder: Binder) -> Binder:
    """sum_{k=0}^{Ho-1}: the upper limit is included."""
    if not isinstance(binder.domain, Range) or len(binder.names) != 1:
        hint = "write sum_{k=0}^{Ho-1}, or sum(... for k in range(Ho))"
        raise parser.unexpected("an upper limit needs a lower one, as in sum_{k=0}^{Ho-1}", hint)
    if parser.accept("{"):
        last = parser.expression()
        parser.expect("}", "after the upper limit")
    elif parser.peek().kind == "name" and parser.sees("(", ahead=1) and parser.peek(1).spaced:
        token = parser.take()  # sum_{i=1}^n (x_i - t_i): what follows is summed
        last = Name(resolve(parser, token)[0], token.at)
    else:
        last = parser.expression(85)
    return Binder(binder.names, Range(binder.domain.start, plus_one(last), binder.at), binder.at)


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
    if kind == "prod":
        return _product(body, binders, condition, at)
    body = build.condition(body) if kind == "count" else build.number(body)
    return Reduce(kind, body, tuple(binders), condition, at)


def _product(body: Node, binders: list[Binder], condition: Node | None, at: int) -> Node:
    """A product of conditions: 1 where they hold for all."""
    factors, rest = [], [body]
    while rest:
        one = rest.pop()
        if isinstance(one, Arithmetic) and one.op == "*":
            rest += [one.right, one.left]
        else:
            factors.append(one)
    if not all(isinstance(one, Indicator) or build.is_condition(one) for one in factors):
        raise OffsetError(
            "I read a product over indices of conditions alone.",
            "write prod([x[i,j] >= x[p,q]] for p,q in Omega(k,l)), or a sum",
            at,
        )
    return Indicator(quantifiers.every(build.logic("and", factors, at), binders, condition, at), at)
