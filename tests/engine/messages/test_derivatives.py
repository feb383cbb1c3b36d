"""The derivative of a forward message is exact: it agrees with central differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.exercise import exercise_for
from engine.messages.exercise import GivenExercise
from engine.messages.inputs import draw
from engine.messages.layers import LAYERS
from engine.messages.model import Batch


def made(text: str, find: str, **keys: object) -> GivenExercise:
    exercise = exercise_for({"given": text, "find": find, **keys}, [], "derivation")
    assert isinstance(exercise, GivenExercise)
    return exercise


def differences(batch: Batch, above: str, below: str, step: float = 1e-5) -> np.ndarray:
    """d above / d below by fourth-order central differences: (B, O, P)."""
    x = batch.inputs[below].reshape(len(batch), -1)
    columns = []
    for place in range(x.shape[1]):
        total = np.zeros(())
        for side, weight in ((1, 8.0), (-1, -8.0), (2, -1.0), (-2, 1.0)):
            moved = x.copy()
            moved[:, place] += side * step
            inputs = {**batch.inputs, below: moved.reshape(batch.inputs[below].shape)}
            value = batch.model.run(inputs, batch.length)[above].value
            total = np.asarray(total + weight * value.reshape(len(batch), -1))
        columns.append(total / (12 * step))
    return np.stack(columns, axis=-1)


def agrees(exercise: GivenExercise, seed: int, within: float = 1e-6, share: float = 0.9) -> None:
    task = exercise.task
    for target in task.targets:
        if target.below not in task.model.forward.inputs:
            continue
        batch = draw(task.model, "", np.random.default_rng(seed), 20, {}, only="gaussian")
        reference = batch.reference(target.above, target.below)
        clear = ~reference.met & ~reference.left_out
        assert clear.mean() > 0.5
        near = differences(batch, target.above, target.below)[clear]
        exact = reference.jacobian[clear]
        scale = 1 + np.abs(exact).max(axis=(1, 2), keepdims=True)
        # A kink within a step of the input spoils a difference, not the derivative.
        good = (np.abs(near - exact) <= within * scale).all(axis=(1, 2))
        assert good.mean() >= share


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_agrees_with_differences(name: str) -> None:
    """By its input and by each parameter, on every trial: none of these is near a kink."""
    exercise = exercise_for(name, [], "derivation")
    assert isinstance(exercise, GivenExercise)
    agrees(exercise, 1, within=1e-9, share=1)


FORMULAS = [
    "x[j]^2 * w[j]",
    "exp(-x[j]^2)",
    "sum(x[m] * w[j] for m)",
    "max(x[m] * w[m] for m) + x[j]",
    "min(x[j], w[j], 1)",
    "x[j] * [x[j] > w[j]]",
    "abs(x[j] - w[j])",
    "log(1 + x[j]^2) / (2 + sin(w[j]))",
    "sqrt(1 + x[j]^2)^3",
    "x[j] * relu(w[j] + x[j]) + tanh(x[j])",
    "mean(x[m]^2 for m) * cos(x[j])",
    "(1 + x[j]^2)^w[j]",
    "x[j] / (1 + count(x[m] > 0 for m))",
    "{ x[j]^2 if x[j] > 0; 0 if x[j] < -1; -x[j] otherwise }",
    "sum(x[m] for m if m <= j)",
    "sum(x[m] * w[m - 1] for m in range(1, n))",
    "softplus(x[j]) - sigmoid(x[j] * w[j]) + erf(x[j])",
    "2^x[j] + e^(x[j] * w[j]) + pi",
    "|x[j]|^3 + x[j] * max(x)",
    "x[argmax(x[m] for m)] * w[j]",
]


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("below", ["x", "w"])
def test_a_formula_agrees_with_differences(formula: str, below: str) -> None:
    text = f"y[j] = ({formula}) + 0 * w[j] * x[j]"
    agrees(made(text, f"dy[i]/d{below}[j]", sizes={"n": 3, "j": "n"}), 2)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(FORMULAS), min_size=2, max_size=3), st.integers(0, 99))
def test_a_chain_of_formulas_agrees_with_differences(parts: list[str], seed: int) -> None:
    lines = []
    for n, part in enumerate(parts):
        name = "x" if n == 0 else f"h{n}"
        part = part.replace("x[", f"{name}[").replace("max(x)", f"max({name})")
        part = part.replace(f"e{name}[", "ex[")
        lines.append(f"h{n + 1}[j] = tanh({part}) + {name}[j] + 0 * w[j]")
    lines.append(f"L = sum(h{len(parts)}[j] * (j + 1) for j)")
    agrees(made("\n".join(lines), "dL/dx[j]", sizes={"n": 3, "j": "n"}), seed)


def test_the_order_of_the_definitions_does_not_matter() -> None:
    one = made("s = a * x\ny = s^2", "dy/dx")
    two = made("y = s^2\ns = a * x", "dy/dx")
    assert [d.names for d in one.task.model.forward.arrays] == [("s",), ("y",)]
    assert [d.names for d in two.task.model.forward.arrays] == [("s",), ("y",)]


def test_at_a_kink_every_branch_is_run_and_nowhere_else() -> None:
    task = made("y[j] = max(x[j], 0) + 2 * abs(x[j])", "dL/dx[j]", sizes={"j": 2}).task
    inputs = {"x": np.array([[0.0, 1.0], [0.0, 0.0], [-1.0, 2.0]])}
    batch = Batch(task.model, task.model.lengths(), {}, inputs, np.ones((3, 2)))
    reference = batch.reference("y", "x")
    assert reference.met.tolist() == [True, True, False]
    slopes = {tuple(np.diag(along)) for along in reference.branches[reference.branch_of == 0]}
    # x is 0 in both summands: relu's slope is 0 or 1, that of 2|x| is -2 or 2.
    assert slopes == {(-2.0, 3.0), (2.0, 3.0), (-1.0, 3.0), (3.0, 3.0)}
    assert (reference.branch_of == 1).sum() == 16


def test_where_the_sides_agree_there_is_no_kink() -> None:
    task = made("y[j] = x[j] if x[j] > 0 else exp(x[j]) - 1", "dL/dx[j]", sizes={"j": 2}).task
    inputs = {"x": np.array([[0.0, 1.0]])}
    batch = Batch(task.model, task.model.lengths(), {}, inputs, np.ones((1, 2)))
    reference = batch.reference("y", "x")
    assert not reference.met.any()
    assert np.diag(reference.jacobian[0]).tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("y = [x > 0]", 0.0),  # a jump
        ("y = sqrt(x^2)", 0.0),  # 0 times infinity
        ("y = 1 / x", 0.0),  # a pole
        ("y = x if x > 0 else 1", 0.0),
    ],
)
def test_where_nothing_is_right_an_input_is_left_out(text: str, x: float) -> None:
    task = made(text, "dL/dx").task
    batch = Batch(task.model, task.model.lengths(), {}, {"x": np.array([x, 1.0])}, np.ones(2))
    assert batch.reference("y", "x").left_out.tolist() == [True, False]
