"""Bad input: a sentence with the place and the way out, exit code 2, and nothing changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.paths import OWN, ROOT, SEED
from tests.program.shell import Shell


def test_a_missing_folder(shell: Shell, tmp_path: Path) -> None:
    for command in ("due", "show x", "check x --answer 1"):
        said = shell.refused(*command.split(), "--folder", tmp_path / "nowhere")
        assert "nowhere" in said
    assert "nowhere" in shell.refused(tmp_path / "nowhere")


def test_no_terminal(shell: Shell, folder: Path) -> None:
    assert "terminal" in shell.refused(folder)


def test_an_unknown_card_with_a_near_name(shell: Shell, folder: Path) -> None:
    said = shell.refused("show", "ssu_batch4_04", "--folder", folder)
    assert "ssu_batch4_004" in said


def test_the_current_folder_is_named_whole(shell: Shell) -> None:
    assert f"no card 'x' in {shell.home}. " in shell.refused("show", "x")


def test_an_unknown_option(shell: Shell) -> None:
    assert "--help" in shell.refused("due", "--fast")


def test_a_half_written_card(shell: Shell, folder: Path) -> None:
    (folder / "half.md").write_text("---\nid: half\ntags: [a, b\n---\n# Question\n")
    done = shell("lint", folder)
    assert done.returncode == 2
    assert "half.md:" in done.stdout
    # One bad file never hides the rest.
    assert shell("show", "ssu_batch4_004", "--folder", folder).returncode == 0


def test_a_duplicate_id_names_both_files(shell: Shell, folder: Path) -> None:
    shutil.copy(SEED, folder / "copy.md")
    done = shell("lint", folder)
    assert done.returncode == 2
    assert "copy.md" in done.stdout
    assert "ssu_batch4_004.md" in done.stdout


def test_adding_an_id_that_is_taken(shell: Shell, folder: Path) -> None:
    said = shell.refused("add", "--folder", folder, "--file", "-", stdin=SEED.read_bytes())
    assert "taken" in said


def test_an_edit_that_would_not_read(shell: Shell, folder: Path) -> None:
    shell.refused("edit", "ssu_batch4_004", "--folder", folder, "--file", "-", stdin=b"oops")
    assert (folder / SEED.name).read_bytes() == SEED.read_bytes()


def test_an_edit_that_takes_another_cards_id(shell: Shell, folder: Path) -> None:
    other = SEED.read_bytes().replace(b"id: ssu_batch4_004", b"id: other")
    (folder / "other.md").write_bytes(other)
    said = shell.refused(
        "edit", "other", "--folder", folder, "--file", "-", stdin=SEED.read_bytes()
    )
    assert "taken" in said
    assert (folder / "other.md").read_bytes() == other


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


@pytest.mark.parametrize("exercise", ["{layer: elephant}", "{layer: max-pool, kernel: 0}", "5"])
def test_an_exercise_that_cannot_be_is_linted(shell: Shell, folder: Path, exercise: str) -> None:
    text = SEED.read_text().replace("difficulty: 2", f"exercise: {exercise}")
    (folder / SEED.name).write_text(text)
    done = shell("lint", folder)
    assert done.returncode == 1
    assert f"{SEED.name}:5:1" in done.stdout


def test_a_place_where_no_folder_can_be(shell: Shell) -> None:
    assert "cannot be made" in shell.refused("init", "/proc/nothing")


def test_a_card_without_an_exercise(shell: Shell) -> None:
    said = shell.refused("check", "newton_step", "--folder", OWN.cards, "--answer", "1")
    assert "exercise" in said


def test_a_folder_that_is_a_file(shell: Shell) -> None:
    assert "README.md" in shell.refused("init", ROOT / "README.md")
