"""What the lab's helper process answers, and what is said of it: verdicts, hints, completion,
worksheets; windows drawn over a grid.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.parse import parse_card
from engine.checking import check
from engine.registry import exercise_for
from engine.verdict import Counterexample, Verdict
from tests.paths import ROOT, SEED
from tests.tui.driving import RIGHT
from tests.tui.lab_driving import GIVEN, worksheet_of
from tui.lab import client
from tui.lab.client import LabProcess, SupersededError, TooLongError, checked
from tui.lab.grids import OFF, GridWindow, Lattice, heat, rows
from tui.lab.inputs import picture
from tui.lab.requests import ExerciseInfo, ExerciseSpec, FaultError, InputRequest, LabRequest
from tui.lab.server import answered, brief
from tui.lab.text import (
    Hint,
    asked,
    function_within,
    hints,
    legend,
    mistake,
    plainly,
    solution_line,
    verdict_text,
    where,
)
from tui.lab.verdict import details, headline
from tui.lab.visit import completion
from tui.lab.worksheet import Term, Worksheet, WorksheetRequest, explained, windows_right
from tui.main import main
from tui.text import under_caret

POOLING = ExerciseSpec(None, ("max-pooling", "backpropagation"), "derivation")
ENDLESS = "def backward(x, delta):\n    while True:\n        pass\n"


# The process.


def ask(process: LabProcess, answer: str, **more: Any) -> Verdict | None:
    found = process.ask(LabRequest(answer, POOLING, InputRequest(), 60), **more)
    assert found.picture is not None
    assert found.formula is not None
    return found.verdict


def test_what_takes_too_long_dies_or_is_our_fault_leaves_the_next_request_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    process = LabProcess()
    with pytest.raises(SupersededError):
        ask(process, ENDLESS, newer=lambda: True)
    monkeypatch.setattr(client, "LONGEST", 0.2)
    with pytest.raises(TooLongError):
        ask(process, ENDLESS)
    monkeypatch.undo()
    verdict = ask(process, RIGHT)
    assert verdict
    assert verdict.ok
    assert process._process is not None
    os.kill(process._process.pid, signal.SIGKILL)
    assert ask(process, RIGHT)
    with pytest.raises(FaultError, match="AssertionError"):
        process.ask(LabRequest(RIGHT, ExerciseSpec("none", (), "basic"), InputRequest(), 60))
    assert ask(process, RIGHT)
    process.close()


def test_where_no_process_can_be_had_the_learner_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    monkeypatch.setattr(client, "shared_process", LabProcess)
    found = checked(LabRequest(RIGHT, POOLING, InputRequest(), 60), lambda: False)
    assert found.verdict is not None
    assert "cannot start" in str(found.verdict.message)


NO_NUMPY = """
import asyncio, sys
from pathlib import Path
from textual.widgets import TextArea
from tests.tui.driving import running

async def study():
    async with running(Path(sys.argv[1])) as app:
        await app.press("enter", "c")
        app.app.screen.query_one(TextArea).load_text("dL/dx[j] = sum(delta[k] * W[k,j] for k)")
        await app.settle()
        assert "wrong" in app.shown(), app.shown()
        await app.press("ctrl+g", "ctrl+r", "ctrl+o", "escape", "escape", "space")
        assert "suggested: 1" in app.shown(), app.shown()

asyncio.run(study())
print("numpy" in sys.modules)
"""


def test_the_process_that_draws_the_screen_never_imports_numpy(folder: Path) -> None:
    (folder / "elu.md").write_text(GIVEN, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", NO_NUMPY, str(folder)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=dict(os.environ),
        check=False,
    )
    assert done.stdout == "False\n", done.stderr


def test_answers_that_take_too_long_get_a_sentence_each_and_the_run_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    deck, answers = tmp_path / "deck", tmp_path / "answers"
    for place in (deck, answers):
        place.mkdir()
    (deck / "elu.md").write_text(GIVEN, encoding="utf-8")
    for name in ("one", "two"):
        (answers / name).write_text("dx = W.T @ (delta * where(s > 0, 1, exp(s)))", "utf-8")
    call = ["check", "elu", "--file", str(answers), "-C", str(deck)]
    monkeypatch.setattr(client, "LONGEST", 0.0)
    monkeypatch.setattr(client, "GLANCE", 0.0)
    assert main([*call, "--trials", "100000"]) == 2
    said = capsys.readouterr()
    assert [line.split()[0] for line in said.out.splitlines()] == ["one", "two"]
    assert said.out.count("takes too long to be tried") == 2
    assert said.err == ""
    monkeypatch.undo()
    assert main(call) == 0


def test_the_input_shown_says_where_each_message_comes_from() -> None:
    """No number stands twice in an input, and no message is 0."""
    for layer in ("linear", "softmax", "relu", "attention", "layer-norm", "cross-entropy"):
        exercise = exercise_for({"layer": layer}, (), "derivation")
        assert exercise is not None
        for seed in range(1, 5):
            shown = picture(exercise, InputRequest(seed), None)
            assert 0.0 not in flat(shown.inputs.get("δ", []))
            assert any(flat(shown.right))
            x = flat(shown.inputs.get("x", []))
            assert len(set(x)) == len(x)


def flat(values: Any) -> list[float]:
    return [values] if not isinstance(values, list) else [n for part in values for n in flat(part)]


# Verdicts in words.

FIXED = {"layer": "max-pool", "kernel": "2", "stride": "2"}
OWN_WINDOW = "delta[floor(i/2),floor(j/2)] * [(i,j) == argmax(floor(i/2),floor(j/2))]"


def wrong(**more: Any) -> Verdict:
    return Verdict("wrong", "dx[i,j] = 1", 0, tried=300, **more)


def judged(exercise: object, answer: str) -> Verdict:
    found = exercise_for(exercise, (), "derivation")
    assert found is not None
    return check(answer, found)


def test_what_is_left_over_beside_the_windows_gets_a_remark_and_is_not_wrong() -> None:
    verdict = judged(FIXED, f"dx[i,j] = {OWN_WINDOW}")
    assert (verdict.verdict, bool(verdict.remark)) == ("correct", True)
    assert str(verdict.remark) in verdict_text(verdict, OWN_WINDOW)
    assert f"note  {verdict.remark}" in details(verdict, "", 200).plain
    assert "correct" in headline(verdict).plain
    assert "✗ wrong" in verdict_text(judged(FIXED, f"dx[i,j] = -{OWN_WINDOW}"), OWN_WINDOW)


@pytest.mark.parametrize(
    ("near", "hints", "shown"),
    [
        ("only the diagonal, on 9 of 300", (), "off   only the diagonal\n"),
        # Where values decide, the place is told with the first hint.
        ("only where s[k] < 0, on 9 of 300", (), ""),
        ("only where s[k] < 0, on 9 of 300", (Hint("It fails."),), "off   only where s[k] < 0"),
    ],
)
def test_a_near_miss_says_which_entries_are_off(
    near: str, hints: tuple[Hint, ...], shown: str
) -> None:
    said = details(wrong(failed=9, near=near), "", 76, hints).plain
    assert shown in said
    assert ("off   " in said) == bool(shown)


@pytest.mark.parametrize(
    ("width", "tried"),
    [
        (98, "   failed on 170 of 300 inputs · seed 0"),
        (79, "   failed on 170 of 300 inputs"),
        (72, "   failed on 170 of 300"),
        (58, ""),
    ],
)
def test_a_headline_says_less_where_there_is_less_room(width: int, tried: str) -> None:
    verdict = Verdict("only-without-overlap", "y", 0, tried=300, failed=170)
    said = "✗ right only while no two windows share an input"
    assert headline(verdict, width).plain == said + tried


def test_inputs_are_counted_with_those_left_out_and_none_where_shapes_do_not_fit() -> None:
    verdict = Verdict("correct", "y", 7, tried=290, left_out=10)
    assert headline(verdict).plain == "✓ correct   290 inputs · seed 7 · 10 left out"
    verdict = judged({"layer": "linear"}, "dx = W delta")
    assert (verdict.verdict, verdict.tried) == ("wrong", 0)
    for said in (verdict_text(verdict, "dx = W delta"), headline(verdict).plain):
        assert "the shapes do not fit" in said
        assert "0 " not in said


def test_of_a_long_formula_that_was_read_the_beginning_is_shown() -> None:
    said = details(Verdict("wrong", "delta[k,l] + " * 500, seed=0, tried=300), "", 76).plain
    assert len(said) < 1_100
    assert "…" in said


@pytest.mark.parametrize("length", [1, 75, 76, 77, 200])
def test_a_caret_stands_under_its_place_in_a_line_that_fits_and_shows_what_is_cut(
    length: int,
) -> None:
    row = "".join(chr(ord("!") + n % 90) for n in range(length))
    for column in range(1, length + 1):
        shown, under = under_caret(row, column)
        assert len(shown) <= 76
        assert shown[len(under) - 1] == row[column - 1]
        assert (shown == row) == (length <= 76)
        assert shown.strip("…") in row


# Answers in two languages, or in another than was said.

BACKWARD = "def backward(x, delta):\n    return x"
UNREAD = Verdict("unreadable", "", 0, tried=0, message="What the reader said.", line=1)


@pytest.mark.parametrize("before", ["\\delta_x = ", "\\delta_x =\n", "dx[i,j] =\n\n", "a word\n"])
def test_what_stands_before_a_function_is_named_and_not_typeset(before: str) -> None:
    mixed = before + BACKWARD
    said = plainly(UNREAD, mixed)
    assert "looks like a function" in str(said.message)
    assert said.hint == "clear what stands before `def`"
    line = mixed.split("\n")[(said.line or 0) - 1]
    assert line[(said.column or 0) - 1 :].startswith("def")
    assert function_within(mixed)
    task = ExerciseSpec({"layer": "relu"}, (), "derivation")
    assert answered(LabRequest(mixed, task, InputRequest(), 60)).formula is None


@pytest.mark.parametrize(
    "before", ["", "import numpy as np\n", "# mine\n", "k = 2\n\n@staticmethod\n", "async "]
)
def test_python_may_stand_before_a_function(before: str) -> None:
    assert plainly(UNREAD, before + BACKWARD) == UNREAD
    assert not function_within(before + BACKWARD)


@pytest.mark.parametrize(
    ("answer", "named", "said"),
    [
        ("dx[i,j] = delta[i,j]", "function", "write def backward(...)"),
        ("dx[i,j] = delta[i,j]", "latex", "This is not LaTeX; leave out --latex"),
        (BACKWARD, "function", ""),
        ("\\delta_{", "latex", ""),
        # What is empty is called empty in every language.
        (" \n", "latex", ""),
        ("", "function", ""),
    ],
)
def test_an_answer_in_another_language_than_was_named_is_told_so(
    answer: str, named: Any, said: str
) -> None:
    found = plainly(UNREAD, answer, named)
    assert said in str(found.message)
    assert (found == UNREAD) == (not said)
    right = Verdict("correct", "dx[i,j] = 1", 0, tried=300)
    assert plainly(right, answer, named) == right, "what was read is left alone"


def test_what_is_no_answer_in_a_folder_of_answers_is_told(
    seed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = tmp_path / "answers"
    (answers / "group").mkdir(parents=True)
    (answers / ".git").mkdir()
    (answers / "lost.txt").symlink_to(tmp_path / "nothing")
    (answers / "ann.txt").write_bytes(b"dx[i,j] = \xff")
    (answers / "bob.txt").write_text(RIGHT, encoding="utf-8")
    args = ["check", "ssu_batch4_004", "--folder", str(seed), "--file", str(answers)]
    assert main(args) == 2
    out, err = capsys.readouterr()
    first, second = out.splitlines()
    assert first.startswith("ann.txt  ? not read: ann.txt is not UTF-8 text (byte 11)")
    assert second.split() == ["bob.txt", "✓", "correct"]
    group, lost = err.splitlines()
    assert group.endswith("group is left out: it is a folder, and has a --file of its own.")
    assert lost.endswith("lost.txt is left out: it is a link to nothing.")


# Hints: where an answer fails, the mistake by its name, the line of the solution.

SOLUTION = parse_card(SEED.read_text(encoding="utf-8")).solution
BOTH = ("windows overlap, or there is padding", "a value occurs twice")


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (
            wrong(failed=3, wrong_when=BOTH),
            "It is wrong only when windows overlap, or there is padding; a value occurs twice.",
        ),
        (wrong(failed=300), "It fails on every input, so look at the smallest case."),
        (wrong(failed=200), "Right on 100 of 300 inputs, with no pattern."),
        # Right by chance, or tried on nothing: that says nothing of inputs.
        (wrong(failed=299), ""),
        (wrong(failed=299, wrong_when=BOTH[1:]), "It is wrong only when a value occurs twice."),
        (Verdict("wrong", "dx = W delta", 0, tried=0), ""),
        (
            wrong(failed=299, wrong_when=BOTH[1:], message="ValueError"),
            "It fails only when a value occurs twice.",
        ),
    ],
)
def test_the_first_hint_says_which_inputs_fail(verdict: Verdict, said: str) -> None:
    assert where(verdict) == said


def test_the_second_names_the_misconception_or_says_how_near_the_answer_is() -> None:
    verdict = wrong(failed=3, misconception="sign", teaching="Messages keep their sign.")
    assert mistake(verdict) == "Likely mistake: sign. Messages keep their sign."
    case = Counterexample("dL/dx[j]", ("j",), {}, {}, [1.0, 2.5], [1.0, 3.0], [(1,)])
    said = "One entry is off in the smallest case: at [1] it says 2.5, and 3 is expected."
    assert mistake(wrong(failed=3, counterexample=case)) == said
    # Of a function, its numbers say what it answers.
    function = Verdict("wrong", "def backward(x, delta):", 0, tried=300, counterexample=case)
    assert (asked(function), asked(wrong())) == ("dL/dx[j]", "dx[i,j]")


@pytest.mark.parametrize(
    ("solution", "read", "line"),
    [
        (SOLUTION, "J[k,l,i,j] = 1", r"\frac{\partial f_{kl}}{\partial x_{ij}}"),
        (
            SOLUTION,
            "(i*, j*) = argmax(k,l)\nJ[k,l,i,j] = 1",
            r"\frac{\partial f_{kl}}{\partial x_{ij}}",
        ),
        (SOLUTION, "dx[i,j] = delta[k,l]", r"\delta_{x, ij}"),
        (SOLUTION, "dx", r"\delta_{x, ij}"),
        (SOLUTION, "J", r"\frac{\partial f_{kl}}{\partial x_{ij}}"),
        (SOLUTION, "df[k]/dx[j] = 1", r"\frac{\partial f_{kl}}{\partial x_{ij}}"),
        (r"$$ s = 1 $$ $$ \delta_W = 2 $$ $$ \delta_x = 3 $$", "dL/dx[j] = 1", r"\delta_x = 3"),
        # Without such a line the nearest is told.
        (
            r"\[ \frac{\partial L}{\partial s} = p - t \]",
            "dL/ds = 1",
            r"\frac{\partial L}{\partial s} = p - t",
        ),
    ],
)
def test_the_line_of_the_solution_answers_what_was_answered(
    solution: str, read: str, line: str
) -> None:
    assert solution_line(solution, read).startswith(line)
    assert solution_line("Only words.", read) == ""


# How a word of an answer may go on.


def info(exercise: object) -> ExerciseInfo:
    found = exercise_for(exercise, ("max-pooling", "backpropagation"), "derivation")
    assert found is not None
    return brief(found)


POOLED, LINEAR = info(None), info("linear")
BEGUN = "def backward(x, delta):\n    total = x\n    "


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
        ("\\begin{cases} 1 \\\\ 0 \\e", "nd{cases}"),
        # Names that the learner defined are known.
        ("weight[k,l] = 2\ndx[i,j] = wei", "ght"),
        # Nothing where a word is whole, where it is short, and where nobody knows it.
        ("delta", ""),
        ("sum(d", ""),
        ("sum(detl", ""),
        ("", ""),
        ("dx[i,j] = ", ""),
        # A function knows NumPy and its own names.
        (f"{BEGUN}    dx = np.zer", "os_like("),
        (f"{BEGUN}    tot", "al"),
        (f"{BEGUN}    ret", "urn "),
        (f"{BEGUN}    del", "ta"),
    ],
)
def test_a_word_goes_on_as_the_exercise_and_the_notation_know_it(line: str, rest: str) -> None:
    assert completion(line.rpartition("\n")[2], line, POOLED) == rest


def test_each_exercise_has_its_own_symbols_and_never_its_answer_as_example() -> None:
    assert completion("dL", "dL", LINEAR) == "/dx[j] = "
    assert completion("dL/dx[j] = de", "dL/dx[j] = de", LINEAR) == "lta[k]"
    assert completion("arg", "arg", LINEAR) == "max("
    assert LINEAR.answer
    assert LINEAR.example != LINEAR.answer


# What is said of a grid filled in by hand.

# What the cells say.


@pytest.mark.parametrize("seed", range(1, 5))
def test_of_max_pooling_each_cell_tells_its_windows(seed: int) -> None:
    found = worksheet_of(seed=seed)
    assert found.pooling is not None
    assert found.messages is not None
    homes, right = found.pooling.maxima, {cell: found.at(cell) for cell in found.cells}
    assert found.right(right)
    assert found.right({cell: value for cell, value in right.items() if value}), "empty is 0"
    assert not found.right({})
    assert all(windows_right(found, right).values())

    window, home = next(iter(homes.items()))
    at = f"({window[0]},{window[1]})"
    value = found.at(home) + found.messages[window]
    assert f"the message of window {at} is counted 2 times" in explained(found, home, value)
    value = found.at(home) - found.messages[window]
    said = explained(found, home, value)
    assert said.startswith(f"{found.places[home[0]][home[1]]}: {value}, expected {found.at(home)}")
    assert said.endswith(f"the message of window {at} is missing")
    empty = next(cell for cell in found.cells if not found.at(cell))
    said = explained(found, empty, found.messages[window])
    assert said.endswith(f"window {at} has its maximum at x[{home[0]},{home[1]}], not here")
    right[empty] = found.messages[window]
    marks = windows_right(found, right)
    assert [window for window in marks if not marks[window]] == [window]
    assert "a sum of some of 1, 10" in explained(found, home, -3)


def test_a_jacobian_asks_for_the_row_of_one_window() -> None:
    found = worksheet_of({"layer": "max-pool", "kernel": 2, "find": "J"})
    assert sum(found.at(cell) for cell in found.cells) == 1
    assert found.target.startswith("df[")
    assert "δ" not in found.inputs


@pytest.mark.parametrize("layer", ["linear", "softmax", "convolution-2d"])
def test_of_another_layer_each_cell_is_the_sum_of_its_terms(layer: str) -> None:
    found = worksheet_of({"layer": layer})
    for cell, terms in found.terms.items():
        assert round(sum(term.amount for term in terms)) == found.at(cell)
    assert max(len(terms) for terms in found.terms.values()) > 1


def test_the_term_that_is_missing_is_named() -> None:
    terms = (Term("δ[0] · W[0]", "1 · 2", 2), Term("δ[1] · W[1]", "10 · 3", 30))
    found = Worksheet("", {}, "dx", [[32]], [["dx[0]"]], {(0, 0): terms})
    said = explained(found, (0, 0), 2)
    assert said == "dx[0]: 2, expected 32 = 1 · 2 + 10 · 3: δ[1] · W[1] is missing"
    assert explained(found, (0, 0), 32) == "dx[0] = 1 · 2 + 10 · 3 = 32"
    assert explained(found, (0, 0), -32).endswith("the sign")


def test_a_layer_without_whole_numbers_has_no_sheet() -> None:
    task = ExerciseSpec({"layer": "sigmoid"}, (), "derivation")
    assert answered(WorksheetRequest(task, 1)) is None


# Windows drawn over a grid, and the shades of its numbers.

FOUR = [[7, -1, 6, -3], [-6, 2, 4, -5], [-2, 5, 3, -4], [-7, 1, -8, 0]]
TILES = tuple(GridWindow(i, j, i + 2, j + 2) for i in (0, 2) for j in (0, 2))
OVER = tuple(GridWindow(i, j, i + 2, j + 2) for i in (0, 1) for j in (0, 1))
PADDED, CORNER = GridWindow(-1, -1, 1, 1), GridWindow(0, 0, 1, 1)
ROW = GridWindow(0, 0, 1, 2)


def plain(lattice: Lattice) -> list[str]:
    return [row.plain for row in lattice.rows()]


@pytest.mark.parametrize(
    ("lattice", "drawn"),
    [
        (
            Lattice(FOUR, TILES, TILES[0], (0, 0), tall=True),
            [
                "┏━━━━━━━━┱────────┐",
                "┃▐ 7▌ -1 ┃  6  -3 │",
                "┃ -6   2 ┃  4  -5 │",
                "┡━━━━━━━━╃────────┤",
                "│ -2   5 │  3  -4 │",
                "│ -7   1 │ -8   0 │",
                "└────────┴────────┘",
            ],
        ),
        # All windows are drawn, the one in hand in bold.
        (
            Lattice([[1, 2, 3], [4, 5, 6], [7, 8, 9]], OVER, OVER[0], tall=True),
            [
                "┏━━━┯━━━┱───┐",
                "┃ 1 │ 2 ┃ 3 │",
                "┠───┼───╂───┤",
                "┃ 4 │ 5 ┃ 6 │",
                "┡━━━┿━━━╃───┤",
                "│ 7 │ 8 │ 9 │",
                "└───┴───┴───┘",
            ],
        ),
        # Without rows for lines a window has sides on its rows only.
        (Lattice([[1, 2], [3, 4]], (CORNER,), CORNER), ["┃ 1 ┃ 2 ", "  3   4 "]),
        (
            Lattice([[5]], (PADDED,), PADDED, tall=True),
            ["┏━━━━━━┓", "┃ ·  · ┃", "┃ ·  5 ┃", "┗━━━━━━┛"],
        ),
        (Lattice([[1, 2]], (ROW,), ROW, None, {(0, 1): OFF}, shaded=False), ["┃ 1 ✗2 ┃"]),
    ],
)
def test_the_window_is_outlined_its_maximum_lit_and_padding_drawn(
    lattice: Lattice, drawn: list[str]
) -> None:
    assert plain(lattice) == drawn


def test_entries_are_shaded_by_how_many_windows_hold_them_where_windows_overlap() -> None:
    values = [[9, 2, 3], [4, 1, 6], [7, 8, 5]]
    [apart], [over] = (
        [
            {
                str(span.style).split()[-1]
                for row in Lattice(values, windows).rows()
                for span in row.spans
                if "$shade" in str(span.style) and " 1 " in row.plain[span.start : span.end]
            }
        ]
        for windows in (TILES[:1], OVER)
    )
    assert (apart, over) == ({"$shade0"}, {"$shade5"})


def test_a_cell_that_is_off_has_a_cross_in_a_grid_without_windows_too() -> None:
    assert rows([[1, 2]], {(0, 1): OFF})[0].plain == " 1 ✗2"
    wide = rows([[0, 0.25, 0]], {(0, 1): OFF, (0, 2): OFF})[0]
    assert wide.plain == "   0 ✗.25   ✗0"


@given(
    st.integers(1, 5), st.integers(1, 5), st.integers(1, 4), st.integers(1, 4), st.integers(0, 2)
)
def test_nothing_moves_while_the_windows_are_stepped_through(
    down: int, across: int, kernel: int, stride: int, padding: int
) -> None:
    starts = [
        range(-padding, max(1 - padding, size + padding - kernel + 1), stride)
        for size in (down, across)
    ]
    windows = tuple(GridWindow(i, j, i + kernel, j + kernel) for i in starts[0] for j in starts[1])
    values = [[float(i * across + j) for j in range(across)] for i in range(down)]
    for tall in (True, False):
        every = [plain(Lattice(values, windows, here, tall=tall)) for here in windows]
        for row in zip(*every, strict=True):
            assert len({re.sub(r"[^0-9·]", " ", text) for text in row}) == 1
            assert len({len(text) for text in row}) == 1


@pytest.mark.parametrize(
    ("values", "shades"),
    [
        ([[0.0, 1.0, 2.0]], 3),  # the deeper the larger a number is
        ([[2.0, 2.0]], 0),
        ([[float("nan"), float("inf")]], 0),
        ([[3.0]], 0),
    ],
)
def test_numbers_are_shaded_where_one_is_larger(values: list[list[float]], shades: int) -> None:
    found = heat(values)
    assert list(found) == [(0, n) for n in range(shades)]
    assert len(set(found.values())) == shades


def test_a_line_that_is_right_again_is_told_by_its_number() -> None:
    exercise = exercise_for({"given": "L = x^2", "find": "dL/dx"}, (), "derivation")
    assert exercise is not None
    assert legend(check("dL/dx = 2 x", exercise)) == ""
    assert legend(check("dL/dx = 3 x\n= 2 x", exercise)) == "✓ right again in line 2"


def test_of_a_solution_that_is_a_program_neither_fence_nor_name_is_a_hint() -> None:
    head = "---\nid: twice\ntype: derivation\nexercise:\n  function: |\n    def twice(x):\n"
    head += (
        "        return x + x\n  inputs: {x: real}\n---\n# Question\nTwice?\n\n---\n# Solution\n"
    )
    card = parse_card(head + "```python\ndef twice(x):\n    return 2 * x\n```\n")
    exercise = exercise_for(card.exercise, (), card.type)
    assert exercise is not None
    told = hints(Verdict("wrong", "", 0, 1), brief(exercise), card)
    assert told[-1] == Hint("The solution begins: return 2 * x")
