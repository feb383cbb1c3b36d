"""The keys of an exercise: sizes, assumptions, forward messages, refusals."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from engine.checking import check
from engine.exercise import Exercise, ExerciseError, GivenError, exercise_for
from engine.verdict import Verdict

MEAN = "L = sum(x[k]^2 for k)/sum(1 for k)"


def verdict(answer: str, **keys: object) -> Verdict:
    exercise = exercise_for({"given": MEAN, "find": "dL/dx[k]", **keys}, (), "derivation")
    assert exercise is not None
    return check(answer, exercise)


def test_what_is_right_at_the_cards_sizes_is_correct_with_a_remark() -> None:
    found = verdict("2*x[k]/3", sizes={"k": 3})
    assert (found.verdict, found.failed) == ("correct", 0)
    assert "k of another length" in str(found.remark)


def test_what_is_right_at_every_size_has_no_remark() -> None:
    assert verdict("2*x[k]/sum(1 for k)", sizes={"k": 3}).remark is None


def test_what_is_wrong_at_the_cards_sizes_is_wrong() -> None:
    assert verdict("2*x[k]/4", sizes={"k": 3}).verdict == "wrong"


def test_without_sizes_a_letter_runs_equally_far_wherever_it_stands() -> None:
    assert verdict("2*x[k]/sum(1 for k)").verdict == "correct"


def test_without_sizes_each_sum_counts_its_own_letter() -> None:
    given = "m = sum(x[k] for k)/sum(1 for k)\nL = m + sum(y[j] for j)/sum(1 for j)"
    exercise = exercise_for({"given": given, "find": ["dL/dx[k]", "dL/dy[j]"]}, (), "derivation")
    assert exercise is not None
    both = "dL/dx[k] = 1/sum(1 for k)\ndL/dy[j] = 1/sum(1 for j)"
    assert check(both, exercise).verdict == "correct"
    assert check("dL/dy[j] = 1/sum(1 for k)", exercise).verdict == "wrong"


def test_without_sizes_a_number_in_place_of_the_length_is_wrong() -> None:
    assert verdict("2*x[k]/3").verdict == "wrong"


POOL = {
    "given": "y[k] = max(x[2*k+a] for a)",
    "find": "dL/dx[i]",
    "sizes": {"k": 3, "a": 3},
}
CONVOLUTION = {"layer": "convolution", "find": "dL/dx[j]"}


@pytest.mark.parametrize(
    ("card", "answer", "verdict"),
    [
        (
            POOL,
            "sum(delta[k] * [x[i] == y[k]] for k if 2*k <= i and i < 2*k+3)",
            "correct-except-ties",
        ),
        (
            {**CONVOLUTION, "sizes": {"a": 3, "i": 3}},
            "sum(delta[i] * W[j-2*i] for i if 0 <= j-2*i and j-2*i <= 2)",
            "correct",
        ),
    ],
)
def test_right_at_the_cards_own_sizes_is_right(
    card: dict[str, object], answer: str, verdict: str
) -> None:
    exercise = exercise_for(card, [], "derivation")
    assert exercise is not None
    found = check(answer, exercise)
    assert found.verdict == verdict
    assert found.remark == "It would not hold with a of another length than the card says."


def test_sizes_that_nobody_stated_must_not_matter() -> None:
    exercise = exercise_for(CONVOLUTION, [], "derivation")
    assert exercise is not None
    answer = "sum(delta[i] * W[j-2*i] for i if 0 <= j-2*i and j-2*i <= 1)"
    assert check(answer, exercise).verdict == "wrong"


PRELU = "s[k] = sum(W[k,j] * x[j] for j)\ny[k] = max(s[k], a * s[k])"
RIGHT = "dL/dx[j] = sum(delta[k] * W[k,j] * (1 if s[k] > 0 else a) for k)"


def made(**keys: object) -> Exercise:
    exercise = exercise_for({"find": "dL/dx[j]", **keys}, [], "derivation")
    assert exercise is not None
    return exercise


@pytest.mark.parametrize(
    ("assume", "verdict"),
    [
        (None, "wrong"),
        ("0 < a < 1", "correct"),
        ("a >= 0 and 1 >= a", "correct"),
        (["a > 0", "a < 1"], "correct"),
        (r"0 \le a < 1", "correct"),
        ("-c < a < c", "correct"),
        ("a < 1", "correct"),
        ("a > 1", "wrong"),
        ("a != 1", "wrong"),
    ],
)
def test_an_answer_is_judged_where_the_assumption_holds(assume: object, verdict: str) -> None:
    exercise = made(given=PRELU + " + 0 * c", assume=assume, constants={"c": "0.5"})
    found = check(RIGHT, exercise)
    assert found.verdict == verdict
    if verdict == "correct" and isinstance(assume, str) and "\\" not in assume:
        assert assume.split(" and ")[0] in (found.remark or "")
        assert assume.split(" and ")[0] in exercise.description


TESTS = {
    "0 < p < 1": lambda p: (p > 0) & (p < 1),
    "p > 2": lambda p: p > 2,
    "p < -2": lambda p: p < -2,
    "p >= 0": lambda p: p >= 0,
    "p != 0": lambda p: p != 0,
    "-3 <= p <= 3 and p != 1": lambda p: (np.abs(p) <= 3) & (p != 1),
}


@pytest.mark.parametrize("assume", TESTS)
@pytest.mark.parametrize("power", [1, 3])
@pytest.mark.parametrize("kind", [{}, {"p": "real"}])
def test_it_holds_of_every_input_that_is_tried(
    assume: str, power: int, kind: dict[str, str]
) -> None:
    exercise = made(
        given=f"y[j] = abs(p[j]^{power} - 0.5) * x[j]", find="dL/dx[j]", assume=assume, inputs=kind
    )
    grader = exercise.grader()
    reading = grader.read(f"delta[j] * abs(p[j]^{power} - 0.5) * (2 if p[j] > 0.7 else 1)")
    drawn = grader.drawn(3, 300)
    for batch in (*drawn, *grader.aimed(reading, drawn)):
        p = batch.inputs["p"]
        assert TESTS[assume](p).all(), p[~TESTS[assume](p)]
        assert len(p) < 30 or len(np.unique(p)) > 8


@pytest.mark.parametrize("assume", TESTS)
def test_it_holds_of_the_counterexample(assume: str) -> None:
    found = check("2 * p[j] * delta[j]", made(given="y[j] = p[j] * x[j]", assume=assume))
    assert found.verdict == "wrong"
    assert found.counterexample is not None
    assert TESTS[assume](np.array(found.counterexample.inputs["p"])).all()  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("assume", "message"),
    [
        ("a > 1 and a < 0", "No a fulfils this"),
        (["a > 1", "a < 1"], "line 2"),
        ("a < b", "compares an input with a number"),
        ("q > 0", "the inputs are W, x, a"),
        ("a = 2", "is a comparison"),
        ("a", "is a comparison"),
        ("a > 0 and 0 <", "column 8"),
        ("x[1] > 0", "compares an input with a number"),
        ({"a": 1}, "assume"),
    ],
)
def test_what_cannot_be_assumed_is_refused_at_its_place(assume: object, message: str) -> None:
    with pytest.raises(ExerciseError) as caught:
        made(given=PRELU, assume=assume)
    assert "assume" in str(caught.value)
    assert message in str(caught.value)


def test_an_input_of_whole_numbers_takes_no_assumption() -> None:
    given = "L = -log(sum(exp(x[k]) * [k == c] for k) / sum(exp(x[k]) for k))"
    with pytest.raises(ExerciseError, match="index"):
        made(given=given, find="dL/dx[k]", inputs={"c": "index"}, assume="c > 0")


@pytest.mark.parametrize("name", ["p", "n", "k", "sigma", "exp", "a"])
@pytest.mark.parametrize("key", ["assume", "inputs"])
def test_a_name_that_the_card_speaks_of_is_an_input_whatever_its_letter(
    name: str, key: str
) -> None:
    said = {"assume": f"{name} > 0"} if key == "assume" else {"inputs": {name: "positive"}}
    exercise = made(given=f"y[j] = x[j] / {name}", find=f"dL/d{name}", **said)
    right = f"-sum(delta[j] * x[j] for j) / {name}^2"
    assert check(right, exercise).verdict == "correct"
    assert check(right.removeprefix("-"), exercise).verdict == "wrong"


def test_a_given_name_does_not_also_run_over_a_sum() -> None:
    with pytest.raises(ExerciseError, match="'n' is given here and runs over an index there"):
        made(given="y[j] = x[j]^n * sum(x[n] for n)", assume="n >= 2")


@pytest.mark.parametrize("assume", ["x_j > 0", "x_{j} > 0", "x[j] > 0", "x > 0"])
def test_an_assumption_may_name_entries_as_print_does(assume: str) -> None:
    exercise = made(given="y[j] = abs(x[j])", assume=assume)
    assert check("dL/dx[j] = delta[j]", exercise).verdict == "correct"


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1_0"])
def test_a_bound_is_a_finite_number(number: str) -> None:
    with pytest.raises(ExerciseError, match="compares an input with a number"):
        made(given="y[j] = x[j]", assume=f"x > {number}")


def forward_made(keys: Mapping[str, object]) -> Exercise:
    exercise = exercise_for(keys, [], "derivation")
    assert exercise is not None
    return exercise


def test_a_function_may_be_called_with_an_input_which_is_no_index_then() -> None:
    exercise = forward_made({"given": "f(t) = t^3\ny[k] = f(x[k])", "find": "any"})
    assert dict(exercise.symbols)["x[k]"] == "given, any number"
    assert check("delta[k] * 3 * x[k]^2", exercise).verdict == "correct"


def test_a_function_that_nothing_reads_is_there_for_answers() -> None:
    exercise = forward_made({"given": "g(t) = cos(t)\ny[k] = sin(x[k])", "find": "dL/dx[k]"})
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
    assert check(answer, forward_made(keys)).verdict == "correct"


def test_where_a_factor_0_hides_a_pole_nothing_is_judged() -> None:
    keys = {
        "given": "q = sum((u[k]-v[k])^2 for k)\nL = t*q/2 + (1-t)*max(0, c - sqrt(q))^2/2",
        "find": "dL/du[k]",
        "inputs": {"t": "binary"},
        "constants": {"c": "1.5"},
        "sizes": {"k": "3"},
    }
    right = "(u[k]-v[k]) * (t - (1-t)*max(0, c - sqrt(q))/sqrt(q))"
    found = check(right, forward_made(keys))
    assert (found.verdict, found.left_out > 0) == ("correct", True)
    assert (
        check(right.replace("1.5", "1").replace("t -", "t +"), forward_made(keys)).verdict
        == "wrong"
    )


@pytest.mark.parametrize("name", ["N", "n"])
def test_the_number_that_the_only_mean_is_over_has_the_name_that_print_gives_it(name: str) -> None:
    keys = {
        "given": "r[i] = sum(X[i,j]*w[j] for j) - t[i]\nL = mean(r[i]^2 for i)",
        "find": "dL/dw[j]",
    }
    found = check(f"2 X^T r / {name}", forward_made(keys))
    assert found.verdict == "correct"
    assert "sum(1 for i)" in found.read


@pytest.mark.parametrize("answer", ["dy/dx = W_{j-i}", "W[j-i]", r"W_{j-i}"])
def test_an_entry_of_a_jacobian_is_0_where_its_index_leaves_the_array(answer: str) -> None:
    keys = {"given": "y[i] = sum(W[a] * x[i+a] for a)", "find": "dy[i]/dx[j]"}
    found = check(answer.replace("dy/dx", "dy_i/dx_j"), forward_made(keys))
    assert found.verdict == "correct"
    assert found.remark == "Terms beyond the range of W count as 0."
    assert check("W[j-i] + 1", forward_made(keys)).verdict == "wrong"


@pytest.mark.parametrize("constant", ["delta*r/(1-q)", "delta*r*2"])
def test_a_constant_of_a_layer_is_told_from_what_it_could_be_taken_for(constant: str) -> None:
    assert check(constant, forward_made({"layer": "dropout"})).verdict == "wrong"


LINEAR = {
    "given": "s[k] = sum(W[k,j] * x[j] for j)\ny[k] = s[k] if s[k] > 0 else exp(s[k]) - 1",
    "find": "dL/dx[j]",
    "sizes": {"j": "3", "k": "2"},
}


@pytest.mark.parametrize(
    ("text", "line", "column", "message", "hint"),
    [
        ("y[k] = exq(x[k])", 1, 8, "I do not know 'exq'", "define"),
        ("s[k] = x[k]\ny[k] = t[k", 2, 9, "never closed", "close the bracket"),
        ("y[k] = x[j]", 1, 10, "index j is not defined", "bind it: sum(... for j)"),
        ("y[k] = x[k] - x[c]", 1, 17, "index c is not defined", "inputs: {c: index}"),
        ("(i*,j*) = argmax(x[k,l] for k,l)", 1, 1, "one name a line", "[(k,l) == argmax("),
        ("y[k] = z[argmax(x)] + w[k]", 1, 10, "what it runs over", "argmax(x[k] for k)"),
        (r"y_k = \foo{x_k}", 1, 7, r"\foo is not known", "spelling"),
        ("s[k] = x[k]\n" + r"y_k = \exp(s_j)", 2, 14, "index j is not defined", "bind it"),
        ("s[k] = y[k]\ny[k] = s[k] * x[k]", 1, 1, "circle: s -> y -> s", "earlier ones"),
        ("y[k] = x[k]\ny[k] = 2 * x[k]", 2, 1, "'y' is defined twice", "keep one"),
        ("y[k] = x[k] * x[k,k]", 1, 15, "'x' has 1 indices elsewhere, here 2", "same number"),
        ("x[k] > 0", 1, 1, "defines nothing", "y[k] ="),
        ("y[k,k] = x[k]", 1, 1, "twice before '='", "y[k]"),
        ("y[0] = x[0]", 1, 3, "each index is a plain letter", "y[k]"),
        ("exp[k] = x[k]", 1, 1, "'exp' has a meaning already", "another name"),
        ("y[k] = x[k] > 0 and x[k]", 1, 21, "A condition is expected", "a == b"),
        ("y[k] = sum(x[j] for j", 1, 11, "never closed", "close the bracket"),
        ("y[k] = x[k] % 2", 1, 13, "'%' has no derivative", "indices only"),
        ("y[k] = log(0 * x[k])", 1, 1, "no finite value", "inputs"),
        ("y[k] = x[k + 99]", 1, 8, "102 entries", "smaller sizes"),
        ("y[k] = x[k*s]", 1, 12, "s stands in an index, and has no value", "constants: {s: 2}"),
        ("y[k] = x[k] * x[k - 1]", 1, 15, "x is read at place -1", "inside by a condition"),
        ("y[k] = x[k] * sum(k[a] for a)", 1, 1, "'k' is an array here", "another letter"),
        ("", 1, 1, "no forward message", "y[k] ="),
        ("y[k] = 'a'", 1, 8, "quotes", "leave the quotes out"),
        ("y[k] = sum(x[j] for j if j < k)\nz = y[0", 2, 6, "never closed", "close"),
    ],
)
def test_a_forward_message_is_refused_at_its_place(
    text: str, line: int, column: int, message: str, hint: str
) -> None:
    with pytest.raises(GivenError) as caught:
        exercise_for({"given": text, "find": "dL/dx[k]", "sizes": {"k": "3"}}, [], "derivation")
    error = caught.value
    assert message in error.message
    assert hint in error.hint
    assert (error.line, error.column) == (line, column)
    assert f"exercise: given, line {line}, column {column}: {error.message}" in str(error)


@pytest.mark.parametrize(
    ("find", "message"),
    [
        ("", "find is missing"),
        ("dL/dq[j]", "no derivative by something that the forward message has"),
        ("W", "no derivative"),
        ("dL/dx[j,k]", "x has 1 indices, here are 2"),
        ("dx[j]/dW[k,j]", "x is given from outside"),
        ("dL/dx[j", "never closed"),
        ("d2L/dx[j]2", "second derivative"),
        ("d^2L/dx[j]dx[k]", "second derivative"),
        ("∂²L/∂x²", "second derivative"),
        (r"\frac{\partial^2 L}{\partial x_j^2}", "second derivative"),
        ("Hessian", "second derivative"),
    ],
)
def test_what_cannot_be_found_is_refused(find: str, message: str) -> None:
    with pytest.raises(GivenError) as caught:
        exercise_for({**LINEAR, "find": find}, [], "derivation")
    assert caught.value.key == "find"
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"given": ["a"]}, "given is a text"),
        ({**LINEAR, "kernel": "2"}, "'kernel' is unknown: given, find, sizes"),
        ({**LINEAR, "sizes": {"j": "x y"}}, "sizes: j is 'x y'"),
        ({**LINEAR, "sizes": {"j": "0"}}, "sizes: j is '0': 1 to 8"),
        ({**LINEAR, "sizes": {"j": "99"}}, "sizes: j is '99': 1 to 8"),
        ({**LINEAR, "sizes": {"j": "n"}}, "sizes: j is 'n', which has no size"),
        ({**LINEAR, "sizes": {"q": "3"}}, "sizes: q is no index of the forward message"),
        ({**LINEAR, "sizes": "3"}, "sizes is '3': a mapping like"),
        ({**LINEAR, "constants": {"a": "x"}}, "constants: a is 'x': a number"),
        ({**LINEAR, "constants": {"a": "inf"}}, "constants: a is 'inf': a number"),
        ({**LINEAR, "constants": {"eps": "1"}}, "constants: eps is not in the forward message"),
        ({**LINEAR, "inputs": {"q": "real"}}, "inputs: q is no input: W, x are"),
        ({**LINEAR, "inputs": {"x": "odd"}}, "inputs: x is 'odd': real, positive"),
        ({**LINEAR, "given": "y[k] = sum(W[k,k] * x[k] for j)"}, ""),
    ],
)
def test_an_impossible_key_is_refused(keys: dict[str, object], sentence: str) -> None:
    if not sentence:
        assert exercise_for({**keys, "find": "dL/dx[k]"}, [], "derivation") is not None
        return
    with pytest.raises(ExerciseError) as caught:
        exercise_for(keys, [], "derivation")
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "column", "message"),
    [
        ("", 1, "no formula yet"),
        ("dx[j] = sum(detla[k] * W[k,j] for k)", 13, "I do not know 'detla'"),
        ("dx[j] = delta[k] * W[k,j]", 15, "index k is not defined"),
        ("dx[j] = sum(delta[k] * W[j] for k)", 24, "W takes 2 indices, here are 1"),
        ("dx[j] = sum(delta[k] * H(s[k]) for k)", 24, "I do not know 'H'"),
        ("dx[j] = sum(delta[k] * f'(s[k]) for k)", 24, "I do not know 'f''"),
        ("dx[j] = sum(delta[k] * dy[k]/dx[j] for k)", 24, "dy/dx is not given"),
        ("dx[j] = 2 * dL/dx[j]", 13, "is what is asked for"),
        ("dx[j] = y", 9, "Before '=' stands one entry"),
        ("dx[j] = s[0] > 0 and", 21, "stops here"),
        ("dx[j,k] = delta[k] * W[k,j]", 1, "dL/dx[j] is asked for"),
        ("W[k,j] = 2\nx[j]", 1, "W is given"),
        ("x[j]\ny[0]", 1, "two answers"),
        ("dx[j] = sum(delta[k] * Omega(k,j) for k)", 24, "I do not know 'Omega'"),
        ("dx[j] = sum(1 for q)", 9, "cannot tell what q runs over"),
        ("a[k] = a[k] * 2\ndx[j] = sum(a[k] for k)", 8, "'a' is defined by itself"),
        ("a[m] = delta[k] * x[j]\ndx[j] = sum(a[k] for k)", 14, "index k is not defined"),
        ("dx[j] = __import__('os').system('id')", 9, "I do not know"),
    ],
)
def test_an_answer_is_refused_at_its_place(answer: str, column: int, message: str) -> None:
    exercise = exercise_for(LINEAR, [], "derivation")
    assert exercise is not None
    verdict = check(answer, exercise)
    assert verdict.verdict == "unreadable"
    assert message in (verdict.message or "")
    assert verdict.hint
    assert "Omega" not in verdict.hint
    assert verdict.column == column
    assert verdict.tried == 0


def test_a_sum_without_end_costs_no_time() -> None:
    exercise = exercise_for(LINEAR, [], "derivation")
    assert exercise is not None
    deep = "x[j]"
    for letter in "abcdefgh":
        deep = f"sum({deep} * x[{letter}] for {letter})"
    assert check(f"dx[j] = {deep}", exercise).verdict in ("unreadable", "wrong")
    assert check("dx[j] = " + "(" * 200, exercise).verdict == "unreadable"
    assert check("dx[j] = sum(1 for k in range(10^9))", exercise).verdict == "unreadable"
