"""What is said of an answer in two languages, or in another than was named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.verdict import Verdict
from tests.tui.driving import RIGHT
from tui.lab.requests import ExerciseSpec, InputRequest, LabRequest
from tui.lab.text import function_within, plainly
from tui.main import main

FUNCTION = "def backward(x, delta):\n    return x"
UNREAD = Verdict("unreadable", "", 0, tried=0, message="What the reader said.", line=1)


@pytest.mark.parametrize("before", ["\\delta_x = ", "\\delta_x =\n", "dx[i,j] =\n\n", "a word\n"])
def test_what_stands_before_a_function_is_named(before: str) -> None:
    said = plainly(UNREAD, before + FUNCTION)
    assert "looks like a function" in str(said.message)
    assert said.hint == "clear what stands before `def`"
    line = (before + FUNCTION).split("\n")[(said.line or 0) - 1]
    assert line[(said.column or 0) - 1 :].startswith("def")


@pytest.mark.parametrize(
    "before", ["", "import numpy as np\n", "# mine\n", "k = 2\n\n@staticmethod\n", "async "]
)
def test_python_may_stand_before_a_function(before: str) -> None:
    assert plainly(UNREAD, before + FUNCTION) == UNREAD


@pytest.mark.parametrize("between", [" ", "\n", "\n\n"])
def test_latex_before_a_function_is_not_typeset_with_it(between: str) -> None:
    task = ExerciseSpec({"layer": "relu"}, (), "derivation")
    mixed = rf"\delta_x = \delta \odot [x > 0]{between}{FUNCTION}"
    assert LabRequest(mixed, task, InputRequest(), 60).evaluate().formula is None
    assert function_within(mixed)
    assert not function_within(FUNCTION)
    assert not function_within(r"\delta_x = \delta")


def test_a_formula_that_was_called_a_function_is_told_so() -> None:
    said = plainly(UNREAD, "dx[i,j] = delta[i,j]", "function")
    assert "write def backward(...)" in str(said.message)
    assert plainly(UNREAD, FUNCTION, "function") == UNREAD


def test_plain_text_that_was_called_latex_is_told_so() -> None:
    said = plainly(UNREAD, "dx[i,j] = delta[i,j]", "latex")
    assert str(said.message).startswith("This is not LaTeX; leave out --latex")
    assert plainly(UNREAD, "\\delta_{", "latex") == UNREAD


def test_an_empty_answer_is_called_empty_in_every_language() -> None:
    empty = Verdict("unreadable", "", 0, tried=0, message="There is no answer yet.")
    assert plainly(empty, " \n", "latex") == empty
    assert plainly(empty, "", "function") == empty


def test_what_was_read_is_left_alone() -> None:
    right = Verdict("correct", "dx[i,j] = 1", 0, tried=300)
    assert plainly(right, "dx[i,j] = 1", "latex") == right


def test_a_file_that_is_no_text_has_a_line_of_its_own(
    seed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = tmp_path / "answers"
    answers.mkdir()
    (answers / "ann.txt").write_bytes(b"dx[i,j] = \xff")
    (answers / "bob.txt").write_text(RIGHT, encoding="utf-8")
    args = ["check", "ssu_batch4_004", "--folder", str(seed), "--file", str(answers)]
    assert main(args) == 2
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("ann.txt  ? not read: ann.txt is not UTF-8 text (byte 11)")
    assert second.split() == ["bob.txt", "✓", "correct"]
    assert main([*args, "--json"]) == 2
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [entry["verdict"] for entry in found] == ["unreadable", "correct"]


def test_what_of_a_folder_is_no_answer_is_told(
    seed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = tmp_path / "answers"
    (answers / "group").mkdir(parents=True)
    (answers / ".git").mkdir()
    (answers / "lost.txt").symlink_to(tmp_path / "nothing")
    args = ["check", "ssu_batch4_004", "--folder", str(seed), "--file", str(answers)]
    assert main(args) == 2
    assert "no answers" in capsys.readouterr().err
    (answers / "bob.txt").write_text(RIGHT, encoding="utf-8")
    assert main(args) == 0
    out, err = capsys.readouterr()
    assert out.split() == ["bob.txt", "✓", "correct"]
    group, lost = err.splitlines()
    assert group.endswith("group is left out: it is a folder, and has a --file of its own.")
    assert lost.endswith("lost.txt is left out: it is a link to nothing.")
