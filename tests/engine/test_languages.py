"""Every answer gets its verdict, in whatever language it is written."""

from __future__ import annotations

import pytest

from engine.checking import check
from engine.exercise import exercise_for, language_of
from tests.material import Entry, each_answer

POOLING = exercise_for("max-pool", (), "derivation")
LINEAR_ELU = exercise_for(
    {
        "given": "s[k] = sum(W[k,j] * x[j] for j)\ny[k] = s[k] if s[k] > 0 else exp(s[k]) - 1",
        "find": "dL/dx[j]",
        "sizes": {"j": 3, "k": 2},
    },
    (),
    "derivation",
)


@pytest.mark.parametrize("seed", [0, 1])
@each_answer("latex", "numpy")
def test_an_answer_gets_its_verdict(entry: Entry, seed: int) -> None:
    assert POOLING is not None
    verdict = check(entry["answer"], POOLING, seed=seed)
    assert verdict.verdict == entry["verdict"], verdict
    if "misconception" in entry:
        assert verdict.misconception == entry["misconception"]


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (
            r"\frac{\partial L}{\partial x_j} = \sum_k \delta_k W_{kj}"
            r" \begin{cases} 1 & s_k > 0 \\ y_k + 1 & \text{otherwise}\end{cases}",
            "correct",
        ),
        (r"\delta_{x,j} = \sum_k W_{kj} \delta_{y,k}", "wrong"),
        (
            "def backward(W, x, delta):\n    s = W @ x\n"
            "    return W.T @ (delta * np.where(s > 0, 1, np.exp(s)))",
            "correct",
        ),
        ("def f(x, y, W, delta): return W.T @ (delta * np.where(y > 0, 1, y + 1))", "correct"),
        ("def f(a, b, c): return a.T @ c", "wrong"),
        ("def f(W, x, delta): return W @ x", "unreadable"),
    ],
)
def test_a_cards_own_message_is_answered_in_every_language(answer: str, verdict: str) -> None:
    assert LINEAR_ELU is not None
    assert check(answer, LINEAR_ELU).verdict == verdict


@pytest.mark.parametrize(
    ("answer", "line", "words"),
    [
        ("def backward(x, delta):\n    return x.foo", 2, "foo"),
        ("def backward(x, delta):\n    return open('/etc/hostname').read()", 2, "not permitted"),
        ("def backward(x, delta)\n    return x", 1, "expected"),
        ("import numpy as np", None, "def backward"),
    ],
)
def test_a_function_without_numbers_is_unreadable(
    answer: str, line: int | None, words: str
) -> None:
    assert POOLING is not None
    verdict = check(answer, POOLING)
    assert (verdict.verdict, verdict.line, verdict.tried) == ("unreadable", line, 0)
    assert words in str(verdict.message)


def test_what_a_function_prints_is_kept() -> None:
    assert POOLING is not None
    verdict = check("def backward(x, delta):\n    print(x.shape)\n    return x", POOLING)
    assert verdict.printed is not None
    assert verdict.printed.startswith("(")
    assert "process" in verdict.layers


@pytest.mark.parametrize(
    ("answer", "language"),
    [
        ("dx[i,j] = sum(delta[k,l] for k,l)", "formula"),
        ("def_kl = x_ij", "formula"),
        (r"\delta_{kl}", "latex"),
        ("  def f(x, delta):\n    return x", "function"),
        ("import numpy as np\n\ndef backward(x, delta): return x", "function"),
        ("backward = lambda x, delta: x", "function"),
        ("def f(x):\n    '''\\\\delta'''\n    return x", "function"),
    ],
)
def test_the_language_is_told_by_the_looks(answer: str, language: str) -> None:
    assert language_of(answer) == language


def test_an_error_of_latex_is_told_at_its_place_in_the_latex() -> None:
    assert POOLING is not None
    answer = r"\delta_{x,ij} = \sum_{k,l} \delta_{kl} \cdot q_{kl}"
    verdict = check(answer, POOLING)
    assert verdict.column is not None
    assert answer[verdict.column - 1] == "q"
