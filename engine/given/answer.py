"""read(text): an answer to a card's own exercise, and what it is the answer to."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from engine.formula import build
from engine.formula.problem import FormulaError, OffsetError, located
from engine.formula.statements import Line, as_definition, names_defined, split
from engine.formula.tokens import tokenize
from engine.formula.tree import Arithmetic, Cell, Definition, Name, Node
from engine.formula.vocabulary import with_message
from engine.given import aliases, primed
from engine.given.check import UndefinedError
from engine.given.lefts import final_of, lines_of
from engine.given.misfits import UnfitError, Way
from engine.given.paper import bound_in, inside, named_in, names_in, renamed, replaced, whole
from engine.given.settle import Parsed, Read, SeveralError, settled
from engine.given.surface import VectorParser, plainly
from engine.given.target import Target
from engine.given.vocabulary import Words

_POOLING = ("Omega", "window", "argmax(k,l)", "k,l", "delta[k,l]", "x[i,j]", "i*", "dx[i,j]")

#: An array with a number as its subscript, an entry or the name of a layer: W_1, δ₂.
_NUMBERED = re.compile(r"([^\W\d_]+)(?:_[0-9]+|_\{[0-9]+\}|[₀-₉]+)")


def answered(text: str, words: Words, targets: tuple[Target, ...]) -> tuple[str, ...]:
    """The targets, by their keys, that lines begin with; () where a line begins with none."""
    try:
        lines = lines_of(split(tokenize(plainly(text, words))), words, targets)
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

    def meant(name: str) -> str | None:
        found = name if name in words.letters else words.canonical(name)
        return "delta" if found == f"d{words.output}" or not words.output else found

    def named(name: str) -> Read:
        new = replace(words, names={**words.names, name: "delta"}) if name else words
        return _read(text, new, targets, example, step, apart)

    return with_message(named, plainly(text, words), meant, (NonsenseError, UnlabelledError))


def _read(
    text: str,
    words: Words,
    targets: tuple[Target, ...],
    example: str,
    step: int | None,
    apart: Collection[str],
) -> Read:
    try:
        parsed = _parsed(text, words, targets, example, step, apart)
        try:
            return settled(parsed)
        except SeveralError:
            raise
        except OffsetError as trouble:
            _refuse_strange(parsed, trouble)
            if not isinstance(trouble, UnfitError):
                raise
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


def _refuse_strange(parsed: Parsed, trouble: OffsetError) -> None:
    """Refuses a name that nobody knows: whatever else is the trouble may come of it."""
    if isinstance(trouble, UndefinedError):
        return
    words, left = parsed.words, parsed.final.left
    lines = {name for one in parsed.surface for name in one.names}
    for found in _NUMBERED.finditer(parsed.text) if isinstance(trouble, UnfitError) else ():
        if found[0] not in {*words.known, *lines}:
            said = f"{found[0]} could be an entry of {found[1]}, or another {found[1]}."
            hint = f"write {found[1]}[...] for an entry, or define the other on a line of its own"
            raise OffsetError(said, hint, found.start())
    asked = {*left.names} if left else {i for target in parsed.targets for i in target.indices}
    for line in (None, *parsed.surface):
        body = line.body if line is not None else parsed.body
        known = {*words.known, *lines, *asked, *(line.parameters if line is not None else ())}
        for name, at in named_in(body):
            if name in known or name in words.functions or name.rstrip("'") in words.functions:
                continue
            if not aliases.picks(body, name, words):
                raise OffsetError(f"I do not know '{name}'.", words.hint(name, (*lines,)), at)
            if isinstance(trouble, UnfitError) and name not in words.letters:
                hint = f"name it on the left side, or bind it: sum(... for {name})"
                raise OffsetError(f"The index {name} is not defined here.", hint, at)


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
    rows = split(tokenize(plainly(text, words)))
    if not rows:
        raise OffsetError("There is no formula yet.", f"for example {example}", 0)
    lines = lines_of(rows, words, targets, step)
    final = final_of(lines)
    others = [as_definition(line) for line in lines if line is not final]
    defined = names_defined(others, words.fixed, bool(words.output))
    own = final.left.names if final.left else [i for one in targets for i in one.indices]
    names = {*words.known, *defined, *own}
    numbers = {n for n, count in {**words.known, **defined}.items() if not count} | words.sizes
    primes = primed.arities(words)
    given = {**words.arities, **primes, **defined}

    def parsed(line: Line) -> Node:
        node = VectorParser(line.right, given, words, text).whole()
        bound = bound_in(node)
        return whole(node, names | bound, words.sizes, words.first, numbers - bound)

    body = build.number(parsed(final))
    spare = [line for line in others if {*_names(line)} & {*apart}]
    used = [(line, parsed(line)) for line in others if line not in spare]
    while more := [line for line in spare if {*_names(line)} & _spoken(body, used)]:
        used += [(line, parsed(line)) for line in more]
        spare = [line for line in spare if line not in more]
    found = [_definition(line, node, words) for line, node in used]
    body = aliases.counted(body, words, (*defined, *own))
    surface = [
        replace(one, body=aliases.counted(one.body, words, (*defined, *own, *one.parameters)))
        for one in found
        if one is not None
    ]
    derivatives = primed.used((body, *(one.body for one in surface)), words, {*defined})
    loose = {line.left.kind: line.left.names for line in lines if _is_loose(line) and line.left}
    surface = [
        replace(one, parameters=()) if one.names[0] in loose else one
        for one in (*surface, *derivatives)
    ]
    for node in (body, *(one.body for one in surface)):
        known = {*words.arities, *defined, *words.letters, *own}
        if "e" not in known and not aliases.picks(node, "e", words):
            bases = [n.left.at for n in inside(node) if isinstance(n, Arithmetic) and n.op == "^"]
            for at in (at for name, at in named_in(node) if name == "e" and at not in bases):
                hint = "define it on a line of its own; for Euler's number write exp(1)"
                raise OffsetError("I do not know 'e'.", hint, at)
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
