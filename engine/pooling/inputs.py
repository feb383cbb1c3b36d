"""Random inputs for max pooling: geometries, values, small inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product
from math import ceil, prod, sqrt
from typing import Any, Final, TypeAlias

import numpy as np

from engine.formula.tree import INPUT_INDICES, OUTPUT_INDICES
from engine.messages.borders import wholes
from engine.messages.dual import Record
from engine.messages.inputs import HUGE, MIXTURE, Words, filled, messages, mixed
from engine.messages.jacobian import Jacobian
from engine.messages.message import Message
from engine.messages.model import Reference
from engine.pooling.layer import MaxPool, Ties
from engine.pooling.windows import (
    Array,
    Mask,
    Pair,
    PoolingWindows,
    contested_inputs,
)

#: Kernel, stride and padding.
Window: TypeAlias = tuple[Pair, Pair, Pair]
#: What is asked of max pooling: the backward message dL/dx, and the Jacobian df/dx.
MESSAGE: Final = Message("f", "x", INPUT_INDICES)
JACOBIAN: Final = Jacobian("f", "x", INPUT_INDICES, OUTPUT_INDICES)

# -- Which windows over which inputs an answer is tried on, at random and from the smallest up.


#: Up to here a size is tried along both axes at once, and up to so many steps of a plain loop.
_SQUARE: Final = 10
_STEPS: Final = 40_000
_LONGEST: Final = 200


@dataclass(frozen=True, slots=True)
class Geometry:
    """A layer's window and the size of the input that it slides over."""

    kernel: Pair
    stride: Pair
    padding: Pair
    size: Pair
    """(H, W)"""

    @property
    def window(self) -> Window:
        return self.kernel, self.stride, self.padding

    @property
    def windows(self) -> Pair:
        """(Ho, Wo)"""
        rows, columns = PoolingWindows(*self.window).output_shape(*self.size)
        return rows, columns

    @property
    def steps(self) -> int:
        """What loops over the windows and their inputs take, or over these and all inputs."""
        return prod(self.windows) * max(prod(self.size), 10 * prod(self.kernel))

    @property
    def overlaps(self) -> bool:
        """Whether some input can lie in two windows."""
        axes = zip(self.windows, self.stride, self.kernel, strict=True)
        return any(count > 1 and s < k for count, s, k in axes)


#: An answer to a general card must hold for any Omega: these hold every trouble.
#: Of kh kw sh sw ph pw H W Ho Wo any two differ in some of them, either way round, with overlap
#: and without, where there are several rows of windows and where there are several columns, as far
#: as that can be: one of these put for another shows.
GENERAL: tuple[Geometry, ...] = (
    Geometry((2, 2), (2, 2), (0, 0), (4, 4)),
    Geometry((2, 2), (2, 2), (0, 0), (5, 5)),  # left-over pixels
    Geometry((2, 2), (1, 1), (0, 0), (3, 4)),  # overlap
    Geometry((3, 3), (2, 2), (0, 0), (5, 5)),  # overlap at the seams
    Geometry((3, 3), (1, 1), (1, 1), (4, 4)),  # as many windows as inputs
    Geometry((2, 2), (3, 3), (0, 0), (5, 6)),  # stride larger than the kernel
    Geometry((3, 2), (1, 2), (0, 0), (5, 4)),  # overlap along one axis
    Geometry((1, 2), (2, 1), (0, 0), (5, 4)),  # gaps along one axis, overlap along the other
    Geometry((2, 2), (2, 2), (1, 1), (2, 2)),  # padding, no overlap
    Geometry((4, 1), (4, 1), (2, 0), (9, 2)),  # a long input, padded along one axis
    Geometry((1, 4), (1, 4), (0, 2), (2, 9)),
    Geometry((4, 1), (1, 2), (2, 0), (1, 8)),
    Geometry((2, 4), (2, 3), (1, 2), (8, 1)),
    Geometry((1, 4), (4, 3), (0, 2), (6, 3)),  # gaps along one axis, padding along the other
    Geometry((2, 1), (2, 1), (1, 0), (4, 3)),
    Geometry((3, 1), (2, 1), (1, 0), (3, 2)),
    Geometry((5, 4), (1, 1), (2, 2), (3, 1)),  # kernels larger than the input
    Geometry((4, 4), (2, 1), (2, 2), (1, 4)),
    Geometry((5, 4), (1, 4), (2, 2), (1, 4)),
    Geometry((5, 1), (2, 3), (2, 0), (4, 2)),
    Geometry((2, 4), (1, 2), (1, 2), (1, 1)),
    Geometry((4, 5), (4, 1), (2, 2), (4, 1)),
    Geometry((4, 5), (2, 1), (2, 2), (1, 1)),  # a stride below the kernel, and one window alone
    Geometry((1, 1), (2, 1), (0, 0), (1, 2)),
    Geometry((6, 3), (2, 1), (3, 1), (2, 4)),  # a kernel of more than twice the input
    Geometry((6, 5), (6, 5), (0, 0), (13, 11)),  # a larger input
)

#: Others, larger ones among them: what the geometries above suggest must hold on these as well.
FRESH: tuple[Geometry, ...] = (
    Geometry((2, 2), (2, 2), (0, 0), (6, 7)),
    Geometry((1, 1), (1, 1), (0, 0), (3, 3)),
    Geometry((3, 2), (3, 2), (1, 1), (7, 6)),  # padding, no overlap
    Geometry((2, 3), (1, 2), (0, 0), (5, 7)),  # overlap, no padding
    Geometry((3, 3), (2, 2), (1, 1), (7, 5)),
    Geometry((2, 1), (3, 2), (0, 0), (7, 5)),  # gaps along both axes
    Geometry((3, 2), (1, 1), (0, 1), (3, 5)),  # one row of windows
    Geometry((2, 3), (2, 1), (0, 0), (5, 3)),  # one column of them
    Geometry((6, 2), (1, 1), (3, 1), (4, 6)),
)

#: The same troubles one at a time, on inputs small enough to be read at a glance.
SMALL: tuple[Geometry, ...] = (
    Geometry((1, 1), (1, 1), (0, 0), (1, 1)),
    Geometry((1, 2), (1, 2), (0, 0), (1, 2)),
    Geometry((2, 1), (2, 1), (0, 0), (2, 1)),
    Geometry((1, 1), (1, 1), (0, 0), (1, 2)),
    Geometry((1, 1), (1, 2), (0, 0), (1, 3)),  # stride larger than the kernel
    Geometry((1, 2), (1, 2), (0, 0), (1, 3)),  # left-over
    Geometry((1, 2), (1, 1), (0, 0), (1, 3)),  # overlap
    Geometry((2, 1), (1, 1), (0, 0), (3, 1)),
    Geometry((1, 2), (1, 2), (0, 1), (1, 2)),  # padding
    Geometry((2, 1), (2, 1), (1, 0), (2, 1)),
    Geometry((2, 2), (2, 2), (0, 0), (2, 2)),
    Geometry((1, 2), (1, 2), (0, 0), (1, 4)),
    Geometry((2, 1), (2, 1), (0, 0), (4, 1)),
    Geometry((2, 2), (1, 1), (0, 0), (2, 3)),
    Geometry((2, 2), (1, 1), (0, 0), (3, 3)),
    Geometry((3, 3), (2, 2), (1, 1), (3, 3)),
    Geometry((2, 2), (2, 2), (0, 0), (4, 4)),
    Geometry((4, 1), (4, 1), (0, 0), (4, 1)),  # a larger kernel
    Geometry((1, 4), (1, 4), (0, 0), (1, 4)),
    Geometry((2, 1), (2, 1), (0, 0), (8, 1)),  # a larger input
    Geometry((1, 2), (1, 2), (0, 0), (1, 8)),
)


def tried_geometries(window: Window | None) -> tuple[Geometry, ...]:
    """The geometries for random trials: all kinds, or inputs for the window that is given."""
    if window is None:
        return GENERAL
    _, (down, right), padding = window
    down, right = down - 1, right - 1
    # As many inputs again as the padding has, or windows might never lie inside the input, and
    # each of them would see all of it.
    ph, pw = (2 * p for p in padding)
    found = (
        holding(window, (2, 2), (ph, pw)),
        holding(window, (2, 3), (ph + down, pw + right)),
        holding(window, (3, 2), (ph + down, pw)),
        holding(window, (1, 2), (ph, pw + min(1, right))),
        # Rows or columns of windows alone, and more of them than the stride is long.
        holding(window, (1, 5), (0, right)),
        holding(window, (5, 1), (down, 0)),
        holding(window, (1, 2)),
        holding(window, (2, 1)),
        holding(window, (1, 1), (down, right)),
        holding(window, (1, 1)),
    )
    return tuple(dict.fromkeys(found))


def fresh_geometries(window: Window | None) -> tuple[Geometry, ...]:
    """The geometries on which a reason is tried."""
    if window is None:
        return FRESH
    larger = (holding(window, windows, (1, 1)) for windows in ((3, 4), (4, 3)))
    return (*tried_geometries(window)[::2], *larger)


def smallest_geometries(window: Window | None) -> tuple[Geometry, ...]:
    """The geometries for counterexamples, from small to large."""
    if window is None:
        return SMALL
    _, (sh, sw), _ = window
    left_over = product((0, sh - 1), (0, sw - 1))
    found = {holding(window, *some) for some in product(product((1, 2), (1, 2)), left_over)}
    return tuple(sorted(found, key=lambda g: (prod(g.size), g.size)))


def sized(window: Window | None, numbers: Sequence[float]) -> tuple[Geometry, ...]:
    """Geometries in which everything that the exercise leaves open is about as large as told."""
    found: list[Geometry] = []
    several = wholes(numbers, _LONGEST)
    for whole in several:
        root = ceil(sqrt(whole + 1))
        found.append(_spanning(window, (root, root))[1 if window else 3])
        # The last index is one less than a size.
        for n, layouts in ((whole - 1, 1), (whole, 4), (whole + 1, 4), (whole + 2, 1)):
            square = n <= _SQUARE
            # One larger by the number than the other, too.
            strips = [(n, 1), (1, n)] if not square or n > whole else []
            for size in [(n, n)] * square + strips:
                found += _spanning(window, size)[:layouts]
    for a, b in product(several, repeat=2):
        found += [*_spanning(window, (a, b)), *_spanning(window, (a + 1, b + 1))[:2]]
        found += [] if window or a == b else _joint(a, b)
    return tuple(g for g in dict.fromkeys(found) if g.steps <= _STEPS)


def _spanning(window: Window | None, size: Pair) -> list[Geometry]:
    """Layouts with `size` as that of input and output, of kernel and stride, of the padding."""
    a, b = size
    if window:
        least = holding(window, (1, 1))
        return [replace(least, size=paired(max, size, least.size)), holding(window, size)]
    ph, pw = (n if n > 1 else 0 for n in size)
    return [
        Geometry((min(a, 3), min(b, 3)), (1, 1), (int(a > 1), int(b > 1)), size),
        Geometry(size, size, (0, 0), (2 * a, 2 * b)),
        Geometry((max(1, 2 * ph), max(1, 2 * pw)), (1, 1), (ph, pw), (2, 2)),
        Geometry((1, 1), (1, 1), (0, 0), size),
    ]


def _joint(a: int, b: int) -> list[Geometry]:
    """A kernel or a stride of one size with a stride or an input of another."""
    return [
        Geometry((a, a), (b, b), (0, 0), (a + b, a + b)),
        Geometry((min(a, b),) * 2, (1, 1), (0, 0), (b, b)),
        Geometry((1, 1), (a, a), (0, 0), (b, b)),
    ]


def holding(window: Window, windows: Pair, left_over: Pair = (0, 0)) -> Geometry:
    """The geometry of so many windows, on an input of so many more rows and columns."""
    rows, columns = (
        max(1, (n - 1) * s + k - 2 * p) + rest
        for n, k, s, p, rest in zip(windows, *window, left_over, strict=True)
    )
    return Geometry(*window, (rows, columns))


def moved_apart(geometry: Geometry) -> Geometry:
    """The same kernel with as many windows, moved apart until no input lies in two."""
    return holding(spread(geometry).window, geometry.windows)


def spread(geometry: Geometry) -> Geometry:
    """The same input and kernel, with a stride by which no input lies in two windows."""
    return replace(geometry, stride=paired(max, geometry.stride, geometry.kernel))


def left_over(geometry: Geometry) -> Geometry:
    """The same windows on an input with as many more rows and columns as hold no further one."""
    (rows, columns), (down, right) = geometry.size, geometry.stride
    return replace(geometry, size=(rows + down - 1, columns + right - 1))


def paired(of: Callable[[int, int], int], one: Pair, other: Pair) -> Pair:
    """What two pairs come to, by rows and by columns."""
    return of(one[0], other[0]), of(one[1], other[1])


# -- Random inputs that hurt: geometries and kinds of values on which wrong answers show.
#
# Gaussian inputs on one geometry never catch a forgotten stride, a zero padding or a tie.  Here a
# trial is a geometry (overlap, padding, left-over pixels, ...) and a kind of input (repeats, all
# negative, nearly equal, ...); the trials of one geometry make one batch.


@dataclass(frozen=True, eq=False)
class PoolingBatch:
    """B inputs of one geometry, each with its upstream message."""

    kernel: Pair
    stride: Pair
    padding: Pair
    x: Array
    """(B, H, W)"""
    delta: Array
    """(B, Ho, Wo): dL/df"""
    aimed: bool = False
    """Whether an answer's own numbers ask for these inputs."""
    unmet: tuple[str, ...] = ()
    """Sides of an answer's comparisons on which no input was found."""

    squares = False
    """Whether the forward message has a square."""

    def __len__(self) -> int:
        return len(self.x)

    def some(self, rows: Array) -> PoolingBatch:
        """Some of these inputs."""
        return replace(self, x=self.x[rows], delta=self.delta[rows])

    @property
    def geometry(self) -> Geometry:
        return Geometry(self.kernel, self.stride, self.padding, self.x.shape[1:])

    @cached_property
    def kept(self) -> dict[object, Any]:
        """What is the same for every answer: known wrong rules, conditions."""
        return {}

    @property
    def inputs(self) -> dict[str, Array]:
        return {"x": self.x}

    @property
    def values(self) -> dict[str, Array]:
        return {"x": self.x, "f": self.f, "delta": self.delta}

    @property
    def computed(self) -> dict[str, Array]:
        return {"f": self.f}

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {name: value.shape[1:] for name, value in self.values.items()}

    def reference(self, above: str, below: str) -> Reference:
        """df/dx, to the first maximum at ties."""
        assert (above, below) == ("f", "x")
        return self._reference

    @cached_property
    def _reference(self) -> Reference:
        rows, cells = len(self.x), self.x[0].size
        jacobian = self.jacobian("first").reshape(rows, -1, cells)
        met = np.asarray(self.contested.reshape(rows, -1).any(axis=1))
        none = np.zeros(0, dtype=np.intp)
        gain = self.tied.reshape(rows, -1, cells).sum(axis=1).max(axis=1).astype(np.float64)
        return Reference(
            jacobian, met, none, jacobian[none], np.zeros(rows, np.bool_), gain, Record()
        )

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
        return contested_inputs(flat).reshape(self.tied.shape)


def batches(
    geometries: Iterable[Geometry], seed: int, trials: int, only: str | None = None
) -> list[PoolingBatch]:
    """Draw `trials` inputs, dealt evenly over the geometries, one batch for each.

    The same geometries, seed and number of trials give the same inputs.
    """
    geometries = tuple(geometries)
    least, extra = divmod(trials, len(geometries))
    counts = [least + (n < extra) for n in range(len(geometries))]
    return [
        draw(geometry, np.random.default_rng([seed, n]), count, only)
        for n, (geometry, count) in enumerate(zip(geometries, counts, strict=True))
        if count
    ]


def draw(
    geometry: Geometry, rng: np.random.Generator, count: int, only: str | None = None
) -> PoolingBatch:
    """Draw one batch of `count` inputs of one geometry; `only` is as in `mixed`."""
    return _filled(geometry, rng, mixed(rng, count, only))


def draw_each(geometry: Geometry, rng: np.random.Generator) -> PoolingBatch:
    """Draw one batch with an input of each kind; then large values that repeat, and huge ones."""
    batch = _filled(geometry, rng, np.array([*MIXTURE, "repeats", "negative"]))
    batch.x[-2] *= 50
    batch.x[-1] *= HUGE
    return batch


def _filled(geometry: Geometry, rng: np.random.Generator, kinds: Words) -> PoolingBatch:
    x = filled(rng, kinds, prod(geometry.size), gentle=False, compared=True).reshape(
        -1, *geometry.size
    )
    return PoolingBatch(*geometry.window, x, messages(rng, len(kinds), geometry.windows))


# -- Small inputs from plain to odd, on which counterexamples are looked for.


#: Values from plain to odd; the last two are runners-up to 1 that "near-equal" takes for it.
VALUES: Final = (0.0, 1.0, -1.0, 2.0, 1.0 - 1e-9, 1.0 - 1e-12)
_PLAIN: Final = 4
#: At most so many inputs of a geometry are listed; of larger ones so many are drawn.
_LISTED: Final = 256
_FEW: Final = 32
#: So many of a few inputs are also tried with the messages that have signs.
_SIGNED: Final = 4


@lru_cache(maxsize=64)
def few(geometry: Geometry) -> PoolingBatch:
    """Inputs that tell nearly all wrong answers: ties, signs, every order, values close together.

    Of up to three inputs all patterns of ties, with one value below 0, are among them.
    """
    cells = prod(geometry.size)
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
def many(geometry: Geometry) -> PoolingBatch:
    """All inputs of a few values, or if these are too many, some, each with two messages."""
    cells = prod(geometry.size)
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
    count = prod(geometry.windows)
    # Powers of ten can be told apart in any sum of them; the others show a sign, and a plain 1.
    plain = 10.0 ** np.arange(count)
    signed = np.where(np.arange(count) % 2, -1.0, 1.0) * np.arange(2, count + 2)
    blank = np.where(np.arange(count) % 2, signed, 0.0)
    return np.stack([plain, signed, blank]).reshape(3, *geometry.windows)


def _batch(geometry: Geometry, x: Array, delta: Array) -> PoolingBatch:
    x = x.reshape(-1, *geometry.size)
    return PoolingBatch(*geometry.window, x, delta)
