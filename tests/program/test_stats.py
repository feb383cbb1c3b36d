"""`deltadeck search`, `list`, `stats`, `exam` and `optimize`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.program.shell import ITEM, Shell
from tests.tui.studied import make


def test_a_search_names_what_it_finds(deck: Path, shell: Shell) -> None:
    found = shell("search", "tag:cnn", "is:new", "--ids", "--folder", deck)
    assert (found.returncode, found.stdout) == (0, f"{ITEM}\n")
    table = shell("search", "type:cloze or tag:cnn", "--folder", deck).stdout
    assert [row.split()[0] for row in table.splitlines()] == ["pair/c1", "pair/c2", ITEM]
    (first,) = json.loads(shell("search", "id:pair/c2", "--json", "-C", deck).stdout)
    assert (first["card"], first["state"], first["r"]) == ("pair", "new", None)
    nothing = shell("search", "zzz", "-C", deck)
    assert (nothing.returncode, nothing.stdout) == (1, "Nothing is found.\n")


def test_a_search_that_cannot_be_read_has_a_caret_under_the_place(deck: Path, shell: Shell) -> None:
    done = shell("search", "tag:cnn is:du", "-C", deck)
    assert done.returncode == 2
    rows = done.stderr.splitlines()
    assert rows[0] == "deltadeck: There is no is:du."
    assert rows[1].index("du") == rows[2].index("^")
    assert rows[3].strip() == "Did you mean due?"
    for command in ("list", "stats"):
        assert shell(command, "tag:", "-C", deck).returncode == 2


def test_cards_are_listed(deck: Path, shell: Shell) -> None:
    assert [row.split()[0] for row in shell("list", "-C", deck).stdout.splitlines()] == [
        "pair",
        ITEM,
    ]
    assert [card["id"] for card in json.loads(shell("list", "--json", "-C", deck).stdout)] == [
        "pair",
        ITEM,
    ]


def test_statistics_are_said_and_are_data(deck: Path, shell: Shell) -> None:
    shell("review", ITEM, "good", "--seconds", "60", "-C", deck)
    said = shell("stats", "-C", deck).stdout
    assert "1 answer in 1 min · 1 day in a row" in said
    assert "1 answer in 0.0 h, 1 day\n" in said
    stats = json.loads(shell("stats", "tag:cnn", "--json", "-C", deck).stdout)
    assert stats["standing"]["learning"] == 1
    assert stats["days"][0]["answers"]["new"] == 1
    assert json.loads(shell("stats", "-tag:cnn pair", "--json", "-C", deck).stdout)["days"] == []


def test_an_exam_is_planned_and_an_unreachable_target_said(deck: Path, shell: Shell) -> None:
    assert "has an exam" in shell.refused("exam", "-C", deck)
    private = deck / ".deltadeck"
    private.mkdir()
    course = "Statistical Machine Learning"
    settings = f'[courses."{course}"]\nexam = 2999-01-20\ntarget = 99\n'
    (private / "config.toml").write_text(settings.replace("2999", "2000"))
    past = shell("exam", "-C", deck)
    assert past.returncode == 1
    assert "cannot be reached" in past.stdout
    (found,) = json.loads(shell("exam", course, "--json", "-C", deck).stdout)
    assert found["now"]["points"] == 5
    assert found["target"]["reached"] is False
    assert "no course 'Other'" in shell.refused("exam", "Other", "-C", deck)


def test_a_fit_on_too_few_reviews_is_refused(deck: Path, shell: Shell) -> None:
    assert "fit needs 1,000 reviews" in shell.refused("optimize", "-C", deck)
    assert "goes with --apply" in shell.refused("optimize", "--reschedule", "-C", deck)


def test_the_workload_of_each_retention_is_a_table(deck: Path, shell: Shell) -> None:
    rows = shell("optimize", "--workload", "-C", deck).stdout.splitlines()
    assert rows[0] == "A year with 3 items:"
    assert len(rows) == 17


@pytest.fixture
def studied(tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    folder.mkdir()
    make(folder, 12)
    return folder


def test_figures_are_chosen_by_name_and_printed_plain(studied: Path, shell: Shell) -> None:
    said = shell("stats", "--plot", "buttons,added", "--span", "all", "-C", studied).stdout
    assert "\x1b" not in said
    assert "Answer buttons" in said
    assert "12 cards were added" in said
    assert "True retention" not in said
    assert max(map(len, said.splitlines())) < 80
    assert "There are forecast, calendar" in shell.refused("stats", "--plot", "x", "-C", studied)
    assert "there is Control, Machine Learning" in shell.refused(
        "stats", "--course", "x", "-C", studied
    )


def test_without_utf_8_they_are_ascii(studied: Path, shell: Shell) -> None:
    shell.env |= {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    said = shell.process("stats", "-C", studied).stdout
    assert said.isascii()
    assert "##" in said
    assert "You gave" in said
