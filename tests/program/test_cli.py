"""The command line as a person or a script meets it: exit codes, sentences, JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.paths import MATERIAL, ROOT, SEED
from tests.program.shell import Shell
from tui.main import command_parser, commands, main

RIGHT = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if (i,j) in Omega(k,l))"
COMMANDS = ["study", "init", "add", "edit", "show", "due", "check", "layers", "lint", "math"]
COMMANDS += ["list", "search", "review", "suspend", "stats", "exam", "optimize", "doctor"]
COMMANDS += ["bury", "reset", "raise", "backup", "restore"]


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


def test_version_is_that_of_the_distribution(shell: Shell) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert shell("--version").stdout == f"deltadeck {declared}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(shell: Shell, command: str) -> None:
    done = shell(command, "--help")
    assert done.returncode == 0
    assert f"deltadeck {command}" in done.stdout


@pytest.mark.parametrize("command", commands())
def test_an_option_is_written_whole(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    options = {name for each in command_parser(command)._actions for name in each.option_strings}
    shortened = {name[:end] for name in options for end in range(3, len(name))} - options
    for word in sorted(word for word in shortened if word.startswith("--")):
        for written in ([word], [f"{word}=x"]):
            assert main([command, *written]) == 2, written
            assert f"no option {word}" in capsys.readouterr().err


def test_help_prints_what_the_option_prints(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("", *commands()):
        words = [command] if command else []
        assert main(["help", *words]) == main([*words, "--help"]) == 0
        printed = capsys.readouterr().out
        half = len(printed) // 2
        assert printed[:half] == printed[half:] != "", command


def test_help_names_the_nearest_of_the_commands(shell: Shell) -> None:
    assert "`deltadeck search`" in shell.refused("help", "serach")
    assert "`deltadeck help`" in shell.refused("help", "zzz")


@pytest.mark.parametrize("before", [["-C", "{}"], ["-C{}"], ["--folder={}"], ["--folder", "{}"]])
def test_folder_and_json_may_stand_before_the_command(
    folder: Path, shell: Shell, before: list[str]
) -> None:
    words = [word.format(folder) for word in before]
    done = shell(*words, "--json", "list")
    assert done.stdout == shell("list", "--folder", str(folder), "--json").stdout
    assert len(json.loads(done.stdout)) > 0


def test_printing_commands_import_neither_textual_nor_numpy(folder: Path, shell: Shell) -> None:
    code = (
        "import sys; from tui.main import main; main(['due', '--folder', sys.argv[1]]); "
        "print(sorted({'textual', 'numpy', 'markdown_it'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env=shell.env,
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_warm_start_that_asks_for_no_card_loads_no_parser(folder: Path, shell: Shell) -> None:
    for path in folder.rglob("*.md"):
        os.utime(path, (1e9, 1e9))  # what has only just changed is read once more
    assert shell("due", "--folder", str(folder)).returncode == 0  # the index is made
    code = (
        "import sys; from tui.main import main; main(['due', '--json', '--folder', sys.argv[1]]); "
        "dear = {'yaml', 'cards.parse', 'deck.search', 'concurrent.futures', 'subprocess'}; "
        "print(sorted(dear & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env=shell.env,
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_init_with_the_starter_deck_gives_twelve_writable_cards(
    shell: Shell, tmp_path: Path
) -> None:
    target = tmp_path / "new"
    assert shell("init", target, "--starter").returncode == 0
    assert len(list(target.glob("*.md"))) == 12
    assert all(path.stat().st_mode & 0o200 for path in target.glob("*.md"))
    assert shell("lint", target).returncode == 0


def test_the_makefile_names_a_folder_and_not_a_command() -> None:
    recipe = (ROOT / "Makefile").read_text()
    assert "deltadeck ./study" in recipe
    assert "study" in COMMANDS  # why a bare `deltadeck study` would open the wrong folder


def test_init_twice_overwrites_nothing(shell: Shell, folder: Path) -> None:
    mine = SEED.read_text().replace("difficulty: 2", "difficulty: 5")
    (folder / SEED.name).write_text(mine)
    assert shell("init", folder, "--starter").returncode == 0
    assert (folder / SEED.name).read_text() == mine


def test_show_prints_the_card_and_its_json(shell: Shell, folder: Path) -> None:
    text = shell("show", "ssu_batch4_004", "--folder", folder).stdout
    assert "(i,j)∈Ω(k,l)" in text
    source = shell("show", "ssu_batch4_004", "--folder", folder, "--source").stdout
    assert r"\max_{(i, j) \in \Omega(k, l)} x_{ij}" in source
    value = json.loads(shell("show", "ssu_batch4_004", "--folder", folder, "--json").stdout)
    assert value["tags"] == ["cnn", "max-pooling", "backpropagation", "gradients"]
    assert value["points"] == 5


def test_show_prints_a_cloze_with_its_text_also_in_a_formula(shell: Shell, folder: Path) -> None:
    text = "---\nid: gaps\ntype: cloze\n---\n\n# Question\nIn $a = {{c1::x}}$ see {{c2::y::why}}.\n"
    (folder / "gaps.md").write_text(text)
    assert "In a = x see y." in shell("show", "gaps", "--folder", folder).stdout


def test_due_counts_a_new_card(shell: Shell, folder: Path) -> None:
    value = json.loads(shell("due", "--folder", folder, "--json").stdout)
    assert [entry["item"] for entry in value["queue"]] == ["ssu_batch4_004"]
    assert sum(deck["new"] for deck in value["decks"] if deck["depth"] == 0) == 1


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


def test_lint_points_at_the_formula_that_cannot_be_read(shell: Shell, tmp_path: Path) -> None:
    card = (
        "---\nid: one\ntype: derivation\nexercise:\n  given: |\n    s = 2 * x\n"
        "    y = exq(s)\n  find: dL/dx\n---\n# Question\nQ\n\n---\n# Solution\nS\n"
    )
    (tmp_path / "one.md").write_text(card)
    done = shell("lint", str(tmp_path / "one.md"))
    assert done.returncode == 1
    assert "one.md:7:9: exercise: given: I do not know 'exq'" in done.stdout
    assert "    y = exq(s)\n        ^\n" in done.stdout


def test_add_takes_a_card_from_standard_input(shell: Shell, folder: Path) -> None:
    text = SEED.read_text().replace("id: ssu_batch4_004", "id: mine")
    done = shell("add", "--folder", folder, "--file", "-", stdin=text.encode())
    assert done.returncode == 0, done.stderr
    assert (folder / "mine.md").read_text() == text


def test_edit_takes_the_new_text_of_a_card(shell: Shell, folder: Path) -> None:
    text = SEED.read_text().replace("difficulty: 2", "difficulty: 4")
    done = shell("edit", "ssu_batch4_004", "--folder", folder, "--file", "-", stdin=text.encode())
    assert done.returncode == 0, done.stderr
    assert (folder / SEED.name).read_text() == text


@pytest.mark.material
def test_every_card_is_shown_as_it_is(shell: Shell) -> None:
    for each in MATERIAL:
        names = [path.stem for path in each.cards.glob("*.md")]
        assert shell("show", *names, "--folder", each.cards).returncode == 0


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
