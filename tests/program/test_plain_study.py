"""`deltadeck study --plain`: a whole sitting in lines of text, through pipes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.paths import SEED
from tests.program.shell import Shell
from tests.tui.driving import CHOICE, basic, write
from tui.commands.plain_study import spoken

RIGHT = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if (i,j) in Omega(k,l))"


def studied(shell: Shell, folder: Path, *lines: str) -> str:
    done = shell("study", folder, "--plain", stdin="".join(f"{one}\n" for one in lines).encode())
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    return done.stdout


def events(folder: Path) -> list[tuple[str, object]]:
    files = sorted(folder.glob(".deltadeck/journal/*/*.jsonl"))
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    done = [line for line in lines if line["kind"] != "status"]  # what an undo puts into the card
    return [(line["kind"], line.get("rating")) for line in done]


def test_a_card_is_asked_shown_rated_and_taken_back(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "deck"
    folder.mkdir()
    write(folder, "one", basic("one", "What is $\\frac{a}{b}$?", "A *ratio*."))
    said = studied(shell, folder, "", "3", "u", "", "1", "q")
    assert said.count("What is a/b?") == 2
    assert "A *ratio*." in said
    assert "3 Good" in said
    assert events(folder) == [("review", 3), ("undo", None), ("review", 1)]


def test_a_rating_waits_for_the_answer_and_what_is_unknown_is_said(
    shell: Shell, tmp_path: Path
) -> None:
    folder = tmp_path / "deck"
    folder.mkdir()
    write(folder, "one", basic("one"))
    said = studied(shell, folder, "3", "banana", "?")
    assert "Show the answer first" in said
    assert "'banana'" in said
    assert "take the last rating back" in said
    assert events(folder) == []


def test_a_derivation_is_checked_and_goes_into_the_journal(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "deck"
    folder.mkdir()
    shutil.copy(SEED, folder)
    said = studied(shell, folder, f"c {RIGHT}", "", "4")
    assert "✓ correct" in said
    assert "Suggested: 4" in said
    [line] = next(folder.glob(".deltadeck/journal/*/*.jsonl")).read_text().splitlines()
    assert json.loads(line)["check"]["verdict"] == "correct"


def test_options_are_read_and_picked(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "deck"
    folder.mkdir()
    write(folder, "pick", CHOICE.format(id="pick"))
    said = studied(shell, folder, "b", "", "q")
    assert "A) 0" in said
    assert "Picked: B" in said
    assert "Suggested: 3, the right choice" in said


def test_setting_aside_ends_a_sitting_of_one(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "deck"
    folder.mkdir()
    write(folder, "one", basic("one"))
    assert "Nothing is left" in studied(shell, folder, "s")
    assert events(folder) == [("suspend", None)]


@given(st.text(st.characters(codec="utf-8"), max_size=80))
def test_whatever_a_card_says_is_spoken_without_control_characters(text: str) -> None:
    assert all(each.isprintable() or each in "\n\t" or ord(each) > 0x9F for each in spoken(text))
