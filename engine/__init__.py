"""engine: is this derivative right?  Max pooling, random inputs, answer languages, verdicts.

It knows neither decks nor screens: an exercise comes in as plain data, a verdict goes out as one.

    MaxPool(kernel, stride=None, padding=0, ties="first")   forward, backward, jvp, jacobian, valid
    max_pool(x, kernel, ...), max_pool_backward, max_unpool the same as plain functions
    exercise_for(exercise, tags, type, question="", solution="") -> Exercise | None
    Exercise.from_card(card) -> Exercise | None             both raise ExerciseError
    check(answer, exercise, seed=0, trials=300) -> Verdict  never raises for a bad answer

Exercises take every other layer as a forward message: engine/messages/layers.py lists them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.checking import check
    from engine.exercise import Exercise, ExerciseError
    from engine.pooling.layer import MaxPool, max_pool, max_pool_backward, max_unpool
    from engine.registry import exercise_for
    from engine.verdict import Counterexample, Verdict


__all__ = [
    "Counterexample",
    "Exercise",
    "ExerciseError",
    "MaxPool",
    "Verdict",
    "check",
    "exercise_for",
    "max_pool",
    "max_pool_backward",
    "max_unpool",
]

# NumPy costs about 90 ms to import: the types alone do not bring it in.  (A submodule must not
# bear a name listed here: once imported, it would stand in place of the function.)
_LAZY = {
    "MaxPool": "engine.pooling.layer",
    "max_pool": "engine.pooling.layer",
    "max_pool_backward": "engine.pooling.layer",
    "max_unpool": "engine.pooling.layer",
    "Exercise": "engine.registry",
    "ExerciseError": "engine.exercise",
    "exercise_for": "engine.registry",
    "check": "engine.checking",
    "Counterexample": "engine.verdict",
    "Verdict": "engine.verdict",
}


def __getattr__(name: str) -> object:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'engine' has no attribute {name!r}")
