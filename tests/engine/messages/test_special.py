"""The gamma function and its relatives, densities, determinants: values that are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.messages.special import (
    beta,
    binom,
    cofactors,
    digamma,
    factorial,
    inverse_turned,
    lgamma,
    logdet,
    normal,
    poisson,
    polygamma,
)

EULER = 0.5772156649015329


@pytest.mark.parametrize(
    ("order", "at", "value"),
    [
        (0, 1.0, -EULER),
        (0, 0.5, -EULER - 2 * math.log(2)),
        (0, 100.0, math.log(100) - 1 / 200 - 1 / 120_000 + 1 / 1.2e10),
        (0, -0.5, 2 - EULER - 2 * math.log(2)),
        (1, 1.0, math.pi**2 / 6),
        (1, 0.5, math.pi**2 / 2),
        (1, -0.5, math.pi**2 / 2 + 4),
        (2, 1.0, -2 * 1.2020569031595942),
        (3, 1.0, math.pi**4 / 15),
    ],
)
def test_digamma_and_its_derivatives_have_the_values_of_tables(
    order: int, at: float, value: float
) -> None:
    assert polygamma(order, np.array(at)) == pytest.approx(value, rel=1e-13)


@given(st.floats(0.01, 60), st.integers(0, 3))
def test_they_keep_their_recurrence(a: float, order: int) -> None:
    here, there = polygamma(order, np.array([a, a + 1]))
    step = (-1) ** order * math.factorial(order) / a ** (order + 1)
    assert there == pytest.approx(here + step, rel=1e-11, abs=1e-12)


def test_at_a_pole_there_is_no_value() -> None:
    at = np.array([0.0, -1.0, -7.0, np.nan])
    with np.errstate(all="ignore"):
        assert np.isnan(digamma(at)).all()
        assert np.isnan(factorial(at[1:])).all()
    assert lgamma(at[:3]).tolist() == [math.inf] * 3


def test_counts_are_exact() -> None:
    n, k = np.meshgrid(np.arange(25.0), np.arange(25.0), indexing="ij")
    wanted = [[math.comb(a, b) for b in range(25)] for a in range(25)]
    assert binom(n, k).tolist() == wanted
    assert factorial(np.arange(15.0)).tolist() == [math.factorial(a) for a in range(15)]


def test_densities_are_normalised() -> None:
    x = np.linspace(-40, 44, 84_001)
    assert normal(x, np.array(2.0), np.array(9.0)).sum() * 1e-3 == pytest.approx(1)
    assert poisson(np.arange(80.0), np.array(3.5)).sum() == pytest.approx(1)
    assert beta(np.array(-0.5), np.array(3.0)) == pytest.approx(-16 / 3)
    middle = (np.arange(200_000) + 0.5) / 200_000
    assert beta(np.array(2.5), np.array(3.5)) == pytest.approx(
        (middle**1.5 * (1 - middle) ** 2.5).mean(), rel=1e-9
    )


@given(st.integers(1, 5), st.integers(0, 99))
def test_cofactors_are_those_of_minors_whatever_the_rank(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(0, size + 1))
    a = rng.normal(size=(size, rank)) @ rng.normal(size=(rank, size))
    wanted = np.empty((size, size))
    for i in range(size):
        for j in range(size):
            minor = np.delete(np.delete(a, i, 0), j, 1)
            wanted[i, j] = (-1) ** (i + j) * np.linalg.det(minor)
    scale = max(1.0, float(np.abs(a).max())) ** size
    assert np.allclose(cofactors(a), wanted, atol=1e-12 * scale)


def test_a_logarithm_of_a_determinant_needs_it_positive() -> None:
    a = np.array([[[2.0, 1.0], [0.0, 3.0]], [[0.0, 1.0], [1.0, 0.0]]])
    assert logdet(a)[0] == pytest.approx(math.log(6))
    assert np.isnan(logdet(a)[1])
    assert np.allclose(inverse_turned(a), np.swapaxes(np.linalg.inv(a), -1, -2))
