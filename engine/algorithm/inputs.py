"""What a card says of an input, "index(M)[n]": a kind and its dimensions; and inputs as drawn."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from engine.exercise import ExerciseError
from engine.formula.axes import Array
from engine.messages.inputs import KINDS as COMMON

# -- Kinds and dimensions.


#: The largest size that is compared.
LARGEST: Final = 8
#: Each with what it means.
KINDS: Final[dict[str, str]] = {
    **{kind: COMMON[kind] for kind in ("real", "unit", "one-hot", "binary")},
    "positive": "above 0",
    "large": "any number, of a size up to some thousands",
    "distribution": "above 0, summing to 1",
    "stochastic": "above 0, each row summing to 1",
    "symmetric": "a symmetric matrix",
    "posdef": "a symmetric matrix, positive definite",
    "sign": "1 or -1",
    "integer": "a whole number",
    "counts": "a whole number of at least 0",
    "permutation": "the numbers from 0 on, each once, in any order",
    "index": "a whole number from 0 on",
}
#: NumPy has them as whole numbers.
WHOLE: Final = frozenset(("integer", "counts", "permutation", "index", "size"))
_SUMMING: Final = frozenset(("distribution", "stochastic"))
SQUARE: Final = frozenset(("symmetric", "posdef"))
#: What the last digits of may be moved.
MOVABLE: Final = frozenset(("real", "unit", "positive", "large")) | _SUMMING | SQUARE
_MAY_BE_ZERO: Final = frozenset(("real", "large", "symmetric"))
_DIMENSION: Final = re.compile(r"([A-Za-z]\w*)?\s*([+-]?\s*\d+)?")
_INPUT: Final = re.compile(r"([a-z-]+)\s*(?:\(([^()]*)\))?\s*(?:\[([^\[\]]*)\])?")


@dataclass(frozen=True, slots=True)
class Dimension:
    """A size letter with a number added, as in n+1, or a number alone."""

    letter: str
    more: int = 0

    def of(self, sizes: Mapping[str, int]) -> int:
        return sizes.get(self.letter, 0) + self.more

    def __str__(self) -> str:
        return (
            f"{self.letter}{self.more:+d}"
            if self.letter and self.more
            else self.letter or (str(self.more))
        )


@dataclass(frozen=True, slots=True)
class Input:
    kind: str
    dimensions: tuple[Dimension, ...] = ()
    most: Dimension | None = None
    """Of an index, what it is below."""

    @property
    def every(self) -> tuple[Dimension, ...]:
        return (*self.dimensions, *((self.most,) if self.most else ()))

    def shape(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        return tuple(one.of(sizes) for one in self.dimensions)

    @property
    def told(self) -> str:
        if self.kind == "size":
            return "a size: a whole number from 1 on"
        return KINDS[self.kind] + (f" to {self.most} - 1" if self.most else "")


def input_of(name: str, said: str) -> Input:
    if said.strip() == "size":
        return Input("size", (Dimension(name),))
    found = _INPUT.fullmatch(said.strip())
    kinds = ", ".join(("size", *KINDS))
    if found is None or found[1] not in KINDS:
        raise ExerciseError(
            f"exercise: inputs: {name} is {said!r}: one of {kinds} is allowed, with dimensions "
            "as in real[N,D], and index(M)[n] for numbers below M."
        )
    kind, most, told = found.groups()
    dimensions = tuple(_dimension(name, one) for one in told.split(",")) if told else ()
    if (most is None) != (kind != "index"):
        raise ExerciseError(
            f"exercise: inputs: {name} is {said!r}: index(M) says below which number it is, "
            "and no other kind does."
        )
    square = len(dimensions) == 2 and dimensions[0] == dimensions[1]
    if kind in SQUARE and not square:
        raise ExerciseError(f"exercise: inputs: {name} is {said!r}: {kind}[D,D] is allowed.")
    if not dimensions and kind in ("distribution", "stochastic", "one-hot", "permutation"):
        raise ExerciseError(f"exercise: inputs: {name} is {said!r}: {kind}[K] is allowed.")
    return Input(kind, dimensions, _dimension(name, most) if most else None)


def _dimension(name: str, said: str) -> Dimension:
    found = _DIMENSION.fullmatch(said.strip())
    number = int((found[2] or "0").replace(" ", "")) if found else 0
    if found is None or abs(number) > LARGEST or not (found[1] or number >= 1):
        raise ExerciseError(
            f"exercise: inputs: {name} has the dimension {said.strip()!r}: a letter, n+1, or a "
            f"number up to {LARGEST} is allowed."
        )
    return Dimension(found[1] or "", number)


# -- Inputs, drawn and moved.


#: What is drawn: numbers in general; whole ones, so that some are equal; with zeros; short ones.
STYLES: Final = ("general", "general", "whole", "zeros")
SHORT: Final = "short"


def values_of(
    rng: np.random.Generator, given: Input, rows: int, sizes: Mapping[str, int], style: str
) -> Array:
    """(rows, ...) of an input."""
    shape = (rows, *given.shape(sizes))
    whole = style == "whole"
    found: Any
    match given.kind:
        case "size":
            found = np.full(rows, given.dimensions[0].of(sizes))
        case "real" | "symmetric":
            scale = rng.choice((0.3, 1.0, 3.0), size=(rows, *[1] * (len(shape) - 1)))
            found = rng.integers(-2, 3, shape) * 1.0 if whole else rng.normal(size=shape) * scale
            if style == "zeros":
                found = found * (rng.random(shape) < 0.7)
                found[rng.random(rows) < 0.3] = 0.0
        case "large":
            size = 10.0 ** rng.uniform(0, 3.3, size=(rows, *[1] * (len(shape) - 1)))
            found = np.round(rng.normal(size=shape) * size, 1)
        case "positive":
            found = rng.integers(1, 4, shape) * 1.0 if whole else np.exp(rng.normal(size=shape))
        case "unit":
            found = rng.integers(1, 4, shape) / 4 if whole else rng.uniform(0.02, 0.98, shape)
        case "distribution" | "stochastic":
            share = rng.choice((0.4, 1.0, 3.0), size=(rows, *[1] * (len(shape) - 1)))
            found = rng.integers(1, 4, shape) * 1.0 if whole else rng.gamma(share, 1, shape) + 0.01
        case "posdef":
            root = rng.integers(-1, 2, shape) * 1.0 if whole else rng.normal(size=shape)
            found = root @ root.swapaxes(-1, -2) + (0.5 + whole / 2) * np.eye(shape[-1])
        case "sign":
            found = rng.choice((-1.0, 1.0), shape)
        case "one-hot":
            found = np.eye(shape[-1])[rng.integers(shape[-1], size=shape[:-1])]
        case "binary":
            found = rng.integers(0, 2, shape) * 1.0
        case "integer":
            found = rng.integers(-4, 10, shape)
        case "counts":
            found = rng.integers(0, 6, shape)
        case "permutation":
            found = rng.permuted(np.broadcast_to(np.arange(shape[-1]), shape), axis=-1)
        case _:
            assert given.most is not None
            found = rng.integers(0, given.most.of(sizes), shape)
    if given.kind == "symmetric":
        found = (found + found.swapaxes(-1, -2)) / 2
    if style == SHORT and given.kind in ("real", "positive", "symmetric"):
        found = np.round(found, 1) + (given.kind == "positive") * 0.1
    return np.asarray(_summing(given, found))


def _summing(given: Input, found: Array) -> Array:
    return found / found.sum(axis=-1, keepdims=True) if given.kind in _SUMMING else found


#: Relative, and of a 0 absolute: far more than rounding does, and less than any input means.
_MOVE: Final = 1e-10


def moved(rng: np.random.Generator, given: Input, values: Array, zeros: bool) -> list[Array]:
    """An input with its digits moved this way and just as far the other: at a tie of two cases,
    one of these is on each side."""
    if given.kind not in MOVABLE or (zeros and given.kind not in _MAY_BE_ZERO):
        return [values, values]
    by = _MOVE * rng.choice((-1, 1), values.shape) * rng.uniform(0.5, 1.0, values.shape)
    if given.kind in SQUARE:
        by = np.triu(by) + np.triu(by, 1).swapaxes(-1, -2)
    size = values == 0 if zeros else values
    return [_summing(given, values + sign * by * size) for sign in (1, -1)]
