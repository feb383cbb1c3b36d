"""Known wrong rules, found by their numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import chain, islice
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from engine.formula.axes import Array
from engine.formula.rewrite import inside, names_in
from engine.formula.tree import Arithmetic, Definition, Node, Number, OffsetError
from engine.formula.unparse import unparse
from engine.messages.judge import TOLERANCE, JudgedMessage
from engine.messages.model import Model, flat
from engine.messages.mutations import (
    Slips,
    inlined,
    input_mutations,
    masks,
    missing,
    mutations,
    place_mutations,
    together,
    unit_mutations,
)
from engine.messages.targets import Target
from engine.verdict import Mistake

# -- A known wrong rule: its name, the sentence that mends it, and what it gives.


#: What a wrong rule gives on a batch: of the answer's shape, NaN where it says nothing.
Rule: TypeAlias = Callable[[JudgedMessage], Array]
Known: TypeAlias = tuple[Mistake, Rule]


def _named(name: str, teaching: str, rule: Rule) -> Known:
    return Mistake(name, teaching), rule


def _nothing(one: JudgedMessage) -> Array:
    return np.full(one.expected.shape, np.nan)


# -- Known wrong rules that are a factor times what is right: lengths, scalars, any number.


def lengths(judged: Sequence[JudgedMessage]) -> Iterator[Known]:
    """Divided, or multiplied, by how many of an index there are."""
    for name in judged[0].batch.model.sized:
        if len({_size(name, one) for one in judged}) < 2:
            continue
        number = f"the number of {name}"
        size = partial(_size, name)
        yield _named(
            f"divided by {number}",
            "Nothing is averaged here: the terms are added as they are.",
            lambda one, size=size: one.expected / size(one),  # type: ignore[misc]
        )
        yield _named(
            f"not divided by {number}",
            f"The mean has a factor 1 over {number}; the derivative keeps it.",
            lambda one, size=size: one.expected * size(one),  # type: ignore[misc]
        )
        yield _named(
            f"divided by the square root of {number}",
            f"The root of {number} is part of another step, or counted twice.",
            lambda one, size=size: one.expected / np.sqrt(size(one)),  # type: ignore[misc]
        )


def _size(name: str, one: JudgedMessage) -> float:
    return float(one.batch.letters.get(name, one.batch.length.numbers.get(name, 1)))


def scalars(few: JudgedMessage) -> Iterator[Known]:
    """Divided once too often, or not at all, by one number that the forward message divides by."""
    model = few.batch.model
    known = {*model.forward.constants, *few.batch.values, *few.batch.length.numbers}
    for below in dict.fromkeys(_denominators(model)):
        names = set(names_in(below))
        if not names or not names <= known:
            continue
        said, inverse = unparse(below), unparse(Arithmetic("/", Number(1.0), below))
        yield _named(
            f"not divided by {said}",
            f"What divides stays: {inverse} is a factor.",
            lambda one, below=below: one.expected * _value(one, below),  # type: ignore[misc]
        )
        yield _named(
            f"divided by {said} twice",
            f"The factor {inverse} is there once.",
            lambda one, below=below: one.expected / _value(one, below),  # type: ignore[misc]
        )


def _denominators(model: Model) -> Iterator[Node]:
    for part in chain.from_iterable(inside(d.body) for d in model.forward.arrays):
        if isinstance(part, Arithmetic) and part.op == "/" and not isinstance(part.right, Number):
            yield part.right


def _value(one: JudgedMessage, node: Node) -> Array:
    """A number without indices, for each input: (B, 1, ...); NaN where it has any."""
    found = one.batch.number(node)
    if found.size not in (1, len(one.batch)):
        return np.full((1,) * one.expected.ndim, np.nan)
    return one.wide(np.broadcast_to(found.reshape(-1), (len(one.batch),)))


def constant(judged: Sequence[JudgedMessage]) -> Iterator[Known]:
    """A number times what is right, whichever the answer has."""
    times = _ratio(judged)
    if times is None:
        return
    name = f"a constant factor: {times:g} times what is right"
    teaching = "Follow the factors in front: those of a power, a mean or a square."
    if times in (2.0, 0.5) and judged[0].batch.squares:
        name = f"the 2 of the square is {'there once too often' if times == 2 else 'missing'}"
        teaching = "The square brings a factor 2 down, which a 1/2 in front takes away."
    yield Mistake(name, teaching), lambda one: times * one.expected


def _ratio(judged: Sequence[JudgedMessage]) -> float | None:
    """The factor between the answer and what is right, taken where the latter is largest."""
    one = max(judged, key=lambda j: float(np.abs(_known(j)).max(initial=0.0)))
    known = np.abs(_known(one))
    if not known.size or not known.max(initial=0.0) > 0:
        return None
    at = np.unravel_index(int(known.argmax()), known.shape)
    factor = float(one.got[at] / one.expected[at])
    if not np.isfinite(factor) or factor in (0.0, 1.0):
        return None
    return float(f"{factor:.9g}")


def _known(one: JudgedMessage) -> Array:
    return np.where(one.wide(one.left_out_mask) | one.contested, 0.0, one.expected)


# -- Known wrong rules that are made of the right numbers: signs, factors, sums, places.


def first(few: JudgedMessage) -> Iterator[Known]:
    """Rules that are looked for before any other."""
    yield from few.target.likely(few)
    yield _named(
        "sign",
        "The size is right: look for a minus that was lost or is one too many.",
        lambda one: -one.expected,
    )
    yield _named(
        "transposed",
        "Each index keeps its meaning: compare the sides letter by letter.",
        lambda one: transposed(one.expected),
    )


def last(judged: Sequence[JudgedMessage]) -> Iterator[Known]:
    """Rules that are looked for when no slip explains the numbers, and fit all that is asked."""
    below = judged[0].target.below
    yield _named(
        f"{below} comes in as a factor",
        f"The slope by {below} is what {below} is multiplied by.",
        _own_factor,
    )
    yield from lengths(judged)
    yield from scalars(judged[0])
    for axis, letter in enumerate(judged[0].target.letters):
        yield _named(
            f"summed over {letter}",
            f"{letter} says which entry it is: nothing runs over it.",
            lambda one, axis=axis: _summed(one, axis),  # type: ignore[misc]
        )
        yield _named(
            f"the entries are in reverse order along {letter}",
            "Each place is read where it was written: nothing is turned round.",
            lambda one, axis=axis: np.flip(one.expected, axis + 1),  # type: ignore[misc]
        )


def _own_factor(one: JudgedMessage) -> Array:
    values = one.batch.values[one.target.below]
    if values.shape != one.expected.shape:
        return _nothing(one)
    return np.asarray(one.expected * values)


def transposed(values: Array) -> Array:
    """(..., R, C) with its last two indices swapped; NaN where there is no such entry."""
    found = np.full(values.shape, np.nan)
    if found.ndim >= 3:
        size: int = min(found.shape[-2:])
        found[..., :size, :size] = np.swapaxes(values, -1, -2)[..., :size, :size]
    return found


def _summed(one: JudgedMessage, axis: int) -> Array:
    total = one.expected.sum(axis=axis + 1, keepdims=True)
    return np.broadcast_to(total, one.expected.shape)


# -- Wrong slopes of one array by another of the same shape, as a softmax has them.


#: The wrong slope (B, P, P) from the right one and the values (B, P); NaN where there is none.
Change: TypeAlias = Callable[[Array, Array], Array]


def softmaxes(model: Model, target: Target) -> Iterator[Known]:
    """Wrong slopes of whatever turns out to be a softmax."""
    for later, earlier in model.links_of_chain(target.above, target.below):
        for mistake, change in _softmax(later, earlier):
            yield mistake, _linked_by(later, earlier, change)


def wrong_links(model: Model, target: Target) -> Iterator[Known]:
    for later, earlier in model.links_of_chain(target.above, target.below):
        for mistake, change in _changes(later, earlier):
            yield mistake, _linked_by(later, earlier, change)


def _linked_by(later: str, earlier: str, change: Change) -> Rule:
    return lambda one: one.numbers(one.batch.linked(one.target.pair, later, earlier, change))


class _Softmax(NamedTuple):
    """y (B, P) with diag(y) and y y^T (B, P, P), the latter within each row that sums to 1."""

    y: Array
    diag: Array
    outer: Array


#: Wrong slopes of a softmax.
_OF_SOFTMAX: Final[dict[str, tuple[str, Callable[[_Softmax], Array]]]] = {
    "softmax taken entry by entry: {y} (1 - {y})": (
        "Every {y} depends on all {x}: {whole}, summed over k.",
        lambda of: _diagonal(of.diag - of.outer),
    ),
    "the sign of the softmax's second term": (
        "{whole}, with a minus.",
        lambda of: of.diag + of.outer,
    ),
    "the diagonal of the softmax's derivative is forgotten": ("{whole}.", lambda of: -of.outer),
    "the softmax's second term is forgotten": (
        "{whole}: the sum below moves too.",
        lambda of: of.diag,
    ),
    "the {y} inside the softmax's sum is forgotten": (
        "{whole}.",
        lambda of: of.diag - (of.outer != 0) * of.y[:, None, :],
    ),
    "the mean in place of the sum in the softmax's second term": (
        "{whole}.",
        lambda of: of.diag - of.outer / (of.outer != 0).sum(axis=2, keepdims=True),
    ),
    "the {y} in front of the softmax's bracket is forgotten": (
        "{whole}.",
        lambda of: _ones(of.diag) - (of.outer != 0) * of.y[:, :, None],
    ),
    "the identity in place of diag({y})": ("{whole}.", lambda of: _ones(of.diag) - of.outer),
    "{y}^T {y} in place of {y} {y}^T": (
        "{whole}: an entry for each k and j.",
        lambda of: of.diag - _ones(of.diag) * ((of.outer != 0) @ of.y[:, :, None] ** 2),
    ),
    "1 in place of [k = j] in the softmax's derivative": (
        "{whole}.",
        lambda of: (of.diag + of.outer != 0) * of.y[:, :, None] - of.outer,
    ),
}


def _softmax(y: str, x: str) -> Iterator[tuple[Mistake, Change]]:
    whole = f"The slope of {y}[k] by {x}[j] is {y}[k] ([k = j] - {y}[j])"
    for name, (teaching, made) in _OF_SOFTMAX.items():
        said = teaching.format(y=y, x=x, whole=whole)
        yield Mistake(name.format(y=y), said), partial(_if_softmax, made)


def _ones(diagonal: Array) -> Array:
    return np.broadcast_to(np.eye(diagonal.shape[1]), diagonal.shape)


def _changes(y: str, x: str) -> Iterator[tuple[Mistake, Change]]:
    slope = f"the slope of {y} by {x}"
    yield (
        Mistake(
            f"each {y} taken to depend on its own {x} alone",
            f"Every entry of {y} depends on all entries of {x}: sum over them.",
        ),
        lambda local, _: _diagonal(local),
    )
    teaching = f"{y} is a function of {x}: the chain rule multiplies by its derivative."
    yield Mistake(f"{slope} is missing", teaching), lambda local, _: _ones(local)
    teaching = "The chain rule has each step once."
    yield Mistake(f"{slope} comes in twice", teaching), lambda local, _: local @ local
    teaching = "The message goes back along the output's index: that one is summed over."
    yield Mistake(f"{slope} is transposed", teaching), lambda local, _: local.transpose(0, 2, 1)


def _diagonal(local: Array) -> Array:
    return np.asarray(local * np.eye(local.shape[-1]))


def _if_softmax(made: Callable[[_Softmax], Array], local: Array, y: Array) -> Array:
    """A wrong slope of what is a softmax; NaN of anything else."""
    of = _Softmax(y, y[:, :, None] * _ones(local), y[:, :, None] * y[:, None, :] * (local != 0))
    right = np.abs(local - (of.diag - of.outer)).max(initial=0.0) <= 1e-9
    # Where every y depends on its own x alone, there is no sum to speak of.
    right &= bool((local != 0).sum() > y.size)
    return made(of) if right else np.full_like(local, np.nan)


# -- Known wrong rules for any forward message, each computed from the message itself.
#
# There are hundreds for one message, so each is first tried on a few inputs; what agrees there is
# tried on all of them.


#: Definitions that are put in the place of the message's own, by their names.
Slip: TypeAlias = dict[str, Definition]
#: On so many inputs a rule must say something, or on all that fail: it may be NaN where it does
#: not apply.
_TELLING: Final = 20
#: So many inputs sift the rules.
_FEW: Final = 24
#: No more slips than these are tried, and fewer of a message of more parts than these: a verdict
#: must not wait.
_MOST: Final = 160
_LARGE: Final = 150
#: The same where each is solved for an optimum.
_MOST_SOLVED: Final = 60


#: The known wrong rules, from a few inputs and from all of them; most do not ask for the latter.
Rules: TypeAlias = Callable[[JudgedMessage, Sequence[JudgedMessage]], Iterator[Known]]


def named_mistake(
    judged: Sequence[JudgedMessage], fresh: Sequence[JudgedMessage], rules: Rules
) -> Mistake | None:
    """The first known wrong rule that the numbers agree with on every input tried."""
    for mistake, rule in judged[0].target.plain(judged):
        if _holds(judged, fresh, rule):
            return mistake
    if all((np.abs(one.got) <= one.slack).all() for one in judged):
        return None  # 0 everywhere agrees with every rule that forgets all
    sieve = _sieve(judged, rules)
    if sieve is None:
        return None
    own = judged[sieve.place]
    got, moves = own.got[sieve.rows], own.moves[sieve.rows]
    for mistake, rule, found in sieve.rules():
        if sieve.passes(got, found, moves) and _holds(judged, fresh, rule):
            return mistake
    for mistake, rule in judged[0].target.traits(judged, constant(judged)):
        if _holds(judged, fresh, rule):
            return mistake
    return None


def _holds(judged: Sequence[JudgedMessage], fresh: Sequence[JudgedMessage], rule: Rule) -> bool:
    telling = astray = 0
    for one in (*judged, *fresh):
        astray += int((one.astray & ~one.reference.met).sum())
        # Many rules have nothing to say of most sizes, whatever the answer.
        silent = one.batch.kept.setdefault(("silent", one.target), set())
        if rule in silent:
            continue
        found = rule(one)
        if not _agrees(one, found):
            return False
        told = np.isfinite(found)
        if not told.any():
            silent.add(rule)
        told = told & np.isfinite(one.got)
        rows = (told & one.off).reshape(len(found), -1).any(axis=1) & ~one.reference.met
        telling += int((rows & one.astray).sum())
    return telling >= min(_TELLING, max(3, astray))


@dataclass(eq=False)
class Sieve:
    """The rules on a few inputs: worked out once, and kept with the inputs for all answers."""

    few: JudgedMessage
    place: int
    """Of which of the batches they are."""
    rows: Array
    source: Iterator[Known]
    done: list[tuple[Mistake, Rule, Array]] = field(default_factory=list)

    def rules(self) -> Iterator[tuple[Mistake, Rule, Array]]:
        """Each rule with what it gives on the few inputs; those without a slope are left out."""
        yield from self.done
        for mistake, rule in self.source:
            try:
                found = np.array(rule(self.few))
            except (OffsetError, KeyError):
                continue  # an index would have to be differentiated, or runs over nothing known
            self.done.append((mistake, rule, found))
            yield self.done[-1]

    def passes(self, got: Array, found: Array, moves: Array) -> bool:
        slack = self.few.slack + moves + 10 * TOLERANCE * np.abs(found)
        told = np.isfinite(found) & np.isfinite(got)
        return bool((np.abs(got - found) <= slack)[told].all())


def _sieve(judged: Sequence[JudgedMessage], rules: Rules) -> Sieve | None:
    """On inputs that the answer says something of; None where there are none."""
    place = next((n for n, one in enumerate(judged) if np.isfinite(one.got[_rows(one)]).any()), -1)
    if place < 0:
        return None
    one = judged[place]
    key = (one.target, len(judged), place)
    kept = one.batch.kept
    if key not in kept:
        rows = _rows(one)
        few = replace(one, batch=one.batch.some(rows), got=one.got[rows], rule=None)
        blank = [replace(each, rule=None) for each in judged]
        kept[key] = Sieve(few, place, rows, rules(few, blank))
    found = kept[key]
    assert isinstance(found, Sieve)
    return found


def _rows(one: JudgedMessage) -> Array:
    """Inputs of a batch that sift the rules."""
    return np.flatnonzero(~one.reference.met & ~one.left_out_mask)[:_FEW]


def derived_rules(few: JudgedMessage, judged: Sequence[JudgedMessage]) -> Iterator[Known]:
    """The wrong rules that are made from a forward message itself, and those of every message."""
    yield from first(few)
    target, model = few.target, few.batch.model
    if target.chained:
        yield from softmaxes(model, target)
    moved = model.moved(target.below)
    # A slip of the message would have to be differentiated twice.
    twice = bool(target.below) and not target.chained
    slips = () if twice else _slipped(model, moved, bool(target.below))
    slipped = (one for one in slips if one[2] or moved.intersection(one[1]))
    parts = sum(1 for one in model.forward.arrays for _ in inside(one.body))
    most = _MOST_SOLVED if model.aim else _MOST
    for mistake, changed, anew in islice(slipped, most * _LARGE // max(_LARGE, parts)):
        yield mistake, _by(**{"instead" if anew else "slipped": changed})
    for held in model.held(target.above, target.below) if target.chained else ():
        said = " and ".join(held)
        mistake = Mistake(
            f"{said} taken for constant",
            f"{target.below} moves {said} too: the chain rule goes through there as well.",
        )
        yield mistake, _by(bent=dict.fromkeys(held, flat))
    if target.chained:
        yield from wrong_links(model, target)
    yield from target.mistakes(few, last(judged))


def _by(**changes: Any) -> Rule:
    return lambda one: one.numbers(one.target.falsified(one.batch, **changes))


@lru_cache(maxsize=64)
def _slipped(
    model: Model, moved: frozenset[str], slopes: bool
) -> tuple[tuple[Mistake, Slip, bool], ...]:
    """Slips of the definitions, and whether their values are wrong as well; of `slopes` too."""
    found: list[tuple[Mistake, Slip, bool]] = []
    bodies = [
        replace(d, body=inlined(d.body, model.forward.functions)) for d in model.forward.arrays
    ]

    def add(one: Definition, slips: Slips, anew: bool = False) -> None:
        name = one.names[0]
        found.extend((Mistake(n, t), {name: replace(one, body=b)}, anew) for n, t, b in slips)

    for one in bodies if slopes else ():
        add(one, unit_mutations(one))
    for one in reversed(bodies):
        add(one, place_mutations(one.body))
    for one in reversed(bodies):
        add(one, masks(one.body, model))
        add(one, mutations(one.body, moved))
        add(one, input_mutations(one.body, model))
    found += [(Mistake(n, t), changed, False) for n, t, changed in together(bodies)]
    for one in bodies:
        add(one, missing(one.body, model), anew=True)
    return tuple(found)


def _agrees(one: JudgedMessage, rule: Array) -> bool:
    told = np.isfinite(rule) & np.isfinite(one.got)
    clear = ~one.wide(one.left_out_mask | one.reference.met) & told
    # A rule need not be 0 where the message from above is.
    gain = one.wide(one.reference.gain)
    slack = one.slack + one.moves + 10 * TOLERANCE * np.abs(rule) + TOLERANCE * gain
    return bool((np.abs(one.got - rule) <= slack)[clear].all())
