"""`deltadeck check`, `layers` and `math`."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import OWN, ROOT
from tests.program.shell import Shell

RIGHT = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if (i,j) in Omega(k,l))"

THREE = """---
id: three
type: derivation
exercise:
  given: "y[k] = tanh(sum(W[k,j] * x[j] for j) + b[k])"
  find: ["dL/dx[j]", "dL/dW[k,j]", "dL/db[k]"]
---
# Question
The messages?
# Solution
By the chain rule.
"""


@pytest.mark.parametrize(
    ("answer", "code", "said"),
    [
        ("db = delta*(1 - y*y)", 1, "✓ right so far, 1 of 3 parts"),
        ("db = delta*(1 - y*y)", 1, "open: dL/dx[j], dL/dW[k,j]"),
        ("db = delta*(1 - y*y)\ndW = db x^T\ndx = W^T db", 0, "✓ correct: all 3 parts"),
        ("db = delta*(1 - y*y)\ndW = delta x^T", 1, "✗ wrong: dL/dW[k,j]"),
        ("db = delta*(1 - y*y)\ndW = delta x^T", 1, "right: dL/db[k]"),
        ("db = delta*y = delta*(1 - y*y)", 1, "✗ the result is right; this step is not"),
        ("db = delta*y = delta*(1 - y*y)", 1, "  db = delta*y = delta*(1 - y*y)\n       ^\n"),
        ("db = delta*y = delta*(1 - y*y)", 1, "this step: dL/db[k] = delta[k] * y[k]"),
        ("db = delta*(1 - y*y) = delta", 1, "it goes wrong at: dL/db[k] = delta[k]"),
        ("db = nobody + 1 = delta*(1 - y*y)", 2, "leave this step out"),
    ],
)
def test_a_check_tells_parts_and_steps(
    tmp_path: Path, shell: Shell, answer: str, code: int, said: str
) -> None:
    (tmp_path / "three.md").write_text(THREE, "utf-8")
    done = shell("check", "three", "-C", tmp_path, "--answer", answer)
    assert done.returncode == code
    assert said in done.stdout


def check(shell: Shell, folder: Path, answer: str) -> tuple[int, dict[str, object]]:
    done = shell("check", "ssu_batch4_004", "--folder", folder, "--answer", answer, "--json")
    return done.returncode, json.loads(done.stdout)


def test_check_accepts_the_right_message(shell: Shell, folder: Path) -> None:
    code, verdict = check(shell, folder, RIGHT)
    assert (code, verdict["verdict"]) == (0, "correct")
    assert verdict["read"]
    assert verdict["tried"] == 300
    assert verdict["counterexample"] is None


def test_check_shows_where_a_wrong_message_fails(shell: Shell, folder: Path) -> None:
    code, verdict = check(shell, folder, RIGHT.replace("= sum", "= -sum"))
    assert (code, verdict["verdict"], verdict["misconception"]) == (1, "wrong", "sign")
    case = verdict["counterexample"]
    assert isinstance(case, dict)
    assert {"x", "delta", "yours", "expected"} <= case.keys()


def test_check_points_at_what_it_cannot_read(shell: Shell, folder: Path) -> None:
    code, verdict = check(shell, folder, "sum(detla[k,l]*[(i,j)==argmax(k,l)] for k,l)")
    assert (code, verdict["verdict"]) == (2, "unreadable")
    assert (verdict["line"], verdict["column"]) == (1, 5)
    assert "delta" in str(verdict["hint"])
    assert verdict["message"]


def test_check_says_it_in_words_too(shell: Shell, folder: Path) -> None:
    done = shell(
        "check", "ssu_batch4_004", "--folder", folder, "--file", "-", stdin=b"delta[k,l]*[x[i]"
    )
    assert done.returncode == 2
    assert "^" in done.stdout


def test_layers_lists_what_a_card_can_ask_about(shell: Shell) -> None:
    listed = json.loads(shell("layers", "--json").stdout)
    assert {"max-pool", "linear", "elu", "attention"} <= {one["layer"] for one in listed}
    assert all(one["symbols"] and one["indices"] and one["example"] for one in listed)
    assert "W[k,j]" in shell("layers", "linear").stdout
    refused = shell("layers", "lstm")
    assert refused.returncode == 2
    assert "max-pool, linear" in refused.stderr


def test_check_reads_latex_and_functions(shell: Shell, folder: Path) -> None:
    latex = r"\delta_{x,ij} = \sum_{k,l} \delta_{kl} [(i,j) = \arg\max\Omega(k,l)]"
    code, verdict = check(shell, folder, latex)
    assert (code, verdict["verdict"]) == (0, "correct")
    code, verdict = check(shell, folder, "def f(x, delta):\n    print('seen')\n    return 0 * x")
    assert (code, verdict["verdict"]) == (1, "wrong")
    assert str(verdict["printed"]).startswith("seen\n")
    done = shell("check", "ssu_batch4_004", "-C", folder, "--answer", "y = 1", "--numpy")
    assert done.returncode == 2
    assert "def backward(x, delta)" in done.stdout


def test_check_goes_through_a_folder_of_answers(shell: Shell, folder: Path, tmp_path: Path) -> None:
    answers = tmp_path / "answers"
    answers.mkdir()
    args = ("check", "ssu_batch4_004", "--folder", folder, "--file", answers)
    assert "no answers" in shell(*args).stderr
    (answers / "ann.txt").write_text(RIGHT)
    (answers / "bob.tex").write_text(r"\delta_{x,ij} = -\delta_{kl}")
    (answers / ".hidden").write_text("not an answer")
    done = shell(*args)
    assert done.returncode == 1
    first, second = done.stdout.splitlines()
    assert first.split() == ["ann.txt", "✓", "correct"]
    assert second.startswith("bob.tex  ✗")
    (answers / "cyd.py").write_text("def backward(x, delta): return x.shape")
    done = shell(*args, "--json")
    assert done.returncode == 2
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [entry["file"] for entry in found] == ["ann.txt", "bob.tex", "cyd.py"]
    assert [entry["verdict"] for entry in found] == ["correct", "wrong", "unreadable"]


@pytest.mark.parametrize("seed", ["-1", "x", "1.5", "9" * 30])
def test_a_seed_that_is_no_natural_number(shell: Shell, folder: Path, seed: str) -> None:
    said = shell.refused(
        "check", "ssu_batch4_004", "--folder", folder, "--answer", "1", f"--seed={seed}"
    )
    assert "whole number" in said


def test_a_long_answer_is_not_printed_back(shell: Shell, folder: Path) -> None:
    answer = b"1+" * 200_000 + b"oops("
    done = shell("check", "ssu_batch4_004", "-C", folder, "--file", "-", stdin=answer)
    assert done.returncode == 2
    assert len(done.stdout) < 1000


def test_a_card_without_an_exercise(shell: Shell) -> None:
    said = shell.refused("check", "newton_step", "--folder", OWN.cards, "--answer", "1")
    assert "exercise" in said


@pytest.mark.parametrize(
    ("words", "picture"),
    [
        ((r"x = \frac{a}{b}",), "    a\nx = ─\n    b\n"),
        (("--inline", r"\sum_i \frac{x_i}{n}"), "∑ᵢ xᵢ/n\n"),
        (("--line", r"\sum_i \frac{x_i}{n}"), "∑ᵢ xᵢ/n\n"),
        ((r"\begin{bmatrix} a & b \\ c & d \end{bmatrix}", "--line"), "[a, b; c, d]\n"),
        (("--width", "10", "x = a + b + c"), "x = a + b\n    + c\n"),
        (("--", "-x"), "−x\n"),
        ((), "a²\n"),
        (("-",), "a²\n"),
    ],
)
def test_a_formula_is_printed_as_it_is_displayed(
    shell: Shell, words: tuple[str, ...], picture: str
) -> None:
    done = shell("math", *words, stdin=b"a^2\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, picture, "")


def test_a_brace_that_is_never_closed_has_a_caret_under_it(shell: Shell) -> None:
    done = shell("math", r"\frac{a}{b")
    assert done.returncode == 2
    assert done.stdout == "a\n─\nb\n"
    message, source, caret, hint = done.stderr.splitlines()
    assert message == "This brace is never closed."
    assert source.index("{b") == caret.index("^")
    assert "}" in hint


def test_an_unknown_command_is_a_warning(shell: Shell) -> None:
    done = shell("math", r"\frobnicate x")
    assert done.returncode == 1
    assert done.stdout == "frobnicate x\n"
    assert r"\frobnicate" in done.stderr


def test_json_holds_the_rows_and_the_problems(shell: Shell) -> None:
    done = shell("math", "--json", r"\mathbf{x}_{")
    value = json.loads(done.stdout)
    assert done.returncode == 2
    assert value["rows"][0] == "x"
    assert value["marks"] == [{"row": 0, "start": 0, "end": 1, "style": "bold"}]
    assert set(value["problems"][0]) == {"message", "hint", "start", "end"}


def test_many_problems_are_not_all_told(shell: Shell) -> None:
    done = shell("math", "}" * 40)
    assert done.stderr.count("\n") < 30


def test_bytes_that_are_no_text_are_refused(shell: Shell) -> None:
    assert "UTF-8" in shell.refused("math", stdin=b"\xff\xfe")


@pytest.mark.parametrize("width", ["0", "x", "-3"])
def test_a_width_that_is_none_is_refused(shell: Shell, width: str) -> None:
    assert shell.refused("math", "--width", width, "x")


@pytest.mark.parametrize(
    ("setting", "picture"),
    [
        ({}, "\x1b[1mx\x1b[0m + \x1b[31my\x1b[0m = \x1b[33mfoo\x1b[0m"),
        ({"NO_COLOR": "1"}, "x + y = foo"),
        ({"TERM": "dumb"}, "x + y = foo"),
    ],
)
def test_a_terminal_shows_bold_colours_and_warnings(
    shell: Shell, setting: dict[str, str], picture: str
) -> None:
    ours, its = pty.openpty()
    try:
        subprocess.run(
            [sys.executable, "-m", "tui", "math", r"\mathbf{x} + \textcolor{red}{y} = \foo"],
            stdin=subprocess.DEVNULL,
            stdout=its,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            env={**shell.env, "TERM": "xterm", **setting},
            timeout=60,
            check=False,
        )
        assert os.read(ours, 1000).decode() == picture + "\r\n"
    finally:
        os.close(ours)
        os.close(its)
