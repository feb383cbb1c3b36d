"""Vector notation: transposes, unknown names, names of the message (see also answers/vectors)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import cycle

import pytest

from cards import read_card
from engine import Exercise
from engine.checking import check
from engine.exercise import ExerciseError
from tests.engine.cases import given, judged, listed, made, table
from tests.paths import OWN

LINEAR = {
    "given": "f(t) = tanh(t)\ns[k] = sum(W[k,j] * x[j] for j) + b[k]\ny[k] = f(s[k])",
    "find": ["dL/dx[j]", "dL/dW[k,j]", "dL/db[k]", "dy[k]/dx[j]"],
    "sizes": {"j": "3", "k": "2"},
}


def test_the_echo_is_the_index_formula_with_the_derivative_worked_out() -> None:
    assert judged(LINEAR, r"\delta_x = W^T (\delta_y \odot f'(s))").read == (
        "f'(t) = 1 - tanh(t)^2\ndL/dx[j] = sum(W[k,j] * delta[k] * f'(s[k]) for k)"
    )


@pytest.mark.parametrize("line", table("layers")["solution"])
@pytest.mark.parametrize("wrap", ["%s", "$%s$", "$$ %s $$"])
def test_a_line_of_the_cards_own_solution_is_correct(line: str, wrap: str) -> None:
    exercise = Exercise.from_card(read_card(OWN.cards / "linear_squared_relu.md"))
    assert exercise is not None
    assert check(wrap % line, exercise).verdict in ("correct", "incomplete")


# A transpose.

INNER = "s = sum(w[j] * x[j] for j){}\ny = s^2"
WRITTEN = [
    *("w^T x", "w^{T} x", "w^⊤ x", "w^⊤x", "wᵀx", "w.T x", "w' x", r"\mathbf{w}^T x"),
    *(r"w^\top x", r"w^{\top} x", r"w^\intercal x", r"w^{\mathrm{T}} x", r"w^{\mathsf{T}} x"),
]


def answer(form: str, product: str) -> str:
    """In LaTeX where the product is."""
    if "\\" not in product:
        return f"dw = {form.format(product)}"
    right = form.replace("delta", r"\delta").replace("*", " ")
    return rf"\frac{{\partial L}}{{\partial w}} = {right.format(product)}"


@pytest.mark.parametrize("product", [one for one in WRITTEN if "." not in one and "'" not in one])
def test_a_forward_message_says_how_to_write_it(product: str) -> None:
    for message, constants in ((f"s = {product}", {}), (f"s = {product} / T", {"T": 2})):
        with pytest.raises(
            ExerciseError, match=r"a power or a transpose.*sum\(w\[j\] \* x\[j\] for j\)"
        ):
            given(message, "any", constants=constants)


@pytest.mark.parametrize("product", [*WRITTEN, "w^(T) x"])
def test_an_answer_reads_it_as_a_transpose(product: str) -> None:
    for form in ("2*delta*({})*x", "2*delta*x*({})", "2 delta ({}) x"):
        found = check(answer(form, product), given(INNER.format(""), "dL/dw[j]"))
        assert found.verdict == "correct"


@pytest.mark.parametrize("product", WRITTEN)
def test_where_t_is_given_an_answer_is_read_as_what_is_certain_or_refused(product: str) -> None:
    exercise = given(INNER.format(" / T"), "dL/dw[j]", constants={"T": 3})
    found = check(answer("2*delta*({})*x/T^2", product), exercise)
    if "T}" in product or "^T" in product:
        assert found.message == "T is given here: ^T could be a power or a transpose."
        assert found.hint == "write w' or w^(T)"
    else:
        assert found.verdict == "correct"


# Names.

_NAMES = re.compile(r"(?<![\\\w])(delta|[δWxsytpXw])(?![\w'(])")


def changed(text: str) -> Iterator[str]:
    """The answer with one name after the other replaced, right of every left side."""
    names = cycle(("err", "q", "zeta", "W2"))
    for found, name in zip(_NAMES.finditer(text, text.find("=") + 1), names, strict=False):
        strange = rf"\mathrm{{{name}}}" if "\\" in text and len(name) > 1 else name
        if text[found.end() :].lstrip()[:1] != "=":
            yield text[: found.start()] + strange + text[found.end() :]


@pytest.mark.parametrize("group", table("vectors"), ids=lambda group: str(group["exercise"]))
def test_an_unknown_name_is_refused_by_its_name(group: dict[str, object]) -> None:
    """Also where shapes do not fit: with an unknown name in them, nobody can say so."""
    for text, verdict, _ in listed(group):
        for other in changed(text) if verdict in ("correct", "wrong") else ():
            found = judged(group["exercise"], other)
            assert found.verdict == "unreadable", (other, found.read, found.teaching)
            assert found.hint


@pytest.mark.parametrize(("layer", "answer"), table("layers")["upstream"])
def test_the_usual_names_of_the_message_from_above_are_delta(layer: str, answer: str) -> None:
    exercise = made(layer)
    read = check(answer.format("delta"), exercise).read
    assert "delta" in read
    for name in ("dout", "grad_output", "upstream", "grad", "g", "d"):
        found = check(answer.format(name.replace("_", "") if "\\" in answer else name), exercise)
        assert (found.verdict, found.read) == ("correct", read), (found.message, found.hint)
