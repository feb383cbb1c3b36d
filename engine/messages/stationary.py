"""What only the derivation of an optimum needs: lines that hold where something is best."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np

from engine.formula.axes import Array
from engine.formula.rewrite import ZERO
from engine.formula.tokens import Token
from engine.messages.evaluation import MessageGrader
from engine.messages.model import Batch
from engine.messages.side import FEW, Side, related
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


def without_sign(tokens: list[Token]) -> list[Token]:
    """A line a = b without the "< 0" behind it, which says what kind of point this is."""
    texts = [token.text for token in tokens]
    if texts[-3:-1] not in (["<", "0"], [">", "0"]) or "=" not in texts:
        return tokens
    return [*tokens[:-3], replace(tokens[-1], at=tokens[-3].at)]


def only_touches(side: Side) -> bool:
    """Whether the two sides of a line that holds at the optimum part with its square only.

    An equation that gives the optimum does so at once; what does not is an identity that is none,
    as with (c - m)^2 in place of N (c - m)^2.
    """
    assert side.reading is not None
    assert side.exercise is not None
    target, rule = side.reading.target, related(side)
    off: list[Array] = []
    batch = side.exercise.drawn(0, FEW)[0]
    best = {name: batch.values[name] for name in batch.model.anywhere.drawn}
    shift = 1.0 + np.random.default_rng(0).uniform(0.2, 1.0, len(batch))
    for step in (_NEAR, 10 * _NEAR):
        moved = {
            name: value * (1.0 + step * shift.reshape(-1, *[1] * (value.ndim - 1)))
            for name, value in best.items()
            if name not in batch.inputs
        }
        inputs = {**batch.inputs, **moved}
        near = Batch(batch.model, batch.length, batch.grown, inputs, batch.delta)
        with np.errstate(all="ignore"):
            expected = target.numbers(target.reference(near).jacobian, near)
            off.append(np.abs(rule(near) - expected).reshape(len(batch), -1).max(axis=1))
    with np.errstate(all="ignore"):
        return bool(np.nanmedian(off[1] / off[0]) > _SQUARED)


@lru_cache(maxsize=256)
def anywhere(exercise: MessageGrader) -> MessageGrader:
    """The exercise on inputs of which none is at its best."""
    task = exercise.task
    return replace(exercise, task=replace(task, model=task.model.anywhere))


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
    for n in sorted(late):
        wrong = [side for side in found[n] if side.mark == "wrong" and side.reading]
        if not wrong or any(side.mark == "wrong" and not side.at_best for side in wrong):
            continue
        spoken = {name for side in wrong for name in side.names}
        found[n] = _spared(found[n])
        for m in sorted(found):
            first, *rest = found[m]
            is_it = first.mark == "defines" and first.reading and first.reading.part in spoken
            if m > n and is_it and not several:
                found[m] = (replace(first, mark="wrong", mistake=_UNMET), *rest)


def _spared(sides: tuple[Side, ...]) -> tuple[Side, ...]:
    return tuple(replace(one, mark="unchecked") if one.mark == "wrong" else one for one in sides)
