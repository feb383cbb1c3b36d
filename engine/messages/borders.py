"""Where a formula flips from one branch to another, and inputs on both sides."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from math import isfinite
from operator import add, mul, sub, truediv
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from engine.formula.axes import Array
from engine.formula.tree import Name, Node, Number
from engine.formula.unparse import unparse

# -- How far each choice of a formula is from its border: comparisons, |x|, max and min of several.


#: No more borders of one formula are looked at.
MOST: Final = 12
#: The largest size that an answer's own numbers ask for, and how many of them are heard.
LONGEST: Final = 48
_HEARD: Final = 3
_NUMBER: Final = r"\d[\d_]*\.?\d*(?:[eE][-+]?\d+)?"
#: Numbers with operators between them, and one of these: worked out from left to right.
_RUN: Final = re.compile(rf"-?(?<![\w.]){_NUMBER}(?:\s*(?:\*\*|[-+*/^])\s*{_NUMBER})*")
_TERM: Final = re.compile(rf"(\*\*|[-+*/^]|)\s*({_NUMBER})")
_APPLIED: Final[dict[str, Callable[[float, float], float]]] = {
    **{"": add, "+": add, "-": sub, "*": mul, "/": truediv, "**": pow, "^": pow}
}


class Border(NamedTuple):
    off: Array
    """(B, P): left less right, at each place that the choice is made at."""
    left: Node
    right: Node
    equal: bool = False
    """Whether the choice asks for equality."""

    def side(self, sign: int) -> str:
        return f"{unparse(self.left)} {('==', '>', '<')[sign]} {unparse(self.right)}"

    @property
    def lacking(self) -> tuple[int, ...]:
        """The sides on which there is no input."""
        met = {int(sign) for sign in (-1, 0, 1) if (np.sign(self.off) == sign).any()}
        if self.equal:
            return () if 0 in met and len(met) > 1 else tuple({-1, 0, 1} - met)
        return tuple({-1, 1} - met)

    @property
    def ends(self) -> Array:
        """(B, 2): the least and the largest of a row, which tell one border from another."""
        rows = np.where(np.isnan(self.off), 0.0, self.off)
        return np.stack([rows.min(axis=1), rows.max(axis=1)], axis=1)

    def same(self, other: Border) -> bool:
        """Whether it is the same border, by the numbers: x > 0, and -x < 0 as well."""
        one, two = self.ends, other.ends
        turned = -two[:, ::-1]
        return any(np.allclose(one, end, rtol=1e-9, atol=1e-12) for end in (two, turned))


def numbers(text: str) -> tuple[float, ...]:
    """The numbers in an answer and what arithmetic of them may come to, without 0, 1 and 2."""
    found: dict[float, None] = {}
    for run in _RUN.findall(text):
        total = 0.0
        for op, said in _TERM.findall(run):
            with suppress(OverflowError, ZeroDivisionError):
                number = float(said.replace("_", ""))
                total = abs(_APPLIED[op](total, number))
                found.update({number: None, total: None})
        found.update({-total: None} if run.startswith("-") else {})
    return tuple(one for one in found if isfinite(one) and abs(one) not in (0, 1, 2))


def wholes(numbers: Iterable[float], most: int = LONGEST) -> tuple[int, ...]:
    """The first of those that may be sizes."""
    return tuple(int(c) for c in numbers if c.is_integer() and 2 < c <= most)[:_HEARD]


def untried(numbers: Iterable[float]) -> tuple[str, ...]:
    """The sizes that are too large to be tried, in words."""
    return tuple(f"sizes of {c:g}" for c in numbers if c.is_integer() and c > LONGEST)


@dataclass(eq=False, slots=True)
class Borders:
    """Takes what an evaluation meets; (B, ...) arrays, the batch first."""

    equalities: bool = False
    """Whether == and != are looked at, too."""
    found: list[Border] = field(default_factory=list)

    def note(self, off: Array, left: Node, right: Node | None, equal: bool = False) -> None:
        if len(self.found) < MOST * (1 + self.equalities):
            flat = np.asarray(off, dtype=np.float64).reshape(len(off), -1)
            self.found.append(Border(flat, left, right or Number(0.0), equal))


def apart(found: list[Border], known: list[Border]) -> list[int]:
    """Which of them are the same as none before, nor as one that is `known`."""
    kept: list[int] = []
    for n, one in enumerate(found):
        if not any(one.same(other) for other in (*known, *(found[k] for k in kept))):
            kept.append(n)
    return kept


# -- Inputs on both sides of every border, near and far: what random ones may never cross.
#
# A choice in a formula (a comparison, |x|, max and min of several) has a border.  Where no input
# that was drawn lies on one of its sides, scaled ones are tried; then, between an input on each
# side, the border is closed in on, and inputs are laid at a few distances on both sides of it.


Rows: TypeAlias = Mapping[str, Array]
#: Borders at some inputs; NaN in the rows that have no finite value.
Measure: TypeAlias = Callable[[Rows], list[Border]]

#: How far from a border inputs are laid, of 1 or of the size of the input.
DISTANCES: Final = (1e-5, 1e-3, 3e-2)
#: By what inputs are multiplied in search of a side, mildest first.
_FACTORS: Final = (
    *(3.0, 0.1, 10.0, 0.01, 30.0, 1e-3, 100.0, 1e-4),
    *(1e3, 1e-6, 1e4, 1e6, 1e9, 1e12, 1e15),
)
#: So many inputs are multiplied by each.
_SCALED: Final = 12
#: So many inputs are laid on a side on which there were none.
_FAR: Final = 6
#: So many at all of its places.
_WHOLLY: Final = 2
#: So many pairs of inputs are taken for all borders together, and for each of them.
_PAIRS: Final = 18
_EACH: Final = (2, 6)
#: In each of so many rounds a line is cut into so many pieces: to less than 1e-7 of it.
_ROUNDS: Final = 5
_PIECES: Final = 32
_MOVABLE: Final = ("real", "positive", "unit")


@dataclass(frozen=True, slots=True)
class Aimed:
    rows: dict[str, Array]
    """The inputs found, (N, ...) of each."""
    unmet: tuple[str, ...]
    """The sides on which no input was found, in words."""


def aim(rows: Rows, kinds: Mapping[str, str], measure: Measure, which: list[int]) -> Aimed:
    """Find inputs about those borders of `measure` that are named by `which`, from given `rows`."""
    pool = dict(rows)
    found = measure(pool)
    movable = [name for name in rows if kinds.get(name) in _MOVABLE and rows[name].size]
    lacking = [(n, sign) for n in which for sign in found[n].lacking]
    unmet: list[str] = []
    count = len(next(iter(pool.values())))
    if lacking and movable:
        candidates = _candidates(rows, kinds, movable)
        tried = measure(candidates)
        taken: list[int] = []
        for n, sign in lacking:
            on = _on(tried[n], sign)
            hits = np.flatnonzero(on.any(axis=1))[:_FAR]
            taken += [*hits.tolist(), *np.flatnonzero(on.all(axis=1))[:_WHOLLY].tolist()]
            if not (hits.size or found[n].equal or _idle(found[n]) or _idle(tried[n])):
                unmet.append(found[n].side(sign))
        pool = _joined(pool, _picked(candidates, np.array(taken, dtype=np.intp)))
        found = measure(pool)
    pairs = int(np.clip(_PAIRS // max(1, len(which)), *_EACH))
    each = [(found[n], n, pairs * (1 + found[n].equal)) for n in which if movable]
    lines = [line for one in each for line in _lines(*one)]
    far = np.arange(count, len(next(iter(pool.values()))))
    near = _closed_in(pool, movable, measure, lines)
    if equal := [n for n, sign in lacking if sign == 0]:
        met = measure(_joined(pool, near))
        unmet += [met[n].side(0) for n in equal if 0 in met[n].lacking]
    return Aimed(_joined(_picked(pool, far), near), tuple(dict.fromkeys(unmet)))


def of_numbers(numbers: tuple[float, ...]) -> Measure:
    """Borders of a function, which tells of none: where its arrays come to one of its numbers."""

    def measure(rows: Rows) -> list[Border]:
        found = []
        for name, value in rows.items():
            flat = value.reshape(len(value), -1)
            least, most = flat.min(axis=1, keepdims=True), flat.max(axis=1, keepdims=True)
            total = flat.sum(axis=1, keepdims=True)
            of = (flat, flat - flat[:, :1], least, most, most - least, total)
            found += [Border(a - c, Name(name), Number(c), True) for c in numbers for a in of]
        return found

    return measure


def _on(border: Border, sign: int) -> Array:
    """(B, P): where it lies on one side, or at 0 on the border."""
    return np.asarray(np.sign(border.off) == sign)


def _idle(border: Border) -> bool:
    """Whether both outcomes are met all the same, as of [t > 0] where t is 0 or 1."""
    off = border.off[np.isfinite(border.off)]
    return not off.size or bool((off == 0).any() and (off != 0).any())


def _picked(rows: Rows, at: Array) -> dict[str, Array]:
    return {name: value[at] for name, value in rows.items()}


def _joined(*parts: Rows) -> dict[str, Array]:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _candidates(rows: Rows, kinds: Mapping[str, str], movable: list[str]) -> dict[str, Array]:
    """Some inputs with all or one of their arrays multiplied, mildest first."""
    some = _picked(rows, np.arange(min(_SCALED, len(next(iter(rows.values()))))))
    alone = [[name] for name in movable] if 1 < len(movable) <= 4 else []
    made = [
        {name: _moved(kinds[name], v, f) if name in names else v for name, v in some.items()}
        for f in _FACTORS
        for names in (movable, *alone)
    ]
    units = [name for name in movable if kinds[name] == "unit"]
    made += [
        {name: 1 - (1 - v) * f if name in units else v for name, v in some.items()}
        for f in _FACTORS
        if f < 1 and units
    ]
    return _joined(*made)


def _moved(kind: str, value: Array, factor: float) -> Array:
    if kind == "unit":
        return value * factor if factor < 1 else 1 - (1 - value) / factor
    return value * factor


def _lines(border: Border, n: int, pairs: int) -> Iterator[tuple[int, int, int, int]]:
    """Pairs of inputs, one on each side at the same place: (border, place, below, above).

    At several places and of several inputs, from the nearest to the border to the farthest: what
    else holds there may be needed for a mistake to show.
    """
    low, high = _on(border, -1), _on(border, 1)
    places = np.flatnonzero(low.any(axis=0) & high.any(axis=0))
    far = np.abs(np.nan_to_num(border.off, nan=np.inf))
    for turn in range(pairs if places.size else 0):
        place = int(places[turn % len(places)])
        ends = []
        for side in (low, high):
            order = np.argsort(np.where(side[:, place], far[:, place], np.inf), kind="stable")
            ends.append(int(order[turn * (int(side[:, place].sum()) - 1) // max(1, pairs - 1)]))
        yield n, place, ends[0], ends[1]


def _closed_in(
    pool: Rows, movable: list[str], measure: Measure, lines: list[tuple[int, int, int, int]]
) -> dict[str, Array]:
    """Inputs a few distances away from where the lines cross their borders, on both sides."""
    if not lines:
        return _picked(pool, np.zeros(0, dtype=np.intp))
    of, place, below, above = (np.array(column) for column in zip(*lines, strict=True))
    own = np.arange(len(lines))

    def along(t: Array) -> dict[str, Array]:
        """(L * T, ...): points of every line, t (L, T) from 0, below, to 1, above."""
        made = {}
        for name, value in pool.items():
            start, end = value[below], value[above if name in movable else below]
            wide = t.reshape(*t.shape, *[1] * (value.ndim - 1))
            points = start[:, None] + wide * (end - start)[:, None]
            made[name] = points.reshape(t.size, *value.shape[1:])
        return made

    borders: list[Border] = []

    def beyond(t: Array) -> Array:
        """(L, T): how far beyond the border of its line a point is."""
        borders[:] = measure(along(t))
        offs = [border.off.reshape(*t.shape, -1) for border in borders]
        return np.stack([offs[n][k, :, p] for k, n, p in zip(own, of, place, strict=True)])

    low, high = np.zeros(len(lines)), np.ones(len(lines))
    kept = beyond(high[:, None])[:, 0] > 0
    for _ in range(_ROUNDS):
        t = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, _PIECES + 1)
        off = beyond(t)
        crossed = off > 0
        crossed[:, -1] = True
        first = np.maximum(crossed.argmax(axis=1), 1)
        low, high = t[own, first - 1], t[own, first]
    before, behind = off[own, first - 1], off[own, first]
    here, length = _sizes(pool, movable, along(high[:, None]), below, above)
    steps = np.array(DISTANCES) * (here / length)[:, None]
    t = np.clip(np.concatenate([low[:, None] - steps, high[:, None] + steps], axis=1), 0, 1)
    kept &= np.isfinite(length) & (length > 0)
    points = _picked(along(t), np.flatnonzero(np.repeat(kept, t.shape[1])))
    equal = np.flatnonzero(kept & [borders[n].equal for n in of])
    if not equal.size:
        return points
    # As good as linear there; rounded, what should be equal is: a number, or a sum of plain ones.
    share = np.clip(np.nan_to_num(before / (before - behind)), 0, 1)
    on = _picked(along((low + (high - low) * share)[:, None]), equal)
    digits = 11 - np.ceil(np.log10(here[equal])).astype(int)
    rounded = [
        {name: np.stack(list(map(np.round, v, to))) for name, v in on.items()}
        for to in (digits, np.full(len(equal), 2), np.zeros(len(equal), dtype=int))
    ]
    exact = _joined(*rounded)
    met = measure(exact)
    hits = [met[of[k]].off[n, place[k]] == 0 for n, k in enumerate([*equal] * len(rounded))]
    return _joined(points, _picked(exact, np.flatnonzero(hits)))


def _sizes(
    pool: Rows, movable: list[str], crossing: Rows, below: Array, above: Array
) -> tuple[Array, Array]:
    """(L,): how large the inputs are where a line crosses, at least 1; how long the line is."""
    here, length = np.ones(len(below)), np.full(len(below), 1e-300)
    for name in movable:
        flat = crossing[name].reshape(len(below), -1)
        moves = np.abs(pool[name][above] - pool[name][below]).reshape(len(below), -1)
        longest = moves.max(axis=1, initial=0.0)
        at = np.abs(flat).max(axis=1, initial=0.0)
        # Of inputs between 0 and 1 a small border is a matter of small distances.
        scale = np.where(at < 1e-2, np.maximum(at, 1e-3), np.maximum(at, 1.0))
        here = np.where(longest > length, scale, here)
        length = np.maximum(length, longest)
    return here, length
