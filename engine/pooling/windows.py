"""Windows of max pooling: their layout, and which weights are a valid subgradient."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import gcd, prod
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

# -- Windows laid over an input of one size: how many there are, and which inputs each one holds.


Numbers: TypeAlias = NDArray[Any]
"""An array of any of the dtypes that pooling takes."""
Mask: TypeAlias = NDArray[np.bool_]
Shape: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WindowLayout:
    """Windows laid over an input of one `size`: window k starts at k·stride + `origin`."""

    size: Shape
    counts: Shape
    """How many windows along each axis: the size of the output."""
    kernel: Shape
    stride: Shape
    dilation: Shape
    origin: Shape

    @property
    def overlap(self) -> bool:
        """Whether some input lies in two windows."""
        axes = zip(self.counts, self.stride, self.kernel, self.dilation, strict=True)
        return any(n > 1 and s < (k - 1) * d + 1 for n, s, k, d in axes)

    @property
    def shared(self) -> int:
        """In how many windows at most one input lies."""
        axes = zip(self.counts, self.kernel, self.stride, self.dilation, strict=True)
        return prod(min(n, -(-k // (s // gcd(s, d)))) for n, k, s, d in axes)

    @property
    def spans(self) -> Shape:
        """How many inputs, padding included, all windows together reach over along each axis."""
        axes = zip(self.counts, self.kernel, self.stride, self.dilation, strict=True)
        return tuple((n - 1) * s + (k - 1) * d + 1 for n, k, s, d in axes)

    @property
    def cells(self) -> list[Shape]:
        """The cells of a window, (a, b) in row-major order."""
        return list(product(*(range(k) for k in self.kernel)))

    def taps(
        self, rows: slice | None = None
    ) -> Iterator[tuple[int, tuple[slice, ...], tuple[slice, ...]]]:
        """For each cell of a window: its number, which windows have it inside the input, and where.

        Two tuples of slices of the same shape: into the output's axes, and into the input's.  Of
        all windows, or of those in some rows.
        """
        for number, cell in enumerate(self.cells):
            axes = [self._tap(axis, a, rows) for axis, a in enumerate(cell)]
            if all(axes):
                windows, inputs = zip(*(axis for axis in axes if axis), strict=True)
                yield number, windows, inputs

    def _tap(self, axis: int, a: int, rows: slice | None) -> tuple[slice, slice] | None:
        """Cell a along one axis: the windows that have it inside, and the inputs it is."""
        start, step = self.origin[axis] + a * self.dilation[axis], self.stride[axis]
        least, most = (rows.start, rows.stop) if rows and not axis else (0, self.counts[axis])
        first = max(least, -(start // step))
        last = min(most - 1, (self.size[axis] - 1 - start) // step)
        if first > last:
            return None
        at = start + first * step
        return slice(first, last + 1), slice(at, at + (last - first) * step + 1, step)

    def starts(self, axis: int) -> NDArray[np.intp]:
        """Return where along an axis the first cell of each window lies, before 0 if padded."""
        return np.arange(self.counts[axis]) * self.stride[axis] + self.origin[axis]

    @property
    def hollow(self) -> Mask | None:
        """Which windows (Ho, Wo) step over the input altogether; None if none does.

        Only a dilated window can that begins in the padding.
        """
        if set(self.dilation) == {1}:
            return None
        hollow = np.zeros(self.counts, np.bool_)
        for axis, (n, k, d) in enumerate(zip(self.size, self.kernel, self.dilation, strict=True)):
            starts = self.starts(axis)
            over = (self._entrances(axis) >= n) | (starts + (k - 1) * d < 0)
            hollow |= over.reshape(-1, *[1] * (len(self.counts) - axis - 1))
        return hollow if hollow.any() else None

    def _entrances(self, axis: int) -> NDArray[np.intp]:
        """Where along an axis the first cell of each window lies that is not before 0."""
        starts = self.starts(axis)
        entrances: NDArray[np.intp] = np.where(starts < 0, starts % self.dilation[axis], starts)
        return entrances

    def entrances(self) -> NDArray[np.intp]:
        """Return for each window the flat index of its first cell that lies before no axis' 0."""
        return self._flat([self._entrances(axis) for axis in range(len(self.size))])

    def corners(self, rows: int | None = None) -> NDArray[np.intp]:
        """Return the flat index of each window's cell (0, 0), outside the input if padded.

        Of the first `rows` of windows, or of all.
        """
        each = [self.starts(axis) for axis in range(len(self.size))]
        return self._flat([each[0][:rows], *each[1:]])

    def _flat(self, each: list[NDArray[np.intp]]) -> NDArray[np.intp]:
        """The flat index of each combination of places along the axes."""
        flat = np.zeros([len(places) for places in each], dtype=np.intp)
        for axis, (places, weight) in enumerate(zip(each, self.weights(), strict=True)):
            flat += (places * weight).reshape(-1, *[1] * (len(each) - axis - 1))
        return flat

    def steps(self) -> NDArray[np.intp]:
        """Return how far each cell of a window lies behind its cell (0, 0) in the flat input."""
        strides = [w * d for w, d in zip(self.weights(), self.dilation, strict=True)]
        return np.array([sum(map(int.__mul__, cell, strides)) for cell in self.cells], np.intp)

    def weights(self) -> list[int]:
        """What one step along each axis adds to a flat index."""
        return [prod(self.size[axis + 1 :]) for axis in range(len(self.size))]


# -- The windows of a layer: what may be asked for; above is how they fall on one input.


Array: TypeAlias = NDArray[np.float64]
Pair: TypeAlias = tuple[int, int]

#: The largest kernel, stride, padding or dilation: their products then stay within int64.
LARGEST: Final = 2**31 - 1
#: Inputs have rows and columns; or one axis, or three.
MOST_AXES: Final = 3


@dataclass(frozen=True, slots=True)
class PoolingWindows:
    """Windows of `kernel` cells at steps of `stride`, over an input with padding around it.

    One number for each of the input's last axes (H, W).  Omega(k, l), the input coordinates of
    window (k, l), are the rows k·sh − ph + a·dh and the columns l·sw − pw + b·dw for 0 <= a < kh,
    0 <= b < kw, as far as they lie inside the input.
    """

    kernel: Shape
    stride: Shape
    padding: Shape
    """Before the first row and column; as much follows the last, unless `after` differs."""
    dilation: Shape = ()
    """Steps between a window's cells; left out, 1 for each axis."""
    after: Shape | None = None
    ceil_mode: bool = False
    """Whether a last window that the padded input only holds in part counts too."""

    @classmethod
    def of(
        cls,
        kernel: object,
        stride: object = None,
        padding: object = 0,
        dilation: object = 1,
        ceil_mode: bool = False,
    ) -> PoolingWindows:
        """Read an int for all axes or a number for each; the stride defaults to the kernel.

        The kernel says how many axes there are: an int means two.  Each padding may be a pair
        (before, after) of its own.  Raises ValueError where a kernel, stride or dilation is below
        1, or a padding is negative or above half the kernel.
        """
        kernel = _listed(kernel)
        dims = len(kernel) if isinstance(kernel, (tuple, list)) else 2
        if not 1 <= dims <= MOST_AXES:
            raise ValueError(f"kernel is {kernel!r}: 1 to {MOST_AXES} integers are allowed")
        sides = _numbers("kernel", kernel, dims, least=1)
        steps = sides if stride is None else _numbers("stride", stride, dims, least=1)
        apart = _numbers("dilation", dilation, dims, least=1)
        before, after = _margins(padding, dims)
        if any(2 * p > k for p, k in zip(before + after, sides * 2, strict=True)):
            raise ValueError(f"padding is {padding!r}: at most half the kernel {sides} is allowed")
        ceil = flag("ceil_mode", ceil_mode)
        return cls(sides, steps, before, apart, None if after == before else after, ceil)

    def output_shape(self, *size: int) -> Shape:
        """Return the number of windows along each axis; raises ValueError where none fits."""
        return self.over(size).counts

    @lru_cache(maxsize=256)  # noqa: B019 (a value: nothing is kept alive that counts)
    def over(self, size: Shape) -> WindowLayout:
        """Lay the windows over an input of one size; raises ValueError where none fits.

        Cells that lie in the padding in every window are left out of the kernel.
        """
        if min(size) < 1:
            raise ValueError(f"x has {_sides(size)}: at least 1 is allowed")
        dilation = self.dilation or (1,) * len(size)
        after = self.padding if self.after is None else self.after
        axes = [
            self._axis(*numbers)
            for numbers in zip(
                size, self.kernel, self.stride, self.padding, after, dilation, strict=True
            )
        ]
        if None in axes:
            spans = tuple((k - 1) * d + 1 for k, d in zip(self.kernel, dilation, strict=True))
            dilated = f", dilated to {spans}" if spans != self.kernel else ""
            padded = tuple(sum(n) for n in zip(size, self.padding, after, strict=True))
            raise ValueError(
                f"kernel is {self.kernel}{dilated}: at most the padded input {padded} fits"
            )
        counts, kernel, origin = zip(*(axis for axis in axes if axis), strict=True)
        return WindowLayout(tuple(size), counts, kernel, self.stride, dilation, origin)

    def _axis(self, n: int, k: int, s: int, before: int, after: int, d: int) -> Shape | None:
        """Return count, kernel and origin along one axis, or None where no window fits."""
        room = n + before + after - ((k - 1) * d + 1)
        count = (room + (s - 1 if self.ceil_mode else 0)) // s + 1
        if self.ceil_mode and (count - 1) * s >= n + before:
            count -= 1  # it would start in the padding behind the input
        if count < 1:
            return None
        # The first window reaches furthest back, and the last one furthest forward.
        lead = max(0, -(-(before - (count - 1) * s) // d))
        last = min(k - 1, (n - 1 + before) // d)
        return count, max(1, last - lead + 1), lead * d - before


def flag(name: str, value: object) -> bool:
    """Read a truth value; raises ValueError where it is none."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ValueError(f"{name} is {value!r}: True or False is allowed")


def _sides(size: Shape) -> str:
    names = ("planes", "rows", "columns")[-len(size) :] if len(size) > 1 else ("inputs",)
    return " and ".join(f"{n} {name}" for n, name in zip(size, names, strict=True))


def _listed(value: object) -> object:
    """An array as the list, or the number, that it holds."""
    return value.tolist() if isinstance(value, np.ndarray) else value


def _margins(padding: object, dims: int) -> tuple[Shape, Shape]:
    """Read the padding before and after each axis."""
    padding = _listed(padding)
    if isinstance(padding, (tuple, list)) and any(isinstance(p, (tuple, list)) for p in padding):
        each = [_numbers("padding", p, 2, least=0) for p in padding]
        if len(each) != dims:
            raise ValueError(f"padding is {padding!r}: {dims} of them are allowed")
        return tuple(p[0] for p in each), tuple(p[1] for p in each)
    margins = _numbers("padding", padding, dims, least=0)
    return margins, margins


def _numbers(name: str, value: object, dims: int, least: int) -> Shape:
    listed = _listed(value)
    each = tuple(listed) if isinstance(listed, (tuple, list)) else (listed,) * dims
    numbers = tuple(
        int(n) for n in each if isinstance(n, (int, np.integer)) and not isinstance(n, bool)
    )
    if len(each) != dims or len(numbers) != dims or min(numbers) < least:
        several = {1: "one of them alone", 2: "a pair of them"}.get(dims, f"{dims} of them")
        raise ValueError(
            f"{name} is {value!r}: an integer of at least {least}, or {several}, is allowed"
        )
    if max(numbers) > LARGEST:
        raise ValueError(f"{name} is {value!r}: at most {LARGEST} is allowed")
    return numbers


# -- Transport: can what the sources hold be shipped to where the sinks want it?


def can_ship(supply: Array, demand: Array, roads: Mask, slack: float) -> bool:
    """Whether `supply` (N,) can meet `demand` (N,) over one-way `roads` (N, N), all >= 0.

    Roads carry any amount; `slack` is what may be left over in all.  Ford and Fulkerson's
    augmenting paths, shortest first (Edmonds and Karp 1972): exact up to the rounding of sums.
    """
    if abs(float(supply.sum() - demand.sum())) > slack:
        return False
    nodes = len(supply)
    source, sink = nodes, nodes + 1
    room = np.zeros((nodes + 2, nodes + 2))
    room[:nodes, :nodes] = np.where(roads, np.inf, 0.0)
    room[source, :nodes] = supply
    room[:nodes, sink] = demand
    # Thinner paths than this are rounding; all together they stay below the slack.
    thin = slack / (16 * (nodes + 2) ** 2)
    while path := _shortest(room > thin, source, sink):
        tails, heads = path[:-1], path[1:]
        amount = room[tails, heads].min()
        room[tails, heads] -= amount
        room[heads, tails] += amount
    return float(room[source, :nodes].sum()) <= slack


def _shortest(open_: Mask, start: int, end: int) -> list[int]:
    """The nodes of a shortest path from start to end, or nothing."""
    came_from = {start: start}
    queue = deque([start])
    while queue and end not in came_from:
        node = queue.popleft()
        for step in np.flatnonzero(open_[node]).tolist():
            if step not in came_from:
                came_from[step] = node
                queue.append(step)
    if end not in came_from:
        return []
    path = [end]
    while path[-1] != start:
        path.append(came_from[path[-1]])
    return path[::-1]


# -- Which messages are right at a tie: every valid subgradient counts, not one policy's.
#
# `tied` (..., Ho, Wo, H, W) says which inputs are a maximum of which window.  A Jacobian is valid
# if each window's row is a convex combination over its maxima.  A backward message dx is valid if
# some such Jacobian gives it: inputs in no tie have one right value, and for the rest there must
# be weights w >= 0, summing to 1 in each window, with dx[i,j] = sum of delta[k,l] · w[k,l,i,j].


#: Of a right value and of the largest that the window's messages could have added up to.
SUBGRADIENT_TOLERANCE = 1e-9


def valid_jacobian(J: Array, tied: Mask) -> Mask:
    """Return for each of the leading axes whether J is a valid subgradient."""
    sums = J.sum(axis=(-2, -1))
    entries = np.where(tied, J >= -SUBGRADIENT_TOLERANCE, np.abs(J) <= SUBGRADIENT_TOLERANCE)
    windows = entries.all(axis=(-2, -1)) & (np.abs(sums - 1) <= SUBGRADIENT_TOLERANCE)
    valid: Mask = windows.all(axis=(-2, -1))
    return valid


def valid_message(dx: Array, delta: Array, tied: Mask) -> Mask:
    """Return for each of the leading axes whether dx is a valid subgradient's message for delta."""
    lead = tied.shape[:-4]
    windows, inputs = int(np.prod(tied.shape[-4:-2])), int(np.prod(tied.shape[-2:]))
    wins = tied.reshape(-1, windows, inputs)
    got, sent = dx.reshape(-1, inputs), delta.reshape(-1, windows)
    slack = margin(sent, wins)[:, None]
    with np.errstate(invalid="ignore"):
        valid = ~wrong_inputs(got, sent, wins).any(axis=-1)
        # Whatever the weights are, each window hands out all of its message.
        valid &= np.abs(got.sum(axis=-1) - sent.sum(axis=-1)) <= inputs * slack[:, 0]
        known = np.zeros_like(valid)
        for weights in (first(wins), first(wins[..., ::-1])[..., ::-1], evenly(wins)):
            known |= (np.abs(got - _send(sent, weights)) <= slack).all(axis=-1)
    for n in np.flatnonzero(valid & ~known):
        valid[n] = _feasible(got[n], sent[n], wins[n], float(slack[n, 0]))
    each: Mask = valid.reshape(lead)
    return each


def wrong_inputs(dx: Array, delta: Array, tied: Mask) -> Mask:
    """Return (N, P): at which inputs dL/dx exists and dx differs from it.

    dx (N, P), delta (N, K) and tied (N, K, P) for P inputs and K windows.
    """
    right = _send(delta, first(tied))
    slack = SUBGRADIENT_TOLERANCE * np.abs(right) + margin(delta, tied)[:, None]
    with np.errstate(invalid="ignore"):
        return ~contested_inputs(tied).any(axis=-2) & ~(np.abs(dx - right) <= slack)


def contested_inputs(tied: Mask) -> Mask:
    """Return (..., K, P): which inputs share their window's maximum with another one."""
    shared: Mask = tied & (tied.sum(axis=-1, keepdims=True) > 1)
    return shared


def margin(delta: Array, tied: Mask) -> Array:
    """Return (N,): the tolerance that messages of this size, added up, deserve."""
    gain = tied.sum(axis=-2).max(axis=-1, initial=1)
    slack: Array = SUBGRADIENT_TOLERANCE * gain * np.abs(delta).max(axis=-1, initial=0.0)
    return slack


def first(tied: Mask) -> Array:
    """Return weights (..., K, P): all on the first maximum of each window."""
    alone = np.arange(tied.shape[-1]) == tied.argmax(axis=-1)[..., None]
    weights: Array = (alone & tied).astype(np.float64)
    return weights


def evenly(tied: Mask) -> Array:
    """Return weights (..., K, P): spread evenly over the maxima of each window."""
    weights: Array = tied / tied.sum(axis=-1, keepdims=True)
    return weights


def _send(delta: Array, weights: Array) -> Array:
    """Send messages (N, K) by weights (N, K, P): (N, P)."""
    sent: Array = (delta[:, None, :] @ weights)[:, 0, :]
    return sent


def _feasible(dx: Array, delta: Array, tied: Mask, slack: float) -> bool:
    """Whether weights exist for one input: dx (P,), delta (K,), tied (K, P).

    A window with a positive message ships it to its maxima, one with a negative message collects
    it from them; whatever an input then has too much or too little must be its dx.  So dx is valid
    exactly if this transport can be carried out, which is a question of maximum flow.
    """
    sources = np.concatenate([np.maximum(delta, 0), np.maximum(-dx, 0)])
    sinks = np.concatenate([np.maximum(-delta, 0), np.maximum(dx, 0)])
    windows, inputs = tied.shape
    roads = np.zeros((windows + inputs, windows + inputs), dtype=np.bool_)
    roads[:windows, windows:] = tied & (delta > 0)[:, None]
    roads[windows:, :windows] = (tied & (delta < 0)[:, None]).T
    return can_ship(sources, sinks, roads, slack * (windows + inputs))
