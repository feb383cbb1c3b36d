"""Names that nobody knows: never a wrong answer, and the usual names of the message from above."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import pytest

from engine.checking import check
from engine.exercise import exercise_for
from tests.engine.messages.test_vectors import LINEAR, RIGHT, made

#: Wrong by their shapes: with an unknown name in them, nobody can say so.
UNFIT = [
    "dx = W (delta ⊙ f'(s))",
    "dx = (delta ⊙ f'(s))^T W^T",
    "dx = W ⊙ (delta ⊙ y)",
    "dW = x (delta ⊙ f'(s))^T",
    "dW = delta ⊙ x",
    "dx = W^T (delta ⊙ y) + b",
    "db = delta^T y",
    "dx = delta ⊙ y",
    "u = W delta\ndx = u ⊙ x",
    "u = delta ⊙ y\ndx = W u",
    "W^T (delta ⊙ y) x^T",
    "dx = norm(delta) W y",
    "dx_j = Σ_j δ_k W_kj y_k",
]

_NAMES = re.compile(r"(?<![\\\w])(delta|[δWxsytpXw])(?![\w'(])")


def changed(answer: str, strange: str) -> Iterator[str]:
    """The answer with one name after the other replaced, right of every left side."""
    start = answer.find("=") + 1
    for found in _NAMES.finditer(answer, start):
        if answer[found.end() :].lstrip()[:1] != "=":
            yield answer[: found.start()] + strange + answer[found.end() :]


def strangers() -> Iterator[object]:
    for keys, answer in [*RIGHT, *((LINEAR, answer) for answer in UNFIT)]:
        for strange in ("err", "q", "zeta", "W2"):
            latex = "\\" in answer and len(strange) > 1
            for text in changed(answer, rf"\mathrm{{{strange}}}" if latex else strange):
                yield pytest.param(keys, text, id=text)


@pytest.mark.parametrize(("keys", "answer"), strangers())
def test_an_unknown_name_is_refused_by_its_name(keys: Mapping[str, object], answer: str) -> None:
    found = check(answer, made(keys))
    assert found.verdict == "unreadable", (found.verdict, found.read, found.teaching)
    assert found.hint


@pytest.mark.parametrize("name", ["dout", "grad_output", "upstream", "grad", "g", "d"])
@pytest.mark.parametrize(
    ("layer", "answer"),
    [
        ("linear", "dx = W.T @ {0}"),
        ("linear", "dW = np.outer({0}, x)"),
        ("linear", "dx[j] = sum({0}[k] * W[k,j] for k)"),
        ("linear", "dx_j = Σ_k {0}_k W_kj"),
        ("linear", r"\delta_x = W^\top \mathrm{{{0}}}"),
        ("softmax", "u = {0} * y\ndx = u - y * sum(u)"),
        ("conv2d", "sum({0}[i-a,j-b] * W[a,b] for a,b)"),
        ("max-pool", "sum({0}[k,l] * [(i,j) == argmax(k,l)] for k,l)"),
        ("max-pool", r"\sum_{{k,l}} \mathrm{{{0}}}_{{kl}} [(i,j) = \arg\max(k,l)]"),
    ],
)
def test_the_usual_names_of_the_message_from_above_are_delta(
    name: str, layer: str, answer: str
) -> None:
    exercise = exercise_for(layer, [], "derivation")
    assert exercise is not None
    spelt = name.replace("_", "") if "\\" in answer else name
    found = check(answer.format(spelt), exercise)
    assert found.verdict == "correct", (found.message, found.hint, found.read)
    assert "delta" in found.read
    assert found.read == check(answer.format("delta"), exercise).read


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        ("g[k] = 1 - y[k]^2\ndx[j] = sum(delta[k]*g[k]*W[k,j] for k)", "g[k] = 1"),
        ("grad = delta * (1 - y^2)\ndx = W.T @ grad", "grad[k] = delta"),
        ("dout = 1 - y^2\ndx = W.T @ (delta * dout)", "dout[k] = 1"),
    ],
)
def test_a_name_that_the_answer_defines_is_its_own(answer: str, read: str) -> None:
    exercise = exercise_for({**LINEAR, "find": "dL/dx[j]"}, [], "derivation")
    assert exercise is not None
    found = check(answer, exercise)
    assert found.verdict == "correct", found.message
    assert found.read.startswith(read)


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        ("dx = W.T @ detla", "'delta'"),
        ("dx[j] = sum(detla[k] * W[k,j] for k)", "'delta'"),
        ("dx = w.T @ delta", "'W'"),
        ("dW = delta X^T", "'x'"),
        (r"\delta_x = W^\top \hat\delta", "'delta'"),
        ("u = detla * y\ndx = W.T @ u", "'delta'"),
        ("dx = W.T @ (delta * tahn(s))", "'tanh'"),
        (r"\delta_x = W^\top (\delta \odot tanh(s))", "tanh"),
        (r"\delta_x = W^\top (\delta \odot sigmiod(s))", "sigmoid"),
        ("dx = W.T @ (delta * g(s))", "the names are"),
        ("dx[j] = sum(delta[k] * g[k] * W[k,j] for k)", "the names are"),
        ("dx = W.T @ e", "exp(1)"),
        ("dx = W.T @ δ₂", "entry"),
    ],
)
def test_the_nearest_known_name_is_the_hint(answer: str, hint: str) -> None:
    found = check(answer, made(LINEAR))
    assert found.verdict == "unreadable", (found.verdict, found.read)
    assert hint in (found.hint or ""), (found.message, found.hint)
    assert found.column
