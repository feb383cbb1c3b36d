"""Inputs of our own, beside those that the engine draws: any geometry, values and messages."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Final

from tests.engine.brute.pooling import Case, Grid, Pair, output_size

_LARGEST: Final = 20
#: So many cells may tie: each subset of them is looked at.
_TIED: Final = 9


@dataclass(frozen=True, slots=True)
class Shape:
    kernel: Pair
    stride: Pair
    padding: Pair
    size: Pair

    @property
    def windows(self) -> Pair:
        return output_size(self.kernel, self.stride, self.padding, self.size)


_SIDES: Final = (1, 1, 2, 2, 3, 4, 4, 5)

#: One of each trouble, before random ones.
FIRST: Final = (
    Shape((2, 2), (1, 1), (0, 0), (3, 3)),
    Shape((2, 2), (2, 2), (0, 0), (2, 4)),
    Shape((1, 2), (3, 1), (0, 1), (4, 2)),
    Shape((2, 2), (3, 4), (0, 0), (2, 7)),
    Shape((3, 3), (2, 2), (1, 1), (3, 3)),
    Shape((1, 3), (1, 2), (0, 1), (1, 9)),
    Shape((3, 1), (1, 1), (1, 0), (9, 1)),
    Shape((4, 1), (3, 1), (2, 0), (6, 1)),
    Shape((1, 5), (1, 5), (0, 2), (1, 10)),
    Shape((4, 4), (4, 4), (0, 0), (4, 5)),
    Shape((1, 1), (2, 2), (0, 0), (3, 3)),
    Shape((2, 1), (1, 3), (1, 0), (2, 4)),
    Shape((3, 2), (5, 1), (0, 1), (8, 2)),
    Shape((2, 2), (2, 2), (1, 1), (3, 3)),
)


def any_shape(rng: random.Random) -> Shape:
    while True:
        kernel = (rng.choice(_SIDES), rng.choice(_SIDES))
        most = (kernel[0] // 2, kernel[1] // 2)
        padding = most if rng.random() < 0.4 else (rng.randint(0, most[0]), rng.randint(0, most[1]))
        stride = (rng.randint(1, 5), rng.randint(1, 5))
        shape = Shape(kernel, stride, padding, (rng.randint(1, 10), rng.randint(1, 10)))
        if shape.size[0] * shape.size[1] <= _LARGEST and min(shape.windows) >= 1:
            return shape


def shapes_of(kernel: Pair, stride: Pair, padding: Pair) -> Callable[[random.Random], Shape]:
    """Inputs of any size for a window that is given."""

    def some(rng: random.Random) -> Shape:
        least = [max(1, k - 2 * p) for k, p in zip(kernel, padding, strict=True)]
        while True:
            size = (least[0] + rng.randint(0, 9), least[1] + rng.randint(0, 9))
            if size[0] * size[1] <= max(_LARGEST, 2 * least[0] * least[1]):
                return Shape(kernel, stride, padding, size)

    return some


def cases(seed: int, many: int, shape: Callable[[random.Random], Shape] | None) -> list[Case]:
    """`many` inputs; without a way to draw a shape the troubles one by one, then any."""
    rng = random.Random(seed)
    drawn: list[Case] = []
    for n in range(many):
        if shape is not None:
            drawn.append(case(shape(rng), rng, n))
        else:
            drawn.append(case(FIRST[n] if n < len(FIRST) else any_shape(rng), rng, n))
    return drawn


def case(shape: Shape, rng: random.Random, n: int) -> Case:
    kinds = ("ranks", "small", "signed", "ranks", "near", "same", "halves")
    for kind in (*kinds[n % len(kinds) :], "ranks"):
        values = _values(rng, kind, shape.size[0] * shape.size[1])
        width = shape.size[1]
        x = [values[at : at + width] for at in range(0, len(values), width)]
        found = Case(shape.kernel, shape.stride, shape.padding, x, _messages(rng, shape.windows))
        ties = {at for tied in found.tied.values() if len(tied) > 1 for at in tied}
        if len(ties) <= _TIED:
            return found
    raise AssertionError("ranks never tie")


def _values(rng: random.Random, kind: str, many: int) -> list[float]:
    match kind:
        case "ranks":
            low = rng.choice((-2 * many, -many // 2, 1))
            return [float(low + rank) for rank in rng.sample(range(many), many)]
        case "small":
            return [float(rng.randint(-1, 2)) for _ in range(many)]
        case "signed":
            return [rng.uniform(-3, 3) for _ in range(many)]
        case "near":
            gap, base = rng.choice((1e-7, 1e-9, 1e-11)), rng.choice((-1.0, 1.0))
            return [base + gap * rank for rank in rng.sample(range(many), many)]
        case "same":
            return [float(rng.randint(-1, 1))] * many
    return [rng.choice((-0.5, 0.5, 0.25)) for _ in range(many)]


def _messages(rng: random.Random, windows: Pair) -> Grid:
    """Signed thirds, now and then a 0, none twice; or a few whole numbers."""
    many = windows[0] * windows[1]
    if rng.random() < 0.15:
        return [[float(rng.randint(-2, 2)) for _ in range(windows[1])] for _ in range(windows[0])]
    values = [rng.choice((-1, 1)) * (n + 1 / 3) for n in rng.sample(range(3 * many), many)]
    if rng.random() < 0.1:
        values[rng.randrange(many)] = 0.0
    return [values[at : at + windows[1]] for at in range(0, many, windows[1])]


def apart(
    seed: int, kernel: Pair | None = None, stride: Pair = (1, 1), padding: Pair = (0, 0)
) -> Iterator[Case]:
    """Inputs without overlap, for one window moved apart or for any, and no end of them."""
    rng = random.Random(seed)
    shape: Callable[[random.Random], Shape] = any_shape
    if kernel is not None:
        moved = (max(stride[0], kernel[0]), max(stride[1], kernel[1]))
        shape = shapes_of(kernel, moved, padding)
    for n in count():
        found = case(shape(rng), rng, n)
        if not found.overlaps:
            yield found
