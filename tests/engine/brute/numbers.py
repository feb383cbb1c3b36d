"""Arithmetic of floats as IEEE 754 has it (Python would raise), and folds over lists of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import eq, ge, gt, le, lt, ne
from typing import Final

NAN: Final = math.nan


def divided(a: float, b: float) -> float:
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a) or math.isnan(b):
        return NAN
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def floored(a: float, b: float) -> float:
    if b == 0 or math.isinf(a) or math.isnan(a) or math.isnan(b):
        return divided(a, b) if b == 0 else NAN
    return float(a // b)


def remainder(a: float, b: float) -> float:
    return NAN if b == 0 or not math.isfinite(a) or math.isnan(b) else a % b


def power(a: float, b: float) -> float:
    try:
        return math.pow(a, b)
    except OverflowError:
        return -math.inf if a < 0 and b % 2 == 1 else math.inf
    except ValueError:
        return math.inf if a == 0 else NAN


def _exp(a: float) -> float:
    return math.inf if a > 709.78 else math.exp(a)


def _log(a: float) -> float:
    return -math.inf if a == 0 else (math.log(a) if a > 0 else NAN)


def _rounded(function: Callable[[float], int]) -> Callable[[float], float]:
    return lambda a: float(function(a)) if math.isfinite(a) else a


def _sign(a: float) -> float:
    return NAN if math.isnan(a) else float((a > 0) - (a < 0))


def largest(*values: float) -> float:
    return NAN if any(map(math.isnan, values)) else max(values)


def smallest(*values: float) -> float:
    return NAN if any(map(math.isnan, values)) else min(values)


CALCULATIONS: Final[dict[str, Callable[[float, float], float]]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": divided,
    "//": floored,
    "%": remainder,
    "^": power,
}
FUNCTIONS: Final[dict[str, Callable[..., float]]] = {
    "abs": abs,
    "exp": _exp,
    "log": _log,
    "sqrt": lambda a: math.sqrt(a) if a >= 0 else NAN,
    "sign": _sign,
    "tanh": math.tanh,
    "relu": lambda a: largest(a, 0.0),
    "floor": _rounded(math.floor),
    "ceil": _rounded(math.ceil),
    "sigmoid": lambda a: 1 / (1 + _exp(-a)),
    "softplus": lambda a: math.log1p(_exp(-abs(a))) + max(a, 0.0),
    "erf": math.erf,
    "sin": lambda a: math.sin(a) if math.isfinite(a) else NAN,
    "cos": lambda a: math.cos(a) if math.isfinite(a) else NAN,
    "sinh": lambda a: math.copysign((_exp(abs(a)) - _exp(-abs(a))) / 2, a),
    "cosh": lambda a: (_exp(a) + _exp(-a)) / 2,
    "sech": lambda a: 2 / (_exp(a) + _exp(-a)),
    "kron": lambda a, b: NAN if math.isnan(a + b) else float(a == b),
    "max": largest,
    "min": smallest,
}


def _related(relation: Callable[[float, float], bool]) -> Callable[[float, float], bool | None]:
    """None, where a number is undefined: nobody can say."""
    return lambda a, b: None if math.isnan(a) or math.isnan(b) else relation(a, b)


RELATIONS: Final[dict[str, Callable[[float, float], bool | None]]] = {
    sign: _related(relation)
    for sign, relation in zip(
        ("==", "!=", "<", "<=", ">", ">="), (eq, ne, lt, le, gt, ge), strict=True
    )
}


def folded(kind: str, values: list[float]) -> float:
    """sum, count, prod, mean, max or min of a list: of nothing 0, 0, 1, undefined, -inf, inf."""
    if kind == "count":
        return float(len(values))
    if kind == "sum":
        return sum(values, 0.0)
    if kind == "prod":
        return math.prod(values)
    if kind == "mean":
        return sum(values, 0.0) / len(values) if values else NAN
    if not values:
        return -math.inf if kind == "max" else math.inf
    return largest(*values) if kind == "max" else smallest(*values)
