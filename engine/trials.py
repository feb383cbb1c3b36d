"""Random inputs that hurt: geometries and kinds of values on which wrong answers show.

Gaussian inputs on one geometry never catch a forgotten stride, a zero padding or a tie.  Here a
trial is a geometry (overlap, padding, left-over pixels, ...) and a kind of input (repeats, all
negative, nearly equal, ...); the trials of one geometry make one batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from engine import subgradient
from engine.geometries import Geometry
from engine.maxpool import MaxPool, Ties
from engine.windows import Array, Mask, Pair


@dataclass(frozen=True, eq=False)
class Batch:
    """B inputs of one geometry, each with its upstream message."""

    kernel: Pair
    stride: Pair
    padding: Pair
    x: Array
    """(B, H, W)"""
    delta: Array
    """(B, Ho, Wo): dL/df"""
    kinds: tuple[str, ...]
    """What sort of input each of the B is, a key of `KINDS`."""
    unmet: tuple[str, ...] = ()
    """Sides of an answer's comparisons on which no input was found."""

    @property
    def layer(self) -> MaxPool:
        """The pooling itself, first maximum at ties, with `x` already forwarded."""
        return self._passed[0]

    @property
    def f(self) -> Array:
        """(B, Ho, Wo): the forward message."""
        return self._passed[1]

    @cached_property
    def _passed(self) -> tuple[MaxPool, Array]:
        layer = MaxPool(self.kernel, self.stride, self.padding)
        return layer, layer.forward(self.x)

    def jacobian(self, ties: Ties) -> Array:
        """(B, Ho, Wo, H, W): df/dx under a tie policy."""
        if ties not in self._jacobians:
            layer = MaxPool(self.kernel, self.stride, self.padding, ties)
            self._jacobians[ties] = layer.jacobian(self.x)
        return self._jacobians[ties]

    @cached_property
    def _jacobians(self) -> dict[Ties, Array]:
        return {}

    @cached_property
    def dx(self) -> Array:
        """(B, H, W): the backward message, to the first maximum at ties."""
        return self.layer.backward(self.delta)

    @cached_property
    def inside(self) -> Mask:
        """(Ho, Wo, H, W): whether (i, j) is in Omega(k, l)."""
        return self.layer.tied(np.zeros(self.x.shape[-2:]))

    @cached_property
    def overlaps(self) -> bool:
        """Whether some input lies in two windows."""
        return bool((self.inside.sum(axis=(0, 1)) > 1).any())

    @cached_property
    def tied(self) -> Mask:
        """(B, Ho, Wo, H, W): whether (i, j) is a maximum of window (k, l)."""
        return self.layer.tied(self.x)

    @cached_property
    def contested(self) -> Mask:
        """(B, Ho, Wo, H, W): whether it shares that maximum with another."""
        flat = self.tied.reshape(*self.tied.shape[:3], -1)
        return subgradient.contested(flat).reshape(self.tied.shape)

    @cached_property
    def largest(self) -> Array:
        """(B,): the most that the messages at one input could have added up to."""
        tied = self.tied.reshape(len(self.x), -1, self.x[0].size)
        slack = subgradient.margin(self.delta.reshape(len(self.x), -1), tied)
        most: Array = slack / subgradient.TOLERANCE
        return most


Fill: TypeAlias = Callable[[np.random.Generator, tuple[int, int, int]], Array]


def _distinct(rng: np.random.Generator, shape: tuple[int, int, int]) -> Array:
    ranks = rng.permuted(np.tile(np.arange(shape[1] * shape[2]), (shape[0], 1)), axis=1)
    return ranks.reshape(shape) - float(shape[1] * shape[2] // 2)


def _repeats(rng: np.random.Generator, shape: tuple[int, int, int]) -> Array:
    return rng.integers(-2, 3, shape).astype(np.float64)


def _negative(rng: np.random.Generator, shape: tuple[int, int, int]) -> Array:
    return _distinct(rng, shape) - float(shape[1] * shape[2])


def _gaussian(rng: np.random.Generator, shape: tuple[int, int, int]) -> Array:
    return rng.standard_normal(shape)


def _gaps(rng: np.random.Generator, shape: tuple[int, int, int]) -> Array:
    # A third of them closer still, for whoever takes "near" to be 1e-10 or 1e-12.
    gap = rng.choice([1e-9, 1e-9, 7e-13], (shape[0], 1, 1))
    return 1.0 + gap * _distinct(rng, shape)


def _constant(rng: np.random.Generator, shape: tuple[int, int, int]) -> Array:
    return np.broadcast_to(rng.integers(-2, 3, (shape[0], 1, 1)).astype(np.float64), shape).copy()


def _large(rng: np.random.Generator, shape: tuple[int, int, int]) -> Array:
    # Half of them beyond what a maximum is begun at: -1e9, the least integer, the least of 32 bits.
    found = _distinct(rng, shape)
    return found * np.where(found[:, :1, :1] % 2 == 0, 1e40, 1e6)


#: Kinds of input: the share of each in the mixture, in percent, and how it is drawn.
KINDS: dict[str, tuple[int, Fill]] = {
    "distinct": (35, _distinct),
    "repeats": (25, _repeats),
    "negative": (15, _negative),
    "gaussian": (10, _gaussian),
    "gaps": (8, _gaps),
    "constant": (4, _constant),
    "large": (3, _large),
}


def batches(geometries: Iterable[Geometry], seed: int, trials: int) -> list[Batch]:
    """Draw `trials` inputs, dealt evenly over the geometries, one batch for each.

    The same geometries, seed and number of trials give the same inputs.
    """
    geometries = tuple(geometries)
    least, extra = divmod(trials, len(geometries))
    counts = [least + (n < extra) for n in range(len(geometries))]
    return [
        draw(geometry, np.random.default_rng([seed, n]), count)
        for n, (geometry, count) in enumerate(zip(geometries, counts, strict=True))
        if count
    ]


def draw(geometry: Geometry, rng: np.random.Generator, count: int) -> Batch:
    """Draw one batch of `count` inputs of one geometry from the mixture of `KINDS`."""
    shares = np.array([share for share, _ in KINDS.values()]) / 100
    return _filled(geometry, rng, [str(k) for k in rng.choice(list(KINDS), size=count, p=shares)])


def draw_each(geometry: Geometry, rng: np.random.Generator) -> Batch:
    """Draw one batch with an input of each of `KINDS`, and one with large values that repeat."""
    batch = _filled(geometry, rng, [*KINDS, "repeats"])
    batch.x[-1] *= 50
    return batch


def _filled(geometry: Geometry, rng: np.random.Generator, kinds: Sequence[str]) -> Batch:
    count = len(kinds)
    x = np.empty((count, *geometry.size))
    for kind, (_, fill) in KINDS.items():
        rows = [n for n, of in enumerate(kinds) if of == kind]
        if rows:
            x[rows] = fill(rng, (len(rows), *geometry.size))
    return Batch(
        kernel=geometry.kernel,
        stride=geometry.stride,
        padding=geometry.padding,
        x=x,
        delta=_deltas(rng, (count, *geometry.windows)),
        kinds=tuple(kinds),
    )


def _deltas(rng: np.random.Generator, shape: tuple[int, int, int]) -> Array:
    """Distinct signed quarters, none a whole number: sums are exact, and a cast to int shows.

    In one input of eight some of them are 0 instead, for whoever divides by them.
    """
    windows = shape[1] * shape[2]
    ranks = rng.permuted(np.tile(np.arange(windows), (shape[0], 1)), axis=1)
    sign = rng.choice([-1.0, 1.0], (shape[0], windows))
    quarters = np.array([1, 2, 3])[ranks % 3] / 4
    deltas: Array = (sign * (ranks // 3 + quarters)).reshape(shape)
    blank = (rng.random((shape[0], 1, 1)) < 1 / 8) & (rng.random(shape) < 1 / 2)
    return np.where(blank, 0.0, deltas)
