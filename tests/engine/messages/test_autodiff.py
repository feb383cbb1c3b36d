"""Derivatives against differences, kinks, borders."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.checking import check
from engine.formula.axes import Array
from engine.grading import grade
from engine.messages.exercise import GivenExercise
from engine.messages.inputs import draw
from engine.messages.layers import LAYERS
from engine.messages.model import Batch, Reference
from engine.messages.spec import Task
from tests.engine import cases
from tests.engine.cases import table


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


def task_of(keys: object) -> Task:
    exercise = cases.made(keys)
    assert isinstance(exercise, GivenExercise)
    return exercise.task


def message(text: str, find: str = "dL/dx[j]", **sizes: object) -> Task:
    return task_of({"given": text, "find": find, "sizes": sizes})


def agrees(task: Task, seed: int, within: float = 1e-6, share: float = 0.9) -> None:
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
    agrees(task_of(name), 1, within=1e-9, share=1)


TABLE = table("formulas")
FORMULAS = TABLE["formulas"]


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("below", ["x", "w"])
def test_a_formula_agrees_with_differences(formula: str, below: str) -> None:
    text = f"y[j] = ({formula}) + 0 * w[j] * x[j]"
    agrees(message(text, f"dy[i]/d{below}[j]", n=3, j="n"), 2)


@pytest.mark.parametrize("formula", [one for one in FORMULAS if "det(" not in one])
def test_a_second_derivative_agrees_with_differences_of_the_first(formula: str) -> None:
    text = f"y[j] = ({formula}) + 0 * w[j] * x[j]"
    task = message(text, "d^2y[i]/dx[j] dx[k]", n=3, j="n")
    batch = draw(task.model, "", np.random.default_rng(4), 20, {}, only="gaussian")
    found = task.targets[0].reference(batch)
    near = differences_twice(batch, "y", "x")
    clear = ~found.met & ~found.left_out
    scale = 1 + np.abs(near[clear]).max(axis=(1, 2), keepdims=True)
    good = (np.abs(near[clear] - found.jacobian[clear]) <= 1e-6 * scale).all(axis=(1, 2))
    assert clear.mean() > 0.5
    assert good.mean() >= 0.9


def differences_twice(batch: Batch, above: str, below: str, step: float = 1e-5) -> np.ndarray:
    """The derivative by `below` of d above / d below, by central differences: (B, O * P, P)."""
    x = batch.inputs[below].reshape(len(batch), -1)
    columns = []
    for place in range(x.shape[1]):
        ends = []
        for side in (step, -step):
            moved = x.copy()
            moved[:, place] += side
            inputs = {**batch.inputs, below: moved.reshape(batch.inputs[below].shape)}
            other = Batch(batch.model, batch.length, {}, inputs, None)
            ends.append(other.reference(above, below).jacobian.reshape(len(batch), -1))
        columns.append((ends[0] - ends[1]) / (2 * step))
    return np.stack(columns, axis=-1)


@given(st.lists(st.sampled_from(FORMULAS), min_size=2, max_size=3), st.integers(0, 99))
def test_a_chain_of_formulas_agrees_with_differences(parts: list[str], seed: int) -> None:
    lines = []
    for n, part in enumerate(parts):
        name = "x" if n == 0 else f"h{n}"
        part = part.replace("x[", f"{name}[").replace("max(x)", f"max({name})")
        part = part.replace(f"e{name}[", "ex[")
        lines.append(f"h{n + 1}[j] = tanh({part}) + {name}[j] + 0 * w[j]")
    lines.append(f"L = sum(h{len(parts)}[j] * (j + 1) for j)")
    agrees(message("\n".join(lines), n=3, j="n"), seed)


def test_the_order_of_the_definitions_does_not_matter() -> None:
    one = message("s = a * x\ny = s^2", "dy/dx")
    two = message("y = s^2\ns = a * x", "dy/dx")
    assert [d.names for d in one.model.forward.arrays] == [("s",), ("y",)]
    assert [d.names for d in two.model.forward.arrays] == [("s",), ("y",)]


def reference_at(text: str, x: Sequence[object], **sizes: object) -> Reference:
    """What is right of dL/dx at some inputs."""
    task = message(text, "dL/dx[j]" if sizes else "dL/dx", **sizes)
    values = np.array(x)
    batch = Batch(task.model, task.model.lengths(), {}, {"x": values}, np.ones(values.shape))
    return batch.reference("y", "x")


def test_at_a_kink_every_branch_is_run_and_nowhere_else() -> None:
    reference = reference_at(
        "y[j] = max(x[j], 0) + 2 * abs(x[j])", [[0.0, 1], [0, 0], [-1, 2]], j=2
    )
    assert reference.met.tolist() == [True, True, False]
    slopes = {tuple(np.diag(along)) for along in reference.branches[reference.branch_of == 0]}
    # x is 0 in both summands: relu's slope is 0 or 1, that of 2|x| is -2 or 2.
    assert slopes == {(-2.0, 3.0), (2.0, 3.0), (-1.0, 3.0), (3.0, 3.0)}
    assert (reference.branch_of == 1).sum() == 16
    # Where the sides agree there is none.
    reference = reference_at("y[j] = x[j] if x[j] > 0 else exp(x[j]) - 1", [[0.0, 1.0]], j=2)
    assert not reference.met.any()
    assert np.diag(reference.jacobian[0]).tolist() == [1.0, 1.0]


def test_where_nothing_is_right_an_input_is_left_out() -> None:
    """At a jump, at 0 times infinity, at a pole."""
    for text in ("y = [x > 0]", "y = sqrt(x^2)", "y = 1 / x", "y = x if x > 0 else 1"):
        assert reference_at(text, [0.0, 1.0]).left_out.tolist() == [True, False]


@settings(max_examples=8)
@given(
    form=st.sampled_from(TABLE["borders"]),
    border=st.floats(0.01, 3000).map(lambda c: float(f"{c:.3g}")),
    share=st.sampled_from((0.5, 0.98, 1.02, 1.6)),
)
def test_a_border_of_the_message_that_is_moved_is_wrong(
    form: tuple[str, str], border: float, share: float
) -> None:
    text, answer = form
    card = cases.given(text.format(c=repr(border)))
    assert check(answer.format(d=repr(border)), card).verdict in ("correct", "correct-except-ties")
    moved = float(f"{border * share:.9g}")
    assert check(answer.format(d=repr(moved)), card).verdict == "wrong"


@settings(max_examples=10)
@given(
    start=st.floats(-300, 300).map(lambda c: float(f"{c:.4g}")),
    wide=st.sampled_from((0.003, 0.4, 1e6)),
    of=st.sampled_from(("x[k]", "delta[k]", "2 * x[k] + 1")),
)
def test_a_border_of_the_answers_own_is_crossed(start: float, wide: float, of: str) -> None:
    card = cases.given("y[k] = x[k]^2")
    answer = f"2 * delta[k] * x[k] * (1 if not ({start!r} < {of} < {start + wide!r}) else 3)"
    assert check(answer, card).verdict == "wrong"


def test_the_same_seed_gives_the_same_inputs() -> None:
    card = cases.given("y[k] = min(6, max(0, x[k]))")
    other = cases.given("y[k] = min(6, max(0, x[k]))", inputs={"x": "real"})
    one, two = (of.grader().drawn(3, 300)[0].inputs["x"] for of in (card, other))
    assert (one == two).all()


@settings(max_examples=6)
@given(
    value=st.integers(3, 9_000).map(lambda n: n / 100).filter(lambda c: c not in (0.5, 1, 2)),
    of=st.sampled_from(("x[k]", "-delta[k]", "max(x[m] for m)", "2 * x[k]")),
)
def test_a_number_that_an_answer_asks_for_is_met_exactly(value: float, of: str) -> None:
    card = cases.given("y[k] = x[k]^2")
    assert check(f"2 * delta[k] * x[k] * [{of} != {value!r}]", card).verdict == "wrong"
    body = f"dx = 2 * delta * x\n    dx[x == {value!r}] += 1\n    return dx"
    assert check(f"def backward(x, delta):\n    {body}", card).verdict == "wrong"


@settings(max_examples=4)
@given(size=st.integers(5, 40), how=st.sampled_from(("<", "!=")))
def test_sizes_that_an_answer_speaks_of_are_tried(size: int, how: str) -> None:
    card = cases.given("y[k] = x[k]^2")
    assert check(f"2 * delta[k] * x[k] * [k {how} {size}]", card).verdict == "wrong"
    body = f"dx = 2 * delta * x\n    if len(x) == {size}: dx *= 2\n    return dx"
    assert check(f"def backward(x, delta):\n    {body}", card).verdict == "wrong"


def test_what_is_far_off_is_evaluated_twice_more_for_its_rounding() -> None:
    calls = {True: 0, False: 0}

    def rule(batch: Batch) -> Array:
        calls[batch.rounding is None] += 1
        return 3 * batch.values["delta"] * batch.values["x"]

    card = cases.given("y[k] = x[k]^2")
    target = card.grader().read("2 * delta[k] * x[k]").target
    assert grade(rule, target, card.grader()).verdict == "wrong"
    assert calls[False] <= 2 * calls[True]
