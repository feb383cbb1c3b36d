"""Indices in any of their spellings: x_ij, x_{i,j}, x[i,j], x(i,j), J_{kl,ij}."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.formula import build
from engine.formula.names import canonical
from engine.formula.tokens import Token
from engine.formula.tree import Name, Node

if TYPE_CHECKING:
    from engine.formula.parser import Parser

_RELATIONS: Final = ("==", "=", "!=", "<", "<=", ">", ">=", "in", "not", "and", "or")
#: delta_{x,ij} and delta_{f,kl}: the message at x, and at f.
SECOND: Final = {"x": "dx", "f": "delta"}


def resolve(parser: Parser, token: Token) -> tuple[str, str]:
    """A name's meaning and the subscript written on it: x_ij is x with "ij"."""
    whole = token.text
    parts = whole.split("_")
    for size in range(len(parts), 0, -1):
        head = "_".join(parts[:size])
        name = head if head in parser.defined else parser.vocabulary.canonical(head)
        if name is not None:
            return name, "".join(parts[size:])
    return whole, ""


def arguments(parser: Parser, closing: str) -> list[Node]:
    """Expressions with commas between them, up to the closing bracket."""
    found: list[Node] = []
    while not parser.sees(closing):
        found.append(parser.expression())
        if not parser.accept(","):
            break
    parser.expect(closing, "to close the bracket")
    return found


def subscripts(parser: Parser, subscript: str, token: Token, arity: int = 2) -> list[Node] | None:
    """The indices after an array's name, in any of their spellings; None where there are none."""
    if subscript:
        return build.letters(subscript, token.at)
    following = parser.peek()
    if following.kind == "subs":
        parser.take()
        return build.letters(following.text, following.at)
    if parser.accept("_") and not parser.sees("("):
        parser.expect("{", "after '_'")
        return _split(arguments(parser, "}"), arity)
    if parser.accept("["):
        found = arguments(parser, "]")
        while parser.sees("[") and not parser.peek().spaced and len(found) < 2:
            if _tests(parser):
                break  # δ_k[i = k]: an indicator stands beside the cell
            parser.take()
            found += arguments(parser, "]")
        return _split(found, arity)
    if parser.accept("("):
        return _split(arguments(parser, ")"), arity)
    return None


def _tests(parser: Parser) -> bool:
    """Whether the bracket that opens here holds a condition."""
    depth, ahead = 0, 0
    while True:
        depth += parser.sees("[", "(", "{", ahead=ahead) - parser.sees("]", ")", "}", ahead=ahead)
        if depth == 0 or parser.peek(ahead).kind == "end":
            return False
        if depth == 1 and parser.sees(*_RELATIONS, ahead=ahead):
            return True
        ahead += 1


def _split(indices: list[Node], arity: int) -> list[Node]:
    """{x,ij} and [kl,ij] hold two indices in one word."""
    first = indices[0] if indices else None
    tagged = isinstance(first, Name) and canonical(first.name) in SECOND
    if len(indices) == arity and not tagged:
        return indices
    found: list[Node] = []
    for index in indices:
        word = index.name if isinstance(index, Name) else ""
        if len(word) == 2 and word.isalpha() and canonical(word) is None:
            found.extend(build.letters(word, index.at))
        else:
            found.append(index)
    return found


def message(parser: Parser, subscript: str) -> tuple[str, str] | None:
    """After δ, the ^f or ^x that says whose message it is: its name and its subscript.

    δ^f_kl, δ_kl^f, δ^{(x)}_{ij}; None, and nothing taken, where there is no such mark.
    """
    if subscript and parser.peek().kind == "subs":
        return None
    if not parser.sees("^"):
        return None
    opened = 0
    while parser.sees("{", "(", ahead=1 + opened):
        opened += 1
    head, _, tail = parser.peek(1 + opened).text.partition("_")
    name = SECOND.get(canonical(head) or "")
    closed = all(parser.sees("}", ")", ahead=2 + opened + n) for n in range(opened))
    if name is None or not closed or (tail and opened):
        return None
    for _ in range(2 + 2 * opened):
        parser.take()
    return name, subscript + tail
