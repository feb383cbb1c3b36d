"""Whether the model is right: what it had predicted against what happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from math import sqrt

from deck.stats.tally import Predicted


@dataclass(frozen=True, slots=True)
class Class:
    """Reviews with about the same prediction."""

    predicted: float
    """Mean of the predictions, 0..1."""
    actual: float
    """Share that was recalled."""
    answers: int


@dataclass(frozen=True, slots=True)
class Calibration:
    classes: tuple[Class, ...]
    """By prediction, lowest first; empty ones are left out."""
    answers: int
    log_loss: float | None
    """Mean of -log of the chance given to what happened; None of nothing."""
    error: float | None
    """Root mean square of predicted minus actual over the classes, weighted by their answers."""
    predicted: float | None
    """Mean prediction of all."""
    actual: float | None
    """Share of all that was recalled."""


def calibration(classes: Mapping[tuple[date, int], Predicted]) -> Calibration:
    """Of all days in `classes` (`Tally.classes`) together."""
    together: dict[int, Predicted] = {}
    for (_, number), more in classes.items():
        known = together.get(number, Predicted(0, 0, 0.0, 0.0))
        together[number] = Predicted(
            known.answers + more.answers,
            known.recalled + more.recalled,
            known.predicted + more.predicted,
            known.loss + more.loss,
        )
    found = [together[number] for number in sorted(together)]
    drawn = tuple(Class(p.predicted / p.answers, p.recalled / p.answers, p.answers) for p in found)
    count = sum(p.answers for p in found)
    if count == 0:
        return Calibration((), 0, None, None, None, None)
    square = sum((c.predicted - c.actual) ** 2 * c.answers for c in drawn) / count
    return Calibration(
        drawn,
        count,
        sum(p.loss for p in found) / count,
        sqrt(square),
        sum(p.predicted for p in found) / count,
        sum(p.recalled for p in found) / count,
    )
