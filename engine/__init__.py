"""engine: is this derivative right?  Layers, random inputs, answer languages, verdicts.

It knows neither decks nor screens: an exercise comes in as plain data, a verdict goes out as one.

    MaxPool(kernel, stride=None, padding=0, ties="first")   forward, backward, jacobian, valid
    exercise_for(exercise, tags, type) -> Exercise | None   raises ExerciseError
    check(answer, exercise, seed=0, trials=300) -> Verdict  never raises for a bad answer
"""

from engine.verdict import Counterexample, Verdict

__all__ = [
    "Counterexample",
    "Exercise",
    "ExerciseError",
    "MaxPool",
    "Verdict",
    "check",
    "exercise_for",
]

# NumPy costs about 90 ms to import: the types alone do not bring it in.
_LAZY = {
    "MaxPool": "engine.maxpool",
    "Exercise": "engine.exercise",
    "ExerciseError": "engine.exercise",
    "exercise_for": "engine.exercise",
    "check": "engine.check",
}


def __getattr__(name: str) -> object:
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'engine' has no attribute {name!r}")
