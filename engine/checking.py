"""check(answer, exercise): read it, try it on inputs that hurt, and say what that makes of it."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral

from engine import prose
from engine.exercise import Exercise
from engine.formula.problem import FormulaError
from engine.grade import grade
from engine.languages import LANGUAGES, Language, language_of, names_of
from engine.latex.reader import POOLING, Transcription, transcription
from engine.misfit import MisfitError
from engine.verdict import Verdict


def check(
    answer: str | Exercise,
    exercise: Exercise | str,
    seed: int = 0,
    trials: int = 300,
    language: Language | None = None,
    unconfined: bool = False,
) -> Verdict:
    """Judge an answer on `trials` random inputs drawn from `seed`; the same call, the same verdict.

    The answer and the exercise may stand in either order.  What the verdicts mean is told at
    `engine.grade.grade`; "unreadable" is an answer that is not a formula, or that gives the other
    message than the exercise insists on.  It never raises for an answer, whatever its text is; any
    other argument that cannot be, such as a negative seed, is a ValueError.  The language (an index
    formula, LaTeX, a NumPy function) is told by the answer's looks, where it is not said.

    A function is not run where nothing confines it: UnconfinedError (engine.sandbox.worker) says
    what is open to it.  `unconfined` runs it all the same: ask the learner before, each time.
    """
    seed, trials = _whole("seed", seed, least=0), _whole("trials", trials, least=1)
    if isinstance(exercise, str):
        answer, exercise = exercise, answer
    if not isinstance(answer, str):
        raise ValueError(f"answer is {answer!r}: a text is allowed")
    if isinstance(exercise, str) or not hasattr(exercise, "grader"):
        raise ValueError(
            f"exercise is {exercise!r}: an Exercise, as exercise_for(...) returns one, is allowed"
        )
    if language is not None and language not in LANGUAGES:
        raise ValueError(f"language is {language!r}: {', '.join(LANGUAGES)}, or None, is allowed")
    if language != "function":
        answer = prose.without(answer)
    language = language or language_of(answer)
    if language == "function":
        from engine.function_answer import check_function, shared_worker

        return check_function(answer, exercise, shared_worker(), seed, trials, unconfined)
    grader = exercise.grader()
    places: Transcription | None = None
    try:
        if language == "latex":
            places = transcription(answer, POOLING | names_of(exercise))
        reading = grader.read(places.text if places else answer)
        found = grade(
            lambda batch: grader.evaluate(reading, batch),
            reading.target,
            exercise,
            seed,
            trials,
            reading.echo,
            reading=reading,
        )
        return _remarked(found, reading.beyond) if reading.beyond else found
    except FormulaError as trouble:
        # Before there is a transcription, places are those of the answer itself.
        error = places.located(trouble) if places else trouble
        if language == "formula":
            error = prose.blamed(answer, error)
        if isinstance(trouble, MisfitError):
            return Verdict(
                "wrong",
                trouble.echo,
                seed,
                tried=0,
                misconception=trouble.misconception,
                teaching=trouble.teaching,
                line=error.line,
                column=error.column,
            )
        return Verdict(
            "unreadable",
            error.echo,
            seed,
            tried=0,
            message=error.message,
            hint=error.hint,
            line=error.line,
            column=error.column,
        )


def _remarked(found: Verdict, beyond: set[str]) -> Verdict:
    """A right answer with the convention that it rests on."""
    if found.verdict not in ("correct", "correct-except-ties"):
        return found
    said = f"Terms beyond the range of {' or '.join(sorted(beyond))} count as 0."
    return replace(found, remark=" ".join(filter(None, (said, found.remark))))


def _whole(name: str, value: int, least: int) -> int:
    """Return a whole number of whatever type, NumPy's too; a truth value is none."""
    if isinstance(value, Integral) and not isinstance(value, bool) and value >= least:
        return int(value)
    raise ValueError(f"{name} is {value!r}: a whole number of at least {least} is allowed")
