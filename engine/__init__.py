"""engine: is this derivative right?  Layers, random inputs, answer languages, verdicts.

It knows neither decks nor screens: an exercise comes in as plain data, a verdict goes out as one.

    MaxPool(kernel, stride=None, padding=0, ties="first")   forward, backward, jacobian, valid
    exercise_for(exercise, tags, type) -> Exercise | None   raises ExerciseError
    check(answer, exercise, seed=0, trials=300) -> Verdict  never raises for a bad answer
"""

from typing import TYPE_CHECKING

from engine.verdict import Counterexample, Verdict

if TYPE_CHECKING:
    from engine.checking import check
    from engine.exercise import Exercise, ExerciseError, exercise_for
    from engine.maxpool import MaxPool

__all__ = [
    "Counterexample",
    "Exercise",
    "ExerciseError",
    "MaxPool",
    "Verdict",
    "check",
    "exercise_for",
]

# NumPy costs about 90 ms to import: the types alone do not bring it in.  (A submodule must not
# bear a name listed here: once imported, it would stand in place of the function.)
_LAZY = {
    "MaxPool": "engine.maxpool",
    "Exercise": "engine.exercise",
    "ExerciseError": "engine.exercise",
    "exercise_for": "engine.exercise",
    "check": "engine.checking",
}


def __getattr__(name: str) -> object:
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'engine' has no attribute {name!r}")
