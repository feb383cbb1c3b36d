"""Lab: the verdict while typing, the input that is shown, hints, grids filled in by hand, and what
stays of a visit.  After a wanted change of its looks: pytest tests/tui/test_lab.py
--snapshot-update, and look at each picture.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.events import Key, Paste
from textual.pilot import Pilot

from tests.paths import SEED
from tests.tui.driving import RIGHT, UNREADABLE, WRONG, Clock, Driver, journal, running, write
from tests.tui.lab_driving import (
    FIXED,
    FUNCTION,
    GIVEN,
    PARTS,
    in_lab,
    open_lab,
    worksheet_of,
    write_answer,
)
from tui.app import DeltadeckApp
from tui.screens.worksheet import HandGrid
from tui.widgets.editors import AnswerEditor
from tui.widgets.lab_board import Typeset

LATEX = r"\delta_{x,ij} = \frac{1}{4} \sum_{k,l} \delta_{f,kl}"
PROSE = (
    r"The message is $\delta_{x,ij} = \sum_{k,l} \delta_{kl} [(i,j) = \arg\max_{\Omega(k,l)} x]$."
)
OVERLAP = "dx[i,j] = delta[k,l] if x[i,j] == max(window(k,l)) else 0"
SLOPE_FORGOTTEN = "dL/dx[j] = sum(delta[k] * W[k,j] for k)"
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
        assert not lacks(app, "✓ correct", "300 inputs · seed 0", f"I read  dL/{RIGHT}", typeset)
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


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_on_a_short_screen_the_grids_stay_where_they_are(
    seed: Path, size: tuple[int, int]
) -> None:
    """Also what cannot be read, and how an answer is written, are told there."""
    async with in_lab(seed, size) as app:
        await app.press("ctrl+g")
        await write_answer(app, f"{RIGHT} * 1 * 1 * detla[k,l]")
        above, below = at_the_caret(app)
        assert above.startswith("detla")
        assert "delta" in below
        await app.press("ctrl+g")
        assert len(app.said()) == 2, "there is no hint about what cannot be read"
        assert lacks(app, "hint  ")
        await write_answer(app, "dx")
        before = app.shown().splitlines()
        await write_answer(app, WRONG)
        after = app.shown().splitlines()
        assert not lacks(app, "✗ wrong", "smallest case")
        end = next(n for n, row in enumerate(before) if "dx, yours" in row) + 5
        assert [row[:35] for row in after[:end]] == [row[:35] for row in before[:end]]
        assert "dx, yours" in after[end - 5]
        assert any(" ✗.25" in row for row in after[:end])
        await app.press("ctrl+g", "ctrl+g", "ctrl+g")
        assert not lacks(app, "dx, yours", "hint  "), "hints leave the grids where they are"
        await app.press("ctrl+t")
        assert not lacks(app, "delta[k,l]", "dx, yours")
        await app.press("escape")
        assert app.screen == "LabScreen"
        assert lacks(app, "for example")
        await app.press("escape")
        assert app.screen == "HomeScreen"


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20)])
async def test_the_cards_own_question_is_in_sight(seed: Path, size: tuple[int, int]) -> None:
    """Its last sentence whatever is written; the whole by a key, or where there is room."""
    begins, ends = "Consider the", "of the layer"
    async with in_lab(seed, size) as app:
        for text in ("", WRONG, UNREADABLE):
            await write_answer(app, text)
            assert not lacks(app, ends)
        assert bool(lacks(app, begins)) is (size != (120, 40))
        await app.press("f2")
        assert not lacks(app, *([ends] if size == (120, 40) else [begins]))
        await app.press("f2")
        assert not lacks(app, ends)


async def test_the_card_is_there_behind_the_lab_as_it_was_before(seed: Path) -> None:
    async with running(seed) as app:
        await app.press("enter")
        before = app.shown()
        await app.press("c", "escape")
        assert app.shown() == before
        await app.press("space", "3", "escape", "b")
        assert not lacks(app, "Consider the"), "and beside the rows, too"


async def test_the_engines_message_is_hidden_until_something_was_tried_or_a_key_shows_it(
    seed: Path,
) -> None:
    """Before the first attempt that is a hint; nothing else that is shown gives it away."""
    async with running(seed) as app:
        await app.press("enter", "c", "ctrl+l", "ctrl+l")
        assert not lacks(app, "dx, yours", "·     ·", "window (0,1) of 4: its maximum is x[")
        assert lacks(app, "dx, engine") == ["dx, engine"]
        assert len(lacks(app, "after 1", "so its message", "sum(delta[k,l]")) == 3
        await app.press("f4")
        assert not lacks(app, "dx, engine")
        await app.press("f4")
        assert lacks(app, "dx, engine")
        await write_answer(app, RIGHT)
        assert not lacks(app, "dx, yours")
        await app.press("escape", "space")
        assert not lacks(app, "suggested: 2, correct after 1 hint")
        await app.press("3")
    [check] = journal(seed, "check")
    assert check["data"]["hints"] == 1


async def test_behind_a_right_answer_the_way_on_is_offered(seed: Path) -> None:
    async with in_lab(seed) as app:
        await write_answer(app, WRONG)
        assert lacks(app, "from memory")
        await app.press("f8")
        assert app.said() == ["The answer is not correct yet."]
        await app.press("ctrl+g", "f4")
        await write_answer(app, RIGHT)
        assert not lacks(
            app, "escape to the card · ctrl+r another input · F9 another size · F8 from memory"
        )
        await app.press("f8")
        assert answer(app).text == ""
        assert not lacks(app, "dx, yours", "input 2", "brings back what you wrote")
        assert re.search(r"· +· +·", app.shown())
        assert lacks(app, "hint  ")
        await app.press("ctrl+up")
        assert answer(app).text == RIGHT


async def test_after_an_attempt_the_engines_message_is_no_hint(seed: Path) -> None:
    async with in_lab(seed) as app:
        await write_answer(app, WRONG)
        assert not lacks(app, "dx, yours")
        await app.press("f4")
        assert not lacks(app, "dx, engine")
        await write_answer(app, RIGHT)
        assert not lacks(app, "dx, yours")
        await app.press("escape")
    [check] = journal(seed, "check")
    assert check["data"]["hints"] == 0


async def test_the_editor_keeps_the_order_of_keys_suggests_words_and_indents_functions(
    seed: Path,
) -> None:
    async with in_lab(seed) as app:
        editor = answer(app)
        await app.press("r", "n", "q", "question_mark")
        assert (app.screen, editor.text) == ("LabScreen", "rnq?")
        await write_answer(app, "")
        for key in ("a", "b", "left", "c", "home", "d", "end", "backspace", "e"):
            app.app.post_message(Key(key, key if len(key) == 1 else None))
        await app.settle()
        assert editor.text == "dace"
        # The right arrow takes a suggestion, typing never does.
        await write_answer(app, "")
        await app.press("d", "x")
        assert editor.suggestion == "[i,j] = "
        await app.press("y")
        assert editor.text == "dxy"
        await app.press("backspace", "right")
        assert editor.text == "dx[i,j] = "
        await app.press(*"de", "tab")
        assert editor.text == "dx[i,j] = de"
        assert app.app.focused is not editor
        editor.focus()
        editor.load_text("de + x")
        await app.press("home", "right", "right", "right")
        assert (editor.text, editor.cursor_location) == ("de + x", (0, 3))
        # A function is coloured, and its lines keep their indentation.
        editor.load_text("def backward(x, delta):")
        await app.pilot.press("end", "enter", "x", "enter", "tab", "y", "enter")
        assert editor.text == "def backward(x, delta):\n    x\n        y\n        "
        await app.pilot.press("backspace", "r", "e", "t", "u", "r", "n", "enter")
        assert editor.text.endswith("        y\n    return\n")
        editor.load_text("def backward(x, delta):\n    return 2 * x")
        await app.settle()
        assert len(editor.get_line(1).spans) == 2
        await write_answer(app, RIGHT)
        assert not editor.get_line(0).spans
        # What is too long is neither pasted nor judged nor recorded.
        app.app.post_message(Paste("delta[k,l] + " * 80_000))
        await app.settle()
        assert editor.text == RIGHT
        said = f"it has {1_040_000 + len(RIGHT):,} characters, and 10,000 fit here"
        assert any("Nothing was pasted" in each and said in each for each in app.said())
        await write_answer(app, "delta[k,l] + " * 1_000)
        assert not lacks(app, "The answer has 13000 characters")
        await app.press("escape")
        assert [check["data"]["answer"] for check in journal(seed, "check")] == [RIGHT]


# What stays of a visit.

#: What is done in the lab ("write:" and "type:" an answer, "wait:" seconds, "reads:" what stands
#: there, or a key), the suggestion behind it, and the verdicts that are recorded.
VISITS: tuple[tuple[tuple[str, ...], str, list[str]], ...] = (
    ((f"write:{RIGHT}", "ctrl+g", "wait:110"), "suggested: 3, correct in 1:50", ["correct"]),
    (
        (
            *(f"write:{WRONG}", "escape", "c", f"reads:{WRONG}", "escape", "c"),
            *(f"write:{WRONG} ", "wait:30", f"write:{RIGHT}"),
        ),
        "suggested: 2, correct after 1 wrong",
        ["wrong", "correct"],
    ),
    (
        (f"write:{WRONG}", "ctrl+g", "ctrl+g", f"write:{RIGHT}"),
        "suggested: 2, correct after 2 hints",
        ["correct"],
    ),
    # Of what was cleared only a right answer counts.
    ((f"write:{WRONG}", "escape", "c", "write:"), "", ["wrong"]),
    ((f"write:{RIGHT}", "write:"), "suggested: 4, correct", ["correct"]),
    # Leaving runs what was typed last.
    ((f"type:{FUNCTION}",), "suggested: 4, correct", ["correct"]),
)


async def test_words_are_passed_and_deleted_as_in_every_editor_and_help_tells_how(
    seed: Path,
) -> None:
    async with in_lab(seed, size=(80, 50)) as app:
        await app.press(*"one two three", "ctrl+w")
        assert answer(app).text == "one two "
        await app.press("ctrl+left", "ctrl+delete", *"2", "home", "ctrl+right", *"!")
        assert answer(app).text == "one! 2 "
        await app.press("ctrl+z", "ctrl+y", "f1")
        told = ("Word back", "Word on", "Select all", "Undo what", "Redo what", "Delete the word")
        assert not lacks(app, *told)
        await app.press("escape", "ctrl+a", "x")
        assert answer(app).text == "x"


async def test_letters_do_the_same_on_the_sliders_as_on_the_board(seed: Path) -> None:
    async with in_lab(seed) as app:
        await app.press("tab", "tab", "h")
        assert app.said() == [
            "Write something first, even a guess: the hints are about your answer."
        ]
        await app.press("r", "question_mark")
        assert not lacks(app, "input 2", "Keys here")


async def test_a_visit_leaves_its_checks_and_a_suggestion(folder: Path) -> None:
    for number in range(len(VISITS)):
        text = SEED.read_text("utf-8").replace("ssu_batch4_004", f"visit{number}")
        write(folder, f"visit{number}", text)
    async with running(folder) as app:
        await app.press("enter")
        for steps, suggested, verdicts in VISITS:
            before = len(journal(folder, "check"))
            await app.press("c")
            for step in steps:
                await _do(app, step)
            await app.press("escape", "space")
            assert app.screen == "StudyScreen"
            assert suggested in app.shown() if suggested else lacks(app, "suggested")
            assert app.said() == [], "what the lab said does not cover the ratings"
            found = [check["data"]["verdict"] for check in journal(folder, "check")[before:]]
            assert found == verdicts
            await app.press("3")
    marks = [review.get("check") for review in journal(folder, "review")]
    assert [mark and mark["hints"] for mark in marks] == [0, 0, 2, None, 0, 0]
    check = journal(folder, "check")[3]
    assert (check["data"]["hints"], check["data"]["seed"]) == (2, 0)
    assert check["data"]["answer"] == RIGHT


async def test_what_was_tried_is_kept_comes_back_and_undo_goes_through_it(seed: Path) -> None:
    """An answer that stood for a while is in the journal whatever becomes of the program."""
    async with running(seed) as app:
        await app.press("enter", "c", "ctrl+z")
        assert app.said() == ["Nothing was tried before this."]
        for text in (WRONG, OVERLAP):
            await write_answer(app, text)
            app.clock.move(seconds=30)
        await write_answer(app, "dx[i,j] = 1")
        found = [
            (check["data"]["answer"], check["data"]["slips"]) for check in journal(seed, "check")
        ]
        assert found == [(WRONG, 0), (OVERLAP, 1)]
    # As after a crash: nothing was left, and nothing rated.
    async with running(seed) as app:
        await app.press("enter", "c")
        assert answer(app).text == OVERLAP
        await app.press(*"+1", "escape", "space", "1", "escape")
    async with running(seed) as app:
        app.clock.move(days=1)
        await app.press("enter", "c")
        assert not lacks(app, "brings back what you wrote 1 d ago: wrong", "dx, yours", "·     ·")
        await app.press(*"dx", "ctrl+up")
        assert answer(app).text == f"{OVERLAP}+1"
        await app.press("ctrl+up", "ctrl+up", "ctrl+up")
        assert answer(app).text == WRONG
        await app.press("ctrl+down", *"+2")
        assert answer(app).text == f"{OVERLAP}+2"
        await app.press("ctrl+z", "ctrl+z", "ctrl+z")
        assert answer(app).text == WRONG


async def test_what_the_journal_refuses_is_written_with_the_next(
    seed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async with running(seed) as app:
        await app.press("enter", "c")
        with monkeypatch.context() as disk:
            disk.setattr(os, "fsync", full)
            for text in (WRONG, OVERLAP):
                await write_answer(app, text)
                app.clock.move(seconds=30)
            await app.press("escape")
            [told] = {said for said in app.said() if "No space left" in said}
            assert "not in the journal yet. It is written with the next one." in told
            assert journal(seed, "check") == []
            # Not lost by leaving, nor by the way back.
            await app.press("ctrl+q")
            assert not lacks(app, "What you tried in the lab is not in the journal")
            await app.press("escape", "c")
            assert answer(app).text == OVERLAP
            await app.press("ctrl+up")
            assert answer(app).text == WRONG
        await app.press("escape")
        found = [check["data"]["answer"] for check in journal(seed, "check")]
        assert found[:2] == [WRONG, OVERLAP]
        assert app.app.unrecorded == []


async def _do(app: Driver, step: str) -> None:
    what, _, text = step.partition(":")
    if what == "write":
        await write_answer(app, text)
    elif what == "type":
        answer(app).load_text(text)
    elif what == "wait":
        app.clock.move(seconds=int(text))
    elif what == "reads":
        assert answer(app).text == text
    else:
        await app.press(step)


async def test_a_card_without_an_exercise_has_no_lab(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "c")
        assert app.screen == "StudyScreen"


# The input that is shown, and hints.


async def test_windows_are_stepped_through_and_sliders_turn_within_their_bounds(
    seed: Path,
) -> None:
    async with in_lab(seed) as app:
        assert not lacks(app, "window (0,0) of 4: its maximum is x[", "┃")
        await write_answer(app, WRONG)
        shown = app.shown().splitlines()
        row = next(n for n, text in enumerate(shown) if "dx, yours" in text)
        at = {shown[row].index("dx, ")}
        for step in range(1, 5):
            await app.press("ctrl+l")
            assert not lacks(app, f"dx, after {step} of 4", "goes to dx[")
            at.add(app.shown().splitlines()[row].index("dx, "))
        assert len(at) == 1, "no grid moves"
        await app.press("tab", "right", "right", "right", "left")
        assert not lacks(app, "dx, after 2 of 4", "kernel ‹2›  stride ‹2›  padding ‹0›")
        await app.press("tab", "up", "right", "down")
        assert not lacks(app, "kernel ‹3›  stride ‹1›  padding ‹0›")
        await app.press("right", "up")
        assert not lacks(app, "kernel ‹3›  stride ‹1›  padding ‹1›")
        await app.press("left", "left", *["down"] * 2)
        # Padding is at most half of the kernel.
        assert not lacks(app, "kernel ‹1›  stride ‹1›  padding ‹0›")


async def test_a_window_that_the_card_fixes_has_no_sliders(folder: Path) -> None:
    (folder / "fixed.md").write_text(FIXED, encoding="utf-8")
    async with in_lab(folder) as app:
        assert not lacks(app, "kernel 3×3 · stride 2 · padding 0", "df[0,0]/dx, yours")
        assert lacks(app, "kernel ‹")
        # Of a Jacobian each window has its own row, the learner's and the engine's.
        await write_answer(app, "J[k,l,i,j] = 1")
        await app.press("ctrl+l", "ctrl+l")
        assert not lacks(app, "df[0,1]/dx, yours")
        await app.press("f4")
        assert not lacks(app, "df[0,1]/dx, engine")


async def test_each_letter_does_what_its_ctrl_key_does_and_hints_come_one_at_a_time(
    seed: Path,
) -> None:
    """Beside the editor r, n, h, w, t and b need no ctrl; shift+tab leads back into it."""
    told = (
        "hint  Right on ",
        "every input of the window gets the gradient",
        "The line of the solution:",
    )
    async with in_lab(seed, size=(100, 40)) as app:
        await write_answer(app, WRONG)
        await app.press("tab")
        for letter, shown in (
            ("r", "input 2"),
            ("n", "failing input 1 of "),
            ("n", "failing input 2 of "),
            ("w", "after 1 of "),
            *(("h", hint) for hint in told),
            ("t", "How an answer is written"),
        ):
            assert lacks(app, shown)
            await app.press(letter)
            assert not lacks(app, shown)
        await app.press("b")
        assert app.screen == "HandScreen"
        await app.press("q", "tab", "shift+tab", "x")
        assert answer(app).text == f"x{WRONG}"
        # Hints stay while an answer is mended, and are folded for a new one.
        await write_answer(app, f"{OVERLAP} + 1")
        await app.press("ctrl+g", "ctrl+g", "ctrl+g")
        assert not lacks(app, "δₓ,ᵢⱼ =")
        await app.press("ctrl+g")
        assert "That was the last hint." in app.said()
        await write_answer(app, OVERLAP)
        assert not lacks(app, "hint  It is wrong only when windows overlap")
        assert app.shown().count("hint  ") == 3
        await write_answer(app, "J[k,l,i,j] = 1 if x[i,j] > 0 else 0")
        assert not lacks(app, "✗ wrong")
        assert lacks(app, "hint  ")
        await app.press("ctrl+g")
        assert app.shown().count("hint  ") == 1


async def test_any_forward_message_has_its_input_its_notation_and_its_hints(folder: Path) -> None:
    (folder / "elu.md").write_text(GIVEN, encoding="utf-8")
    async with in_lab(folder, size=(100, 40)) as app:
        assert not lacks(app, " W ", " x ", " s ", " y ", " δ ", "dL/dx[j], yours")
        assert not lacks(app, "Write what you derived: dL/dx[j] = …", "def backward(W, x, delta):")
        assert not lacks(app, "the upstream message dL/dy[k]")
        assert lacks(app, "hint")
        await app.press("ctrl+o", "w", "enter")
        assert not lacks(app, "cells are not right")
        assert lacks(app, "┃"), "there is no window to draw"
        await app.press("escape")
        await write_answer(app, SLOPE_FORGOTTEN)
        assert not lacks(app, "✗ wrong", "∑ δₖ · Wₖⱼ")
        await app.press("ctrl+g", "ctrl+g", "ctrl+g")
        assert not lacks(app, "It is wrong only when", "∑ δₖf′(sₖ)Wₖⱼ")
        await app.press("ctrl+n")
        assert not lacks(app, "failing input 1 of ")
        await app.press("tab", "tab", *["up"] * 5)
        assert not lacks(app, "values ‹constant›")
        x: Any = app.app.screen._found.picture.inputs["x"]  # type: ignore[attr-defined]
        assert len(set(x)) == 1


def focused(app: Driver) -> str | None:
    return app.app.focused.id if app.app.focused else None


async def test_the_list_of_parts_is_a_tab_stop_that_leads_to_their_lines(folder: Path) -> None:
    (folder / "card.md").write_text(PARTS, encoding="utf-8")
    async with in_lab(folder) as app:
        await app.press(*"db_k = 1", "tab", "tab", "tab")
        assert focused(app) == "parts"
        # The second has no line yet, the third has one.
        await app.press("down", "enter", *"2")
        assert (focused(app), answer(app).text) == ("answer", "db_k = 1\ndL/dW[k,j] = 2")
        await app.press("tab", "tab", "tab", "down", "enter", "+")
        assert answer(app).text == "db_k = 1+\ndL/dW[k,j] = 2"
        await app.press("shift+tab", "shift+tab")
        assert focused(app) == "parts"
        await app.press("up", "up", "enter")
        assert answer(app).text.endswith("\ndL/dx[j] = ")


async def test_an_input_of_another_size_is_shown(seed: Path) -> None:
    async with in_lab(seed) as app:
        await write_answer(app, RIGHT)
        assert not lacks(app, "F9 another size", "window (0,0) of 4")
        await app.press("f9")
        assert not lacks(app, "window (0,0) of 9")
        await app.press("tab", "s", "s")
        assert not lacks(app, "window (0,0) of 4")


async def test_where_the_card_fixes_the_size_it_is_said(folder: Path) -> None:
    rigid = PARTS.replace("  find:", "  fixed: true\n  find:")
    (folder / "card.md").write_text(rigid, encoding="utf-8")
    async with in_lab(folder) as app:
        await app.press("f9")
        assert app.said() == ["The card fixes the size."]


async def test_parts_are_remembered_and_a_false_step_has_its_caret(folder: Path) -> None:
    (folder / "unit.md").write_text(PARTS, "utf-8")
    async with in_lab(folder) as app:
        assert not lacks(app, "· dL/dx[j]   · dL/dW[k,j]   · dL/db[k]")
        await write_answer(app, DX)
        assert not lacks(app, "✓ right so far, 1 of 3 parts", "✓ dL/dx[j]   · dL/dW[k,j]   · dL/db")
        await write_answer(app, "")
        assert not lacks(app, "✓ dL/dx[j]   · dL/dW[k,j]", "dL/dW[k,j], yours")
        await write_answer(app, DX)
        await app.press("ctrl+g")
        assert app.said() == ["What is written is right. Still open: dL/dW[k,j], dL/db[k]."]
        await write_answer(app, DW)
        assert not lacks(app, "✓ right so far, 2 of 3 parts")
        await write_answer(app, "db = delta")
        assert not lacks(app, "✗ wrong: dL/db[k]", "✓ dL/dx[j]   ✓ dL/dW[k,j]   · dL/db[k]")
        await write_answer(app, "db = delta * y = delta * (1 - y^2)")
        assert not lacks(app, "✗ the result is right; this step is not", "dL/db[k], expected")
        assert not lacks(app, "this step  dL/db[k] = delta[k] * y[k]")
        assert at_the_caret(app)[0].startswith("delta * y")
        await app.press("ctrl+n")
        assert not lacks(app, "failing input 1 of")
        assert "✗" in app.shown().split("dL/db[k], yours")[1]
        await write_answer(app, DB)
        assert not lacks(app, "✓ correct: all 3 parts")
        await write_answer(app, "db = delta")
        assert not lacks(app, "✓ dL/dW[k,j]   · dL/db[k]"), "what is made wrong is open again"
        await write_answer(app, f"{DX}\n{DW}\n{DB}")
        assert not lacks(app, "✓ correct: all 3 parts", "✓ dL/dx[j]   ✓ dL/dW[k,j]   ✓ dL/db[k]")
        await app.press("escape")
        [check] = journal(folder, "check")
        data = check["data"]
        assert (data["verdict"], len(data["parts"]), data["open"]) == ("correct", 3, [])


DERIVED = """s_k = sum(W_kj x_j for j) + b_k
dy_k/ds_k = 1 - tanh(s_k)^2
dL/ds_k = delta_k dy_k/ds_k
dL/ds_k = delta_k (1 - tanh(s_k)^2)
dL/ds_k = delta_k - delta_k tanh(s_k)^2
dL/ds_k = delta_k (1 - y_k^2)
dL/ds_k = delta_k (1 - y_k) (1 + y_k)
dL/db_k = delta_k (1 - y_k^2)
dL/dW_kj = delta_k (1 - y_k^2) x_j
dL/dx_j = sum(dL/ds_k W_kj for k)
dL/dx_j = sum(delta_k (1 - y_k^2) W_kj for k)"""


def derivation(app: Driver) -> list[str]:
    """The rows of its pane, of which none is cut off."""
    pane = app.app.screen.query_one(Typeset)
    rows = str(pane.render()).split("\n")
    assert len(rows) == pane.content_size.height
    return rows


@pytest.mark.parametrize("size", [(80, 24), (120, 24), (60, 20)])
async def test_a_long_derivation_shows_what_is_wrong_and_how_much_more_there_is(
    folder: Path, size: tuple[int, int]
) -> None:
    (folder / "card.md").write_text(PARTS, encoding="utf-8")
    async with in_lab(folder, size=size) as app:
        answer(app).load_text(DERIVED)
        await app.settle()
        rows = derivation(app)
        assert re.fullmatch(r" *more lines: \d+ above", rows[-1])
        assert len(rows) - 1 + int(rows[-1].split()[2]) == len(DERIVED.split("\n"))
        if size == (60, 20):  # below, the formula goes for what is told of it
            return
        answer(app).load_text(DERIVED.replace("delta_k (1 - tanh", "delta_k (1 + tanh"))
        await app.settle()
        rows = derivation(app)
        assert any(row.startswith("✗") for row in rows)
        assert re.fullmatch(r" *more lines: \d above, \d below", rows[-1])


async def test_a_step_about_what_the_answer_defines_is_shown_with_its_values(folder: Path) -> None:
    plain = PARTS.replace('["dL/dx[j]", "dL/dW[k,j]", "dL/db[k]"]', '"dL/dx[j]"')
    plain = plain.replace("    s[k] = sum(W[k,j] * x[j] for j) + b[k]\n", "")
    plain = plain.replace("tanh(s[k])", "tanh(sum(W[k,j] * x[j] for j))")
    (folder / "card.md").write_text(plain, encoding="utf-8")
    async with in_lab(folder, size=(100, 40)) as app:
        answer(app).load_text("a_k = sum(W_kj x_j for j)\ndL/da_k = delta_k\ndL/dx_j = 1")
        await app.settle()
        assert not lacks(app, "dL/da[k], yours", "✗ wrong: line 2")


async def test_a_function_is_run_by_a_key_and_of_its_errors_only_its_own_lines_are_shown(
    seed: Path,
) -> None:
    fails = "def backward(x, delta):\n    def far(y):\n        return y[99]\n    return far(x)\n"
    async with in_lab(seed, size=(100, 50)) as app:
        answer(app).load_text(FUNCTION)
        await app.press("f5")
        assert not lacks(app, "✓ correct", "dx, yours", "it printed", "(4, 4)")
        assert not lacks(app, "ran in a sandbox")
        answer(app).load_text(FUNCTION.replace("+= delta", "= delta"))
        await app.press("ctrl+s")
        assert not lacks(app, "✗ wrong")
        await app.press("ctrl+n")
        assert not lacks(app, "failing input 1 of ")
        # It gives the message: its line is told, not the Jacobian's.
        await app.press("ctrl+g", "ctrl+g", "ctrl+g")
        assert not lacks(app, "The line of the solution:", "δₓ,ᵢⱼ =")
        answer(app).load_text(fails)
        await app.press("f5")
        assert not lacks(app, "? your function gave no result", "IndexError: index 99")
        assert not lacks(app, "line 4, in backward  return far(x)", "line 3, in far  return y[99]")
        assert lacks(app, "File")


async def test_a_function_that_fails_on_some_inputs_is_shown_where_it_works_and_where_not(
    seed: Path,
) -> None:
    fails = FUNCTION.replace("    dx =", "    if pw:\n        raise KeyError('padded')\n    dx =")
    async with in_lab(seed, size=(100, 50)) as app:
        answer(app).load_text(fails)
        await app.press("f5")
        assert not lacks(app, "✗ your function fails on some inputs", "KeyError: 'padded'")
        assert not lacks(app, "in backward  raise KeyError('padded')", "padding 0×1")
        # The input above has no padding: there it works.
        assert not lacks(app, "dx, yours")
        assert lacks(app, "? is undefined")
        await app.press("ctrl+g")
        assert not lacks(app, "It fails only when there is padding.")
        await app.press("ctrl+n")
        assert not lacks(app, "failing input 1 of ", "dx, yours (? is undefined)")


# A grid filled in by hand.


async def test_a_grid_filled_in_by_hand_is_marked_and_recorded(seed: Path) -> None:
    async with running(seed) as app:
        await app.press("enter", "c", "ctrl+o")
        grid = app.app.screen.query_one(HandGrid)
        await app.pilot.press("1", "2", "right", "minus", "3", "down", "tab", "4", "backspace", "5")
        assert grid.numbers == {(0, 0): 12, (0, 1): -3, (1, 2): 5}
        await app.pilot.press("tab", "shift+tab", "delete")
        assert grid.numbers == {(0, 0): 12, (0, 1): -3}
        assert lacks(app, "┃")
        at = []
        for _ in range(2):
            await app.press("w")
            at.append(min(row.index("┃") for row in app.shown().splitlines() if "┃" in row))
        assert at[1] > at[0]
        await app.press("r")
        assert not lacks(app, "input 2")
        assert app.app.screen.query_one(HandGrid).numbers == {}
        await app.press("enter")
        found = worksheet_of(seed=2)
        off = next(cell for cell in found.cells if found.at(cell))
        assert not lacks(app, "cells are not right", "(0,0) ✗", f"expected {found.at(off)}")
        assert app.app.screen.query_one(HandGrid).at == off, "the cursor goes to the first"
        await app.press(*str(found.at(off)))
        assert not lacks(app, f"{found.at(off)}, the maximum of")
        await app.press("escape", "ctrl+o")
        found = worksheet_of()
        numbers = (str(found.at(cell) or "") for cell in found.cells)
        await app.pilot.press(*(key for number in numbers for key in (*number, "tab")))
        await app.press("enter")
        assert not lacks(app, "✓ every cell is right", "(1,1) ✓")
        await app.press("escape", "escape")
        [event] = journal(seed, "check")
        assert (event["data"]["verdict"], event["data"]["by_hand"]) == ("correct", True)
        await app.press("space")
        assert not lacks(app, "suggested: 2, right by hand, on one input")


def test_lab(snap_compare: Callable[..., bool], folder: Path) -> None:
    (folder / "card.md").write_text(GIVEN, encoding="utf-8")
    clock = Clock()
    app = DeltadeckApp(folder, clock=clock, theme="textual-dark")

    async def before(pilot: Pilot[Any]) -> None:
        driver = Driver(app, pilot, clock)
        await driver.settle()
        await open_lab(driver)
        await write_answer(driver, SLOPE_FORGOTTEN)
        await driver.press("ctrl+g")

    assert snap_compare(app, terminal_size=(80, 24), run_before=before)
