"""Max pooling as the check sees it: its formulas, geometries, subgradients and wrong rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from engine import conditions, counterexample, geometries, misconceptions
from engine.formula import reader
from engine.formula.evaluator import evaluate
from engine.formula.problem import FormulaError
from engine.formula.tree import Formula
from engine.grader import Array, Handed, Judge, Mask, Reading, Search
from engine.judge import Judged, Target
from engine.misconceptions import Misconception
from engine.pooling_exercise import PoolingExercise
from engine.pooling_indices import from_one
from engine.trials import Batch, batches
from engine.verdict import Outcome

#: Of the inputs with windows moved apart, before "only without overlap" is said.
APART_TRIALS: Final = 120

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

    def read(self, answer: str) -> Reading[Target]:
        read = reader.read(answer)
        # Without a left side and without delta, it is the Jacobian's element.
        target: Target = "dx" if read.target == "dx" else "J"
        if self.exercise.find not in ("any", target):
            message, hint = _OTHER_MESSAGE[target]
            raise FormulaError(message, hint, 1, 1, read.echo)
        counted = from_one(read) if self.exercise.first else read
        return Reading(target, read.echo, counted, counted.beyond)

    def evaluate(self, reading: Reading[Target], batch: Batch) -> Array:
        read: Formula = reading.formula
        return evaluate(read, batch)

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

    def aimed(self, reading: Reading[Target], drawn: Sequence[Batch]) -> Sequence[Batch]:
        del reading, drawn
        return ()

    def unmet(self, batch: Batch) -> str:
        del batch
        return ""

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

    def named(self, judged: Sequence[Judged]) -> Misconception | None:
        return misconceptions.named(judged)

    def wrong_when(
        self,
        seen: Sequence[Judged],
        judge: Judge[Batch, Judged],
        fails: Callable[[Judged], Mask],
    ) -> tuple[str, ...]:
        return conditions.shared_by([(one.batch, fails(one)) for one in seen], judge, fails)

    def outcome(
        self,
        judged: Sequence[Judged],
        judge: Judge[Batch, Judged],
        seed: int,
        known: bool,
    ) -> Outcome:
        without = [one for one in judged if not one.batch.overlaps]
        if known or any(one.astray.any() for one in without):
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
def _apart(exercise: PoolingExercise, seed: int) -> tuple[Batch, ...]:
    """Inputs for the exercise's kernels with no two windows on the same input."""
    overlapping = (g for g in geometries.tried(exercise) if g.overlaps)
    moved = list(map(geometries.apart, overlapping))
    if exercise.kernel is not None:
        # Inputs in no window are among the general ones already.
        moved += [geometries.left_over(geometry) for geometry in moved]
    return tuple(batches(dict.fromkeys(moved), seed, APART_TRIALS))
