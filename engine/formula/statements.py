"""What a line of an answer says: it defines something, or it is the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from engine.formula import build
from engine.formula.heads import Left, head
from engine.formula.lines import LEADING, closing, opening, split
from engine.formula.problem import OffsetError
from engine.formula.tokens import Token
from engine.formula.tree import Cell, Definition, Name, Node, Pair

__all__ = ["Line", "definition", "left_side", "names_defined", "split"]

_BARE: Final = ("max", "min", "argmax", "argmin", "arg", "count")


@dataclass(frozen=True, slots=True)
class Line:
    left: Left | None
    right: list[Token]


def left_side(tokens: list[Token], read: Callable[[list[Token]], Left | None] = head) -> Line:
    """The line cut at the '=' of its left side, where it has one; `read` says what that is.

    Of a chain a = b = c the last is taken, where it is certain that it is one.
    Raises OffsetError.
    """
    while tokens[0].kind == "word" and tokens[0].text in LEADING and not _called(tokens):
        tokens = tokens[1:]
    cut = _equals(tokens)
    if cut is None:
        return Line(None, tokens)
    before = [*tokens[:cut], Token("end", "", tokens[cut].at)]
    left = read(before)
    if left is None:
        return Line(None, tokens)
    if tokens[cut].text == "+=":
        raise OffsetError(
            "'+=' is a step of a program, not a formula.",
            "write the sum: dx[i,j] = sum(... for k,l if ...)",
            tokens[cut].at,
        )
    return Line(left, _last(tokens[cut + 1 :], left, read))


def _called(tokens: list[Token]) -> bool:
    """Whether a line begins with where(C, A, B)."""
    return tokens[0].text == "where" and tokens[1].text == "(" and not tokens[1].spaced


def _last(
    right: list[Token], left: Left, read: Callable[[list[Token]], Left | None]
) -> list[Token]:
    """The last right side of a chain of equations."""
    cuts = _chained(right)
    if not cuts or 0 in cuts:
        return right
    first = [*right[: cuts[0]], Token("end", "", right[cuts[0]].at)]
    if right[0].kind == "name" and _equals(right) == cuts[0] and (also := read(first)) is not None:
        # dL/dx_ij = dx_ij = ... says the same twice; what else is defined is for the caller.
        return left_side(right, read).right if also.kind == left.kind != "definition" else right
    last = right[cuts[-1] + 1 :]
    before = right[(cuts[-2] + 1 if len(cuts) > 1 else 0) : cuts[-1]]
    if not before or (_alone(last) and before[0].text.split("_")[0] not in _BARE):
        # delta_kl x_ij = f_kl is no chain: brackets are missing there.
        return right
    return last


def _chained(right: list[Token]) -> list[int]:
    """Where '=' stands outside of brackets, up to the first word or comma there."""
    depth = 0
    found: list[int] = []
    for place, token in enumerate(right):
        depth += opening(token) - closing(token)
        if depth == 0 and (token.kind == "word" or (token.kind == "op" and token.text == ",")):
            break
        if depth == 0 and token.kind == "op" and token.text == "=":
            found.append(place)
    return found


def _alone(tokens: list[Token]) -> bool:
    """Whether there is one name, with its indices, or one maximum, and nothing more."""
    if tokens[0].text == "(" or tokens[0].text.split("_")[0] in _BARE:
        return True
    depth = 0
    for token in tokens[1:-1]:
        depth += opening(token) - closing(token)
        inside = depth > 0 or closing(token) or token.kind == "subs" or token.text == "_"
        if not inside:
            return False
    return tokens[0].kind == "name"


def _equals(tokens: list[Token]) -> int | None:
    """Where the first '=' outside of brackets stands, if nothing before it is an expression."""
    depth = 0
    for place, token in enumerate(tokens):
        if depth == 0 and place and token.kind == "word" and token.text == "is":
            return place
        if token.kind in ("word", "number", "end") and depth == 0:
            return None
        if token.kind != "op":
            continue
        depth += opening(token) - closing(token)
        if depth == 0 and token.text in ("=", ":=", "+="):
            return place
        if depth == 0 and token.text not in (")", "]", "}", "/", ",", "_", "^"):
            return None
    return None


def names_defined(lines: list[Line]) -> Mapping[str, int]:
    """Every name that the lines define, with its number of indices.  Raises OffsetError."""
    found: dict[str, int] = {}
    for line in lines:
        if line.left is None or line.left.kind != "definition":
            continue
        for name in line.left.names:
            if name in found:
                raise OffsetError(f"'{name}' is defined twice.", "keep one line", line.left.at)
            if name != "delta":
                found[name] = len(line.left.parameters)
    return found


def definition(line: Line, body: Node) -> Definition | None:
    """The definition on a line; None for delta[k,l] = dL/df[k,l], which says nothing new."""
    left = line.left
    assert left is not None
    if left.names == ("delta",):
        same = Cell("delta", tuple(map(Name, left.parameters)))
        if body in (same, Name("delta")):
            return None
        raise OffsetError("delta is given, it cannot be defined.", "choose another name", left.at)
    if len(left.names) == 2 and isinstance(body, Pair) is False and build.is_condition(body):
        raise OffsetError("A pair is defined by a pair.", "write (i*,j*) = argmax(k,l)", left.at)
    return Definition(left.names, left.parameters, body, left.at)
