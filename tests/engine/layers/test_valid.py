"""Which answers a layer calls right: its derivative, and at a kink each subgradient."""

from __future__ import annotations

import numpy as np
import pytest

from engine import (
    ELU,
    BatchNorm,
    GlobalMaxPool,
    LeakyReLU,
    MaxPool,
    PReLU,
    ReLU,
    Sequential,
    Sigmoid,
    jacobian,
)
from engine.layers.derived import Derived
from tests.engine.layers.cases import CASES, Case, inputs


@pytest.mark.parametrize("case", CASES, ids=str)
def test_its_own_messages_are_valid_and_what_is_a_little_off_is_not(case: Case) -> None:
    rng = np.random.default_rng(11)
    layer = case.make(rng)
    x = inputs(case, rng, (2,))
    delta = rng.standard_normal(layer.forward(x).shape)
    dx = layer.backward(delta).copy()
    assert isinstance(layer, Derived | MaxPool)
    assert layer.valid(x, dx=dx, delta=delta).all()
    J = layer.jacobian(x)
    assert layer.valid(x, J=J).all()
    dx.reshape(-1)[-1] += 1e-3
    J.reshape(-1)[0] += 1e-3
    assert not layer.valid(x, dx=dx, delta=delta).all()
    assert not layer.valid(x, J=J).all()


@pytest.mark.parametrize(
    ("layer", "low", "high"),
    [
        (ReLU(), 0, 1),
        (LeakyReLU(0.25), 0.25, 1),
        (LeakyReLU(2), 1, 2),
        (PReLU(0.25), 0.25, 1),
        (PReLU([-1.0]), -1, 1),
        (ELU(0.5), 0.5, 1),
        (ELU(3), 1, 3),
    ],
    ids=repr,
)
def test_at_a_kink_every_slope_between_the_two_sides_is_valid(
    layer: ReLU, low: float, high: float
) -> None:
    slopes = np.array([low - 0.1, low, (low + high) / 2, high, high + 0.1])
    expected = [False, True, True, True, False]
    x = np.zeros(5)
    for delta in (2.0, -2.0):
        valid = layer.valid(x, dx=delta * slopes, delta=np.full(5, delta))
        assert valid.tolist() == expected
    assert layer.valid(x, J=np.diag(slopes)).tolist() == expected
    off = np.diag(np.full(5, (low + high) / 2))
    off[0, 1] = 0.1
    assert layer.valid(x, J=off).tolist() == [False, True, True, True, True]
    assert not layer.valid(x + 1, dx=slopes + 9, delta=np.ones(5)).any()


@pytest.mark.parametrize("width", ["float16", "float32"])
def test_narrow_inputs_are_judged_by_their_own_width(width: str) -> None:
    layer = Sigmoid()
    x = np.linspace(-3, 3, 7, dtype=width)
    layer.forward(x)
    delta = np.ones(7, width)
    assert layer.valid(x, dx=layer.backward(delta), delta=delta).all()


def test_infinite_and_missing_messages_are_compared_as_they_are() -> None:
    valid = ReLU().valid([1.0, -1.0, np.nan], dx=[np.inf, 0, np.nan], delta=[np.inf, 1, 1])
    assert valid.all()
    assert not ReLU().valid([1.0], dx=[1.0], delta=[np.inf]).any()


def test_tied_maxima_of_a_channel_may_share_its_message() -> None:
    layer, x = GlobalMaxPool(), np.array([[[1.0, 1.0]], [[0.0, 3.0]]])
    delta = np.ones((2, 1, 1))
    valid = layer.valid(x, dx=[[[0.25, 0.75]], [[0.5, 0.5]]], delta=delta)
    assert valid.reshape(-1).tolist() == [True, False]
    J = jacobian(layer, x)
    J[0, 0, 0, 1, 0, 1] = 0.1
    assert layer.valid(x, J=J).reshape(-1).tolist() == [False, True]


def test_asking_for_a_jacobian_leaves_a_layer_as_it_was() -> None:
    norm = BatchNorm([1.0], [0.0])
    layer = Sequential(norm, ReLU())
    layer.forward([[1.0], [2.0]])
    kept, sent = norm.running_mean.copy(), layer.backward(np.ones((2, 1)))
    layer.valid([[5.0], [6.0]], J=layer.jacobian([[5.0], [6.0]]))
    np.testing.assert_array_equal(norm.running_mean, kept)
    np.testing.assert_array_equal(layer.backward(np.ones((2, 1))), sent)
