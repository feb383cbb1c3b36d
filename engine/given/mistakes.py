"""Known wrong rules for any forward message, each computed from the message itself.

There are hundreds for one message, so each is first tried on a few inputs; what agrees there is
tried on all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import Any, Final, TypeAlias

import numpy as np

from engine.formula.axes import Array
from engine.formula.problem import OffsetError
from engine.formula.tree import Definition, Node
from engine.given import factors, links, messages, slips, units
from engine.given import inputs_slips as inputs_
from engine.given import slips_of_places as places
from engine.given.batch import Batch
from engine.given.judge import TOLERANCE, Judged
from engine.given.known import Rule
from engine.given.model import Model
from engine.given.paper import inside
from engine.verdict import Mistake

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


def named(judged: Sequence[Judged], fresh: Sequence[Judged]) -> Mistake | None:
    """The first known wrong rule that the numbers agree with on every input tried."""
    if all((np.abs(one.got) <= one.slack).all() for one in judged):
        return None  # 0 everywhere agrees with every rule that forgets all
    sieve = _sieve(judged)
    if sieve is None:
        return None
    own = judged[sieve.place]
    got, moves = own.got[sieve.rows], own.moves[sieve.rows]
    for mistake, rule, found in sieve.rules():
        if sieve.passes(got, found, moves) and _holds(judged, fresh, rule):
            return mistake
    for mistake, rule in factors.constant(judged):
        if _holds(judged, fresh, rule):
            return mistake
    return None


def _holds(judged: Sequence[Judged], fresh: Sequence[Judged], rule: Rule) -> bool:
    telling = astray = 0
    for one in judged:
        found = rule(one)
        if not _agrees(one, found):
            return False
        told = np.isfinite(found) & np.isfinite(one.got)
        rows = (told & one.off).reshape(len(found), -1).any(axis=1) & ~one.reference.met
        telling += int((rows & one.astray).sum())
        astray += int((one.astray & ~one.reference.met).sum())
    enough = telling >= min(_TELLING, max(3, astray))
    return enough and all(_agrees(one, rule(one)) for one in fresh)


@dataclass(eq=False)
class Sieve:
    """The rules on a few inputs: worked out once, and kept with the inputs for all answers."""

    few: Judged
    place: int
    """Of which of the batches they are."""
    rows: Array
    source: Iterator[tuple[Mistake, Rule]]
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


def _sieve(judged: Sequence[Judged]) -> Sieve | None:
    """On inputs that the answer says something of; None where there are none."""
    place = next((n for n, one in enumerate(judged) if np.isfinite(one.got[_rows(one)]).any()), -1)
    if place < 0:
        return None
    one = judged[place]
    key = (one.target, one.full, len(judged), place)
    kept = one.batch.sieves
    if key not in kept:
        rows, batch = _rows(one), one.batch
        delta = None if batch.delta is None else batch.delta[rows]
        inputs = {name: value[rows] for name, value in batch.inputs.items()}
        part = Batch(batch.model, batch.length, batch.grown, inputs, delta)
        few = Judged(part, one.target, one.full, one.got[rows])
        blank = [Judged(j.batch, j.target, j.full, j.got) for j in judged]
        kept[key] = Sieve(few, place, rows, _rules(few, blank))
    found = kept[key]
    assert isinstance(found, Sieve)
    return found


def _rows(one: Judged) -> Array:
    """Inputs of a batch that sift the rules."""
    return np.flatnonzero(~one.reference.met & ~one.left_out_mask)[:_FEW]


def _rules(few: Judged, judged: Sequence[Judged]) -> Iterator[tuple[Mistake, Rule]]:
    yield from messages.first(few)
    target, model = few.target, few.batch.model
    yield from links.softmaxes(model, target)
    moved = model.moved(target.below)
    slipped = (one for one in _slipped(model, moved) if one[2] or moved.intersection(one[1]))
    parts = sum(1 for one in model.forward.arrays for _ in inside(one.body))
    for mistake, changed, anew in islice(slipped, _MOST * _LARGE // max(_LARGE, parts)):
        yield mistake, _by(**{"instead" if anew else "slipped": changed})
    for held in model.held(target.above, target.below):
        said = " and ".join(held)
        mistake = Mistake(
            f"{said} taken for constant",
            f"{target.below} moves {said} too: the chain rule goes through there as well.",
        )
        yield mistake, _by(bent=dict.fromkeys(held, _flat))
    yield from links.rules(model, target)
    yield from messages.last(judged)


def _by(**changes: Any) -> Rule:
    return lambda one: one.numbers(one.batch.falsified(one.target, **changes))


def _flat(tables: object) -> None:
    """No slope, as a constant has."""


@lru_cache(maxsize=64)
def _slipped(model: Model, moved: frozenset[str]) -> tuple[tuple[Mistake, Slip, bool], ...]:
    """Slips of the definitions, and whether their values are wrong as well."""
    found: list[tuple[Mistake, Slip, bool]] = []
    bodies = [
        replace(d, body=units.inlined(d.body, model.forward.functions))
        for d in model.forward.arrays
    ]

    def add(one: Definition, ways: Iterator[tuple[Mistake, Node]], anew: bool = False) -> None:
        name = one.names[0]
        found.extend((m, {name: replace(one, body=body)}, anew) for m, body in ways)

    for one in bodies:
        add(one, units.slips(one))
    for one in reversed(bodies):
        add(one, places.slips(one.body))
    for one in reversed(bodies):
        add(one, inputs_.masks(one.body, model))
        add(one, slips.slips(one.body, moved))
        add(one, inputs_.slips(one.body, model))
    found += [(m, changed, False) for m, changed in inputs_.together(bodies)]
    for one in bodies:
        add(one, inputs_.missing(one.body, model), anew=True)
    return tuple(found)


def _agrees(one: Judged, rule: Array) -> bool:
    told = np.isfinite(rule) & np.isfinite(one.got)
    clear = ~one.wide(one.left_out_mask | one.reference.met) & told
    # A rule need not be 0 where the message from above is.
    gain = one.wide(one.reference.gain)
    slack = one.slack + one.moves + 10 * TOLERANCE * np.abs(rule) + TOLERANCE * gain
    return bool((np.abs(one.got - rule) <= slack)[clear].all())
