"""The messages by their Leibniz names: dL/dx_ij, dL/df[k,l], df_kl/dx_ij, (dL/dx)_ij."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.formula import build, kronecker
from engine.formula.names import LOSSES
from engine.formula.subscripts import resolve, subscripts
from engine.formula.tokens import Token
from engine.formula.tree import Name, Node

if TYPE_CHECKING:
    from engine.formula.parser import Parser


def is_derivative(parser: Parser) -> bool:
    """Whether df, with or without indices and (x), is followed by /dx."""
    ahead = 0
    while not parser.sees("/", ahead=ahead):
        if parser.peek(ahead).kind == "subs" or parser.sees("_", ahead=ahead):
            ahead += 1
        elif parser.sees("[", "(", "{", ahead=ahead):
            ahead = _past(parser, ahead)
        else:
            return False
    below = parser.peek(ahead + 1)
    return resolve(parser, below)[0] == "dx"


def _past(parser: Parser, ahead: int) -> int:
    """How far ahead the bracket that opens at `ahead` is closed."""
    depth = 0
    while parser.peek(ahead).kind != "end":
        depth += parser.sees("[", "(", "{", ahead=ahead) - parser.sees("]", ")", "}", ahead=ahead)
        ahead += 1
        if depth == 0:
            break
    return ahead


def derivative(parser: Parser, above: str, subscript: str, token: Token) -> Node:
    """dL/dx[i,j], dL/df_kl, df_kl/dx_ij: the messages by their Leibniz names."""
    of_x(parser)
    upper = subscripts(parser, subscript, token) if above in ("df", "dx") else []
    of_x(parser)
    parser.expect("/", f"after {above}")
    below_token = parser.peek()
    below, below_subscript = resolve(parser, below_token)
    if below_token.kind != "name" or below not in ("dx", "df"):
        raise parser.unexpected("dx or df is expected in a derivative")
    parser.take()
    lower = subscripts(parser, below_subscript, below_token)
    if above == below and upper and lower and len(upper) == len(lower):
        return kronecker.of_itself(upper, lower, token.at)
    if above == "df":
        indices = [*(upper or []), *(lower or [])]
        return build.applied("J", indices, token.at) if indices else Name("J", token.at)
    name = "dx" if below == "dx" else "delta"
    return Name(name, token.at) if lower is None else build.applied(name, lower, token.at)


def derivative_in_brackets(parser: Parser) -> Node | None:
    """(dL/dx)_ij or (dL/df)[k,l]; None where the bracket is another one."""
    shape = [parser.peek(n) for n in range(5)]
    if [shape[2].text, shape[4].text] != ["/", ")"] or shape[1].text not in LOSSES:
        return None
    below, subscript = resolve(parser, shape[3])
    if below not in ("dx", "df") or subscript:
        return None
    for _ in shape:
        token = parser.take()
    name = "dx" if below == "dx" else "delta"
    indices = subscripts(parser, "", token)
    at = shape[0].at
    return Name(name, at) if indices is None else build.applied(name, indices, at)


def of_x(parser: Parser) -> None:
    """Take the (x) of f_kl(x): the forward message as a function of the whole input."""
    if parser.sees("(") and parser.peek(1).text == "x" and parser.sees(")", ahead=2):
        for _ in range(3):
            parser.take()
