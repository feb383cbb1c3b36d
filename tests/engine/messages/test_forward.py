"""What a forward message may hold, beyond what its exercise's own tests say."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from engine.checking import check
from engine.exercise import Exercise, exercise_for


def made(keys: Mapping[str, object]) -> Exercise:
    exercise = exercise_for(keys, [], "derivation")
    assert exercise is not None
    return exercise


def test_a_function_may_be_called_with_an_input_which_is_no_index_then() -> None:
    exercise = made({"given": "f(t) = t^3\ny[k] = f(x[k])", "find": "any"})
    assert dict(exercise.symbols)["x[k]"] == "given, any number"
    assert check("delta[k] * 3 * x[k]^2", exercise).verdict == "correct"


def test_a_function_that_nothing_reads_is_there_for_answers() -> None:
    exercise = made({"given": "g(t) = cos(t)\ny[k] = sin(x[k])", "find": "dL/dx[k]"})
    assert check("delta[k] * g(x[k])", exercise).verdict == "correct"
    assert check("delta ⊙ g(x)", exercise).verdict == "correct"


def test_the_shape_of_a_table_says_how_far_its_other_index_runs() -> None:
    keys = {
        "given": "h[t,d] = E[w[t],d]\nL = sum((h[t,d]-r[t,d])^2 for t,d)/2",
        "find": "dL/dE[v,d]",
        "inputs": {"w": "index"},
        "sizes": {"E": ["4", "2"], "t": "3"},
    }
    answer = "sum((h[t,d]-r[t,d]) * [w[t] == v] for t)"
    assert check(answer, made(keys)).verdict == "correct"


def test_where_a_factor_0_hides_a_pole_nothing_is_judged() -> None:
    keys = {
        "given": "q = sum((u[k]-v[k])^2 for k)\nL = t*q/2 + (1-t)*max(0, c - sqrt(q))^2/2",
        "find": "dL/du[k]",
        "inputs": {"t": "binary"},
        "constants": {"c": "1.5"},
        "sizes": {"k": "3"},
    }
    right = "(u[k]-v[k]) * (t - (1-t)*max(0, c - sqrt(q))/sqrt(q))"
    found = check(right, made(keys))
    assert (found.verdict, found.left_out > 0) == ("correct", True)
    assert check(right.replace("1.5", "1").replace("t -", "t +"), made(keys)).verdict == "wrong"


@pytest.mark.parametrize("name", ["N", "n"])
def test_the_number_that_the_only_mean_is_over_has_the_name_that_print_gives_it(name: str) -> None:
    keys = {
        "given": "r[i] = sum(X[i,j]*w[j] for j) - t[i]\nL = mean(r[i]^2 for i)",
        "find": "dL/dw[j]",
    }
    found = check(f"2 X^T r / {name}", made(keys))
    assert found.verdict == "correct"
    assert "sum(1 for i)" in found.read


@pytest.mark.parametrize("answer", ["dy/dx = W_{j-i}", "W[j-i]", r"W_{j-i}"])
def test_an_entry_of_a_jacobian_is_0_where_its_index_leaves_the_array(answer: str) -> None:
    keys = {"given": "y[i] = sum(W[a] * x[i+a] for a)", "find": "dy[i]/dx[j]"}
    found = check(answer.replace("dy/dx", "dy_i/dx_j"), made(keys))
    assert found.verdict == "correct"
    assert found.remark == "Terms beyond the range of W count as 0."
    assert check("W[j-i] + 1", made(keys)).verdict == "wrong"


@pytest.mark.parametrize("constant", ["delta*r/(1-q)", "delta*r*2"])
def test_a_constant_of_a_layer_is_told_from_what_it_could_be_taken_for(constant: str) -> None:
    assert check(constant, made({"layer": "dropout"})).verdict == "wrong"
