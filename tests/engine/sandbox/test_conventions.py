"""Functions as courses write them get the verdict that their numbers deserve."""

from __future__ import annotations

import pytest

from engine.checking import check
from engine.exercise import exercise_for

LABEL = {
    "given": "L = log(sum(exp(x[k]) for k)) - x[c]",
    "find": "dL/dx[k]",
    "inputs": {"c": "index"},
}
EMBEDDING = {
    "given": "y[t,d] = E[p[t],d]",
    "find": "dL/dE[v,d]",
    "sizes": {"t": 3, "d": 2, "E": [4, 2]},
    "inputs": {"p": "index"},
}

RIGHT = [
    ("relu", "def relu_backward(dout, x): return dout*(x>0)"),
    ("relu", "```python\ndef relu_backward(dout, x):\n    return dout*(x>0)\n```"),
    ("relu", "    def grad(x, delta):\n        return delta*(x>0)\n"),
    ("relu", "def relu(x): return x*(x>0)\ndef grad(x, delta): return delta*(relu(x)>0)"),
    ("softmax", "def backward(dout, y): return y*(dout-(dout*y).sum())"),
    ("softmax", "def backward(grad, y): return y*(grad-(grad*y).sum())"),
    ("tanh", "def backward(dout, y): return dout*(1-y**2)"),
    ("cross-entropy", "def backward(target, x): e = np.exp(x-x.max()); return e/e.sum()-target"),
    ("linear", "def backward(x, w, b, dy): return w.T @ dy"),
    ("linear", "def backward(dY, X): return np.outer(dY, X)"),
    (
        "convolution",
        "def backward(x, W, b, delta):\n    dx = np.zeros(len(x))\n"
        "    for i in range(len(delta)): dx[i*s:i*s+len(W)] += delta[i] * W\n    return dx",
    ),
    (
        "max-pool",
        "def backward(dout, x):\n    dx = np.zeros_like(x)\n"
        "    p = np.pad(x, ((ph, ph), (pw, pw)), constant_values=-np.inf)\n"
        "    for k in range(Ho):\n        for l in range(Wo):\n"
        "            w = p[k*sh:k*sh+kh, l*sw:l*sw+kw]\n"
        "            a, b = divmod(w.argmax(), w.shape[1])\n"
        "            dx[k*sh+a-ph, l*sw+b-pw] += dout[k, l]\n    return dx",
    ),
]


@pytest.mark.parametrize(("layer", "source"), RIGHT)
def test_a_right_function_is_right_in_every_convention(layer: str, source: str) -> None:
    exercise = exercise_for({"layer": layer}, (), "derivation")
    assert exercise is not None
    verdict = check(source, exercise)
    assert verdict.verdict == "correct", verdict.message


@pytest.mark.parametrize(
    ("card", "source"),
    [
        (LABEL, "def f(x, c):\n    p = np.exp(x) / np.exp(x).sum()\n    p[c] -= 1\n    return p"),
        (
            EMBEDDING,
            "def f(E, p, delta):\n    dE = np.zeros(E.shape)\n"
            "    np.add.at(dE, p, delta)\n    return dE",
        ),
    ],
)
def test_an_index_picks_an_entry(card: dict[str, object], source: str) -> None:
    exercise = exercise_for(card, (), "derivation")
    assert exercise is not None
    verdict = check(source, exercise)
    assert verdict.verdict == "correct", verdict.message


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def backward(s, dout): return dout*s*(1-s)", "x, delta, y"),
        ("async def backward(x, delta): return x", "`async`"),
        ("def f(x): return x\ndef g(x): return x", "`f` and `g`"),
    ],
)
def test_what_is_not_certain_is_refused_with_a_sentence(source: str, words: str) -> None:
    exercise = exercise_for({"layer": "sigmoid"}, (), "derivation")
    assert exercise is not None
    verdict = check(source, exercise)
    assert verdict.verdict == "unreadable"
    assert words in str(verdict.message)
