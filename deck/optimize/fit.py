"""Fits the model's parameters to the learner's own answers; changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from deck import fsrs
from deck.config import MODELS, Config, model_of
from deck.optimize.job import OptimizeError, Progress, ignore, run
from deck.optimize.runs import Run, log_loss, usable

#: Fewer answers say less about a memory than the several hundred million behind the defaults.
MINIMUM = 1000
#: The last fifth of the answers is what the fit is tested on.
_TESTED = 0.2


@dataclass(frozen=True, slots=True)
class Fit:
    """Old and new parameters, before anything changes."""

    old: tuple[float, ...]
    new: tuple[float, ...]
    old_loss: float
    """Log loss over all answers at least a day after the one before."""
    new_loss: float
    unseen_old: float | None
    """Log loss over the last fifth of them; None where there are none."""
    unseen_new: float | None
    """The same, of parameters fitted to the other four fifths."""
    answers: int
    """All answers."""
    usable: int
    """Those at least a day after the one before."""

    @property
    def better(self) -> bool:
        """Whether the new parameters explain the answers better, also those they had not seen."""
        unseen = self.unseen_old is not None and self.unseen_new is not None
        if unseen and self.unseen_new >= self.unseen_old:  # type: ignore[operator]
            return False
        return self.new_loss < self.old_loss


def fit(runs: Sequence[Run], config: Config, progress: Progress = ignore) -> Fit:
    """Raises OptimizeError where there is too little to learn from, or nothing to do it with."""
    answers, enough = sum(map(len, runs)), usable(runs)
    _refuse_few(answers, enough, config)
    cut = _cut(runs)
    steps = len(config.relearning_steps)
    task = {"kind": "fit", "runs": list(runs), "cut": cut, "steps": steps}
    result = run(task, progress)
    new, earlier = _bounded(result["parameters"]), _bounded(result["earlier"])
    make = MODELS[config.model].make
    old_loss, new_loss = log_loss(runs, model_of(config)), log_loss(runs, make(new))
    assert old_loss is not None
    assert new_loss is not None
    unseen_old = log_loss(runs, model_of(config), cut)
    unseen_new = log_loss(runs, make(earlier), cut) if earlier else None
    return Fit(config.parameters, new, old_loss, new_loss, unseen_old, unseen_new, answers, enough)


def _refuse_few(answers: int, enough: int, config: Config) -> None:
    if config.model != fsrs.MODEL:
        raise OptimizeError(
            f"Only {fsrs.MODEL} can be fitted, and the settings use {config.model}."
        )
    if answers < MINIMUM:
        raise OptimizeError(
            f"A fit needs {MINIMUM:,} reviews, and there have been {answers:,}: on fewer, "
            "parameters follow chance more than memory, and the defaults serve you better. "
            "Keep studying."
        )
    if enough < MINIMUM // 10:
        raise OptimizeError(
            f"Only {enough} of {answers:,} reviews came a day or more after the one before, and "
            "only those say what is remembered. Keep studying for some weeks."
        )


def _cut(runs: Sequence[Run]) -> int:
    """The study day from which on the last fifth of the usable answers were given."""
    days = sorted(day for run_ in runs for _, gap, day in run_ if gap > 0)
    return days[int(len(days) * (1 - _TESTED))]


def _bounded(parameters: Sequence[float]) -> tuple[float, ...]:
    bounds = fsrs.BOUNDS
    return tuple(
        min(max(number, low), high)
        for number, (low, high) in zip(parameters, bounds, strict=bool(parameters))
    )
