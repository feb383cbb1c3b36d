"""Random inputs that hurt, and the smallest counterexample."""

from __future__ import annotations

from functools import partial
from math import prod

import numpy as np
import pytest

from engine.exercise import Judge
from engine.grading import smallest
from engine.messages.answer import Read
from engine.messages.inputs import MIXTURE
from engine.pooling import inputs as geometries
from engine.pooling import reader
from engine.pooling.evaluate import evaluate
from engine.pooling.exercise import PoolingExercise
from engine.pooling.grader import JudgedPooling
from engine.pooling.inputs import GENERAL, PoolingBatch, batches, draw, few, many
from tests.engine.brute.mutants import mutants


def drawn(seed: int, trials: int = 300) -> list[PoolingBatch]:
    return batches(GENERAL, seed, trials)


def test_the_same_seed_gives_the_same_inputs_and_another_one_others() -> None:
    for one, same, other in zip(drawn(7), drawn(7), drawn(8), strict=True):
        np.testing.assert_array_equal(one.x, same.x)
        np.testing.assert_array_equal(one.delta, same.delta)
        assert not np.array_equal(one.x, other.x)
    for trials in (1, 12, 13, 300):
        assert sum(len(batch.x) for batch in drawn(0, trials)) == trials


def test_the_messages_are_distinct_and_no_whole_numbers_and_some_are_zero() -> None:
    for batch in drawn(0):
        assert batch.delta.shape == batch.f.shape == (len(batch.x), *batch.inside.shape[:2])
        assert batch.tied.shape == (len(batch.x), *batch.inside.shape)
        assert (batch.tied <= batch.inside).all()
        for every in batch.delta.reshape(len(batch.x), -1):
            delta = every[every != 0]
            assert len(set(np.abs(delta).tolist())) == delta.size
            assert (delta % 1 != 0).all()
            assert (delta * 4 % 1 == 0).all()
    blank = np.concatenate([(b.delta == 0).any(axis=(1, 2)) for b in drawn(0)])
    assert 0.02 < blank.mean() < 0.25


def test_every_kind_comes_up_with_the_trouble_it_is_for() -> None:
    rng = np.random.default_rng(0)
    of = {
        kind: [x.ravel() for shape in GENERAL for x in draw(shape, rng, 12, kind).x]
        for kind in MIXTURE
    }
    assert all(len(set(x)) == len(x) for x in of["distinct"] + of["gaps"] + of["negative"])
    # Of five values: six inputs cannot all differ.
    assert all(len(set(x)) < len(x) for x in of["repeats"] if len(x) > 5)
    assert all((x < 0).all() for x in of["negative"])
    assert all(len(set(x)) == 1 for x in of["constant"])
    assert all(np.diff(np.sort(x)).max(initial=0) < 2e-9 for x in of["gaps"])
    assert any(0 < np.diff(np.sort(x)).max(initial=0) < 1e-12 for x in of["gaps"])
    assert any((x < -(2.0**63)).all() for x in of["large"])


def test_the_geometries_hold_every_trouble() -> None:
    counts = [batch.inside.sum(axis=(0, 1)) for batch in drawn(0, 12)]
    assert any((count > 1).any() for count in counts), "an input in several windows"
    assert any((count == 0).any() for count in counts), "an input in no window"
    assert any((count <= 1).all() for count in counts), "no overlap"
    assert any(any(g.padding) for g in GENERAL)
    assert any(g.kernel[0] != g.kernel[1] for g in GENERAL)
    assert any(s > k for g in GENERAL for s, k in zip(g.stride, g.kernel, strict=True))


def judged(read: Read, batch: PoolingBatch) -> JudgedPooling:
    return JudgedPooling(batch, read.target, evaluate(read, batch))


@pytest.mark.parametrize(
    "exercise", [PoolingExercise(), PoolingExercise(kernel=(2, 2), stride=(1, 1), padding=(0, 0))]
)
def test_no_smaller_geometry_fails_unless_it_shows_less(exercise: PoolingExercise) -> None:
    tried = 0
    for mutant in mutants(150):
        one = partial(judged, reader.read(mutant.echo))
        with np.errstate(all="ignore"):
            found, _ = smallest(exercise.grader(), Judge(one), lambda judged: judged.astray)
            failing = [
                g
                for g in geometries.smallest_geometries(exercise.window)
                if one(many(g)).astray.any() or one(few(g)).astray.any()
            ]
        shown = None if found is None else found[0].batch.geometry
        wanted = failing[0] if failing else None
        if wanted != shown:
            assert shown in failing, mutant.text
            assert wanted is not None, mutant.text
            assert shown is not None, mutant.text
            assert (1, 1) in (wanted.windows, wanted.kernel), mutant.text
            assert prod(shown.size) <= prod(wanted.size) + 12, mutant.text
        tried += bool(failing)
    assert tried > 3
