"""read(text): an answer to a card's own exercise, and what it is the answer to."""

from __future__ import annotations

from dataclasses import dataclass

from engine.formula import build, echo
from engine.formula.heads import Left
from engine.formula.parser import Parser
from engine.formula.problem import OffsetError, located
from engine.formula.statements import Line, left_side, split
from engine.formula.tokens import Token, tokenize
from engine.formula.tree import Cell, Definition, Name, Node
from engine.given.check import Checker
from engine.given.heads import Derivative, definition, derivative
from engine.given.paper import whole
from engine.given.vocabulary import Words

_POOLING = ("Omega", "window", "argmax(k,l)", "k,l", "delta[k,l]", "x[i,j]", "i*", "dx[i,j]")


@dataclass(frozen=True, slots=True)
class Target:
    """What may be asked for: d above / d below, at the usual indices."""

    above: str
    """The array differentiated; the output where `upstream`."""
    below: str
    upstream: bool
    """Whether it is summed against the message that comes from above."""
    indices: tuple[str, ...]
    """As the card writes them: of `above` (unless summed over), then of `below`."""
    above_count: int = 0
    """How many of the indices are those of `above`."""

    @property
    def key(self) -> str:
        return f"d{self.above}/d{self.below}" if self.jacobian else f"d{self.below}"

    @property
    def jacobian(self) -> bool:
        return not self.upstream and bool(self.above_count)

    @property
    def diagonal(self) -> bool:
        """dy[k]/dx[k]: asked for at equal indices only."""
        return len(set(self.indices)) < len(self.indices)

    def written(self, indices: tuple[str, ...] | None = None, loss: str = "L") -> str:
        """dL/dx[j], dy[k]/dx[j]"""
        own = self.indices if indices is None else indices
        if not self.jacobian:
            return f"d{loss}/d{self.below}{_in_brackets(own)}"
        if len(own) < len(self.indices):
            own = tuple(own[tuple(dict.fromkeys(self.indices)).index(i)] for i in self.indices)
        count = self.above_count
        return f"d{self.above}{_in_brackets(own[:count])}/d{self.below}{_in_brackets(own[count:])}"


def _in_brackets(indices: tuple[str, ...]) -> str:
    return f"[{','.join(indices)}]" if indices else ""


@dataclass(frozen=True, slots=True)
class Read:
    """An answer that has a meaning."""

    target: Target
    indices: tuple[str, ...]
    """Distinct letters, in the order of the target's."""
    full: bool
    """Whether a diagonal target is answered with all its indices apart."""
    definitions: tuple[Definition, ...]
    body: Node
    echo: str
    source: str


def read(text: str, words: Words, targets: tuple[Target, ...], example: str) -> Read:
    """What `text` says.  Raises FormulaError with a hint and a place; never guesses."""
    try:
        return _read(text, words, targets, example)
    except OffsetError as trouble:
        # The grammar's own hints speak of windows, which these exercises do not have.
        strange = any(word in trouble.hint for word in _POOLING)
        hint = f"for example {example}" if strange else trouble.hint
        raise located(OffsetError(trouble.message, hint, trouble.at), text) from None


def _read(text: str, words: Words, targets: tuple[Target, ...], example: str) -> Read:
    rows = split(tokenize(text))
    if not rows:
        raise OffsetError("There is no formula yet.", f"for example {example}", 0)
    lines = [left_side(row, lambda tokens: _left(tokens, words, targets)) for row in rows]
    final = _final(lines)
    others = [_as_definition(line) for line in lines if line is not final]
    defined = _defined(others, words)
    names = {*words.known, *defined, *words.letters}
    definitions = []
    for line in others:
        body = whole(Parser(line.right, {**words.arities, **defined}, words).whole(), names)
        found = _definition(line, body, words)
        if found is not None:
            definitions.append(found)
    body = build.number(Parser(final.right, {**words.arities, **defined}, words).whole())
    body = whole(body, names)
    return _checked(final, tuple(definitions), body, words, targets, text)


# Left sides.


def _left(tokens: list[Token], words: Words, targets: tuple[Target, ...]) -> Left | None:
    found = derivative(tokens, words)
    if found is None:
        return definition(tokens, words)
    asked = [
        target
        for target in targets
        if target.below == found.below
        and (found.above == target.above if target.jacobian else not found.above)
    ]
    if asked:
        return _asked(asked, found)
    if not found.above and found.below == words.output:
        return Left("definition", ("delta",), found.lower or (), found.at)
    parameters = tuple(dict.fromkeys(found.indices or ()))
    return Left("definition", (found.name,), parameters, found.at)


def _asked(targets: list[Target], found: Derivative) -> Left:
    """The left side of an answer to one of these targets, which differ in equal indices only."""
    first = targets[0]
    if found.indices is None or not first.indices:
        return Left(first.key, tuple(dict.fromkeys(first.indices)), (), found.at)
    if len(found.indices) != len(first.indices):
        raise OffsetError(
            f"{first.key} has {len(first.indices)} indices, here are {len(found.indices)}.",
            f"write {first.written()} = ...",
            found.at,
        )
    own = tuple(dict.fromkeys(found.indices))
    pattern = _pattern(found.indices)
    if len(own) < len(pattern) and pattern not in [_pattern(t.indices) for t in targets]:
        raise OffsetError(
            "This speaks of equal indices only.", f"write {first.written()} = ...", found.at
        )
    return Left(first.key, own, (), found.at)


def _pattern(indices: tuple[str, ...]) -> tuple[int, ...]:
    """Which indices are equal: each by the first place of its letter."""
    return tuple(indices.index(letter) for letter in indices)


def _final(lines: list[Line]) -> Line:
    """The line that is the answer: the one without a left side, or the last that is asked for."""
    bare = [line for line in lines if line.left is None]
    asked = [line for line in lines if line.left is not None and line.left.kind != "definition"]
    whole = [line for line in asked if line.left is not None and "/" not in line.left.kind]
    if len(bare) > 1 or (bare and whole) or len(whole) > 1:
        at = [*bare, *whole][1].right[0].at
        raise OffsetError("There are two answers here.", "keep one; give the other a name", at)
    if bare or asked:
        return (bare or whole or asked)[-1]
    raise OffsetError(
        "These lines only define names; none is the answer.",
        "add a line that begins with what is asked for",
        lines[-1].right[-1].at,
    )


def _as_definition(line: Line) -> Line:
    left = line.left
    assert left is not None
    if left.kind == "definition":
        return line
    return Line(Left("definition", (left.kind,), left.names, left.at), line.right)


# Definitions.


def _defined(lines: list[Line], words: Words) -> dict[str, int]:
    """Every name that the lines define, with its number of indices."""
    found: dict[str, int] = {}
    for line in lines:
        assert line.left is not None
        for name in line.left.names:
            if name in found:
                raise OffsetError(f"'{name}' is defined twice.", "keep one line", line.left.at)
            if name in words.fixed:
                raise OffsetError(
                    f"{name} is given, it cannot be defined.", "choose another name", line.left.at
                )
            if name != "delta" or not words.output:
                found[name] = len(line.left.parameters)
    return found


def _definition(line: Line, body: Node, words: Words) -> Definition | None:
    """The definition on a line; None for delta[k] = dL/dy[k], which says nothing new."""
    left = line.left
    assert left is not None
    if left.names == ("delta",) and words.output:
        if body == Cell("delta", tuple(map(Name, left.parameters))):
            return None
        raise OffsetError("delta is given, it cannot be defined.", "choose another name", left.at)
    return Definition(left.names, left.parameters, body, left.at)


def _checked(
    final: Line,
    definitions: tuple[Definition, ...],
    body: Node,
    words: Words,
    targets: tuple[Target, ...],
    text: str,
) -> Read:
    """The answer to the first target that its indices fit."""
    left = final.left
    fitting = [t for t in targets if left is None or t.key == left.kind]
    first: OffsetError | None = None
    for target in fitting:
        indices = left.names if left else tuple(dict.fromkeys(target.indices))
        count = len(dict.fromkeys(target.indices))
        if len(indices) not in (count, len(target.indices)):
            continue
        checker = Checker(words.known, definitions)
        try:
            checker.number(body, frozenset(indices))
        except OffsetError as trouble:
            first = first or trouble
            continue
        if left is None and len(fitting) > 1 and target.upstream != ("delta" in checker.used):
            continue
        _check_unused(checker, definitions, words, indices)
        full = target.diagonal and len(indices) == len(target.indices)
        said = _echo(target, indices, definitions, body, words)
        return Read(target, indices, full, definitions, body, said, text)
    if first is not None:
        raise first
    names = " or ".join(target.written() for target in targets[:3])
    raise OffsetError("It does not show what this is the answer to.", f"begin with {names} =", 0)


def _check_unused(
    checker: Checker, definitions: tuple[Definition, ...], words: Words, indices: tuple[str, ...]
) -> None:
    for one in definitions:
        if one.names[0] not in checker.used:
            scope = frozenset({*indices, *one.parameters, *words.letters})
            checker.type(one.body, scope)


def _named(name: str, parameters: tuple[str, ...], words: Words) -> str:
    """s[k], dy[k]/ds[k]: a definition's left side."""
    if "/" not in name:
        return name + _in_brackets(parameters)
    above, below = (part[1:] for part in name.split("/"))
    upper = parameters[: words.arities[above]]
    lower = parameters[len(parameters) - words.arities[below] :]
    return f"d{above}{_in_brackets(upper)}/d{below}{_in_brackets(lower)}"


def _echo(
    target: Target,
    indices: tuple[str, ...],
    definitions: tuple[Definition, ...],
    body: Node,
    words: Words,
) -> str:
    """In our notation, definitions a line each; reads back to the same tree."""
    lines = []
    for one in definitions:
        left = _named(one.names[0], one.parameters, words)
        if len(one.names) > 1:
            left = f"({', '.join(one.names)})"
        lines.append(f"{left} = {echo.text(one.body)}")
    lines.append(f"{target.written(indices, words.loss or 'L')} = {echo.text(body)}")
    return "\n".join(lines)
