"""Searching, reviewing, statistics, exams and fitting from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.program.shell import Shell

ITEM = "ssu_batch4_004"
CLOZE = "---\nid: pair\ntype: cloze\n---\n# Question\n{{c1::One}} and {{c2::two}}.\n"


@pytest.fixture
def deck(folder: Path) -> Path:
    (folder / "pair.md").write_text(CLOZE)
    return folder


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


def test_a_review_is_recorded_and_taken_back(deck: Path, shell: Shell) -> None:
    done = shell("review", ITEM, "easy", "--seconds", "12.5", "-C", deck)
    assert done.returncode == 0
    assert done.stdout.startswith(f"{ITEM}: easy, again in ")
    assert shell("search", "rated:1:4", "--ids", "-C", deck).stdout == f"{ITEM}\n"
    assert "status: reviewing" in (deck / f"{ITEM}.md").read_text()
    assert ITEM in shell("review", "--undo", "-C", deck).stdout
    assert shell("review", "--undo", "-C", deck).returncode == 1
    for item in ("pair/c1", ITEM):
        shell("review", item, "good", "-C", deck)
    assert "to pair/c1." in shell("review", "--undo", "pair", "-C", deck).stdout
    assert "no answer to pair" in shell("review", "--undo", "pair", "-C", deck).stdout
    assert "takes an answer back" in shell.refused("review", ITEM, "3", "--undo", "-C", deck)
    assert shell("review", "--undo", "-C", deck).stdout.endswith(f"to {ITEM}.\n")
    assert "name one of pair/c1, pair/c2" in shell.refused("review", "pair", "3", "-C", deck)
    assert "There is no rating" in shell.refused("review", ITEM, "5", "-C", deck)
    assert "Name the item" in shell.refused("review", ITEM, "-C", deck)


def test_answers_come_line_by_line_and_each_is_said_once_it_is_recorded(
    deck: Path, shell: Shell
) -> None:
    lines = f"pair/c1 good\n\n{ITEM}\t4\t12.5\npair/c1 1".encode()
    done = shell("review", "-", "-C", deck, stdin=lines)
    assert [row.split(",")[0] for row in done.stdout.splitlines()] == [
        "pair/c1: good",
        f"{ITEM}: easy",
        "pair/c1: again",
    ]
    assert shell("search", "rated:1:4", "--ids", "-C", deck).stdout == f"{ITEM}\n"
    assert shell("search", "reps=2", "--ids", "-C", deck).stdout == "pair/c1\n"
    (line,) = shell("review", "-", "--json", "-C", deck, stdin=b"pair/c2 2").stdout.splitlines()
    assert (json.loads(line)["item"], json.loads(line)["rating"]) == ("pair/c2", 2)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("pair/c2", "is no answer. Write ID RATING"),
        ("pair/c2 5", "There is no rating"),
        ("pair/c2 3 soon", "is not a number of seconds"),
        ("elephant 3", "There is no card"),
    ],
)
def test_a_line_that_is_no_answer_is_named_and_what_came_before_it_stands(
    deck: Path, shell: Shell, line: str, said: str
) -> None:
    done = shell("review", "-", "-C", deck, stdin=f"pair/c1 good\n{line}\n{ITEM} 3\n".encode())
    assert done.returncode == 2
    assert done.stdout.count("\n") == 1
    assert "Line 2 of standard input" in done.stderr
    assert said in done.stderr
    assert shell("search", "rated:1", "--ids", "-C", deck).stdout == "pair/c1\n"


def test_items_are_put_aside_and_taken_up(deck: Path, shell: Shell) -> None:
    shell("suspend", "pair/c1", "-C", deck)
    shell("suspend", "--search", "tag:cnn", "-C", deck)
    assert shell("search", "is:suspended", "--ids", "-C", deck).stdout.split() == ["pair/c1", ITEM]
    assert "Nothing to put aside" in shell("suspend", ITEM, "-C", deck).stdout
    shell("suspend", "pair", ITEM, "--off", "-C", deck)
    assert shell("search", "is:suspended", "--ids", "-C", deck).stdout == ""


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
