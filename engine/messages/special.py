"""The gamma function and its relatives, and densities, with their slopes."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np

from engine.formula.axes import Array

# -- lgamma and what it is the logarithm of; NumPy has none of these.


def _lgamma(a: float) -> float:
    if math.isnan(a):
        return a
    if a <= 0 and float(a).is_integer():
        return math.inf  # a pole
    try:
        return math.lgamma(a)
    except OverflowError:
        return math.inf


#: log |gamma(a)|; infinite at the poles 0, -1, -2, ...
lgamma: Final[Callable[[Array], Array]] = np.vectorize(_lgamma, otypes=[np.float64])


def _gamma(a: float) -> float:
    if math.isnan(a) or (a <= 0 and float(a).is_integer()) or a == -math.inf:
        return math.nan
    try:
        return math.gamma(a)
    except OverflowError:
        return math.inf


#: gamma(a); NaN at its poles.
gamma: Final[Callable[[Array], Array]] = np.vectorize(_gamma, otypes=[np.float64])


def _sign(a: Array) -> Array:
    """The sign of gamma(a), which alternates between its poles."""
    return np.where((a < 0) & (np.floor(a) % 2 != 0), -1.0, 1.0)


#: B_2, B_4, ...: the Bernoulli numbers (Abramowitz and Stegun, "Handbook of Mathematical
#: Functions", 1964, table 23.2).
_BERNOULLI: Final = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
#: From here on the asymptotic series has all digits; so many steps lead here at the most.
_LARGE: Final = 12.0
_STEPS: Final = 200


def polygamma(order: int, a: Array) -> Array:
    """The derivative of digamma of some order, 0 for digamma itself; NaN at poles, and below -188.

    The asymptotic series of Abramowitz and Stegun, 6.3.18 and 6.4.11, where a is large; the
    recurrences 6.3.5 and 6.4.6 lead there.
    """
    at = np.array(a, dtype=np.float64)
    found = np.zeros(at.shape)
    sign = -1.0 if order % 2 else 1.0
    for _ in range(_STEPS):
        small = at < _LARGE
        if not small.any():
            break
        step = sign * math.factorial(order) / np.where(small, at, 1.0) ** (order + 1)
        found = np.where(small, found - step, found)
        at = np.where(small, at + 1.0, at)
    if order == 0:
        series = np.log(at) - 0.5 / at
    else:
        series = math.factorial(order - 1) / at**order + math.factorial(order) / 2 / at ** (
            order + 1
        )
    for n, number in enumerate(_BERNOULLI):
        k = 2 * n + 2
        series = series + (-1.0 if order == 0 else 1.0) * (
            number * math.factorial(k + order - 1) / math.factorial(k) / at ** (k + order)
        )
    found = found + (series if order == 0 else -sign * series)
    return np.where((at < _LARGE) | ~np.isfinite(found), np.nan, found)


digamma: Final = partial(polygamma, 0)
trigamma: Final = partial(polygamma, 1)
tetragamma: Final = partial(polygamma, 2)


def factorial(a: Array) -> Array:
    """gamma(a + 1): a! of a whole number."""
    return gamma(a + 1.0)


def _factorial_slope(a: Array) -> Array:
    return np.asarray(gamma(a + 1.0) * digamma(a + 1.0))


def logit(p: Array) -> Array:
    """log(p / (1 - p)), whose inverse is the sigmoid."""
    return np.asarray(np.log(p) - np.log1p(-p))


Function = Callable[[Array], Array]
#: Functions of one number: the value and the derivative.
OF_ONE: Final[dict[str, tuple[Function, Function]]] = {
    "lgamma": (lgamma, digamma),
    "digamma": (digamma, trigamma),
    "trigamma": (trigamma, tetragamma),
    "tetragamma": (tetragamma, partial(polygamma, 3)),
    "gamma": (gamma, lambda a: gamma(a) * digamma(a)),
    "factorial": (factorial, _factorial_slope),
    "logit": (logit, lambda p: 1.0 / (p * (1.0 - p))),
}

# -- Functions of several numbers.


def beta(a: Array, b: Array) -> Array:
    """gamma(a) gamma(b) / gamma(a + b), the integral of t^(a-1) (1-t)^(b-1) from 0 to 1."""
    size = np.exp(lgamma(a) + lgamma(b) - lgamma(a + b))
    return np.asarray(_sign(a) * _sign(b) * _sign(a + b) * size)


def binom(n: Array, k: Array) -> Array:
    """How many ways there are to choose k of n, gamma(n+1) / gamma(k+1) / gamma(n-k+1)."""
    a, b, c = n + 1.0, k + 1.0, n - k + 1.0
    found = _sign(a) * _sign(b) * _sign(c) * np.exp(lgamma(a) - lgamma(b) - lgamma(c))
    whole = (n == np.floor(n)) & (k == np.floor(k)) & (np.abs(found) < 2.0**40)
    return np.asarray(np.where(whole, np.rint(found), found))


def normal(x: Array, m: Array, v: Array) -> Array:
    """The density of a normal distribution with mean m and variance v; NaN where v <= 0."""
    return np.asarray(np.exp(-((x - m) ** 2) / (2.0 * v)) / np.sqrt(2.0 * math.pi * v))


def poisson(k: Array, rate: Array) -> Array:
    """The probability of k events where `rate` are expected: rate^k exp(-rate) / k!."""
    return np.asarray(np.exp(k * np.log(rate) - rate - lgamma(k + 1.0)))


#: Their derivatives are formulas, `slopes.PARTIALS`.
OF_SEVERAL: Final[dict[str, Callable[..., Array]]] = {
    "beta": beta,
    "binom": binom,
    "normal": normal,
    "poisson": poisson,
}

# -- Determinants.  `a` is (..., n, n).


def cofactors(a: Array) -> Array:
    """The derivative of det(a) by each entry, also where a has no inverse: (..., n, n).

    With a = U S V^T it is det(U) det(V) U S' V^T, where each diagonal entry of S' is the product of
    all others of S.
    """
    u, s, vt = np.linalg.svd(a)
    size = s.shape[-1]
    others = np.where(np.eye(size, dtype=np.bool_), 1.0, s[..., None, :]).prod(axis=-1)
    sign = np.linalg.det(u) * np.linalg.det(vt)
    return np.asarray(sign[..., None, None] * ((u * others[..., None, :]) @ vt))


def logdet(a: Array) -> Array:
    """log(det(a)); NaN where the determinant is not above 0."""
    sign, size = np.linalg.slogdet(a)
    return np.asarray(np.where(sign > 0, size, np.nan))


def inverse_turned(a: Array) -> Array:
    """The derivative of log(det(a)) by each entry: the inverse, transposed."""
    u, s, vt = np.linalg.svd(a)
    return np.asarray((u / s[..., None, :]) @ vt)


DETERMINANTS: Final[dict[str, tuple[Function, Function]]] = {
    "det": (np.linalg.det, cofactors),
    "logdet": (logdet, inverse_turned),
}
