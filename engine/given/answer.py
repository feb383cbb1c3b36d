"""read(text): an answer to a card's own exercise, and what it is the answer to."""

from __future__ import annotations

from dataclasses import dataclass

from engine.formula import build, echo
from engine.formula.parser import Parser
from engine.formula.problem import OffsetError, located
from engine.formula.statements import Line, split
from engine.formula.tokens import tokenize
from engine.formula.tree import Cell, Definition, Name, Node
from engine.given.check import Checker
from engine.given.lefts import as_definition, final_of, lines_of
from engine.given.paper import replaced, whole
from engine.given.target import Target, in_brackets
from engine.given.vocabulary import Words

_POOLING = ("Omega", "window", "argmax(k,l)", "k,l", "delta[k,l]", "x[i,j]", "i*", "dx[i,j]")


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
    lines = [line for row in rows for line in lines_of(row, words, targets)]
    final = final_of(lines)
    others = [as_definition(line) for line in lines if line is not final]
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
    parameters = left.parameters
    for place, parameter in enumerate(parameters):
        if "[" in parameter:
            # f'(s[k]) = ... is f'(u) = ... with u in place of s[k].
            letter = next(u for u in "uvtz" if u not in (*parameters, *words.arities))
            body = replaced(body, parameter, Name(letter))
            parameters = (*parameters[:place], letter, *parameters[place + 1 :])
    return Definition(left.names, parameters, body, left.at)


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
        _no_index_defined(definitions, indices)
        checker = Checker(words.known, definitions, frozenset(indices))
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


def _no_index_defined(definitions: tuple[Definition, ...], indices: tuple[str, ...]) -> None:
    for one in definitions:
        for name in one.names:
            if name in indices:
                raise OffsetError(
                    f"{name} is an index of the answer, it cannot be defined.",
                    "use another letter",
                    one.at,
                )


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
        return name + in_brackets(parameters)
    above, below = (part[1:] for part in name.split("/"))
    upper = parameters[: words.arities[above]]
    lower = parameters[len(parameters) - words.arities[below] :]
    return f"d{above}{in_brackets(upper)}/d{below}{in_brackets(lower)}"


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
