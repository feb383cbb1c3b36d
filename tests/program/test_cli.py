"""The command line as a person or a script meets it: exit codes, sentences, JSON."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.paths import ROOT, SEED, SHARED
from tests.program.terminal import environment

RIGHT = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if (i,j) in Omega(k,l))"
COMMANDS = ["study", "init", "add", "edit", "show", "due", "check", "lint"]


class Shell:
    """Runs `deltadeck` as a process, with a home folder of its own."""

    def __init__(self, home: Path) -> None:
        self.env = environment(home)

    def __call__(
        self, *arguments: str | Path, stdin: bytes = b""
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "tui", *map(str, arguments)],
            input=stdin,
            capture_output=True,
            cwd=ROOT,
            env=self.env,
            timeout=60,
            check=False,
        )
        out, err = done.stdout.decode(), done.stderr.decode()
        assert "Traceback" not in out + err, err
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    def refused(self, *arguments: str | Path, stdin: bytes = b"") -> str:
        """Standard error of a call that must be refused: exit code 2, a sentence, no output."""
        done = self(*arguments, stdin=stdin)
        assert done.returncode == 2, done
        assert done.stderr.strip()
        assert done.stderr.count("\n") <= 2
        return done.stderr


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "deck"
    folder.mkdir()
    shutil.copy(SEED, folder)
    return folder


def test_version_is_that_of_the_distribution(shell: Shell) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert shell("--version").stdout == f"deltadeck {declared}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(shell: Shell, command: str) -> None:
    done = shell(command, "--help")
    assert done.returncode == 0
    assert f"deltadeck {command}" in done.stdout


def test_printing_commands_import_neither_textual_nor_numpy(folder: Path, shell: Shell) -> None:
    code = (
        "import sys; from tui.cli import main; main(['due', '--folder', sys.argv[1]]); "
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
    assert r"\max_{(i, j) \in \Omega(k, l)} x_{ij}" in text
    value = json.loads(shell("show", "ssu_batch4_004", "--folder", folder, "--json").stdout)
    assert value["tags"] == ["cnn", "max-pooling", "backpropagation", "gradients"]
    assert value["points"] == 5


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


@pytest.mark.parametrize("name", ["drs_065", "orr_quiz09_03", "20260106_diagnostics_002"])
def test_the_real_cards_are_shown_as_they_are(shell: Shell, name: str) -> None:
    assert shell("show", name, "--folder", SHARED / "cards").returncode == 0


class TestRefused:
    """Bad input: a sentence with the place and the way out, exit code 2, nothing changed."""

    def test_a_missing_folder(self, shell: Shell, tmp_path: Path) -> None:
        for command in ("due", "show x", "check x --answer 1"):
            said = shell.refused(*command.split(), "--folder", tmp_path / "nowhere")
            assert "nowhere" in said
        assert "nowhere" in shell.refused(tmp_path / "nowhere")

    def test_no_terminal(self, shell: Shell, folder: Path) -> None:
        assert "terminal" in shell.refused(folder)

    def test_an_unknown_card_with_a_near_name(self, shell: Shell, folder: Path) -> None:
        said = shell.refused("show", "ssu_batch4_04", "--folder", folder)
        assert "ssu_batch4_004" in said

    def test_an_unknown_option(self, shell: Shell) -> None:
        assert "--help" in shell.refused("due", "--fast")

    def test_a_half_written_card(self, shell: Shell, folder: Path) -> None:
        (folder / "half.md").write_text("---\nid: half\ntags: [a, b\n---\n# Question\n")
        done = shell("lint", folder)
        assert done.returncode == 2
        assert "half.md:" in done.stdout
        # One bad file never hides the rest.
        assert shell("show", "ssu_batch4_004", "--folder", folder).returncode == 0

    def test_a_duplicate_id_names_both_files(self, shell: Shell, folder: Path) -> None:
        shutil.copy(SEED, folder / "copy.md")
        done = shell("lint", folder)
        assert done.returncode == 2
        assert "copy.md" in done.stdout
        assert "ssu_batch4_004.md" in done.stdout

    def test_adding_an_id_that_is_taken(self, shell: Shell, folder: Path) -> None:
        said = shell.refused("add", "--folder", folder, "--file", "-", stdin=SEED.read_bytes())
        assert "taken" in said

    def test_an_edit_that_would_not_read(self, shell: Shell, folder: Path) -> None:
        shell.refused("edit", "ssu_batch4_004", "--folder", folder, "--file", "-", stdin=b"oops")
        assert (folder / SEED.name).read_bytes() == SEED.read_bytes()

    def test_an_edit_that_takes_another_cards_id(self, shell: Shell, folder: Path) -> None:
        other = SEED.read_bytes().replace(b"id: ssu_batch4_004", b"id: other")
        (folder / "other.md").write_bytes(other)
        said = shell.refused(
            "edit", "other", "--folder", folder, "--file", "-", stdin=SEED.read_bytes()
        )
        assert "taken" in said
        assert (folder / "other.md").read_bytes() == other

    @pytest.mark.parametrize("seed", ["-1", "x", "1.5", "9" * 30])
    def test_a_seed_that_is_no_natural_number(self, shell: Shell, folder: Path, seed: str) -> None:
        said = shell.refused(
            "check", "ssu_batch4_004", "--folder", folder, "--answer", "1", f"--seed={seed}"
        )
        assert "whole number" in said

    def test_a_long_answer_is_not_printed_back(self, shell: Shell, folder: Path) -> None:
        answer = b"1+" * 200_000 + b"oops("
        done = shell("check", "ssu_batch4_004", "-C", folder, "--file", "-", stdin=answer)
        assert done.returncode == 2
        assert len(done.stdout) < 1000

    @pytest.mark.parametrize("exercise", ["{layer: conv}", "{layer: max-pool, kernel: 0}", "5"])
    def test_an_exercise_that_cannot_be_is_linted(
        self, shell: Shell, folder: Path, exercise: str
    ) -> None:
        text = SEED.read_text().replace("difficulty: 2", f"exercise: {exercise}")
        (folder / SEED.name).write_text(text)
        done = shell("lint", folder)
        assert done.returncode == 1
        assert f"{SEED.name}:5:1" in done.stdout

    def test_a_place_where_no_folder_can_be(self, shell: Shell) -> None:
        assert "cannot be made" in shell.refused("init", "/proc/nothing")

    def test_a_card_without_an_exercise(self, shell: Shell) -> None:
        said = shell.refused("check", "drs_065", "--folder", SHARED / "cards", "--answer", "1")
        assert "exercise" in said

    def test_a_folder_that_is_a_file(self, shell: Shell) -> None:
        assert "README.md" in shell.refused("init", ROOT / "README.md")
