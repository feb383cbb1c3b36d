"""The counterexample that is shown is the smallest that fails."""

from __future__ import annotations

import numpy as np
import pytest

from engine.formula import reader
from engine.formula.evaluate import evaluate
from engine.formula.tree import Formula
from engine.grading import Judge
from engine.pooling import inputs as geometries
from engine.pooling.exercise import PoolingExercise
from engine.pooling.grader import smallest_failure
from engine.pooling.inputs import JudgedPooling, PoolingBatch, Target, few, many
from engine.verdict import Counterexample
from tests.engine.brute.mutants import mutants

EXERCISES = (PoolingExercise(), PoolingExercise(kernel=(2, 2), stride=(1, 1), padding=(0, 0)))


@pytest.mark.parametrize("exercise", EXERCISES, ids=["general", "given"])
def test_no_smaller_geometry_fails_on_any_of_the_listed_inputs(exercise: PoolingExercise) -> None:
    small = geometries.smallest_geometries(exercise)
    tried = 0
    for mutant in mutants(70):
        read = reader.read(mutant.echo)
        target: Target = "dx" if read.target == "dx" else "J"

        def one(
            batch: PoolingBatch, read: Formula = read, target: Target = target
        ) -> JudgedPooling:
            return JudgedPooling(batch, target, evaluate(read, batch))

        with np.errstate(all="ignore"):
            found = smallest_failure(exercise, Judge(one), lambda judged: judged.astray, []).found
            failing = [g for g in small if one(many(g)).astray.any() or one(few(g)).astray.any()]
        shown = _shape(found) if isinstance(found, Counterexample) else None
        assert shown == ((*_of(failing[0]),) if failing else None), mutant.text
        tried += bool(failing)
    assert tried > 5


def _shape(found: Counterexample) -> tuple[object, ...]:
    return found.kernel, found.stride, found.padding, (len(found.x), len(found.x[0]))


def _of(geometry: geometries.Geometry) -> tuple[object, ...]:
    return geometry.kernel, geometry.stride, geometry.padding, geometry.size


@pytest.mark.parametrize("geometry", geometries.SMALL[:10], ids=str)
def test_a_few_inputs_hold_every_pattern_of_ties(geometry: geometries.Geometry) -> None:
    def patterns(batch: PoolingBatch) -> set[tuple[int, ...]]:
        flat = batch.x.reshape(len(batch.x), -1)
        ranks = (flat[:, :, None] > flat[:, None, :]).sum(axis=-1)
        return {tuple(row) for row in ranks.tolist()}

    assert patterns(few(geometry)) == patterns(many(geometry))


@pytest.mark.parametrize("geometry", geometries.SMALL, ids=str)
def test_every_small_input_has_a_message_for_each_window(geometry: geometries.Geometry) -> None:
    for batch in (few(geometry), many(geometry)):
        assert batch.x.shape[1:] == geometry.size
        assert batch.delta.shape == (len(batch.x), *geometry.windows)
        assert len(batch.kinds) == len(batch.x)
