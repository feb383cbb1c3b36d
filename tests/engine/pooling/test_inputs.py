"""Random inputs that hurt, and the smallest counterexample."""

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
from engine.pooling.inputs import (
    GENERAL,
    KINDS,
    JudgedPooling,
    PoolingBatch,
    Target,
    batches,
    few,
    many,
)
from engine.verdict import Counterexample
from tests.engine.brute.mutants import mutants


def drawn(seed: int, trials: int = 300) -> list[PoolingBatch]:
    return batches(GENERAL, seed, trials)


def test_the_same_seed_gives_the_same_inputs() -> None:
    for one, other in zip(drawn(7), drawn(7), strict=True):
        np.testing.assert_array_equal(one.x, other.x)
        np.testing.assert_array_equal(one.delta, other.delta)
        assert one.kinds == other.kinds


def test_another_seed_gives_other_inputs() -> None:
    same = zip(drawn(7), drawn(8), strict=True)
    assert not any(np.array_equal(a.x, b.x) for a, b in same)


@pytest.mark.parametrize("trials", [1, 12, 13, 300])
def test_exactly_the_trials_asked_for_are_drawn(trials: int) -> None:
    assert sum(len(batch.x) for batch in drawn(0, trials)) == trials


def test_a_batch_has_the_shapes_of_its_layer() -> None:
    for batch in drawn(0):
        assert batch.delta.shape == batch.f.shape == (len(batch.x), *batch.inside.shape[:2])
        assert batch.tied.shape == (len(batch.x), *batch.inside.shape)
        assert len(batch.kinds) == len(batch.x)
        assert (batch.tied <= batch.inside).all()


def test_the_messages_are_distinct_and_no_whole_numbers() -> None:
    for batch in drawn(0):
        for every in batch.delta.reshape(len(batch.x), -1):
            delta = every[every != 0]
            assert len(set(np.abs(delta).tolist())) == delta.size
            assert (delta % 1 != 0).all()
            assert (delta * 4 % 1 == 0).all()


def test_some_messages_are_zero_and_most_inputs_have_none() -> None:
    blank = np.concatenate([(b.delta == 0).any(axis=(1, 2)) for b in drawn(0)])
    assert 0.02 < blank.mean() < 0.25


def test_every_kind_comes_up_with_the_trouble_it_is_for() -> None:
    of = {kind: [] for kind in KINDS}  # type: dict[str, list[np.ndarray]]
    for batch in drawn(0, 1200):
        for kind, x in zip(batch.kinds, batch.x, strict=True):
            of[kind].append(x.ravel())
    assert all(of.values())
    assert all(len(set(x)) == len(x) for x in of["distinct"] + of["gaps"] + of["negative"])
    # Of five values: six inputs cannot all differ.
    assert all(len(set(x)) < len(x) for x in of["repeats"] if len(x) > 5)
    assert all((x < 0).all() for x in of["negative"])
    assert all(len(set(x)) == 1 for x in of["constant"])
    assert all(np.diff(np.sort(x)).max(initial=0) < 2e-9 for x in of["gaps"])


def test_the_geometries_hold_every_trouble() -> None:
    counts = [batch.inside.sum(axis=(0, 1)) for batch in drawn(0, 12)]
    assert any((count > 1).any() for count in counts), "an input in several windows"
    assert any((count == 0).any() for count in counts), "an input in no window"
    assert any((count <= 1).all() for count in counts), "no overlap"
    assert any(any(g.padding) for g in GENERAL)
    assert any(g.kernel[0] != g.kernel[1] for g in GENERAL)
    assert any(s > k for g in GENERAL for s, k in zip(g.stride, g.kernel, strict=True))


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
