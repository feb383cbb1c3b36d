"""The gradient as a kind of exercise: dL/dx[j] of a loss that the card itself gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.formula.axes import Array
from engine.messages.judge import JudgedMessage
from engine.messages.shapes import Survey
from engine.messages.targets import Derivative, KnownRule, Target, usual
from engine.messages.vocabulary import Words
from engine.verdict import Mistake

# -- What is asked for: the derivative of a number, so nothing comes from above.


@dataclass(frozen=True, slots=True)
class Gradient(Target):
    """The derivative of the loss `above`."""

    title: ClassVar[str] = "the gradient"
    called: ClassVar[frozenset[str]] = frozenset(("backward", "j", "jacobian", "df/dx"))

    @classmethod
    def of(cls, below: str, words: Words, survey: Survey) -> Gradient | None:
        return cls(words.loss, below, usual(below, survey, ())) if words.loss else None

    @classmethod
    def read(cls, found: Derivative, words: Words) -> Gradient | None:
        if not found.below or not words.loss or found.above != words.loss:
            return None
        return cls(found.above, found.below, found.lower or ())

    @property
    def loss(self) -> str:
        return self.above

    def likely(self, few: JudgedMessage) -> Iterator[KnownRule]:
        if (found := _parts(few)) is not None:
            p, t = found
            teaching = f"Where {p} is larger than {t}, the loss grows with it: the slope is"
            named = Mistake(f"{t} - {p} in place of {p} - {t}", f"{teaching} positive there.")
            yield named, lambda one: -one.expected

    def mistakes(self, few: JudgedMessage, others: Iterator[KnownRule]) -> Iterator[KnownRule]:
        if (found := _parts(few)) is not None:
            yield from _rules(few, *found)
        yield from others


# -- Known wrong rules for a loss whose derivative is the difference of two arrays, as p - t.


def _parts(one: JudgedMessage) -> tuple[str, str] | None:
    """The p and t of p - t; None where the derivative is no such thing."""
    values = one.batch.values
    known = [name for name in one.batch.shapes if values[name].shape == one.expected.shape]
    for above in known:
        for below in known:
            if _equal(one, values[above] - values[below]):
                return above, below
    return None


def _equal(one: JudgedMessage, values: Array) -> bool:
    clear = ~one.wide(one.left_out_mask) & np.isfinite(values)
    return bool((np.abs(values - one.expected) <= one.slack)[clear].all())


def _rules(few: JudgedMessage, p: str, t: str) -> Iterator[KnownRule]:
    right = f"What is left of the chain rule is {p} - {t}"

    ways: dict[str, Callable[[Array, Array], Array]] = {
        f"{t} is forgotten in {p} - {t}": lambda a, b: a + 0 * b,
        f"{p} is forgotten in {p} - {t}": lambda a, b: 0 * a - b,
        f"{p} + {t} in place of {p} - {t}": lambda a, b: a + b,
        f"{p} - 1 in place of {p} - {t}": lambda a, b: a - 1 + 0 * b,
        f"the size of {p} - {t} without its sign": lambda a, b: np.abs(a - b),
        f"the square of {p} - {t} in place of its slope": lambda a, b: (a - b) ** 2,
        f"half the square of {p} - {t}: the loss itself": lambda a, b: (a - b) ** 2 / 2,
        f"{p} (1 - {p}) is a factor too many": lambda a, b: (a - b) * a * (1 - a),
        f"divided by {p} (1 - {p})": lambda a, b: (a - b) / (a * (1 - a)),
        f"divided by {p}": lambda a, b: (a - b) / a,
    }
    for name, made in ways.items():
        yield (
            Mistake(name, f"{right}, nothing else."),
            lambda one, made=made: made(one.batch.values[p], one.batch.values[t]),  # type: ignore[misc]
        )
    values = few.batch.values
    for name in few.batch.shapes:
        if name not in (p, t) and values[name].shape == few.expected.shape:
            yield (
                Mistake(f"{name} in place of {p}", f"{right}: {p}, and not {name}."),
                lambda one, name=name: one.batch.values[name] - one.batch.values[t],  # type: ignore[misc]
            )
