"""Random inputs for any forward message: kinds of values on which wrong answers show.

The mixture is max pooling's (engine/trials.py): distinct steps, repeats with zeros, all negative,
Gaussian, gaps of 1e-9, constant, large.  Where the message bends its inputs (exp, log, division),
they stay small: a saturated function hides every mistake.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, TypeAlias

import numpy as np

from engine.formula.axes import Array
from engine.given.model import Span

Kind: TypeAlias = Literal["real", "positive", "unit", "distribution", "one-hot", "binary", "index"]
#: What a card may say of an input, each with what it means.
KINDS: Final[dict[str, str]] = {
    "real": "any number",
    "positive": "above 0",
    "unit": "between 0 and 1",
    "distribution": "at least 0, summing to 1",
    "one-hot": "one 1, all others 0",
    "binary": "0 or 1",
    "index": "the number of an entry",
}
Shape: TypeAlias = tuple[int, ...]
Fill: TypeAlias = Callable[[np.random.Generator, int, int, bool], Array]


#: The spans of kinds: what a card assumes narrows them.
SPANS: Final = {"real": Span(), "positive": Span(0.0), "unit": Span(0.0, 1.0)}


def _ranks(rng: np.random.Generator, rows: int, cells: int) -> Array:
    ranks = np.tile(np.arange(cells, dtype=np.float64), (rows, 1))
    return np.asarray(rng.permuted(ranks, axis=1))


def _step(cells: int, gentle: bool) -> float:
    return min(0.5, 4 / cells) if gentle else 1.0


def _distinct(rng: np.random.Generator, rows: int, cells: int, gentle: bool) -> Array:
    shift = rng.integers(-1, cells + 1, (rows, 1)) - rng.choice([0.0, 0.25, 0.5], (rows, 1))
    return np.asarray((_ranks(rng, rows, cells) - shift) * _step(cells, gentle))


def _repeats(rng: np.random.Generator, rows: int, cells: int, gentle: bool) -> Array:
    return rng.integers(-2, 3, (rows, cells)) * (0.5 if gentle else 1.0)


def _negative(rng: np.random.Generator, rows: int, cells: int, gentle: bool) -> Array:
    return -(_ranks(rng, rows, cells) + 1) * _step(cells, gentle)


def _gaussian(rng: np.random.Generator, rows: int, cells: int, gentle: bool) -> Array:
    del gentle
    return rng.normal(size=(rows, cells))


def _gaps(rng: np.random.Generator, rows: int, cells: int, gentle: bool) -> Array:
    del gentle
    # Around 0, whoever divides by them would lose all digits.
    return rng.choice([-2.0, -1.0, 1.0, 2.0], (rows, 1)) + _ranks(rng, rows, cells) * 1e-9


def _constant(rng: np.random.Generator, rows: int, cells: int, gentle: bool) -> Array:
    del gentle
    return np.repeat(rng.integers(-2, 3, (rows, 1)) * 0.5, cells, axis=1)


def _large(rng: np.random.Generator, rows: int, cells: int, gentle: bool) -> Array:
    return _distinct(rng, rows, cells, gentle) * (3.0 if gentle else 1e6)


#: The share of each in percent, and how it is drawn.
MIXTURE: Final[dict[str, tuple[int, Fill]]] = {
    "distinct": (35, _distinct),
    "repeats": (25, _repeats),
    "negative": (15, _negative),
    "gaussian": (10, _gaussian),
    "gaps": (8, _gaps),
    "constant": (4, _constant),
    "large": (3, _large),
}


def draw(
    rng: np.random.Generator,
    kind: str,
    rows: int,
    shape: Shape,
    gentle: bool,
    most: int,
    axis: int,
    only: str | None = None,
) -> Array:
    """Draw `rows` inputs of one kind: (rows, *shape).

    `most` is how many entries an index may name, `axis` the one that a distribution sums over.
    `only` takes one part of the mixture in place of all, or "each", as many of each.
    """
    cells = int(np.prod(shape))
    if kind == "index":
        return rng.integers(0, most, (rows, *shape)).astype(np.float64)
    if kind == "binary":
        return rng.integers(0, 2, (rows, *shape)).astype(np.float64)
    if kind == "unit":
        return rng.integers(1, 20, (rows, *shape)) / 20
    if kind in ("one-hot", "distribution"):
        hot = _one_hot(rng, rows, shape, axis)
        if kind == "one-hot":
            return hot
        weights = rng.integers(0, 5, (rows, *shape)) + hot
        spread = weights / weights.sum(axis=axis + 1, keepdims=True)
        soft = rng.random((rows, *[1] * len(shape))) < 0.6
        return np.asarray(np.where(soft, spread, hot))
    real = _real(rng, rows, cells, gentle, only).reshape(rows, *shape)
    if kind == "positive":
        return np.abs(real) + np.where(np.abs(real) < 0.1, 0.5, 0.0)
    return real


def _real(rng: np.random.Generator, rows: int, cells: int, gentle: bool, only: str | None) -> Array:
    shares = np.array([share for share, _ in MIXTURE.values()]) / 100
    if only is None:
        names = rng.choice(list(MIXTURE), size=rows, p=shares)
    else:
        names = rng.permutation(np.resize(list(MIXTURE) if only == "each" else [only], rows))
    found = np.empty((rows, cells))
    for name, (_, fill) in MIXTURE.items():
        here = np.flatnonzero(names == name)
        if here.size:
            found[here] = fill(rng, here.size, cells, gentle)
    return found


def _one_hot(rng: np.random.Generator, rows: int, shape: Shape, axis: int) -> Array:
    length = shape[axis]
    others = [size for place, size in enumerate(shape) if place != axis]
    at = rng.integers(0, length, (rows, *others))
    return np.moveaxis(np.eye(length)[at], -1, axis + 1)


def messages(rng: np.random.Generator, rows: int, shape: Shape) -> Array:
    """Upstream messages: signed quarters, distinct and none whole; in one of eight some are 0."""
    cells = int(np.prod(shape))
    ranks = _ranks(rng, rows, cells)
    sign = rng.choice([-1.0, 1.0], (rows, cells))
    found = sign * (ranks // 3 + (ranks % 3 + 1) / 4)
    blank = (rng.random((rows, 1)) < 1 / 8) & (rng.random((rows, cells)) < 1 / 2)
    return np.asarray(np.where(blank, 0.0, found)).reshape(rows, *shape)


#: Values from plain to odd, for counterexamples.
PLAIN: Final = (1.0, 2.0, -1.0, 0.0, 3.0, -2.0)


def listed(kind: str, shape: Shape, most: int, axis: int) -> Array:
    """Small inputs of one kind from plain to odd: (n, *shape)."""
    cells = int(np.prod(shape))
    rng = np.random.default_rng(cells)
    if kind in ("index", "binary", "one-hot", "distribution"):
        return draw(rng, kind, 4, shape, True, most, axis)
    values = np.array(PLAIN)
    if kind in ("positive", "unit"):
        values = np.array([1.0, 2.0, 3.0, 0.5]) / (4 if kind == "unit" else 1)
    ranks = values[np.arange(cells) % len(values)]
    rows = [ranks, np.full(cells, values[0]), ranks[::-1]]
    if kind == "real":
        rows += [np.full(cells, -1.0), np.arange(1.0, cells + 1), -ranks, np.zeros(cells)]
    return np.stack(rows).reshape(-1, *shape)
