"""A first look at a forward message: its lines, what each defines, and who takes how many indices.

The grammar tells x_ij from y_hat, and a(b) the product from f(t) the function, by the names that
are declared.  A card declares them by using them; this look collects them before anything is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.formula import names
from engine.formula.problem import OffsetError
from engine.formula.statements import split
from engine.formula.tokens import Token, tokenize
from engine.given.vocabulary import Words

_OPEN = ("(", "[", "{")
_CLOSE = (")", "]", "}")
_USUAL = frozenset("ijklmnpqt")
_STANDARD = Words()
_LIKE = "write y[k] = ..."


@dataclass(frozen=True, slots=True)
class Line:
    name: str
    parameters: tuple[str, ...]
    at: int
    right: list[Token]
    called: bool
    """Whether it is written f(t): with round brackets it may be a function."""


@dataclass(frozen=True, slots=True)
class Scan:
    lines: list[Line]
    arities: dict[str, int]
    letters: frozenset[str]


def scan(text: str, letters: Iterable[str]) -> Scan:
    """Raises OffsetError where a line defines nothing, or a name takes now one, now two indices."""
    rows = split(tokenize(text))
    if not rows:
        raise OffsetError("There is no forward message.", _LIKE, 0)
    known = frozenset(letters) | _USUAL | {name for row in rows for name in _indices(row)}
    lines = [_line(row, known) for row in rows]
    arities: dict[str, int] = {}
    for line in lines:
        if line.name in arities:
            raise OffsetError(f"'{line.name}' is defined twice.", "keep one line", line.at)
        arities[line.name] = len(line.parameters)
    for line in lines:
        for name, count, at in _reads(line.right, known, arities):
            if arities.setdefault(name, count) != count:
                raise OffsetError(
                    f"'{name}' has {arities[name]} indices elsewhere, here {count}.",
                    "give it the same number of indices everywhere",
                    at,
                )
    for line in lines:
        for letter in line.parameters:
            # f(x) = ... may name its argument as it likes.
            if arities.get(letter) and not line.called:
                raise OffsetError(
                    f"'{letter}' is an array here and an index there.",
                    "choose another letter for the index",
                    line.at,
                )
    return Scan(lines, arities, known)


def _line(row: list[Token], letters: frozenset[str]) -> Line:
    depth = 0
    for place, token in enumerate(row):
        depth += (token.text in _OPEN) - (token.text in _CLOSE)
        if depth == 0 and token.kind == "op" and token.text in ("=", ":="):
            return _head(row[:place], row[place + 1 :], letters)
    raise OffsetError("This line defines nothing.", _LIKE, row[0].at)


def _head(left: list[Token], right: list[Token], letters: frozenset[str]) -> Line:
    if len(left) == 3 and [t.text for t in left[::2]] == ["(", ")"]:
        left = left[1:2]
    if len(left) > 4 and left[0].text == "(" and left[2].text == "," and left[-1].text == ")":
        raise OffsetError(
            "A forward message defines one name a line, here are two.",
            "compare the place instead: sum(w[k,l] * [(k,l) == argmax(x[p,q] for p,q)] for k,l)",
            left[0].at,
        )
    if not left or left[0].kind != "name":
        raise OffsetError("A name is expected before '='.", _LIKE, (left or right)[0].at)
    name, tail = parted(left[0].text, letters)
    parameters = [*tail, *_parameters(left[1:])]
    if len(set(parameters)) != len(parameters):
        raise OffsetError("An index occurs twice before '='.", _LIKE, left[0].at)
    standard = _STANDARD.canonical(name)
    if standard is not None and name not in ("sigma", "delta", "Delta", "e", "pi", "I", "l"):
        raise OffsetError(
            f"'{name}' has a meaning already, it cannot be defined.",
            "choose another name",
            left[0].at,
        )
    called = len(left) > 1 and left[1].text == "("
    return Line(name, tuple(parameters), left[0].at, right, called)


def _parameters(tokens: list[Token]) -> list[str]:
    """The letters in [k,l], (k,l), _{k,l} or _{kl}; nothing else may stand before '='."""
    if not tokens:
        return []
    first = tokens[0]
    if first.kind == "subs" and len(tokens) == 1:
        return first.text.split()
    inner = tokens[2:-1] if first.text == "_" else tokens[1:-1]
    opened = tokens[1] if first.text == "_" and len(tokens) > 1 else first
    pairs = {"[": "]", "(": ")", "{": "}"}
    if pairs.get(opened.text) != tokens[-1].text or len(inner) % 2 == 0:
        raise OffsetError("A name with its indices stands before '='.", _LIKE, first.at)
    for place, token in enumerate(inner):
        letter = token.kind == "name" and _STANDARD.canonical(token.text) in (None, "e")
        if not (token.text == "," if place % 2 else letter):
            raise OffsetError("Before '=' each index is a plain letter.", _LIKE, token.at)
    return [token.text for token in inner[::2]]


def parted(word: str, letters: frozenset[str]) -> tuple[str, str]:
    """A name and the letters written on it: x_ij is x with "ij", y_hat is y_hat."""
    head, _, tail = word.rpartition("_")
    if head and tail and len(tail) <= 4 and set(tail) <= letters:
        return head, tail
    return word, ""


def _indices(row: list[Token]) -> Iterator[str]:
    """Letters that surely are indices: bound by a sum, or alone in square brackets."""
    for place, token in enumerate(row):
        if token.kind == "subs":
            yield from token.text.split()
        if token.kind == "word" and token.text == "for":
            for following in row[place + 1 :]:
                if following.kind == "name" and len(following.text) == 1:
                    yield following.text
                elif following.text not in (",", "(", ")"):
                    break
        before = row[place - 1] if place else token
        if (token.text == "[" and before.kind == "name" and not token.spaced) or (
            token.text == "{" and before.text == "_"
        ):
            for following in row[place + 1 :]:
                if following.kind == "name" and len(following.text) == 1:
                    yield following.text
                elif following.text != ",":
                    break


def _reads(
    row: list[Token], letters: frozenset[str], defined: dict[str, int]
) -> Iterator[tuple[str, int, int]]:
    """Each name that is read with indices: how many, and where."""
    for place, token in enumerate(row):
        if token.kind != "name":
            continue
        name, tail = parted(token.text, letters)
        standard = _STANDARD.canonical(name)
        if name not in defined and standard in (*names.REDUCERS, *names.FUNCTIONS, "range"):
            continue
        after, then = row[place + 1], row[min(place + 2, len(row) - 1)]
        if tail:
            yield name, len(tail), token.at
        elif after.kind == "subs":
            yield name, len(after.text.split()), token.at
        elif (after.text == "[" and not after.spaced) or (after.text == "_" and then.text == "{"):
            yield name, _count(row[place + (1 if after.text == "[" else 2) :]), token.at
        elif after.text == "(" and not after.spaced and name not in defined and standard is None:
            inner = _inner(row[place + 1 :])
            if all(t.text == "," or (t.kind == "name" and t.text in letters) for t in inner):
                yield name, _count(row[place + 1 :]), token.at


def _inner(row: list[Token]) -> list[Token]:
    depth = 0
    for place, token in enumerate(row):
        depth += (token.text in _OPEN) - (token.text in _CLOSE)
        if depth == 0:
            return row[1:place]
    return row[1:]


def _count(row: list[Token]) -> int:
    """How many indices stand in the bracket that a row opens with."""
    depth, commas = 0, 0
    for token in _inner(row):
        depth += (token.text in _OPEN) - (token.text in _CLOSE)
        commas += depth == 0 and token.text == ","
    return commas + 1
