"""e^x, and softmax(window(k,l))[i,j]: wrong in max pooling, but written by many."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from engine.formula import build
from engine.formula.problem import OffsetError
from engine.formula.subscripts import subscripts
from engine.formula.tokens import Token
from engine.formula.tree import (
    Apply,
    Arithmetic,
    Binder,
    Cell,
    Comparison,
    Indicator,
    Name,
    Negative,
    Node,
    Number,
    Pair,
    Reduce,
    Window,
)

if TYPE_CHECKING:
    from engine.formula.parser import Parser

_POWER: Final = 89
_ROWS: Final = ("p", "m", "a", "u")
_COLUMNS: Final = ("q", "n", "b", "v")


def special(parser: Parser, name: str, token: Token) -> Node | None:
    """What `name`, just taken, begins; None where it is a name like any other."""
    if name in parser.defined:
        return None
    if name == "e" and parser.accept("^"):
        return Apply("exp", (build.number(parser.expression(_POWER)),), token.at)
    if name in _SLOPES and parser.sees("("):
        parser.take()
        inner = build.number(parser.expression())
        parser.expect(")", f"to close {name}(")
        return _SLOPES[name](inner, token.at)
    if name.lower() == "softmax" and parser.sees("(", "_"):
        return _softmax(parser, token)
    return None


def _minus(left: Node, right: Node, at: int) -> Node:
    return Arithmetic("-", left, right, at)


def _sigmoid(t: Node, at: int) -> Node:
    one = Number(1.0, at)
    return Arithmetic("/", one, Arithmetic("+", one, Apply("exp", (Negative(t, at),), at), at), at)


def _sigmoid_slope(t: Node, at: int) -> Node:
    value = _sigmoid(t, at)
    return Arithmetic("*", value, _minus(Number(1.0, at), value, at), at)


def _tanh_slope(t: Node, at: int) -> Node:
    squared = Arithmetic("^", Apply("tanh", (t,), at), Number(2.0, at), at)
    return _minus(Number(1.0, at), squared, at)


def _relu_slope(t: Node, at: int) -> Node:
    return Indicator(Comparison((">",), (t, Number(0.0, at)), at), at)


#: Activations that the layer does not have, and their slopes.
_SLOPES: Final[dict[str, Callable[[Node, int], Node]]] = {
    **dict.fromkeys(("sigma", "sigmoid"), _sigmoid),
    **dict.fromkeys(("sigma'", "sigmoid'"), _sigmoid_slope),
    "tanh'": _tanh_slope,
    **dict.fromkeys(("relu'", "ReLU'"), _relu_slope),
}


def _softmax(parser: Parser, token: Token) -> Node:
    """exp(x[i,j]) / sum(exp(x[p,q]) for p,q in Omega(k,l)), in the window alone."""
    hint = "write softmax(window(k,l))[i,j], or exp(x[i,j]) / sum(exp(x[p,q]) for p,q in ...)"
    if not parser.accept("("):
        raise parser.unexpected("brackets are expected after softmax", hint)
    region = build.region_of(parser.expression())
    parser.expect(")", "to close softmax(")
    indices = subscripts(parser, "", token)
    names = [index.name for index in indices or () if isinstance(index, Name)]
    if not (isinstance(region, Window) or region == Name("x")) or len(names) != 2:
        raise OffsetError("This softmax does not say of which inputs.", hint, token.at)
    inner = set(names)
    if isinstance(region, Window):
        inner |= {index.name for index in region.indices if isinstance(index, Name)}
    pair = tuple(
        next(letter for letter in letters if letter not in inner) for letters in (_ROWS, _COLUMNS)
    )
    at = token.at
    above, below = (
        Apply("exp", (Cell("x", tuple(Name(one, at) for one in letters), at),), at)
        for letters in (names, pair)
    )
    domain = region if isinstance(region, Window) else None
    total = Reduce("sum", below, (Binder(pair, domain, at),), None, at)
    share = Arithmetic("/", above, total, at)
    if domain is None:
        return share
    place = Pair(tuple(Name(one, at) for one in names), at)
    inside = Indicator(Comparison(("in",), (place, domain), at), at)
    return Arithmetic("*", inside, share, at)
