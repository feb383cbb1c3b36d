"""Formulas against plain loops over small random batches."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.formula.evaluate import evaluate
from engine.formula.reader import read
from tests.engine.formula.batches import ALL, APART, OVERLAPPING, SmallBatch, small_batch

#: One window's row of the Jacobian at one input: (batch, which input, k, l, i, j).
Element = Callable[[SmallBatch, int, int, int, int, int], float]


def _first(b: SmallBatch, n: int, k: int, l: int) -> tuple[int, int]:  # noqa: E741
    return max(b.omega(k, l), key=lambda at: b.x[n, at[0], at[1]])


def _argmax(b: SmallBatch, n: int, k: int, l: int, i: int, j: int) -> float:  # noqa: E741
    return float((i, j) == _first(b, n, k, l))


def _tied(b: SmallBatch, n: int, k: int, l: int, i: int, j: int) -> float:  # noqa: E741
    return float((i, j) in b.omega(k, l) and b.x[n, i, j] == b.f[n, k, l])


def _split(b: SmallBatch, n: int, k: int, l: int, i: int, j: int) -> float:  # noqa: E741
    ties = sum(b.x[n, p, q] == b.f[n, k, l] for p, q in b.omega(k, l))
    return _tied(b, n, k, l, i, j) / float(ties)


def _inside(b: SmallBatch, _n: int, k: int, l: int, i: int, j: int) -> float:  # noqa: E741
    return float((i, j) in b.omega(k, l))


def _lowest(b: SmallBatch, n: int, k: int, l: int, i: int, j: int) -> float:  # noqa: E741
    return float(b.x[n, i, j] == min(b.x[n, p, q] for p, q in b.omega(k, l)))


def _above_mean(b: SmallBatch, n: int, k: int, l: int, i: int, j: int) -> float:  # noqa: E741
    values = [b.x[n, p, q] for p, q in b.omega(k, l)]
    return float(b.x[n, i, j] > sum(values) / len(values))


ELEMENTS: list[tuple[str, Element]] = [
    ("1 if (i,j) == argmax(window(k,l)) else 0", _argmax),
    ("(i*,j*) = argmax(k,l)\n[i = i* and j = j*]", _argmax),
    ("[(i,j) = argmax_{(p,q) ∈ Ω(k,l)} x_pq]", _argmax),
    ("[(i,j) == argmax(x[p,q]"
     " for p in range(k*sh-ph, k*sh-ph+kh)"
     " for q in range(l*sw-pw, l*sw-pw+kw) if (p,q) in Omega(k,l))]", _argmax),
    ("m[a,b] = argmax(a,b); [(i,j) == m[k,l]]", _argmax),
    ("[(i,j) in argmax(k,l)]", _tied),
    ("[(i,j) in argmax(x[p,q] for p,q in Omega(k,l))]", _tied),
    ("J[k,l,i,j] = 1 if (i,j) in Omega(k,l) and x[i,j]==f[k,l] else 0", _tied),
    ("J[k,l,i,j] = [x_ij = max(window(k,l))] [(k,l) in windows(i,j)]", _tied),
    ("[(i,j) in Omega(k,l) and x[i,j]==f[k,l]] / count(x[p,q]==f[k,l]"
     " for p,q in Omega(k,l))", _split),
    ("[(i,j) in argmax(k,l)] / sum(1 for p,q in argmax(k,l))", _split),
    ("sum([k*sh-ph+a = i and l*sw-pw+b = j] for a in range(kh) for b in range(kw))", _inside),
    ("J_klij = [0 <= i - k*sh + ph < kh] * [0 <= j - l*sw + pw < kw]", _inside),
    ("J_klij = [x_ij = min(window(k,l))]", _lowest),
    ("J_klij = [x_ij > mean(window(k,l))]", _above_mean),
    ("J_klij = [x_ij > sum(window(k,l)) / count(Omega(k,l))]", _above_mean),
]  # fmt: skip


@pytest.mark.parametrize("batch", ALL, ids=["apart", "overlapping", "gaps"])
@pytest.mark.parametrize(("text", "element"), ELEMENTS)
def test_a_jacobian_has_the_values_that_loops_give(
    text: str, element: Element, batch: SmallBatch
) -> None:
    got = evaluate(read(text), batch)

    expected = np.zeros((*batch.f.shape, *batch.x.shape[1:]))
    for at in np.ndindex(*expected.shape):
        n, k, l, i, j = at  # noqa: E741
        expected[at] = element(batch, n, k, l, i, j)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


MESSAGES: list[tuple[str, Element]] = [
    ("sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if (i,j) in Omega(k,l))", _argmax),
    ("dx[a,b] = sum(delta[m,n] * [(a,b) == argmax(m,n)] for m,n)", _argmax),
    ("dx[k,l] = sum(delta[i,j] * [(k,l) == argmax(i,j)] for i,j if (k,l) in Omega(i,j))", _argmax),
    ("Σ_k Σ_l δ_kl 𝟙[(i,j) = argmax(k,l)]", _argmax),
    ("dL/dx_ij = Σ_{k=0}^{Ho-1} Σ_{l=0}^{Wo-1} dL/df_kl [(i,j) = argmax(k,l)]", _argmax),
    ("df_kl/dx_ij = [(i,j)=argmax(k,l)]\ndL/dx_ij = Σ_kl dL/df_kl · df_kl/dx_ij", _argmax),
    ("sum(delta[k,l] * [x[i,j]==f[k,l]] for k,l in windows(i,j))", _tied),
    ("sum(delta[k,l]*[k*sh+a-ph == i and l*sw+b-pw == j]*[x[k*sh+a-ph, l*sw+b-pw] == f[k,l]]"
     " for k,l for a in range(kh) for b in range(kw))", _tied),
    ("sum(delta[k,l] for k,l if (i,j) in Omega(k,l))", _inside),
]  # fmt: skip


@pytest.mark.parametrize("batch", ALL, ids=["apart", "overlapping", "gaps"])
@pytest.mark.parametrize(("text", "element"), MESSAGES)
def test_a_message_sums_delta_times_the_jacobian(
    text: str, element: Element, batch: SmallBatch
) -> None:
    got = evaluate(read(text), batch)

    expected = np.zeros(batch.x.shape)
    for n, i, j in np.ndindex(*batch.x.shape):
        for k, l in np.ndindex(*batch.f.shape[1:]):  # noqa: E741
            expected[n, i, j] += batch.delta[n, k, l] * element(batch, n, k, l, i, j)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


def test_a_free_window_is_the_one_that_contains_the_input_and_undefined_among_several() -> None:
    local = read("delta[k,l] * [(i,j) == argmax(k,l)]")
    summed = read("sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l)")

    np.testing.assert_array_equal(evaluate(local, APART), evaluate(summed, APART))
    got = evaluate(local, OVERLAPPING)
    several = evaluate(read("dx[i,j] = count(windows(i,j))"), OVERLAPPING) > 1
    np.testing.assert_array_equal(np.isnan(got), several)


def test_a_learner_may_say_which_window_contains_the_input() -> None:
    said = "k = i // sh; l = j // sw; dx[i,j] = delta[k,l] * [(i,j) == argmax(k,l)]"
    summed = evaluate(read("sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l)"), APART)

    # Row 4 of 5 lies in no window: there are no delta and no arg max to compare with.
    formula = read(said)
    np.testing.assert_array_equal(evaluate(formula, APART), summed)
    assert formula.beyond
    whole = evaluate(read(f"{said} * [(i,j) in Omega(k,l)]"), APART)
    np.testing.assert_array_equal(whole, summed)


@pytest.mark.parametrize(
    "text",
    [
        "dx[i,j] = [i < 0] * x[i - 100, j]",
        "dx[i,j] = x[i - 100, j] * [i < 0]",
        "dx[i,j] = x[i + H, j] if i < 0 else 0",
        "dx[i,j] = [i < 0] / 0",
        "w = [i < 0]; dx[i,j] = w * log(-1)",
        "dx[i,j] = sum(x[i + a, j] for a in range(100) if i + a < 0)",
    ],
)
def test_a_false_condition_hides_an_undefined_value(text: str) -> None:
    np.testing.assert_array_equal(evaluate(read(text), APART), np.zeros(APART.x.shape))


def test_a_cell_outside_of_its_array_is_undefined() -> None:
    got = evaluate(read("dx[i,j] = x[i + 1, j]"), APART)

    assert np.isnan(got[:, -1]).all()
    np.testing.assert_array_equal(got[:, :-1], APART.x[:, 1:])


@pytest.mark.parametrize(
    "text",
    [
        "dx[i,j] = [(i,j) == argmax(k,l)]; k = Ho; l = 0",
        "dx[i,j] = [(i,j) != argmax(k,l)]; k = Ho; l = 0",
        "dx[i,j] = [(i,j) in argmax(Ho, 0)]",
        "dx[i,j] = [x[i,j] == max(window(Ho, 0))]",
        "dx[i,j] = [x[i,j] == max(x[p,q] for p,q in Omega(Ho, 0))]",
        "dx[i,j] = 1 if x[i,j] < f[Ho, 0] else 0",
        "dx[i,j] = [not x[i,j] < f[Ho, 0]]",
        "dx[i,j] = count(x[i,j] == f[k,0] for k in range(Ho + 1))",
        "dx[i,j] = sum(1 for k in range(Ho + 1) if x[i,j] < f[k,0])",
        "dx[i,j] = sum(sum([(i,j) == argmax(k,l)] for l in range(Wo)) for k in range(Ho + 1))",
        "dx[i,j] = [i >= 0 and x[i,j] < f[Ho,0]]",
        "dx[i,j] = [i < 0 or x[i,j] < f[Ho,0]]",
    ],
)
def test_a_comparison_with_a_window_that_is_not_there_is_undefined(text: str) -> None:
    assert np.isnan(evaluate(read(text), APART)).all()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("dx[i,j] = [i < 0 and x[i,j] < f[Ho,0]]", 0),
        ("dx[i,j] = [i >= 0 or x[i,j] < f[Ho,0]]", 1),
        ("dx[i,j] = [(i,j) in Omega(Ho, 0)]", 0),
        ("dx[i,j] = max(x[p,q] for p,q in Omega(0,0) if p < 0)", -np.inf),
        ("dx[i,j] = min(x[p,q] for p,q in Omega(0,0) if p < 0)", np.inf),
        ("dx[i,j] = sum(x[p,q] for p,q in Omega(0,0) if p < 0)", 0),
    ],
)
def test_what_decides_without_it_is_defined_all_the_same(text: str, value: float) -> None:
    assert (evaluate(read(text), APART) == value).all()


def test_the_padding_of_x_holds_minus_infinity_and_beyond_it_there_is_nothing() -> None:
    # OVERLAPPING is padded by one row above and below.
    assert (evaluate(read("dx[i,j] = x[-1, j]"), OVERLAPPING) == -np.inf).all()
    assert (evaluate(read("dx[i,j] = x[H, j]"), OVERLAPPING) == -np.inf).all()
    assert np.isnan(evaluate(read("dx[i,j] = x[-2, j]"), OVERLAPPING)).all()
    assert np.isnan(evaluate(read("dx[i,j] = x[i, -1]"), OVERLAPPING)).all()


def test_parts_of_a_batch_give_what_the_whole_gives() -> None:
    # x_ij against every input of every window: too much memory for all 200 inputs at once.
    big = small_batch((6, 6), (3, 3), (1, 1))
    many = SmallBatch(
        *(big.kernel, big.stride, big.padding),
        *(np.tile(part, (20, 1, 1)) for part in (big.x, big.delta, big.f)),
    )
    formula = read("sum(delta[k,l] * [x[i,j] >= x[p,q]] for k,l for p,q in Omega(k,l))")

    np.testing.assert_array_equal(
        evaluate(formula, many), np.tile(evaluate(formula, big), (20, 1, 1))
    )


@pytest.mark.parametrize(
    "said",
    [
        "delta[i//sh,j//sw] * [(i,j) == argmax(i//sh,j//sw)] + [i == 4]",
        "delta[i//sh,j//sw] + 0",
        "[(i,j) == argmax(i//sh,j//sw)]",
        "dx[i,j] = 1 if (i,j) == argmax(i//sh,j//sw) else 0",
        "delta[i//sh,j//sw] * 0 + 1",
    ],
)
def test_only_a_product_with_the_message_of_no_window_is_0_there(said: str) -> None:
    got = evaluate(read(said if "dx" in said else f"dx[i,j] = {said}"), APART)[:, 4]
    assert (np.isnan(got) | (got == 1)).all()
