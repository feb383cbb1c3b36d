"""No wrong answer is called correct and no correct one wrong: mutants against brute force."""

from __future__ import annotations

from functools import cache, partial

import pytest

from engine.checking import check
from engine.pooling.exercise import PoolingExercise
from tests.engine.brute.agreement import disagreement
from tests.engine.brute.answers import FORMULAS, LATEX
from tests.engine.brute.inputs import apart, cases, shapes_of
from tests.engine.brute.mutants import Mutant, mutants
from tests.engine.brute.pooling import Case, Pair

GENERAL = PoolingExercise()
#: Each nth mutant in `make test`, of some 2,000; `make test-all` takes all of them.
EVERY = 32
INPUTS = 14
GROUPS = 16


@cache
def sample(every: int = EVERY) -> list[Mutant]:
    return mutants(every)


@cache
def inputs() -> list[Case]:
    return cases(2024, INPUTS, None)


def test_the_mutants_are_of_every_answer_and_read_unlike() -> None:
    texts = {mutant.text for mutant in sample()}
    assert len(texts) >= 80
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
            wrong = disagreement(mutant.tree, found, inputs(), partial(apart, 2024))
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
            wrong = disagreement(mutant.tree, found, tried, moved, general=False)
            assert wrong is None, f"{wrong}: {mutant.echo}"


@pytest.mark.parametrize("answer", [*FORMULAS, *LATEX])
def test_the_answers_that_mutate_are_right(answer: str) -> None:
    assert check(answer, GENERAL, seed=5).verdict == "correct"
