"""Max pooling as the check sees it: its formulas, geometries, subgradients and wrong rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from math import prod
from typing import Final

import numpy as np

from engine import conditions, counterexample, geometries, misconceptions
from engine.formula import reader
from engine.formula.evaluator import evaluate
from engine.formula.problem import FormulaError
from engine.formula.tree import Formula
from engine.given.aiming import aim, of_numbers
from engine.given.borders import numbers, untried, wholes
from engine.given.paper import begun
from engine.grader import Array, Handed, Judge, Mask, Reading, Search
from engine.judge import Judged, Target
from engine.misconceptions import Misconception
from engine.pooling_exercise import PoolingExercise
from engine.pooling_indices import from_one
from engine.trials import Batch, batches, draw, draw_each
from engine.verdict import Outcome

#: Of the inputs with windows moved apart, before "only without overlap" is said.
APART_TRIALS: Final = 120
#: Of inputs that an answer's own numbers ask for.
AIMED: Final = "aimed"
#: So many of the numbers are heard; so many inputs are moved to them, so many laid in each layout,
#: and two in those whose loops take more steps.
_HEARD: Final = 4
_NEAR: Final = 12
_LAID: Final = 4
_FEW: Final = 2_000
#: A function is called at most so often to see whether it counts.
_CALLS: Final = 5_000

_OTHER_MESSAGE: Final = {
    "J": (
        "This is the Jacobian df/dx; the exercise asks for the backward message dL/dx.",
        "multiply it by delta[k,l] and sum over the windows (k,l)",
    ),
    "dx": (
        "This is the backward message dL/dx; the exercise asks for the Jacobian df/dx.",
        "leave out delta and the sum: df_kl/dx_ij = ...",
    ),
}


@dataclass(frozen=True, slots=True)
class PoolingGrader:
    exercise: PoolingExercise
    assumed: str = ""

    def read(self, answer: str, part: str = "", step: int | None = None) -> Reading[Target]:
        del part
        first = self.exercise.first
        read = reader.read(answer, first, step)
        # Without a left side and without delta, it is the Jacobian's element.
        target: Target = "dx" if read.target == "dx" else "J"
        if self.exercise.find not in ("any", target):
            message, hint = _OTHER_MESSAGE[target]
            raise FormulaError(message, hint, 1, 1, read.echo)
        counted = from_one(read) if first else read
        bodies = [] if first else [read.tree.body, *(one.body for one in read.tree.definitions)]
        heard = numbers(read.echo)
        begins = begun(*bodies)
        return Reading(target, read.echo, counted, heard, counted.beyond, begins, read.chains)

    def evaluate(self, reading: Reading[Target], batch: Batch) -> Array:
        read: Formula = reading.formula
        return evaluate(read, batch)

    def parts(self, target: Target) -> tuple[tuple[str, ...], tuple[str, ...]]:
        del target
        return (), ()

    def beyond(self, batch: Batch) -> str:
        del batch
        return ""

    def handed(self, batch: Batch) -> Handed:
        (kh, kw), (sh, sw), (ph, pw) = batch.kernel, batch.stride, batch.padding
        inputs, outputs = batch.x.shape[1:], batch.delta.shape[1:]
        shapes = {"dx": inputs, "J": (*outputs, *inputs)}
        return Handed(
            {"x": batch.x, "delta": batch.delta},
            {
                **{"kernel": batch.kernel, "stride": batch.stride, "padding": batch.padding},
                **{"kh": kh, "kw": kw, "sh": sh, "sw": sw, "ph": ph, "pw": pw},
                **{"H": inputs[0], "W": inputs[1], "Ho": outputs[0], "Wo": outputs[1]},
            },
            {t: shapes[t] for t in ("dx", "J") if self.exercise.find in ("any", t)},
            given=2,
            output="f",
        )

    def drawn(self, seed: int, trials: int) -> Sequence[Batch]:
        return _drawn(self.exercise, seed, trials)

    def fresh(self, seed: int) -> Sequence[Batch]:
        return _fresh(self.exercise, seed)

    def aimed(self, reading: Reading[Target], drawn: Sequence[Batch]) -> Sequence[Batch]:
        del drawn
        said = reading.numbers
        return _aimed(self.exercise, said, reading.formula is None) if said else ()

    def judged(self, batch: Batch, target: Target, got: Array, rule: object = None) -> Judged:
        del rule
        return Judged(batch, target, got)

    def smallest(
        self,
        judge: Judge[Batch, Judged],
        fails: Callable[[Judged], Mask],
        seen: Sequence[Judged],
    ) -> Search[Judged]:
        return counterexample.smallest(self.exercise, judge, fails, seen)

    def named(self, judged: Sequence[Judged], fresh: Sequence[Judged]) -> Misconception | None:
        return misconceptions.named((*judged, *fresh))

    def wrong_when(
        self,
        seen: Sequence[Judged],
        fresh: Sequence[Judged],
        judge: Judge[Batch, Judged],
        fails: Callable[[Judged], Mask],
    ) -> tuple[str, ...]:
        old, new = ([(one.batch, fails(one)) for one in some] for some in (seen, fresh))
        return conditions.shared_by(old, new, judge, fails)

    def outcome(
        self,
        judged: Sequence[Judged],
        judge: Judge[Batch, Judged],
        seed: int,
        known: bool,
    ) -> Outcome:
        failing = [one.batch for one in judged if one.astray.any()]
        if known or not all(one.overlaps for one in failing):
            return "wrong"
        if all(AIMED in one.kinds for one in failing):
            return "wrong"
        # Do they fail because windows overlap?  The same kernels, moved apart, must pass.
        if any(one.astray.any() for one in judge.each(_apart(self.exercise, seed))):
            return "wrong"
        return "only-without-overlap"


@lru_cache(maxsize=8)
def _drawn(exercise: PoolingExercise, seed: int, trials: int) -> tuple[Batch, ...]:
    """The random inputs, kept: while an answer is typed they stay the same."""
    return tuple(batches(geometries.tried(exercise), seed, trials))


@lru_cache(maxsize=8)
def _aimed(exercise: PoolingExercise, numbers: tuple[float, ...], calls: bool) -> tuple[Batch, ...]:
    """Inputs about the numbers that stand in an answer, and as large; `calls`: and as many."""
    small = geometries.smallest(exercise)
    # Where windows overlap, that might pass for the reason of a failure.
    plain = next((g for g in small if not g.overlaps and prod(g.size) > 5), small[-1])
    near = draw(plain, np.random.default_rng(0), _NEAR)
    rows, measure = {"x": near.x, "delta": near.delta}, of_numbers(numbers[:_HEARD])
    found = aim(rows, dict.fromkeys(rows, "real"), measure, list(range(len(measure(rows))))).rows
    x, delta = (np.concatenate([found[name], rows[name]]) for name in rows)
    layouts = [(g, _LAID if g.steps <= _FEW else 2) for g in geometries.sized(exercise, numbers)]
    layouts += [(small[0], n + 1) for n in wholes(numbers, _CALLS) if calls]
    laid = [draw(g, np.random.default_rng(n), many) for n, (g, many) in enumerate(layouts)]
    first = replace(near, x=x, delta=delta, unmet=untried(numbers))
    return tuple(replace(one, kinds=(AIMED,) * len(one.x)) for one in (first, *laid))


@lru_cache(maxsize=8)
def _fresh(exercise: PoolingExercise, seed: int) -> tuple[Batch, ...]:
    seeds = (np.random.default_rng([seed, n, 1]) for n in count())
    return tuple(map(draw_each, geometries.fresh(exercise), seeds))


@lru_cache(maxsize=8)
def _apart(exercise: PoolingExercise, seed: int) -> tuple[Batch, ...]:
    """Inputs for the exercise's kernels with no two windows on the same input."""
    overlapping = (g for g in geometries.tried(exercise) if g.overlaps)
    moved = list(map(geometries.apart, overlapping))
    if exercise.kernel is not None:
        # Inputs in no window are among the general ones already.
        moved += [geometries.left_over(geometry) for geometry in moved]
    return tuple(batches(dict.fromkeys(moved), seed, APART_TRIALS))
