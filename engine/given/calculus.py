"""Functions of numbers with their derivatives, and the operators of arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from engine.formula.axes import Array

Function = Callable[[Array], Array]

_erf: Final[Function] = np.vectorize(math.erf, otypes=[np.float64])


def sigmoid(a: Array) -> Array:
    """1 / (1 + exp(-a)), without overflow on either side."""
    small = np.exp(-np.abs(a))
    return np.asarray(np.where(a >= 0, 1.0, small) / (1.0 + small))


def _softplus(a: Array) -> Array:
    return np.asarray(np.maximum(a, 0.0) + np.log1p(np.exp(-np.abs(a))))


def _sigmoid_slope(a: Array) -> Array:
    small = np.exp(-np.abs(a))
    return np.asarray(small / (1.0 + small) ** 2)


#: Smooth functions: the value and the derivative, each of the argument.
SMOOTH: Final[dict[str, tuple[Function, Function]]] = {
    "exp": (np.exp, np.exp),
    "log": (np.log, lambda a: 1.0 / a),
    "sqrt": (np.sqrt, lambda a: 0.5 / np.sqrt(a)),
    "sin": (np.sin, np.cos),
    "cos": (np.cos, lambda a: -np.sin(a)),
    "tanh": (np.tanh, lambda a: 1.0 / np.cosh(np.clip(a, -350, 350)) ** 2),
    "sinh": (np.sinh, np.cosh),
    "cosh": (np.cosh, np.sinh),
    "sech": (lambda a: 1.0 / np.cosh(a), lambda a: -np.tanh(a) / np.cosh(a)),
    "sigmoid": (sigmoid, _sigmoid_slope),
    "softplus": (_softplus, sigmoid),
    "erf": (_erf, lambda a: 2.0 / math.sqrt(math.pi) * np.exp(-a * a)),
}

#: Functions with a slope that they do not have, by names that nobody can type: see `slips`.
SLIPPED: Final[dict[str, tuple[Function, Function]]] = {
    "held": (lambda a: a, np.zeros_like),
    "tanh": (np.tanh, lambda a: 1.0 - np.tanh(a)),
    "tanh itself": (np.tanh, np.tanh),
    "tanh as sigmoid": (np.tanh, lambda a: np.tanh(a) * (1.0 - np.tanh(a))),
    "tanh at its value": (np.tanh, lambda a: 1.0 - np.tanh(np.tanh(a)) ** 2),
    "sigmoid itself": (sigmoid, sigmoid),
    "sigmoid": (sigmoid, lambda a: 1.0 - sigmoid(a)),
    "sigmoid squared": (sigmoid, lambda a: sigmoid(a) ** 2),
    "sigmoid as tanh": (sigmoid, lambda a: 1.0 - sigmoid(a) ** 2),
    "sigmoid at its value": (sigmoid, lambda a: _sigmoid_slope(sigmoid(a))),
    "exp at its value": (np.exp, lambda a: np.exp(np.exp(a))),
    "log itself": (np.log, np.log),
    "sqrt": (np.sqrt, lambda a: 1.0 / np.sqrt(a)),
    "sin": (np.sin, lambda a: -np.cos(a)),
    "cos": (np.cos, np.sin),
    "softplus": (_softplus, _softplus),
    "erf": (_erf, lambda a: np.exp(-a * a)),
}
SMOOTH.update({f"~{name}": pair for name, pair in SLIPPED.items()})
#: The same with the slope 1: what is inside is differentiated, the function is forgotten.
SMOOTH.update({f"~{name} 1": (pair[0], np.ones_like) for name, pair in [*SMOOTH.items()]})

#: Functions with a kink at 0: the value, and the derivative left and right of it.
KINKED: Final[dict[str, tuple[Function, float, float]]] = {
    "abs": (np.abs, -1.0, 1.0),
    "relu": (lambda a: np.maximum(a, 0.0), 0.0, 1.0),
}

#: Functions that stand still between jumps: the value left of a place, there, and right of it.
STEPS: Final[dict[str, tuple[Function, Function, Function]]] = {
    "sign": (lambda a: np.where(a > 0, 1.0, -1.0), np.sign, lambda a: np.where(a < 0, -1.0, 1.0)),
    "floor": (lambda a: np.ceil(a) - 1.0, np.floor, np.floor),
    "ceil": (np.ceil, np.ceil, lambda a: np.floor(a) + 1.0),
}

ARITHMETIC: Final[dict[str, Callable[..., Any]]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "//": np.floor_divide,
    "%": np.mod,
    "^": np.power,
}
RELATIONS: Final[dict[str, Callable[..., Any]]] = {
    "==": np.equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    # An undefined value is neither equal to another nor different from it.
    "!=": lambda a, b: (a < b) | (a > b),
}


def partials(op: str, left: Array, right: Array, value: Array) -> tuple[Array, Array]:
    """d value / d left and d value / d right of `left op right`."""
    one = np.ones(())
    match op:
        case "+":
            return one, one
        case "-":
            return one, -one
        case "*":
            return right, left
        case "/":
            return 1.0 / right, -value / right
        case "^":
            # 0^0 = 1 has slope 0, as a power of 0 does not move.
            base = np.where(right == 0, 0.0, right * np.power(left, right - 1.0))
            return base, value * np.log(np.where(left == 0, 1.0, left))
    raise AssertionError(op)
