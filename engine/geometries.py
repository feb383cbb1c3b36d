"""Which windows over which inputs an answer is tried on, at random and from the smallest up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import ceil, prod, sqrt
from typing import Final

from engine.given.borders import wholes
from engine.pooling_exercise import PoolingExercise
from engine.windows import Pair, Windows

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
    def windows(self) -> Pair:
        """(Ho, Wo)"""
        rows, columns = Windows(self.kernel, self.stride, self.padding).output_shape(*self.size)
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
    Geometry((1, 2), (1, 2), (0, 1), (1, 2)),  # padding
    Geometry((2, 1), (2, 1), (1, 0), (2, 1)),
    Geometry((1, 2), (1, 1), (0, 0), (1, 3)),  # overlap
    Geometry((2, 1), (1, 1), (0, 0), (3, 1)),
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


def tried(exercise: PoolingExercise) -> tuple[Geometry, ...]:
    """The geometries for random trials: all kinds, or inputs for the window that is given."""
    if exercise.kernel is None:
        return GENERAL
    down, right = (s - 1 for s in exercise.stride or exercise.kernel)
    # As many inputs again as the padding has, or windows might never lie inside the input, and
    # each of them would see all of it.
    ph, pw = (2 * p for p in exercise.padding or (0, 0))
    sizes = [
        _size(exercise, (2, 2), (ph, pw)),
        _size(exercise, (2, 3), (ph + down, pw + right)),
        _size(exercise, (3, 2), (ph + down, pw)),
        _size(exercise, (1, 2), (ph, pw + min(1, right))),
        # Rows or columns of windows alone, and more of them than the stride is long.
        _size(exercise, (1, 5), (0, right)),
        _size(exercise, (5, 1), (down, 0)),
        _size(exercise, (1, 2), (0, 0)),
        _size(exercise, (2, 1), (0, 0)),
        _size(exercise, (1, 1), (down, right)),
        _size(exercise, (1, 1), (0, 0)),
    ]
    return tuple(_given(exercise, size) for size in dict.fromkeys(sizes))


def fresh(exercise: PoolingExercise) -> tuple[Geometry, ...]:
    """The geometries on which a reason is tried."""
    if exercise.kernel is None:
        return FRESH
    larger = (_size(exercise, windows, (1, 1)) for windows in ((3, 4), (4, 3)))
    return (*tried(exercise)[::2], *(_given(exercise, size) for size in larger))


def smallest(exercise: PoolingExercise) -> tuple[Geometry, ...]:
    """The geometries for counterexamples, from small to large."""
    if exercise.kernel is None:
        return SMALL
    left_over = tuple(s - 1 for s in exercise.stride or exercise.kernel)
    sizes = {
        _size(exercise, (rows, columns), (down * left_over[0], right * left_over[1]))
        for rows, columns, down, right in product((1, 2), (1, 2), (0, 1), (0, 1))
    }
    return tuple(_given(exercise, size) for size in sorted(sizes, key=lambda s: (s[0] * s[1], s)))


def sized(exercise: PoolingExercise, numbers: Sequence[float]) -> tuple[Geometry, ...]:
    """Geometries in which everything that the exercise leaves open is about as large as told."""
    found: list[Geometry] = []
    several = wholes(numbers, _LONGEST)
    for whole in several:
        root = ceil(sqrt(whole + 1))
        found.append(_spanning(exercise, (root, root))[1 if exercise.kernel else 3])
        # The last index is one less than a size.
        for n, layouts in ((whole - 1, 1), (whole, 4), (whole + 1, 4), (whole + 2, 1)):
            square = n <= _SQUARE
            # One larger by the number than the other, too.
            strips = [(n, 1), (1, n)] if not square or n > whole else []
            for size in [(n, n)] * square + strips:
                found += _spanning(exercise, size)[:layouts]
    for a, b in product(several, repeat=2):
        found += [*_spanning(exercise, (a, b)), *_spanning(exercise, (a + 1, b + 1))[:2]]
        found += [] if exercise.kernel or a == b else _joint(a, b)
    return tuple(g for g in dict.fromkeys(found) if g.steps <= _STEPS)


def _spanning(exercise: PoolingExercise, size: Pair) -> list[Geometry]:
    """Layouts with `size` as that of input and output, of kernel and stride, of the padding."""
    a, b = size
    if exercise.kernel is not None:
        least = _size(exercise, (1, 1), (0, 0))
        wide = max(a, least[0]), max(b, least[1])
        return [_given(exercise, wide), _given(exercise, _size(exercise, size, (0, 0)))]
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


def apart(geometry: Geometry) -> Geometry:
    """The same kernel with as many windows, moved apart until no input lies in two."""
    stride = tuple(max(s, k) for s, k in zip(geometry.stride, geometry.kernel, strict=True))
    moved = replace(geometry, stride=(stride[0], stride[1]))
    sides = zip(geometry.windows, stride, geometry.kernel, geometry.padding, strict=True)
    rows, columns = (max(1, (n - 1) * s + k - 2 * p) for n, s, k, p in sides)
    return replace(moved, size=(rows, columns))


def left_over(geometry: Geometry) -> Geometry:
    """The same windows on an input with as many more rows and columns as hold no further one."""
    (rows, columns), (down, right) = geometry.size, geometry.stride
    return replace(geometry, size=(rows + down - 1, columns + right - 1))


def _given(exercise: PoolingExercise, size: Pair) -> Geometry:
    assert exercise.kernel is not None
    return Geometry(
        exercise.kernel, exercise.stride or exercise.kernel, exercise.padding or (0, 0), size
    )


def _size(exercise: PoolingExercise, windows: Pair, left_over: tuple[int, ...]) -> Pair:
    """The input size that holds so many windows, and so many more rows and columns."""
    shape = _given(exercise, (1, 1))
    rows, columns = (
        max(1, (n - 1) * s + k - 2 * p) + rest
        for n, s, k, p, rest in zip(
            windows, shape.stride, shape.kernel, shape.padding, left_over, strict=True
        )
    )
    return rows, columns
