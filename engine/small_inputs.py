"""Small inputs from plain to odd, on which counterexamples are looked for."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Final

import numpy as np

from engine.geometries import Geometry
from engine.trials import Batch
from engine.windows import Array

#: Values from plain to odd; the last two are runners-up to 1 that "near-equal" takes for it.
VALUES: Final = (0.0, 1.0, -1.0, 2.0, 1.0 - 1e-9, 1.0 - 1e-12)
_PLAIN: Final = 4
#: At most so many inputs of a geometry are listed; of larger ones so many are drawn.
_LISTED: Final = 256
_FEW: Final = 32
#: So many of a few inputs are also tried with the messages that have signs.
_SIGNED: Final = 4


@lru_cache(maxsize=64)
def few(geometry: Geometry) -> Batch:
    """Inputs that tell nearly all wrong answers: ties, signs, every order, values close together.

    Of up to three inputs all patterns of ties, with one value below 0, are among them.
    """
    cells = geometry.size[0] * geometry.size[1]
    plain = _plainest(cells, 3 if cells == 3 else _PLAIN)[:_FEW]
    ranks = _ranks(cells)
    near = 1.0 - np.array([[1e-9], [1e-12]]) * np.arange(cells)
    odd = [near, near[:, ::-1]] if cells > 1 else []
    again = [plain[:_SIGNED], ranks]
    x = np.concatenate([plain, ranks, *odd, *again, ranks[:1]])
    which = np.zeros(len(x), dtype=int)
    which[-sum(map(len, again)) - 1 :] = 1
    which[-1] = 2
    return _batch(geometry, x, _messages(geometry)[which])


@lru_cache(maxsize=64)
def many(geometry: Geometry) -> Batch:
    """All inputs of a few values, or if these are too many, some, each with two messages."""
    cells = geometry.size[0] * geometry.size[1]
    values = len(VALUES) if len(VALUES) ** cells <= _LISTED else _PLAIN
    x = np.concatenate([_plainest(cells, values), _ranks(cells)])
    messages = np.repeat(_messages(geometry)[:2], len(x), axis=0)
    return _batch(geometry, np.concatenate([x, x]), messages)


def _plainest(cells: int, values: int) -> Array:
    """(N, cells): inputs of the first so many values, the plainest first."""
    if values**cells <= _LISTED:
        picks = np.array(list(product(range(values), repeat=cells)))
    else:
        picks = np.random.default_rng(cells).integers(0, values, (_LISTED, cells))
    # Stable: among equally plain inputs the first listed stays first.
    order = np.argsort((picks**2).sum(axis=1), kind="stable")
    x: Array = np.array(VALUES)[picks[order]]
    return x


def _ranks(cells: int) -> Array:
    rising = np.arange(1.0, cells + 1)
    return np.stack([rising, -rising])


def _messages(geometry: Geometry) -> Array:
    """(3, Ho, Wo): powers of ten, then some with signs, then with zeros."""
    count = geometry.windows[0] * geometry.windows[1]
    # Powers of ten can be told apart in any sum of them; the others show a sign, and a plain 1.
    plain = 10.0 ** np.arange(count)
    signed = np.where(np.arange(count) % 2, -1.0, 1.0) * np.arange(2, count + 2)
    blank = np.where(np.arange(count) % 2, signed, 0.0)
    return np.stack([plain, signed, blank]).reshape(3, *geometry.windows)


def _batch(geometry: Geometry, x: Array, delta: Array) -> Batch:
    return Batch(
        kernel=geometry.kernel,
        stride=geometry.stride,
        padding=geometry.padding,
        x=x.reshape(-1, *geometry.size),
        delta=delta,
        kinds=("small",) * len(x),
    )
