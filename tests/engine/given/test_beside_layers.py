"""The derivative of a written forward message is that of the layer written by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import engine
from engine import exercise_for
from engine.given.batch import Batch
from engine.given.drawing import draw
from engine.given.exercise import GivenExercise

#: The layer of one trial's inputs.
LAYERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "linear": lambda given: engine.Linear(given["W"], given["b"]),
    "relu": lambda _: engine.ReLU(),
    "leaky-relu": lambda _: engine.LeakyReLU(0.01),
    "prelu": lambda given: engine.PReLU(given["a"]),
    "elu": lambda _: engine.ELU(),
    "sigmoid": lambda _: engine.Sigmoid(),
    "tanh": lambda _: engine.Tanh(),
    "gelu": lambda _: engine.GELU(),
    "softmax": lambda _: engine.Softmax(),
    "log-softmax": lambda _: engine.LogSoftmax(),
    "layer-norm": lambda given: engine.LayerNorm(given["g"], given["b"]),
}


@pytest.mark.parametrize("name", LAYERS)
def test_the_messages_are_those_of_the_layer(name: str) -> None:
    exercise = exercise_for(name, [], "derivation")
    assert isinstance(exercise, GivenExercise)
    task = exercise.task
    batch: Batch = draw(task.model, "y", np.random.default_rng(3), 40, {})
    assert batch.delta is not None
    reference = batch.reference("y", "x")
    for n in np.flatnonzero(~reference.met & ~reference.left_out):
        layer = LAYERS[name]({key: value[n] for key, value in batch.inputs.items()})
        f = layer.forward(batch.inputs["x"][n])
        np.testing.assert_allclose(batch.values["y"][n], f, rtol=1e-9, atol=1e-12)
        dx = batch.delta[n] @ reference.jacobian[n]
        np.testing.assert_allclose(layer.backward(batch.delta[n]), dx, rtol=1e-8, atol=1e-10)
