"""Sums that do not say over what, or behind: Σ e over all k,l, and Σ δ_kl [...] of windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.formula import build
from engine.formula.clauses import clauses, such_that
from engine.formula.problem import OffsetError
from engine.formula.substitute import free
from engine.formula.tokens import Token
from engine.formula.tree import Arithmetic, Binder, Cell, Name, Node, Reduce, children
from engine.formula.vocabulary import Pooling

if TYPE_CHECKING:
    from engine.formula.parser import Parser

_VALUE, _PRODUCT = 15, 65
_WINDOW: Final = ("k", "l")
#: Also those of whole arrays, see engine/given/surface.py.
_PRODUCTS: Final = ("*", "/", "⊙", "·", "@", "⊗", " ")


def bare(parser: Parser, kind: str, token: Token) -> Node:
    """Σ e over all k,l with C; or Σ e, where e itself tells."""
    body = parser.expression(_PRODUCT)
    if isinstance(body, Reduce) and body.kind == kind and body.names == _WINDOW:
        return body  # ΣΣ δ_kl [...], one for k and one for l
    if parser.accept("over", "forall"):
        binders, condition = clauses(parser, ())
        return Reduce(kind, build.number(body), tuple(binders), condition, token.at)
    found = implied(parser, kind, [body], token)
    messages = found is None and not build.is_condition(body) and "delta" in _free(body)
    if messages and (parser.accept("with", "where") or such_that(parser)):
        # the sum of delta[k,l] with C: of those for which C holds
        test = build.condition(parser.expression(_VALUE))
        return Reduce(kind, body, (Binder(_WINDOW, None, token.at),), test, token.at)
    if found is None:
        raise silent(kind, token)
    return found


def implied(parser: Parser, kind: str, found: list[Node], token: Token) -> Node | None:
    """The sum of delta[k,l] times something: over the windows, there is nothing else to sum."""
    if kind != "sum" or len(found) != 1 or not isinstance(parser.vocabulary, Pooling):
        return None
    free = _free(found[0])
    if not {*_WINDOW, "delta"} <= free or not free & {"i", "j"}:
        return None
    return Reduce(kind, build.number(found[0]), (Binder(_WINDOW, None, token.at),), None, token.at)


def _free(node: Node) -> set[str]:
    """The names in an expression that nothing in it binds."""
    if isinstance(node, Name):
        return {node.name}
    found = {name for child in children(node) for name in _free(child)}
    if isinstance(node, Cell):
        return found | {node.array}
    return found - {*node.names} if isinstance(node, Reduce) else found


def silent(kind: str, token: Token) -> OffsetError:
    hint = f"write {kind}(window(k,l))"
    if kind in ("sum", "count", "mean", "prod"):
        hint = f"write {kind}(... for k,l if (i,j) in Omega(k,l))"
    return OffsetError(f"'{token.text}' does not say over what.", hint, token.at)


def ended(right: Node) -> None:
    """Raise OffsetError if a sum behind a '/' took in a factor that it does not run over.

    In a / sum_m b_m (c - d) the last bracket could be meant behind the fraction as well.
    """
    names: frozenset[str] = frozenset()
    node = right
    if isinstance(right, Arithmetic) and right.op == "^":
        node = right.left
    while isinstance(node, Reduce):
        names |= {*node.names}
        node = node.body
    factors: list[tuple[Node, int]] = []
    while isinstance(node, Arithmetic) and node.op in _PRODUCTS:
        factors.append((node.right, node.at))
        node = node.left
    for factor, at in factors:
        if names and not names & free(factor):
            raise OffsetError(
                "I cannot tell whether this factor still belongs to the sum behind the '/'.",
                "put the denominator in brackets: a / (sum_{m} b_m) * (...)",
                at,
            )
