"""Where a forward message has no derivative: which trials meet a kink, and its branches there.

A kink is a choice between alternatives that are equally good at the input: both sides of a
comparison that holds with equality, the two slopes of |x| at 0, the inputs that share a maximum.
The evaluation asks `choose` at each of them, always in the same order, so that a second run can be
told to take the other branches.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

import numpy as np

from engine.formula.axes import Array

#: Of so many combinations of branches each is tried; a trial with more is left out.
MOST_BRANCHES = 64
#: Rows of one run over all branches: bounds its time and memory.
MOST_ROWS = 6_000


@dataclass(slots=True)
class Record:
    """Takes the usual branch everywhere, and remembers where there was another one."""

    calls: list[tuple[Array, Array]] = field(default_factory=list)

    def choose(self, alike: Array, usual: Array) -> Array:
        """Return which alternative is taken: `usual` (B, ...), of `alike` (B, ..., n)."""
        self.calls.append((alike, usual))
        return usual

    def met(self, trials: int) -> Array:
        """(B,): which trials have a choice."""
        met = np.zeros(trials, dtype=np.bool_)
        for alike, _ in self.calls:
            several = alike.sum(axis=-1) > 1
            met |= several.reshape(trials, -1).any(axis=1)
        return met


@dataclass(slots=True)
class Replay:
    """Takes the branches it was told to."""

    told: list[Array]
    _next: int = 0

    def choose(self, alike: Array, usual: Array) -> Array:
        self._next += 1
        told = self.told[self._next - 1]
        # What a forced branch brings up further on has no choice of its own.
        return told if told.shape == usual.shape and alike.shape[-1] else usual


def branches(record: Record, trials: Array) -> tuple[Array, Replay]:
    """Lay out every combination of branches of some `trials`.

    Return the trial of each row, and the choices to take in these rows.  A trial with more than
    MOST_BRANCHES combinations has no row; its derivative is then not decided.
    """
    rows: list[int] = []
    changes: list[tuple[int, int, tuple[int, ...], int]] = []
    for trial in trials.tolist():
        sites = _sites(record, trial)
        count = int(np.prod([len(options) for _, _, options in sites], dtype=np.float64))
        if count > MOST_BRANCHES or len(rows) + count > MOST_ROWS:
            continue
        for combination in product(*(options for _, _, options in sites)):
            for (call, place, _), option in zip(sites, combination, strict=True):
                changes.append((call, len(rows), place, option))
            rows.append(trial)
    of = np.array(rows, dtype=np.intp)
    told = [usual[of].copy() for _, usual in record.calls]
    for call, row, place, option in changes:
        told[call][(row, *place)] = option
    return of, Replay(told)


def _sites(record: Record, trial: int) -> list[tuple[int, tuple[int, ...], list[int]]]:
    """The choices of one trial: call, place, and the alternatives there."""
    found = []
    for call, (alike, _) in enumerate(record.calls):
        for place in np.argwhere(alike[trial].sum(axis=-1) > 1):
            at = tuple(place.tolist())
            found.append((call, at, np.flatnonzero(alike[(trial, *at)]).tolist()))
    return found
