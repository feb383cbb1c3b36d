"""An answer read: what it is the answer to, and its formula."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Final

from engine.exercise import Reading
from engine.formula import tree as t
from engine.formula.grammar import whole
from engine.formula.parser import Parser
from engine.formula.rewrite import (
    bound_in,
    free_variables,
    inside,
    letters_in,
    named_in,
    names_in,
    renamed,
    replaced,
    sums_from_one,
    sums_over_all,
)
from engine.formula.slopes import DERIVATIVES, of_builtin, of_function
from engine.formula.statements import (
    LeftSide,
    Statement,
    as_definition,
    expanded,
    names_defined,
)
from engine.formula.tokens import Token, tokenize
from engine.formula.tree import (
    SLOPE,
    UPSTREAM,
    FormulaError,
    OffsetError,
    UnknownError,
    as_number,
    folded,
    is_condition,
    located,
)
from engine.formula.types import TypeChecker, UndefinedError
from engine.formula.unparse import unparse
from engine.messages.borders import numbers
from engine.messages.forward import answer_from_zero
from engine.messages.products import UnfitError, Way, of_sum
from engine.messages.spelling import plainly, rows
from engine.messages.targets import Target, answer_lines, final_of, readings, shown, told
from engine.messages.value import Value
from engine.messages.vectors import Vectors, fitted
from engine.messages.vocabulary import Words, counted, over_letters, picks

# -- What the formulas of an answer mean: which target they answer, checked and with its indices.


@dataclass(frozen=True, slots=True)
class Read:
    """An answer that has a meaning."""

    target: Target
    indices: tuple[str, ...]
    """Distinct letters, in the order of the target's."""
    definitions: tuple[t.Definition, ...]
    body: t.Node
    echo: str
    source: str = field(default="", compare=False)
    steps: tuple[str, ...] = ()
    """Steps of the chain rule that it uses as they are."""
    beyond: set[str] = field(default_factory=set, compare=False)
    """Arrays that terms of its sums were seen to read beyond their range."""
    roles: dict[tuple[int, str], t.Role] = field(default_factory=dict, compare=False, repr=False)
    """What the indices of sums over windows run over, once it was told."""
    chains: t.Chains = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Parsed:
    """An answer in the surface grammar, whose arrays may still stand whole."""

    text: str
    words: Words
    targets: tuple[Target, ...]
    final: Statement
    surface: Sequence[t.Definition]
    body: t.Node
    loose: Mapping[str, tuple[str, ...]]
    """The indices of what is defined without them, as in ds = ..."""
    asked: set[str]
    """Definitions that could be answers as well: they must be of use to this one."""
    derived: set[str]
    """Derivatives that the learner calls by name, as f', and did not work out."""
    chains: t.Chains = ()


def as_reading(
    read: Read, first: int, part: str = "", others: tuple[str, ...] = ()
) -> Reading[Target]:
    """An answer as the check takes it; `first` is the first value of every index."""
    bodies = (read.body, *(one.body for one in read.definitions))
    begun = {} if first else sums_from_one(*bodies)
    said = numbers(read.echo)
    return Reading(
        read.target, read.echo, read, said, read.beyond, begun, read.chains, part, others
    )


class UnlabelledError(FormulaError):
    """An answer without a left side that fits several targets; `exact`: by all of its indices."""

    def __init__(self, found: list[Read], exact: bool, text: str) -> None:
        names = [read.target.written() for read in found]
        said = f"This could be {', '.join(names[:-1])} or {names[-1]}."
        at = located(OffsetError(said, f"say which: begin with {names[0]} =", 0), text)
        super().__init__(at.message, at.hint, at.line, at.column)
        self.found = found
        self.exact = exact


@dataclass(frozen=True, slots=True)
class _Fit:
    """A target that an answer fits, with the formula of its entry."""

    target: Target
    indices: tuple[str, ...]
    body: t.Node
    checker: TypeChecker

    @property
    def exact(self) -> bool:
        """Whether the answer speaks of each of the indices, beside those that its sums bind."""
        return free_variables(self.body, self.checker.definitions) >= {*self.indices}


def settled(parsed: Parsed) -> Read:
    """The answer to the target that its indices fit.

    Raises OffsetError, and UnlabelledError where it fits several.
    """
    words = parsed.words
    vectors = Vectors(words, parsed.surface, letters_in(parsed.body), parsed.loose, parsed.text)
    definitions = tuple(vectors.definition(one) for one in parsed.surface)
    left = parsed.final.left
    fitting = [one for one in parsed.targets if left is None or one.key == left.kind]
    troubles: list[OffsetError] = []
    fits = list(_fits(parsed, fitting, vectors, definitions, troubles))
    if fits:
        exact = [fit for fit in fits if fit.exact]
        found = [_of_fit(parsed, definitions, fit) for fit in exact or fits]
        if len(found) > 1:
            raise UnlabelledError(found, bool(exact), parsed.text)
        return found[0]
    first = troubles[0] if troubles else None
    if isinstance(first, UnfitError) and first.firm and len({one.key for one in fitting}) > 1:
        first = UnfitError(first, first.ways, first.why)  # which one it answers, nobody knows
    if first is not None:
        raise first
    names = " or ".join(target.written() for target in parsed.targets[:3])
    raise OffsetError("It does not show what this is the answer to.", f"begin with {names} =", 0)


def _fits(
    parsed: Parsed,
    fitting: Sequence[Target],
    vectors: Vectors,
    definitions: tuple[t.Definition, ...],
    troubles: list[OffsetError],
) -> Iterator[_Fit]:
    """What an answer may be the answer to, of each target once; `troubles` takes what hinders."""
    final, words = parsed.final, parsed.words
    found = vectors.shaped(parsed.body)
    left = final.left
    done: set[str] = set()
    for target, indices, alone in readings(fitting, left, _letters(vectors, parsed)):
        if target.key in done or (alone and found.dims):
            continue
        is_row = left is not None and len(indices) == 1 < len(target.lower) and words.takes_rows
        if len(indices) not in (len(target.letters), len(target.indices)) and not is_row:
            continue
        if not alone:
            _no_index_defined(definitions, indices)
        spare = words.free(target.upstream) - {n for one in definitions for n in one.names}
        checker = words.checker(definitions, {*indices, *spare})
        try:
            indices, body = fitted(found, target, indices, final, vectors, parsed.body)
            checker.number(body, frozenset({*indices, *spare}))
            if not words.is_step:
                _no_answer_used(checker, target, found.at, parsed.derived)
                _nothing_sought(checker, words.sought, found.at)
        except OffsetError as trouble:
            if not alone:
                troubles.append(_explained(trouble, parsed, indices))
            continue
        if alone and not checker.used & {*indices}:
            continue
        if left is None and len(fitting) > 1 and target.upstream != words.sends(checker, indices):
            continue
        done.add(target.key)
        yield _Fit(target, indices, body, checker)


def _of_fit(parsed: Parsed, definitions: tuple[t.Definition, ...], fit: _Fit) -> Read:
    words, used, indices, body = parsed.words, fit.checker.used, fit.indices, fit.body
    same = {name for one in definitions for name in one.names if name == fit.target.key}
    idle = (parsed.asked | same) - used
    if idle:
        at = next(one.at for one in definitions if one.names[0] in idle)
        hint = "keep one, or use the one in the other"
        raise OffsetError("There are two answers here.", hint, at)
    for one in definitions:
        if one.names[0] not in used:
            scope = frozenset({*indices, *one.parameters, *words.letters})
            fit.checker.type(one.body, scope)
    said = told(fit.target, indices, definitions, body, words)
    steps = tuple(sorted(words.local & used))
    if words.first:
        definitions, body = answer_from_zero(definitions, body, indices, words)
    own = (fit.target.at(indices), indices, definitions, body, said, parsed.text, steps)
    return Read(*own, chains=parsed.chains)


def _explained(trouble: OffsetError, parsed: Parsed, indices: tuple[str, ...]) -> OffsetError:
    """Of an index that nothing names: whether a sum runs over the answer's own in its place."""
    if not isinstance(trouble, UndefinedError):
        return trouble
    return of_sum(parsed.body, indices, trouble.name, trouble)


def _letters(vectors: Vectors, parsed: Parsed) -> set[str]:
    """The letters of an answer that may be its indices: arrays are read at them."""
    words = vectors.words
    letters = {a for a in vectors.taken if len(a) == 1} - {*words.known, *vectors.lines}
    nodes = (parsed.body, *(one.body for one in parsed.surface))
    return {a for a in letters if any(picks(node, a, words) for node in nodes)}


def _no_answer_used(checker: TypeChecker, target: Target, at: int, derived: set[str]) -> None:
    """Refuses dL/ds = delta * dy/ds, dy/ds = f'(s), q = q: that is all there is to work out."""
    if target.key in checker.used and target.key not in checker.definitions:
        said = f"{target.key} is what is to be worked out here."
        raise OffsetError(said, "write it with what is given", at)
    step = f"d{target.above}/d{target.below}"
    if target.key == step and step in checker.arities and derived & checker.used:
        step = min(derived & checker.used)
    worked_out = step in checker.definitions and step not in derived
    if step in checker.used and not worked_out:
        said = f"{step} is what is to be worked out here."
        raise OffsetError(said, "write it with what is given", at)


def _nothing_sought(checker: TypeChecker, sought: Collection[str], at: int) -> None:
    """Refuses v = sum((x[n] - m)^2 for n)/N where m is to be found as well."""
    for name in sorted((checker.used & {*sought}) - {*checker.definitions}):
        said = f"{name} is not given here: it is to be found, or depends on what is."
        raise OffsetError(said, f"define it on a line of its own: {name} = ...", at)


def _no_index_defined(definitions: tuple[t.Definition, ...], indices: tuple[str, ...]) -> None:
    for one in definitions:
        for name in one.names:
            if name in indices:
                raise OffsetError(
                    f"{name} is an index of the answer, it cannot be defined.",
                    "use another letter",
                    one.at,
                )


# -- f' of a function that the exercise gives, or that everyone knows: worked out where it is used.


#: Functions whose derivative may be called by a prime, each by the names that they have.
_KNOWN: Final = {
    **{name: name for name in DERIVATIVES},
    **{"sigma": "sigmoid", "ReLU": "relu", "ln": "log"},
}


def arities(words: Words) -> dict[str, int]:
    """f', tanh', ...: every primed name that has a meaning, with its one argument."""
    return {f"{name}'": 1 for name in (*words.functions, *_KNOWN) if name not in words.arrays}


def derivatives_used(
    bodies: Iterable[t.Node], words: Words, defined: Collection[str]
) -> list[t.Definition]:
    """Definitions of the primed functions that are spoken of and not defined by the learner."""
    found: dict[str, t.Definition] = {}
    known = arities(words).keys() - {*defined}
    for part in (part for body in bodies for part in inside(body)):
        name = t.name_of(part)
        if name in known and name not in found:
            found[name] = _derived(name, part.at, words)
    return list(found.values())


def _derived(name: str, at: int, words: Words) -> t.Definition:
    base = name.removesuffix("'")
    if base in words.functions:
        try:
            made = of_function(words.functions[base], words.functions)
        except OffsetError as trouble:
            hint = f"define it on a line of its own: {name}(t) = ..."
            raise OffsetError(trouble.message, hint, at) from None
    else:
        made = of_builtin(_KNOWN[base])
    letter = next(u for u in "tuvzqab" if u not in words.arities)
    body = renamed(made.body, made.parameters[0], t.Name(letter))
    return t.Definition((name,), (letter,), body, at)


# -- What an answer calls the message from above.


def upstream(text: str, words: Words) -> str:
    """What an answer calls the message from above, where it is a usual name that has no meaning.

    The letters g and d are the message only where nothing else is; a name that the answer defines,
    or a letter that it calls as a function, never is.  "" where there is no such name, or more
    than one.
    """

    def meant(name: str) -> str | None:
        found = name if name in words.letters else words.canonical(name)
        return "delta" if found == f"d{words.output}" or not words.output else found

    try:
        tokens = tokenize(text)
    except OffsetError:
        return ""
    found, spoken = set(), False
    for token, following in pairwise(tokens):
        parts = token.text.split("_") if token.kind == "name" else []
        for head in ("_".join(parts[:size]) for size in range(len(parts), 0, -1)):
            if meant(head) is not None:
                spoken |= meant(head) == "delta"
                break
            if folded(head) in UPSTREAM:
                called = len(head) == 1 and following.text == "(" and not following.spaced
                found.add("" if called else head)
                break
    name = found.pop() if len(found) == 1 else ""
    indices = r"(_\w+|_?[\[({][^\])}]*[\])}])?"
    defined = re.search(rf"\b{name}{indices}\s*:?=(?!=)", text)
    return "" if defined or (len(name) == 1 and spoken) else name


# -- read(text): an answer to a card's own exercise, and what it is the answer to.


_POOLING = ("Omega", "window", "argmax(k,l)", "k,l", "delta[k,l]", "x[i,j]", "i*", "dx[i,j]")

#: An array with a number as its subscript, an entry or the name of a layer: W_1, δ₂.
_NUMBERED = re.compile(r"([^\W\d_]+)(?:_[0-9]+|_\{[0-9]+\}|[₀-₉]+)")


def answered(text: str, words: Words, targets: tuple[Target, ...]) -> tuple[str, ...]:
    """The targets, by their keys, that lines begin with; () where a line begins with none."""
    try:
        lines = answer_lines(rows(text, words), words, targets)
    except OffsetError:
        return ()  # whoever reads it is told
    kinds = ["" if line.left is None else line.left.kind for line in lines]
    return () if "" in kinds else tuple(k for k in dict.fromkeys(kinds) if k != "definition")


def read_answer(
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
    read = partial(_read, text, targets=targets, example=example, step=step, apart=apart)
    try:
        return read(words)
    except (NonsenseError, UnlabelledError):
        raise
    except FormulaError as trouble:
        # Once more, with the answer's own name for delta.
        name = upstream(plainly(text, words), words)
        if not name:
            raise
        try:
            return read(replace(words, names={**words.names, name: "delta"}))
        except (NonsenseError, UnlabelledError):
            raise
        except FormulaError as again:
            spoken = re.search(rf"\b{re.escape(name)}\b", trouble.message)
            raise (again if spoken else trouble) from None


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
        except OffsetError as trouble:
            if words.rows and not words.windows:  # whoever lacks an index hears of that
                _parsed(text, replace(words, rows=False), targets, example, step, apart)
            _refuse_strange(parsed, trouble)
            if not isinstance(trouble, UnfitError):
                raise
            found = _meant(parsed, trouble)
            if not found and not trouble.firm:
                raise
            raise NonsenseError(trouble, found, text) from None
    except OffsetError as trouble:
        # The grammar's own hints speak of windows, which these exercises do not have.
        strange = not words.windows and any(word in trouble.hint for word in _POOLING)
        hint = f"as in another exercise: {example}" if strange else trouble.hint
        raise located(OffsetError(trouble.message, hint, trouble.at), text) from None


class NonsenseError(FormulaError):
    """Shapes that do not fit, with the answers that could have been meant."""

    def __init__(self, trouble: UnfitError, found: list[tuple[Way, Read]], text: str) -> None:
        at = located(trouble, text)
        echo = text.strip()
        super().__init__(trouble.message, trouble.hint, at.line, at.column, echo)
        self.found = found
        self.why = trouble.why


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
            if not picks(body, name, words):
                raise UnknownError(name, words.hint(name, (*lines,)), at)
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
        except UnlabelledError as several:
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
    tokens = rows(text, words)
    if not tokens:
        raise OffsetError("There is no formula yet.", f"as in another exercise: {example}", 0)
    lines = answer_lines(tokens, words, targets, step)
    final = final_of(lines, words, targets)
    others = [as_definition(line) for line in lines if line is not final]
    placed = {line.left.names[0] for line in others if line.left and line.left.parameters}
    fixed = words.fixed - (placed & words.sizes if words.windows else set())
    defined = names_defined(others, fixed, bool(words.output))
    own = final.left.names if final.left else [i for one in targets for i in one.indices]
    names = {*words.known, *defined, *own}
    numbers = {n for n, count in {**words.known, **defined}.items() if not count} | words.sizes
    primes = arities(words)
    given = {**({} if words.windows else words.arities), **primes, **defined}
    pairs = {
        name: line.left.parameters
        for line in others
        if line.left is not None and len(line.left.names) == 2
        for name in line.left.names
    }

    def parsed(line: Statement) -> t.Node:
        letters = own if line is final else line.left.parameters if line.left else ()
        found = _node(line.right, text, words, given, names, numbers, pairs)
        return over_letters(
            found, letters, words, line.left is not None and bool(line.left.parameters)
        )

    body = parsed(final)
    if words.windows and is_condition(body):
        said = "The answer is a condition, true or false, not a number."
        raise OffsetError(said, "write [condition] to make it 1 or 0", final.right[0].at)
    body = as_number(body)
    spare = [line for line in others if {*_names(line)} & {*apart}]
    used = [(line, parsed(line)) for line in others if line not in spare]
    for node in (body, *(node for _, node in used)):
        for one in inside(node):
            if isinstance(one, t.Apply) and one.function == SLOPE:
                hint = "write what it comes to"
                raise OffsetError("This is still to be differentiated.", hint, one.at)
    while more := [line for line in spare if {*_names(line)} & _spoken(body, used)]:
        used += [(line, parsed(line)) for line in more]
        spare = [line for line in spare if line not in more]
    found = [_definition(line, node, words) for line, node in used]
    body = counted(body, words, (*defined, *own))
    surface = [
        replace(one, body=counted(one.body, words, (*defined, *own, *one.parameters)))
        for one in found
        if one is not None
    ]
    loose = {line.left.kind: line.left.names for line in lines if _is_loose(line) and line.left}
    surface, body, derived = _complete(surface, body, words, {*defined}, own)
    surface = [replace(one, parameters=()) if one.names[0] in loose else one for one in surface]
    asked = {n for line in lines if line is not final and _is_asked(line) for n in _names(line)}
    chains = (*(line.chain for line, _ in used), final.chain)
    return Parsed(text, words, targets, final, surface, body, loose, asked, derived, chains)


# -- One side of a line of a derivation, by itself.


@dataclass(frozen=True, slots=True)
class Expression:
    """A side by itself: its own indices, and what they run over."""

    read: Read
    dims: tuple[str, ...]
    """The range of each of its indices, "" where nothing tells it."""
    named: bool
    """Whether it is written with its indices."""
    places: tuple[tuple[str, int], ...]
    """For each index an array, and which of its dimensions runs as far."""
    at: int


def read_side(parsed: Parsed, targets: tuple[Target, ...], left: LeftSide) -> Read:
    """A side that is to be what `left` names: one target, and the same at equal indices only.

    Raises OffsetError, an UnfitError where its shape is another.
    """
    final = Statement(left, parsed.final.right)
    try:
        return settled(replace(parsed, targets=targets, final=final))
    except UnlabelledError as trouble:
        return trouble.found[0]


def expression(
    parsed: Parsed, letters: tuple[str, ...] | None, others: Sequence[Parsed]
) -> Expression:
    """A side by itself, at its indices; None for those that it and `others` speak of.

    Raises OffsetError.
    """
    words = parsed.words
    vectors = Vectors(words, parsed.surface, letters_in(parsed.body), {}, parsed.text)
    definitions = tuple(vectors.definition(one) for one in parsed.surface)
    found = vectors.shaped(parsed.body)
    bodies = [parsed.body, *(one.body for one in others)]
    if letters is None:
        spoken = _letters(vectors, parsed)
        for one in others:
            spoken |= _letters(Vectors(words, one.surface, letters_in(one.body), {}), one)
        letters = () if found.dims else tuple(sorted(spoken))
    named = bool(letters)
    dims = tuple(next(filter(None, (vectors.range(a, b) for b in bodies)), "") for a in letters)
    fresh: list[str] = []
    for dim in found.dims:
        fresh.append(vectors.fresh(dim, frozenset((*letters, *fresh)), found.at))
    dims, letters = (*dims, *found.dims), (*letters, *fresh)
    body = found.entry(tuple(map(t.Name, fresh)), vectors.taken | {*letters})
    checker = words.checker(definitions, {*letters})
    checker.number(body, frozenset(letters))
    used = tuple(one for one in definitions if {*one.names} & checker.used)
    steps = tuple(sorted(words.local & checker.used))
    own = (Value("~", "", letters), letters, used, body)
    read = Read(*own, unparse(shown(body, words)), parsed.text, steps)
    return Expression(read, dims, named, tuple(_place_of(dim, words) for dim in dims), found.at)


def _place_of(dim: str, words: Words) -> tuple[str, int]:
    every = ((name, n) for name, of in words.dims.items() for n, one in enumerate(of) if one == dim)
    return next(every, ("", 0))


def parsed_side(
    text: str,
    words: Words,
    tokens: list[Token],
    own: tuple[str, ...],
    lines: tuple[t.Definition, ...],
) -> Parsed:
    """The formula of a side at the indices `own`, with the definitions of lines above."""
    defined = {name: len(one.parameters) for one in lines for name in one.names}
    given = {**words.arities, **arities(words), **defined}
    names = {*words.known, *defined, *own}
    numbers = {n for n, count in {**words.known, **defined}.items() if not count} | words.sizes
    body = as_number(_node(tokens, text, words, given, names, numbers, {}))
    body = over_letters(body, own, words, bool(own))
    body = counted(body, words, (*defined, *own))
    used: list[t.Definition] = []
    while more := [
        one for one in lines if one not in used and {*one.names} & _names_of(body, used)
    ]:
        used += more
    kept = [one for one in lines if one in used]
    surface, body, derived = _complete(kept, body, words, {*defined}, own)
    final = Statement(None, tokens)
    return Parsed(text, words, (), final, surface, body, {}, set(), derived)


def _names_of(body: t.Node, used: list[t.Definition]) -> set[str]:
    """Every name in a formula and in the definitions that it uses."""
    return {name for node in (body, *(one.body for one in used)) for name in names_in(node)}


def _node(
    tokens: list[Token],
    text: str,
    words: Words,
    given: Mapping[str, int],
    names: Collection[str],
    numbers: Collection[str],
    pairs: Mapping[str, tuple[str, ...]],
) -> t.Node:
    """The formula of a right side, with the ranges of its sums."""
    parser = Parser(tokens, given, words, "" if words.windows else text)
    parser.parameters = pairs
    node = whole(parser)
    bound = bound_in(node)
    # K says how many k there are.  A longer name, where every size has one, is a slip.
    slips = {name for name in letters_in(node) if len(name) > 1} if words.windows else set()
    known = {*names} | bound | slips
    return sums_over_all(node, known, words.sizes, words.first, {*numbers} - bound)


def _complete(
    surface: list[t.Definition],
    body: t.Node,
    words: Words,
    defined: Collection[str],
    own: Collection[str],
) -> tuple[list[t.Definition], t.Node, set[str]]:
    """The definitions and the body, with sets and deltas in their places, and f' worked out.

    Also the names of the derivatives that were worked out.
    """
    surface, body = expanded(surface, body)
    surface, body = words.deltas(own, surface, body)
    derivatives = derivatives_used((body, *(one.body for one in surface)), words, defined)
    surface = [*surface, *derivatives]
    for node in (body, *(one.body for one in surface)):
        known = {*words.arities, *defined, *words.letters, *own}
        if "e" not in known and not picks(node, "e", words):
            bases = [n.left.at for n in inside(node) if isinstance(n, t.Arithmetic) and n.op == "^"]
            for at in (at for name, at in named_in(node) if name == "e" and at not in bases):
                hint = "define it on a line of its own; for Euler's number write exp(1)"
                raise OffsetError("I do not know 'e'.", hint, at)
    return surface, body, {one.names[0] for one in derivatives}


def _spoken(body: t.Node, used: list[tuple[Statement, t.Node]]) -> set[str]:
    """Every name in a formula and in the lines that it uses."""
    return {name for node in (body, *(node for _, node in used)) for name in names_in(node)}


def _is_asked(line: Statement) -> bool:
    kind = line.left.kind if line.left is not None else "definition"
    return kind != "definition" and "/" not in kind


def _is_loose(line: Statement) -> bool:
    """ds = ..., without the indices that ds has."""
    return line.left is not None and line.left.kind != "definition" and not line.left.parameters


def _names(line: Statement) -> tuple[str, ...]:
    left = as_definition(line).left
    assert left is not None
    return left.names


def _definition(line: Statement, body: t.Node, words: Words) -> t.Definition | None:
    """The definition on a line; None for delta[k] = dL/dy[k], which says nothing new."""
    left = line.left
    assert left is not None
    if left.names == ("delta",) and words.output:
        if body == t.Cell("delta", tuple(map(t.Name, left.parameters))):
            return None
        raise OffsetError("delta is given, it cannot be defined.", "choose another name", left.at)
    parameters = left.parameters
    for place, parameter in enumerate(parameters):
        if "[" in parameter or parameter in words.arities:
            # f'(s[k]) = ... and f'(s) = ... are f'(u) = ... with u in place of what is given.
            letter = next(u for u in "uvtz" if u not in (*parameters, *words.arities))
            body = replaced(renamed(body, parameter, t.Name(letter)), parameter, t.Name(letter))
            parameters = (*parameters[:place], letter, *parameters[place + 1 :])
    return t.Definition(left.names, parameters, body, left.at)
