"""The messages by their Leibniz names: dL/dx_ij, dL/df[k,l], df_kl/dx_ij, (dL/dx)_ij."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.formula import build
from engine.formula.names import LOSSES
from engine.formula.subscripts import resolve, subscripts
from engine.formula.tokens import Token
from engine.formula.tree import Name, Node

if TYPE_CHECKING:
    from engine.formula.parser import Parser


def is_derivative(parser: Parser) -> bool:
    """Whether df, with or without indices, is followed by /dx."""
    ahead = 0
    if parser.peek().kind == "subs":
        ahead = 1
    elif parser.sees("[", "(", "_"):
        while not parser.sees("]", ")", "}", ahead=ahead) and parser.peek(ahead).kind != "end":
            ahead += 1
        ahead += 1
    below = parser.peek(ahead + 1)
    return parser.sees("/", ahead=ahead) and resolve(parser, below)[0] == "dx"


def derivative(parser: Parser, above: str, subscript: str, token: Token) -> Node:
    """dL/dx[i,j], dL/df_kl, df_kl/dx_ij: the messages by their Leibniz names."""
    upper = subscripts(parser, subscript, token) if above == "df" else []
    parser.expect("/", f"after {above}")
    below_token = parser.peek()
    below, below_subscript = resolve(parser, below_token)
    if below_token.kind != "name" or below not in ("dx", "df"):
        raise parser.unexpected("dx or df is expected in a derivative")
    parser.take()
    lower = subscripts(parser, below_subscript, below_token)
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
    below = resolve(parser, shape[3])[0]
    if below not in ("dx", "df"):
        return None
    for _ in shape:
        token = parser.take()
    name = "dx" if below == "dx" else "delta"
    indices = subscripts(parser, "", token)
    at = shape[0].at
    return Name(name, at) if indices is None else build.applied(name, indices, at)
