"""Lab: the verdict while typing, the input that is shown, hints, and what stays of a visit."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.events import Key, Paste

from tests.tui.driving import RIGHT, UNREADABLE, WRONG, Driver, journal, running
from tests.tui.lab_driving import FIXED, FUNCTION, GIVEN, PARTS, in_lab, write_answer
from tui.screens.lab import ENOUGH, RowsNeeded, left_out
from tui.widgets.editors import AnswerEditor

LATEX = r"\delta_{x,ij} = \frac{1}{4} \sum_{k,l} \delta_{f,kl}"
PROSE = (
    r"The message is $\delta_{x,ij} = \sum_{k,l} \delta_{kl} [(i,j) = \arg\max_{\Omega(k,l)} x]$."
)
OVERLAP = "dx[i,j] = delta[k,l] if x[i,j] == max(window(k,l)) else 0"
DX = "dx = W.T @ (delta * (1 - y^2))"
DW = "dW = outer(delta * (1 - y^2), x)"
DB = "db = delta * (1 - y^2)"


def lacks(app: Driver, *texts: str) -> list[str]:
    """Those of the texts that are not on the screen."""
    return [text for text in texts if text not in app.shown()]


def at_the_caret(app: Driver) -> tuple[str, str]:
    """What stands above the caret, and what is said below it."""
    lines = app.shown().splitlines()
    at = next(n for n, line in enumerate(lines) if line.strip() == "^")
    return lines[at - 1][lines[at].index("^") :], " ".join(lines[at + 1 : at + 3])


def answer(app: Driver) -> AnswerEditor:
    return app.app.screen.query_one(AnswerEditor)


# An answer while it is written.


async def test_an_answer_is_judged_and_typeset_while_it_is_written(seed: Path) -> None:
    async with in_lab(seed, size=(120, 40)) as app:
        await write_answer(app, RIGHT)
        typeset = "δₖₗ · [(i, j) = arg max Ω(k, l)]"
        assert not lacks(app, "✓ correct", "300 inputs · seed 0", f"I read  {RIGHT}", typeset)
        await app.press("ctrl+n", "ctrl+g")
        assert app.said() == ["No input fails.", "It is correct: there is nothing to hint at."]
        await write_answer(app, LATEX)
        assert not lacks(app, "δₓ,ᵢⱼ = ─")
        await write_answer(app, PROSE)
        assert not lacks(app, "✓ correct", "δₓ,ᵢⱼ = ", "dx, yours")
        await write_answer(app, WRONG)
        assert not lacks(app, "✗ wrong", "dx, yours", "dx, expected", "✗1")
        await app.press("ctrl+n")
        assert lacks(app, "kernel ‹"), "a failing input says its own windows"
        assert re.search(r"kernel \d×\d · stride", app.shown())
        await app.press("ctrl+r")
        assert not lacks(app, "kernel ‹2›")
        for text in (WRONG, UNREADABLE, RIGHT):
            answer(app).load_text(text)
        await app.settle()
        assert not lacks(app, "✓ correct")


@pytest.mark.parametrize(
    ("size", "text"),
    [((100, 30), UNREADABLE), ((60, 20), f"{RIGHT} * 1 * 1 * detla[k,l]")],
)
async def test_an_unreadable_answer_has_a_caret_under_the_place_and_a_hint(
    seed: Path, size: tuple[int, int], text: str
) -> None:
    async with in_lab(seed, size) as app:
        await app.press("ctrl+g")
        await write_answer(app, text)
        above, below = at_the_caret(app)
        assert above.startswith("detla")
        assert "delta" in below
        await app.press("ctrl+g")
        assert len(app.said()) == 2, "there is no hint about what cannot be read"
        assert lacks(app, "hint  ")


async def test_keys_go_into_the_answer_in_their_order(seed: Path) -> None:
    async with in_lab(seed) as app:
        await app.press("r", "n", "q", "question_mark")
        assert (app.screen, answer(app).text) == ("LabScreen", "rnq?")
        await write_answer(app, "")
        for key in ("a", "b", "left", "c", "home", "d", "end", "backspace", "e"):
            app.app.post_message(Key(key, key if len(key) == 1 else None))
        await app.settle()
        assert answer(app).text == "dace"


async def test_the_right_arrow_takes_a_suggestion_and_typing_never_does(seed: Path) -> None:
    async with in_lab(seed) as app:
        await app.press("d", "x")
        assert answer(app).suggestion == "[i,j] = "
        await app.press("y")
        assert answer(app).text == "dxy"
        await app.press("backspace", "right")
        assert answer(app).text == "dx[i,j] = "
        await app.press(*"de", "tab")
        assert answer(app).text == "dx[i,j] = de"
        assert app.app.focused is not answer(app)
        answer(app).focus()
        answer(app).load_text("de + x")
        await app.press("home", "right", "right", "right")
        assert (answer(app).text, answer(app).cursor_location) == ("de + x", (0, 3))


async def test_what_is_too_long_is_neither_pasted_nor_judged_nor_recorded(seed: Path) -> None:
    async with running(seed) as app:
        await app.press("enter", "c")
        await write_answer(app, RIGHT)
        app.app.post_message(Paste("delta[k,l] + " * 80_000))
        await app.settle()
        assert answer(app).text == RIGHT
        said = f"it has {1_040_000 + len(RIGHT):,} characters, and 10,000 fit here"
        assert any("Nothing was pasted" in each and said in each for each in app.said())
        await write_answer(app, "")
        await app.press("escape", "c")
        await write_answer(app, "delta[k,l] + " * 1_000)
        assert not lacks(app, "The answer has 13000 characters")
        await app.press("escape")
        assert RIGHT in str(journal(seed, "check"))
        assert "delta[k,l] + delta" not in str(journal(seed, "check"))


# What stays of a visit.


async def test_leaving_writes_the_check_and_suggests_a_rating(seed: Path) -> None:
    async with running(seed) as app:
        await app.press("enter", "c")
        await write_answer(app, RIGHT)
        await app.press("ctrl+g")
        app.clock.move(seconds=110)
        await app.press("escape")
        assert app.screen == "StudyScreen"
        [check] = journal(seed, "check")
        assert check["item"] == "ssu_batch4_004"
        assert check["data"]["answer"] == RIGHT
        await app.press("space")
        assert not lacks(app, "suggested: 3, correct in 1:50")
        assert app.said() == [], "what the lab said does not cover the ratings"


async def test_a_wrong_answer_that_stood_costs_the_first_try_and_is_kept(seed: Path) -> None:
    async with running(seed) as app:
        await app.press("enter", "c")
        await write_answer(app, WRONG)
        await app.press("escape", "c")
        assert answer(app).text == WRONG
        await app.press("escape", "c")
        assert len(journal(seed, "check")) == 1
        await write_answer(app, WRONG + " ")
        app.clock.move(seconds=30)
        await write_answer(app, RIGHT)
        await app.press("escape", "space")
        assert not lacks(app, "suggested: 2, correct after 1 wrong")


async def test_an_answer_after_hints_is_called_hard_and_the_journal_says_so(seed: Path) -> None:
    async with running(seed) as app:
        await app.press("enter", "c")
        await write_answer(app, WRONG)
        await app.press("ctrl+g", "ctrl+g")
        await write_answer(app, RIGHT)
        await app.press("escape")
        [event] = journal(seed, "check")
        check = event["data"]
        assert (check["verdict"], check["hints"], check["seed"]) == ("correct", 2, 0)
        await app.press("space")
        assert not lacks(app, "suggested: 2, correct after 2 hints")
        await app.press("4")
        [review] = journal(seed, "review")
        assert review["check"]["hints"] == 2


async def test_of_what_was_cleared_only_a_right_answer_counts(seed: Path) -> None:
    async with running(seed) as app:
        await app.press("enter", "c")
        await write_answer(app, WRONG)
        await app.press("escape", "c")
        await write_answer(app, "")
        await app.press("escape", "space")
        assert lacks(app, "suggested")
        await app.press("c")
        await write_answer(app, RIGHT)
        await write_answer(app, "")
        await app.press("escape")
        assert not lacks(app, "suggested: 4, correct")
        verdicts = [event["data"]["verdict"] for event in journal(seed, "check")]
        assert verdicts == ["wrong", "correct"]


async def test_escape_closes_the_notation_before_the_lab(seed: Path) -> None:
    async with running(seed, (60, 20)) as app:
        await app.press("enter", "c")
        await write_answer(app, WRONG)
        await app.press("ctrl+t")
        assert not lacks(app, "argmax(k,l)", "for example")
        assert lacks(app, "dx, engine"), "it has the whole of a small screen"
        await app.press("escape")
        assert app.screen == "LabScreen"
        assert lacks(app, "for example")
        await app.press("escape")
        assert app.screen == "StudyScreen"


async def test_a_card_without_an_exercise_has_no_lab(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "c")
        assert app.screen == "StudyScreen"


# The input that is shown.


async def test_messages_flow_back_window_by_window_and_no_grid_moves(seed: Path) -> None:
    async with in_lab(seed) as app:
        assert not lacks(app, "window (0,0) of 4: its maximum is x[", "┃")
        await write_answer(app, WRONG)
        at = set()
        for step in range(1, 5):
            await app.press("ctrl+l")
            assert not lacks(app, f"dx, after {step} of 4", "goes to dx[")
            # The first one is the board's, above that of the smallest case.
            title = next(row for row in app.shown().splitlines() if "dx, yours" in row)
            at.add(title.index("dx, yours"))
        assert len(at) == 1
        await app.press("tab", "right", "right", "right", "left")
        assert not lacks(app, "dx, after 2 of 4")


async def test_sliders_turn_kernel_stride_and_padding_within_their_bounds(seed: Path) -> None:
    async with in_lab(seed) as app:
        assert not lacks(app, "kernel ‹2›  stride ‹2›  padding ‹0›")
        await app.press("tab", "tab", "up", "right", "down")
        assert not lacks(app, "kernel ‹3›  stride ‹1›  padding ‹0›")
        await app.press("right", "up")
        assert not lacks(app, "kernel ‹3›  stride ‹1›  padding ‹1›")
        await app.press("left", "left", *["down"] * 2)
        # Padding is at most half of the kernel.
        assert not lacks(app, "kernel ‹1›  stride ‹1›  padding ‹0›")


async def test_a_window_that_the_card_fixes_has_no_sliders(folder: Path) -> None:
    (folder / "fixed.md").write_text(FIXED, encoding="utf-8")
    async with in_lab(folder) as app:
        assert not lacks(app, "kernel 3×3 · stride 2 · padding 0", "df[0,0]/dx, engine")
        assert lacks(app, "kernel ‹")


async def test_each_letter_does_what_its_ctrl_key_does_while_writing(seed: Path) -> None:
    """Beside the editor r, n, h, w, t and b need no ctrl; shift+tab leads back into it."""
    async with in_lab(seed, size=(100, 40)) as app:
        await write_answer(app, WRONG)
        await app.press("tab")
        for letter, shown in (
            ("r", "input 2"),
            ("n", "failing input 1 of "),
            ("n", "failing input 2 of "),
            ("w", "after 1 of "),
            ("h", "hint  It "),
            ("t", "How an answer is written"),
        ):
            assert lacks(app, shown)
            await app.press(letter)
            assert not lacks(app, shown)
        await app.press("b")
        assert app.screen == "HandScreen"
        await app.press("q", "tab", "shift+tab", "x")
        assert answer(app).text == f"x{WRONG}"


async def test_any_forward_message_has_its_input_its_notation_and_its_hints(folder: Path) -> None:
    (folder / "elu.md").write_text(GIVEN, encoding="utf-8")
    async with in_lab(folder, size=(100, 40)) as app:
        assert not lacks(app, " W ", " x ", " s ", " y ", " δ ", "dL/dx[j], engine")
        assert not lacks(app, "Write what you derived: dL/dx[j] = …", "def backward(W, x, delta):")
        assert not lacks(app, "the upstream message dL/dy[k]")
        assert lacks(app, "hint")
        await write_answer(app, "dL/dx[j] = sum(delta[k] * W[k,j] for k)")
        assert not lacks(app, "✗ wrong", "∑ δₖ · Wₖⱼ")
        await app.press("ctrl+g", "ctrl+g", "ctrl+g")
        assert not lacks(app, "It is wrong only when", "∑ δₖf′(sₖ)Wₖⱼ")
        await app.press("ctrl+n")
        assert not lacks(app, "failing input 1 of ")
        await app.press("tab", "tab", *["up"] * 5)
        assert not lacks(app, "values ‹constant›")
        x: Any = app.app.screen._found.picture.inputs["x"]  # type: ignore[attr-defined]
        assert len(set(x)) == 1


# Hints.


async def test_hints_come_one_at_a_time(seed: Path) -> None:
    told = ("hint  It ", "every input of the window gets the gradient", "The line of the solution:")
    async with in_lab(seed, size=(100, 40)) as app:
        await write_answer(app, WRONG)
        for number, hint in enumerate(told):
            assert lacks(app, *told) == [*told[number:]]
            await app.press("ctrl+g")
            assert not lacks(app, hint)
        assert not lacks(app, "δₓ,ᵢⱼ =")
        await app.press("ctrl+g")
        assert "That was the last hint." in app.said()


async def test_hints_stay_while_an_answer_is_mended_and_are_folded_for_a_new_one(
    seed: Path,
) -> None:
    async with in_lab(seed, size=(100, 40)) as app:
        await write_answer(app, f"{OVERLAP} + 1")
        await app.press("ctrl+g", "ctrl+g")
        await write_answer(app, OVERLAP)
        assert not lacks(app, "hint  It is wrong only when windows overlap")
        assert app.shown().count("hint  ") == 2
        await write_answer(app, "J[k,l,i,j] = 1 if x[i,j] > 0 else 0")
        assert not lacks(app, "✗ wrong")
        assert lacks(app, "hint  ")
        await app.press("ctrl+g")
        assert app.shown().count("hint  ") == 1


# Several parts, and steps on the way.


@pytest.fixture
def unit(folder: Path) -> Path:
    (folder / "unit.md").write_text(PARTS, "utf-8")
    return folder


async def test_parts_are_remembered_from_one_answer_to_the_next(unit: Path) -> None:
    async with in_lab(unit) as app:
        await write_answer(app, DX)
        assert not lacks(app, "✓ right so far, 1 of 3 parts", "open  dL/dW[k,j], dL/db[k]")
        await app.press("ctrl+g")
        assert app.said() == ["What is written is right. Still open: dL/dW[k,j], dL/db[k]."]
        await write_answer(app, DW)
        assert not lacks(app, "✓ right so far, 2 of 3 parts")
        await write_answer(app, "db = delta")
        assert not lacks(app, "✗ wrong: dL/db[k]", "right  dL/dx[j], dL/dW[k,j]")
        await write_answer(app, DB)
        assert not lacks(app, "✓ correct: all 3 parts")
        await write_answer(app, "db = delta")
        assert not lacks(app, "open  dL/db[k]"), "what is made wrong is open again"
        await write_answer(app, f"{DX}\n{DW}\n{DB}")
        assert not lacks(app, "✓ correct: all 3 parts")
        assert lacks(app, "open  ")
        await app.press("escape")
        [check] = journal(unit, "check")
        data = check["data"]
        assert (data["verdict"], len(data["parts"]), data["open"]) == ("correct", 3, [])


async def test_a_false_step_has_a_caret_and_its_failing_inputs(unit: Path) -> None:
    async with in_lab(unit, size=(80, 24)) as app:
        await write_answer(app, "db = delta * y = delta * (1 - y^2)")
        assert not lacks(app, "✗ the result is right; this step is not", "dL/db[k], expected")
        assert not lacks(app, "this step  dL/db[k] = delta[k] * y[k]")
        assert at_the_caret(app)[0].startswith("delta * y")
        await app.press("ctrl+n")
        assert not lacks(app, "failing input 1 of")
        assert "✗" in app.shown().split("dL/db[k], yours")[1]


# An answer that is a NumPy function.


async def test_a_function_is_run_by_a_key_and_judged_as_a_formula_is(seed: Path) -> None:
    async with in_lab(seed, size=(100, 50)) as app:
        answer(app).load_text(FUNCTION)
        await app.press("f5")
        assert not lacks(app, "✓ correct", "dx, yours", "it printed", "(4, 4)")
        assert not lacks(app, "run apart: process, limits")
        answer(app).load_text(FUNCTION.replace("+= delta", "= delta"))
        await app.press("ctrl+s")
        assert not lacks(app, "✗ wrong")
        await app.press("ctrl+n")
        assert not lacks(app, "failing input 1 of ")
        # It gives the message: its line is told, not the Jacobian's.
        await app.press("ctrl+g", "ctrl+g", "ctrl+g")
        assert not lacks(app, "The line of the solution:", "δₓ,ᵢⱼ =")


async def test_of_an_error_only_the_lines_of_the_learner_are_shown(seed: Path) -> None:
    fails = "def backward(x, delta):\n    def far(y):\n        return y[99]\n    return far(x)\n"
    async with in_lab(seed, size=(100, 40)) as app:
        answer(app).load_text(fails)
        await app.press("f5")
        assert not lacks(app, "? the function gives no message", "IndexError: index 99")
        assert not lacks(app, "line 4, in backward  return far(x)", "line 3, in far  return y[99]")
        assert lacks(app, "File")


async def test_leaving_runs_what_was_typed_last(seed: Path) -> None:
    async with running(seed) as app:
        await app.press("enter", "c")
        answer(app).load_text(FUNCTION)
        await app.press("escape", "space")
        assert app.screen == "StudyScreen"
        assert not lacks(app, "suggested: 4, correct")


async def test_a_function_is_coloured_and_its_lines_keep_their_indentation(seed: Path) -> None:
    async with in_lab(seed) as app:
        editor = answer(app)
        editor.load_text("def backward(x, delta):")
        await app.pilot.press("end", "enter", "x", "enter", "tab", "y", "enter")
        assert editor.text == "def backward(x, delta):\n    x\n        y\n        "
        await app.pilot.press("backspace", "r", "e", "t", "u", "r", "n", "enter")
        assert editor.text.endswith("        y\n    return\n")
        editor.load_text("def backward(x, delta):\n    return 2 * x")
        await app.settle()
        assert len(editor.get_line(1).spans) == 2
        editor.load_text(RIGHT)
        await app.settle()
        assert not editor.get_line(0).spans


# On a short screen: what stays beside a wrong answer's details, and what goes first.


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_the_grids_stay_where_they_are_when_the_answer_is_wrong(
    seed: Path, size: tuple[int, int]
) -> None:
    async with in_lab(seed, size=size) as app:
        await write_answer(app, "dx")
        before = app.shown().splitlines()
        await write_answer(app, WRONG)
        after = app.shown().splitlines()
        assert not lacks(app, "✗ wrong", "smallest case")
        end = next(n for n, row in enumerate(before) if "dx, engine" in row) + 5
        assert [row[:50] for row in after[:end]] == [row[:50] for row in before[:end]]
        assert any("dx, yours" in row for row in after[:10])
        assert any(" ✗.25" in row for row in after[:14])


ROWS = RowsNeeded(board=6, answer=2, formula=3, details=5, other=4, stacked=True)


@pytest.mark.parametrize(
    ("height", "asked_for", "stacked", "board", "formula"),
    [
        (20, True, True, False, False),  # nothing goes while everything fits
        (19, True, True, False, True),  # the formula goes before the board
        (17, True, True, False, True),
        (16, True, True, True, False),  # what was asked for has to fit as a whole
        (16, False, True, False, True),
        (11 + ENOUGH, False, True, True, False),
        (18, True, False, False, False),  # beside the answer a formula takes no rows
    ],
)
def test_the_formula_goes_first_and_the_board_where_details_do_not_fit(
    height: int, asked_for: bool, stacked: bool, board: bool, formula: bool
) -> None:
    assert left_out(replace(ROWS, stacked=stacked), height, asked_for) == (board, formula)
