"""read(text): an answer to a card's own exercise, and what it is the answer to."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from engine.formula import build
from engine.formula.problem import FormulaError, OffsetError, located
from engine.formula.statements import Line, split
from engine.formula.tokens import tokenize
from engine.formula.tree import Cell, Definition, Name, Node
from engine.given import aliases, primed
from engine.given.forward import names_in
from engine.given.lefts import as_definition, final_of, lines_of
from engine.given.misfits import UnfitError, Way
from engine.given.paper import renamed, replaced, whole
from engine.given.settle import Parsed, Read, SeveralError, settled
from engine.given.surface import VectorParser, plainly
from engine.given.target import Target
from engine.given.vocabulary import Words

_POOLING = ("Omega", "window", "argmax(k,l)", "k,l", "delta[k,l]", "x[i,j]", "i*", "dx[i,j]")


def answered(text: str, words: Words, targets: tuple[Target, ...]) -> tuple[str, ...]:
    """The targets, by their keys, that lines begin with; () where a line begins with none."""
    try:
        lines = lines_of(split(tokenize(plainly(text))), words, targets)
    except OffsetError:
        return ()  # whoever reads it is told
    kinds = ["" if line.left is None else line.left.kind for line in lines]
    return () if "" in kinds else tuple(k for k in dict.fromkeys(kinds) if k != "definition")


def read(
    text: str,
    words: Words,
    targets: tuple[Target, ...],
    example: str,
    step: int | None = None,
    apart: Collection[str] = (),
) -> Read:
    """What `text` says.  Raises FormulaError with a hint and a place; never guesses.

    With `step`, the side of a chain that begins at this offset stands in the place of the last.
    Lines that define `apart` are answers of their own: they count as far as this one uses them.
    A NonsenseError holds what could have been meant where shapes do not fit, an UnlabelledError
    each target that an answer without a left side may be the answer to.
    """
    try:
        parsed = _parsed(text, words, targets, example, step, apart)
        try:
            return settled(parsed)
        except UnfitError as trouble:
            found = _meant(parsed, trouble)
            if not found and not trouble.firm:
                raise
            raise NonsenseError(trouble, found, text) from None
    except SeveralError as trouble:
        raise UnlabelledError(trouble, text) from None
    except OffsetError as trouble:
        # The grammar's own hints speak of windows, which these exercises do not have.
        strange = any(word in trouble.hint for word in _POOLING)
        hint = f"for example {example}" if strange else trouble.hint
        raise located(OffsetError(trouble.message, hint, trouble.at), text) from None


class NonsenseError(FormulaError):
    """Shapes that do not fit, with the answers that could have been meant."""

    def __init__(self, trouble: UnfitError, found: list[tuple[Way, Read]], text: str) -> None:
        at = located(trouble, text)
        echo = text.strip()
        super().__init__(trouble.message, trouble.hint, at.line, at.column, echo)
        self.found = found
        self.why = trouble.why


class UnlabelledError(FormulaError):
    """An answer that does not say what it is the answer to, with what it may be."""

    def __init__(self, trouble: SeveralError, text: str) -> None:
        at = located(trouble, text)
        super().__init__(trouble.message, trouble.hint, at.line, at.column)
        self.found = trouble.found
        self.exact = trouble.exact


def _meant(parsed: Parsed, trouble: UnfitError) -> list[tuple[Way, Read]]:
    """What could have been meant in place of what does not fit, as far as it makes sense."""
    found = []
    for way in trouble.ways:
        surface = [replace(one, body=way.put(one.body)) for one in parsed.surface]
        try:
            found.append(
                (way, settled(replace(parsed, surface=surface, body=way.put(parsed.body))))
            )
        except SeveralError as several:
            found += [(way, read) for read in several.found]
        except OffsetError:
            continue
    return found


def _parsed(
    text: str,
    words: Words,
    targets: tuple[Target, ...],
    example: str,
    step: int | None,
    apart: Collection[str],
) -> Parsed:
    rows = split(tokenize(plainly(text)))
    if not rows:
        raise OffsetError("There is no formula yet.", f"for example {example}", 0)
    lines = lines_of(rows, words, targets, step)
    final = final_of(lines)
    others = [as_definition(line) for line in lines if line is not final]
    defined = _defined(others, words)
    names = {*words.known, *defined, *words.letters}
    primes = primed.arities(words)
    given = {**words.arities, **primes, **defined}

    def parsed(line: Line) -> Node:
        node = VectorParser(line.right, given, words, text).whole()
        return whole(node, names, words.sizes, words.first)

    body = build.number(parsed(final))
    spare = [line for line in others if {*_names(line)} & {*apart}]
    used = [(line, parsed(line)) for line in others if line not in spare]
    while more := [line for line in spare if {*_names(line)} & _spoken(body, used)]:
        used += [(line, parsed(line)) for line in more]
        spare = [line for line in spare if line not in more]
    found = [_definition(line, node, words) for line, node in used]
    left = final.left.names if final.left else ()
    body = aliases.counted(body, words, (*defined, *left))
    surface = [
        replace(one, body=aliases.counted(one.body, words, (*defined, *left, *one.parameters)))
        for one in found
        if one is not None
    ]
    derivatives = primed.used((body, *(one.body for one in surface)), words, {*defined})
    loose = {line.left.kind: line.left.names for line in lines if _is_loose(line) and line.left}
    surface = [
        replace(one, parameters=()) if one.names[0] in loose else one
        for one in (*surface, *derivatives)
    ]
    asked = {n for line in lines if line is not final and _is_asked(line) for n in _names(line)}
    derived = {one.names[0] for one in derivatives}
    chains = (*(line.chain for line, _ in used), final.chain)
    return Parsed(text, words, targets, final, surface, body, loose, asked, derived, chains)


def _spoken(body: Node, used: list[tuple[Line, Node]]) -> set[str]:
    """Every name in a formula and in the lines that it uses."""
    return {name for node in (body, *(node for _, node in used)) for name in names_in(node)}


def _is_asked(line: Line) -> bool:
    kind = line.left.kind if line.left is not None else "definition"
    return kind != "definition" and "/" not in kind


def _is_loose(line: Line) -> bool:
    """ds = ..., without the indices that ds has."""
    return line.left is not None and line.left.kind != "definition" and not line.left.parameters


def _names(line: Line) -> tuple[str, ...]:
    left = as_definition(line).left
    assert left is not None
    return left.names


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
        if "[" in parameter or parameter in words.arities:
            # f'(s[k]) = ... and f'(s) = ... are f'(u) = ... with u in place of what is given.
            letter = next(u for u in "uvtz" if u not in (*parameters, *words.arities))
            body = replaced(renamed(body, parameter, Name(letter)), parameter, Name(letter))
            parameters = (*parameters[:place], letter, *parameters[place + 1 :])
    return Definition(left.names, parameters, body, left.at)
