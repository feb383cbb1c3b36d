"""An answer about max pooling on a batch: the formulas of any message, with windows in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from engine.formula import tree as t
from engine.formula.axes import (
    BATCH,
    Array,
    Axed,
    Axes,
    TooLargeError,
    TooMuchError,
    Truth,
    both,
    cells,
    flattened,
)
from engine.formula.tree import NUMBERS, FormulaError, OffsetError, located
from engine.messages.answer import Read
from engine.messages.autodiff import Duals, Picks, Running
from engine.messages.dual import Dual, DualArray, Scope
from engine.pooling.layer import Ties
from engine.pooling.reader import role

# -- Windows as index arithmetic: where they lie, and what each of them, or an array, holds.
#
# Omega(k,l): k*sh - ph <= i < k*sh - ph + kh and 0 <= i < H, and likewise for the column.


class WindowBatch(Protocol):
    """Random inputs of one geometry, as engine/pooling/inputs.py draws them."""

    @property
    def kernel(self) -> tuple[int, int]: ...
    @property
    def stride(self) -> tuple[int, int]: ...
    @property
    def padding(self) -> tuple[int, int]: ...
    @property
    def x(self) -> Array: ...
    @property
    def delta(self) -> Array: ...
    @property
    def f(self) -> Array: ...
    def jacobian(self, ties: Ties) -> Array: ...


#: An operator over each window, or over a whole array, once it was asked for.
Tables = dict[tuple[str, str], tuple[Array, ...]]
#: The tables of a batch, for as long as it is kept.
_TABLES: Final[WeakKeyDictionary[WindowBatch, Tables]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Inputs:
    """Some of a batch: x (B,H,W), delta and f (B,Ho,Wo)."""

    kernel: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[int, int]
    x: Array
    delta: Array
    f: Array
    steps: Mapping[str, Array]
    """Derivatives that a step of a chain leaves as they are: df/dx (B,Ho,Wo,H,W)."""
    tables: Tables = field(default_factory=dict, compare=False)

    @property
    def roomy(self) -> bool:
        """Whether a window is so much smaller than the input that it pays to look at it alone."""
        (height, width), (kh, kw) = self.sizes["input"], self.kernel
        return 2 * kh * kw <= height * width

    def some(self, part: slice) -> Inputs:
        arrays = (self.x[part], self.delta[part], self.f[part])
        steps = {name: value[part] for name, value in self.steps.items()}
        return Inputs(self.kernel, self.stride, self.padding, *arrays, steps)

    @property
    def sizes(self) -> dict[str, tuple[int, int]]:
        return {
            "input": (self.x.shape[1], self.x.shape[2]),
            "output": (self.f.shape[1], self.f.shape[2]),
        }

    def values(self) -> dict[str, DualArray]:
        """The arrays and the numbers that an answer speaks of, by their names."""
        sizes = (*self.sizes["input"], *self.sizes["output"])
        pairs = (*self.kernel, *self.stride, *self.padding, *sizes)
        names = ("kh", "kw", "sh", "sw", "ph", "pw", "H", "W", "Ho", "Wo")
        sizes_of = zip(names, pairs, strict=True)
        found = {n: np.asarray(float(v)) for n, v in (*sizes_of, *NUMBERS.items())}
        found |= {"x": self.x, "delta": self.delta, "f": self.f, **self.steps}
        return {name: DualArray(value) for name, value in found.items()}

    def over_windows(self, kind: str) -> tuple[Array, ...]:
        """`kind` over each window (B,Ho,Wo); of an arg max its row and its column."""
        if (kind, "") not in self.tables:
            values, rows, columns = self._windows()
            found = folded(kind, values, ~np.isnan(values))
            self.tables[kind, ""] = (found,)
            if kind in VALUE_OF:
                safe = np.nan_to_num(found).astype(np.intp)[..., None]
                self.tables[kind, ""] = tuple(
                    np.take_along_axis(np.broadcast_to(grid, values.shape), safe, -1)[..., 0]
                    + found * 0
                    for grid in (rows, columns)
                )
        return self.tables[kind, ""]

    def over_all(self, kind: str, array: str) -> tuple[Array, ...]:
        """`kind` over a whole array (B,); of an arg max its row and its column."""
        if (kind, array) not in self.tables:
            values = self.values()[array].value
            flat = values.reshape(len(values), -1)
            found = folded(kind, flat, np.ones(flat.shape, dtype=bool))
            split = (found // values.shape[2], found % values.shape[2])
            self.tables[kind, array] = split if kind in VALUE_OF else (found,)
        return self.tables[kind, array]

    def _windows(self) -> tuple[Array, Array, Array]:
        """Each window's values (B,Ho,Wo,kh*kw), NaN in the padding, their rows and columns."""
        (height, width), (high, wide) = self.sizes["input"], self.sizes["output"]
        (kh, kw), (sh, sw), (ph, pw) = self.kernel, self.stride, self.padding
        rows = np.arange(high)[:, None] * sh - ph + np.arange(kh)
        columns = np.arange(wide)[:, None] * sw - pw + np.arange(kw)
        rows, columns = np.broadcast_arrays(rows[:, None, :, None], columns[None, :, None, :])
        exists = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
        values = self.x[:, np.where(exists, rows, 0), np.where(exists, columns, 0)]
        flat = (high, wide, kh * kw)
        values = np.where(exists, values, np.nan).reshape(-1, *flat)
        return values, rows.reshape(flat), columns.reshape(flat)


#: The value whose place it is.
VALUE_OF: Final = {"argmax": "max", "argmin": "min"}


def first_best(kind: str, values: Array, exists: Array) -> Array:
    """The place of the first best along the last axis of what exists, NaN of nothing."""
    low = kind in ("min", "argmin")
    kept = np.where(exists, values, np.inf if low else -np.inf)
    kept = np.where(exists & np.isnan(values), np.nan, kept)
    ahead = kept.argmin(-1) if low else kept.argmax(-1)
    chosen = np.take_along_axis(exists, ahead[..., None], -1)[..., 0]
    # An infinite value must not lose to a cell that does not exist.
    first = np.where(chosen, ahead, exists.argmax(-1))
    return np.asarray(np.where(exists.any(-1) & ~np.isnan(kept).any(-1), first, np.nan))


def folded(kind: str, values: Array, exists: Array) -> Array:
    """`kind` (sum, max, count, argmax, ...) along the last axis, over what exists.

    Of nothing the sum and the count are 0, the maximum is minus infinity, the minimum plus
    infinity, and mean and place are undefined.
    """
    count = np.asarray(exists.sum(-1), dtype=np.float64)
    if kind == "count":
        return count
    if kind in ("sum", "mean"):
        total: Array = np.where(exists, values, 0.0).sum(-1)
        return total if kind == "sum" else np.divide(total, np.where(count, count, np.nan))
    if kind in VALUE_OF:
        return first_best(kind, values, exists)
    kept = np.where(exists, values, np.inf if kind == "min" else -np.inf)
    return np.asarray(kept.min(-1) if kind == "min" else kept.max(-1))


# -- What windows add to the evaluation of formulas: pairs of coordinates, and sets of them.


class WindowDuals(Duals):
    """Evaluates trees over the inputs of one geometry."""

    def __init__(self, inputs: Inputs, axes: Axes, read: Read, absent: bool) -> None:
        """`absent`: whether the message of a window that does not exist makes its product 0."""
        self.inputs = inputs
        self.roles = read.roles
        super().__init__(axes, inputs.values(), self._extent, read.definitions)
        self.absent = absent
        self.places = picks = WindowPicks(self)
        self.running = WindowRunning(self, picks)

    def _extent(self, name: str, node: t.Reduce) -> int:
        known = (id(node), name)
        if known not in self.roles:
            self.roles[known] = role(name, node.names.index(name), node, self.definitions)
        side, along = self.roles[known]
        return self.inputs.sizes[side][along]

    def table(self, name: str, at: tuple[Axed, ...]) -> Dual:
        """An array at some indices; the padding of x holds minus infinity."""
        found = super().table(name, at)
        if not np.isnan(found.value.data).any():
            return found
        if name == "delta" and self.absent:
            return Dual(found.value, None, self.together(np.isnan, found.value))
        if name != "x" or not any(self.inputs.padding):
            return found
        (height, width), (ph, pw) = self.inputs.sizes["input"], self.inputs.padding

        def padded(value: Array, i: Array, j: Array) -> Array:
            inside = (i >= -ph) & (i < height + ph) & (j >= -pw) & (j < width + pw)
            whole = (i == np.floor(i)) & (j == np.floor(j))
            return np.where(np.isnan(value) & inside & whole, -np.inf, value)

        return Dual(self.together(padded, found.value, *at))

    def _choice(self, truth: Truth, then: t.Node, otherwise: t.Node, scope: Scope) -> Dual:
        return Dual(self._chosen(truth, *(self._case(part, scope) for part in (then, otherwise))))

    def _case(self, node: t.Node, scope: Scope) -> Axed:
        """What holds in one case; 0 where a factor of it is the message of no window."""
        found = self.dual(node, scope)
        if found.off is None:
            return found.value
        return self.together(
            lambda v, off: np.where(np.isnan(v) & off, 0.0, v), found.value, found.off
        )


class WindowPicks(Picks):
    def __init__(self, on: WindowDuals) -> None:
        super().__init__(on)
        self._windows = on.inputs

    def is_pair(self, node: t.Node) -> bool:
        found, _ = self.unfolded(node, {}) if isinstance(node, t.Name) else (node, {})
        return (isinstance(found, t.Over) and found.kind in VALUE_OF) or super().is_pair(node)

    def pair(self, node: t.Node, scope: Scope) -> tuple[Dual, ...]:
        body, inner = self.unfolded(node, scope)
        if isinstance(body, t.Over):
            return tuple(map(Dual, self.over(body.kind, body.region, inner)))
        return super().pair(node, scope)

    def over(self, kind: str, region: t.Node, scope: Scope) -> tuple[Axed, ...]:
        """`kind` over a window's inputs or over a whole array: one value, or a row and a column."""
        region, scope = self.unfolded(region, scope)
        if isinstance(region, t.Windows):
            binder = t.Binder(("k", "l"), region)
            return (self._on.number(t.Reduce("sum", t.Number(1.0), (binder,), None), scope),)
        if isinstance(region, t.Window):
            at = self._place(region, scope)
            return tuple(
                cells(self._on.axes, table, (BATCH,), at, np.nan)
                for table in self._windows.over_windows(kind)
            )
        assert isinstance(region, t.Name)
        return tuple(Axed(t_, (BATCH,)) for t_ in self._windows.over_all(kind, region.name))

    def member(self, left: t.Node, right: t.Node, scope: Scope) -> Truth:
        """Where a place belongs to a set; a window that does not exist has no inputs."""
        found = super().member(left, right, scope)
        window = isinstance(self.unfolded(right, scope)[0], t.Window)
        return Truth(found.holds) if window else found

    def holds(self, at: tuple[Axed, ...], domain: t.Node, scope: Scope) -> Truth:
        """Where the place `at` belongs to the set; unknown of no window."""
        match domain:
            case t.Window():
                window = self._place(domain, scope)
                return Truth(self._covers(at, window), self._missing(window))
            case t.Windows():
                return Truth(self._covers(self._place(domain, scope), at))
            case t.Over():
                return self._tied(at, domain, scope)
        return super().holds(at, domain, scope)

    def _place(self, node: t.Window | t.Windows, scope: Scope) -> tuple[Axed, ...]:
        return tuple(index.value for index in self.indices(node.indices, scope))

    def _tied(self, at: tuple[Axed, ...], domain: t.Over, scope: Scope) -> Truth:
        """The places that share the maximum: (i,j) in argmax(k,l)."""
        (best,) = self.over(VALUE_OF[domain.kind], domain.region, scope)
        region, inner = self.unfolded(domain.region, scope)
        array = region.name if isinstance(region, t.Name) else "x"
        # A place outside of the array is no maximum: only the maximum itself may be undefined.
        own = self._on.together(
            lambda v: np.where(np.isnan(v), -np.inf, v), self._on.table(array, at).value
        )
        same = self.equal(own, best)
        if isinstance(region, t.Window):
            inside = Truth(self.holds(at, region, inner).holds, same.unknown)
            return both(self._on.together, same, inside)
        return same

    def _missing(self, window: tuple[Axed, ...]) -> Axed | None:
        """Where there is no such output; None: it is there everywhere."""
        sizes = self._windows.sizes["output"]
        counted = zip(window, sizes, strict=True)
        if all(self._on.axes.counts(of, size) is not None for of, size in counted):
            return None
        (high, wide) = sizes
        gone = self._on.together(
            lambda k, m: (k < 0) | (k >= high) | (m < 0) | (m >= wide), *window
        )
        return gone if gone.data.any() else None

    def _covers(self, place: tuple[Axed, ...], window: tuple[Axed, ...]) -> Axed:
        """Where the input `place` lies in Omega of the output `window`."""
        return self._on.together(
            np.logical_and, *(self._along(n, place[n], window[n]) for n in (0, 1))
        )

    def _along(self, side: int, place: Axed, window: Axed) -> Axed:
        w = self._windows
        sizes = w.sizes["input"][side], w.sizes["output"][side]

        def inside(at: Array, of: Array) -> Array:
            first = of * w.stride[side] - w.padding[side]
            covered = (at >= first) & (at < first + w.kernel[side])
            return np.asarray(covered & (at >= 0) & (at < sizes[0]) & (of >= 0) & (of < sizes[1]))

        return self._on.together(inside, place, window)


class WindowRunning(Running):
    longest = 4_096

    def __init__(self, on: WindowDuals, picks: WindowPicks) -> None:
        super().__init__(on)
        self._windows, self._picks = on.inputs, picks

    def over_whole(self, node: t.Over, scope: Scope) -> Dual:
        return Dual(self._picks.over(node.kind, node.region, scope)[0])

    def best(self, kind: str, body: Dual, counts: Axed, running: tuple[int, ...]) -> Dual:
        """What counts and has no value leaves the maximum without one."""
        values, exists, kept = self._flat(body.value, counts, running)
        return Dual(Axed(folded(kind, values, exists), kept))

    def first(
        self, kind: str, value: Axed, counts: Axed, running: tuple[int, ...]
    ) -> tuple[Axed, Array, tuple[int, ...]]:
        values, exists, kept = self._flat(value, counts, running)
        ahead = first_best(kind, values, exists)
        values = np.where(np.isnan(ahead)[..., None], np.nan, values)
        return Axed(np.nan_to_num(ahead).astype(np.intp), kept), values, kept

    def _flat(
        self, value: Axed, counts: Axed, running: tuple[int, ...]
    ) -> tuple[Array, Array, tuple[int, ...]]:
        union = (*value.axes, *counts.axes)
        full = [self._on.axes.full(part, union) for part in (value, counts)]
        (values, kept), (exists, _) = (flattened(self._on.axes, one, running) for one in full)
        return values, exists, kept

    def index(
        self, name: str, place: int, node: t.Reduce, domain: t.Node | None, scope: Scope
    ) -> tuple[Axed, int]:
        if domain is None or isinstance(domain, t.Range):
            return super().index(name, place, node, domain, scope)
        axes, windows = self._on.axes, self._windows
        if not (isinstance(domain, t.Window) and windows.roomy):
            side = "output" if isinstance(domain, t.Windows) else "input"
            index = axes.new(windows.sizes[side][place])
            return index, index.axes[0]
        # The row or the column of a window, so many steps from its first one.
        step = axes.new(windows.kernel[place])
        of = self._on.places.indices(domain.indices, scope)[place].value
        stride, padding = windows.stride[place], windows.padding[place]
        return self._on.together(lambda k, a: k * stride - padding + a, of, step), step.axes[0]


# -- A tree to numbers, over a whole batch at once.
#
# Each index is an axis, each node an array over the axes it depends on.  Undefined values (cells
# outside of an array, 0/0) are NaN; a false indicator, an untaken branch and a condition that a
# sum does not meet hide them.


_TOO_LARGE: Final = "This formula takes too many steps to be tried on random inputs."


def evaluate(read: Read, batch: WindowBatch) -> Array:
    """Target dx: (B,H,W); J: (B,Ho,Wo,H,W); float64, NaN where the formula is undefined.

    Raises FormulaError where the formula needs too much memory or time.
    """
    f, tables = np.asarray(batch.f), _TABLES.setdefault(batch, {})
    sides = (batch.kernel, batch.stride, batch.padding)
    steps = {name: batch.jacobian("first") for name in read.steps}
    inputs = Inputs(*sides, batch.x, batch.delta, f, steps, tables)
    try:
        with np.errstate(all="ignore"):
            return _filled(read, inputs, _parts(read, inputs))
    except OffsetError as trouble:
        raise located(trouble, read.source) from None
    except (TooLargeError, TooMuchError):
        raise FormulaError(_TOO_LARGE, "use fewer sums inside sums", 1, 1) from None


def _filled(read: Read, inputs: Inputs, found: Array) -> Array:
    """A message that is undefined at pixels that are left over, with 0 for products that have one.

    There delta[i//2,j//2] asks for a window that does not exist, which has no message.
    """
    if read.target.jacobian or not np.isnan(found).any():
        return found
    gaps = np.isnan(found) & ~_inside(inputs).any((0, 1))
    if not gaps.any():
        return found
    again = _parts(read, inputs, absent=True)
    if (gaps & ~np.isnan(again)).any():
        read.beyond.add("delta (where there is no window)")
    return np.where(gaps, again, found)


def _inside(inputs: Inputs) -> Array:
    """(Ho,Wo,H,W): whether (i,j) is in Omega(k,l)."""
    sides = []
    for high, size, k, s, p in zip(
        *(inputs.sizes[side] for side in ("output", "input")),
        *(inputs.kernel, inputs.stride, inputs.padding),
        strict=True,
    ):
        ahead = np.arange(size) - (np.arange(high)[:, None] * s - p)
        sides.append((ahead >= 0) & (ahead < k))
    rows, columns = sides
    return np.asarray(rows[:, None, :, None] & columns[None, :, None, :])


def _parts(read: Read, inputs: Inputs, absent: bool = False) -> Array:
    """The whole batch at once, or in smaller parts where that needs too much memory."""
    total = inputs.x.shape[0]
    step = total
    spent = 0
    done: list[Array] = []
    start = 0
    while start < total or not done:
        part = slice(start, start + step)
        fewer = inputs if step == total else inputs.some(part)
        axes = Axes(fewer.x.shape[0], spent)
        try:
            done.append(_whole(read, fewer, axes, absent))
        except TooLargeError:
            if step <= 1:
                raise
            step = max(1, step // 4)
            continue
        finally:
            spent = axes.spent
        start += step
    return np.concatenate(done) if len(done) > 1 else done[0]


def _whole(read: Read, inputs: Inputs, axes: Axes, absent: bool) -> Array:
    jacobian = read.target.jacobian
    duals = WindowDuals(inputs, axes, read, absent)
    window = tuple(axes.new(size) for size in inputs.sizes["output"])
    place = tuple(axes.new(size) for size in inputs.sizes["input"])
    at = (*window, *place) if jacobian else place
    scope = {name: Dual(index) for name, index in zip(read.indices, at, strict=True)}
    if not jacobian:
        # Free k,l in a dx: the window that contains (i,j).  The learner may define them instead.
        free = {n: Dual(i) for n, i in zip(("k", "l"), window, strict=True)}
        scope = {**{n: i for n, i in free.items() if n not in duals.definitions}, **scope}
    value = duals.number(read.body, scope)
    order = (BATCH, *(axis for index in at for axis in index.axes))
    if jacobian or not {*value.axes} & {axis for one in window for axis in one.axes}:
        return np.ascontiguousarray(axes.full(value, order).data, dtype=np.float64)
    full = axes.full(value, (BATCH, *(axis for one in (*window, *place) for axis in one.axes)))
    # The value at the one window of each input: 0 in none, NaN in several.
    inside = _inside(inputs)
    total: Array = np.where(inside, full.data, 0.0).sum((1, 2))
    return np.where(inside.sum((0, 1)) > 1, np.nan, total)
