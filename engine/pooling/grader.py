"""Grades answers to max pooling: its inputs, its conditions, its verdict of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import chain, count
from math import prod
from operator import gt, lt
from typing import Final

import numpy as np

from engine.exercise import (
    Condition,
    Conditions,
    Entries,
    Grader,
    Handed,
    Judge,
    Judgement,
    Reading,
)
from engine.formula.axes import Array, Mask
from engine.formula.tree import FormulaError
from engine.grading import agrees, grade
from engine.latex.transcribe import POOLING
from engine.messages.answer import Read, as_reading
from engine.messages.borders import aim, of_numbers, untried, wholes
from engine.messages.judge import JudgedMessage
from engine.messages.mistakes import named_mistake
from engine.messages.targets import Target
from engine.pooling import reader
from engine.pooling.evaluate import evaluate
from engine.pooling.inputs import (
    JACOBIAN,
    MESSAGE,
    Geometry,
    PoolingBatch,
    Window,
    batches,
    draw,
    draw_each,
    few,
    fresh_geometries,
    holding,
    left_over,
    many,
    moved_apart,
    paired,
    sized,
    smallest_geometries,
    spread,
    tried_geometries,
)
from engine.pooling.mistakes import rules
from engine.pooling.windows import valid_jacobian, valid_message
from engine.verdict import Counterexample, Kind, Mark, Mistake, Outcome, ShownWindows, Verdict
from engine.written import written

# -- An answer's numbers against the reference: where they are off, and what that makes of it.


_TIE_NOTE: Final = (
    "At a tie, any weights of the tied inputs that are at least 0 and sum to 1 are right: "
    "the expected values are one choice."
)

_UNDEFINED = (
    "At ({},{}) the answer has no value: it asks for a window or a place that does not exist, or "
    "divides 0 by 0."
)
#: Free k and l are the one window that holds (i,j), see engine/pooling/evaluate.py.
_SEVERAL: Final = (
    "({},{}) lies in {} windows, and the answer does not say which (k,l) it means: it is read as "
    "the one window that holds (i,j)."
)


@dataclass(frozen=True, eq=False)
class JudgedPooling(JudgedMessage):
    """One batch with what the answer gives on it: dx (B, H, W) or J (B, Ho, Wo, H, W)."""

    batch: PoolingBatch  # type: ignore[assignment]  # windows in place of a model

    @cached_property
    def contested(self) -> Mask:
        """Of got's shape: where the derivative does not exist, because an input ties."""
        shared = self.batch.contested
        return shared if self.target.jacobian else np.asarray(shared.any(axis=(1, 2)))

    def subgradient(self, rows: Array) -> Mask:
        """(R,): whether any weights of the tied maxima give what the answer gives."""
        got, tied = self.got[rows], self.batch.tied[rows]
        if self.target.jacobian:
            return valid_jacobian(got, tied)
        return valid_message(got, self.batch.delta[rows], tied)

    @property
    def entries(self) -> Entries:
        """Which entries are off, with the regions that a window makes of the input."""
        windows = self.batch.inside.sum(axis=(0, 1))
        places = {
            "inputs of several windows": windows > 1,
            "inputs of one window": windows == 1,
            "inputs of no window": windows == 0,
        }
        if self.target.jacobian:
            places = {"inputs outside the window": ~self.batch.inside}
        return Entries(self.off, ~self.contested, self.target.indices, places)

    def shown(self, n: int, part: tuple[int, ...] = ()) -> Counterexample:
        """One of its inputs; of a Jacobian the row of the window that is off most."""
        one, target = None, "dx"
        if self.target.jacobian:
            off = self.off[n] if self.off[n].any() else self.differs[n]
            worst = np.unravel_index(int(off.sum(axis=(2, 3)).argmax()), off.shape[:2])
            part = one = int(worst[0]), int(worst[1])
            target = f"df[{one[0]},{one[1]}]/dx"
        found, batch = super().shown(n, part), self.batch
        undefined = [cell for cell in found.cells if np.isnan(self.got[n][part][cell])]
        notes = [self._undefined(undefined[0])] if undefined else []
        notes += [_TIE_NOTE] if found.note else []
        windows = ShownWindows(batch.kernel, batch.stride, batch.padding, one)
        return replace(found, target=target, values={}, note=" ".join(notes), windows=windows)

    def _undefined(self, cell: tuple[int, ...]) -> str:
        """Why there is no value: where it is missing just at inputs of several windows, these."""
        holding = self.batch.inside.sum(axis=(0, 1))
        if self.target.upstream and (np.isnan(self.got) == (holding > 1)).all():
            return _SEVERAL.format(*cell, int(holding[cell]))
        return _UNDEFINED.format(*cell)


# -- What failing inputs may share, and the same inputs without it.


def _same(of: Callable[[PoolingBatch], bool]) -> Callable[[PoolingBatch], Mask]:
    """A condition on the geometry, the same for every input of a batch."""
    return lambda batch: np.full(len(batch.x), of(batch))


def _tied(batch: PoolingBatch) -> Mask:
    shared = batch.tied.sum(axis=(-2, -1)) > 1
    return np.asarray(shared.any(axis=(-2, -1)))


def _distinct(batch: PoolingBatch) -> Iterator[PoolingBatch]:
    flat = batch.x.reshape(len(batch.x), -1)
    ranks = flat.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
    x = ranks.reshape(batch.x.shape).astype(np.float64)
    yield replace(batch, x=x - flat.shape[1] // 2)


def _not_negative(batch: PoolingBatch) -> Iterator[PoolingBatch]:
    least = np.floor(batch.x.min(axis=(1, 2), keepdims=True))
    yield replace(batch, x=batch.x - np.minimum(least, 0))


def _no_zero_message(batch: PoolingBatch) -> Iterator[PoolingBatch]:
    others = 5.25 + np.arange(batch.delta[0].size).reshape(batch.delta[0].shape)
    yield replace(batch, delta=np.where(batch.delta == 0, others, batch.delta))


def _unpadded(geometry: Geometry) -> Geometry:
    size = paired(max, geometry.size, geometry.kernel)
    return replace(geometry, padding=(0, 0), size=size)


def _without_gaps(geometry: Geometry) -> Geometry:
    return replace(geometry, stride=paired(min, geometry.stride, geometry.kernel))


def _without_rest(geometry: Geometry) -> Geometry:
    closer = _without_gaps(geometry)
    return holding(closer.window, closer.windows)


def _laid(
    *changes: Callable[[Geometry], Geometry],
) -> Callable[[PoolingBatch], Iterator[PoolingBatch]]:
    """Inputs of other geometries, as many."""
    return lambda batch: (_some(change(batch.geometry), len(batch)) for change in changes)


@lru_cache(maxsize=256)
def _some(geometry: Geometry, count: int) -> PoolingBatch:
    return draw(geometry, np.random.default_rng(count), count)


def _strides(relation: Callable[[int, int], bool]) -> Callable[[PoolingBatch], Mask]:
    """How the stride stands to the kernel, along one axis at least."""
    return _same(lambda batch: any(map(relation, batch.stride, batch.kernel)))


#: In the order in which they are named.
_ALONE: Final = (
    Condition("windows overlap", _same(lambda batch: batch.overlaps), _laid(moved_apart, spread)),
    Condition("there is padding", _same(lambda batch: any(batch.padding)), _laid(_unpadded)),
    Condition("a value occurs twice in a window", _tied, _distinct),
    Condition("stride is larger than the kernel", _strides(gt), _laid(_without_gaps)),
    Condition(
        "an input lies in no window",
        _same(lambda batch: not batch.inside.any(axis=(0, 1)).all()),
        _laid(_without_rest),
    ),
    Condition(
        "an input is negative", lambda b: np.asarray((b.x < 0).any(axis=(1, 2))), _not_negative
    ),
    Condition(
        "an upstream message is 0",
        lambda b: np.asarray((b.delta == 0).any(axis=(1, 2))),
        _no_zero_message,
    ),
)


#: Those that may be named together.  A stride below the kernel is there for one window alone,
#: which overlaps with none.
_JOINED: Final = (
    _ALONE[0],
    Condition("stride is smaller than the kernel", _strides(lt), _laid(moved_apart, spread)),
    *_ALONE[1:6],
)
CONDITIONS: Final = Conditions([(one,) for one in _ALONE], _JOINED)


# -- Max pooling as the check sees it: its formulas, geometries, subgradients and wrong rules.


#: Of the inputs with windows moved apart, before "only without overlap" is said.
APART_TRIALS: Final = 120
#: So many of the numbers are heard; so many inputs are moved to them, so many laid in each layout,
#: and two in those whose loops take more steps.
_HEARD: Final = 4
_NEAR: Final = 12
_LAID: Final = 4
_FEW: Final = 2_000
#: A function is called at most so often to see whether it counts.
_CALLS: Final = 5_000

_OTHER_MESSAGE: Final = {
    JACOBIAN: (
        "This is the Jacobian df/dx; the exercise asks for the backward message dL/dx.",
        "the left side of what is asked is dL/dx[i,j]",
    ),
    MESSAGE: (
        "This is the backward message dL/dx; the exercise asks for the Jacobian df/dx.",
        "the left side of what is asked is df_kl/dx_ij",
    ),
}


@dataclass(frozen=True)
class PoolingGrader(Grader[PoolingBatch, Target, JudgedPooling]):
    window: Window | None
    """None of any window."""
    targets: tuple[Target, ...]
    first_index: int

    def read(self, answer: str, part: str = "", step: int | None = None) -> Reading[Target]:
        del part
        read = reader.read(answer, self.first_index, step)
        target = read.target
        if target not in self.targets:
            message, hint = _OTHER_MESSAGE[target]
            raise FormulaError(message, hint, 1, 1, read.echo)
        return as_reading(read, self.first_index)

    def steps(self, answer: str, thorough: bool = True) -> Sequence[Judgement]:  # noqa: ARG002
        return steps(answer, self)

    def evaluate(self, reading: Reading[Target], batch: PoolingBatch) -> Array:
        read: Read = reading.formula
        return evaluate(read, batch)

    def handed(self, batch: PoolingBatch) -> Handed:
        (kh, kw), (sh, sw), (ph, pw) = batch.kernel, batch.stride, batch.padding
        inputs, outputs = batch.x.shape[1:], batch.delta.shape[1:]
        shapes = {MESSAGE: inputs, JACOBIAN: (*outputs, *inputs)}
        return Handed(
            {"x": batch.x, "delta": batch.delta},
            {
                **{"kernel": batch.kernel, "stride": batch.stride, "padding": batch.padding},
                **{"kh": kh, "kw": kw, "sh": sh, "sw": sw, "ph": ph, "pw": pw},
                **{"H": inputs[0], "W": inputs[1], "Ho": outputs[0], "Wo": outputs[1]},
            },
            {target: shapes[target] for target in self.targets},
            given=2,
            output="f",
        )

    def lone(self, batch: PoolingBatch) -> int:
        return super().lone(batch) + (batch.kernel == (1, 1))  # of one input, no maximum

    def drawn(self, seed: int, trials: int) -> Sequence[PoolingBatch]:
        return _drawn(self.window, seed, trials)

    def fresh(self, seed: int) -> Sequence[PoolingBatch]:
        return _fresh(self.window, seed)

    def aimed(
        self, reading: Reading[Target], drawn: Sequence[PoolingBatch]
    ) -> Sequence[PoolingBatch]:
        del drawn
        said = reading.numbers
        return _aimed(self.window, said, reading.formula is None) if said else ()

    def small(self) -> Iterable[PoolingBatch]:
        """A few telling inputs of each small geometry come first, then all that are listed."""
        geometries = smallest_geometries(self.window)
        return chain(map(few, geometries), map(many, geometries))

    def judged(
        self, batch: PoolingBatch, target: Target, got: Array, rule: object = None
    ) -> JudgedPooling:
        del rule
        return JudgedPooling(batch, target, got)

    def named(
        self,
        judged: Sequence[JudgedPooling],
        fresh: Sequence[JudgedPooling],
        thorough: bool,  # noqa: ARG002
    ) -> Mistake | None:
        return named_mistake(judged, fresh, rules)

    @property
    def conditions(self) -> Conditions[PoolingBatch]:
        return CONDITIONS

    def outcome(
        self,
        judged: Sequence[JudgedPooling],
        judge: Judge[PoolingBatch, JudgedPooling],
        seed: int,
    ) -> Outcome:
        failing = [one.batch for one in judged if one.astray.any()]
        if not all(one.overlaps for one in failing) or all(one.aimed for one in failing):
            return "wrong"
        # Do they fail because windows overlap?  The same kernels, moved apart, must pass.
        if any(one.astray.any() for one in judge.each(_apart(self.window, seed))):
            return "wrong"
        return "only-without-overlap"


@lru_cache(maxsize=8)
def _drawn(window: Window | None, seed: int, trials: int) -> tuple[PoolingBatch, ...]:
    """The random inputs, kept: while an answer is typed they stay the same."""
    return tuple(batches(tried_geometries(window), seed, trials))


@lru_cache(maxsize=8)
def _aimed(
    window: Window | None, numbers: tuple[float, ...], calls: bool
) -> tuple[PoolingBatch, ...]:
    """Inputs about the numbers that stand in an answer, and as large; `calls`: and as many."""
    small = smallest_geometries(window)
    # Where windows overlap, that might pass for the reason of a failure.
    plain = next((g for g in small if not g.overlaps and prod(g.size) > 5), small[-1])
    near = draw(plain, np.random.default_rng(0), _NEAR)
    rows, measure = {"x": near.x, "delta": near.delta}, of_numbers(numbers[:_HEARD])
    found = aim(rows, dict.fromkeys(rows, "real"), measure, list(range(len(measure(rows))))).rows
    x, delta = (np.concatenate([found[name], rows[name]]) for name in rows)
    layouts = [(g, _LAID if g.steps <= _FEW else 2) for g in sized(window, numbers)]
    layouts += [(small[0], n + 1) for n in wholes(numbers, _CALLS) if calls]
    laid = [draw(g, np.random.default_rng(n), many) for n, (g, many) in enumerate(layouts)]
    first = replace(near, x=x, delta=delta, unmet=untried(numbers))
    return tuple(replace(one, aimed=True) for one in (first, *laid))


@lru_cache(maxsize=8)
def _fresh(window: Window | None, seed: int) -> tuple[PoolingBatch, ...]:
    seeds = (np.random.default_rng([seed, n, 1]) for n in count())
    return tuple(map(draw_each, fresh_geometries(window), seeds))


@lru_cache(maxsize=8)
def _apart(window: Window | None, seed: int) -> tuple[PoolingBatch, ...]:
    """Inputs for the exercise's kernels with no two windows on the same input."""
    moved = [moved_apart(g) for g in tried_geometries(window) if g.overlaps]
    if window is not None:
        # Inputs in no window are among the general ones already.
        moved += [left_over(geometry) for geometry in moved]
    return tuple(batches(dict.fromkeys(moved), seed, APART_TRIALS))


# -- A text about max pooling: each of its formulas judged, as the lines of a derivation are.


#: So many inputs tell whether a formula is right.
_SOME: Final = 60
_DISPLAY: Final = re.compile(r"\$\$.*?\$\$|\$[^$]*\$", re.DOTALL)
_SENTENCE: Final = re.compile(r"(?:[^\W\d_]{2,},? ){4}")
#: What a text says before a formula that holds for windows apart alone.
_APART: Final = re.compile(r"(?:non-?|not |no |without )overlap|disjoint|stride\s*=\s*kernel", re.I)


@dataclass(frozen=True, slots=True)
class PoolingSide:
    """One formula of a text, judged; see `engine.exercise.Judgement`."""

    at: int
    mark: Mark
    grader: PoolingGrader
    reading: Reading[Target] | None = None
    kind: Kind = "derivative"
    message: str = ""
    hint: str = ""
    apart: bool = False
    """Whether it is said of windows that do not overlap alone."""

    @property
    def read(self) -> str:
        return self.reading.echo.split("\n")[-1] if self.reading is not None else ""

    @property
    def tex(self) -> str:
        return ""

    @property
    def part(self) -> str:
        right = self.mark == "follows" and not self.apart
        return str(self.reading.target) if right and self.reading is not None else ""

    def verdict(self, seed: int, trials: int, thorough: bool) -> Verdict:
        assert self.reading is not None
        rule = partial(self.grader.evaluate, self.reading)
        about = (self.grader, seed, trials, thorough)
        return grade(rule, self.reading.target, *about, reading=self.reading)


def steps(answer: str, grader: PoolingGrader) -> Sequence[PoolingSide]:
    """The formulas of a text with displays; none of an answer that is a formula alone."""
    if answer.count("$$") < (2 if _SENTENCE.search(_DISPLAY.sub("", answer)) else 4):
        return ()
    found = written(answer, POOLING)
    sides: list[PoolingSide] = []
    above: list[str] = []
    start = 0
    for line in found.text.split("\n"):
        at = found.offsets[min(start, len(found.offsets) - 1)]
        sides.append(_side(line, above, at, answer, grader))
        if sides[-1].mark in ("defines", "follows"):
            above.append(line)
        start += len(line) + 1
    return sides


def _side(line: str, above: list[str], at: int, answer: str, grader: PoolingGrader) -> PoolingSide:
    message, hint = "", ""
    for lines in (["\n".join((*above, line))], [line]):
        try:
            reading = grader.read(lines[0])
        except FormulaError as trouble:
            message, hint = message or trouble.message, hint or trouble.hint
            continue
        rule = partial(grader.evaluate, reading)
        if agrees(rule, grader, 0, _SOME, reading):
            return PoolingSide(at, "follows", grader, reading)
        wrong = PoolingSide(at, "wrong", grader, reading)
        apart = _APART.search(answer, max(0, at - 200), at) is not None
        if apart and wrong.verdict(0, _SOME, thorough=False).verdict == "only-without-overlap":
            return PoolingSide(at, "follows", grader, reading, apart=True)
        return wrong
    with suppress(FormulaError):
        grader.read("\n".join((*above, line, "dx[i,j] = delta[k,l]")))
        return PoolingSide(at, "defines", grader, kind="definition")
    if line.lstrip().startswith("f"):  # what is given, said once more
        return PoolingSide(at, "unchecked", grader, kind="definition")
    return PoolingSide(at, "unread", grader, message=message, hint=hint)
