"""What cannot be read is refused: the place, what is wrong, and the way out."""

from __future__ import annotations

import pytest

from engine.checking import check
from engine.exercise import ExerciseError, GivenError, exercise_for

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
