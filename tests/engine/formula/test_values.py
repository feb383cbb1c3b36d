"""Formulas against plain loops over small random batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest

from engine.formula.tree import FormulaError
from engine.pooling.evaluate import evaluate
from engine.pooling.inputs import PoolingBatch
from engine.pooling.reader import read
from engine.pooling.windows import Array
from tests.engine.brute.pooling import Case, Pair, output_size
from tests.engine.cases import table

#: The entry of a Jacobian for a window and a place.
Element: TypeAlias = Callable[[Case, Pair, Pair], float]


def small_batch(
    size: Pair, kernel: Pair, stride: Pair, padding: Pair = (0, 0), seed: int = 0
) -> PoolingBatch:
    """Three inputs of integers with repeats, distinct deltas."""
    draw = np.random.default_rng(seed)
    x = draw.integers(-2, 3, (3, *size)).astype(np.float64)
    windows = output_size(kernel, stride, padding, size)
    delta = (
        draw.permutation(3 * windows[0] * windows[1]).reshape(3, *windows).astype(np.float64) + 1
    )
    return PoolingBatch(kernel, stride, padding, x, delta)


APART = small_batch((5, 4), (2, 2), (2, 2))
OVERLAPPING = small_batch((4, 5), (3, 2), (1, 1), (1, 0), seed=1)
GAPS = small_batch((5, 5), (2, 1), (3, 2), seed=2)


def values(text: str, batch: PoolingBatch = APART) -> Array:
    return evaluate(read(text), batch)


def in_window(case: Case, window: Pair) -> list[float]:
    return [case.x[i][j] for i, j in case.omega[window]]


def split(case: Case, window: Pair, at: Pair) -> float:
    return (at in case.tied[window]) / len(case.tied[window])


def above_mean(case: Case, window: Pair, at: Pair) -> float:
    inside = in_window(case, window)
    return case.x[at[0]][at[1]] > sum(inside) / len(inside)


MEANINGS: dict[Element, list[str]] = {
    lambda case, window, at: at == case.tied[window][0]: [
        "1 if (i,j) == argmax(window(k,l)) else 0",
        "(i*,j*) = argmax(k,l)\n[i = i* and j = j*]",
        "[(i,j) = argmax_{(p,q) ∈ Ω(k,l)} x_pq]",
        "[(i,j) == argmax(x[p,q] for p in range(k*sh-ph, k*sh-ph+kh)"
        " for q in range(l*sw-pw, l*sw-pw+kw) if (p,q) in Omega(k,l))]",
        "m[a,b] = argmax(a,b); [(i,j) == m[k,l]]",
        "sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if (i,j) in Omega(k,l))",
        "dx[a,b] = sum(delta[m,n] * [(a,b) == argmax(m,n)] for m,n)",
        "dx[k,l] = sum(delta[i,j] * [(k,l) == argmax(i,j)] for i,j if (k,l) in Omega(i,j))",
        "Σ_k Σ_l δ_kl 𝟙[(i,j) = argmax(k,l)]",
        "dL/dx_ij = Σ_{k=0}^{Ho-1} Σ_{l=0}^{Wo-1} dL/df_kl [(i,j) = argmax(k,l)]",
        "df_kl/dx_ij = [(i,j)=argmax(k,l)]\ndL/dx_ij = Σ_kl dL/df_kl · df_kl/dx_ij",
    ],
    lambda case, window, at: at in case.tied[window]: [
        "[(i,j) in argmax(k,l)]",
        "[(i,j) in argmax(x[p,q] for p,q in Omega(k,l))]",
        "J[k,l,i,j] = 1 if (i,j) in Omega(k,l) and x[i,j]==f[k,l] else 0",
        "J[k,l,i,j] = [x_ij = max(window(k,l))] [(k,l) in windows(i,j)]",
        "sum(delta[k,l] * [x[i,j]==f[k,l]] for k,l in windows(i,j))",
        "sum(delta[k,l]*[k*sh+a-ph == i and l*sw+b-pw == j]*[x[k*sh+a-ph, l*sw+b-pw] == f[k,l]]"
        " for k,l for a in range(kh) for b in range(kw))",
    ],
    split: [
        "[(i,j) in Omega(k,l) and x[i,j]==f[k,l]] / count(x[p,q]==f[k,l] for p,q in Omega(k,l))",
        "[(i,j) in argmax(k,l)] / sum(1 for p,q in argmax(k,l))",
    ],
    lambda case, window, at: at in case.omega[window]: [
        "sum([k*sh-ph+a = i and l*sw-pw+b = j] for a in range(kh) for b in range(kw))",
        "J_klij = [0 <= i - k*sh + ph < kh] * [0 <= j - l*sw + pw < kw]",
        "sum(delta[k,l] for k,l if (i,j) in Omega(k,l))",
    ],
    lambda case, window, at: case.x[at[0]][at[1]] == min(in_window(case, window)): [
        "J_klij = [x_ij = min(window(k,l))]"
    ],
    above_mean: [
        "J_klij = [x_ij > mean(window(k,l))]",
        "J_klij = [x_ij > sum(window(k,l)) / count(Omega(k,l))]",
    ],
}


@pytest.mark.parametrize("batch", [APART, OVERLAPPING, GAPS], ids=["apart", "overlapping", "gaps"])
@pytest.mark.parametrize(
    ("element", "text"), [(element, text) for element, each in MEANINGS.items() for text in each]
)
def test_an_answer_has_the_values_that_loops_give(
    text: str, element: Element, batch: PoolingBatch
) -> None:
    """A message sums delta times the Jacobian over the windows."""
    formula = read(text)
    got = evaluate(formula, batch)
    expected = np.zeros(got.shape)
    for n, (x, delta) in enumerate(zip(batch.x, batch.delta, strict=True)):
        case = Case(batch.kernel, batch.stride, batch.padding, x.tolist(), delta.tolist())
        for window in case.windows:
            for at in case.cells:
                if formula.target.jacobian:
                    expected[(n, *window, *at)] = element(case, window, at)
                else:
                    expected[(n, *at)] += case.sent(window) * element(case, window, at)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


SUMMED = "sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l)"


def test_a_free_window_is_the_one_that_contains_the_input_and_undefined_among_several() -> None:
    local = "delta[k,l] * [(i,j) == argmax(k,l)]"
    np.testing.assert_array_equal(values(local), values(SUMMED))
    several = values("dx[i,j] = count(windows(i,j))", OVERLAPPING) > 1
    np.testing.assert_array_equal(np.isnan(values(local, OVERLAPPING)), several)


def test_a_learner_may_say_which_window_contains_the_input() -> None:
    said = "k = i // sh; l = j // sw; dx[i,j] = delta[k,l] * [(i,j) == argmax(k,l)]"
    # Row 4 of 5 lies in no window: there are no delta and no arg max to compare with.
    formula = read(said)
    np.testing.assert_array_equal(evaluate(formula, APART), values(SUMMED))
    assert formula.beyond
    np.testing.assert_array_equal(values(f"{said} * [(i,j) in Omega(k,l)]"), values(SUMMED))


@pytest.mark.parametrize(("text", "value"), table("readings")["undefined"])
def test_what_is_undefined_shows_unless_a_condition_hides_it(text: str, value: str) -> None:
    got = values(f"dx[i,j] = {text}")
    np.testing.assert_array_equal(got, np.full(got.shape, float(value)))


def test_beyond_an_array_and_its_padding_of_minus_infinity_there_is_nothing() -> None:
    got = values("dx[i,j] = x[i + 1, j]")
    assert np.isnan(got[:, -1]).all()
    np.testing.assert_array_equal(got[:, :-1], APART.x[:, 1:])
    # OVERLAPPING is padded by one row above and below.
    for cell, value in (
        ("-1, j", -np.inf),
        ("H, j", -np.inf),
        ("-2, j", np.nan),
        ("i, -1", np.nan),
    ):
        got = values(f"dx[i,j] = x[{cell}]", OVERLAPPING)
        np.testing.assert_array_equal(got, np.full(got.shape, value))


def test_parts_of_a_batch_give_what_the_whole_gives() -> None:
    # x_ij against every input of every window: too much memory for all 60 inputs at once.
    big = small_batch((6, 6), (3, 3), (1, 1))
    x, delta = (np.tile(part, (20, 1, 1)) for part in (big.x, big.delta))
    many = PoolingBatch(big.kernel, big.stride, big.padding, x, delta)
    text = "sum(delta[k,l] * [x[i,j] >= x[p,q]] for k,l for p,q in Omega(k,l))"
    np.testing.assert_array_equal(values(text, many), np.tile(values(text, big), (20, 1, 1)))


@pytest.mark.parametrize(
    "said",
    [
        "delta[i//sh,j//sw] * [(i,j) == argmax(i//sh,j//sw)] + [i == 4]",
        "delta[i//sh,j//sw] + 0",
        "[(i,j) == argmax(i//sh,j//sw)]",
        "1 if (i,j) == argmax(i//sh,j//sw) else 0",
        "delta[i//sh,j//sw] * 0 + 1",
    ],
)
def test_only_a_product_with_the_message_of_no_window_is_0_there(said: str) -> None:
    got = values(f"dx[i,j] = {said}")[:, 4]
    assert (np.isnan(got) | (got == 1)).all()


@pytest.mark.parametrize(
    "text",
    [
        "sum(1 for a in range(4000) for b in range(4000))",
        "sum(1 for a in range(10^9))",
        "sum(x[a,b]*x[c,d]*x[p,q]*x[m,n] for a,b in Omega(k,l) for c,d in Omega(k,l))"
        " * sum(sum(sum(sum(1 for a,b in Omega(k,l)) for c,d in Omega(a,b)) for p,q in"
        " Omega(c,d)) for m,n in Omega(p,q))",
    ],
)
def test_what_would_take_too_much_is_refused(text: str) -> None:
    with pytest.raises(FormulaError):
        values(text, OVERLAPPING)
