"""^T behind an array is a transpose, or refused with the way to write it: never a power."""

from __future__ import annotations

import pytest

from engine.checking import check
from engine.exercise import ExerciseError, exercise_for

INNER = "s = sum(w[j] * x[j] for j){}\ny = s^2"
WRITTEN = ["w^T x", "w^{T} x", "w^⊤ x", "w^⊤x", "wᵀx", "w.T x", "w' x", r"\mathbf{w}^T x"]
WRITTEN += [r"w^\top x", r"w^{\top} x", r"w^\intercal x", r"w^{\mathrm{T}} x", r"w^{\mathsf{T}} x"]


def answer(form: str, product: str) -> str:
    """In LaTeX where the product is."""
    if "\\" not in product:
        return f"dw = {form.format(product)}"
    right = form.replace("delta", r"\delta").replace("*", " ")
    return rf"\frac{{\partial L}}{{\partial w}} = {right.format(product)}"


@pytest.mark.parametrize("product", [*WRITTEN, "w^(T) x"])
@pytest.mark.parametrize("rest", [" + b", "", " - t"])
def test_a_forward_message_never_reads_it_as_a_power(product: str, rest: str) -> None:
    for given in (f"s = {product}{rest}", f"s = {product}{rest}\ny[k] = s * v[k]"):
        with pytest.raises(ExerciseError, match="given, line 1, column"):
            exercise_for({"given": given, "find": "any"}, (), "derivation")


@pytest.mark.parametrize("product", [one for one in WRITTEN if "." not in one and "'" not in one])
@pytest.mark.parametrize("constants", [{}, {"T": 2}])
def test_the_refusal_says_how_to_write_it(product: str, constants: dict[str, int]) -> None:
    card = {"given": f"s = {product}" + " / T" * bool(constants), "find": "any"}
    with pytest.raises(
        ExerciseError, match=r"a power or a transpose.*sum\(w\[j\] \* x\[j\] for j\)"
    ):
        exercise_for({**card, "constants": constants}, (), "derivation")


@pytest.mark.parametrize("power", ["x[k]^T", "(2 * x[k])^T / 4", "x[k]^(T)", "2^T * x[k]"])
def test_a_declared_exponent_of_an_entry_stays_a_power(power: str) -> None:
    card = {"given": f"y[k] = {power}", "find": "dL/dx[k]", "constants": {"T": 2}}
    exercise = exercise_for(card, (), "derivation")
    assert exercise is not None
    right = "4 * delta[k]" if power.startswith("2^") else "2 * delta[k] * x[k]"
    assert check(right, exercise).verdict == "correct"


@pytest.mark.parametrize("product", [*WRITTEN, "w^(T) x"])
@pytest.mark.parametrize("form", ["2*delta*({})*x", "2*delta*x*({})", "2 delta ({}) x"])
def test_an_answer_reads_it_as_a_transpose(product: str, form: str) -> None:
    given = INNER.format("")
    exercise = exercise_for({"given": given, "find": "dL/dw[j]"}, (), "derivation")
    assert exercise is not None
    assert check(answer(form, product), exercise).verdict == "correct"


@pytest.mark.parametrize("product", WRITTEN)
def test_where_t_is_given_an_answer_is_read_as_what_is_certain_or_refused(product: str) -> None:
    card = {"given": INNER.format(" / T"), "find": "dL/dw[j]", "constants": {"T": 3}}
    exercise = exercise_for(card, (), "derivation")
    assert exercise is not None
    found = check(answer("2*delta*({})*x/T^2", product), exercise)
    if "T}" in product or "^T" in product:
        assert found.message == "T is given here: ^T could be a power or a transpose."
        assert found.hint == "write w' or w^(T)"
    else:
        assert found.verdict == "correct"
