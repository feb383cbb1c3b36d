"""Whole derivations: which of their lines follow, and what the verdict makes of it."""

from __future__ import annotations

from typing import Any, Final

import pytest

from engine.checking import check
from engine.registry import exercise_for
from engine.verdict import Verdict
from tests.engine.brute import rewritten, steps
from tests.engine.cases import made, table

#: Kinds whose derivations are functions, or are judged elsewhere.
OTHERS: Final = ("algorithm",)
MARKS: Final = {
    "·": "defines",
    "✓": "follows",
    "✗": "wrong",
    "↓": "carried",
    "↺": "again",
    "?": "unread",
    "–": "unchecked",
}
LOGISTIC: Final = {
    "given": "p[n] = 1/(1 + exp(-sum(w[d]*X[n,d] for d)))\n"
    "L = -sum(t[n]*log(p[n]) + (1-t[n])*log(1-p[n]) for n)",
    "find": "dL/dw[d]",
    "inputs": {"t": "binary"},
}
#: A derivation of twelve lines.
TWELVE: Final = """a_n = sum_d w_d X_nd
p_n = 1/(1 + exp(-a_n))
dp_n/da_n = exp(-a_n)/(1 + exp(-a_n))^2
= p_n (1 - p_n)
dL/dp_n = -t_n/p_n + (1 - t_n)/(1 - p_n)
= (p_n - t_n)/(p_n (1 - p_n))
dL/da_n = dL/dp_n dp_n/da_n
= p_n - t_n
da_n/dw_d = X_nd
dL/dw_d = sum_n dL/da_n da_n/dw_d
= sum_n (p_n - t_n) X_nd
= sum_n p_n X_nd - sum_n t_n X_nd"""
ELU: Final = {
    "given": "s[k] = sum(W[k,j]*x[j] for j)\ny[k] = s[k] if s[k] > 0 else exp(s[k]) - 1",
    "find": "dL/dx[j]",
}
POSTERIOR: Final = {
    "given": "a[k] = p[k]*exp(-(x - m[k])^2/2)\nq[k] = a[k]/sum(a[j] for j)",
    "find": "q[k]",
    "inputs": {"p": "positive"},
}
VARIANCE: Final = {
    "given": "m = sum(p[k]*x[k] for k)\nv = sum(p[k]*(x[k] - m)^2 for k)",
    "find": "v",
    "inputs": {"p": "distribution"},
}
RETURN: Final = {
    "given": "G = sum(r*g^t for t in range(0, n))",
    "find": "G",
    "sizes": {"n": 5},
    "assume": "0 < g < 1",
}
MARGIN: Final = {
    "given": "L = sum(log(1 + exp(-y[n]*sum(w[j]*x[n,j] for j))) for n)",
    "find": "dL/dw[j]",
}
TEST: Final = {
    "given": "a = c*s\nb = (1 - c)*(1 - t)\nq = a/(a + b)",
    "find": "q",
    "inputs": {"c": "unit", "s": "unit", "t": "unit"},
}
CHAIN: Final = {
    "given": "q[k] = sum(p[i]*A[i,j]*A[j,k] for i,j)",
    "find": "q[k]",
    "inputs": {"p": "distribution", "A": "stochastic[K,K]"},
}


def marked(found: Verdict) -> list[str]:
    """The marks of each line of an answer, in its order."""
    lines: dict[int, str] = {}
    signs = {mark: sign for sign, mark in MARKS.items()}
    for step in found.steps:
        lines[step.line] = lines.get(step.line, "") + signs[step.mark]
    return [lines[line] for line in sorted(lines)]


DIE: Final = {
    "given": "L = sum(c[k]*log(p[k]) for k)",
    "maximise": "L",
    "over": "p[k]",
    "subject_to": ["sum(p[k] for k) = 1", "p[k] >= 0"],
    "inputs": {"c": "positive"},
}
LINE: Final = {
    "given": "L = sum(r[n]*(t[n] - w*x[n])^2 for n)",
    "minimise": "L",
    "over": "w",
    "inputs": {"r": "positive"},
}
HOEFFDING: Final = {
    "given": "m = -log(delta/2)/(2*eps^2)",
    "find": "m",
    "inputs": {"delta": "unit", "eps": "positive"},
}
CASES: Final = {
    "each line is judged by itself": (
        LOGISTIC,
        """
        · a_n = sum_d w_d X_nd
        ✓ p_n = 1/(1 + exp(-a_n))
        ✓✓ dp_n/da_n = exp(-a_n)/(1 + exp(-a_n))^2 = p_n (1 - p_n)
        ✗↺ dL/dp_n = -t_n/p_n - (1 - t_n)/(1 - p_n) = (p_n - t_n)/(p_n (1 - p_n))
        ✓ dL/da_n = dL/dp_n dp_n/da_n
        ✓✓ dL/dw_d = sum_n dL/da_n da_n/dw_d = sum_n (p_n - t_n) X_nd
        """,
        "wrong-step",
    ),
    "what follows from a wrong side is carried": (
        LOGISTIC,
        """
        ✗↓ dL/dw_d = sum_n (p_n + t_n) X_nd = sum_n p_n X_nd + sum_n t_n X_nd
        """,
        "wrong",
    ),
    "a line may speak of what a later one defines": (
        LOGISTIC,
        """
        ✓ p_n = 1/(1 + exp(-a_n))
        · where a_n = sum_d w_d X_nd
        ✓ dL/da_n = p_n - t_n
        ✓ dL/dw_d = sum_n (p_n - t_n) X_nd
        """,
        "correct",
    ),
    "a name in the middle of a line is what its left side is": (
        LOGISTIC,
        """
        · a = X w
        ✓ p = 1/(1 + exp(-a))
        ·✓ dL/da_n = e_n = p_n - t_n
        ✓ dL/dw = X^T e
        """,
        "correct",
    ),
    "the derivative of a formula": (
        LOGISTIC,
        """
        · a_n = sum_d w_d X_nd
        ✓✓ d(log(1 + exp(-a_n)))/da_n = -exp(-a_n)/(1 + exp(-a_n)) = p_n - 1
        ✗ d/da_n (a_n^2) = a_n
        """,
        "wrong",
    ),
    "functions of the learner's, and their slopes": (
        ELU,
        """
        ·✓ y_k = f(s_k) = max(0, s_k) + min(0, exp(s_k) - 1)
        ✓ f'(s_k) = min(1, exp(s_k))
        ✓ dL/dx = W^T (delta * f'(s))
        """,
        "correct",
    ),
    "indices that a line holds for": (
        ELU,
        """
        ✓ ds_k/dx_j = W_kj
        ✗ ds_k/ds_j = 1
        ✓ dy_k/ds_j = 0 if k != j
        ✓ dL/dx_j = sum_k delta_k (W_kj if s_k > 0 else exp(s_k) W_kj)
        """,
        "wrong-step",
    ),
    "proportional, and up to a constant": (
        POSTERIOR,
        """
        ✓ q_k ∝ p_k exp(-(x - m_k)^2/2)
        ✓✓ log(q_k) = log(p_k) - (x - m_k)^2/2 + const = log(p_k) + x m_k - m_k^2/2 + const
        ✗ q_k ∝ p_k exp(x m_k)
        ↺ q_k = p_k exp(x m_k - m_k^2/2) / sum_j p_j exp(x m_j - m_j^2/2)
        """,
        "wrong-step",
    ),
    "expectations, and bounds": (
        VARIANCE,
        """
        ✓✓ v = E[(X - m)^2] = E[X^2] - E[X]^2
        ✓ v <= E[X^2]
        ✗ v >= E[X^2]
        ↺ v = sum_k p_k x_k^2 - m^2
        """,
        "wrong-step",
    ),
    "a multiplier that no line defines is what its equation says": (
        DIE,
        """
        ✓ c_k/p_k + mu = 0
        ✓ sum_k c_k + mu = 0
        ✗ sum_k c_k - mu = 0
        ✓ p_k = c_k/sum_m c_m
        """,
        "wrong-step",
    ),
    "a slip that vanishes at the optimum": (
        DIE,
        """
        · N = sum_k c_k
        · r_k = c_k/N
        ✗ L = N sum_k r_k log(r_k) + N sum_k r_k log(r_k/p_k)
        ✓ p_k = r_k
        """,
        "wrong-step",
    ),
    "a constant does not hang on what is to be found": (
        LINE,
        """
        · A = sum_n r_n x_n^2
        · B = sum_n r_n x_n t_n
        ✓ L = A (w - B/A)^2 + const
        ✗ L = (w - B/A)^2 + const
        ✓ 0 = A w - B
        ✓ w = B/A
        """,
        "wrong-step",
    ),
    "implications, and what is done to both sides": (
        LINE,
        """
        ✓✓ sum_n r_n x_n (t_n - w x_n) = 0 => w sum_n r_n x_n^2 = sum_n r_n x_n t_n
        ✓✗ 2 sum_n r_n x_n^2 w = 2 sum_n r_n x_n t_n = sum_n r_n x_n t_n | : 2
        ✓ w = sum_n r_n x_n t_n / sum_n r_n x_n^2
        """,
        "wrong-step",
    ),
    "a sum with dots": (
        RETURN,
        """
        ✓ G = r + r g + r g^2 + ... + r g^(n-1)
        ✓ g G = r g + r g^2 + ... + r g^n
        ✗ G = r + r g + ... + r g^n
        ↺ G = r (1 - g^n)/(1 - g)
        """,
        "wrong-step",
    ),
    "identities of anything": (
        VARIANCE,
        """
        ✓ E[h(X)] = sum_k p_k h(x_k)
        ✗ E[h(X)] = sum_k h(p_k x_k)
        ✓ σ'(z) = σ(z) (1 - σ(z))
        ✗ dσ/dz = σ (1 + σ)
        ✓ v = E[X^2] - m^2
        """,
        "wrong-step",
    ),
    "a second derivative on the way, and gradients that do not say by what": (
        {**LOGISTIC, "find": "d^2L/dw[i]dw[j]"},
        """
        · a = X w
        ✓ p = σ(a)
        ✓ ∇L = X^T (p - t)
        ✓ dL/da_n = p_n - t_n
        ✓ d^2L/da_n^2 = p_n (1 - p_n)
        ✓✓ d^2L/dw_i dw_j = sum_n d^2L/da_n^2 da_n/dw_i da_n/dw_j = sum_n p_n (1 - p_n) X_ni X_nj
        ✓ ∇²L = X^T R X
        · R = diag(p ⊙ (1 - p))
        """,
        "correct",
    ),
    "y' of a number": (
        {"given": "y = exp(-x^2)", "find": "d^2y/dx^2"},
        """
        ✓ y' = -2 x y
        ✓ y'' = -2 y - 2 x y'
        ✗ y'' = -2 y + 2 x y'
        """,
        "wrong",
    ),
    "a dot between vectors is what fits": (
        MARGIN,
        """
        · m_n = y_n w·x_n
        ✓ L = sum_n log(1 + exp(-m_n))
        ✓ dL/dw = -sum_n y_n·x_n/(1 + exp(y_n w·x_n))
        """,
        "correct",
    ),
    "events, what they are not, and numbers by their subscripts": (
        TEST,
        """
        · P(D) = c
        · P(T|D) = s
        · P(not T|not D) = t
        ·✓ P(T) = P(T|D) P(D) + P(T|not D) P(not D) = s c + (1 - t)(1 - c)
        · n_1 = 1000 c s
        · n_0 = 1000 (1 - c)(1 - t)
        ✓✓ q = n_1/(n_1 + n_0) = s c/P(T)
        """,
        "correct",
    ),
    "rows, and powers of a matrix": (
        CHAIN,
        """
        · u^T = p^T A
        ✓✓ q^T = u^T A = p^T A^2
        ✓ q_k = sum_i p_i (A^2)_{ik}
        """,
        "correct",
    ),
    "cases in formulas of their own": (
        ELU,
        """
        · Put $c_k = 1$ if $s_k > 0$ and $c_k = e^{s_k}$ otherwise.
        ✓ Then $\\frac{\\partial L}{\\partial x} = W^\\top (\\delta \\odot c)$.
        """,
        "correct",
    ),
    "beside w, ŵ is a name of its own": (
        {
            "given": "L = sum((t[n] - sum(X[n,d]*w[d] for d))^2 for n)",
            "minimise": "L",
            "over": "w[d]",
            "sizes": {"n": "5", "d": "2"},
        },
        """
        ✓· Let $\\hat w = (X^\\top X)^{-1} X^\\top t$ and $r = t - X \\hat w$.
        ✓✓ Then $X^\\top r = X^\\top t - X^\\top X \\hat w = 0$.
        ✓ $L(w) = \\|r + X(\\hat w - w)\\|^2$
        ✗ $= \\|r\\|^2 - \\|X(\\hat w - w)\\|^2$
        ↺· $\\ge \\|r\\|^2 = L(\\hat w)$
        ✓ $\\hat w = (X^\\top X)^{-1} X^\\top t$
        """,
        "wrong-step",
    ),
    "inequalities agree on which side of the bound they hold": (
        HOEFFDING,
        """
        – 2 exp(-2 m eps^2) <= delta
        ✓ -2 m eps^2 <= log(delta/2)
        ✗ 2 m eps^2 <= log(2/delta)
        ✓ m >= log(2/delta)/(2 eps^2)
        """,
        "wrong-step",
    ),
    "the last inequality is the answer": (
        HOEFFDING,
        """
        –✓ $2 e^{-2m\\epsilon^2} \\le \\delta$, so $m \\ge \\frac{\\log(2/\\delta)}{2\\epsilon^2}$.
        """,
        "correct",
    ),
    "behind an arrow a minus belongs to what follows": (
        HOEFFDING,
        """
        ✓ 2 exp(-2 m eps^2) = delta
        ✓ => -2 m eps^2 = log(delta/2)
        ✓✓ ⇔ -m eps^2 = log(delta/2)/2 ⇒ m eps^2 = log(2/delta)/2
        ✓ $2 m \\epsilon^2 = \\log(2/\\delta)$
        ✓ $\\implies -2m\\epsilon^2 = \\log(\\delta/2)$
        ✓ m = log(2/delta)/(2 eps^2)
        """,
        "correct",
    ),
    "an index that was forgotten": (
        LOGISTIC,
        """
        · a_n = sum_d w_d x_n
        ✓ dL/dp_n = -t_n/p_n + (1 - t_n)/(1 - p_n)
        ✓ dL/dw_d = sum_n (p_n - t_n) X_nd
        """,
        "correct",
    ),
    "a slip of the finger at a sum": (
        LOGISTIC,
        """
        ✓ dL/dp_n = -t_n/p_n + (1 - t_n)/(1 - p_n)
        ✓ dL/da_n = p_n - t_n
        · where a_n = sum_d w_d X_nd
        ? dL/dw_d = s'um_n (p_n - t_n) X_nd
        """,
        "unreadable",
    ),
    "a second derivative that no rule gives is not read": (
        {"given": "L = -logdet(S)", "find": "dL/dS[i,j]", "inputs": {"S": "positive definite"}},
        """
        ✓ dL/dS = -S^{-T}
        ? d^2L/dS_ij dS_kl = inv(S)[j,k] inv(S)[l,i]
        """,
        "correct",
    ),
    "a line that cannot be read": (
        VARIANCE,
        """
        ? v = E[(X - m)^2] + foo
        ✓ v = sum_k p_k x_k^2 - m^2
        """,
        "unreadable",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_each_side_gets_its_mark(name: str) -> None:
    keys, text, outcome = CASES[name]
    rows = [row.strip().split(" ", 1) for row in text.strip().split("\n")]
    exercise = exercise_for(keys, (), "derivation")
    assert exercise is not None
    found = check("\n".join(row for _, row in rows), exercise)
    assert marked(found) == [marks for marks, _ in rows], found.steps
    assert found.verdict == outcome, found


def test_the_first_wrong_step_is_the_verdict() -> None:
    exercise = exercise_for(LOGISTIC, (), "derivation")
    assert exercise is not None
    text = (
        "We have $a_n = \\sum_d w_d X_{nd}$ and\n"
        "$\\frac{\\partial L}{\\partial a_n} = p_n + t_n$, so that\n\n"
        "$$\\frac{\\partial L}{\\partial w_d} = \\sum_n (p_n - t_n) X_{nd}.$$\n"
    )
    found = check(text, exercise)
    assert (found.verdict, found.line, found.step_kind) == ("wrong-step", 2, "derivative")
    assert found.counterexample is not None
    assert found.counterexample.target == "dL/da[n]"
    assert [step.line for step in found.steps] == [1, 2, 4]


def test_a_step_that_the_result_does_not_need_is_tried_all_the_same() -> None:
    keys = {"given": "L = -(m - a)^2", "maximise": "L", "over": "m"}
    found = check("dL/dm = 2 (a - m) = 0\nm = a", made(keys))
    assert [step.mark for step in found.steps] == ["follows", "follows", "follows"]
    assert (found.verdict, found.remark) == ("correct", None)
    assert check("dL/dm = 2 (m - a) = 0\nm = a", made(keys)).verdict == "wrong-step"


#: Of the exercises of derivations, some of each kind that needs no optimum.
SOME: Final = [
    row for row in table("derivations") if row["kind"] in ("derivative", "parts", "value")
][::9]


def test_brute_force_agrees_on_slips_in_sides() -> None:
    tried, off = steps.disagreements(SOME, every=23)
    assert tried > 50
    assert not off


def test_right_derivations_are_right_in_other_ways() -> None:
    found = rewritten.trials(SOME, seed=5, inputs=60)
    assert found.tried > 2_000
    assert not found.rejected


def test_a_message_that_only_a_line_uses_is_still_the_one_asked_for() -> None:
    keys = {"given": "y[k] = exp(c[k])", "find": "dL/dc[k]"}
    exercise = exercise_for(keys, (), "derivation")
    assert exercise is not None
    found = check("d(log(y_k))/dc_k = 1\ndL/dc_k = delta_k y_k", exercise)
    assert marked(found) == ["✓", "✓"]
    assert found.verdict == "correct"


def test_a_left_side_is_shown_as_it_is_meant() -> None:
    twice = exercise_for({"given": "y = exp(2*x)", "find": "d^2y/dx^2"}, (), "derivation")
    entries = exercise_for({"given": "y[k] = x[k]^2", "find": "dL/dx[k]"}, (), "derivation")
    assert twice is not None
    assert entries is not None
    found = check("dy/dx = 2 y\nd^2y/dx^2 = 4 y", twice)
    assert [step.read for step in found.steps] == ["dy/dx = 2 * y", "d^2y/dx^2 = 4 * y"]
    found = check("dy/dx = 2 x\ndL/dx_k = 2 delta_k x_k", entries)
    assert found.steps[0].read == "dy[k]/dx[k] = 2 * x[k]"


def derivations() -> list[Any]:
    rows = [row for row in table("derivations") if row["kind"] not in OTHERS]
    slow = {"optimum": [pytest.mark.long]}
    return [pytest.param(r, id=r["name"], marks=slow.get(r["kind"], [])) for r in rows]


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("row", derivations())
def test_a_derivation_gets_its_verdict(row: dict[str, Any], every: int) -> None:
    """A right one is right; of a wrong one the first wrong line is found.

    Those of its `open` are not read, or found elsewhere: never is a right one called wrong, or
    a wrong one right. The slip of one that is `unseen` shows on no input: its line is marked so.
    """
    exercise, still = made(row["exercise"]), row.get("open", {})
    for n, text in [*enumerate(row["right"])][:: min(every, 2)]:
        found = check(text, exercise)
        asked = ("unreadable",) if n in map(int, still.get("right", ())) else ()
        assert found.verdict in ("correct", "incomplete", *asked), (text, found)
    for n, wrong in [*enumerate(row["wrong"])][::every]:
        text, at = wrong["text"], wrong["at"].strip()
        found = check(text, exercise)
        if n in map(int, row.get("unseen", ())):
            assert any(step.mark == "unchecked" for step in found.steps), (text, found)
            continue
        if n in map(int, still.get("wrong", ())):
            assert found.verdict not in ("correct", "incomplete"), (text, found)
            continue
        assert found.verdict in ("wrong", "wrong-step"), (text, found)
        first = text.count("\n", 0, text.index(at)) + 1
        lines = range(first, first + at.count("\n") + 1)
        assert not found.steps or found.line in lines, (text, found)
