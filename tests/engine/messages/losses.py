"""Losses and statistics that lose many digits, with right answers to them and wrong ones."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np

from engine.exercise import Exercise
from engine.formula.tree import FormulaError
from tests.engine.brute.mutants import swapped
from tests.engine.cases import made, table

_GROUPS: Final = (
    "+ - * /",
    "== != < <= > >=",
    "i j k n m d c a b",
    "0 1 2 3",
    "exp log abs sqrt tanh sigmoid sign",
    "sum max mean",
)
#: A mutant counts as wrong where it is off by so much of the right answer, on so many inputs.
_OFF, _SHARE = 1e-3, 1 / 3


@dataclass(frozen=True, eq=False, slots=True)
class Loss:
    name: str
    exercise: Exercise
    right: str
    function: str = ""

    def wrong(self, count: int) -> Iterator[str]:
        """Answers that are wrong by their numbers: sign, factor, a term more, one token changed."""
        head, body = self.right.rsplit(" = ", 1)
        texts = [f"-({body})", f"2*({body})", f"({body})/2", f"({body}) + 1"]
        changed = list(dict.fromkeys(swapped(body, _GROUPS)))
        random.Random(len(body)).shuffle(changed)
        yield from islice(
            (f"{head} = {t}" for t in [*texts, *changed] if self._off(head, t)), count
        )

    def _off(self, head: str, text: str) -> bool:
        grader = self.exercise.grader()
        try:
            readings = [grader.read(answer) for answer in (self.right, f"{head} = {text}")]
            batch = grader.drawn(0, 300)[0]
            with np.errstate(all="ignore"):
                right, other = (grader.evaluate(reading, batch) for reading in readings)
                if readings[0].target != readings[1].target:
                    return False
                size = np.abs(right).reshape(len(right), -1).max(axis=1, initial=0.0)
                far = np.abs(other - right).reshape(len(right), -1).max(axis=1, initial=0.0)
                return bool(np.mean(far > _OFF * (1 + size)) > _SHARE)
        except FormulaError:
            return False


def losses() -> list[Loss]:
    return [
        Loss(card["name"], made(card["exercise"]), card["correct"][0], card.get("function", ""))
        for card in table("losses")
    ]
