"""Every comparison is tried on both sides of its border, near and far: of the card and the answer.

The cards and borders are drawn, so that no set of values could have been tuned to.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.checking import check
from engine.exercise import Exercise, exercise_for
from engine.formula.tree import Name
from engine.grading import Array, grade
from engine.messages.borders import Border, Borders, aim
from engine.messages.model import Batch


def exercise(text: str, find: str = "dL/dx[k]", **more: object) -> Exercise:
    found = exercise_for({"given": text, "find": find, **more}, [], "derivation")
    assert found is not None
    return found


#: A message with a border at {c}, its right answer, and the same with another border {d}.
FORMS = (
    ("y[k] = min({c}, max(0, x[k]))", "delta[k] * [0 < x[k] < {d}]"),
    ("y[k] = max(-{c}, min({c}, x[k]))", "delta[k] * [abs(x[k]) < {d}]"),
    ("y[k] = min(x[k]^2, {c}^2)", "2 * delta[k] * x[k] * [-{d} < x[k] < {d}]"),
    ("y[k] = x[k] if x[k] > {c} else 2 * x[k]", "delta[k] * (1 if x[k] > {d} else 2)"),
    ("y[k] = abs(x[k] + {c})", "delta[k] * (1 if x[k] > -{d} else -1)"),
    ("y[k] = x[k] * [x[k] > -{c}]", "delta[k] * [x[k] > -{d}]"),
)


@settings(max_examples=25, deadline=None)
@given(
    form=st.sampled_from(FORMS),
    border=st.floats(0.01, 3000).map(lambda c: float(f"{c:.3g}")),
    share=st.sampled_from((0.5, 0.98, 1.02, 1.6)),
)
def test_a_border_of_the_message_that_is_moved_is_wrong(
    form: tuple[str, str], border: float, share: float
) -> None:
    message, answer = form
    card = exercise(message.format(c=repr(border)))
    assert check(answer.format(d=repr(border)), card).verdict in ("correct", "correct-except-ties")
    moved = float(f"{border * share:.9g}")
    assert check(answer.format(d=repr(moved)), card).verdict == "wrong"


@settings(max_examples=20, deadline=None)
@given(
    start=st.floats(-300, 300).map(lambda c: float(f"{c:.4g}")),
    wide=st.sampled_from((0.003, 0.4, 1e6)),
    of=st.sampled_from(("x[k]", "delta[k]", "2 * x[k] + 1")),
)
def test_a_border_of_the_answers_own_is_crossed(start: float, wide: float, of: str) -> None:
    card = exercise("y[k] = x[k]^2")
    answer = f"2 * delta[k] * x[k] * (1 if not ({start!r} < {of} < {start + wide!r}) else 3)"
    assert check(answer, card).verdict == "wrong"


@pytest.mark.parametrize(
    ("text", "answer", "find"),
    [
        ("y[k] = min(exp(x[k]), 1000)", "delta[k] * exp(x[k])", "dL/dx[k]"),
        ("L = sum(-log(max(p[k], 0.0001)) for k)", "-1 / p[k]", "dL/dp[k]"),
        ("y[k] = exp(x[k]) if x[k] < 10 else exp(10)", "delta[k] * exp(x[k])", "dL/dx[k]"),
        ("y[k] = tanh(x[k]) * max(0, x[k] - 20)", "0 * delta[k]", "dL/dx[k]"),
        (
            "y[k] = max(0, sum(W[k,j] * x[j] for j) - 50)",
            "sum(delta[k] * [y[k] > -1] * W[k,j] for k)",
            "dL/dx[j]",
        ),
        ("f(t) = t if t < 40 else 2*t\ny[k] = f(x[k])", "delta[k]", "dL/dx[k]"),
    ],
)
def test_a_branch_that_random_inputs_do_not_take_counts(text: str, answer: str, find: str) -> None:
    assert check(answer, exercise(text, find)).verdict == "wrong"


@pytest.mark.parametrize(
    ("layer", "answer"),
    [
        ("elu", "delta[k] * (1 if 0 < x[k] < 10 else exp(x[k]))"),
        ("relu", "delta[k] * [x[k] > 0.001]"),
        ("relu", "delta[k] * [x[k] > -0.003]"),
        ("sigmoid", "delta[k] * y[k] * (1 - y[k]) * [abs(x[k]) < 1]"),
        ("relu", "def backward(x, delta):\n    return delta * ((x > 0) & (x < 200))"),
        ("elu", "def backward(x, delta):\n    return delta * np.where(x > 0.01, 1, np.exp(x))"),
    ],
)
def test_of_a_layer_too(layer: str, answer: str) -> None:
    card = exercise_for({"layer": layer}, [], "derivation")
    assert card is not None
    assert check(answer, card).verdict == "wrong"


def test_a_side_that_no_input_takes_is_told_of() -> None:
    card = exercise("y[k] = x[k] if x[k]^2 + 1 > 0 else exp(x[k])")
    found = check("delta[k]", card)
    assert found.verdict == "correct"
    assert found.remark == "No input was found with x[k]^2 + 1 < 0."
    assert check("delta[k] * [x[k] > 0]", exercise("y[k] = max(x[k], 0)")).remark is None


def test_inputs_lie_close_to_a_border_on_both_sides_of_it() -> None:
    def measure(rows: object) -> list[Border]:
        met = Borders()
        met.note(rows["x"] - 7.5, Name("x"), None)  # type: ignore[index]
        return met.found

    x = np.linspace(-2, 2, 40).reshape(20, 2)
    found = aim({"x": x}, {"x": "real"}, measure, [0])
    off = found.rows["x"] - 7.5
    assert not found.unmet
    for low, high in ((0, 1e-3), (1e-3, 0.1), (0.1, 100)):
        assert ((off > low) & (off < high)).any()
        assert low == 0.1 or ((off < -low) & (off > -high)).any()


def test_the_same_seed_gives_the_same_inputs() -> None:
    card = exercise("y[k] = min(6, max(0, x[k]))")
    other = exercise("y[k] = min(6, max(0, x[k]))", inputs={"x": "real"})
    one, two = (of.grader().drawn(3, 300)[0].inputs["x"] for of in (card, other))
    assert (one == two).all()


@settings(max_examples=15, deadline=None)
@given(
    value=st.integers(3, 9_000).map(lambda n: n / 100).filter(lambda c: c not in (0.5, 1, 2)),
    of=st.sampled_from(("x[k]", "-delta[k]", "max(x[m] for m)", "2 * x[k]")),
)
def test_a_number_that_an_answer_asks_for_is_met_exactly(value: float, of: str) -> None:
    card = exercise("y[k] = x[k]^2")
    assert check(f"2 * delta[k] * x[k] * [{of} != {value!r}]", card).verdict == "wrong"
    body = f"dx = 2 * delta * x\n    dx[x == {value!r}] += 1\n    return dx"
    assert check(f"def backward(x, delta):\n    {body}", card).verdict == "wrong"


@settings(max_examples=10, deadline=None)
@given(size=st.integers(5, 40), how=st.sampled_from(("<", "!=")))
def test_sizes_that_an_answer_speaks_of_are_tried(size: int, how: str) -> None:
    card = exercise("y[k] = x[k]^2")
    assert check(f"2 * delta[k] * x[k] * [k {how} {size}]", card).verdict == "wrong"
    body = f"dx = 2 * delta * x\n    if len(x) == {size}: dx *= 2\n    return dx"
    assert check(f"def backward(x, delta):\n    {body}", card).verdict == "wrong"


def test_of_sizes_that_the_card_states_there_is_a_remark() -> None:
    card = exercise("y[k] = x[k]^2", sizes={"k": 3})
    found = check("2 * delta[k] * x[k] * [k < 9]", card)
    assert found.verdict == "correct"
    assert found.remark == "It would not hold with k of another length than the card says."


def test_a_side_of_an_answers_own_that_no_input_takes_is_told_of() -> None:
    found = check("2 * delta[k] * x[k] * [x[k] < 1e300]", exercise("y[k] = x[k]^2"))
    assert found.verdict == "correct"
    assert found.remark == "No input was found with x[k] > 1e+300."


@pytest.mark.parametrize(
    "condition", ["sum(delta[k] for k) != 3", "sum(x[m] for m) < 1e4", "x[j] != W[0,j]"]
)
def test_no_size_is_made_out_to_be_the_reason_of_a_border(condition: str) -> None:
    card = exercise("y[k] = sum(W[k,j] * x[j] for j)", "dL/dx[j]")
    found = check(f"sum(delta[k] * W[k,j] for k) * [{condition}]", card)
    assert (found.verdict, found.wrong_when) == ("wrong", ())


def test_what_is_far_off_is_evaluated_twice_more_for_its_rounding() -> None:
    calls = {True: 0, False: 0}

    def rule(batch: Batch) -> Array:
        calls[batch.rounding is None] += 1
        return 3 * batch.values["delta"] * batch.values["x"]

    card = exercise("y[k] = x[k]^2")
    target = card.grader().read("2 * delta[k] * x[k]").target
    assert grade(rule, target, card).verdict == "wrong"
    assert calls[False] <= 2 * calls[True]
