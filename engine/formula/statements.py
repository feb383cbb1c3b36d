"""The lines of an answer: which of them define something, which one is the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from engine.formula import build
from engine.formula.heads import Left, head
from engine.formula.problem import OffsetError
from engine.formula.tokens import Token
from engine.formula.tree import Cell, Definition, Name, Node, Pair

_LEADING: Final = ("let", "where", "with", "then", "and")
_CONTINUES: Final = (
    "+",
    "-",
    "*",
    "/",
    "=",
    "==",
    "^",
    "if",
    "when",
    "else",
    "otherwise",
    "for",
    "and",
)
_UNFINISHED: Final = (*_CONTINUES, ":=", ",", "or", "not", "in", "then")
_PLAIN: Final = ("i", "j", "k", "l")


@dataclass(frozen=True, slots=True)
class Line:
    left: Left | None
    right: list[Token]


def split(tokens: list[Token]) -> list[list[Token]]:
    """Lines at line breaks, ';' and 'where', each closed by an "end" token."""
    lines: list[list[Token]] = [[]]
    depth = 0
    for token in tokens[:-1]:
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        outside = depth == 0
        breaks = token.kind == "newline" or (token.kind == "op" and token.text == ";")
        if outside and (breaks or token.text in ("where", "with", "let")):
            lines.append([] if breaks else [token])
        else:
            lines[-1].append(token)
    joined = _joined([line for line in map(_trimmed, lines) if line])
    end = tokens[-1].at
    return [[*line, Token("end", "", _end_of(line, end))] for line in joined]


def _end_of(line: list[Token], end: int) -> int:
    last = line[-1]
    return min(end, last.at + max(1, len(last.text)))


def _trimmed(line: list[Token]) -> list[Token]:
    while line and line[-1].text == "," and line[-1].kind == "op":
        line = line[:-1]
    return line if any(token.text not in _LEADING for token in line) else []


def _joined(lines: list[list[Token]]) -> list[list[Token]]:
    """A line that cannot stand alone belongs to the one before."""
    joined: list[list[Token]] = []
    for line in lines:
        symbols = [t.text for t in line if t.kind in ("op", "word")]
        starts = line[0].kind in ("op", "word") and line[0].text in _CONTINUES
        ends = line[-1].kind == "word" and line[-1].text in ("otherwise", "else")
        before = joined[-1][-1] if joined else None
        hangs = before is not None and before.kind in ("op", "word") and before.text in _UNFINISHED
        hangs = hangs and before is not None and not _starred(before)
        if joined and (starts or hangs or (ends and "=" not in symbols[:1])):
            comma = [Token("op", ",", line[0].at)] if ends or line[0].text == "otherwise" else []
            joined[-1] = [*joined[-1], *([] if hangs else comma), *line]
        else:
            joined.append(line)
    return joined


def _starred(token: Token) -> bool:
    return token.kind == "name"


def left_side(tokens: list[Token], read: Callable[[list[Token]], Left | None] = head) -> Line:
    """The line cut at the '=' of its left side, where it has one; `read` says what that is.

    Raises OffsetError.
    """
    while tokens[0].kind == "word" and tokens[0].text in _LEADING:
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
    return Line(left, tokens[cut + 1 :])


def _equals(tokens: list[Token]) -> int | None:
    """Where the first '=' outside of brackets stands, if nothing before it is an expression."""
    depth = 0
    for place, token in enumerate(tokens):
        if token.kind in ("word", "number", "end") and depth == 0:
            return None
        if token.kind != "op":
            continue
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
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
