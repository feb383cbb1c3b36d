"""The lines of an answer: line breaks, sentences, 'where', and commas between two equations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.formula.problem import OffsetError
from engine.formula.tokens import Token

LEADING: Final = ("let", "where", "with", "then", "and")
_CONTINUES: Final = (
    *("+", "-", "*", "/", "=", "==", "^"),
    *("if", "when", "else", "otherwise", "for", "forall", "over", "and"),
)
_UNFINISHED: Final = (*_CONTINUES, ":=", ",", "or", "not", "in", "then")
_PLAIN: Final = frozenset("ijkl")
#: So many tokens stand before the '=' of a definition at the most.
_HEAD: Final = 40
#: A line may use the one before: each is some steps deeper for whoever follows them.
_MOST: Final = 60
#: What no line defines: a condition begins with it.
_GIVEN: Final = frozenset(("x", "max", "min", "argmax", "argmin", "count", "abs", "Omega"))


def split(tokens: list[Token]) -> list[list[Token]]:
    """The lines, each closed by an "end" token.  Raises OffsetError for too many."""
    lines: list[list[Token]] = [[]]
    depth = 0
    equated = False  # whether an equation stands in the line already
    for at, token in enumerate(tokens[:-1]):
        depth += opening(token) - closing(token)
        breaks = depth == 0 and _breaks(tokens, at, lines[-1], equated)
        if breaks:
            lines.append([token] if token.text in ("where", "with", "let") else [])
            equated = False
        else:
            lines[-1].append(token)
            equated |= depth == 0 and token.kind == "op" and token.text in ("=", ":=")
    joined = _joined([line for line in map(_trimmed, lines) if line])
    if len(joined) > _MOST:
        raise OffsetError(
            f"Only {_MOST} lines are read.", "leave lines out that say little", joined[_MOST][0].at
        )
    end = tokens[-1].at
    return [[*line, Token("end", "", _end_of(line, end))] for line in joined]


def opening(token: Token) -> bool:
    return token.kind == "op" and token.text in ("(", "[", "{")


def closing(token: Token) -> bool:
    return token.kind == "op" and token.text in (")", "]", "}")


def _breaks(tokens: list[Token], at: int, line: list[Token], equated: bool) -> bool:
    """Whether a new line begins behind the token, or with it."""
    token = tokens[at]
    if token.kind == "newline" or (token.kind == "op" and token.text == ";"):
        return True
    if token.kind == "op" and token.text == ",":
        return equated and _defines(tokens[at + 1 :], listed=True)
    if token.kind != "word":
        return False
    if token.text in ("where", "with"):
        return _defines(tokens[at + 1 :])
    if token.text == "and":
        plain = equated and not any(t.kind == "word" and t.text not in LEADING for t in line)
        return plain and _defines(tokens[at + 1 :], listed=True)
    if token.text == "then":
        return not any(t.kind == "word" and t.text in ("if", "when") for t in line)
    return token.text == "let"


def _defines(rest: Sequence[Token], listed: bool = False) -> bool:
    """Whether a definition follows: a name of one's own, perhaps with indices, and '='."""
    start = 0
    while rest[start].kind == "newline" or (
        rest[start].kind == "word" and rest[start].text in LEADING
    ):
        start += 1
    depth = 0
    names: list[str] = []
    commas = 0
    for at in range(start, len(rest)):
        token = rest[at]
        if depth == 0 and token.kind == "op" and token.text in ("=", ":="):
            own = [name for name in names if name not in _GIVEN]
            plain = set(own) <= _PLAIN and (listed or len(own) != 1)
            return bool(own) and own == names and not plain and commas < 2
        if token.kind in ("newline", "end", "number") and depth == 0:
            return False
        if token.kind == "word" and (depth == 0 or token.text != "in"):
            return False
        if token.kind == "op" and token.text not in {*"()[]{},_/^"}:
            return False
        before = rest[at - 1] if at > start else None
        pair = depth == 1 and rest[start].text == "(" and commas < 2
        if token.kind == "name" and (depth == 0 or pair):
            follows = before is None or before.text in ("(", ",", "/") or before.kind == "word"
            if follows and not (depth and before is not None and before.kind == "name"):
                names.append(token.text.split("_")[0])
        commas += depth == 0 and token.text == ","
        if commas > 1 or at - start > _HEAD:
            return False
        depth += opening(token) - closing(token)
    return False


def _end_of(line: list[Token], end: int) -> int:
    last = line[-1]
    return min(end, last.at + max(1, len(last.text)))


def _trimmed(line: list[Token]) -> list[Token]:
    while line and line[-1].text in (",", ":") and line[-1].kind == "op":
        line = line[:-1]
    while line and line[0].text == "," and line[0].kind == "op":
        line = line[1:]
    return line if any(token.text not in LEADING for token in line) else []


def _hangs(line: list[Token]) -> bool:
    """Whether a line cannot end where it does."""
    last = line[-1]
    if last.kind not in ("op", "word") or last.text not in _UNFINISHED:
        return False
    # 0 otherwise: complete; ..., otherwise: not.
    told = last.text in ("otherwise", "else") and len(line) > 1
    return not (told and line[-2].text not in (",", ";", "and"))


def _states(line: list[Token]) -> bool:
    """Whether a line is an equation: '=' outside of brackets, before any other word."""
    depth = 0
    for token in line:
        depth += opening(token) - closing(token)
        if depth == 0 and token.kind == "op" and token.text in ("=", ":="):
            return True
        if depth == 0 and token.kind == "word" and token.text not in LEADING:
            return False
    return False


def _joined(lines: list[list[Token]]) -> list[list[Token]]:
    """A line that cannot stand alone belongs to the one before."""
    joined: list[list[Token]] = []
    for line in lines:
        starts = line[0].kind in ("op", "word") and line[0].text in _CONTINUES
        ends = line[-1].kind == "word" and line[-1].text in ("otherwise", "else")
        hangs = bool(joined) and _hangs(joined[-1])
        if joined and (starts or hangs or (ends and not _states(line))):
            comma = [Token("op", ",", line[0].at)] if ends or line[0].text == "otherwise" else []
            joined[-1] = [*joined[-1], *([] if hangs else comma), *line]
        else:
            joined.append(line)
    return joined
