"""check(answer, exercise): read it, try it on inputs that hurt, and say what that makes of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Any, Final

from engine.exercise import (
    LANGUAGES,
    Exercise,
    Grader,
    Judgement,
    Language,
    Reading,
    language_of,
    names_of,
)
from engine.formula.tree import FormulaError, MisfitError, OffsetError, located
from engine.grading import agrees, grade
from engine.latex.transcribe import POOLING, Transcription, transcription
from engine.prose import blamed, told, without
from engine.sandbox.function_answer import check_function, shared_worker
from engine.sandbox.program import parts, program
from engine.sandbox.worker import WorkerError
from engine.verdict import Mark, Outcome, Step, Verdict

_RIGHT: Final[tuple[Outcome, ...]] = ("correct", "incomplete")
_TIES: Final[Outcome] = "correct-except-ties"
#: dx -= ..., a step of a program.
_UPDATE: Final = re.compile(r"(?:^|[;\n])[ \t]*\w[\w\[\], :]*[-+*/]=(?!=)")
#: So many sides of chains a = b = c are tried.
_MOST_SIDES: Final = 12


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
    `engine.grading.grade`; "unreadable" is an answer that is not a formula, or that gives the other
    message than the exercise insists on.  It never raises for an answer, whatever its text is; any
    other argument that cannot be, such as a negative seed, is a ValueError.  The language (an index
    formula, LaTeX, a NumPy function) is told by the answer's looks, where it is not said.

    A function is not run where nothing confines it: UnconfinedError (engine.sandbox.worker) says
    what is open to it.  `unconfined` runs it all the same: ask the learner before, each time.
    """
    if isinstance(exercise, str):
        answer, exercise = exercise, answer
    if not isinstance(answer, str):
        raise ValueError(f"answer is {answer!r}: a text is allowed")
    if isinstance(exercise, str) or not hasattr(exercise, "grader"):
        raise ValueError(
            f"exercise is {exercise!r}: an Exercise, as exercise_for(...) returns one, is allowed"
        )
    return checked(answer, exercise, seed, trials, language, unconfined).verdict


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """A verdict with what the answer was read to: nothing of a function, or where it cannot be."""

    verdict: Verdict
    readings: tuple[Reading[Any], ...] = ()
    """The parts of the exercise that the answer gives."""
    shown: Reading[Any] | None = None
    """The part, or the step of one, that the verdict is about."""
    sides: tuple[Judgement, ...] = ()
    """Of a derivation, each side of its lines, as `verdict.steps` tells of them."""


def checked(
    answer: str,
    exercise: Exercise,
    seed: int = 0,
    trials: int = 300,
    language: Language | None = None,
    unconfined: bool = False,
    thorough: bool = True,
) -> CheckedAnswer:
    """Judge an answer as `check` does, and keep what it was read to.

    Where it need not be `thorough`, as while one types, the verdict is there sooner: no slip is
    looked for but the known ones, and names that no line defines are not tried as anything.
    """
    seed, trials = _whole("seed", seed, least=0), _whole("trials", trials, least=1)
    if language is not None and language not in LANGUAGES:
        raise ValueError(f"language is {language!r}: {', '.join(LANGUAGES)}, or None, is allowed")
    written = answer
    if language != "function":
        written, answer = told(answer), without(answer)
    language = language or language_of(answer)
    if language == "function":
        worker = shared_worker()
        found = CheckedAnswer(check_function(answer, exercise, worker, seed, trials, unconfined))
    else:
        # The lines of a program do not follow from one another.
        sides = () if _UPDATE.search(answer) else tuple(exercise.grader().steps(written, thorough))
        about = _Trials(exercise.grader(), seed, trials, thorough)
        if not thorough and _is_told(sides, about.grader):
            found = CheckedAnswer(Verdict("wrong", "", seed, 0))
        else:
            found = _formula(answer, exercise, about, language, sides)
        run = None
        if language == "formula" and found.verdict.verdict == "unreadable":
            run = _program(answer, exercise, seed, trials, unconfined)
        found = run or _derived(found, sides, written, about)
    return replace(found, verdict=replace(found.verdict, about=exercise.about))


@dataclass(frozen=True, slots=True)
class _Trials:
    """What an answer is judged by, and on which inputs."""

    grader: Grader[Any, Any, Any]
    seed: int
    trials: int
    thorough: bool = True


def _formula(
    answer: str,
    exercise: Exercise,
    about: _Trials,
    language: Language,
    sides: Sequence[Judgement] = (),
) -> CheckedAnswer:
    places: Transcription | None = None
    try:
        answer = about.grader.unmarked(answer)
        if language == "latex":
            places = transcription(answer, POOLING | names_of(exercise))
        text = places.text if places else answer
        return _Answer(text, places, about, sides).checked()
    except FormulaError as trouble:
        # Before there is a transcription, places are those of the answer itself.
        error = places.located(trouble) if places else trouble
        if language == "formula":
            error = blamed(answer, error)
        said: dict[str, Any] = {"line": error.line, "column": error.column}
        if isinstance(trouble, MisfitError):
            known = (trouble.misconception, trouble.teaching)
            return CheckedAnswer(Verdict("wrong", trouble.echo, about.seed, 0, *known, **said))
        said |= {"message": error.message, "hint": error.hint}
        return CheckedAnswer(Verdict("unreadable", error.echo, about.seed, 0, **said))


def _program(
    answer: str, exercise: Exercise, seed: int, trials: int, unconfined: bool
) -> CheckedAnswer | None:
    """NumPy statements, judged as functions are; None where there are none, or none that run."""
    statements = program(answer)
    if statements is None:
        return None
    grader = exercise.grader()
    right: list[Verdict] = []
    functions = parts(statements, grader.handed(grader.drawn(seed, trials)[0]))
    for one in functions:
        try:
            worker = shared_worker()
            found = check_function(one.source, exercise, worker, seed, trials, unconfined, one.key)
        except WorkerError:
            return None  # whoever cannot run it is told how to write a formula
        if found.message:  # also where it fails on some inputs alone: what does not fit is told
            return None
        found = replace(found, read=answer.strip())
        if found.verdict not in _RIGHT:
            return CheckedAnswer(found)
        right.append(found)
    if not right:
        return None
    given = dict.fromkeys(part for found in right for part in found.parts)
    return CheckedAnswer(_complete(right[0], [*given], right[-1].open))


def fails(answer: str, exercise: Exercise, trials: int) -> bool:
    """Whether LaTeX can be read and is wrong, told without a reason: these take the most time."""
    try:
        answer = exercise.grader().unmarked(answer)
        text = transcription(answer, POOLING | names_of(exercise)).text
        found = _Answer(text, None, _Trials(exercise.grader(), 0, trials))
        return not all(map(found._agrees, found._parts()))
    except FormulaError as trouble:
        return isinstance(trouble, MisfitError)


# -- A derivation of several lines: the verdict on its result, and on each of its steps.


def _marked(sides: Sequence[Judgement]) -> list[Judgement]:
    return [side for side in sides if side.mark not in ("defines", "unchecked")]


def _is_told(sides: Sequence[Judgement], grader: Grader[Any, Any, Any]) -> bool:
    """Whether the steps tell of a wrong one, and of the result: no more need be read."""
    wrong = next((side for side in _marked(sides) if side.mark == "wrong"), None)
    is_known = wrong is not None and wrong.reading is not None and len(_marked(sides)) > 1
    return is_known and bool(_ends(sides, grader))


def _ends(sides: Sequence[Judgement], grader: Grader[Any, Any, Any]) -> set[Mark]:
    """The last mark of each part that is asked for."""
    ends = {side.reading.target: side.mark for side in sides if side.reading is not None}
    return {mark for target, mark in ends.items() if grader.asks_for(target)}


def _derived(
    found: CheckedAnswer,
    sides: tuple[Judgement, ...],
    answer: str,
    about: _Trials,
) -> CheckedAnswer:
    """The verdict with the steps of the answer; the first that is wrong is what it is about."""
    if not _is_derivation(sides, answer, found.verdict):
        return found
    steps = tuple(_step(side, answer) for side in sides)
    result = replace(found.verdict, steps=steps)
    found = replace(found, sides=sides, verdict=result)
    marks = [side.mark for side in sides]
    if "wrong" in marks:
        return _by_wrong_step(found, marks.index("wrong"), about)
    if "unread" not in marks:
        unchecked = (s for s in sides if s.mark == "unchecked" and s.reading is None and s.message)
        # In a text a formula by itself says nothing; elsewhere it may be another answer.
        is_text = "$" in answer or r"\[" in answer
        unsaid = any(unchecked) and not (is_text and any(side.part for side in sides))
        if result.verdict == "unreadable" and unsaid:
            return found
        return _by_steps(found, sides, about)
    unread, at = sides[marks.index("unread")], steps[marks.index("unread")]
    if result.verdict in _RIGHT:
        said = f"Line {at.line} was not read: {unread.message}"
        result = replace(result, remark=" ".join(filter(None, (result.remark, said))))
    elif result.verdict == "unreadable" and ("$" in answer or at.line != result.line):
        result = replace(result, message=unread.message, hint=unread.hint)
        result = replace(result, line=at.line, column=at.column)
    return replace(found, verdict=result)


def _is_derivation(sides: Sequence[Judgement], answer: str, verdict: Verdict) -> bool:
    """Whether an answer is judged by its steps, too."""
    marked = _marked(sides)
    if len(marked) != 1:
        return bool(marked)
    if verdict.verdict == "unreadable":
        # Formulas within text, which as a whole is no answer, may give one all the same.
        bounds = (marked[0].mark, marked[0].kind) == ("wrong", "bound")
        is_part = len(sides) > 1 and (bounds or any(side.part for side in sides))
        return is_part or "$$" in answer or r"\[" in answer
    # One line is judged as an answer; its left side may still be another formula's derivative.
    other = marked[0].mark == "wrong" and marked[0].kind == "rewriting"
    return verdict.verdict in _RIGHT and other


def _by_wrong_step(found: CheckedAnswer, n: int, about: _Trials) -> CheckedAnswer:
    """The verdict on a derivation whose n-th side is the first that is wrong."""
    sides, result, wrong = found.sides, found.verdict, found.sides[n]
    is_same = (result.verdict, result.line) == ("wrong", result.steps[n].line)
    if wrong.reading is None and is_same:
        return replace(found, verdict=replace(result, step_kind=wrong.kind))
    ends = _ends(sides, about.grader)
    ends_right = bool(ends) and ends <= {"follows", "again"}
    ends_right |= result.verdict in (*_RIGHT, _TIES, "wrong-step")
    parts, rest = _right_parts(sides, about.grader, wrong)
    verdict = replace(
        wrong.verdict(about.seed, about.trials, about.thorough),
        verdict="wrong-step" if ends_right else "wrong",
        read=result.read or wrong.read,
        step=wrong.read or None,
        step_kind=wrong.kind,
        steps=result.steps,
        parts=parts,
        open=rest,
        line=result.steps[n].line,
        column=result.steps[n].column,
    )
    return replace(found, verdict=verdict, shown=wrong.reading or found.shown)


def _right_parts(
    sides: Sequence[Judgement], grader: Grader[Any, Any, Any], wrong: Judgement
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Of an exercise of several parts, those that are right, and the others; else ()."""
    strays = wrong.reading.target if wrong.reading is not None else None
    targets = [s.reading.target for s in sides if s.part and s.reading is not None]
    asked = [one for one in targets if one != strays and grader.asks_for(one)]
    right = tuple(dict.fromkeys(part for one in asked for part in grader.parts(one)[0]))
    every = next((grader.parts(one) for one in targets if grader.asks_for(one)), ((), ()))
    return right, tuple(part for label in every for part in label if part not in right)


def _step(side: Judgement, answer: str) -> Step:
    place = located(OffsetError("", "", side.at), answer)
    message = side.message or None
    return Step(place.line, place.column, side.mark, side.kind, side.read, message)


def _by_steps(
    found: CheckedAnswer,
    sides: Sequence[Judgement],
    about: _Trials,
) -> CheckedAnswer:
    """The verdict of a derivation whose steps are all right: that on what is asked for in it."""
    answers: dict[tuple[str, ...], Judgement] = {}
    rest: tuple[str, ...] = ()
    for side in sides:
        if side.part and side.reading is not None and about.grader.asks_for(side.reading.target):
            own, others = about.grader.parts(side.reading.target)
            answers[own] = side
            rest = tuple(part for part in others if (part,) not in answers)
    if not answers or found.verdict.verdict == "correct":
        return found  # as a whole, it tells of every part
    last = None
    for side in answers.values():
        last = side.verdict(about.seed, about.trials, about.thorough)
        if last.verdict not in _RIGHT:
            break
    assert last is not None
    parts = tuple(part for own in answers for part in own)
    if last.verdict in _RIGHT:
        last = _complete(last, parts, rest)
    remark = found.verdict.remark if found.verdict.verdict in _RIGHT else None
    verdict = replace(
        last,
        parts=parts if rest or len(parts) > 1 else (),
        open=rest,
        remark=remark or last.remark,
        steps=found.verdict.steps,
        read=found.verdict.read or last.read,
    )
    return replace(found, verdict=verdict, readings=(), shown=side.reading)


def by_steps(
    found: Verdict,
    sides: Sequence[Judgement],
    grader: Grader[Any, Any, Any],
    seed: int,
) -> Verdict | None:
    """The verdict on a text of which some formulas are not read; None where one is wrong, or those
    that are read do not give all that is asked for."""
    given = [side for side in sides if side.mark != "unread"]
    if any(side.mark == "wrong" for side in given):
        return None
    told = _by_steps(CheckedAnswer(found), given, _Trials(grader, seed, 300)).verdict
    return told if told.verdict == "correct" else None


def _complete(right: Verdict, given: Sequence[str], others: Sequence[str]) -> Verdict:
    """The verdict on an answer whose parts are right; incomplete where others are asked for."""
    rest = tuple(part for part in others if part not in given)
    outcome: Outcome = "incomplete" if rest else "correct"
    return replace(right, verdict=outcome, parts=tuple(given), open=rest)


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer in the notation of formulas: its parts, and the sides of its chains."""

    text: str
    places: Transcription | None
    about: _Trials
    sides: Sequence[Judgement] = ()
    """Of a derivation, its sides as they were judged: what they tell is not asked again."""

    @property
    def _blamed(self) -> bool:
        """Whether the reason is told by the first step that is wrong."""
        wrong = next((side for side in self.sides if side.mark == "wrong"), None)
        return wrong is not None and wrong.reading is not None and len(_marked(self.sides)) > 1

    @property
    def _followed(self) -> bool:
        """Whether all sides follow, those of chains among them."""
        marks = {side.mark for side in _marked(self.sides)}
        return len(_marked(self.sides)) > 1 and marks == {"follows"}

    def _tried(self, row: str) -> bool:
        """Whether a definition was tried as a step of a derivation: all but new names are."""
        new = [side.read for side in self.sides if side.mark == "defines"]
        return len(_marked(self.sides)) > 1 and not any(_name(row) == _name(one) for one in new)

    def checked(self) -> CheckedAnswer:
        """Judge every part that is given: the first that is not right is the verdict."""
        readings = self._parts()
        own, others = self.about.grader.parts(readings[0].target)
        right: list[Verdict] = []
        for reading in readings:
            found, shown = self._derived(reading)
            given = tuple(part for one in (*right, found) for part in one.parts)
            rest = tuple(part for part in (*own, *others) if others and part not in given)
            if found.verdict not in _RIGHT:
                return CheckedAnswer(replace(found, parts=given, open=rest), readings, shown)
            right.append(found)
        rows = dict.fromkeys(row for one in right for row in one.read.split("\n"))
        # What is an answer need not be told as a definition, too.
        keys = [reading.part for reading in readings]
        answers = {reading.echo.split("\n")[-1] for reading in readings}
        read = [row for row in rows if row in answers or _name(row) not in keys]
        unused = [_unused(row, rows) for row in read if row not in answers and not self._tried(row)]
        notes = dict.fromkeys((*(one.remark for one in right), *unused))
        remark = " ".join(filter(None, notes)) or None
        found = _complete(replace(found, read="\n".join(read), remark=remark), given, rest)
        return CheckedAnswer(found, readings, readings[0])

    def _parts(self) -> tuple[Reading[Any], ...]:
        """Every part of the exercise that the answer gives, read.  Raises FormulaError."""
        first = self.about.grader.read(self.text)
        return (first, *(self.about.grader.read(self.text, part) for part in first.others))

    def _derived(self, reading: Reading[Any]) -> tuple[Verdict, Reading[Any]]:
        """The verdict on one answer, or on the first side of its chains that is not right."""
        sides = [at for chain in reading.chains for at in chain]
        if len(sides) > _MOST_SIDES:
            said = f"Here are {len(sides)} sides of equations; at most {_MOST_SIDES} are tried."
            trouble = OffsetError(said, "leave some of the steps out", sides[_MOST_SIDES])
            raise located(trouble, self.text)
        found = self._graded(reading)
        right = found.verdict in (*_RIGHT, "correct-except-ties")
        if self._blamed or self._followed:
            return found, reading
        for chain in sorted(filter(None, reading.chains)):
            # Of a wrong answer, what its definitions should come to is known by one right side.
            known, before = right or chain is reading.chains[-1], reading
            for at, end in zip(chain, (*chain[1:], None), strict=True):
                if end is None and right:
                    continue
                try:
                    step = self.about.grader.read(self.text, reading.part, at) if end else reading
                    strays = not end or not self._agrees(step)
                except FormulaError as trouble:
                    if right:
                        raise self._refused(trouble, at, end) from None
                    break
                if strays and known:
                    wrong = self._graded(step) if end else found
                    line, column = self._place(at)
                    told = _said_by(step, reading if end else before)
                    outcome: Outcome = "wrong-step" if right else wrong.verdict
                    wrong = replace(wrong, verdict=outcome, read=reading.echo, parts=())
                    return replace(wrong, step=told, line=line, column=column), step
                known, before = known or not strays, step
        return found, reading

    def _graded(self, reading: Reading[Any]) -> Verdict:
        if self._blamed:
            outcome: Outcome = "correct" if self._agrees(reading) else "wrong"
            own, rest = self.about.grader.parts(reading.target)
            return Verdict(outcome, reading.echo, self.about.seed, 0, parts=own, open=rest)
        rule = partial(self.about.grader.evaluate, reading)
        one = self.about
        about = (one.grader, one.seed, one.trials, one.thorough)
        found = grade(rule, reading.target, *about, reading=reading)
        return _remarked(found, reading)

    def _agrees(self, reading: Reading[Any]) -> bool:
        rule = partial(self.about.grader.evaluate, reading)
        return agrees(rule, self.about.grader, self.about.seed, self.about.trials, reading)

    def _place(self, at: int) -> tuple[int, int]:
        error = located(OffsetError("", "", at), self.text)
        error = self.places.located(error) if self.places else error
        return error.line, error.column

    def _refused(self, trouble: FormulaError, at: int, end: int | None) -> FormulaError:
        """A side that cannot be read, which is within it or else the whole of it."""
        rows = self.text.split("\n")[: trouble.line - 1]
        offset = sum(len(row) + 1 for row in rows) + trouble.column - 1
        there = offset if at <= offset < (end or 0) else at
        hint = "; or ".join(filter(None, (trouble.hint, "leave this step out")))
        return located(OffsetError(trouble.message, hint, there), self.text)


def _name(row: str) -> str:
    """What a row defines, without its indices."""
    return re.split(r"\[| =", row)[0]


def _unused(row: str, rows: Collection[str]) -> str | None:
    """What is to be known of a definition that nothing uses."""
    name = _name(row)
    spoken = re.compile(rf"(?<!\w){re.escape(name)}(?![\w'])")
    if not re.fullmatch(r"\w+", name) or any(spoken.search(one) for one in rows if one != row):
        return None
    return f"{name} is not used, so what stands there was not tried."


def _said_by(step: Reading[Any], other: Reading[Any]) -> str:
    """What a side of a chain was read to: where it differs from another side's reading."""
    own = [row for row in step.echo.split("\n") if row not in other.echo.split("\n")]
    return own[-1] if own else step.echo


def _remarked(found: Verdict, reading: Reading[Any]) -> Verdict:
    """The verdict with the conventions that it rests on."""
    said = None
    if reading.beyond and found.verdict in (*_RIGHT, "correct-except-ties"):
        said = f"Terms beyond the range of {' or '.join(sorted(reading.beyond))} count as 0."
    if reading.begun and found.verdict == "wrong":
        letters = " and ".join(reading.begun)
        said = f"Indices count from 0 here; the sum over {letters} begins at 1, as it is written."
    return replace(found, remark=" ".join(filter(None, (said, found.remark)))) if said else found


def _whole(name: str, value: int, least: int) -> int:
    """Return a whole number of whatever type, NumPy's too; a truth value is none."""
    if isinstance(value, Integral) and not isinstance(value, bool) and value >= least:
        return int(value)
    raise ValueError(f"{name} is {value!r}: a whole number of at least {least} is allowed")
