"""Laws of the random inputs: reproducible, varied, and of the shapes they claim."""

from __future__ import annotations

import numpy as np
import pytest

from engine.pooling.inputs import GENERAL, KINDS, PoolingBatch, batches


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
