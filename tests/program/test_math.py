"""`deltadeck math`: one formula as text."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys

import pytest

from tests.paths import ROOT
from tests.program.shell import Shell


def test_a_formula_is_printed_as_it_is_displayed(shell: Shell) -> None:
    done = shell("math", r"x = \frac{a}{b}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "    a\nx = ─\n    b\n", "")


@pytest.mark.parametrize(
    ("option", "picture"), [("--inline", "∑ᵢ xᵢ/n\n"), ("--line", "∑ᵢ xᵢ/n\n")]
)
def test_the_other_modes(shell: Shell, option: str, picture: str) -> None:
    assert shell("math", option, r"\sum_i \frac{x_i}{n}").stdout == picture


def test_a_matrix_on_one_line(shell: Shell) -> None:
    tex = r"\begin{bmatrix} a & b \\ c & d \end{bmatrix}"
    assert shell("math", tex, "--line").stdout == "[a, b; c, d]\n"


def test_the_formula_may_come_from_standard_input(shell: Shell) -> None:
    assert shell("math", stdin=b"a^2\n").stdout == "a²\n"
    assert shell("math", "-", stdin=b"a^2\n").stdout == "a²\n"


def test_a_width_breaks_lines(shell: Shell) -> None:
    assert shell("math", "--width", "10", "x = a + b + c").stdout == "x = a + b\n    + c\n"


def test_a_formula_that_begins_with_a_minus_comes_after_two(shell: Shell) -> None:
    assert shell("math", "--", "-x").stdout == "−x\n"


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


def test_the_typesetter_brings_no_library(shell: Shell) -> None:
    code = (
        "import sys; from tui.main import main; main(['math', 'x']); "
        "print(sorted({'textual', 'rich', 'numpy', 'markdown_it', 'yaml'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env=shell.env,
    )
    assert done.stdout.splitlines()[-1] == "[]"


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
