"""An optimum as a kind of exercise: the maximiser or minimiser of what a card gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Final

import numpy as np

from engine.exercise import ExerciseError
from engine.formula.axes import Array, Mask
from engine.formula.tokens import tokenize
from engine.messages.kinds import with_kinds
from engine.messages.model import Batch, Model
from engine.messages.problem import Aim, Optima, OptimumProblem, Run, active_at
from engine.messages.solver import (
    InteriorPoint,
    curvature,
    held,
    newton,
    polished,
    tangent,
)
from engine.messages.targets import (
    KnownRule,
    Target,
    named,
    usual,
)
from engine.messages.value import ArrayTarget, Value
from engine.messages.vocabulary import Words
from engine.verdict import Mistake

# -- What is asked for, by the keys of a card.


def asked(aim: Aim, words: Words, problem: Model) -> tuple[Words, tuple[Target, ...]]:
    """The words of an answer, and what is asked for.  Raises ExerciseError."""
    found: list[Target] = []
    for written, name in zip(aim.over, aim.names, strict=True):
        left, _ = named([one for one in tokenize(written) if one.kind != "newline"], words)
        letters = left.upper if left is not None else None
        if letters is None:
            letters = usual(name, problem.survey, ())
        if len(letters) != words.arities[name]:
            said = f"{name} has {words.arities[name]} indices, here are {len(letters)}"
            raise ExerciseError(f"exercise: over: {said}: write one letter for each.")
        found.append(Optimum(name, "", letters))
    spoken = replace(
        words,
        output="",
        asked=frozenset(aim.names),
        fixed=words.fixed - {*aim.names},
        sought=problem.moved("") & {*words.arities},
    )
    return spoken, tuple(found)


def moving(problem: Model, declared: Mapping[str, str]) -> Model:
    """The problem with a kind for each variable: a derivation speaks of any values of them.

    Raises OffsetError where the objective has no value on any.
    """
    assert isinstance(problem, OptimumProblem)
    every = with_kinds(problem.anywhere, declared, (Value(problem.objective, "", ()),))
    return replace(problem, found={name: every.kinds[name] for name in problem.over})


# -- The maximiser or the minimiser, one of its variables.


#: No answer comes to this.
_NOWHERE: Final = 1e300


@dataclass(frozen=True, slots=True)
class Optimum(ArrayTarget):
    """Where the objective of an OptimumProblem is best: `above` is a variable, `below` is ""."""

    title: ClassVar[str] = "the optimum"

    # What it comes to.

    def values(self, batch: Batch) -> Array:
        return _laid_out(_of(batch).values[self.above])

    def known(self, batch: Batch, values: Array) -> Mask:  # noqa: ARG002
        return _of(batch).known

    def moved(self, batch: Batch, n: int) -> Array:
        """The optimum of what rounding might have made of the objective: one step of Newton's."""
        key = ("moved", n)
        if key not in batch.kept:
            optima, rounded = _of(batch), batch.rounded[n].rounding
            run = Run(_problem(batch), batch.inputs, batch.length)
            other = Run(_problem(batch), batch.inputs, batch.length, rounding=rounded)
            rows = np.arange(run.count)
            z = np.nan_to_num(optima.found.z)
            with np.errstate(all="ignore"):
                move = newton(run, z, rows, optima.found.active, other.slopes(z, rows))
            batch.kept[key] = run.parted(z + move)
        return _laid_out(batch.kept[key][self.above])

    def nearest(self, batch: Batch, got: Array) -> Array:
        """The answer itself where it is as good as the optimum that was found, and so right."""
        expected = Target.nearest(self, batch, got)
        near = np.abs(got - expected) <= _SAME * np.abs(expected)
        if near.reshape(len(got), -1).all(axis=1)[_of(batch).known].all():
            return expected
        with np.errstate(all="ignore"):
            right = Where.of(self, batch, got).as_good
        return np.where(right.reshape(-1, *[1] * (got.ndim - 1)), got, expected)

    def beside(self, batch: Batch, got: Array) -> dict[str, Array]:
        problem = _problem(batch)
        with np.errstate(all="ignore"):
            return {
                f"{problem.objective} at yours": problem.sign * Where.of(self, batch, got).here.f
            }

    def falsified(self, batch: Batch, **changes: Any) -> Array:
        """Where it would be with a slip in the message, or with another set of conditions."""
        optima = _of(batch)
        turned = changes.pop("turned", "")
        inputs = {n: -value if n == turned else value for n, value in batch.inputs.items()}
        run = Run(_problem(batch), inputs, batch.length, **changes)
        rows = np.arange(run.count)
        z = np.nan_to_num(optima.found.z)
        with np.errstate(all="ignore"):
            active = active_at(run, z, rows)
            found, gone = polished(run, z, rows, active, most=12)
        known = (gone < 1e-9) & optima.known
        # Where most inputs have none, it is no answer's reason.
        none = np.nan if known.sum() > optima.known.sum() / 2 else _NOWHERE
        return _laid_out(run.parted(np.where(known[:, None], found, none))[self.above])

    # What is often got wrong.

    def likely(self, few: Any) -> Iterator[KnownRule]:
        yield from _of_conditions(self, few.batch)
        yield from _of_signs(self, few.batch)
        yield from _of_sizes(few.batch)

    def plain(self, judged: Sequence[Any]) -> Iterator[KnownRule]:
        return _of_another_kind(_problem(judged[0].batch))

    def traits(self, judged: Sequence[Any], others: Iterator[KnownRule]) -> Iterator[KnownRule]:
        problem = _problem(judged[0].batch)
        yield from _of_scale(problem)
        yield from others
        yield from _violating(problem)


def _problem(batch: Batch) -> OptimumProblem:
    assert isinstance(batch.model, OptimumProblem)
    return batch.model


def _of(batch: Batch) -> Optima:
    return _problem(batch).optima(batch.inputs, batch.length)


def _laid_out(values: Array) -> Array:
    """(B, O, 1)."""
    return values.reshape(len(values), -1, 1)


# -- An answer in the place of the optimum: is it as good, or what is it?


#: So far apart, for their size, two points are one.
_SAME: Final = 1e-9


@dataclass(frozen=True, eq=False)
class Where:
    """The numbers of an answer as a point (B, N); the other variables are where they are best."""

    run: Run
    optima: Optima
    z: Array

    @classmethod
    def of(cls, target: Target, batch: Batch, got: Array) -> Where:
        optima = _of(batch)
        run = Run(_problem(batch), batch.inputs, batch.length)
        parts = {**run.parted(optima.found.z), target.above: got}
        laid = [parts[name].reshape(len(got), -1) for name in run.shapes]
        return cls(run, optima, np.concatenate(laid, axis=1))

    @cached_property
    def here(self) -> InteriorPoint:
        return self.run.slopes(self.z, np.arange(len(self.z)))

    @cached_property
    def held(self) -> Mask:
        """(B, M): which conditions hold."""
        return held(self.run.equal, self.here.c, self.z)

    @cached_property
    def active(self) -> Mask:
        return active_at(self.run, self.z, np.arange(len(self.z)))

    @cached_property
    def stands(self) -> Mask:
        """(B,): whether Newton's method stays there."""
        known = np.isfinite(self.here.g).all(axis=1) & self.held.all(axis=1)
        move = newton(self.run, self.z, np.arange(len(self.z)), self.active, self.here)
        size = np.abs(self.z).max(axis=1)
        return np.asarray(known & (np.abs(move).max(axis=1) <= _SAME * size))

    @cached_property
    def as_good(self) -> Mask:
        """(B,): whether it fulfils all that an optimum must, and no worse."""
        best = self.optima.found.f
        level = self.here.f <= best + 1e-9 * (1 + np.abs(best))
        return np.asarray(self.optima.found.met & self.stands & level)

    @cached_property
    def pulls(self) -> Array:
        """(B, M): how much better the value gets where a condition gives way; 0 where none may."""
        back, _ = tangent(np.where(self.active[:, :, None], self.here.j, 0.0))
        return np.asarray((back.swapaxes(1, 2) @ self.here.g[:, :, None])[:, :, 0])

    def pushes(self, sign: float) -> Mask:
        """(B,): whether no inequality holds it back from what is less, or with -1 from more."""
        against = sign * self.pulls < -_SAME * (1 + np.abs(self.here.g).max(axis=1)[:, None])
        return np.asarray(~(against & ~self.run.equal).any(axis=1))

    def bends(self) -> Array:
        """(B, N): curvatures along what the conditions leave, NaN of the rest."""
        _, onto = tangent(np.where(self.active[:, :, None], self.here.j, 0.0))
        whole = curvature(self.run, self.z, np.arange(len(self.z)), self.pulls)
        values, vectors = np.linalg.eigh(onto @ np.nan_to_num(whole) @ onto)
        free = np.linalg.norm(onto @ vectors, axis=1) > 0.5
        return np.where(free, values, np.nan)


# -- Known wrong rules that are made of the problem: a condition, a sign, a size.


def _falsified(target: Optimum, **changes: Any) -> Callable[[Any], Array]:
    return lambda one: one.numbers(target.falsified(one.batch, **changes))


def _of_conditions(target: Optimum, batch: Batch) -> Iterator[KnownRule]:
    active = _of(batch).found.active
    run = Run(_problem(batch), batch.inputs, batch.length)
    for name, one in _problem(batch).conditions:
        if not active[:, run.places(name)].any():
            continue
        teaching = f"{one.said} must hold as well: it changes where the optimum is."
        yield Mistake(f"the optimum without {one.said}", teaching), _falsified(target, without=name)
        if one.op != "=":
            teaching = f"Where {one.said} holds with room to spare, it changes nothing: two cases."
            mistake = Mistake(f"{one.said} taken for an equation", teaching)
            yield mistake, _falsified(target, equated=name)


def _of_signs(target: Optimum, batch: Batch) -> Iterator[KnownRule]:
    problem = _problem(batch)
    for name, count in problem.drawn.items():
        if count == 0 and problem.kinds[name] in ("real", "positive"):
            teaching = f"Follow {name} from the objective on: it keeps its sign."
            mistake = Mistake(f"-{name} in place of {name}", teaching)
            yield mistake, _falsified(target, turned=name)


def _of_sizes(batch: Batch) -> Iterator[KnownRule]:
    """What may have been done to the right numbers."""
    for letter in _problem(batch).sized:
        said = f"the number of {letter}"
        less = f"What is best divides by {said} itself; 1 less is for an estimate without bias."
        mistake = Mistake(f"{said} less 1 in place of {said}", less)
        yield mistake, partial(_by_one_less, letter)
    for name, teaching, change in _CHANGES:
        yield Mistake(name, teaching), partial(_changed, change)


def _by_one_less(letter: str, one: Any) -> Array:
    size = float(one.batch.letters.get(letter, one.batch.length.numbers.get(letter, 1)))
    return np.asarray(one.expected * (size / (size - 1) if size > 1 else np.nan))


#: What is done to the right numbers by mistake, and what mends it.
_CHANGES: Final[tuple[tuple[str, str, Callable[[Array], Array]], ...]] = (
    (
        "the square root of what is right",
        "What is asked for is a square itself, as a variance is: no root is taken.",
        np.sqrt,
    ),
    ("the square of what is right", "What is asked for is the root of this.", np.square),
    (
        "the inverse of what is right",
        "Solve once more for what is asked for: it stands on the other side of the fraction.",
        np.reciprocal,
    ),
    (
        "1 less what is right",
        "Which of the two is it?  Put in inputs for which you know the optimum.",
        lambda a: 1.0 - a,
    ),
)


def _changed(change: Callable[[Array], Array], one: Any) -> Array:
    return np.asarray(change(one.expected))


# -- What a wrong answer is like: each rule is the answer itself on inputs on which it is so.


def _where(is_so: Callable[[Any, Where], Array]) -> Callable[[Any], Array]:
    def rule(one: Any) -> Array:
        with np.errstate(all="ignore"):
            so = is_so(one, Where.of(one.target, one.batch, one.got))
        return np.asarray(np.where(one.wide(so), one.got, one.expected))

    return rule


def _of_another_kind(problem: OptimumProblem) -> Iterator[KnownRule]:
    """A point where all slopes vanish as well, and that is not best."""
    found, asked = ("a minimum", "a maximum") if problem.sign < 0 else ("a maximum", "a minimum")
    teaching = (
        f"All slopes vanish here, too: whether it is {asked}, the second derivative tells, or "
        "the values on both sides."
    )

    def ends(at: Where) -> tuple[Array, Array]:
        """The least and the largest curvature; NaN where there is none to be had."""
        bends = at.bends()
        low = np.where(np.isnan(bends), np.inf, bends).min(axis=1)
        high = np.where(np.isnan(bends), -np.inf, bends).max(axis=1)
        known = at.stands & np.isfinite(low)
        return np.where(known, low, np.nan), np.where(known, high, np.nan)

    def turned(_: Any, at: Where) -> Array:
        return np.asarray((ends(at)[1] < 0) & at.pushes(-1.0))

    def saddle(_: Any, at: Where) -> Array:
        low, high = ends(at)
        return np.asarray((low < 0) & (high > 0))

    def near(_: Any, at: Where) -> Array:
        return np.asarray((ends(at)[0] > 0) & at.pushes(1.0))

    yield Mistake(f"{found}, not {asked}", teaching), _where(turned)
    yield Mistake(f"a saddle point, not {asked}", teaching), _where(saddle)
    said = f"{asked} among its neighbours only"
    yield Mistake(said, "Compare the values: there is a better one elsewhere."), _where(near)


def _of_scale(problem: OptimumProblem) -> Iterator[KnownRule]:
    for name, one in problem.conditions:
        if one.op == "=":
            teaching = f"The proportions are right. {one.said} tells by what all is divided."
            mistake = Mistake(f"right up to the normalisation: {one.said} does not hold", teaching)
            yield mistake, _where(partial(_in_proportion, name))


def _in_proportion(name: str, one: Any, at: Where) -> Array:
    """(B,): whether all entries are one number times what is right, and a condition is not met."""
    got, right = (values.reshape(len(one.got), -1) for values in (one.got, one.expected))
    top = np.abs(right).argmax(axis=1)[:, None]
    times = np.take_along_axis(got, top, 1) / np.take_along_axis(right, top, 1)
    same = (
        np.abs(got - times * right) <= _SAME * np.abs(times * right).max(axis=1, keepdims=True)
    ).all(axis=1)
    met = at.held[:, at.run.places(name)].all(axis=1)
    return np.asarray(same & ~met & (right.shape[1] > 1))


def _violating(problem: OptimumProblem) -> Iterator[KnownRule]:
    for name, one in problem.conditions:
        teaching = f"Put the numbers of the counterexample into {one.said}."

        def violated(_: Any, at: Where, name: str = name) -> Array:
            return np.asarray(~at.held[:, at.run.places(name)].all(axis=1))

        yield Mistake(f"violates {one.said}", teaching), _where(violated)
