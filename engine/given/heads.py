"""The left sides of lines: dL/dx[j], dy[k]/dx[j], dx[j], ds[k] = ..., s[k] = ..."""

from __future__ import annotations

from dataclasses import dataclass

from engine.formula import echo, heads
from engine.formula.heads import Left
from engine.formula.parser import Parser
from engine.formula.problem import OffsetError
from engine.formula.subscripts import resolve, subscripts
from engine.formula.tokens import Token
from engine.formula.tree import Cell, Name, Node
from engine.given import aliases
from engine.given.vocabulary import Words


@dataclass(frozen=True, slots=True)
class Derivative:
    """d above / d below; `above` is "" for the loss, indices are None where none are written."""

    above: str
    below: str
    upper: tuple[str, ...] | None
    lower: tuple[str, ...] | None
    at: int

    @property
    def indices(self) -> tuple[str, ...] | None:
        if self.upper is None and self.lower is None:
            return None
        return (*(self.upper or ()), *(self.lower or ()))

    @property
    def name(self) -> str:
        return f"d{self.above}/d{self.below}" if self.above else f"d{self.below}"


def derivative(tokens: list[Token], words: Words) -> Derivative | None:
    """A derivative by its name, the whole of `tokens`; None where it is something else."""
    tokens, at = _upright(_bare(tokens))
    if tokens[0].kind != "name":
        return None
    found = _derivative(tokens, words)
    if found is not None and at is not None:
        _refuse_turned(found, at, words)
    return found


def _derivative(tokens: list[Token], words: Words) -> Derivative | None:
    parser = Parser(tokens, dict(words.arities), words)
    token = parser.take()
    name, subscript = resolve(parser, token)
    at = token.at
    if name in words.arities:
        return None
    if name == "delta" or "/" in name:
        return _by_alias(parser, name, subscript, token, words)
    if name[:1] != "d" or not (name == "dL" or name[1:] in words.arities):
        return None
    above = "" if name == "dL" else name[1:]
    upper = _letters(parser, subscript, token, words.arities.get(above, 0))
    if not parser.accept("/"):
        if not above or parser.peek().kind != "end":
            return None
        return Derivative("", above, None, upper, at)
    below_token = parser.peek()
    below, low = resolve(parser, below_token)
    if below[:1] != "d" or below[1:] not in words.arities:
        return None
    parser.take()
    lower = _letters(parser, low, below_token, words.arities[below[1:]])
    if parser.peek().kind != "end":
        return None
    return Derivative(above, below[1:], upper, lower, at)


def _upright(tokens: list[Token]) -> tuple[list[Token], int | None]:
    """(dL/dx)^T and dL/dx^T without the transpose, and where it stands."""
    for place, token in enumerate(tokens[:-1]):
        opened = int(tokens[min(place + 1, len(tokens) - 2)].text in ("{", "("))
        size = 2 + 2 * opened
        inside = [t.text for t in tokens[place + 1 + opened : place + 2 + opened]]
        if token.text == "^" and inside in (["T"], ["top"]):
            return [*tokens[:place], *tokens[place + size :]], token.at
    return tokens, None


def _refuse_turned(found: Derivative, at: int, words: Words) -> None:
    """Of a vector nothing changes when it lies; a matrix is another."""
    if found.above or words.arities[found.below] > 1:
        raise OffsetError("The left side is transposed.", f"write what {found.name} itself is", at)


def _bare(tokens: list[Token]) -> list[Token]:
    """Without brackets around the whole, as in (dL/dx)[j]: the brackets change nothing."""
    if tokens[0].text != "(":
        return tokens
    depth = 0
    for place, token in enumerate(tokens):
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if depth == 0:
            return [*tokens[1:place], *tokens[place + 1 :]]
    return tokens


def _by_alias(
    parser: Parser, name: str, subscript: str, token: Token, words: Words
) -> Derivative | None:
    """delta_{s,k}, delta[k], J[k,j]."""
    indices = _letters(parser, subscript, token, 1)
    if parser.peek().kind != "end":
        return None
    if "/" in name:
        above, below = (part[1:] for part in name.split("/"))
        count = words.arities[above]
        upper = None if indices is None else indices[:count]
        return Derivative(
            above, below, upper, None if indices is None else indices[count:], token.at
        )
    if indices and indices[0] in words.arrays:
        return Derivative("", indices[0], None, indices[1:] or None, token.at)
    return Derivative("", words.output, None, indices, token.at) if words.output else None


def _letters(parser: Parser, subscript: str, token: Token, arity: int) -> tuple[str, ...] | None:
    found = subscripts(parser, subscript, token, arity)
    return None if found is None else tuple(_letter(node, token) for node in found)


def _letter(node: Node, token: Token) -> str:
    if not isinstance(node, Name):
        raise OffsetError("Before '=' each index is a plain letter.", "write dx[j] = ...", token.at)
    return node.name


def definition(tokens: list[Token], words: Words) -> Left | None:
    """A name of the learner's: (i*,j*), m, m[k], f'(t).  A given intermediate may be restated."""
    at = tokens[0].at
    pair = heads.pair_of(tokens)
    if pair is not None:
        return Left("definition", pair, (), at)
    if tokens[0].kind != "name":
        return None
    parser = Parser(tokens, dict(words.arities), words)
    token = parser.take()
    name, subscript = _split(token.text, words)
    called = parser.sees("(") and name not in words.arities
    nodes = subscripts(parser, subscript, token, 1) or []
    if parser.peek().kind != "end":
        return None
    inside = tuple(_parameter(node, token) for node in nodes)
    for letter in inside:
        # f'(s) = ... is a function of a number, by whatever name.
        if letter in words.arities and not called:
            raise OffsetError(
                f"{letter} is given, it cannot be an index.", "choose another letter", at
            )
    own = name in words.arities or aliases.meant(name, words) is not None
    if not own and words.canonical(name) not in (None, "delta", "sigmoid", name):
        raise OffsetError(
            f"'{name}' has a meaning already, it cannot be defined.", "choose another name", at
        )
    if len(set(inside)) != len(inside):
        raise OffsetError("An index occurs twice before '='.", "give each its own letter", at)
    return Left("definition", (name,), inside, at)


def _parameter(node: Node, token: Token) -> str:
    """k, or s[k] in f'(s[k]) = ...: as on paper, what the function is applied to."""
    match node:
        case Cell(_, indices) if all(isinstance(index, Name) for index in indices):
            return echo.text(node)
    return _letter(node, token)


def _split(word: str, words: Words) -> tuple[str, str]:
    if word in words.arities:
        return word, ""
    head, _, tail = word.rpartition("_")
    if head and 0 < len(tail) <= 4 and set(tail) <= set("ijklmnpqrsuvabtd"):
        return head, tail
    return word, ""
