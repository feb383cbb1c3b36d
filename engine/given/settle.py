"""What the formulas of an answer mean: which target they answer, checked and with its indices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from engine.formula.problem import OffsetError
from engine.formula.statements import Line
from engine.formula.tree import Chains, Definition, Node
from engine.given import based, misfits_of_sums
from engine.given.aliases import picks
from engine.given.check import Checker, UndefinedError
from engine.given.fitting import fitted
from engine.given.freed import free
from engine.given.lefts import readings
from engine.given.misfits import UnfitError
from engine.given.paper import letters_in
from engine.given.target import Target
from engine.given.telling import told
from engine.given.vectors import Vectors
from engine.given.vocabulary import Words


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
    chains: Chains = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Parsed:
    """An answer in the surface grammar, whose arrays may still stand whole."""

    text: str
    words: Words
    targets: tuple[Target, ...]
    final: Line
    surface: Sequence[Definition]
    body: Node
    loose: Mapping[str, tuple[str, ...]]
    """The indices of what is defined without them, as in ds = ..."""
    asked: set[str]
    """Definitions that could be answers as well: they must be of use to this one."""
    derived: set[str]
    """Derivatives that the learner calls by name, as f', and did not work out."""
    chains: Chains = ()


class SeveralError(OffsetError):
    """An answer without a left side that fits several targets; `exact`: by all of its indices."""

    def __init__(self, found: list[Read], exact: bool) -> None:
        names = [read.target.written() for read in found]
        said = f"This could be {', '.join(names[:-1])} or {names[-1]}."
        super().__init__(said, f"say which: begin with {names[0]} =", 0)
        self.found = found
        self.exact = exact


@dataclass(frozen=True, slots=True)
class _Fit:
    """A target that an answer fits, with the formula of its entry."""

    target: Target
    indices: tuple[str, ...]
    body: Node
    checker: Checker

    @property
    def exact(self) -> bool:
        """Whether the answer speaks of each of the indices, beside those that its sums bind."""
        return free(self.body, self.checker.definitions) >= {*self.indices}


def settled(parsed: Parsed) -> Read:
    """The answer to the target that its indices fit.  Raises OffsetError, also for several."""
    words = parsed.words
    vectors = Vectors(words, parsed.surface, letters_in(parsed.body), parsed.loose, parsed.text)
    definitions = tuple(vectors.definition(one) for one in parsed.surface)
    left = parsed.final.left
    fitting = [t for t in parsed.targets if left is None or t.key == left.kind]
    troubles: list[OffsetError] = []
    fits = list(_fits(parsed, fitting, vectors, definitions, troubles))
    if fits:
        exact = [fit for fit in fits if fit.exact]
        found = [_of_fit(parsed, definitions, fit) for fit in exact or fits]
        if len(found) > 1:
            raise SeveralError(found, exact=bool(exact))
        return found[0]
    first = troubles[0] if troubles else None
    if isinstance(first, UnfitError) and first.firm and len({t.key for t in fitting}) > 1:
        first = UnfitError(first, first.ways, first.why)  # which one it answers, nobody knows
    if first is not None:
        raise first
    names = " or ".join(target.written() for target in parsed.targets[:3])
    raise OffsetError("It does not show what this is the answer to.", f"begin with {names} =", 0)


def _fits(
    parsed: Parsed,
    fitting: Sequence[Target],
    vectors: Vectors,
    definitions: tuple[Definition, ...],
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
        count = len(dict.fromkeys(target.indices))
        if len(indices) not in (count, len(target.indices)):
            continue
        if not alone:
            _no_index_defined(definitions, indices)
        checker = Checker(words.known, definitions, frozenset(indices))
        try:
            indices, body = fitted(found, target, indices, final, vectors, parsed.body)
            checker.number(body, frozenset(indices))
            if not words.is_step:
                _no_answer_used(checker, target, found.at, parsed.derived)
        except OffsetError as trouble:
            if not alone:
                troubles.append(_explained(trouble, parsed, indices))
            continue
        if alone and not checker.used & {*indices}:
            continue
        if left is None and len(fitting) > 1 and target.upstream != ("delta" in checker.used):
            continue
        done.add(target.key)
        yield _Fit(target, indices, body, checker)


def _of_fit(parsed: Parsed, definitions: tuple[Definition, ...], fit: _Fit) -> Read:
    _refuse_idle(parsed, definitions, fit.checker)
    _check_unused(fit.checker, definitions, parsed.words, fit.indices)
    return _read(parsed, fit.target, fit.indices, definitions, fit.body, fit.checker)


def _read(
    parsed: Parsed,
    target: Target,
    indices: tuple[str, ...],
    definitions: tuple[Definition, ...],
    body: Node,
    checker: Checker,
) -> Read:
    words = parsed.words
    full = target.diagonal and len(indices) == len(target.indices)
    said = told(target, indices, definitions, body, words)
    steps = tuple(sorted(words.local & checker.used))
    if words.first:
        definitions, body = based.answer(definitions, body, indices, words)
    own = (target, indices, full, definitions, body, said, parsed.text, steps)
    return Read(*own, chains=parsed.chains)


def _explained(trouble: OffsetError, parsed: Parsed, indices: tuple[str, ...]) -> OffsetError:
    """Of an index that nothing names: whether a sum runs over the answer's own in its place."""
    if not isinstance(trouble, UndefinedError):
        return trouble
    return misfits_of_sums.of_sum(parsed.body, indices, trouble.name, trouble)


def _refuse_idle(parsed: Parsed, definitions: tuple[Definition, ...], checker: Checker) -> None:
    idle = parsed.asked - checker.used
    if idle:
        at = next(one.at for one in definitions if one.names[0] in idle)
        hint = "keep one, or use the one in the other"
        raise OffsetError("There are two answers here.", hint, at)


def _letters(vectors: Vectors, parsed: Parsed) -> set[str]:
    """The letters of an answer that may be its indices: arrays are read at them."""
    words = vectors.words
    letters = {a for a in vectors.taken if len(a) == 1} - {*words.known, *vectors.lines}
    nodes = (parsed.body, *(one.body for one in parsed.surface))
    return {a for a in letters if any(picks(node, a, words) for node in nodes)}


def _no_answer_used(checker: Checker, target: Target, at: int, derived: set[str]) -> None:
    """Refuses dL/ds = delta * dy/ds and dy/ds = f'(s): that is all that there is to work out."""
    step = f"d{target.above}/d{target.below}"
    if target.jacobian and step in checker.arities and derived & checker.used:
        step = min(derived & checker.used)
    worked_out = step in checker.definitions and step not in derived
    if step in checker.used and not worked_out:
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
