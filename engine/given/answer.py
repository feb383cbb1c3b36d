"""read(text): an answer to a card's own exercise, and what it is the answer to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from engine.formula import build
from engine.formula.problem import OffsetError, located
from engine.formula.statements import Line, split
from engine.formula.tokens import tokenize
from engine.formula.tree import Cell, Definition, Name, Node
from engine.given import aliases, based, primed
from engine.given.check import Checker
from engine.given.diagonals import readings
from engine.given.fitting import fitted
from engine.given.lefts import as_definition, final_of, lines_of
from engine.given.paper import replaced, whole
from engine.given.shaped import Shaped
from engine.given.surface import VectorParser, plainly
from engine.given.target import Target
from engine.given.telling import told
from engine.given.vectors import Vectors, letters_in
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
    steps: tuple[str, ...] = ()
    """Steps of the chain rule that it uses as they are."""
    beyond: set[str] = field(default_factory=set, compare=False)
    """Arrays that terms of its sums were seen to read beyond their range."""


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
    rows = split(tokenize(plainly(text)))
    if not rows:
        raise OffsetError("There is no formula yet.", f"for example {example}", 0)
    lines = [line for row in rows for line in lines_of(row, words, targets)]
    final = final_of(lines)
    others = [as_definition(line) for line in lines if line is not final]
    defined = _defined(others, words)
    names = {*words.known, *defined, *words.letters}
    primes = primed.arities(words)
    given = {**words.arities, **primes, **defined}

    def parsed(line: Line) -> Node:
        node = VectorParser(line.right, given, words, text).whole()
        return whole(node, names, words.sizes, words.first)

    found = [_definition(line, parsed(line), words) for line in others]
    body = build.number(parsed(final))
    left = final.left.names if final.left else ()
    body = aliases.counted(body, words, (*defined, *left))
    surface = [
        replace(one, body=aliases.counted(one.body, words, (*defined, *left, *one.parameters)))
        for one in found
        if one is not None
    ]
    derivatives = primed.used((body, *(one.body for one in surface)), words, {*defined})
    surface += derivatives
    derived = {one.names[0] for one in derivatives}
    loose = {line.left.kind: line.left.names for line in lines if _is_loose(line) and line.left}
    surface = [replace(one, parameters=()) if one.names[0] in loose else one for one in surface]
    vectors = Vectors(words, surface, letters_in(body), loose)
    definitions = tuple(vectors.definition(one) for one in surface)
    asked = {n for line in lines if line is not final and _is_asked(line) for n in _names(line)}
    return _checked(
        final, definitions, vectors.shaped(body), vectors, targets, text, asked, derived
    )


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
        if "[" in parameter:
            # f'(s[k]) = ... is f'(u) = ... with u in place of s[k].
            letter = next(u for u in "uvtz" if u not in (*parameters, *words.arities))
            body = replaced(body, parameter, Name(letter))
            parameters = (*parameters[:place], letter, *parameters[place + 1 :])
    return Definition(left.names, parameters, body, left.at)


def _checked(
    final: Line,
    definitions: tuple[Definition, ...],
    found: Shaped,
    vectors: Vectors,
    targets: tuple[Target, ...],
    text: str,
    asked: set[str],
    derived: set[str],
) -> Read:
    """The answer to the first target that its indices fit.

    `asked` are definitions that could be answers as well: they must be of use to this one.
    `derived` are derivatives that the learner calls by name, as f', and did not work out.
    """
    left, words = final.left, vectors.words
    fitting = [t for t in targets if left is None or t.key == left.kind]
    first: OffsetError | None = None
    for target, indices, alone in readings(fitting, left, _letters(vectors)):
        if alone and found.dims:
            continue
        count = len(dict.fromkeys(target.indices))
        if len(indices) not in (count, len(target.indices)):
            continue
        if not alone:
            _no_index_defined(definitions, indices)
        checker = Checker(words.known, definitions, frozenset(indices))
        try:
            indices, body = fitted(found, target, indices, final, vectors)
            checker.number(body, frozenset(indices))
            _no_answer_used(checker, target, found.at, derived)
        except OffsetError as trouble:
            first = first or (None if alone else trouble)
            continue
        if alone and not checker.used & {*indices}:
            continue
        if left is None and len(fitting) > 1 and target.upstream != ("delta" in checker.used):
            continue
        idle = asked - checker.used
        if idle:
            at = next(one.at for one in definitions if one.names[0] in idle)
            hint = "keep one, or use the one in the other"
            raise OffsetError("There are two answers here.", hint, at)
        _check_unused(checker, definitions, words, indices)
        full = target.diagonal and len(indices) == len(target.indices)
        said = told(target, indices, definitions, body, words)
        steps = tuple(sorted(words.local & checker.used))
        if words.first:
            definitions, body = based.answer(definitions, body, indices, words)
        return Read(target, indices, full, definitions, body, said, text, steps)
    if first is not None:
        raise first
    names = " or ".join(target.written() for target in targets[:3])
    raise OffsetError("It does not show what this is the answer to.", f"begin with {names} =", 0)


def _letters(vectors: Vectors) -> set[str]:
    """The letters of an answer that may be its indices."""
    known = vectors.words.known
    return {a for a in vectors.taken if len(a) == 1 and a not in (*known, *vectors.lines)}


def _no_answer_used(checker: Checker, target: Target, at: int, derived: set[str]) -> None:
    """Refuses dL/ds = delta * dy/ds and dy/ds = f'(s): that is all that there is to work out."""
    step = f"d{target.above}/d{target.below}"
    if target.jacobian and step in checker.arities and derived & checker.used:
        step = min(derived & checker.used)
    if step in checker.used:
        said = f"{step} is what is to be worked out here."
        raise OffsetError(said, "write it with what is given", at)


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
