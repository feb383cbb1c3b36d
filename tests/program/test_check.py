"""`deltadeck check`, `layers` and `math`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.paths import OWN
from tests.program.shell import ITEM, Shell
from tests.tui.driving import RIGHT, UNREADABLE

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
STEP = "db = delta*y = delta*(1 - y*y)"


@pytest.mark.parametrize(
    ("answer", "code", "said"),
    [
        ("db = delta*(1 - y*y)", 1, ["✓ right so far, 1 of 3 parts", "open: dL/dx[j], dL/dW[k,j]"]),
        ("db = delta*(1 - y*y)\ndW = db x^T\ndx = W^T db", 0, ["✓ correct: all 3 parts"]),
        ("db = delta*(1 - y*y)\ndW = delta x^T", 1, ["✗ wrong: dL/dW[k,j]", "right: dL/db[k]"]),
        (STEP, 1, ["✗ the result is right; this step is not", f"  {STEP}\n       ^\n"]),
        ("db = nobody + 1 = delta*(1 - y*y)", 2, ["leave this step out"]),
    ],
)
def test_a_check_tells_parts_and_steps(
    tmp_path: Path, shell: Shell, answer: str, code: int, said: list[str]
) -> None:
    (tmp_path / "three.md").write_text(THREE, "utf-8")
    done = shell("check", "three", "-C", tmp_path, "--answer", answer)
    assert done.returncode == code
    assert all(words in done.stdout for words in said)


@pytest.mark.parametrize(
    ("answer", "code", "told"),
    [
        (RIGHT, 0, {"verdict": "correct", "tried": 300, "counterexample": None}),
        (RIGHT.replace("= sum", "= -sum"), 1, {"verdict": "wrong", "misconception": "sign"}),
        (UNREADABLE, 2, {"verdict": "unreadable", "line": 1, "column": 5}),
        (
            r"\delta_{x,ij} = \sum_{k,l} \delta_{kl} [(i,j) = \arg\max\Omega(k,l)]",
            0,
            {"verdict": "correct"},
        ),
        (
            "def f(x, delta):\n    print('seen')\n    return 0 * x",
            1,
            {"verdict": "wrong"},
        ),
    ],
)
def test_a_verdict_is_data_and_an_exit_code(
    seed: Shell, answer: str, code: int, told: dict[str, object]
) -> None:
    done = seed("check", ITEM, "--answer", answer, "--json")
    verdict = json.loads(done.stdout)
    assert done.returncode == code
    assert {key: verdict[key] for key in told} == told
    assert str(verdict["printed"]).startswith("seen\n" if "print" in answer else "")
    if code == 1:
        assert {"x", "delta", "yours", "expected"} <= verdict["counterexample"].keys()
    if code == 2:
        assert "delta" in verdict["hint"]
        assert verdict["message"]


def test_an_answer_that_cannot_be_read_gets_a_caret(shell: Shell, seed: Shell) -> None:
    given = ("check", ITEM, "--file", "-")
    done = seed(*given, stdin=b"delta[k,l]*[x[i]")
    assert (done.returncode, "^" in done.stdout) == (2, True)
    done = seed(*given, stdin=b"1+" * 200_000 + b"oops(")
    assert (done.returncode, len(done.stdout) < 1000) == (2, True)
    done = seed("check", ITEM, "--answer", "y = 1", "--numpy")
    assert (done.returncode, "def backward(x, delta)" in done.stdout) == (2, True)
    said = shell.refused("check", "newton_step", "-C", OWN.cards, "--answer", "1")
    assert "exercise" in said
    for number in ("-1", "x", "1.5", "9" * 30):
        said = seed.refused("check", ITEM, "--answer", "1", f"--seed={number}")
        assert "whole number" in said


@pytest.mark.parametrize(
    ("body", "happened", "way"),
    [
        ("while True: pass", "It took too long and was stopped.", "check that its loops end"),
        ("open('/etc/passwd')", "PermissionError: Operation not permitted", "may only compute"),
        ("return x[", "'[' was never closed.", "line 2: return x["),
        ("return x[99]", "IndexError: index 99 is out of bounds", "line 2, in backward"),
    ],
)
def test_a_function_without_a_result_is_told_what_happened_and_what_to_do(
    seed: Shell, tmp_path: Path, body: str, happened: str, way: str
) -> None:
    (tmp_path / "answer.py").write_text(f"def backward(x, delta):\n    {body}\n")
    done = seed("check", ITEM, "--file", tmp_path / "answer.py")
    first, *rest = done.stdout.splitlines()
    assert (done.returncode, first.startswith(f"? your function gave no result: {happened}")) == (
        2,
        True,
    )
    assert way in done.stdout
    assert rest[-1] == "  ran in a sandbox; `deltadeck doctor` lists what it keeps out"


def test_check_goes_through_a_folder_of_answers(seed: Shell, tmp_path: Path) -> None:
    answers = tmp_path / "answers"
    answers.mkdir()
    args = ("check", ITEM, "--file", answers)
    assert "no answers" in seed(*args).stderr
    (answers / "ann.txt").write_text(RIGHT)
    (answers / "bob.tex").write_text(r"\delta_{x,ij} = -\delta_{kl}")
    (answers / ".hidden").write_text("not an answer")
    done = seed(*args)
    assert done.returncode == 1
    first, second = done.stdout.splitlines()
    assert first.split() == ["ann.txt", "✓", "correct"]
    assert second.startswith("bob.tex  ✗")
    (answers / "cyd.py").write_text("def backward(x, delta): return x.shape")
    done = seed(*args, "--json")
    assert done.returncode == 2
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(entry["file"], entry["verdict"]) for entry in found] == [
        ("ann.txt", "correct"),
        ("bob.tex", "wrong"),
        ("cyd.py", "unreadable"),
    ]


def test_layers_lists_what_a_card_can_ask_about(shell: Shell) -> None:
    listed = shell.json("layers")
    assert {"max-pool", "linear", "elu", "attention"} <= {one["layer"] for one in listed}
    assert all(one["symbols"] and one["indices"] and one["example"] for one in listed)
    assert "W[k,j]" in shell("layers", "linear").stdout
    assert "max-pool, linear" in shell.refused("layers", "lstm")


# Formulas.


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
def test_a_formula_is_printed(shell: Shell, words: tuple[str, ...], picture: str) -> None:
    done = shell("math", *words, stdin=b"a^2\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, picture, "")


def test_what_cannot_be_read_of_a_formula_is_told_with_a_caret(shell: Shell) -> None:
    done = shell("math", r"\frac{a}{b")
    assert (done.returncode, done.stdout) == (2, "a\n─\nb\n")
    message, source, caret, hint = done.stderr.splitlines()
    assert message == "This brace is never closed."
    assert source.index("{b") == caret.index("^")
    assert "}" in hint
    done = shell("math", r"\frobnicate x")
    assert (done.returncode, done.stdout) == (1, "frobnicate x\n"), "unknown, and no more"
    assert r"\frobnicate" in done.stderr
    assert shell("math", "}" * 40).stderr.count("\n") < 30
    assert "UTF-8" in shell.refused("math", stdin=b"\xff\xfe")
    for width in ("0", "x", "-3"):
        assert shell.refused("math", "--width", width, "x")


def test_json_holds_the_rows_and_the_problems(shell: Shell) -> None:
    done = shell("math", "--json", r"\mathbf{x}_{")
    value = json.loads(done.stdout)
    assert done.returncode == 2
    assert value["rows"][0] == "x"
    assert value["marks"] == [{"row": 0, "start": 0, "end": 1, "style": "bold"}]
    assert set(value["problems"][0]) == {"message", "hint", "start", "end"}


@pytest.mark.parametrize(
    ("setting", "picture"),
    [
        ({}, "\x1b[1mx\x1b[0m + \x1b[31my\x1b[0m = \x1b[33mfoo\x1b[0m"),
        ({"NO_COLOR": "1"}, "x + y = foo"),
        ({"TERM": "dumb"}, "x + y = foo"),
    ],
)
def test_a_terminal_shows_styles(shell: Shell, setting: dict[str, str], picture: str) -> None:
    shell.env |= {"TERM": "xterm", **setting}
    done = shell("math", r"\mathbf{x} + \textcolor{red}{y} = \foo", screen=True)
    assert done.stdout == f"{picture}\n"
