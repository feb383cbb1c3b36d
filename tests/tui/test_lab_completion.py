"""Lab: how a word of an answer may go on."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.exercise import exercise_for
from tests.tui.driving import RIGHT
from tests.tui.lab_driving import in_lab, write_answer
from tui.lab.requests import ExerciseInfo
from tui.lab.server import brief
from tui.lab.visit import completion
from tui.widgets.editors import AnswerEditor


def made(exercise: object) -> ExerciseInfo:
    found = exercise_for(exercise, ("max-pooling", "backpropagation"), "derivation")
    assert found is not None
    return brief(found)


POOLING, LINEAR = made(None), made("linear")
FUNCTION = "def backward(x, delta):\n    total = x\n    "


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("dx", "[i,j] = "),
        ("dx[i,j]", " = "),
        ("sum(de", "lta[k,l]"),
        ("x * arg", "max(k,l)"),
        ("sum(delta[k,l] for k,l if (i,j) in Om", "ega(k,l)"),
        ("2 * ex", "p("),
        ("0 if x > 0; oth", "erwise"),
        ("\\del", "ta"),
        ("\\delta_x = \\pa", "rtial"),
        # Nothing where a word is whole, where it is short, and where nobody knows it.
        ("delta", ""),
        ("sum(d", ""),
        ("sum(detl", ""),
        ("", ""),
        ("dx[i,j] = ", ""),
    ],
)
def test_a_word_goes_on_as_the_exercise_and_the_notation_know_it(line: str, rest: str) -> None:
    assert completion(line, line, POOLING) == rest


def test_each_exercise_has_its_own_symbols_and_left_side() -> None:
    assert completion("dL", "dL", LINEAR) == "/dx[j] = "
    assert completion("dL/dx[j] = de", "dL/dx[j] = de", LINEAR) == "lta[k]"
    assert completion("arg", "arg", LINEAR) == "max("


def test_names_that_the_learner_defined_are_known() -> None:
    text = "weight[k,l] = 2\ndx[i,j] = wei"
    assert completion("dx[i,j] = wei", text, POOLING) == "ght"


def test_open_cases_are_closed() -> None:
    text = "\\begin{cases} 1 \\\\ 0 \\e"
    assert completion(text, text, POOLING) == "nd{cases}"


@pytest.mark.parametrize(
    ("line", "rest"),
    [("    dx = np.zer", "os_like("), ("    tot", "al"), ("    ret", "urn "), ("    del", "ta")],
)
def test_a_function_knows_numpy_and_its_own_names(line: str, rest: str) -> None:
    assert completion(line, FUNCTION + line, POOLING) == rest


@given(st.text(max_size=40))
def test_a_suggestion_is_one_line_of_plain_text(line: str) -> None:
    rest = completion(line, line, POOLING)
    assert "\n" not in rest
    assert rest.isprintable()


def test_the_right_answer_is_never_the_example() -> None:
    assert LINEAR.answer
    assert LINEAR.example != LINEAR.answer


async def test_the_right_arrow_takes_a_suggestion_and_typing_never_does(seed: Path) -> None:
    async with in_lab(seed) as app:
        editor = app.app.screen.query_one(AnswerEditor)
        await app.press("d", "x")
        assert editor.suggestion == "[i,j] = "
        assert editor.text == "dx"
        await app.press("right")
        assert editor.text == "dx[i,j] = "
        await app.press(*"de", "tab")
        assert editor.text == "dx[i,j] = de"
        assert app.app.focused is not editor


async def test_within_a_line_the_right_arrow_moves(seed: Path) -> None:
    async with in_lab(seed) as app:
        await write_answer(app, RIGHT)
        editor = app.app.screen.query_one(AnswerEditor)
        editor.load_text("de + x")
        await app.press("home", "right", "right", "right")
        assert (editor.text, editor.cursor_location) == ("de + x", (0, 3))
