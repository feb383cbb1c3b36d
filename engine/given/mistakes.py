"""Known wrong rules for any forward message, each computed from the message itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.formula.axes import Array
from engine.given.judge import TOLERANCE, Judged

#: On so many inputs a rule must say something: a rule may be NaN where it does not apply.
_TELLING = 20


@dataclass(frozen=True, slots=True)
class Mistake:
    name: str
    teaching: str


def named(judged: Sequence[Judged]) -> Mistake | None:
    """The first known wrong rule that the numbers agree with on every input tried."""
    for mistake, rules in _rules(judged):
        pairs = list(zip(judged, rules, strict=True))
        telling = sum(len(one.got) for one, rule in pairs if np.isfinite(rule).any())
        if telling >= _TELLING and all(_agrees(one, rule) for one, rule in pairs):
            return mistake
    return None


def _rules(judged: Sequence[Judged]) -> Iterator[tuple[Mistake, list[Array]]]:
    yield (
        Mistake("sign", "The size is right: look for a minus that was lost or is one too many."),
        [-one.expected for one in judged],
    )
    target = judged[0].target
    if target.upstream:
        yield (
            Mistake(
                "upstream message forgotten",
                "By the chain rule each output's slope is multiplied by its delta before summing.",
            ),
            [one.reference.jacobian.sum(axis=1).reshape(one.expected.shape) for one in judged],
        )
    factor = _ratio(judged)
    if factor is not None:
        yield (
            Mistake(
                f"a constant factor: {factor:g} times what is right",
                "Follow the factors in front: those of a power, a mean or a square.",
            ),
            [factor * one.expected for one in judged],
        )
    if target.upstream:
        yield from _dropped(judged)


def _ratio(judged: Sequence[Judged]) -> float | None:
    """The factor between the answer and what is right, taken where the latter is largest."""
    one = max(judged, key=lambda j: float(np.abs(_known(j)).max(initial=0.0)))
    known = np.abs(_known(one))
    if not known.size or not known.max(initial=0.0) > 0:
        return None
    at = np.unravel_index(int(known.argmax()), known.shape)
    factor = float(one.got[at] / one.expected[at])
    if not np.isfinite(factor) or factor in (0.0, 1.0):
        return None
    return float(f"{factor:.9g}")


def _known(one: Judged) -> Array:
    return np.where(one.wide(one.left_out_mask) | one.contested, 0.0, one.expected)


def _dropped(judged: Sequence[Judged]) -> Iterator[tuple[Mistake, list[Array]]]:
    """A factor of the chain rule left out: an array's slope by the one it is made of, entry by
    entry, taken for 1; or taken entry by entry where every entry depends on all."""
    target, model = judged[0].target, judged[0].batch.model
    for held in model.held(target.above, target.below):
        said = " and ".join(held)
        yield (
            Mistake(
                f"{said} taken for constant",
                f"{target.below} moves {said} too: the chain rule goes through there as well.",
            ),
            [_message(one, one.batch.constant(target, held)) for one in judged],
        )
    for later, earlier in model.links_of_chain(target.above, target.below):
        yield (
            Mistake(
                f"the slope of {later} by {earlier} is missing",
                f"{later} is a function of {earlier}: the chain rule multiplies by its derivative.",
            ),
            [_message(one, one.batch.chained(target, later, earlier, "one")) for one in judged],
        )
        yield (
            Mistake(
                f"each {later} taken to depend on its own {earlier} alone",
                f"Every entry of {later} depends on all entries of {earlier}: sum over them.",
            ),
            [_message(one, one.batch.chained(target, later, earlier, "own")) for one in judged],
        )


def _message(one: Judged, jacobian: Array) -> Array:
    return one.numbers(jacobian, np.arange(len(one.batch)))


def _agrees(one: Judged, rule: Array) -> bool:
    clear = ~(one.wide(one.left_out_mask) | one.contested) & np.isfinite(rule)
    slack = one.slack + 10 * TOLERANCE * np.abs(rule)
    return bool((np.abs(one.got - rule) <= slack)[clear].all())
