"""The left sides of lines: dx[i,j], df_kl/dx_ij, (i*,j*), m[k,l]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.formula import build
from engine.formula.derivatives import derivative_in_brackets
from engine.formula.names import INDEXED, REDEFINABLE, REDUCERS, SCALARS, TAKEN, canonical
from engine.formula.parser import Parser
from engine.formula.problem import OffsetError
from engine.formula.subscripts import resolve, subscripts
from engine.formula.tokens import Token
from engine.formula.tree import Cell, Name, Node

_PLAIN: Final = ("i", "j", "k", "l")


@dataclass(frozen=True, slots=True)
class Left:
    """What stands before the '=' of a line."""

    kind: str
    """"dx", "J", "definition", or what else an exercise asks for."""
    names: tuple[str, ...]
    """The defined names, or of dx and J the indices (none: the usual ones)."""
    parameters: tuple[str, ...]
    at: int


def head(tokens: list[Token]) -> Left | None:
    at = tokens[0].at
    listed = [token.text for token in tokens[1:-1:2]]
    if canonical(tokens[0].text) == "dx" and listed and listed[0] == ",":
        # delta_x,ij and delta_x,i,j without braces
        inside = [letter for token in tokens[2::2] for letter in token.text]
        if set(listed) == {","} and len(inside) == 2:
            return Left("dx", (inside[0], inside[1]), (), at)
    pair = pair_of(tokens)
    if pair is not None:
        return None if set(pair) <= set(_PLAIN) else Left("definition", pair, (), at)
    placed = _placed_pair(tokens)
    if placed is not None:
        return placed
    if tokens[0].kind == "op":
        if tokens[0].text == "(" and tokens[-2].text == ")" and tokens[1].kind == "name":
            # (dL/dx_ij) = ...: the brackets change nothing.
            return head([*tokens[1:-2], tokens[-1]]) if _closes_last(tokens) else None
        parser = Parser(tokens, {})
        node = derivative_in_brackets(parser)
        return _target(node, at) if node is not None and parser.peek().kind == "end" else None
    if tokens[0].kind != "name":
        return None
    name, subscript = resolve(Parser(tokens, {}), tokens[0])
    if name in REDUCERS:
        return None
    if name in SCALARS and (subscript or tokens[1].kind != "end"):
        return _new_head(tokens, at)  # W(i,j) = {(k,l) : ...} is not the width
    if name in INDEXED or canonical(name) is not None:
        return _declared_head(tokens, name, at)
    return _new_head(tokens, at)


def _closes_last(tokens: list[Token]) -> bool:
    """Whether the bracket that opens first is the one that closes last."""
    depth = 0
    for token in tokens[:-2]:
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if depth == 0:
            return False
    return True


def pair_of(tokens: list[Token]) -> tuple[str, ...] | None:
    """The two names of (i*,j*) = ..., with or without brackets."""
    inner = tokens[1:-2] if tokens[0].text == "(" and tokens[-2].text == ")" else tokens[:-1]
    kinds = [token.kind for token in inner]
    if kinds != ["name", "op", "name"] or inner[1].text != ",":
        return None
    for token in (inner[0], inner[2]):
        _free(token.text, token.at)
    return inner[0].text, inner[2].text


def _placed_pair(tokens: list[Token]) -> Left | None:
    """(i*(k,l), j*(k,l)) = ..., the two with the same indices."""
    if tokens[0].text != "(" or tokens[-2].text != ")" or not _closes_last(tokens):
        return None
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens[1:-2]:
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if depth == 0 and token.text == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    if len(parts) != 2 or any(len(part) < 2 or part[0].kind != "name" for part in parts):
        return None
    lefts = [_new_head([*part, Token("end", "", part[-1].at)], part[0].at) for part in parts]
    one, two = lefts
    if one is None or two is None or one.parameters != two.parameters or not one.parameters:
        return None
    return Left("definition", (*one.names, *two.names), one.parameters, tokens[0].at)


def _free(name: str, at: int) -> None:
    if name in TAKEN:
        raise OffsetError(
            f"'{name}' has a meaning already, it cannot be defined.", "choose another name", at
        )


def _declared_head(tokens: list[Token], name: str, at: int) -> Left | None:
    parser = Parser(tokens, {})
    node = parser.expression(75)
    if name in ("dx", "J") or (isinstance(node, Name | Cell) and _asked(node)):
        return _target(node, at) if parser.peek().kind == "end" else None
    if parser.peek().kind != "end" or not isinstance(node, Name | Cell):
        return None
    called = node.array if isinstance(node, Cell) else node.name
    if called in REDEFINABLE or called == "delta":
        parameters = _plain_names(node.indices) if isinstance(node, Cell) else ()
        return Left("definition", (called,), parameters, at)
    raise OffsetError(
        f"{called} is given, it cannot be defined.",
        "write dx[i,j] = ... for the answer; a condition stands in [ ]",
        at,
    )


def _asked(node: Node) -> bool:
    name = node.array if isinstance(node, Cell) else node.name if isinstance(node, Name) else ""
    return name in ("dx", "J")


def _target(node: Node, at: int) -> Left:
    if isinstance(node, Cell) and node.array in ("dx", "J"):
        if any(isinstance(index, Name) and "*" in index.name for index in node.indices):
            raise OffsetError(
                "This gives a value at one place only, not at every (i,j).",
                "write dx[i,j] = delta[k,l] * [(i,j) == (i*,j*)]",
                node.indices[0].at,
            )
        names = _plain_names(node.indices)
        if node.array == "J" and names == _PLAIN:
            names = ("k", "l", "i", "j")
        return Left("dx" if node.array == "dx" else "J", names, (), at)
    kind = node.name if isinstance(node, Name) else ""
    if kind in ("dx", "J"):
        return Left("dx" if kind == "dx" else "J", (), (), at)
    raise OffsetError(
        "This cannot stand before '='.", "write dx[i,j] = ... or J[k,l,i,j] = ...", at
    )


def _plain_names(indices: tuple[Node, ...]) -> tuple[str, ...]:
    names: list[str] = []
    for index in indices:
        if not isinstance(index, Name) or canonical(index.name) is not None:
            at = index.at
            raise OffsetError(
                "Before '=' each index is a plain letter.", "write dx[i,j] = sum(...)", at
            )
        names.append(index.name)
    if len(set(names)) != len(names):
        raise OffsetError("An index occurs twice before '='.", "write dx[i,j]", indices[0].at)
    return tuple(names)


def _new_head(tokens: list[Token], at: int) -> Left | None:
    """m = ..., m_kl = ..., m[k,l] = ..., m(k,l) = ..."""
    parts = tokens[0].text.split("_")
    name, tail = "_".join(parts[:-1]), parts[-1]
    if len(parts) > 1 and 0 < len(tail) <= 4 and set(tail) <= set("ijklmnpqrsuvab"):
        inside: list[Node] = build.letters(tail, at)
        rest = tokens[1:]
    else:
        name = tokens[0].text
        parser = Parser([Token("name", "x", at), *tokens[1:]], {"x": -1})
        first = parser.take()
        inside = subscripts(parser, "", first) or []
        rest = [parser.peek()]
    if rest[0].kind != "end":
        return None
    if name not in SCALARS or not inside:
        _free(name, at)
    return Left("definition", (name,), _plain_names(tuple(inside)), at)
