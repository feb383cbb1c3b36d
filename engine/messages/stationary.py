"""What only the derivation of an optimum needs: lines that hold where something is best."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

import numpy as np

from engine.formula import tree as t
from engine.formula.axes import Array
from engine.formula.rewrite import ZERO, names_in, substituted
from engine.formula.tokens import Token, turn
from engine.messages.model import Batch
from engine.messages.problem import OptimumProblem, Run, active_at
from engine.messages.side import FEW, Side, related
from engine.messages.solver import tangent
from engine.verdict import Mistake

#: A multiplier that is none.
_UNMET: Final = Mistake(
    "not what the equations above it say",
    "Put it into the equations above: they do not hold at the optimum with it.",
)
#: What tells of cases, in which a number may be several.
CASES: Final = re.compile(r"\b(?:if|where|when|otherwise|either|case|cases)\b")


#: By so much of itself an optimum is moved; what grows more than so many times in the second
#: of two steps, of which it is 10 times the first, goes with the square.
_NEAR, _SQUARED = 1e-4, 30.0
#: What is closer than this is the same.
_NONE: Final = 1e-12


#: What says that something vanishes, besides "= 0".
SETTLED: Final = re.compile(
    r"to (?:zero|0)\b|vanish|equal(?:s)? (?:zero|0)\b|stationar|KKT|Lagrang"
    r"|at (?:the|an|its) (?:optim|minim|maxim)",
    re.I,
)


def of_part(tokens: list[Token], objective: str) -> bool:
    """Whether a line speaks of L_n, a term of the objective L that has no name of its own."""
    for token, behind in pairwise(tokens):
        name, _, index = token.text.partition("_")
        follows = behind.text == "[" or behind.kind == "subs"
        if name.removeprefix("d") == objective and (index or follows):
            return True
    return False


_UNEQUAL: Final = {"<", ">", "<=", ">="}


def without_sign(tokens: list[Token]) -> list[Token]:
    """A line a = b without the "< 0" behind it, which says what kind of point this is.

    Nor with the ", c >= 0" behind it, which says of what sign a multiplier is.
    """
    texts, depth = [token.text for token in tokens], 0
    cut = len(tokens) - 3 if texts[-3:-1] in (["<", "0"], [">", "0"]) else 0
    for n, token in enumerate(tokens):
        depth += turn(token)
        if depth == 0 and token.text == "," and {*texts[n:]} & _UNEQUAL and "=" not in texts[n:]:
            cut = n
            break
    if "=" not in texts[:cut]:
        return tokens
    return [*tokens[:cut], replace(tokens[-1], at=tokens[cut].at)]


def only_touches(side: Side) -> bool:
    """Whether the two sides of a line that holds at the optimum part with its square only.

    An equation that gives the optimum does so at once; what does not is an identity that is none,
    as with (c - m)^2 in place of N (c - m)^2.
    """
    assert side.reading is not None
    assert side.exercise is not None
    target, rule = side.reading.target, related(side)
    batch = side.exercise.drawn(0, FEW)[0]
    assert isinstance(batch.model, OptimumProblem)
    run, off = Run(batch.model, batch.inputs, batch.length), list[Array]()
    for z in _moved(run, batch.model.optima(batch.inputs, batch.length).found.z):
        inputs = {**batch.inputs, **run.parted(z)}
        near = Batch(batch.model, batch.length, batch.grown, inputs, batch.delta)
        with np.errstate(all="ignore"):
            expected = target.numbers(target.reference(near).jacobian, near)
            parts = np.abs(rule(near) - expected) / (1.0 + np.abs(expected))
            off.append(parts.reshape(len(batch), -1).max(axis=1))
    some = off[0] > _NONE
    return bool(some.any()) and bool(np.median(off[1][some] / off[0][some]) > _SQUARED)


def _moved(run: Run, best: Array) -> Iterator[Array]:
    """Points near the optima (R, N) at two distances, on the conditions that hold there."""
    z, rows = np.nan_to_num(best), np.arange(run.count)
    active = active_at(run, z, rows)[:, :, None]
    _, onto = tangent(np.where(active, run.slopes(z, rows).j, 0.0))
    away = np.random.default_rng(0).uniform(0.2, 1.0, z.shape) * (np.abs(z) + 1e-3)
    along = (onto @ away[:, :, None])[:, :, 0]
    for step in (_NEAR, 10 * _NEAR):
        near = z + step * along
        for _ in range(3):
            here = run.slopes(near, rows)
            back, _ = tangent(np.where(active, here.j, 0.0))
            near = near - (back @ np.where(active, here.c[:, :, None], 0.0))[:, :, 0]
        yield near


def solved(body: t.Node, name: str, letters: Sequence[str]) -> t.Node | None:
    """What a number is where `body` is 0 at all of its indices, as near as may be by squares.

    None where the formula is not linear in it.
    """
    if name not in names_in(body) or not _is_linear(body, name):
        return None
    rest, whole = (substituted(body, {name: t.Number(value)}) for value in (0.0, 1.0))
    by = t.Arithmetic("-", whole, rest)

    def total(term: t.Node) -> t.Node:
        for letter in letters:
            term = t.Reduce("sum", term, (t.Binder((letter,), None),), None)
        return term

    above, below = (total(t.Arithmetic("*", other, by)) for other in (rest, by))
    free = t.Indicator(t.Comparison(("==",), (below, ZERO)))  # any number will do: it is 0
    return t.Negative(t.Arithmetic("/", above, t.Arithmetic("+", below, free)))


def _is_linear(node: t.Node, name: str) -> bool:
    if name not in names_in(node):
        return True
    match node:
        case t.Name():
            return True
        case t.Negative(inner) | t.Reduce("sum", inner, _, None):
            return _is_linear(inner, name)
        case t.Arithmetic("+" | "-", one, two):
            return _is_linear(one, name) and _is_linear(two, name)
        case t.Arithmetic("*" | "/" as op, one, two):
            among = name in names_in(two)
            if among and (op == "/" or name in names_in(one)):
                return False
            return _is_linear(two if among else one, name)
    return False


def blame(found: dict[int, tuple[Side, ...]], late: set[int], several: bool) -> None:
    """Marks what defines a multiplier in place of the equations above that do not hold with it.

    `found` are the sides of each line, `late` those read with what a later line defines.  What is
    0 in one of `several` cases may be another number in the others.
    """
    zero = {
        one.reading.part
        for sides in found.values()
        for one in sides
        if one.mark == "defines" and one.reading and one.reading.formula.body == ZERO
    }
    for n, sides in found.items() if several else ():
        if any(one.names & zero for one in sides):
            found[n] = _spared(sides)
    hold = [
        n
        for n in late
        if any(one.at_best and one.mark == "follows" for one in found[n])
        and not any(one.mark == "wrong" for one in found[n])
    ]
    borne_out = {name for n in hold for one in found[n] for name in one.names}
    for n in sorted(late):
        wrong = [side for side in found[n] if side.mark == "wrong" and side.reading]
        if not wrong or any(side.mark == "wrong" and not side.at_best for side in wrong):
            continue
        spoken = {name for side in wrong for name in side.names}
        defines = {
            m: one.reading.part
            for m, (one, *_) in sorted(found.items())
            if m > n and one.mark == "defines" and one.reading and one.reading.part in spoken
        }
        if borne_out & {*defines.values()}:
            continue
        found[n] = _spared(found[n])
        for m in defines:
            first, *rest = found[m]
            if not several:
                found[m] = (replace(first, mark="wrong", mistake=_UNMET), *rest)


def _spared(sides: tuple[Side, ...]) -> tuple[Side, ...]:
    return tuple(replace(one, mark="unchecked") if one.mark == "wrong" else one for one in sides)
