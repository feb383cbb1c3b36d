"""Indices: from 0 or 1, sums that begin at 1, Kronecker's delta, terms beyond an array."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest

from engine.checking import check
from engine.exercise import Exercise, ExerciseError, GivenError, exercise_for
from engine.verdict import Verdict

CONVOLUTION = {
    "given": "y[i] = sum(w[a] * x[i+a-1] for a)",
    "find": "any",
    "sizes": {"i": "3", "a": "2"},
    "indices": "1",
}
LINEAR = {
    "given": "s_k = sum_{j=1}^{n} W_kj x_j\ny[k] = tanh(s[k])",
    "find": "dL/dx[j]",
    "sizes": {"j": "n", "n": "3", "k": "K", "K": "2"},
    "indices": "1",
}
FROM_ZERO = {**LINEAR, "indices": "0"}
CLASS = {
    "given": "p[k] = exp(z[k]) / sum(exp(z[m]) for m)\nL = -log(p[t])",
    "find": "dL/dz[k]",
    "indices": "1",
}
LARGEST = {"given": "y = max(x[k] for k)", "find": "dL/dx[k]", "indices": "1"}
WEIGHTED = {"given": "L = sum(k * x[k] for k)", "find": "dL/dx[k]", "indices": "1"}
LATER = {"given": "y[k] = 2 * x[k+1]", "find": "dL/dx[j]", "sizes": {"k": "3"}, "indices": "1"}


def made(keys: dict[str, Any]) -> Exercise:
    exercise = exercise_for(keys, [], "derivation")
    assert exercise is not None
    return exercise


@pytest.mark.parametrize(
    ("keys", "answer", "verdict"),
    [
        (CONVOLUTION, "dL/dx[j] = sum(delta[i]*w[a]*[j == i+a-1] for i,a)", "correct"),
        (CONVOLUTION, "dL/dx[j] = sum(delta[i]*w[a]*[j == i+a] for i,a)", "wrong"),
        (CONVOLUTION, "dL/dw[a] = sum(delta[i]*x[i+a-1] for i)", "correct"),
        (CONVOLUTION, "dL/dw[a] = sum(delta[i]*x[i+a] for i)", "wrong"),
        (LINEAR, "sum_{k=1}^{K} delta_k (1-y_k^2) W_kj", "correct"),
        (LINEAR, "sum_{k=1}^{M} delta_k (1-y_k^2) W_kj", "correct"),
        (LINEAR, "sum_{k=1}^{K-1} delta_k (1-y_k^2) W_kj", "wrong"),
        (LINEAR, "sum_{k=1}^{M-1} delta_k (1-y_k^2) W_kj", "unreadable"),
        (LINEAR, "dx = W^T (delta ⊙ (1 - y ⊙ y))", "correct"),
        (LINEAR, "g[m] = delta[m] (1-y[m]^2)\nsum(g[k] W_kj for k)", "correct"),
        (LINEAR, "g(t) = 1 - t^2\nsum(delta[k] g(y[k]) W_kj for k)", "correct"),
        (FROM_ZERO, "sum_{k=1}^{K} delta_k (1-y_k^2) W_kj", "correct"),
        (FROM_ZERO, "sum_{k=1}^{M} delta_k (1-y_k^2) W_kj", "correct"),
        (FROM_ZERO, "sum_{k=0}^{K-1} delta_k (1-y_k^2) W_kj", "correct"),
        (FROM_ZERO, "sum_{k=1}^{K-1} delta_k (1-y_k^2) W_kj", "wrong"),
        (FROM_ZERO, "sum_{k=1}^{M-1} delta_k (1-y_k^2) W_kj", "unreadable"),
        (CLASS, "p[k] - [k == t]", "correct"),
        (CLASS, "{ p_k - 1 if k = t; p_k otherwise }", "correct"),
        (CLASS, "p[k] - [k == t-1]", "wrong"),
        (LARGEST, "delta * [k == argmax(x[m] for m)]", "correct"),
        (LARGEST, "m = argmax(x[i] for i)\ndelta * [k = m]", "correct"),
        (WEIGHTED, "k", "correct"),
        (WEIGHTED, "k + 1", "wrong"),
        (LATER, "2 * delta[j-1] * [j > 1]", "correct"),
        (LATER, "{ 2 delta[j-1] if j > 1; 0 if j = 1; 0 otherwise }", "correct"),
        (LATER, "2 * delta[j] * [j > 1]", "wrong"),
    ],
)
def test_an_answer_is_read_with_the_cards_indices(
    keys: dict[str, Any], answer: str, verdict: str
) -> None:
    found = check(answer, made(keys))
    assert found.verdict == verdict
    if found.read:
        again = check(found.read, made(keys))
        assert (again.read, again.verdict) == (found.read, verdict)


def test_the_exercise_tells_its_indices_and_its_message_as_the_card_has_them() -> None:
    exercise = made(CONVOLUTION)
    assert dict(exercise.indices)["a"].startswith("1 to 2")
    assert ("y[i]", "sum(w[a] * x[i + a - 1] for a)") in exercise.symbols
    assert check(exercise.example, exercise).verdict in ("wrong", "correct")


@pytest.mark.parametrize("value", ["2", "one", "-1", "[1]"])
def test_another_first_index_is_refused(value: str) -> None:
    with pytest.raises(ExerciseError, match=r"indices is .*: 0 or 1 is allowed"):
        made({**LINEAR, "indices": value})


MEAN = {
    "given": "y[n] = sum(X[n,j] * w[j] for j)\nL = mean((y[n] - t[n])^2 for n)",
    "find": "dL/dw[j]",
}
SIZED = {
    "given": "L = sum((x[i] - t[i])^2 for i) / n",
    "find": "dL/dx[i]",
    "sizes": {"n": "3", "i": "n"},
}
LINEAR_FROM_ONE = {"given": "y[k] = sum(W[k,j] * x[j] for j)", "find": "dL/dx[j]"}
SOFTMAX = {"given": "y[k] = exp(x[k]) / sum(exp(x[m]) for m)", "find": "dL/dx[k]"}
POOL = {"layer": "max-pool", "find": "dx"}


def made_from_one(keys: Mapping[str, object]) -> Exercise:
    exercise = exercise_for(keys, [], "derivation")
    assert exercise is not None
    return exercise


@pytest.mark.parametrize(
    "answer",
    [
        r"\sum_{{k=1}}^{{H_o}}\sum_{{l=1}}^{{W_o}} \delta_{{kl}}[(i,j)=\arg\max(k,l)]{0}",
        r"\sum_{{k=1}}^{{H_{{out}}}}\sum_{{l=1}}^{{W_{{out}}}} \delta_{{kl}}"
        r" [(i,j)=\arg\max_{{(p,q)\in\Omega(k,l)}} x_{{pq}}]{0}",
        "sum(delta[k,l] * [(i,j) == argmax(k,l)] for k in 1..Ho for l in 1..Wo){0}",
        "sum_{{k=1}}^{{Ho}} sum_{{l=1}}^{{Wo}} delta[k,l] * [(i,j) == argmax(k,l)]{0}",
        r"\sum_{{k=1}}^{{H_o}}\sum_{{l=1}}^{{W_o}}\sum_{{p=1}}^{{H}}\sum_{{q=1}}^{{W}}"
        r" \delta_{{kl}} [(p,q)=\arg\max(k,l)] [p=i][q=j]{0}",
    ],
)
def test_windows_counted_from_1_are_all_windows(answer: str) -> None:
    found = check(answer.format(""), made_from_one(POOL))
    assert found.verdict == "correct", (found.message, found.read)
    assert "range(Ho)" in found.read
    assert check("2 * " + answer.format(""), made_from_one(POOL)).verdict == "wrong"


def test_a_place_that_is_computed_keeps_the_range_as_it_is_written() -> None:
    literal = "sum({} for k in range(1,Ho+1) for l in range(1,Wo+1))"
    right = literal.format("delta[k-1,l-1] * [(i,j) == argmax(k-1,l-1)]")
    assert check(right, made_from_one(POOL)).verdict == "correct"
    wrong = literal.format("delta[k,l] * [(i,j) == argmax(k,l)] * [k*sh <= i]")
    found = check(wrong, made_from_one({**POOL, "kernel": 2, "stride": 1, "padding": 0}))
    assert found.verdict == "wrong"
    assert "begins at 1" in (found.remark or "")


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        (SIZED, r"\frac{{1}}{{n}}\sum_{{k=1}}^{{n}} 2(x_k - t_k)[k = i]"),
        (SIZED, "2/n * sum((x[k] - t[k]) * [k == i] for k in 1..n)"),
        (SOFTMAX, r"\sum_{{k=1}}^{{n}} \delta_k y_k ([k = i] - y_i)"),
        (SOFTMAX, r"y_i(\delta_i - \sum_{{k=1}}^{{K}} \delta_k y_k)"),
        (LINEAR_FROM_ONE, "sum_{{k=1}}^K delta[k] * W[k,j]"),
        *(
            (MEAN, answer.replace("#", number))
            for number in ("N", "n", "m", "B")
            for answer in (
                r"\frac{{2}}{{#}} \sum_{{i=1}}^{{#}} (y_i - t_i) X_{{ij}}",
                "2/# * X.T @ (y - t)",
                "2/# * sum_{{i=1}}^# (y[i] - t[i]) * X[i,j]",
                "1/# * sum(2 * (y[i] - t[i]) * X[i,j] for i in 1..#)",
            )
        ),
        (MEAN, "2/batch_size * X.T @ (y - t)"),
    ],
)
def test_print_s_sums_and_counts_are_read_as_they_are_meant(
    keys: Mapping[str, object], answer: str
) -> None:
    answer = answer.format()
    found = check(answer, made_from_one(keys))
    assert found.verdict == "correct", (found.message, found.hint, found.read)
    assert "range(1" not in found.read
    assert check(f"3 * ({answer})", made_from_one(keys)).verdict == "wrong"


def test_a_sum_that_is_right_only_if_all_indices_count_from_1_is_refused() -> None:
    given = "y[i] = sum(x[k] * (k + 1) for k) * z[i]"
    keys: dict[str, object] = {"given": given, "find": "dL/dz[i]", "sizes": {"k": "3"}}
    answer = "delta[i] * sum(x[k] * k for k in range(1,4))"
    found = check(answer, made_from_one({**keys, "fixed": "true"}))
    assert found.verdict == "unreadable", (found.read, found.remark)
    assert "count from 0" in (found.message or "")
    assert "all but the first" in (found.message or "")
    begun = check(answer.replace("k for", "k * k for"), made_from_one(keys))
    assert begun.verdict == "wrong"
    assert "begins at 1" in (begun.remark or "")


def test_the_letter_of_a_mean_is_not_taken_for_the_number() -> None:
    found = check(
        r"\frac{g}{m\sqrt{v+\epsilon}}(m\delta_i - \sum_{j=1}^m \delta_j"
        r" - h_i\sum_{j=1}^m \delta_j h_j)",
        made_from_one({"layer": "batch-norm", "find": "dx"}),
    )
    assert found.verdict == "unreadable"
    assert "m is the mean here" in (found.message or "")


def exercise_of(key: object) -> Exercise:
    found = exercise_for(key, [], "derivation")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("layer", "answer", "verdict"),
    [
        ("softmax", r"\frac{\partial y_k}{\partial x_i} = y_k(\delta_{ki}-y_i)", "correct"),
        ("softmax", r"\sum_k \delta_k y_k(\delta_{ki}-y_i)", "correct"),
        ("softmax", r"\delta_{x,i} = \sum_k \delta_k y_k(\delta_{ki}-y_i)", "correct"),
        ("softmax", r"\sum_k \delta_k y_k(\delta_{mi}-y_i)", "unreadable"),
        ("softmax", "dL/dx[i] = sum(delta[k] * y[k] * (delta[k,i] - y[i]) for k)", "correct"),
        ("softmax", r"\frac{\partial y_k}{\partial x_i} = y_k(\delta_{ki}+y_i)", "wrong"),
        ("linear", r"\frac{\partial y_k}{\partial W_{mj}} = \delta_{km}x_j", "correct"),
        ("linear", r"\frac{\partial y_k}{\partial W_{mj}} = \delta_{kj}x_m", "wrong"),
        ("cross-entropy", r"\frac{\partial p_k}{\partial x_i} = p_k(\delta_{ki}-p_i)", "correct"),
    ],
)  # fmt: skip
def test_two_indices_of_a_vector_s_delta_are_kronecker_s(
    layer: str, answer: str, verdict: str
) -> None:
    find = {"cross-entropy": "dp[k]/dx[i]", "linear": "dy[k]/dW[m,j]"}.get(layer)
    exercise = exercise_of({"layer": layer, **({"find": find} if find else {})})
    assert check(answer, exercise).verdict == verdict


def test_a_star_makes_it_kronecker_s_in_max_pooling() -> None:
    answer = (
        r"J_{kl,ij} = \delta_{i i^*}\delta_{j j^*} "
        r"\text{ where } (i^*,j^*) = \arg\max_{(p,q)\in\Omega(k,l)} x_{pq}"
    )
    found = check(answer, exercise_of("max-pool"))
    assert found.verdict == "correct"
    other = check(answer.replace("j j^*", "i j^*"), exercise_of("max-pool"))
    assert other.verdict in ("wrong", "unreadable")


@pytest.mark.parametrize(
    ("layer", "answer", "verdict"),
    [
        ("sigmoid", "y_k(1-y_k)", "correct"),
        ("sigmoid", "y_i(1-y_i)", "correct"),
        ("sigmoid", "y_k(1-y_i)", "wrong"),
        ("sigmoid", "y_k(1+y_k)", "wrong"),
        ("sigmoid", "y_k(1-y_k) [k == i]", "correct"),
        ("sigmoid", r"\sigma(s)(1-\sigma(s)) \text{ where } s=x_k", "correct"),
        ("sigmoid", "delta_k y_k(1-y_k)", "correct"),
        ("tanh", "1 - y_k^2", "correct"),
        ("relu", "[x_k > 0]", "correct"),
        ("softmax", "y_k(1-y_k)", "wrong"),
        ("sigmoid", "1", "wrong"),
    ],
)
def test_what_speaks_of_one_place_is_the_slope_there(layer: str, answer: str, verdict: str) -> None:
    assert check(answer, exercise_of(layer)).verdict == verdict


REMARK = "Terms beyond the range of {} count as 0."


def exercise_beyond(key: object) -> Exercise:
    found = exercise_for(key, [], "derivation")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("answer", "array"),
    [
        (r"\sum_{a,b} \delta_{i-a,j-b} W_{ab}", "delta"),
        ("sum(delta[i-a,j-b]*W[a,b] for a,b)", "delta"),
        ("sum_a sum_b delta[i-a,j-b]*W[a,b]", "delta"),
        ("sum(delta[k,l]*W[i-k,j-l] for k,l)", "W"),
        ("g[k,l] = delta[k,l]\ndx[i,j] = sum(g[i-a,j-b]*W[a,b] for a,b)", "delta"),
    ],
)
def test_the_textbook_gradient_of_a_convolution_is_correct(answer: str, array: str) -> None:
    found = check(answer, exercise_beyond("convolution-2d"))
    assert found.verdict == "correct"
    assert found.remark == REMARK.format(array)


@pytest.mark.parametrize(
    ("sign", "shift", "weight"), product("+-", ("", "+1", "-1"), ("a", "a+1", "1-a"))
)
def test_of_all_shifts_only_the_right_one_is_correct(sign: str, shift: str, weight: str) -> None:
    card = {
        "given": "y[k] = sum(W[a] * x[k+a] for a)",
        "find": "dL/dx[i]",
        "sizes": {"x": [5], "W": [3]},
    }
    found = check(f"sum(delta[i{sign}a{shift}] * W[{weight}] for a)", exercise_beyond(card))
    # delta[i-a-1] W[a+1] leaves out W[0] alone, which runs over a = -1.
    assert (found.verdict == "correct") == ((sign, shift, weight) == ("-", "", "a"))


def test_a_plain_index_that_runs_too_far_stays_undefined() -> None:
    found = check("sum(W[j,k] * delta[k] for k)", exercise_beyond("linear"))
    assert found.verdict == "wrong"


def test_a_cell_beyond_its_range_is_undefined_outside_of_sums() -> None:
    card = {"given": "y[k] = sum(x[k+a] for a in range(2))", "find": "dL/dx[i]"}
    assert check("delta[i] + delta[i-1]", exercise_beyond(card)).verdict == "wrong"
    right = "sum(delta[i-a] for a in range(2))"
    assert check(right, exercise_beyond(card)).verdict == "correct"


def test_a_division_by_zero_in_a_sum_is_not_hidden() -> None:
    found = check("sum(delta[i-a] * W[a] / 0 for a)", exercise_beyond("convolution"))
    assert found.verdict in ("wrong", "unreadable")


def verdict(answer: str, given: str, find: str, **keys: object) -> Verdict:
    exercise = exercise_for({"given": given, "find": find, **keys}, (), "derivation")
    assert exercise is not None
    return check(answer, exercise)


@pytest.mark.parametrize("name", ["t", "label", "c", "y", "i", "n"])
def test_a_declared_index_may_have_any_name(name: str) -> None:
    given = f"L = log(sum(exp(x[k]) for k)) - x[{name}]"
    answer = f"exp(x[j])/sum(exp(x[m]) for m) - [j == {name}]"
    found = verdict(answer, given, "dL/dx[j]", inputs={name: "index"})
    assert (found.verdict, found.left_out) == ("correct", 0)
    assert verdict(answer[:-6], given, "dL/dx[j]", inputs={name: "index"}).verdict != "correct"


def test_a_row_of_indices_may_have_any_name() -> None:
    given = "L = sum(log(sum(exp(x[n,k]) for k)) - x[n,c[n]] for n)"
    answer = "exp(x[n,j])/sum(exp(x[n,k]) for k) - [j == c[n]]"
    assert verdict(answer, given, "dL/dx[n,j]", inputs={"c": "index"}).verdict == "correct"


def test_a_given_index_cannot_run() -> None:
    inputs = {"c": "index"}
    with pytest.raises(GivenError, match="'c' is given here and runs over an index there"):
        verdict("", "L = sum(x[c] for c) - x[c]", "dL/dx[j]", inputs=inputs)
    with pytest.raises(GivenError, match="c is given, it cannot be an index"):
        verdict("", "L = sum(x[k] for k) - x[c]", "dL/dx[c]", inputs=inputs)
    found = verdict("dx[c] = 0", "L = sum(x[k] for k) - x[c]", "dL/dx[j]", inputs=inputs)
    assert "c is given" in str(found.message)


@pytest.mark.parametrize(
    "given",
    [
        "L = 2*w[argmax(x[k] for k)]",
        "i* = argmax(x[k] for k)\nL = 2*w[i*]",
        "(i*) = argmax(x[k] for k)\nL = 2*w[i*]",
        r"i^* = \arg\max_k x_k \\ L = 2 w_{i^*}",
        "L = 2*w[argmax(x)] + 0*sum(x[k] for k)",
    ],
)
@pytest.mark.parametrize("sizes", [{}, {"w": [5], "x": [3]}])
def test_an_array_is_as_long_as_the_place_of_a_largest_may_be(
    given: str, sizes: dict[str, list[int]]
) -> None:
    answer = "2*[j == argmax(x[m] for m)]"
    assert verdict(answer, given, "dL/dw[j]", sizes=sizes).verdict == "correct"


def test_the_place_of_a_largest_may_be_moved() -> None:
    answer = "sum(delta[k]*[m == argmax(x[k,j] for j) + 1] for k)"
    assert verdict(answer, "y[k] = w[argmax(x[k,j] for j) + 1]", "dL/dw[m]").verdict == "correct"
