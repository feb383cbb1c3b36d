"""Checking an answer: known verdicts, their time, and whether they and their reasons are sound.

Soundness is searched for: mutants against brute force, right answers over many seeds, rubbish.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Any

import yaml

from engine.checking import check, checked
from engine.exercise import Exercise, ExerciseError
from engine.pooling.exercise import PoolingExercise
from engine.registry import exercise_for
from tests.bench.figures import Figure, median_ms, spread, times_ms
from tests.engine.brute import fuzz, given, rewritten, steps
from tests.engine.brute.agreement import disagreement
from tests.engine.brute.answers import FORMULAS, FUNCTIONS, LATEX, WRITTEN
from tests.engine.brute.inputs import apart, cases, shapes_of
from tests.engine.brute.mutants import Mutant, mutants
from tests.engine.brute.pooling import Pair
from tests.engine.cases import listed, made, table
from tests.engine.messages.test_losses import losses
from tests.engine.reasons import PARTS, tally
from tests.engine.test_derivations import LOGISTIC, TWELVE
from tests.engine.test_long_answers import answers
from tests.paths import MATERIAL

GENERAL = PoolingExercise()


def _material(kind: str) -> list[dict[str, Any]]:
    """The known answers to max pooling in one language."""
    return [
        each
        for material in MATERIAL
        for each in yaml.safe_load(material.answers.read_text("utf-8"))[kind]
    ]


def _complain(sentences: list[str]) -> None:
    for sentence in sentences:
        print("   ", sentence, file=sys.stderr)


# Known verdicts, and their time.


def agreeing() -> Iterator[Figure]:
    exercise = exercise_for(None, ("max-pooling", "backpropagation"), "derivation")
    assert exercise is not None
    entries, right = _material("formula"), 0
    for entry in entries:
        verdict = check(entry["answer"], exercise)
        named = "misconception" not in entry or entry["misconception"] == verdict.misconception
        right += verdict.verdict == entry["verdict"] and named
    yield Figure("formula verdicts that agree", 100 * right / len(entries), 100, "%", False)


def given_figures() -> Iterator[Figure]:
    """Answers to forward messages that cards give."""
    entries: list[tuple[Exercise, str, str]] = []
    for card in table("cards"):
        exercise = made(card["exercise"])
        entries += [(exercise, answer, said) for answer, said, _ in listed(card)]
    right = sum(check(answer, exercise).verdict == said for exercise, answer, said in entries)
    share = 100 * right / len(entries)
    yield Figure("verdicts on given messages that agree", share, 100, "%", False)
    times = [median_ms(partial(check, answer, exercise), runs=5) for exercise, answer, _ in entries]
    yield from spread("given message, verdict", times, median=50, slowest=150)
    long = [
        median_ms(partial(check, answer, exercise), runs=1)
        for length in (300, 700, 1250, 2500, 3900, 10_000)
        for _, exercise, answer in answers(length)
    ]
    yield from spread("answers of up to 10,000 characters", long, slowest=1000)


def time_figures() -> Iterator[Figure]:
    """Wall time of the verdicts on the answers, and beside it our own processor's time."""
    for kind, asked in (("formula", 50), ("latex", 60), ("numpy", 60)):
        works = [partial(check, entry["answer"], GENERAL) for entry in _material(kind)]
        walls = [median_ms(work, 9) for work in works]
        yield from spread(f"{kind} verdict", walls, median=asked, slowest=asked)
        own = max(statistics.median(times_ms(work, 9, time.process_time)) for work in works)
        yield Figure(f"{kind} verdict, slowest, process time", own, asked, "ms")
    walls = [median_ms(partial(check, one.source, GENERAL), 9) for one in WRITTEN]
    yield from spread(f"{len(WRITTEN)} other functions", walls, median=60, slowest=60)


# Sound: mutants, right answers, rubbish.

#: Windows that cards give: kernel, stride, padding.
GIVEN: tuple[tuple[Pair, Pair, Pair], ...] = (
    ((2, 2), (2, 2), (0, 0)),
    ((3, 3), (2, 2), (1, 1)),
    ((2, 2), (1, 1), (0, 0)),
    ((1, 3), (2, 1), (0, 1)),
    ((2, 2), (3, 3), (0, 0)),
)
INPUTS = 40
#: Of right answers; each check has 300 of them.
TRIALS = 100_000
FUZZED = 30_000


def mutant_figures() -> Iterator[Figure]:
    """Each mutant's verdict beside brute force; of windows that are given, each twelfth."""
    every = mutants()
    yield Figure("mutants of right answers, readable", len(every), 400, "", False)
    off = list(_off(every, GENERAL, None))
    for kernel, stride, padding in GIVEN:
        exercise = PoolingExercise(kernel=kernel, stride=stride, padding=padding)
        off += _off(every[::12], exercise, (kernel, stride, padding))
    _complain(off)
    yield Figure("mutants whose verdict brute force contests", len(off), 0, "")


def _off(
    some: list[Mutant], exercise: PoolingExercise, window: tuple[Pair, Pair, Pair] | None
) -> Iterator[str]:
    tried = cases(99, INPUTS, shapes_of(*window) if window else None)
    moved = partial(apart, 99, *(window or ()))
    for mutant in some:
        found = check(mutant.text, exercise)
        if found.verdict == "unreadable":
            continue
        wrong = disagreement(mutant.read, found, tried, moved, general=window is None)
        if wrong is not None:
            yield f"{wrong}: {mutant.echo}"


def given_mutant_figures() -> Iterator[Figure]:
    """Mutants of answers to forward messages that cards give, beside differences."""
    found = [given.contested(one, 40) for one in given.EXERCISES]
    _complain([sentence for _, off in found for sentence in off])
    yield Figure("mutants on given messages", sum(many for many, _ in found), 200, "", False)
    yield Figure("of these, contested by differences", sum(len(off) for _, off in found), 0, "")


def right_figures() -> Iterator[Figure]:
    """Right answers of all three languages, each with other seeds."""
    rejected = trials = 0
    for seed in count(1000):
        for answer in (*FORMULAS, *LATEX, *FUNCTIONS):
            found = check(answer, GENERAL, seed=seed)
            trials += found.tried
            rejected += found.failed + (found.verdict == "unreadable")
        if trials >= TRIALS:
            break
    yield Figure("right answers, trials", trials, TRIALS, "", False)
    yield Figure("right answers, rejected", rejected, 0, "")


def fuzz_figures() -> Iterator[Figure]:
    """Processor time; of a function, whose source is read in another process, wall time."""
    for kind, name, clock in (
        ("formula", "formulas", time.process_time),
        ("LaTeX", "LaTeX", time.process_time),
        ("function", "functions", time.perf_counter),
    ):
        crashed, pauses = fuzz.tried(fuzz.texts(kind, 7, FUZZED), fuzz.READERS[kind], clock)
        _complain([repr(text) for text in crashed[:5]])
        yield Figure(f"fuzzed {name}, of {FUZZED}: crashes", len(crashed), 0, "")
        yield Figure(f"fuzzed {name}, longest pause", 1000 * max(pauses), 50, "ms")
        yield Figure(f"fuzzed {name}, median", 1000 * statistics.median(pauses), 50, "ms")


# Do the reasons hold that verdicts give?  Does rounding make right answers wrong, or the reverse?


def reason_figures() -> Iterator[Figure]:
    """Of 500 answers of each engine; a false reason is one that some input refutes."""
    for name, part in PARTS.items():
        said, wrong = tally(part(500), lambda text: _complain([text]))
        for kind in sorted(set(said) - {"answers"}):
            yield Figure(f"{name}, {kind}: said", said[kind], 1, "", False)
            share = 100 * wrong[kind] / said[kind]
            yield Figure(f"{name}, {kind}: false", share, 2, "%")


def textbook_figures() -> Iterator[Figure]:
    """Right answers of textbooks: how many are read, and none wrongly; wrong ones of a classroom:
    how many get a reason."""
    verdicts = Counter[str]()
    for group in table("textbooks"):
        for text in (*group.get("correct", ()), *group.get("open", ())):
            verdicts[check(text, made(group["exercise"])).verdict] += 1
    right, every = verdicts["correct"] + verdicts["incomplete"], verdicts.total()
    yield Figure("right answers of textbooks", every, 300, "", False)
    yield Figure("of these read, and right", 100 * right / every, 95, "%", False)
    yield Figure("of these read wrongly", every - right - verdicts["unreadable"], 0, "")
    wrong, named, passed = 0, 0, 0
    for group in table("classroom"):
        with suppress(ExerciseError):
            for text, _ in group["wrong"]:
                found = check(text, made(group["exercise"]))
                wrong += 1
                named += bool(found.misconception or found.wrong_when or found.near)
                passed += found.verdict in ("correct", "incomplete")
    yield Figure("wrong answers of a classroom", wrong, 200, "", False)
    yield Figure("of these given a reason", 100 * named / wrong, 85, "%", False)
    yield Figure("of these called right", passed, 0, "")


def derivation_figures() -> Iterator[Figure]:
    """Whole derivations written beforehand: right ones, and wrong ones at a known line, of each
    kind of exercise and of all; the time of a check of twelve lines when a key was pressed in the
    last."""
    kinds: dict[str, Counter[str]] = {}
    for row in table("derivations"):
        kinds.setdefault(row["kind"], Counter()).update(_derived(row))
    for kind, found in {**kinds, "": sum(kinds.values(), Counter[str]())}.items():
        of = f"{kind}: " if kind else ""
        right, wrong = found["right"], found["wrong"]
        asked = (0, 0) if kind else (180, 240)
        yield Figure(f"{of}right derivations", right, asked[0], "", False)
        yield Figure(f"{of}read, and right", 100 * found["right, read"] / right, 93, "%", False)
        yield Figure(f"{of}right, called wrong", found["right, called wrong"], 0, "")
        yield Figure(f"{of}wrong derivations, read", wrong, asked[1], "", False)
        yield Figure(f"{of}wrong, at the line", 100 * found["place"] / wrong, 95, "%", False)
        yield Figure(f"{of}wrong, with a reason", 100 * found["reason"] / wrong, 80, "%", False)
        yield Figure(f"{of}wrong, called right", found["wrong, called right"], 0, "")
    typed = [TWELVE[:n] for n in range(TWELVE.rindex("\n") + 2, len(TWELVE) + 1)]
    slips = [f"{TWELVE} + {n} * w_d" for n in range(30)]
    for name, texts in (("typed", typed), ("where it makes it wrong", slips)):
        took = statistics.median(_keys(texts))
        yield Figure(f"a key in the last of 12 lines, {name}", took, 100, "ms")


def step_figures(every: int = 4, seeds: int = 1) -> Iterator[Figure]:
    """Right derivations as they stand and in other ways, on the inputs of several seeds; slips in
    their sides, each nth of them, beside brute force."""
    rows = [row for row in table("derivations") if row["kind"] != "algorithm"]
    found = sum((rewritten.trials(rows, seed) for seed in range(1, 1 + seeds)), rewritten.Trials())
    _complain([*found.rejected])
    yield Figure("right derivations, in two ways", found.derivations, 400, "", False)
    yield Figure("their sides, trials", found.tried, TRIALS, "", False)
    yield Figure("their sides, not read", 100 * found.unread / found.sides, 10, "%")
    yield Figure("sides or derivations called wrong", len(found.rejected), 0, "")
    tried, off = steps.disagreements(rows, every)
    _complain(off)
    yield Figure("slips in sides that follow", tried, 1_000, "", False)
    yield Figure("of these contested by brute force", len(off), 0, "")


def _derived(row: dict[str, Any]) -> Iterator[str]:
    """What becomes of each derivation of an exercise."""
    exercise = made(row["exercise"])
    for text in row["right"]:
        verdict = check(text, exercise).verdict
        yield "right"
        if verdict != "unreadable":
            is_right = verdict in ("correct", "incomplete", "correct-but-slow")
            yield "right, read" if is_right else "right, called wrong"
    for wrong in row["wrong"]:
        text, at = wrong["text"], wrong["at"].strip()
        one = check(text, exercise)
        if one.verdict == "unreadable":
            continue
        yield "wrong"
        first = text.count("\n", 0, text.find(at)) + 1
        if one.verdict in ("correct", "incomplete"):
            yield "wrong, called right"
        elif not one.steps or one.line in range(first, first + at.count("\n") + 1):
            yield "place"
        if one.misconception or one.wrong_when or one.near or one.message:
            yield "reason"


def _keys(texts: Sequence[str]) -> list[float]:
    """Milliseconds of the check of each text, one key after the other, as the lab does it."""
    exercise = made(LOGISTIC)
    check(TWELVE, exercise)
    return [times_ms(partial(checked, text, exercise, thorough=False), 1)[0] for text in texts]


def loss_figures(seeds: int = 200) -> Iterator[Figure]:
    """Right answers to many losses on many seeds, and ten wrong ones to each on three."""
    every, wrong_seeds = losses(), 3
    off = missed = mutants = left_out = 0
    for loss in every:
        for seed in range(seeds):
            found = check(loss.right, loss.exercise, seed=seed)
            left_out = max(left_out, 100 * found.left_out // (found.left_out + found.tried))
            if found.verdict != "correct":
                off += 1
                _complain([f"{loss.name}, seed {seed}: {found.verdict}"])
        for answer in loss.wrong(10):
            mutants += 1
            for seed in range(wrong_seeds):
                verdict = check(answer, loss.exercise, seed=seed).verdict
                if verdict != "wrong":
                    missed += 1
                    _complain([f"{loss.name}, seed {seed}: {verdict}: {answer}"])
    yield Figure("losses that lose digits, right answers", len(every) * seeds, 0, "", False)
    yield Figure("of these not called correct", off, 0, "")
    yield Figure("inputs left out, at most", left_out, 50, "%")
    yield Figure("wrong answers to them", mutants, 400, "", False)
    yield Figure(f"of these not called wrong, {wrong_seeds} seeds", missed, 0, "")
