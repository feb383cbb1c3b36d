"""Readers, judge and verdicts against brute force: fuzz, mutants, lists of weights."""

from __future__ import annotations

import random
from functools import cache, partial

import numpy as np
import pytest

from engine.checking import check
from engine.pooling import windows as subgradient
from engine.pooling.exercise import PoolingExercise
from tests.engine.brute import fuzz
from tests.engine.brute.agreement import disagreement
from tests.engine.brute.answers import FORMULAS, LATEX
from tests.engine.brute.given import EXERCISES, Given, contested
from tests.engine.brute.inputs import apart, cases, shapes_of
from tests.engine.brute.mutants import Mutant, mutants
from tests.engine.brute.pooling import Case, Pair, valid_message


@pytest.mark.parametrize(("kind", "many"), [("formula", 250), ("LaTeX", 250), ("function", 40)])
def test_no_text_crashes_a_reader(kind: str, many: int) -> None:
    crashed, _ = fuzz.tried(fuzz.texts(kind, 3, many), fuzz.READERS[kind])
    assert not crashed


@pytest.mark.parametrize("every", [20, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("given", EXERCISES, ids=lambda given: given.name)
def test_the_verdict_on_a_mutant_is_that_of_differences(given: Given, every: int) -> None:
    tried, off = contested(given, 12, every)
    assert tried > 2
    assert not off


def shared_out(case: Case, rng: random.Random) -> dict[tuple[int, int], float]:
    """A message by random weights over each window's maxima."""
    dx = dict.fromkeys(case.cells, 0.0)
    for window, tied in case.tied.items():
        weights = [rng.choice((0.0, 1.0, 2.0)) for _ in tied]
        weights[rng.randrange(len(tied))] += 1.0
        for at, weight in zip(tied, weights, strict=True):
            dx[at] += case.sent(window) * weight / sum(weights)
    return dx


@pytest.mark.parametrize("seed", range(3))
def test_the_engine_and_brute_force_judge_any_message_alike(seed: int) -> None:
    rng = random.Random(seed)
    for case in cases(seed, 60, None):
        tied = np.zeros((1, len(case.f), len(case.f[0]), len(case.x), len(case.x[0])), dtype=bool)
        for (k, l), places in case.tied.items():  # noqa: E741
            for i, j in places:
                tied[0, k, l, i, j] = True
        dx = shared_out(case, rng)
        assert valid_message(case, dx)
        moved = dict(dx)
        one, other = rng.choice(case.cells), rng.choice(case.cells)
        step = rng.choice((0.0, 0.25, 1.0, -3.0))
        moved[one] += step
        moved[other] -= step
        for message in (dx, moved):
            grid = np.array([list(message.values())]).reshape(1, len(case.x), len(case.x[0]))
            found = subgradient.valid_message(grid, np.array([case.delta]), tied)
            assert bool(found[0]) == valid_message(case, message)


GENERAL = PoolingExercise()
#: Each nth mutant in `make test`, of some 2,000; `make test-all` takes all of them.
EVERY = 64
INPUTS = 12
GROUPS = 16


@cache
def sample(every: int = EVERY) -> list[Mutant]:
    return mutants(every)


@cache
def inputs() -> list[Case]:
    return cases(2024, INPUTS, None)


def test_the_mutants_are_of_every_answer_and_read_unlike() -> None:
    texts = {mutant.text for mutant in sample()}
    assert len(texts) >= 50
    # Two of them read alike.
    assert {*FORMULAS, *LATEX} - texts <= {FORMULAS[1]}


@pytest.mark.parametrize(
    ("every", "group"),
    [(EVERY, 0), *(pytest.param(1, group, marks=pytest.mark.long) for group in range(GROUPS))],
)
def test_the_verdict_on_a_mutant_is_that_of_brute_force(every: int, group: int) -> None:
    for mutant in sample(every)[group :: GROUPS if every == 1 else 1]:
        found = check(mutant.text, GENERAL)
        # Refused in evaluation: a range without an end.
        if found.verdict != "unreadable":
            wrong = disagreement(mutant.read, found, inputs(), partial(apart, 2024))
            assert wrong is None, f"{wrong}: {mutant.echo}"


@pytest.mark.parametrize(
    ("kernel", "stride", "padding"),
    [((2, 2), (2, 2), (0, 0)), ((3, 3), (2, 2), (1, 1)), ((1, 3), (2, 1), (0, 1))],
)
def test_a_window_that_is_given_has_verdicts_of_its_own(
    kernel: Pair, stride: Pair, padding: Pair
) -> None:
    exercise = PoolingExercise(kernel=kernel, stride=stride, padding=padding)
    tried = cases(7, INPUTS, shapes_of(kernel, stride, padding))
    moved = partial(apart, 7, kernel, stride, padding)
    for mutant in sample()[::9]:
        found = check(mutant.text, exercise)
        if found.verdict != "unreadable":
            wrong = disagreement(mutant.read, found, tried, moved, general=False)
            assert wrong is None, f"{wrong}: {mutant.echo}"


@pytest.mark.parametrize("answer", [*FORMULAS, *LATEX])
def test_the_answers_that_mutate_are_right(answer: str) -> None:
    assert check(answer, GENERAL, seed=5).verdict == "correct"
