"""From an answer's numbers to its verdict, however the numbers came about."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np

from engine import conditions, counterexample, geometries, misconceptions
from engine.exercise import Exercise
from engine.judge import Judged, Target
from engine.trials import Batch, batches
from engine.verdict import Outcome, Verdict
from engine.windows import Array, Mask

#: An answer as a function of a batch: to dx (B, H, W), or to J (B, Ho, Wo, H, W).
Rule: TypeAlias = Callable[[Batch], Array]

#: Of the inputs with windows moved apart, before "only without overlap" is said.
APART_TRIALS: Final = 120


def grade(
    rule: Rule, target: Target, exercise: Exercise, seed: int = 0, trials: int = 300, read: str = ""
) -> Verdict:
    """Judge what `rule` gives on `trials` random inputs drawn from `seed`.

    - correct: right on every input; at ties any valid subgradient counts.
    - correct-except-ties: right wherever the derivative exists.
    - only-without-overlap: right, ties aside, while each input lies in one window only.  This is
      said of an answer that fails at ties as well, since the overlap is the larger gap.
    - wrong: anything else, and whatever agrees with a known misconception on every input.

    `read` is the answer as it was understood.  Whatever `rule` raises passes through.
    """

    def judge(batch: Batch) -> Judged:
        return Judged(batch, target, rule(batch))

    # NumPy would warn of the division by 0 that an answer asks for; its NaN is judged instead.
    with np.errstate(all="ignore"):
        judged = [judge(batch) for batch in _drawn(exercise, seed, trials)]
        tried = sum(len(one.x) for one in judged)
        failed = sum(int((~one.valid).sum()) for one in judged)
        if not failed:
            return Verdict("correct", read, seed, tried)
        fails = _fails(judged)
        known = misconceptions.named(judged) if fails is _astray else None
        search = counterexample.smallest(exercise, judge, fails, judged)
        seen = [(one.batch, fails(one)) for one in (*judged, *search.tried)]
        return Verdict(
            _outcome(judged, judge, exercise, seed, known is not None),
            read,
            seed,
            tried,
            misconception=known.name if known else None,
            teaching=known.teaching if known else None,
            wrong_when=conditions.shared_by(seen, judge, fails),
            counterexample=search.found,
            failed=failed,
        )


@lru_cache(maxsize=8)
def _drawn(exercise: Exercise, seed: int, trials: int) -> tuple[Batch, ...]:
    """The random inputs, kept: while an answer is typed they stay the same."""
    return tuple(batches(geometries.tried(exercise), seed, trials))


@lru_cache(maxsize=8)
def _apart(exercise: Exercise, seed: int) -> tuple[Batch, ...]:
    """Inputs for the exercise's kernels with no two windows on the same input."""
    moved = dict.fromkeys(geometries.apart(g) for g in geometries.tried(exercise))
    return tuple(batches(moved, seed, APART_TRIALS))


def _fails(judged: list[Judged]) -> counterexample.Fails:
    """What counts as a failure to show: one where the derivative exists, if there is any."""
    return _astray if any(one.astray.any() for one in judged) else _invalid


def _astray(one: Judged) -> Mask:
    return one.astray


def _invalid(one: Judged) -> Mask:
    return ~one.valid


def _outcome(
    judged: list[Judged],
    judge: Callable[[Batch], Judged],
    exercise: Exercise,
    seed: int,
    known: bool,
) -> Outcome:
    if _fails(judged) is _invalid:
        return "correct-except-ties"
    without = [one for one in judged if not one.batch.overlaps]
    if known or any(one.astray.any() for one in without):
        return "wrong"
    # Do they fail because windows overlap?  The same kernels, moved apart, must pass.
    if any(judge(batch).astray.any() for batch in _apart(exercise, seed)):
        return "wrong"
    return "only-without-overlap"
