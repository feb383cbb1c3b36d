"""`deltadeck study --plain`: a whole sitting in lines of text, through pipes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.paths import SEED
from tests.program.shell import Shell
from tests.tui.driving import CHOICE, RIGHT, basic, write
from tui.commands.plain_study import spoken


def studied(shell: Shell, folder: Path, *lines: str) -> str:
    done = shell("study", folder, "--plain", stdin="".join(f"{one}\n" for one in lines).encode())
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    return done.stdout


def events(folder: Path) -> list[dict[str, object]]:
    files = sorted(folder.glob(".deltadeck/journal/*/*.jsonl"))
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return [line for line in lines if line["kind"] != "status"]  # what an undo puts into the card


@pytest.fixture
def one(empty: Path) -> Path:
    write(empty, "one", basic("one", "What is $\\frac{a}{b}$?", "A *ratio*."))
    return empty


def test_a_card_is_asked_shown_rated_and_taken_back(shell: Shell, one: Path) -> None:
    said = studied(shell, one, "", "3", "u", "", "1", "q")
    assert said.count("What is a/b?") == 2
    assert "A *ratio*." in said
    assert "3 Good" in said
    told = [(line["kind"], line.get("rating")) for line in events(one)]
    assert told == [("review", 3), ("undo", None), ("review", 1)]


def test_a_rating_waits_for_the_answer_and_what_is_unknown_is_said(shell: Shell, one: Path) -> None:
    said = studied(shell, one, "3", "banana", "?")
    for words in ("Show the answer first", "'banana'", "undo the last rating"):
        assert words in said
    assert events(one) == []
    assert "Nothing is left" in studied(shell, one, "s"), "set aside, a sitting of one ends"
    assert [line["kind"] for line in events(one)] == ["suspend"]


def test_a_derivation_is_checked_and_goes_into_the_journal(shell: Shell, empty: Path) -> None:
    shutil.copy(SEED, empty)
    said = studied(shell, empty, f"c {RIGHT}", "", "4")
    assert "✓ correct" in said
    assert "Suggested: 4" in said
    [line] = events(empty)
    assert isinstance(line["check"], dict)
    assert line["check"]["verdict"] == "correct"


def test_a_number_is_typed_and_checked(shell: Shell, empty: Path) -> None:
    text = basic("n", "How many?", "Counted.").replace("type: basic", "type: numeric\nanswer: 3")
    write(empty, "n", text)
    said = studied(shell, empty, "four", "4", "1", "u", "", "3")
    for words in ("'four'", "✗ Yours 4 Answer 3", "Suggested: 1, off by 1", "Answer 3"):
        assert words in " ".join(said.split())
    assert [line.get("rating") for line in events(empty)] == [1, None, 3]


def test_words_are_typed_where_the_learner_likes_to(shell: Shell, empty: Path) -> None:
    write(empty, "one", basic("one", "Why?", "Because of it."))
    (empty / ".deltadeck").mkdir(exist_ok=True)
    (empty / ".deltadeck/config.toml").write_text("type_answers = true\n")
    said = studied(shell, empty, "Because of at", "u", "r", "2")
    for words in ("≈ Yours Because of at", "Answer Because of it", "Suggested: 2"):
        assert words in " ".join(said.split())
    assert [line.get("rating") for line in events(empty)] == [2]


def test_options_are_read_and_picked(shell: Shell, empty: Path) -> None:
    write(empty, "pick", CHOICE.format(id="pick"))
    said = studied(shell, empty, "b", "", "q")
    for words in ("A) 0", "Picked: B", "Suggested: 3, the right choice"):
        assert words in said


@given(st.text(st.characters(codec="utf-8"), max_size=80))
def test_whatever_a_card_says_is_spoken_without_control_characters(text: str) -> None:
    assert all(each.isprintable() or each in "\n\t" or ord(each) > 0x9F for each in spoken(text))
