"""The least value of a function under constraints, on many inputs at once, to the last digits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np

from engine.formula.axes import Array, Mask

# -- What is solved: the least f(z) with c(z) = 0 or c(z) >= 0, R problems of one shape in a batch.


@dataclass(frozen=True, eq=False, slots=True)
class InteriorPoint:
    """Values and slopes at some z (R, N); NaN where there are none."""

    f: Array
    """(R,)"""
    g: Array
    """(R, N): the gradient of f."""
    c: Array
    """(R, M)"""
    j: Array
    """(R, M, N): the gradients of c."""


class Program(Protocol):
    """A function and its constraints, of the problems that `rows` (R,) names."""

    equal: Mask
    """(M,): which constraints are equations."""
    strict: Mask
    """(M,): borders on which no optimum lies, those of c > 0."""

    def values(self, z: Array, rows: Array) -> tuple[Array, Array]:
        """f (R,) and c (R, M)."""

    def slopes(self, z: Array, rows: Array) -> InteriorPoint: ...


@dataclass(frozen=True, eq=False, slots=True)
class Solved:
    """What was found for each problem."""

    z: Array
    """(R, N)"""
    f: Array
    """(R,)"""
    met: Mask
    """(R,): whether all that must hold at a least value holds."""
    flat: Mask
    """(R,): whether others nearby may be as good."""
    active: Mask
    """(R, M): which constraints hold with equality, and matter."""


_FOUND: Final = ("z", "f", "met", "flat", "active")


# -- Curvature: differences of exact gradients.


#: A step by its share of z, of which at least _LEAST counts; half of a number's digits at best.
_STEP, _LEAST = 1e-5, 1e-3


def curvature(program: Program, z: Array, rows: Array, weights: Array) -> Array:
    """(R, N, N): second derivatives of f - weights c, symmetric; NaN where there are none."""
    found = _differences(program, z, rows, weights, _STEP * np.maximum(np.abs(z), _LEAST))
    # Near the border of where there are values, steps are shorter.
    again = np.flatnonzero(np.isnan(found).any(axis=(1, 2)))
    if again.size:
        step = _STEP * np.maximum(np.abs(z[again]), 1e-12)
        found[again] = _differences(program, z[again], rows[again], weights[again], step)
    return found


def _differences(program: Program, z: Array, rows: Array, weights: Array, step: Array) -> Array:
    count, size = z.shape
    moved = np.eye(size)[:, None] * step
    sides = np.concatenate([z + moved, z - moved, z[None]]).reshape(-1, size)
    at = program.slopes(sides, np.tile(rows, 2 * size + 1))
    every = np.tile(weights, (2 * size + 1, 1))
    slope = (at.g - np.einsum("rm,rmn->rn", every, at.j)).reshape(2 * size + 1, count, size)
    above, below, here = slope[:size], slope[size:-1], slope[-1]
    width = np.moveaxis(step, 1, 0)[:, :, None]
    found = (above - below) / (2 * width)
    if step.min(initial=1.0) < _STEP * _LEAST:  # at the border itself, one side is enough
        found = np.where(np.isnan(found), (above - here) / width, found)
        found = np.where(np.isnan(found), (here - below) / width, found)
    whole = np.moveaxis(found, 0, 1)
    return np.asarray((whole + whole.swapaxes(1, 2)) / 2)


def tangent(j: Array) -> tuple[Array, Array]:
    """The pseudo-inverse (R, N, M) of gradients (R, M, N), and the projection on the rest."""
    size = j.shape[2]
    one = np.broadcast_to(np.eye(size), (len(j), size, size))
    if not j.shape[1]:
        return np.zeros((len(j), size, 0)), one
    back = np.linalg.pinv(np.nan_to_num(j, posinf=0.0, neginf=0.0), rcond=1e-11)
    return back, one - back @ j


def _of(matrix: Array, vector: Array) -> Array:
    return np.asarray((matrix @ vector[..., None])[..., 0])


# -- From far: an interior-point method.
#
# Each inequality c >= 0 is c = s with a slack s > 0 and a price for a small one, -mu log s; the
# steps are Newton's on what then must vanish, and mu falls.  On curvature that bends the wrong way
# a step goes down all the same.  (Nocedal and Wright, "Numerical optimization", 2006, ch. 19.)


_STEPS: Final = 40
_LEAST_MU: Final = 1e-9
#: So often in a row a step that leads nowhere is taken for the end.
_STUCK: Final = 2
#: Beyond this nothing is looked for: the values fall without end.
_FAR: Final = 1e9
#: Nearer to a border than this, the border itself is where the values fall.
_EDGE: Final = 1e-9


_STATE: Final = ("z", "s", "pull", "mu", "penalty", "stuck")


@dataclass(eq=False, slots=True)
class _Inner:
    """The state of the search: points, slacks and multipliers of inequalities, prices."""

    z: Array
    s: Array
    pull: Array
    mu: Array
    penalty: Array
    stuck: Array

    def put(self, rows: Array, other: _Inner) -> None:
        for name in _STATE:
            getattr(self, name)[rows] = getattr(other, name)

    def some(self, rows: Array) -> _Inner:
        return _Inner(*(getattr(self, n)[rows] for n in _STATE))


def descend(program: Program, starts: Array, rows: Array) -> tuple[Array, Array]:
    """Points (R, N) near least values, and the multipliers (R, M) of the inequalities there."""
    free = ~program.equal
    _, c = program.values(starts, rows)
    slack = np.where(c[:, free] > 1e-2, c[:, free], 1e-1)
    mu = np.full(len(rows), 0.1)
    ones, none = np.ones(len(rows)), np.zeros(len(rows))
    state = _Inner(starts.copy(), slack, 0.1 / slack, mu, ones, none)
    live = np.arange(len(rows))
    for _ in range(_STEPS):
        if not live.size:
            break
        part = state.some(live)
        done = _step(program, part, rows[live])
        state.put(live, part)
        live = live[~done]
    pull = np.zeros(c.shape)
    pull[:, free] = np.where(state.s < state.pull, state.pull, 0.0)
    return state.z, pull


def _step(program: Program, at: _Inner, rows: Array) -> Mask:
    """One step; which of the problems are done, or hopeless."""
    free = ~program.equal
    here = program.slopes(at.z, rows)
    lost = ~(np.isfinite(here.g).all(axis=1) & np.isfinite(here.j).all(axis=(1, 2)))
    size = np.abs(at.z).max(axis=1)
    lost |= ~(size < _FAR)
    lost |= (at.s[:, program.strict[free]] < _EDGE * (1 + size)[:, None]).any(axis=1)
    g, j, c = (np.nan_to_num(x, posinf=0.0, neginf=0.0) for x in (here.g, here.j, here.c))
    je, ji, ce, ci = j[:, ~free], j[:, free], c[:, ~free], c[:, free]
    back, onto = tangent(je)
    hold = _of(back.swapaxes(1, 2), g - _of(ji.swapaxes(1, 2), at.pull))
    weights = np.zeros(c.shape)
    weights[:, free], weights[:, ~free] = at.pull, hold
    bend = np.nan_to_num(curvature(program, at.z, rows, weights), posinf=0.0, neginf=0.0)
    ratio = at.pull / at.s
    whole = bend + ji.swapaxes(1, 2) @ (ratio[:, :, None] * ji)
    slope = g - _of(ji.swapaxes(1, 2), at.mu[:, None] / at.s - ratio * (ci - at.s))
    normal = -_of(back, ce)
    along = -_of(onto, slope + _of(whole, normal))
    move = normal + _of(_tamed(onto @ whole @ onto, onto), along)
    slack = ci - at.s + _of(ji, move)
    pull = at.mu[:, None] / at.s - at.pull - ratio * slack
    terms = np.abs(g).max(axis=1) + np.abs(bend).max(axis=(1, 2)) * np.abs(at.z).max(axis=1)
    error = _error(_of(onto, g - _of(ji.swapaxes(1, 2), at.pull)), terms, at, ce, ci)
    at.penalty = np.maximum(
        at.penalty, 2 * np.abs(hold).max(axis=1, initial=0.0) + 2 * at.pull.max(axis=1, initial=0.0)
    )
    most = np.minimum(_reach(at.s, slack), 1.0)
    long = _searched(program, at, rows, move, slack, most, (here.f, c))
    at.z = at.z + long[:, None] * move
    at.s = at.s + long[:, None] * slack
    at.pull = at.pull + np.minimum(_reach(at.pull, pull), 1.0)[:, None] * pull
    close = error < 10 * at.mu
    at.mu = np.where(close, np.maximum(np.minimum(0.2 * at.mu, at.mu**1.5), _LEAST_MU), at.mu)
    gone = np.abs(long[:, None] * move).max(axis=1) / (1e-9 + np.abs(at.z).max(axis=1))
    at.stuck = np.where((gone < 1e-11) & ~close, at.stuck + 1, 0)
    ended = (at.mu <= _LEAST_MU) | (not free.any())
    return np.asarray(lost | (at.stuck >= _STUCK) | (ended & ((error < 1e-8) | (gone < 1e-11))))


def _error(rest: Array, terms: Array, at: _Inner, ce: Array, ci: Array) -> Array:
    """How far the state is from what must vanish; `rest` is a gradient of so large `terms`."""
    parts = (rest / (1 + terms)[:, None], ce, ci - at.s, at.s * at.pull - at.mu[:, None])
    return np.asarray(np.max([np.abs(p).max(axis=1, initial=0.0) for p in parts], axis=0))


def _tamed(matrix: Array, onto: Array) -> Array:
    """The inverse of a symmetric matrix on a subspace, of the sizes of its eigenvalues alone."""
    one = np.eye(matrix.shape[1])
    values, vectors = np.linalg.eigh(matrix + (one - onto))
    sizes = np.abs(values)
    floor = 1e-10 * sizes.max(axis=1, keepdims=True) + 1e-14
    return np.asarray((vectors / np.maximum(sizes, floor)[:, None]) @ vectors.swapaxes(1, 2))


def _reach(now: Array, move: Array) -> Array:
    """How far each may go and stay above 0."""
    with np.errstate(all="ignore"):
        ends = np.where(move < 0, -0.995 * now / move, np.inf)
    return np.asarray(ends.min(axis=1, initial=np.inf))


def _searched(
    program: Program,
    at: _Inner,
    rows: Array,
    move: Array,
    slack: Array,
    most: Array,
    before: tuple[Array, Array],
) -> Array:
    """(R,): how long a step is, such that values and constraints together get better."""
    free = ~program.equal

    def merit(f: Array, c: Array, s: Array, some: Array) -> Array:
        with np.errstate(all="ignore"):
            price = at.mu[some] * np.log(s).sum(axis=1)
            off = np.abs(c[:, ~free]).sum(axis=1) + np.abs(c[:, free] - s).sum(axis=1)
            return np.asarray(f - price + at.penalty[some] * off)

    every = np.arange(len(rows))
    start = merit(*before, at.s, every)
    long, open_ = most.copy(), every
    for n in range(16):
        z = at.z[open_] + long[open_, None] * move[open_]
        s = at.s[open_] + long[open_, None] * slack[open_]
        found = merit(*program.values(z, rows[open_]), s, open_)
        better = found <= start[open_] + 1e-13 * np.abs(start[open_])
        open_ = open_[~better]
        if not open_.size:
            return long
        long[open_] *= 0.5 if n < 5 else 0.1
    long[open_] = 0.0
    return long


# -- From near: Newton's method on the constraints that hold with equality, to the last digits.


def polished(
    program: Program, z: Array, rows: Array, active: Mask, most: int = 8
) -> tuple[Array, Array]:
    """The points where all that must vanish does, and how far the last step went (R,)."""
    z, gone = z.copy(), np.full(len(z), np.inf)
    live = np.arange(len(z))
    for _ in range(most):
        if not live.size:
            break
        move = newton(program, z[live], rows[live], active[live])
        size = np.abs(z[live])
        size += 1e-6 * size.max(axis=1, keepdims=True) + 1e-12
        size = (np.abs(move) / size).max(axis=1)
        keep = (size < 2 * gone[live]) | (gone[live] > 1e-6)
        z[live[keep]] += move[keep]
        known = np.isfinite(size)
        settled = ~keep | (size < 1e-14) | ~known
        gone[live] = np.where(known, np.where(keep, size, gone[live]), np.inf)
        live = live[~settled]
    return z, gone


def newton(
    program: Program, z: Array, rows: Array, active: Mask, at: InteriorPoint | None = None
) -> Array:
    """(R, N): the step to where the gradient along the active constraints vanishes."""
    here = at or program.slopes(z, rows)
    j = np.where(active[:, :, None], here.j, 0.0)
    c = np.where(active, here.c, 0.0)
    back, onto = tangent(j)
    weights = _of(back.swapaxes(1, 2), here.g)
    bend = np.nan_to_num(curvature(program, z, rows, weights), posinf=0.0, neginf=0.0)
    normal = -_of(back, c)
    along = -_of(onto, here.g + _of(bend, normal))
    inner = onto @ bend @ onto
    move = normal + _of(onto @ np.linalg.pinv(inner, rcond=1e-10, hermitian=True), along)
    known = np.asarray(np.isfinite(here.g).all(axis=1))
    return np.where(known[:, None], move, np.nan)


# -- The whole: several starts, the best of what they lead to, held against other points.


#: A gradient, of the size of its terms; a constraint; and another value that is not less.
_GRADIENT, _FEASIBLE, _BETTER = 1e-7, 1e-9, 1e-9
#: Below this share of the largest curvature there is none.
_FLAT: Final = 1e-9


def judged(
    program: Program, z: Array, rows: Array, active: Mask, inner: Array | None = None
) -> Solved:
    """Whether points fulfil all that must hold at a least value.

    On a border where f has none, as 0 log 0, its value is that of points `inner` nearby.
    """
    here = program.slopes(z, rows)
    if inner is not None:
        near, _ = program.values(inner, rows)
        here = replace(here, f=np.where(np.isnan(here.f), near, here.f))
    fits = held(program.equal, here.c, z).all(axis=1)
    j = np.where(active[:, :, None], here.j, 0.0)
    back, onto = tangent(j)
    weights = np.where(active, _of(back.swapaxes(1, 2), here.g), 0.0)
    rest = np.abs(_of(onto, here.g)).max(axis=1)
    terms = np.abs(here.g).max(axis=1) + np.abs(weights[:, :, None] * here.j).max(
        axis=(1, 2), initial=0.0
    )
    bend = curvature(program, z, rows, weights)
    known = np.isfinite(bend).all(axis=(1, 2)) & np.isfinite(here.f) & np.isfinite(z).all(axis=1)
    bend = np.nan_to_num(bend, posinf=0.0, neginf=0.0)
    size = np.abs(bend).max(axis=(1, 2))
    # A gradient is small where a step by it would hardly move anything.
    small = rest <= _GRADIENT * (1e-12 + terms + size * np.abs(z).max(axis=1))
    values = np.linalg.eigvalsh(
        onto @ bend @ onto + (np.eye(z.shape[1]) - onto) * size[:, None, None]
    )
    # Where it is hard to tell on which side of a border the optimum lies, there is none.
    signs = (~active | (weights > 1e-7 * terms[:, None]) | program.equal).all(axis=1)
    edge = _EDGE * (1 + np.abs(z).max(axis=1, keepdims=True))
    signs &= (~program.strict | (here.c > edge)).all(axis=1)
    met = known & fits & small & signs & (values[:, 0] >= -1e-7 * size)
    flat = values[:, 0] <= _FLAT * size + 1e-300
    return Solved(z, here.f, met, flat, active)


def held(equal: Mask, c: Array, z: Array) -> Mask:
    """(R, M): which constraints hold."""
    slack = _FEASIBLE * (1 + np.abs(z).max(axis=1, keepdims=True))
    return np.asarray(np.where(equal, np.abs(c) <= slack, c >= -slack))


def least(program: Program, starts: Array, challengers: Callable[[Array], Array]) -> Solved:
    """The least value of each of R problems from K starts (K, R, N) each.

    `challengers` makes other points (L, R, N) of those found (R, N), near and far.
    """
    tries, count, size = starts.shape
    rows = np.tile(np.arange(count), tries)
    with np.errstate(all="ignore"):
        z, pull = descend(program, starts.reshape(-1, size), rows)
        found = [_finished(program, z, rows, (pull > 0) | program.equal)]
        if not program.equal.all():  # near a border, it is hard to tell whether one is on it
            plain = np.broadcast_to(program.equal, pull.shape)
            found.append(_finished(program, z, rows, plain))
        whole = best(found, count)
        beaten = _beaten(program, whole, challengers(whole.z))
        return replace(whole, met=whole.met & ~beaten)


def _finished(program: Program, z: Array, rows: Array, active: Mask) -> Solved:
    better, gone = polished(program, z, rows, active)
    found = judged(program, np.where(np.isfinite(better), better, z), rows, active, inner=z)
    return replace(found, met=found.met & (gone < 1e-6))


def best(some: Sequence[Solved], count: int) -> Solved:
    """Of each of `count` problems the best of its tries."""
    every = {n: np.concatenate([getattr(one, n) for one in some]) for n in _FOUND}
    known = every["met"] & np.isfinite(every["f"])
    value = np.where(known, every["f"], np.inf).reshape(-1, count)
    at = value.argmin(axis=0) * count + np.arange(count)
    return Solved(**{name: every[name][at] for name in _FOUND})


def _beaten(program: Program, found: Solved, others: Array) -> Mask:
    """(R,): where another point that fulfils the constraints has a smaller value."""
    count, rows, size = others.shape
    at = np.tile(np.arange(rows), count)
    z = others.reshape(-1, size)
    for _ in range(4):
        if not program.equal.any():
            break
        here = program.slopes(z, at)
        back, _ = tangent(here.j[:, program.equal])
        z = z - _of(back, np.nan_to_num(here.c[:, program.equal]))
    f, c = program.values(z, at)
    less = f < np.tile(found.f, count) - 1e-7 * (1 + np.abs(np.tile(found.f, count)))
    return np.asarray(
        (less & held(program.equal, c, z).all(axis=1)).reshape(count, rows).any(axis=0)
    )
