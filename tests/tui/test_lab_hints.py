"""Hints: where an answer fails, the mistake by its name, the line of the solution."""

from __future__ import annotations

import pytest

from cards.parse import parse_card
from engine.verdict import Case, Verdict
from tests.paths import SEED
from tui.lab.text import asked, mistake, solution_line, where

SOLUTION = parse_card(SEED.read_text(encoding="utf-8")).solution


def wrong(**more: object) -> Verdict:
    return Verdict("wrong", "dx[i,j] = 1", 0, tried=300, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (wrong(failed=3, wrong_when=("windows overlap",)), "wrong only when windows overlap"),
        (wrong(failed=300), "fails on every input"),
        (wrong(failed=200), "right on 100 inputs of 300"),
    ],
)
def test_the_first_hint_says_which_inputs_fail(verdict: Verdict, said: str) -> None:
    assert said in where(verdict)


def test_conditions_that_have_commas_are_told_apart() -> None:
    both = ("windows overlap, or there is padding", "a value occurs twice")
    said = "It is wrong only when windows overlap, or there is padding; a value occurs twice."
    assert where(wrong(failed=3, wrong_when=both)) == said


def test_the_target_of_a_function_is_what_its_numbers_are() -> None:
    case = Case("dL/dx[j]", ("j",), {}, {}, [1.0], [3.0], [(0,)])
    function = Verdict("wrong", "def backward(x, delta):", 0, tried=300, counterexample=case)
    assert asked(function) == "dL/dx[j]"
    assert asked(wrong()).strip() == "dx[i,j]"


def test_where_nothing_was_tried_nothing_is_said_of_inputs() -> None:
    assert where(Verdict("wrong", "dx = W delta", 0, tried=0)) == ""


def test_where_nearly_every_input_fails_the_first_hint_is_the_next() -> None:
    assert where(wrong(failed=299)) == ""
    assert where(wrong(failed=299, wrong_when=("windows overlap",)))


def test_the_second_names_the_misconception_and_mends_it() -> None:
    verdict = wrong(failed=3, misconception="sign", teaching="Messages keep their sign.")
    assert mistake(verdict) == "It looks like this: sign. Messages keep their sign."


def test_a_near_miss_says_how_near() -> None:
    case = Case("dL/dx[j]", ("j",), {}, {}, [1.0, 2.5], [1.0, 3.0], [(1,)])
    said = "One entry is off in the smallest case: at [1] it says 2.5, and 3 is expected."
    assert mistake(wrong(failed=3, counterexample=case)) == said


@pytest.mark.parametrize(
    ("read", "begins"),
    [
        ("J[k,l,i,j] = 1", r"\frac{\partial f_{kl}}{\partial x_{ij}}"),
        ("(i*, j*) = argmax(k,l)\nJ[k,l,i,j] = 1", r"\frac{\partial f_{kl}}{\partial x_{ij}}"),
        ("dx[i,j] = delta[k,l]", r"\delta_{x, ij}"),
        ("dx", r"\delta_{x, ij}"),
        ("J", r"\frac{\partial f_{kl}}{\partial x_{ij}}"),
        ("df[k]/dx[j] = 1", r"\frac{\partial f_{kl}}{\partial x_{ij}}"),
    ],
)
def test_the_line_of_the_solution_answers_what_was_answered(read: str, begins: str) -> None:
    assert solution_line(SOLUTION, read).startswith(begins)


@pytest.mark.parametrize(
    ("solution", "read", "line"),
    [
        ("$$ s = 1 $$ $$ \\delta_W = 2 $$ $$ \\delta_x = 3 $$", "dL/dx[j] = 1", r"\delta_x = 3"),
        (r"\[ \frac{\partial L}{\partial s} = p - t \]", "dL/ds = 1", None),
        ("Only words.", "dL/ds = 1", ""),
    ],
)
def test_without_such_a_line_the_nearest_is_told(
    solution: str, read: str, line: str | None
) -> None:
    found = solution_line(solution, read)
    assert found == line if line is not None else "p - t" in found
